"""Numbers and extremes over facts that are mostly missing say so; over whole ones they do not."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from robodata_core.answers.proof import Proof, Prover
from robodata_core.model import AnswerStatus, Direction, EntityValue, QuantityValue, Statement
from robodata_core.policy.base import AnswerDraft, AnswerPart
from robodata_core.programs.steps import (
    Count,
    Extreme,
    ExtremeCount,
    FilterByType,
    Follow,
    Judge,
    JudgeKind,
    Program,
    Start,
)
from robodata_core.store.graph import Fetch, LocalGraph
from robodata_core.store.source import GraphSource
from tests.core.answers.worlds import NOW
from tests.core.programs.builder import ProgramBuilder

TOWN, STATE = EntityValue("Q515"), EntityValue("Q30")


def _towns(number: int, **stated: Any) -> list[Statement]:
    """Return towns of which a relation is stated for the first so many."""
    found = [Statement(f"Q{1000 + one}", "P31", TOWN) for one in range(number)]
    for one in range(stated.get("within", 0)):
        found.append(Statement(f"Q{1000 + one}", "P131", STATE))
    for one in range(stated.get("people", 0)):
        found.append(Statement(f"Q{1000 + one}", "P1082", QuantityValue(Decimal(1 + one))))
    for one in range(stated.get("twins", 0)):
        found.append(Statement(f"Q{1000 + one}", "P190", EntityValue(f"Q{1001 + one}")))
    return found


def _proved(facts: list[Statement], program: Program) -> Proof:
    with LocalGraph.in_memory() as graph:
        graph.add(facts, Fetch("run", "k1", "fetch", NOW))
        draft = AnswerDraft(AnswerStatus.ANSWERED, (AnswerPart(program=program),))
        return Prover(graph, GraphSource(graph), now=NOW).prove(draft, "")


@pytest.mark.parametrize(("within", "least"), [(4, True), (19, False)])
def test_a_number_over_missing_facts_is_a_least_one(within: int, least: bool) -> None:
    build = ProgramBuilder()
    towns = build.add(Follow, build.add(Start, (STATE,)), ("P131",), Direction.IN)
    proof = _proved(_towns(20, within=within), build.program(build.add(Count, towns)))
    (item,) = proof.results
    assert item.value == within
    # All that a relation leads to is gathered from what the source happens to hold.
    assert item.label == f"at least {within}"
    assert f"is at least {within}" in proof.claims[0].text
    assert ([f"of {within} of 20 things" in note for note in proof.notes] == [True]) is least


def test_many_that_a_relation_led_to_do_not_show_that_all_have_it() -> None:
    build = ProgramBuilder()
    towns = build.add(Follow, build.add(Start, (STATE,)), ("P131",), Direction.IN)
    facts = _towns(210) + [Statement(f"Q{1000 + 3 * one}", "P131", STATE) for one in range(70)]
    proof = _proved(facts, build.program(build.add(Count, towns)))
    assert [item.label for item in proof.results] == ["at least 70"]


@pytest.mark.parametrize(("twins", "least"), [(2, True), (15, False)])
def test_what_one_thing_has_is_measured_over_things_like_it(twins: int, least: bool) -> None:
    build = ProgramBuilder()
    count = build.add(
        Count, build.add(Follow, build.add(Start, (EntityValue("Q1000"),)), ("P190",))
    )
    proof = _proved(_towns(20, twins=twins), build.program(count))
    assert [item.label for item in proof.results] == ["at least 1" if least else "1"]


@pytest.mark.parametrize(("people", "told"), [(3, True), (18, False)])
def test_an_extreme_says_among_how_many_it_was_found(people: int, told: bool) -> None:
    build = ProgramBuilder()
    largest = build.add(Extreme, build.add(FilterByType, "", ("Q515",)), "P1082", True)
    proof = _proved(_towns(20, people=people), build.program(largest))
    assert [item.value for item in proof.results] == [EntityValue(f"Q{999 + people}")]
    wanted = (f"Among the {people} of 20 whose P1082 is stated.",) if told else ()
    assert proof.notes == wanted


def test_where_nothing_can_be_measured_a_number_is_told_as_it_is() -> None:
    build = ProgramBuilder()
    count = build.add(Count, build.add(Follow, build.add(Start, (EntityValue("Q1"),)), ("P40",)))
    proof = _proved([Statement("Q1", "P40", EntityValue("Q2"))], build.program(count))
    assert [item.label for item in proof.results] == ["1"]


@pytest.mark.parametrize(("twins", "no"), [(0, False), (1, True), (19, True)])
def test_a_no_is_about_a_relation_that_such_things_have(twins: int, no: bool) -> None:
    build = ProgramBuilder()
    found = build.add(Follow, build.add(Start, (EntityValue("Q1019"),)), ("P190",))
    judged = build.add(Judge, found, JudgeKind.CONTAINS, EntityValue("Q1000"))
    more = [Statement(f"Q{1000 + one}", "P190", EntityValue("Q2")) for one in range(twins)]
    proof = _proved(_towns(20, twins=twins) + more, build.program(judged))
    assert [item.value for item in proof.results] == ([False] if no else [])
    assert any("shows nothing" in text for text in proof.missing) is not no


def test_a_no_is_not_given_where_the_one_value_is_not_stated() -> None:
    """Every town lies in a state: where none is stated, it may be any."""
    build = ProgramBuilder()
    found = build.add(Follow, build.add(Start, (EntityValue("Q1019"),)), ("P190",))
    judged = build.add(Judge, found, JudgeKind.CONTAINS, EntityValue("Q1000"))
    proof = _proved(_towns(20, twins=19), build.program(judged))
    assert not proof.results
    assert any("it may be any" in text for text in proof.missing)


@pytest.mark.parametrize("shared", [False, True])
def test_a_value_that_is_taken_leaves_nothing_open(shared: bool) -> None:
    """A country has one capital: where another town is it, this one is not."""
    build = ProgramBuilder()
    found = build.add(Follow, build.add(Start, (EntityValue("Q1019"),)), ("P1376",))
    judged = build.add(Judge, found, JudgeKind.CONTAINS, EntityValue("Q2003"))
    classes = [Statement(f"Q{2000 + one}", "P31", EntityValue("Q6256")) for one in range(15)]
    each = 3 if shared else 1
    capitals = [
        Statement(f"Q{1000 + one}", "P1376", EntityValue(f"Q{2000 + one // each}"))
        for one in range(15)
    ]
    proof = _proved(_towns(20) + classes + capitals, build.program(judged))
    assert [item.value for item in proof.results] == ([] if shared else [False])


def test_a_relation_may_be_taken_twice_in_vain() -> None:
    """Each step is looked at by itself: only the last one leads to what is judged."""
    build = ProgramBuilder()
    towns = build.add(Follow, build.add(Start, (EntityValue("Q1019"),)), ("P1376",))
    found = build.add(Follow, towns, ("P1376",))
    judged = build.add(Judge, found, JudgeKind.CONTAINS, EntityValue("Q2003"))
    capitals = [
        Statement(f"Q{1000 + one}", "P1376", EntityValue(f"Q{2000 + one}")) for one in range(15)
    ]
    proof = _proved(_towns(20) + capitals, build.program(judged))
    assert not proof.results
    assert any("it may be any" in text for text in proof.missing)


@pytest.mark.parametrize(("within", "few"), [(4, True), (19, False)])
def test_a_ranking_by_numbers_of_things_most_of_which_are_not_stated_is_partial(
    within: int, few: bool
) -> None:
    """Where most towns say no state, the one that most towns are in may be another."""
    build = ProgramBuilder()
    most = build.add(ExtremeCount, "", ("P131",), Direction.IN, True)
    proof = _proved(_towns(20, within=within), build.program(most))
    assert [item.value for item in proof.results] == [STATE]
    assert proof.status is AnswerStatus.PARTIAL
    assert any("others may have more" in text for text in proof.missing) is few
    assert any("may not be all" in text for text in proof.missing) is not few
