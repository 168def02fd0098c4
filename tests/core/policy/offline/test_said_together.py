"""What is said before a question, and of several at once, over everyday knowledge."""

from __future__ import annotations

import pytest

from robodata_core import RoboData
from robodata_core.model import Answer, AnswerStatus


def _labels(answer: Answer) -> set[str]:
    return {item.label for item in answer.results}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("The Gambia is nice. What currency do they use there?", {"dalasi"}),
        ("I'm flying to the Gambia, what money do they use there?", {"dalasi"}),
        ("We're going to Spain next week - what is its capital?", {"Madrid"}),
        ("My son reads about Albert Einstein and wants to know where he was born.", {"Ulm"}),
        ("Paris is great. What country is it in?", {"France"}),
    ],
)
def test_a_pronoun_is_the_name_before_it(
    world: RoboData, question: str, expected: set[str]
) -> None:
    assert _labels(world.ask(question)) == expected


@pytest.mark.parametrize(
    "question",
    [
        "Tom Hanks met Brad Pitt. Where was he born?",
        "I know Ira Gershwin wrote lyrics with his brother, but what was the brother's name?",
        "I was born in Paris. Who is the zorb there?",
    ],
)
def test_what_may_be_another_is_left_open(world: RoboData, question: str) -> None:
    assert world.ask(question).status is AnswerStatus.UNKNOWN


def test_several_have_one_each(world: RoboData) -> None:
    assert _labels(world.ask("Where were Mozart and Beethoven born?")) == {"Salzburg", "Bonn"}
    both = world.ask("Who directed Titanic and Inception?")
    assert _labels(both) == {"James Cameron", "Christopher Nolan"}


@pytest.mark.parametrize(
    "question",
    [
        "Were Mozart and Beethoven both composers?",
        "Which films did Brad Pitt and Tom Hanks play in?",
    ],
)
def test_what_several_share_is_not_what_one_has(world: RoboData, question: str) -> None:
    assert world.ask(question).status is AnswerStatus.UNKNOWN


def test_not_in_the_same_place(world: RoboData) -> None:
    answer = world.ask("Were Mozart and Beethoven born in the same city?")
    assert [item.value for item in answer.results] == [False]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who is the head of state of Germany?", "Frank-Walter Steinmeier"),
        ("Which country in Africa has the most people?", "Nigeria"),
    ],
)
def test_phrases_go_before_what_only_looks_like_a_name(
    world: RoboData, question: str, expected: str
) -> None:
    assert expected in _labels(world.ask(question))


@pytest.mark.parametrize(
    ("question", "holds"),
    [
        ("Is Rome the capital of Italy and is Madrid the capital of Spain?", True),
        ("Is Rome the capital of Italy and is Paris the capital of Spain?", False),
        ("Does Poland border Germany and Ukraine?", True),
        ("Does Poland border Germany and Spain?", False),
        ("Does France border both Spain and Italy?", True),
        ("Did Brad Pitt play in Fight Club and Titanic?", False),
        ("Is Paris the capital of France and Italy?", False),
    ],
)
def test_what_is_asked_at_once_has_one_verdict(world: RoboData, question: str, holds: bool) -> None:
    answer = world.ask(question)
    assert [item.value for item in answer.results] == [holds], answer.text
    assert len(answer.results[0].claims) >= (2 if holds else 1)


@pytest.mark.parametrize(
    "question", ["Did Mozart and Beethoven marry?", "Does Poland border Germany and the zorb?"]
)
def test_one_that_is_not_known_leaves_all_open(world: RoboData, question: str) -> None:
    assert world.ask(question).status is AnswerStatus.UNKNOWN
