"""How fast the local graph stores and finds, beside raw Oxigraph, rdflib and a plain list.

The same random triples go into all of them in the same run. ``LocalGraph`` does far more than the
others for each one (statement node, provenance, handle, names), so its throughput is shown beside
that of writing as many plain quads. The rdflib figures are left out where rdflib is not installed;
the list is scanned from the front, as code without an index does.

``--size N`` sets the number of triples (20,000; 2,000 with ``--quick``).
"""

from __future__ import annotations

import argparse
import importlib.util
import random
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timezone
from functools import partial
from pathlib import Path

import pyoxigraph as ox

from benchmarks._common import Result, main, median, timings
from robodata_core.model import Entity, EntityValue, Statement, Triple
from robodata_core.store.graph import Fetch, LocalGraph

WD = "http://www.wikidata.org/entity/"
WDT = "http://www.wikidata.org/prop/direct/"
BATCH = 100

Fact = tuple[int, int, int]
Pattern = tuple[int | None, int, int | None]


def facts(size: int) -> list[Fact]:
    """Random triples as numbers: ten to a subject, fifty properties."""
    random_ = random.Random(20_26)
    nodes = max(2, size // 10)
    found: dict[Fact, None] = {}
    while len(found) < size:
        fact = (random_.randrange(nodes), random_.randrange(50), random_.randrange(nodes))
        found[fact] = None
    return list(found)


def patterns(known: Sequence[Fact], count: int) -> list[Pattern]:
    """Half of them subject and property, half property and object."""
    random_ = random.Random(7)
    chosen = random_.choices(known, k=count)
    return [(s, p, None) if n % 2 else (None, p, o) for n, (s, p, o) in enumerate(chosen)]


# -- the contestants --------------------------------------------------------------------------


def _iri(base: str, letter: str, number: int | None) -> ox.NamedNode | None:
    return None if number is None else ox.NamedNode(f"{base}{letter}{number + 1}")


def oxigraph(known: Sequence[Fact]) -> ox.Store:
    """Raw Oxigraph in memory, the direct triples alone."""
    store = ox.Store()
    store.extend(
        ox.Quad(_iri(WD, "Q", s), _iri(WDT, "P", p), _iri(WD, "Q", o))  # type: ignore[arg-type]
        for s, p, o in known
    )
    return store


def oxigraph_lookup(store: ox.Store, wanted: Iterable[Pattern]) -> int:
    """Count what matches."""
    return sum(
        1
        for s, p, o in wanted
        for _ in store.quads_for_pattern(_iri(WD, "Q", s), _iri(WDT, "P", p), _iri(WD, "Q", o))
    )


def list_lookup(known: Sequence[Fact], wanted: Iterable[Pattern]) -> int:
    """Count what matches by looking at every triple."""
    return sum(
        1
        for s, p, o in wanted
        for fact in known
        if fact[1] == p and (s is None or fact[0] == s) and (o is None or fact[2] == o)
    )


def rdflib_contestant(known: Sequence[Fact]) -> tuple[float, Callable[[Iterable[Pattern]], int]]:
    """Fill rdflib's memory store; return the seconds that took, and a way to look things up."""
    import rdflib

    def node(base: str, letter: str, number: int | None) -> rdflib.URIRef | None:
        return None if number is None else rdflib.URIRef(f"{base}{letter}{number + 1}")

    graph = rdflib.Graph()

    def fill() -> None:
        for s, p, o in known:
            graph.add((node(WD, "Q", s), node(WDT, "P", p), node(WD, "Q", o)))  # type: ignore[arg-type]

    def look_up(wanted: Iterable[Pattern]) -> int:
        return sum(
            1
            for s, p, o in wanted
            for _ in graph.triples((node(WD, "Q", s), node(WDT, "P", p), node(WD, "Q", o)))
        )

    return timings(fill, runs=1, warmup=0)[0], look_up


def fill_local_graph(graph: LocalGraph, known: Sequence[Fact]) -> None:
    """Add the triples as a run does: call by call, with names."""
    for start in range(0, len(known), BATCH):
        batch = known[start : start + BATCH]
        fetch = Fetch("bench", f"k{start}", "fetch_node", datetime(2026, 1, 1, tzinfo=timezone.utc))
        graph.add(
            [Statement(f"Q{s + 1}", f"P{p + 1}", EntityValue(f"Q{o + 1}")) for s, p, o in batch],
            fetch,
            entities=[Entity(f"Q{s + 1}", f"entity {s + 1}") for s, _, _ in batch],
        )


# -- measuring --------------------------------------------------------------------------------


def results(*, quick: bool, size: int | None = None) -> list[Result]:
    """Measure all contestants on the same triples."""
    size = size or (2_000 if quick else 20_000)
    runs = 3 if quick else 5
    known = facts(size)
    return [*_adding(known, runs), *_finding(known, runs), *_patterns(known, runs)]


def _result(name: str, count: int, seconds: Sequence[float], unit: str, note: str = "") -> Result:
    return Result(name, count / median(seconds), unit, higher_is_better=True, note=note)


def _adding(known: Sequence[Fact], runs: int) -> list[Result]:
    def in_memory() -> None:
        with LocalGraph.in_memory() as graph:
            fill_local_graph(graph, known)

    some = known[: max(BATCH, len(known) // 10)]

    def on_disk() -> None:
        with tempfile.TemporaryDirectory() as folder, LocalGraph.open(Path(folder) / "g") as graph:
            fill_local_graph(graph, some)

    with LocalGraph.in_memory() as graph:
        fill_local_graph(graph, known)
        quads = graph.quads()

    def plain_quads() -> None:
        ox.Store().extend(quads)

    size = f"{len(known):,} triples"
    note = f"calls of {BATCH}, with provenance and names; median of {runs}"
    return [
        _result(f"`LocalGraph.add` in memory, {size}", len(known), _time(in_memory, runs),
                "statements/s", note),
        _result(f"`LocalGraph.add` on disk, {len(some):,} triples", len(some),
                _time(on_disk, runs), "statements/s", "flushed after every call"),
        _result(f"the same {len(quads):,} quads into raw Oxigraph", len(quads),
                _time(plain_quads, runs), "quads/s", "made before, written at once"),
    ]  # fmt: skip


def _finding(known: Sequence[Fact], runs: int) -> list[Result]:
    with LocalGraph.in_memory() as graph:
        fill_local_graph(graph, known)
        some = known[:: max(1, len(known) // 1_000)]
        triples = [Triple(f"Q{s + 1}", f"P{p + 1}", EntityValue(f"Q{o + 1}")) for s, p, o in some]
        handles = [f"T{number + 1}" for number in range(len(some))]
        query = "SELECT ?o {{ wd:{0.subject} wdt:{0.predicate} ?o }}"
        calls: list[tuple[str, Callable[[], object]]] = [
            ("`evidence(handle)`", lambda: [graph.evidence(handle) for handle in handles]),
            ("`find(triple)`", lambda: [graph.find(triple) for triple in triples]),
            ("`contains(triple)` (an ASK)", lambda: [graph.contains(t) for t in triples]),
            ("`query` of one pattern", lambda: [graph.query(query.format(t)) for t in triples]),
        ]
        size = f"{len(known):,} triples"
        return [
            _result(f"`LocalGraph` {name}, {size}", len(some), _time(call, runs), "calls/s")
            for name, call in calls
        ]


def _patterns(known: Sequence[Fact], runs: int) -> list[Result]:
    wanted = patterns(known, 1_000)
    few = wanted[: max(2, 2_000_000 // len(known) // 2)]
    store = oxigraph(known)
    expected = oxigraph_lookup(store, few)
    if list_lookup(known, few) != expected:
        raise SystemExit("the contestants do not find the same")
    name = f"patterns of {len(known):,} triples"
    raw = _result(
        f"raw Oxigraph, {name}", len(wanted),
        _time(partial(oxigraph_lookup, store, wanted), runs), "patterns/s",
    )  # fmt: skip
    scan = _result(
        f"scan of a Python list, {name}", len(few),
        _time(partial(list_lookup, known, few), runs), "patterns/s",
    )  # fmt: skip
    found = [raw, scan]
    filling = _result("raw Oxigraph, filling", len(known), _time(partial(oxigraph, known), runs),
                      "triples/s")  # fmt: skip
    if importlib.util.find_spec("rdflib") is None:
        print("rdflib is not installed: its figures are left out", file=sys.stderr)
        return [filling, *_with_ratio(found, raw)]
    seconds, look_up = rdflib_contestant(known)
    if look_up(few) != expected:
        raise SystemExit("the contestants do not find the same")
    found.insert(
        1, _result(f"rdflib in memory, {name}", len(wanted), _time(partial(look_up, wanted), runs),
                   "patterns/s"),
    )  # fmt: skip
    rdflib_filling = _result("rdflib in memory, filling", len(known), [seconds], "triples/s")
    return [filling, *_with_ratio([rdflib_filling], filling), *_with_ratio(found, raw)]


def _with_ratio(found: Iterable[Result], best: Result) -> list[Result]:
    return [
        result
        if result is best
        else Result(result.name, result.value, result.unit, higher_is_better=True,
                    note=f"raw Oxigraph is {best.value / result.value:,.1f} times as fast")
        for result in found
    ]  # fmt: skip


def _time(call: Callable[[], object], runs: int) -> list[float]:
    return timings(call, runs=runs)


def _parse(argv: Sequence[str]) -> tuple[int | None, list[str]]:
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--size", type=int)
    options, rest = parser.parse_known_args(argv)
    return options.size, rest


if __name__ == "__main__":
    chosen, others = _parse(sys.argv[1:])
    raise SystemExit(main(__doc__, partial(results, size=chosen), others))
