"""Choosing from what a question offers, wherever it offers it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from robodata_core import RoboData
from robodata_core.model import Answer, AnswerStatus


@pytest.fixture(scope="module")
def world() -> Iterator[RoboData]:
    with RoboData.open(source="snapshot:world") as opened:
        yield opened


@pytest.fixture(scope="module")
def household() -> Iterator[RoboData]:
    with RoboData.open(source="snapshot:household") as opened:
        yield opened


def _given(answer: Answer) -> set[object]:
    return {item.label if item.id else item.value for item in answer.results}


@pytest.mark.parametrize(
    ("question", "chosen"),
    [
        ("Which of Italy, Greece and Norway borders France?", {"Italy"}),
        ("Which countries border France: Italy, Greece or Spain?", {"Italy", "Spain"}),
        ("Of Italy, Greece and Norway, which has the euro as its currency?", {"Italy", "Greece"}),
        ("Which of Italy, Greece, Norway and Spain is not a member of the European Union?",
         {"Norway"}),
        ("Which is the capital of Australia, Sydney or Canberra?", {"Canberra"}),
        ("Chile, Brazil, Uruguay - which has the smallest area?", {"Uruguay"}),
    ],
)  # fmt: skip
def test_one_is_chosen_of_what_is_offered(
    world: RoboData, question: str, chosen: set[object]
) -> None:
    answer = world.ask(question)
    assert answer.status is AnswerStatus.ANSWERED
    assert _given(answer) == chosen


def test_what_is_offered_is_counted(world: RoboData) -> None:
    answer = world.ask("How many of Italy, Greece and Spain border France?")
    assert _given(answer) == {2}


def test_where_one_alone_is_not_told_of_it_is_likely(household: RoboData) -> None:
    answer = household.ask("Milk, salt, lettuce and fish: which is not perishable?")
    assert answer.status is AnswerStatus.PARTIAL
    assert _given(answer) == {"salt"}
    assert "does not state" in answer.text


def test_where_it_is_told_of_none_nothing_is_chosen(household: RoboData) -> None:
    answer = household.ask("Which of brick, hammer and spoon is not perishable?")
    assert answer.status is AnswerStatus.UNKNOWN


def test_what_is_true_of_none_that_is_offered_is_no_choice(world: RoboData) -> None:
    answer = world.ask("Which of France and Germany is the capital of Spain?")
    assert not {"France", "Germany"} & _given(answer)


def test_names_that_are_asked_about_are_not_offered(world: RoboData) -> None:
    answer = world.ask("Which countries border France and Germany?")
    assert _given(answer) == {"Belgium", "Luxembourg", "Switzerland"}
