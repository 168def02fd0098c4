"""The step that keeps what two relations lead to a same value."""

from __future__ import annotations

from dataclasses import replace

import pytest

from robodata_core.errors import ProgramError
from robodata_core.model import EntityValue, SomeValue, StringValue
from robodata_core.programs.check import check
from robodata_core.programs.codec import from_json, to_json
from robodata_core.programs.compiler import compile_sparql
from robodata_core.programs.describe import describe
from robodata_core.programs.executor import execute
from robodata_core.programs.steps import Count, End, FilterBySame, Program, Start, Step
from tests.core.programs.graphs import GraphSource, named, statement

BORN, DIED, BURIED, NAME = "P1", "P2", "P3", "P4"
GRAPH = GraphSource(
    [
        statement("Q1", BORN, "Q10"),
        statement("Q1", DIED, "Q10"),
        statement("Q2", BORN, "Q10"),
        statement("Q2", DIED, "Q11"),
        statement("Q2", BURIED, "Q10"),
        statement("Q3", BORN, SomeValue()),
        statement("Q3", DIED, SomeValue()),
        statement("Q4", BORN, "Q11"),
        statement("Q4", BORN, "Q12"),
        statement("Q4", DIED, "Q12"),
        statement("Q5", BORN, "Q10"),
        statement("Q6", NAME, StringValue("a")),
        statement("Q6", BURIED, StringValue("a")),
    ]
)
SAME = FilterBySame("n", "", (BORN,), (DIED,))
SOME = Start("s", tuple(EntityValue(f"Q{number}") for number in (2, 3, 4)))


def _run(*steps: Step) -> set[str]:
    program = Program((*steps, End("n")))
    result = GRAPH.sparql(compile_sparql(program))
    asked = {row[0].id for row in result.rows if isinstance(row[0], EntityValue)}
    assert asked == set(named(execute(program, GRAPH).values))
    return asked


def test_unknown_places_are_not_the_same() -> None:
    assert _run(SAME) == {"Q1", "Q4"}


def test_of_a_set_only_its_own() -> None:
    assert _run(SOME, replace(SAME, source="s")) == {"Q4"}


def test_any_of_several_relations_counts() -> None:
    assert _run(replace(SAME, second=(DIED, BURIED))) == {"Q1", "Q2", "Q4"}


def test_texts_can_be_the_same() -> None:
    assert _run(replace(SAME, first=(NAME,), second=(BURIED,))) == {"Q6"}


def test_it_rests_on_both_statements() -> None:
    result = execute(Program((SAME, End("n"))), GRAPH)
    support = result.support(EntityValue("Q4"))
    assert {(one.property, one.value) for one in support} == {
        (BORN, EntityValue("Q12")),
        (DIED, EntityValue("Q12")),
    }


def test_it_can_be_counted_and_sent() -> None:
    program = Program((SAME, Count("c", "n"), End("c")))
    assert execute(program, GRAPH).number == 2
    assert from_json(to_json(program)) == program


def test_it_is_told_in_words() -> None:
    labels = {BORN: "place of birth", DIED: "place of death"}
    told = describe(Program((SAME, End("n"))), lambda id_: labels.get(id_, ""))
    assert told == "anything whose place of birth is the same as its place of death"
    kept = Program((SOME, replace(SAME, source="s"), End("n")))
    assert "is the same as" in describe(kept, lambda id_: "")


@pytest.mark.parametrize("change", [{"first": ()}, {"second": ("Q1",)}, {"source": "t"}])
def test_what_is_not_well_formed_is_refused(change: dict[str, object]) -> None:
    step = replace(SAME, **change)  # type: ignore[arg-type]
    with pytest.raises(ProgramError):
        check(Program((step, End("n"))))
