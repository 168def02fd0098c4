"""What follow-ups point to: what was counted, described or said of any, or nothing at all."""

from __future__ import annotations

import re

import pytest

from robodata_core import RoboData
from robodata_core.events import QuestionUnderstood, RunEvent
from robodata_core.model import AnswerStatus


def understood(robodata: RoboData, *questions: str) -> list[str]:
    """Return what each question was understood as; itself where it stood alone."""
    talk = robodata.conversation()
    return [talk.ask(question).understood_as or question for question in questions]


def test_they_are_the_things_that_were_counted(sample: RoboData, world: RoboData) -> None:
    # Both ends of the relation are as many: the claim names those that were counted.
    talk = sample.conversation()
    talk.ask("How many Italian cities are twinned with Japanese cities?")
    counted = _set(talk.ask("Which of them are capitals?").understood_as)
    assert len(counted) == 18
    assert counted[0] == "Q220"  # Rome
    # Several relations lead to what was counted: each alone reaches only some of them.
    talk = world.conversation()
    talk.ask("How many countries are in Asia?")
    asked = talk.ask("What are their capitals?").understood_as
    assert asked.startswith("What are the capitals of these ")
    assert {"Q17", "Q148"} <= set(_set(asked))
    assert "Q48" not in _set(asked)


def _set(text: str) -> list[str]:
    return re.findall(r"Q\d+", text)


@pytest.mark.parametrize(
    "questions",
    [
        ("Is Olof Palme a friend of Zork Blim?", "Which of them are writers?"),
        ("Is Olof Palme older than Douglas Adams?", "Is Jane Belson one of them?"),
    ],
)
def test_a_word_that_still_points_back_is_never_asked_as_typed(
    sample: RoboData, questions: tuple[str, str]
) -> None:
    talk = sample.conversation()
    answer = [talk.ask(question) for question in questions][-1]
    assert answer.status is AnswerStatus.UNKNOWN
    assert answer.text == "What “them” stands for was not understood. Please ask with a name."
    assert not talk.turns[-1].ran


def test_what_was_counted_and_is_not_known_one_by_one_is_not_pointed_to(world: RoboData) -> None:
    talk = world.conversation()
    talk.ask("Which countries border Germany?")
    counted = talk.ask("How many films have a director?")
    assert counted.status is AnswerStatus.ANSWERED
    for question, word in (
        ("What are their genres?", "their"),
        ("Which of them are long?", "of them"),
    ):
        told = talk.ask(question).text
        assert told == f"What “{word}” stands for was not understood. Please ask with a name."


def test_a_set_that_is_too_large_is_said_to_be_cut(world: RoboData) -> None:
    talk = world.conversation()
    talk.ask("How many people are citizens of the United States?")
    told: list[RunEvent] = []
    answer = talk.ask("What are their occupations?", on_event=told.append)
    reasons = next(e.rewriting.reasons for e in told if isinstance(e, QuestionUnderstood))
    cut = re.search(r"“their” is the first (\d+) of [\d,]+ things named before", " ".join(reasons))
    assert cut is not None and 20 < int(cut[1]) <= 200
    # As many are written into the question as it has room for, and it is answered.
    assert answer.results and f"these {cut[1]} (" in answer.understood_as
    assert answer.understood_as.count(", ") == int(cut[1]) - 1


def test_a_noun_before_a_verb_says_what_is_counted(world: RoboData) -> None:
    asked = "How many films are from the United States?"
    assert understood(world, "Which countries border Germany?", asked)[-1] == asked


@pytest.mark.parametrize(
    "asked",
    [
        "Who wrote the novel Dracula?",
        "Who directed the film Blade Runner?",
        "Which country has Canberra as its capital?",
        "Which countries have Spanish as their official language?",
    ],
)
def test_what_says_itself_what_is_meant_points_to_nothing(world: RoboData, asked: str) -> None:
    before = ("Where was Douglas Adams born?", "Which countries border Germany?")
    assert understood(world, *before, asked)[-1] == asked
    assert understood(world, "Who directed Titanic?", asked)[-1] == asked


def test_where_to_start_is_not_asked_of_what_was_named_before(world: RoboData) -> None:
    explored = "Explore the ontology: which classes are there?"
    assert understood(world, "When was NATO founded?", explored)[-1] == explored
    # What leaves open of what it is asked still takes it over.
    follow = understood(world, "When was Titanic released?", "Who is the director?")[-1]
    assert follow == "Who is the director of Titanic (Q44578)?"


_DESCRIBED = "What is the population of the country whose capital is Rome?"


@pytest.mark.parametrize(
    ("first", "then", "whole"),
    [
        (_DESCRIBED, "What is its population?", "What is the population of Italy (Q38)?"),
        (_DESCRIBED, "And of France?", "What is the population of France (Q142)?"),
        (
            _DESCRIBED,
            "And of Milan?",
            "What is the population of the country whose capital is Milan (Q490)?",
        ),
        (
            "Who is the head of state of the country whose capital is Rome?",
            "And of France?",
            "Who is the head of state of France (Q142)?",
        ),
    ],
)
def test_a_thing_that_is_only_described_is_pointed_to_and_replaced_as_if_named(
    world: RoboData, first: str, then: str, whole: str
) -> None:
    assert understood(world, first, then)[-1] == whole


def test_it_is_any_thing_of_a_kind() -> None:
    with RoboData.open(source="snapshot:household") as robodata:
        talk = robodata.conversation()
        talk.ask("Where does a knife belong?")
        talk.ask("And a plate?")
        answer = talk.ask("What is it made of?")
    assert answer.understood_as == "What is a plate made of?"
    assert answer.status is AnswerStatus.ANSWERED


def test_what_a_question_begins_with_goes_before_what_was_said(world: RoboData) -> None:
    talk = world.conversation()
    talk.ask("Who is the wife of John Lennon?")
    answer = talk.ask("The Beatles, what label were they on?")
    assert not answer.understood_as
    assert "EMI" in {item.label for item in answer.results}
    assert "Yoko Ono" not in answer.text
