"""Things that were seen, and of which no pose, or one in another frame, is told."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from robodata_core.api import RoboData
from robodata_core.belief import Pose, Sighting
from robodata_core.model import AnswerStatus
from tests.core.belief.asked_flat import LOOKS, REGIONS, opened
from tests.core.belief.worlds import at

NOWHERE = Pose((0.0, 0.0, 0.0))
"""What a message holds that sets no pose, as those of detectors in pictures."""


@pytest.fixture(scope="module")
def flat() -> Iterator[RoboData]:
    seen = (Sighting("laptop", NOWHERE, 0.9, "laptop_1"), Sighting("cup", NOWHERE, 0.9, "cup_9"))
    with opened(REGIONS, {**LOOKS, 601.0: (*LOOKS[600.0], *seen)}) as robodata:
        yield robodata


@pytest.mark.parametrize(
    "question",
    [
        "Where is the laptop?",
        "Is the laptop in the kitchen?",
        "Is the laptop on the table?",
        "Is there a laptop in the bathroom?",
        "How many laptops are on the table?",
        "Is the laptop in the kitchen or in the bathroom?",
        "Is the laptop not on the table?",
        "Is there no laptop in the kitchen?",
        "Is there a cup in the bathroom?",
        "Are there at least three cups on the table?",
        "Are there fewer than three cups on the table?",
        "Are all cups on the table?",
        "Which cups are not on the table?",
        "Which rooms have no laptop?",
        "Is there a room without a laptop?",
    ],
)
def test_where_it_is_not_is_open(flat: RoboData, question: str) -> None:
    answer = flat.ask(question)
    assert answer.status is AnswerStatus.UNKNOWN, answer.text


@pytest.mark.parametrize(
    ("question", "expected", "whole"),
    [
        ("Is there a cup on the table?", "yes", True),
        ("Are there at least two cups on the table?", "yes", True),
        ("Are there fewer than two cups on the table?", "no", True),
        ("Is there a laptop?", "yes", True),
        ("How many cups are there?", "4", True),
        ("How many cups are on the table?", "2", False),
        ("Is there a fork in the kitchen?", "no", True),
        ("Is the knife in the bathroom?", "no", True),
    ],
)
def test_what_is_known_all_the_same_is_told(
    flat: RoboData, question: str, expected: str, whole: bool
) -> None:
    answer = flat.ask(question)
    assert [str(item.label) for item in answer.results] == [expected], answer.text
    assert answer.status is (AnswerStatus.ANSWERED if whole else AnswerStatus.PARTIAL)


def test_of_the_flat_without_them_all_is_as_before() -> None:
    with opened(REGIONS, {**LOOKS, 601.0: (*LOOKS[600.0], at("cup", 7.0, 2.5))}) as robodata:
        answer = robodata.ask("How many cups are on the table?")
    assert (answer.status, answer.results[0].label) == (AnswerStatus.ANSWERED, "2")
