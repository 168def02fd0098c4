"""What is denied of things, over the embedded world, which states little of many of them."""

from __future__ import annotations

import pytest

from robodata_core import RoboData
from robodata_core.model import Answer, AnswerStatus, EntityValue


def _ids(answer: Answer) -> set[str]:
    assert answer.status is AnswerStatus.ANSWERED, answer.text
    return {item.value.id for item in answer.results if isinstance(item.value, EntityValue)}


@pytest.mark.parametrize(
    ("denied", "stated"),
    [
        ("Which European countries are not members of NATO?", "Which countries are in NATO?"),
        ("Which countries do not border France?", "Which countries border France?"),
    ],
)
def test_nothing_is_denied_that_is_stated(world: RoboData, denied: str, stated: str) -> None:
    rest, those = _ids(world.ask(denied)), _ids(world.ask(stated))
    assert len(rest) > 10
    assert len(those) > 3
    assert rest.isdisjoint(those)


@pytest.mark.parametrize("country", ["France", "Germany", "Peru"])
def test_a_capital_of_something_is_a_capital(world: RoboData, country: str) -> None:
    rest = _ids(world.ask("Which cities are not capitals?"))
    assert len(rest) > 10
    assert rest.isdisjoint(_ids(world.ask(f"What is the capital of {country}?")))


@pytest.mark.parametrize(
    "question",
    [
        "Which country does not border the sea?",  # two of them are stated to
        "Which films were not directed by an American?",
    ],
)
def test_where_next_to_nothing_is_stated_nothing_is_denied(world: RoboData, question: str) -> None:
    assert world.ask(question).status is AnswerStatus.UNKNOWN


def test_what_is_left_is_said_not_to_be_stated(world: RoboData) -> None:
    answer = world.ask("Which countries do not border France?")
    assert "that is not stated to be (any country" in answer.reading
    assert "that is not France" in answer.reading


def test_where_and_who_ask_for_places_and_people(world: RoboData) -> None:
    assert world.ask("Where is Google headquartered?").status is AnswerStatus.UNKNOWN
    people = world.ask("Who won the Academy Award for Best Actor?")
    assert {"Tom Hanks", "Marlon Brando"} <= {item.label for item in people.results}
    assert "American Beauty" not in {item.label for item in people.results}


def test_that_a_relation_leads_anywhere_is_no_yes_to_what_is_offered(world: RoboData) -> None:
    answer = world.ask("Is Ottawa a city or a country?")
    assert True not in [item.value for item in answer.results]


@pytest.mark.parametrize(
    ("question", "holds"),
    [
        ("Is the director of Pan's Labyrinth Mexican?", True),
        ("Was the father of Sofia Coppola American?", True),
        ("Is the official language of Brazil Spanish?", False),
    ],
)
def test_where_somebody_is_from_is_no_thing_that_they_are(
    world: RoboData, question: str, holds: bool
) -> None:
    answer = world.ask(question)
    assert answer.status is AnswerStatus.ANSWERED, answer.text
    assert answer.results[0].value is holds


@pytest.mark.parametrize(
    "question", ["Is the director of Titanic American?", "Is the composer of Titanic German?"]
)
def test_no_director_is_denied_an_origin_for_not_being_a_country(
    world: RoboData, question: str
) -> None:
    assert world.ask(question).status is AnswerStatus.UNKNOWN
