"""The same agreement on a real source: snapshots written, opened and asked through their doors."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pyoxigraph as ox
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from robodata_core.iris import WD, id_from_iri
from robodata_core.model import (
    CoordinateValue,
    Direction,
    EntityValue,
    NoValue,
    SomeValue,
    Statement,
    StringValue,
)
from robodata_core.programs.compiler import compile_sparql
from robodata_core.programs.executor import Executor
from robodata_core.programs.keys import Key, key_of
from robodata_core.programs.steps import (
    Comparison,
    End,
    Extreme,
    FilterByConstraint,
    FilterByType,
    Follow,
    Program,
    Start,
)
from robodata_core.sources.snapshot import SnapshotSource, open_snapshot
from robodata_core.sources.snapshot.loading import write_snapshot
from tests.core.fixtures import tiny_snapshot
from tests.core.programs.graphs import keys, store_of
from tests.core.programs.strategies import (
    AMOUNTS,
    ENTITIES,
    TIMES,
    constraints,
    graphs,
    literal_graphs,
    programs,
)

#: A snapshot is written and a process started for each graph, so there are few graphs, with many
#: programs each; the store behind it is asked far more often in ``test_equivalence``. Shrinking
#: would take minutes.
_FEW = settings(max_examples=8, phases=[Phase.explicit, Phase.reuse, Phase.generate])
_LONG = 20


def _agree(source: SnapshotSource, executor: Executor, program: Program) -> None:
    result = executor.run(program)
    assert not result.truncated
    query = compile_sparql(program)
    asked = source.sparql(query)
    if result.boolean is not None:
        assert asked.boolean is result.boolean, query
        return
    cells = [row[0] for row in asked.rows if row[0] is not None]
    if result.number is not None:
        assert [key_of(cell) for cell in cells] == [result.number], query
        return
    found: set[Key] = {key_of(cell) for cell in cells}
    assert found == set(keys(result.values)), query


@_FEW
@given(graphs, st.lists(programs(), min_size=_LONG, max_size=_LONG))
def test_programs_and_queries_agree(statements: list[Statement], many: list[Program]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        write_snapshot(store_of(statements), Path(folder) / "graph", name="graph")
        with open_snapshot(Path(folder) / "graph") as source:
            executor = Executor(source)
            for program in many:
                _agree(source, executor, program)


@_FEW
@given(literal_graphs, st.lists(constraints(), min_size=_LONG, max_size=_LONG))
def test_comparisons_and_extremes_agree(
    statements: list[Statement], many: list[FilterByConstraint]
) -> None:
    everything = Start("s", tuple(EntityValue(id_) for id_ in ENTITIES))
    extremes = [
        Program((everything, Extreme("n", "s", property_, largest), End("n")))
        for property_ in AMOUNTS + TIMES
        for largest in (True, False)
    ]
    with tempfile.TemporaryDirectory() as folder:
        write_snapshot(store_of(statements), Path(folder) / "graph", name="graph")
        with open_snapshot(Path(folder) / "graph") as source:
            executor = Executor(source)
            for program in (*(Program((step, End("n"))) for step in many), *extremes):
                _agree(source, executor, program)


def test_they_agree_on_every_statement_of_a_small_snapshot(tmp_path: Path) -> None:
    with open_snapshot(tiny_snapshot(tmp_path / "tiny")) as source:
        ids = sorted({_id(quad.subject) for quad in source.quads() if _is_entity(quad.subject)})
        executor = Executor(source)
        everything = Start("s", tuple(EntityValue(id_) for id_ in ids))
        for direction in Direction:
            _agree(
                source, executor, Program((everything, Follow("a", "s", (), direction), End("a")))
            )
        seen = 0
        for page in source.statements_many(ids).values():
            for one in page.statements:
                for program in _programs_around(one):
                    _agree(source, executor, program)
                seen += 1
        assert seen > 25


def _programs_around(one: Statement) -> Iterator[Program]:
    subject, property_ = Start("s", (EntityValue(one.subject),)), (one.property,)
    yield Program((subject, Follow("a", "s", property_), End("a")))
    if isinstance(one.value, (SomeValue, NoValue)):
        return
    value = Start("s", (one.value,))
    if isinstance(one.value, (EntityValue, StringValue)):
        yield Program((value, Follow("a", "s", property_, Direction.IN), End("a")))
    if isinstance(one.value, EntityValue):
        yield Program((FilterByType("a", "", (one.value.id,), property_), End("a")))
    if not isinstance(one.value, CoordinateValue):
        for comparison in (Comparison.EQ, Comparison.NE):
            step = FilterByConstraint("a", "", one.property, comparison, one.value)
            yield Program((step, End("a")))


def _is_entity(term: object) -> bool:
    return isinstance(term, ox.NamedNode) and (
        term.value.startswith("http://example.org/home#")
        or (term.value.startswith(WD) and "/" not in term.value[len(WD) :])
    )


def _id(term: object) -> str:
    assert isinstance(term, ox.NamedNode)
    return id_from_iri(term.value)
