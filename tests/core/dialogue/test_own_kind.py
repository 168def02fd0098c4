"""Questions with a noun of their own after a set: of the set where it calls them, else alone."""

from __future__ import annotations

import re

import pytest

from robodata_core import RoboData
from robodata_core.model import Answer, AnswerStatus

_FILMS = "Which films did Christopher Nolan direct?"


def asked(robodata: RoboData, *questions: str) -> list[Answer]:
    talk = robodata.conversation()
    return [talk.ask(question) for question in questions]


@pytest.mark.parametrize(
    "question",
    [
        "How many films are there?",
        "How many are there?",
        "How many of them are there?",
        "How many are they?",
        "How many things are there?",
    ],
)
def test_the_last_answer_is_counted_by_what_it_is_called_or_by_no_noun(
    world: RoboData, question: str
) -> None:
    answer = asked(world, _FILMS, question)[-1]
    assert [item.value for item in answer.results] == [8]


@pytest.mark.parametrize("noun", ["planets", "countries", "actors", "unicorns"])
def test_another_noun_counts_nothing_of_the_last_answer(world: RoboData, noun: str) -> None:
    answer = asked(world, _FILMS, f"How many {noun} are there?")[-1]
    assert not answer.understood_as
    assert "Inception" not in answer.text
    assert [item.value for item in answer.results] != [8]


def test_a_noun_that_is_also_a_verb_is_a_noun_before_a_verb(world: RoboData) -> None:
    capitals = "What is the capital of the country where Mozart was born?"
    answer = asked(world, capitals, "Which films star Christian Bale?")[-1]
    assert not answer.understood_as
    assert "The Prestige" in answer.text


def test_what_was_seen_is_counted_by_its_own_noun(flat: RoboData) -> None:
    rooms, cups, again = asked(
        flat, "What rooms are there?", "How many cups are there?", "How many rooms are there?"
    )
    assert len(rooms.results) == 2
    assert [item.value for item in cups.results] == [3]
    assert [item.value for item in again.results] == [2]
    of_several_kinds = asked(flat, "What is in the bathroom?", "How many towels are there?")
    assert [item.value for item in of_several_kinds[-1].results] == [1]


@pytest.mark.parametrize(
    "question",
    [
        "Which is the most populous country in Africa?",
        "Which is the longest river in the world?",
        "Which is the longest river?",
        "Which is the oldest university in Europe?",
        "Which is the largest city in Canada?",
    ],
)
def test_a_noun_of_another_kind_stands_alone(world: RoboData, question: str) -> None:
    answer = asked(world, _FILMS, "Who is Nelson Mandela?", _FILMS, question)[-1]
    assert not answer.understood_as.startswith("Which of these")
    assert "Nolan" not in answer.understood_as
    if "populous" in question:
        assert [item.label for item in answer.results] == ["Nigeria"]


@pytest.mark.parametrize("question", ["Which is the oldest?", "Which is the longest film?"])
def test_a_noun_that_calls_the_set_or_none_is_asked_of_it(world: RoboData, question: str) -> None:
    answer = asked(world, _FILMS, question)[-1]
    assert re.match(r"Which of these 8 \([^)]*\bQ25188, ", answer.understood_as)


def test_what_is_somewhere_is_not_asked_of_what_was_named(world: RoboData, flat: RoboData) -> None:
    river = "Which is the longest river in the world?"
    assert not asked(world, "Which countries are in Africa?", river)[-1].understood_as
    assert not asked(flat, "Where am I?", "And what is in the bathroom?")[-1].understood_as
    # What has a director says of what it is asked only where it is named.
    follow = asked(world, "When was Titanic released?", "Who is the director?")[-1]
    assert follow.understood_as == "Who is the director of Titanic (Q44578)?"


def test_a_capital_alone_makes_no_name(world: RoboData) -> None:
    first = ("To whom is Angelina Jolie married?", "And To whom is Brad Pitt married?")
    said = asked(world, *first, "I meant To whom is Zork Blim married?")[-1]
    assert said.understood_as == "And To whom is Zork Blim married?"
    her = asked(world, *first, "And to whom is she married?")[-1]
    assert her.understood_as == "To whom is Angelina Jolie (Q13909) married?"
    flat = asked(world, "What besides Canada (Q16) is there?", "And what is in the kitchen?")
    assert not flat[-1].understood_as
    assert flat[-1].status is AnswerStatus.ANSWERED
