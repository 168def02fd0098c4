"""Whether something is of a class is asked of the thing, with a noun for the class."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from robodata_core import RoboData


@pytest.fixture(scope="module")
def household() -> Iterator[RoboData]:
    with RoboData.open(source="snapshot:household") as robodata:
        yield robodata


@pytest.mark.parametrize("question", [
    "Is a stone edible?", "Is a stone breakable?", "Is a rock burnable?", "Is bread furniture?",
])  # fmt: skip
def test_what_is_named_by_no_noun_is_no_class_that_something_is_not_of(
    household: RoboData, question: str
) -> None:
    assert not household.ask(question).results


@pytest.mark.parametrize("question", [
    "Is a tomato a fruit?", "Is a cup a vegetable?", "Are apples vegetables?",
    "Is a fruit an apple?", "Is an apple a kind of tool?",
])  # fmt: skip
def test_a_class_that_a_kind_is_not_stated_to_be_of_is_denied(
    household: RoboData, question: str
) -> None:
    assert [item.value for item in household.ask(question).results] == [False]


@pytest.mark.parametrize("question", [
    "Is an apple a fruit?", "Are apples fruits?", "Is a tuck edible?", "Is an egg breakable?",
    "Is a broom used for cleaning?",
])  # fmt: skip
def test_what_is_stated_of_a_kind_is_so(household: RoboData, question: str) -> None:
    assert [item.value for item in household.ask(question).results] == [True]
