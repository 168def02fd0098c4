"""How fast ``robodata kg load`` is, how much memory it takes, and how both grow.

Each load is a process of its own, so that its peak memory is its own. Wall time from the first
byte read to the finished folder, index and check sums included. ``--sizes 100000,10000000`` asks
for other sizes, ``--runs`` for other numbers of runs.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks._common import Result, child, main, median, percentile
from benchmarks._graphs import labels, typed, write_graph

BUDGET_RATE = 100_000
BUDGET_SEARCH_MS = 20
SMALL = 300_000

LOAD = """
import json, resource, sys, time
from robodata_core.sources.snapshot.loading import load_files
start = time.perf_counter()
manifest = load_files([sys.argv[1]], sys.argv[2], small=int(sys.argv[3]))
seconds = time.perf_counter() - start
used = resource.getrusage(resource.RUSAGE_SELF)
peak, cpu = used.ru_maxrss / 1024, used.ru_utime + used.ru_stime
print(json.dumps([seconds, peak, manifest.counts["triples"], manifest.form, cpu]))
"""


@dataclass(frozen=True, slots=True)
class Load:
    """One load: wall seconds, peak MB, triples, form of the snapshot, seconds of all cores."""

    seconds: float
    peak: float
    triples: int
    form: str
    cpu: float


def load(file: Path, output: Path, small: int) -> Load:
    """Load a file in a process of its own."""
    text = child([sys.executable, "-c", LOAD, str(file), str(output), str(small)])
    return Load(*json.loads(text))


def search_texts(entities: int, queries: int) -> list[str]:
    """Return what to search for: names as they are, beginnings, and typing errors."""
    source = random.Random(7)
    names = [label for number, label in enumerate(labels(entities)) if number % 97 == 0]
    names = source.sample(names, min(queries, len(names)))
    return [
        (name, name[: max(2, len(name) // 2)], typed(name, source))[number % 3]
        for number, name in enumerate(names)
    ]


def search_times(folder: Path, entities: int, queries: int) -> list[float]:
    """Return the seconds of searches."""
    from robodata_core.sources.snapshot import open_snapshot

    seconds = []
    with open_snapshot(folder) as snapshot:
        snapshot.search("warm up")
        for text in search_texts(entities, queries):
            start = time.perf_counter()
            snapshot.search(text)
            seconds.append(time.perf_counter() - start)
    return seconds


def size_of(folder: Path) -> float:
    """Return the megabytes of a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def measure(size: int, runs: int, small: int, queries: int) -> list[Result]:
    """Load a graph of ``size`` triples ``runs`` times."""
    with tempfile.TemporaryDirectory() as home:
        file = Path(home) / "graph.nt"
        entities = write_graph(file, size)
        loads = [load(file, Path(home) / f"out-{run}", small) for run in range(runs)]
        times = search_times(Path(home) / "out-0", entities, queries)
        stored = size_of(Path(home) / "out-0")
        form = loads[0].form
        of = f"{size:,} triples ({'on disk' if form == 'oxigraph' else 'one file'})"
        rate = median([one.triples / one.seconds for one in loads])
        cpu = median([one.cpu for one in loads])
        note = f"{runs} process{'es' if runs > 1 else ''}, {file.stat().st_size / 1e6:,.0f} MB in"
        return [
            Result(
                f"load, {of}",
                rate,
                "triples/s",
                BUDGET_RATE if form == "oxigraph" else None,
                higher_is_better=True,
                note=f"median of {note}, {stored:,.0f} MB out, {cpu:,.3g} s of CPU",
            ),
            Result(f"peak memory, {of}", median([one.peak for one in loads]), "MB", note=note),
            Result(
                f"entity search, {entities:,} labels, p95",
                percentile(times, 0.95) * 1e3,
                "ms",
                BUDGET_SEARCH_MS,
                note=f"{len(times)} searches: names, beginnings, typing errors",
            ),
        ]


def results(*, quick: bool, sizes: Sequence[int] = (), runs: int = 0) -> list[Result]:
    figures = []
    chosen = tuple(sizes) or ((100_000,) if quick else (100_000, 1_000_000))
    for size in chosen:
        forms = (SMALL, 0) if size <= SMALL else (0,)
        for small in forms:
            figures += measure(size, runs or (1 if quick else 3), small, 90 if quick else 600)
    return figures


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--sizes", default="")
    parser.add_argument("--runs", type=int, default=0)
    mine, rest = parser.parse_known_args()
    wanted = [int(part) for part in mine.sizes.split(",") if part]
    raise SystemExit(main(__doc__, partial(results, sizes=wanted, runs=mine.runs), rest))
