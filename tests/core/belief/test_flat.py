"""A flat full of things, asked in many words: counts, places, quantities, denial, kinds, time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from robodata_core.api import RoboData
from robodata_core.model import Answer, AnswerStatus, TruthKind
from tests.core.belief.asked_flat import mark, opened, questions

_DATA = Path(__file__).parent / "data"
#: Of these no right answer is told yet, and none that is wrong.
_NOT_YET = {
    "Which of the things you see can be eaten?",
    "Is the chair beside the refrigerator?",
}


def _asked(name: str) -> list[Any]:
    return [pytest.param(text, expected) for text, expected in questions(_DATA / name)]


@pytest.fixture(scope="module")
def flat() -> Iterator[RoboData]:
    with opened() as robodata:
        yield robodata


@pytest.mark.parametrize(
    ("question", "expected"),
    [*_asked("asked.tsv"), *_asked("asked_anew.tsv"), *_asked("asked_built.tsv")],
)
def test_what_is_asked_of_the_flat(flat: RoboData, question: str, expected: str) -> None:
    answer = flat.ask(question)
    told = mark(expected, answer)
    assert told == ("none" if question in _NOT_YET else "right"), answer.text
    if answer.results:
        assert all(claim.support or claim.kind is TruthKind.ABSENT for claim in answer.claims)


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Is there a cup or a bowl on the shelf?", TruthKind.OBSERVED),
        ("Are there both a cup and a plate on the table?", TruthKind.OBSERVED),
        ("Are there at least two cups on the table?", TruthKind.RECKONED),
        ("What is between cup 1 and cup 2?", TruthKind.RECKONED),
        ("Which things are not where they belong?", TruthKind.TYPICAL),
        ("What are the cups on the table made of?", TruthKind.TYPICAL),
        ("What breakable things are on the table?", TruthKind.TYPICAL),
        ("Is a fork missing?", TruthKind.ABSENT),
    ],
)
def test_what_kind_of_truth_is_told(flat: RoboData, question: str, kind: TruthKind) -> None:
    assert flat.ask(question).claims[0].kind is kind


def test_a_yes_to_what_is_not_there_stands_beside_what_is(flat: RoboData) -> None:
    beside = [
        claim
        for claim in flat.ask("Is there no fork on the table?").claims
        if claim.kind is TruthKind.OBSERVED
    ]
    assert beside and all(claim.support for claim in beside)


@pytest.mark.parametrize(
    "question",
    [
        "Is the spoon clean?",
        "Is the towel wet?",
        "Why is the banana in the bathroom?",
        "Who is in the kitchen?",
        "Are there no forks in the garage?",
        "How many cups are in the garage?",
        "Is there no cup on the chair?",
        "What is the farthest cup from the toothbrush?",
    ],
)
def test_what_nobody_has_seen_is_not_told(flat: RoboData, question: str) -> None:
    answer = flat.ask(question)
    assert answer.status is AnswerStatus.UNKNOWN and not answer.results


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Are the knife and the spoon on the table?", "yes"),
        ("Are the knife and the book on the table?", "no"),
        ("Are there fewer bowls than cups?", "yes"),
        ("Are there as many spoons as knives on the table?", "yes"),
        ("Are there at most three cups on the table?", "yes"),
        ("Is everything on the table where it belongs?", "no"),
        ("Is the towel where it belongs?", "yes"),
        ("Is the book not on the table?", "yes"),
        ("Is nothing on the shelf?", "no"),
        ("Are none of the bowls on the table?", "yes"),
        ("Is the knife on a surface?", "yes"),
        ("Is the banana on a surface?", "no"),
        ("How many surfaces are in the bathroom?", "0"),
        ("Which surface has the most things?", "table"),
        ("Which surface has the most things on it?", "table"),
        ("Which rooms have no cup?", "bathroom"),
        ("Which room is without a towel?", "kitchen"),
        ("Are neither the book nor the towel on the table?", "yes"),
        ("Is the knife neither on the table nor on the shelf?", "no"),
        ("When did you last see cup 3?", "14 November 2023, 22:13:20"),
    ],
)
def test_quantities_and_denial(flat: RoboData, question: str, expected: str) -> None:
    assert _told(flat.ask(question)) == {expected}


def _told(answer: Answer) -> set[str]:
    return {item.label for item in answer.results}
