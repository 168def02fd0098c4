"""Names with what introduces them: it says which one is meant and asks for nothing."""

from __future__ import annotations

import pytest

from robodata_core import RoboData
from robodata_core.model import Answer, AnswerStatus


def _labels(answer: Answer) -> set[str]:
    return {item.label for item in answer.results}


@pytest.mark.parametrize(
    ("question", "plain"),
    [
        ("Where was the English author Douglas Adams born?", "Where was Douglas Adams born?"),
        ("which instrument does the french singer renaud play", "What does Renaud play?"),
        ("What nationality is Carole Laure, the actress?", "What nationality is Carole Laure?"),
        ("Where was Beethoven, the composer, born?", "Where was Beethoven born?"),
        ("Was the German composer Beethoven born in Bonn?", "Was Beethoven born in Bonn?"),
        ("Who directed the 1997 film Titanic?", "Who directed Titanic?"),
        ("Who directed Alien, the 1979 horror film?", "Who directed Alien?"),
        ("What is the nationality of the writer Kafka?", "What is the nationality of Kafka?"),
        ("What is the capital of the South American country Peru?", "What is the capital of Peru?"),
    ],
)
def test_it_changes_nothing(world: RoboData, question: str, plain: str) -> None:
    said, bare = world.ask(question), world.ask(plain)
    assert _labels(bare) and bare.status is not AnswerStatus.UNKNOWN
    assert _labels(said) == _labels(bare), said.text


@pytest.mark.parametrize(
    "question",
    [
        "Where was the American author Douglas Adams born?",
        "Was the Austrian composer Beethoven born in Bonn?",
        "Who directed the 1953 film Titanic?",
        "Who produced Tom Jones, the 1999 comedy?",
        "Was Daniel Handler influenced by the American writer Dino Buzzati?",
    ],
)
def test_what_is_not_so_is_not_passed_over(world: RoboData, question: str) -> None:
    assert world.ask(question).status is AnswerStatus.UNKNOWN


def test_what_is_asked_for_is_no_introduction(world: RoboData) -> None:
    assert _labels(world.ask("What is the country Paris is in?")) == {"France"}
    assert "Spanish" in _labels(world.ask("What is the language Spain speaks?"))


@pytest.mark.parametrize(
    "question",
    [
        "Is Colombia a republic?",
        "Is Jared Leto a human?",
        "Is Paris a city in France?",
        "Would you say Liechtenstein is a unitary state?",
    ],
)
def test_what_a_name_is_asked_to_be_is_no_introduction(world: RoboData, question: str) -> None:
    assert [item.value for item in world.ask(question).results] == [True]


@pytest.mark.parametrize(
    "question", ["Is Inception in Joseph Gordon-Levitt?", "Is Tom Hanks in Hamburg?"]
)
def test_a_small_word_is_no_relation_to_things_of_another_kind(
    world: RoboData, question: str
) -> None:
    assert world.ask(question).status is AnswerStatus.UNKNOWN


def test_what_a_country_is_asked_to_be_is_no_relation_of_those_who_live_there(
    world: RoboData,
) -> None:
    assert world.ask("Is Brazil a Spanish-speaking country?").status is AnswerStatus.UNKNOWN


def test_a_year_is_asked_for_in_a_clause_too(world: RoboData) -> None:
    answer = world.ask("I was wondering what year Albert Einstein died in.")
    assert "Princeton" not in _labels(answer)
    zone = world.ask("I wonder what time zone Minnesota is in")
    assert zone.status is not AnswerStatus.UNKNOWN


def test_one_of_a_kind_is_of_that_kind(world: RoboData) -> None:
    assert [one.value for one in world.ask("Did Winston Churchill win a Nobel Prize?").results] == [
        True
    ]
    assert world.ask("Did Tom Hanks win a Nobel Prize?").status is AnswerStatus.UNKNOWN


@pytest.mark.parametrize(
    ("year", "director"), [("1960", "Alfred Hitchcock"), ("1998", "Gus Van Sant"), ("1931", None)]
)
def test_a_year_says_which_of_those_of_one_name_is_meant(
    world: RoboData, year: str, director: str | None
) -> None:
    answer = world.ask(f"Who directed the {year} film Psycho?")
    assert _labels(answer) == ({director} if director else set())


@pytest.mark.parametrize(
    ("question", "holds"),
    [
        ("Was Joseph Gordon-Levitt in Inception?", True),
        ("Is Brad Pitt in Fight Club?", True),
        ("Was Tom Hanks in Inception?", False),
        ("Is Berlin in Germany?", True),
    ],
)
def test_who_plays_in_something_is_in_it(world: RoboData, question: str, holds: bool) -> None:
    assert [item.value for item in world.ask(question).results] == [holds]
