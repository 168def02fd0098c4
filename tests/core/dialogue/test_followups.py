"""Follow-ups of the shape of ConvQuestions stand alone, on graphs that know their names or not."""

from __future__ import annotations

import pytest

from robodata_core import RoboData
from tests.core.dialogue.followups import measure


@pytest.mark.parametrize("first", [0, 3])
def test_follow_ups_are_made_to_stand_alone(first: int) -> None:
    counts = measure(first=first, every=6)
    by_mark = {mark: counts["all", mark] for mark in ("right", "wrong", "unknown")}
    whole = sum(by_mark.values())
    assert whole >= 40
    assert by_mark["right"] / whole >= 0.85, by_mark
    assert by_mark["wrong"] / whole <= 0.05, by_mark


def test_a_name_that_no_graph_knows_is_carried_as_text(sample: RoboData) -> None:
    talk = sample.conversation()
    talk.ask("Who wrote The Ember Throne?")
    asked = ("when was he born?", "genre?", "Who is the publisher?", "What about Gone Harbour?")
    assert [talk.ask(question).understood_as for question in asked] == [
        "When was the one who wrote The Ember Throne born?",
        "What is the genre of The Ember Throne?",
        "Who is the publisher of The Ember Throne?",
        "Who is the publisher of Gone Harbour?",
    ]


def test_a_question_about_nothing_named_before_stands_alone(sample: RoboData) -> None:
    talk = sample.conversation()
    talk.ask("What is the capital of Canada?")
    for question in (
        "Which countries are there?",
        "Who was born in 1952?",
        "What is a mammal?",
        "Who is the head of state of the country whose capital is Ottawa?",
    ):
        assert talk.ask(question).understood_as == ""
