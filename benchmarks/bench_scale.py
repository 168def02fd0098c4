"""A graph of ten million triples from its file to answered questions: load, disk, memory, latency.

The graph is made from a seed (``_graphs``), loaded by a process of its own, and asked by another,
so that each one's peak memory is its own. Questions have one and two hops; their answers are known
from the seed, and the share that is answered exactly stands beside the times. ``--triples 1000000``
asks for another size. Ten million take about 4 GB of disk under the temporary folder.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from benchmarks._common import Result, child, main, percentile, timings_of
from benchmarks._graphs import write_graph
from benchmarks.bench_load import BUDGET_RATE, BUDGET_SEARCH_MS, load, size_of

SIZE = 10_000_000
ASK = "from benchmarks.bench_scale import ask; import sys; ask(*sys.argv[1:])"


def ask(folder: str, entities: str, count: str) -> None:
    """Search, read and ask a loaded graph; prints what was measured as JSON (in the child)."""
    import random
    import resource

    from benchmarks._graphs import questions
    from benchmarks.bench_load import search_texts
    from robodata_core.api import RoboData
    from robodata_core.model import Direction, EntityValue

    number = int(count)
    asked = questions(int(entities), number)
    source = random.Random(5)
    ids = [f"Q{source.randint(1, int(entities))}" for _ in range(number * 3)]
    measured: dict[str, object] = {}
    start = time.perf_counter()
    with RoboData.open(source=f"snapshot:{folder}", policy="offline") as robodata:
        robodata.source.search("warm up")
        measured["open"] = time.perf_counter() - start
        texts = search_texts(int(entities), number * 3)
        measured["search"] = timings_of(robodata.source.search, texts)
        for way in Direction:
            measured[way.value] = timings_of(
                partial(robodata.source.statements, direction=way, limit=100), ids
            )
        robodata.ask(asked[0].text)
        for hops in (1, 2):
            seconds, right, wrong = [], 0, 0
            for question in asked:
                if question.hops != hops:
                    continue
                start = time.perf_counter()
                answer = robodata.ask(question.text)
                seconds.append(time.perf_counter() - start)
                values = [item.value for item in answer.results]
                found = {value.id for value in values if isinstance(value, EntityValue)}
                right += found == question.gold
                wrong += bool(found) and found != question.gold
            measured[f"hops{hops}"] = seconds
            measured[f"right{hops}"], measured[f"wrong{hops}"] = right, wrong
    measured["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps(measured))


def _latencies(name: str, seconds: Sequence[float], budget: float | None, note: str) -> Result:
    shares = ", ".join(
        f"p{share} {percentile(seconds, share / 100) * 1e3:.3g}" for share in (50, 99)
    )
    value = percentile(seconds, 0.95) * 1e3
    return Result(
        f"{name}, p95", value, "ms", budget, note=f"{len(seconds)} times, {shares}; {note}"
    )


def results(*, quick: bool, triples: int = 0) -> list[Result]:
    triples = triples or (300_000 if quick else SIZE)
    with tempfile.TemporaryDirectory() as home:
        file, folder = Path(home) / "graph.nt", Path(home) / "out"
        start = time.perf_counter()
        entities = write_graph(file, triples)
        writing = time.perf_counter() - start
        loaded = load(file, folder, 0)
        stored = loaded.triples
        megabytes = file.stat().st_size / 1e6
        file.unlink()
        disk = size_of(folder)
        got = json.loads(
            child([sys.executable, "-c", ASK, str(folder), str(entities), "30" if quick else "200"])
        )
    of = f"{stored:,} triples, {entities:,} labels"
    how = f"on disk, {loaded.seconds:,.0f} s, {loaded.cpu:,.0f} s of CPU"
    figures = [
        Result(f"generate, {of}", stored / writing, "triples/s", note=f"{megabytes:,.0f} MB"),
        Result(f"load, {of}", stored / loaded.seconds, "triples/s", BUDGET_RATE, True, how),
        Result("load, peak memory", loaded.peak, "MB"),
        Result(
            "disk", disk, "MB", note=f"{disk * 1e6 / stored:.0f} bytes a triple, index included"
        ),
        Result("open and first search", got["open"] * 1e3, "ms"),
        _latencies("search", got["search"], BUDGET_SEARCH_MS, "names, beginnings, typing errors"),
        _latencies("statements of an entity", got["out"], None, "up to 100"),
        _latencies("statements pointing to it", got["in"], None, "up to 100"),
    ]
    for hops in (1, 2):
        times, right, wrong = (got[f"{name}{hops}"] for name in ("hops", "right", "wrong"))
        note = f"{right} of {len(times)} answered exactly, {wrong} otherwise, the rest unknown"
        figures.append(_latencies(f"question of {hops} hop{'s'[: hops - 1]}", times, None, note))
    return [*figures, Result("asking, peak memory", got["peak"], "MB")]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--triples", type=int, default=0)
    mine, rest = parser.parse_known_args()
    raise SystemExit(main(__doc__, partial(results, triples=mine.triples), rest))
