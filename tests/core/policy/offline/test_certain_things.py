"""What is usual for a kind of things is not said of certain ones; what a tool can do, it does."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from robodata_core import RoboData
from robodata_core.model import AnswerStatus


@pytest.fixture(scope="module")
def home() -> Iterator[RoboData]:
    with RoboData.open(source="snapshot:household") as robodata:
        yield robodata


@pytest.mark.parametrize(
    "question",
    [
        "Is the cup in the kitchen?",
        "Is the red cup in the kitchen?",
        "Are my cups in the kitchen?",
        "Is a cup in the kitchen right now?",
        "Is the cup dirty?",
    ],
)
def test_certain_things_are_not_what_is_usual(home: RoboData, question: str) -> None:
    answer = home.ask(question)
    assert answer.status in (AnswerStatus.PARTIAL, AnswerStatus.UNKNOWN)
    assert not answer.results


def test_a_kind_is_what_is_usual_for_it(home: RoboData) -> None:
    assert [item.value for item in home.ask("Are cups kept in the kitchen?").results] == [True]


def test_a_knife_slices_and_is_not_sliced(home: RoboData) -> None:
    answer = home.ask("Can a knife slice a strawberry?")
    assert [item.value for item in answer.results] == [True]
    assert "Knife can slice strawberry" in answer.claims[0].text
    assert home.ask("Can a strawberry slice a knife?").status is AnswerStatus.UNKNOWN


def test_things_in_a_room_are_not_all_things(home: RoboData) -> None:
    some = home.ask("Which things in a kitchen are breakable?").results
    assert 0 < len(some) < len(home.ask("Which things are breakable?").results)
