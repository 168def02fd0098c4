"""Questions of two facts told one after the other, and words of origin on what is asked for.

Asked of the embedded sample.
"""

from __future__ import annotations

import pytest

from robodata_core.model import AnswerStatus
from robodata_core.policy.offline.origin import of_origin, within

from .conftest import Ask


@pytest.mark.parametrize(
    ("question", "first", "many"),
    [
        ("To whom was the founder of Motown married at one time?", "Diana Ross", 1),
        ("Sweden lost one of its prime ministers to a murder. Whom?", "Olof Palme", 1),
        ("Which Swedish prime minister was assassinated?", "Olof Palme", 1),
        ("Was Olof Palme murdered?", "yes", 1),
        ("In which German federal state is the town where Veltins Brewery has its seat?",
         "North Rhine-Westphalia", 1),
        ("The Veltins brewery sits in a town, and that town is in which district?",
         "Hochsauerlandkreis", 1),
        ("For which of Ted Kennedy's siblings are no children recorded?", "Rosemary Kennedy", 4),
        ("Which of Ted Kennedy's siblings died childless?", "Rosemary Kennedy", 4),
        ("Of all the sons and daughters of Joseph P. Kennedy Sr., who had the most children?",
         "Robert F. Kennedy", 1),
        ("One of John F. Kennedy's sisters married the actor Peter Lawford. Which one was it?",
         "Patricia Kennedy Lawford", 1),
        ("Which of Arnold Schwarzenegger's children was not Maria Shriver's?", "Joseph Baena", 1),
        ("Which illness is stated as the cause of death more often than any other?",
         "myocardial infarction", 1),
        ("How many of the people who were born in Paris also died there?", "at least 11", 1),
        ("Sci-fi writers who are atheists: how many of them are there?", "at least 19", 1),
        ("of the stuff that lives in the kitchen, which is steel", "fork", 3),
    ],
)  # fmt: skip
def test_two_facts(ask: Ask, question: str, first: str, many: int) -> None:
    answer = ask(question)
    assert answer.status is AnswerStatus.ANSWERED
    labels = ["yes" if one.value is True else one.label for one in answer.results]
    assert first in labels
    assert len(labels) == many


@pytest.mark.parametrize(
    "question",
    [
        "In which French federal state is the town where the Veltins brewery has its seat?",
        "Which Norwegian prime minister was murdered?",
        "Which city is given as the cause of death most often?",
    ],
)
def test_what_does_not_hold_is_not_passed_over(ask: Ask, question: str) -> None:
    assert ask(question).status is not AnswerStatus.ANSWERED


def test_a_word_of_origin_is_known_by_its_capital() -> None:
    asked = within("In which German state is Meschede?")
    assert asked is not None
    assert asked.text == "In which state is Meschede?"
    assert "Germany" in asked.places
    assert within("In which federal state is Meschede?") is None
    assert within("Which german is a state of mind?") is None
    (only,) = of_origin("Which writers were native Londoners?")
    assert only[0] == "Which writers were born in London?"
    assert not list(of_origin("Which writers were native speakers?"))
