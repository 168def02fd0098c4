"""Small words that change what is asked: "in" an organization, "are", "not", names in part."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from robodata_core import RoboData
from robodata_core.model import Answer, Direction
from robodata_core.policy.offline.candidate import Candidate, EdgeUse
from robodata_core.policy.offline.guards import doubles
from robodata_core.policy.offline.words import tokenize


@pytest.fixture(scope="module")
def robodata() -> Iterator[RoboData]:
    with RoboData.open() as opened:
        yield opened


def _labels(answer: Answer) -> set[str]:
    return {result.label for result in answer.results}


def test_a_class_may_begin_with_an_adjective_in_capitals(robodata: RoboData) -> None:
    answer = robodata.ask("List the Islamic republics.")
    assert _labels(answer) == {"Iran", "Afghanistan", "Mauritania"}


def test_to_be_in_an_organization_is_to_be_a_member(robodata: RoboData) -> None:
    members = _labels(robodata.ask("Which countries are members of NATO?"))
    assert _labels(robodata.ask("Which countries are in NATO?")) == members != set()
    assert _labels(robodata.ask("Is Canada in NATO?")) == {"yes"}
    assert _labels(robodata.ask("Is Vienna in Austria?")) == {"yes"}


def test_members_of_one_that_are_not_in_another(robodata: RoboData) -> None:
    left = _labels(robodata.ask("Which members of NATO are not in the European Union?"))
    assert {"Canada", "Norway"} <= left
    assert not left & {"Spain", "Hungary", "Belgium"}


def test_who_is_in_something_is_not_who_it_is(robodata: RoboData) -> None:
    assert robodata.ask("Who is in Zoolander?").status.value == "unknown"


def test_what_is_a_class_is_not_led_away_from_it(robodata: RoboData) -> None:
    answer = robodata.ask("Which states are constitutional monarchies?")
    assert _labels(answer) == {"Norway", "Thailand", "Morocco"}


def test_in_behind_a_verb_is_of_the_verb(robodata: RoboData) -> None:
    there = _labels(robodata.ask("Who died of lung cancer in Los Angeles?"))
    died = _labels(robodata.ask("Who died in Los Angeles?"))
    assert len(there) >= 2
    assert there < died


def test_not_is_no_part_of_a_relation(robodata: RoboData) -> None:
    asked = "Which member of the Arab League does not have Arabic as an official language?"
    assert _labels(robodata.ask(asked)) == {"Lebanon"}


def test_a_relation_of_a_relative_is_not_passed_over(robodata: RoboData) -> None:
    answer = robodata.ask("Who is the mother of Jack Pratt's stepmother?")
    assert "Anna Faris" not in _labels(answer)


def test_a_name_in_part_is_told(robodata: RoboData) -> None:
    answer = robodata.ask("Who influenced Kant?")
    assert any("Immanuel Kant (Q9312)" in note for note in answer.notes)


def test_a_relation_named_has_something_is_named_by_that(tmp_path: Path) -> None:
    from robodata_core.sources._loader import load_files

    facts = tmp_path / "kb.txt"
    facts.write_text("Blue Dawn|has_critic_score|7.5\nBlue Dawn|made_by|Ada Moss\n", "utf-8")
    load_files([facts], tmp_path / "snapshot", name="scores")
    with RoboData.open(source=f"snapshot:{tmp_path / 'snapshot'}") as robodata:
        answer = robodata.ask("What is the score of Blue Dawn?")
        assert [str(result.label) for result in answer.results] == ["7.5"]


@pytest.mark.parametrize(
    ("question", "one", "other", "doubled"),
    [
        ("those were released in which years", {2}, {2, 3, 4, 5}, True),
        ("those were released in which years", {2}, {5}, True),
        ("who is the father of the father of X", {3}, {6}, False),
        ("who is X's mother's mother", {4}, {6}, False),
        ("who are the grandparents of X", {3}, {3}, False),
    ],
)
def test_two_phrases_for_one_step_are_one_step(
    question: str, one: set[int], other: set[int], doubled: bool
) -> None:
    hop = (("P1", Direction.OUT),)
    path = tuple(EdgeUse(hop, span=frozenset(span)) for span in (one, other))
    candidate = Candidate((), "n0", (), edges=path)
    assert doubles(candidate, tokenize(question)) is doubled
