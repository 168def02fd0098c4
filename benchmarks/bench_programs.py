"""Reasoning programs: run step by step, against the same program as one SPARQL query.

On the embedded sample and on a generated graph of 140,000 triples. "First time" is on a source
that was just opened and has built no statement yet; "again" is a new executor on a source that
has; both gather the evidence, too. The query runs on an Oxigraph store in the same process,
without the child process and the caps that queries of models get, and gives values only: no
statements, no evidence. Results of the two are compared before anything is measured.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pyoxigraph as ox

from benchmarks._common import Result, main, median, timings
from robodata_core.iris import WD, WDT
from robodata_core.model import Direction, EntityValue, TimeValue
from robodata_core.programs.compiler import compile_sparql
from robodata_core.programs.executor import Executor, execute
from robodata_core.programs.steps import (
    Comparison,
    Count,
    End,
    FilterByConstraint,
    FilterByType,
    Follow,
    Intersect,
    Program,
    Start,
    Step,
)
from robodata_core.sources.snapshot import SnapshotSource, open_snapshot
from robodata_core.sources.snapshot.loading import write_snapshot

_ENTITIES = 20_000
_CLASSES = 20
_SEED = 7


def _program(*steps: Step) -> Program:
    return Program((*steps, End(steps[-1].out)))


def _start(*ids: str) -> Start:
    return Start("a", tuple(EntityValue(id_) for id_ in ids))


def _on_the_sample() -> dict[str, Program]:
    americans = Follow("b", "a", ("P27",), Direction.IN)
    followers = Follow("b", "a", ("P737",), Direction.IN)
    mathematicians = Follow("d", "c", ("P106",), Direction.IN)
    return {
        "1 hop": _program(_start("Q42"), Follow("b", "a", ("P800", "P26"))),
        "2 hops": _program(_start("Q9312"), followers, Follow("c", "b", ("P106",))),
        "intersection": _program(
            _start("Q9312"),
            followers,
            Start("c", (EntityValue("Q170790"),)),
            mathematicians,
            Intersect("e", ("b", "d")),
        ),
        "hub, type through superclasses, count": _program(
            _start("Q30"),
            americans,
            FilterByType("c", "b", ("Q36180",), ("P31", "P106")),
            Count("n", "c"),
        ),
        "3 hops through a hub": _program(
            _start("Q30"),
            americans,
            Follow("c", "b", ("P106",)),
            Follow("d", "c", ("P106",), Direction.IN),
        ),
    }


def _on_the_generated_graph() -> dict[str, Program]:
    hops = (
        _start(*(f"Q{number}" for number in range(1, 31))),
        Follow("b", "a", ("P1",)),
        Follow("c", "b", ("P1",), Direction.IN),
        Follow("d", "c", ("P1",)),
    )
    kind = FilterByType("e", "d", (f"Q{_ENTITIES + 1}",))
    later = FilterByConstraint("f", "e", "P569", Comparison.GT, TimeValue(1500, precision=9))
    return {
        "3 hops": _program(*hops),
        "3 hops, type and date": _program(*hops, kind, later),
    }


def _quads() -> Iterator[str]:
    """Yield a graph of entities that know five others each, with a type and a date."""
    chance = random.Random(_SEED)
    date = "^^<http://www.w3.org/2001/XMLSchema#dateTime>"
    for number in range(1, _ENTITIES + 1):
        this = f"<{WD}Q{number}>"
        for _ in range(5):
            yield f"{this} <{WDT}P1> <{WD}Q{chance.randint(1, _ENTITIES)}> ."
        class_ = _ENTITIES + 1 + chance.randrange(_CLASSES)
        yield f"{this} <{WDT}P31> <{WD}Q{class_}> ."
        yield f'{this} <{WDT}P569> "{1000 + number % 1000}-05-01T00:00:00Z"{date} .'
    for number in range(1, _CLASSES):
        upper = _ENTITIES + 1 + number // 2
        yield f"<{WD}Q{_ENTITIES + 1 + number}> <{WDT}P279> <{WD}Q{upper}> ."


def _milliseconds(call: Callable[[], object], runs: int) -> float:
    return 1_000 * median(timings(call, runs=runs))


def _first_time(program: Program, opened: Callable[[], SnapshotSource], runs: int) -> float:
    seconds = []
    for _ in range(runs):
        with opened() as source:
            source.warm()
            begin = time.perf_counter()
            _ = execute(program, source).evidence
            seconds.append(time.perf_counter() - begin)
    return 1_000 * median(seconds)


def _ask(store: ox.Store, query: str) -> list[object]:
    found = store.query(query, use_default_graph_as_union=True)
    assert isinstance(found, ox.QuerySolutions)
    return list(found)


def _measure(
    where: str, programs: dict[str, Program], opened: Callable[[], SnapshotSource], runs: int
) -> Iterator[Result]:
    with opened() as source:
        store = ox.Store()
        store.extend(source.quads())
        for name, program in programs.items():
            query, result = compile_sparql(program), execute(program, source)
            rows = 1 if result.number is not None else len(result.values)
            assert not result.truncated and len(_ask(store, query)) == rows

            def again(program: Program = program) -> object:
                return execute(program, source).evidence

            what = f"{name} ({where}, {len(result.members):,} nodes)"
            first, warm = _first_time(program, opened, runs), _milliseconds(again, runs)
            asked = _milliseconds(lambda query=query: _ask(store, query), runs)  # type: ignore[misc]
            how = f"p50 of {runs}"
            count = f"{how}, {len(result.evidence):,} statements of evidence"
            ratios = f"{how}; {first / asked:.1f} and {warm / asked:.1f} times as long in steps"
            yield Result(f"{what}: steps, first time", first, "ms", note=count)
            yield Result(f"{what}: steps, again", warm, "ms", note=count)
            yield Result(f"{what}: one query", asked, "ms", note=ratios)
        yield _shared(where, list(programs.values())[-1], source, runs)


def _shared(where: str, program: Program, source: SnapshotSource, runs: int) -> Result:
    executor = Executor(source)
    cost = _milliseconds(lambda: executor.run(program), runs * 20)
    what = f"a program whose steps were all run before ({where})"
    return Result(what, cost, "ms", note=f"p50 of {runs * 20}, one executor")


def results(*, quick: bool) -> list[Result]:
    runs = 3 if quick else 11

    def sample() -> SnapshotSource:
        return open_snapshot("wikidata-sample")

    figures = list(_measure("sample", _on_the_sample(), sample, runs))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "generated"
        write_snapshot(_quads(), path, name="generated")

        def generated() -> SnapshotSource:
            return open_snapshot(path)

        figures += _measure("generated", _on_the_generated_graph(), generated, runs)
    return figures


if __name__ == "__main__":
    raise SystemExit(main(__doc__, results))
