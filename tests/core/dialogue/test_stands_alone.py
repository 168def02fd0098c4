"""What a question says itself, it is not told by the turn before: a class, things, a choice."""

from __future__ import annotations

import pytest

from robodata_core import RoboData

_FILM = "Who directed Annie Hall?"
_COUNTRIES = "Which countries border Germany?"
_MOUNTAINS = "Which mountains are in Nepal?"


def understood(robodata: RoboData, *questions: str) -> str:
    talk = robodata.conversation()
    return [talk.ask(question) for question in questions][-1].understood_as


@pytest.mark.parametrize(
    ("before", "question"),
    [
        # A superlative picks from the class that is asked for.
        (_FILM, "Which country has the largest population?"),
        ("How many countries border Germany?", "Which country has the largest population?"),
        (_FILM, "Which country is largest?"),
        (_COUNTRIES, "Which mountain is the highest?"),
        (_FILM, "What is the country with the second largest population?"),
        (_FILM, "Longest river in the world?"),
        (_FILM, "Who has the most children?"),
        (_COUNTRIES, "Which film won the most awards?"),
        # What to choose from is said, in whatever place.
        (_COUNTRIES, "Which is larger by area, Spain or France?"),
        (_COUNTRIES, "Which is larger Spain or France?"),
        (_COUNTRIES, "Which one is older, Harvard University or Yale University?"),
        (_COUNTRIES, "Which of the two is larger, Norway or Sweden?"),
        (_COUNTRIES, "Which of these is heavier, gold or silver?"),
        # A name in small letters is a name.
        (_FILM, "What is the atomic number of gold?"),
        (_FILM, "How tall is the eiffel tower?"),
    ],
)
def test_what_says_all_that_it_asks_stands_alone(
    world: RoboData, before: str, question: str
) -> None:
    assert understood(world, before, question) == ""


@pytest.mark.parametrize(
    ("before", "question", "meant"),
    [
        (_COUNTRIES, "Which is the largest?", "Which of these 9 "),
        (_COUNTRIES, "Which one is the oldest?", "Which of these 9 "),
        (_COUNTRIES, "Which has the largest population?", "Which of these 9 "),
        (_COUNTRIES, "Which country is the largest?", "Which of these 9 "),
        (_MOUNTAINS, "Which mountain is the highest?", "Which of these 11 "),
        ("Who are the members of The Beatles?", "Who has the most children?", "Who of these 6 "),
        # None of these offers what to choose from.
        (_COUNTRIES, "Which are in the EU or NATO?", "Which of these 9 "),
        (_COUNTRIES, "Which are larger than Austria or Poland?", "Which of these 9 "),
        (
            "What is the capital of Italy?",
            "Which is larger, it or Milan?",
            "Which is larger, Rome ",
        ),
        # What picks from nothing by itself is asked of what was spoken of.
        (
            "When was Coldplay formed?",
            "Which album was the first?",
            "Which album was the first of ",
        ),
        (
            "What is the capital of Japan?",
            "What is the highest point?",
            "What is the highest point ",
        ),
        ("What is the capital of France?", "What about its capital?", "What is the capital of Fra"),
    ],
)
def test_what_leaves_open_of_what_it_is_asked_follows(
    world: RoboData, before: str, question: str, meant: str
) -> None:
    assert understood(world, before, question).startswith(meant)
