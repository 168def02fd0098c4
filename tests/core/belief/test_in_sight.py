"""What is in sight now, what was seen once, and what says when it was."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from robodata_core.api import RoboData
from robodata_core.model import AnswerStatus
from tests.core.belief.asked_flat import opened


@pytest.fixture(scope="module")
def flat() -> Iterator[RoboData]:
    with opened() as robodata:  # the shelf and the bathroom are out of sight
        yield robodata


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Do you see the knife?", {"yes"}),
        ("Do you see the book?", {"no"}),
        ("Can you see cup 3?", {"no"}),
        ("Is the book visible?", {"no"}),
        ("Is the knife visible?", {"yes"}),
        ("How many cups do you see?", {"2"}),
        ("How many books can you see?", {"0"}),
        ("How many cups have you seen?", {"3"}),
        ("Have you seen the book?", {"yes"}),
        ("Which cups do you see?", {"cup 1", "cup 2"}),
        ("Where is the book right now?", {"shelf", "kitchen"}),
        ("Is the knife on the table at the moment?", {"yes"}),
        ("Is the table empty?", {"no"}),
        ("Which books did you lose sight of?", {"book 1"}),
        ("Is there something on the table that should rather be in the bathroom?", {"yes"}),
        ("What is the thing nearest to the knife?", {"plate 1"}),
        (
            "Where could I find something to drink from on the table?",
            {"cup 1", "cup 2", "bottle 1"},
        ),
        ("Is anybody in the kitchen?", {"no"}),
    ],
)
def test_what_is_seen_is_in_sight(flat: RoboData, question: str, expected: set[str]) -> None:
    answer = flat.ask(question)
    assert {item.label for item in answer.results} == expected, answer.text


@pytest.mark.parametrize(
    "question",
    [
        "Where is the book right now?",
        "Is the bathroom empty?",
        "Is there nothing on the shelf?",
        "Are there no cups on the shelf?",
        "Do you see the book?",
    ],
)
def test_what_rests_on_what_is_out_of_sight_says_so(flat: RoboData, question: str) -> None:
    assert "Last seen 14 November 2023" in flat.ask(question).text


@pytest.mark.parametrize(
    "question",
    [
        "Is the cup on the table empty?",
        "Is the refrigerator empty?",
        "Is there nothing in the cup on the table?",
        "Is there a spoon in the bottle on the table?",
    ],
)
def test_nobody_has_looked_into_what_stands_somewhere(flat: RoboData, question: str) -> None:
    answer = flat.ask(question)
    assert answer.status is AnswerStatus.UNKNOWN and not answer.results
