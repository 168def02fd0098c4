"""Simple questions in other people's words: short, wordy, with verbs before their subjects."""

from __future__ import annotations

import pytest

from robodata_core.model import AnswerStatus
from robodata_core.policy.offline.date_parts import named_part

from .conftest import Ask


@pytest.mark.parametrize(
    ("question", "label"),
    [
        ("olof palme death year", "1986"),
        ("Olof Palme: year of birth?", "1927"),
        ("The year in which Olof Palme died?", "1986"),
        ("month of Olof Palme's death", "February 1986"),
        ("hey robot, whats this toothbrush made out of?", "plastic"),
        ("Number of member states of OHADA?", "at least 16"),
    ],
)
def test_one_answer_in_other_words(ask: Ask, question: str, label: str) -> None:
    answer = ask(question)
    assert answer.status is AnswerStatus.ANSWERED
    assert [value.label for value in answer.results] == [label]
    assert all(claim.support for claim in answer.claims)


@pytest.mark.parametrize(
    ("question", "plain"),
    [
        ("famous people born in Hamburg", "Who was born in Hamburg?"),
        ("what stuff do i find in the bathroom", "Which objects are in the bathroom?"),
    ],
)  # fmt: skip
def test_it_means_the_plain_question(ask: Ask, question: str, plain: str) -> None:
    answer, other = ask(question), ask(plain)
    assert answer.status is AnswerStatus.ANSWERED
    assert {v.label for v in answer.results} == {v.label for v in other.results}


@pytest.mark.parametrize(
    "question",
    [
        "who was a Democrat and later a Republican?",  # in which order is not stated
        "When was Albert Einstein murdered?",
        "Who has the same birth year as Olof Palme?",
        "dangerous things",
        "tall people from Hamburg",
    ],
)
def test_what_is_not_understood_is_not_answered(ask: Ask, question: str) -> None:
    assert ask(question).status is AnswerStatus.UNKNOWN


@pytest.mark.parametrize(
    ("text", "asked", "precision"),
    [
        ("birth year of Ann Ash", "When was Ann Ash born?", 9),
        ("what is Ann Ash's year of death", "When did Ann Ash die?", 9),
        ("the founding year of Acme", "When was Acme founded?", 9),
        ("Ann Ash birth month", "When was Ann Ash born?", 10),
        ("year when Acme was founded", "When was Acme founded?", 9),
    ],
)
def test_a_part_of_a_date_is_named(text: str, asked: str, precision: int) -> None:
    assert named_part(text) == (asked, precision)


@pytest.mark.parametrize(
    "text",
    [
        "is 1986 the death year of Ann Ash",
        "who has the same birth year as Ann Ash",
        "which of them has the latest birth year",
        "how many people share a birth year",
    ],
)
def test_a_year_that_is_compared_is_not_asked_for(text: str) -> None:
    assert named_part(text) is None
