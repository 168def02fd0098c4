"""A program run step by step and the same program as one query give the same result."""

from __future__ import annotations

from dataclasses import replace

import pyoxigraph as ox
from hypothesis import event, given
from hypothesis import strategies as st

from robodata_core.model import EntityValue, Statement
from robodata_core.programs.compiler import compile_sparql
from robodata_core.programs.executor import ProgramResult, execute
from robodata_core.programs.keys import Key, key_of
from robodata_core.programs.steps import (
    Coarsen,
    Comparison,
    End,
    Extreme,
    ExtremeSpan,
    FilterByConstraint,
    Follow,
    Program,
    Start,
    Step,
)
from tests.core.programs.graphs import GraphSource, keys
from tests.core.programs.strategies import (
    AMOUNTS,
    ENTITIES,
    TIMES,
    constraints,
    counts,
    graphs,
    literal_graphs,
    nearnesses,
    placed_graphs,
    programs,
    reckonings,
    sames,
    spelled_graphs,
    walks,
)


def _asked(source: GraphSource, program: Program) -> set[Key] | int | bool | None:
    result = source.sparql(compile_sparql(program))
    if result.boolean is not None:
        return result.boolean
    cells = [row[0] for row in result.rows]
    if result.variables == ("count",):
        return int(cells[0].amount)  # type: ignore[union-attr]
    return {key_of(cell) for cell in cells if cell is not None}


def _run(result: ProgramResult) -> set[Key] | int | bool:
    if result.boolean is not None:
        return result.boolean
    return set(keys(result.values)) if result.number is None else result.number


def _agree(source: GraphSource, program: Program) -> ProgramResult:
    result = execute(program, source)
    assert not result.truncated
    assert _asked(source, program) == _run(result), compile_sparql(program)
    return result


@given(graphs, programs())
def test_executor_and_query_agree(statements: list[Statement], program: Program) -> None:
    result = _agree(GraphSource(statements), program)
    event("with members" if result.members else "empty")


@given(literal_graphs, constraints())
def test_they_agree_on_every_comparison(
    statements: list[Statement], constraint: FilterByConstraint
) -> None:
    source = GraphSource(statements)
    kinds = list(Comparison)
    if isinstance(constraint.value, EntityValue):
        kinds = [Comparison.EQ, Comparison.NE]
    for comparison in kinds:
        found = _agree(source, Program((replace(constraint, comparison=comparison), End("n"))))
        event("passed" if found.members else "none passed")


@given(literal_graphs, st.sampled_from(AMOUNTS + TIMES), st.booleans())
def test_they_agree_on_extremes(statements: list[Statement], property_: str, largest: bool) -> None:
    everything = Start("s", tuple(EntityValue(id_) for id_ in ENTITIES))
    steps = (everything, Extreme("n", "s", property_, largest), End("n"))
    found = _agree(GraphSource(statements), Program(steps))
    event("found" if found.members else "none found")


@given(graphs, counts())
def test_they_agree_on_numbers_of_others(statements: list[Statement], step: Step) -> None:
    everything = Start("s", tuple(EntityValue(id_) for id_ in ENTITIES))
    found = _agree(GraphSource(statements), Program((everything, step, End("n"))))
    event("found" if found.members else "none found")


@given(graphs, st.data())
def test_they_agree_on_numbers_of_all_there_is_and_of_some(
    statements: list[Statement], data: st.DataObject
) -> None:
    some = Start("s", tuple(EntityValue(id_) for id_ in ENTITIES[:4]))
    source, among = data.draw(st.sampled_from([("", ""), ("", "s"), ("s", "s")]))
    step = data.draw(counts("n", source, among))
    found = _agree(GraphSource(statements), Program((some, step, End("n"))))
    event("found" if found.members else "none found")


@given(graphs, st.data())
def test_they_agree_on_what_two_relations_lead_to(
    statements: list[Statement], data: st.DataObject
) -> None:
    some = Start("s", tuple(EntityValue(id_) for id_ in ENTITIES[:5]))
    step = data.draw(sames("n", data.draw(st.sampled_from(["", "s"]))))
    found = _agree(GraphSource(statements), Program((some, step, End("n"))))
    event("found" if found.members else "none found")


@given(graphs, st.data())
def test_they_agree_on_what_is_reached_in_any_number_of_steps(
    statements: list[Statement], data: st.DataObject
) -> None:
    some = Start("s", tuple(EntityValue(id_) for id_ in ENTITIES[:2]))
    step = data.draw(walks("n", "s", any_number=True))
    found = _agree(GraphSource(statements), Program((some, step, End("n"))))
    event("more" if len(found.members) > 2 else "no more")


@given(literal_graphs, st.data())
def test_they_agree_on_what_is_reckoned(statements: list[Statement], data: st.DataObject) -> None:
    everything = Start("s", tuple(EntityValue(id_) for id_ in ENTITIES))
    first, last = (Follow(name, "s", (data.draw(st.sampled_from(TIMES)),)) for name in "fl")
    step = data.draw(reckonings("n", "s", "s") | reckonings("n", "f", "l"))
    found = _agree(GraphSource(statements), Program((everything, first, last, step, End("n"))))
    event(f"{type(step).__name__}: {'found' if found.members else 'none found'}")


@given(placed_graphs, nearnesses(), st.lists(st.sampled_from(ENTITIES), min_size=1, max_size=3))
def test_they_agree_on_places(statements: list[Statement], step: Step, targets: list[str]) -> None:
    everything = Start("s", tuple(EntityValue(id_) for id_ in ENTITIES))
    some = Start("t", tuple(EntityValue(id_) for id_ in targets))
    found = _agree(GraphSource(statements), Program((everything, some, step, End("n"))))
    event(f"{type(step).__name__}: {'found' if found.members else 'none found'}")


@given(spelled_graphs, constraints(), st.booleans())
def test_they_agree_on_how_other_graphs_spell_numbers_and_times(
    spelled: list[tuple[str, str, ox.Literal]], constraint: FilterByConstraint, largest: bool
) -> None:
    source = GraphSource([], spelled)
    if not isinstance(constraint.value, EntityValue):
        for property_ in {property_ for _, property_, _ in spelled}:
            step = replace(constraint, property=property_)
            _agree(source, Program((step, End("n"))))
    everything = Start("s", tuple(EntityValue(id_) for id_ in ENTITIES))
    for property_ in {property_ for _, property_, _ in spelled}:
        _agree(source, Program((everything, Extreme("n", "s", property_, largest), End("n"))))
        span = ExtremeSpan("n", "s", property_, property_, largest)
        _agree(source, Program((everything, span, End("n"))))
        _agree(source, Program((everything, Coarsen("n", "s", property_, 9), End("n"))))
