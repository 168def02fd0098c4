"""What is kept back because the answer would be one to another question."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from robodata_core.api import RoboData
from robodata_core.model import AnswerStatus


@pytest.fixture(scope="module")
def both() -> Iterator[dict[str, RoboData]]:
    with (
        RoboData.open(source="snapshot:household") as household,
        RoboData.open(source="snapshot:world") as world,
    ):
        yield {"household": household, "world": world}


@pytest.mark.parametrize(
    ("source", "question"),
    [
        # That a kitchen is no knife, and a bathroom no cup, is not what is asked.
        ("household", "Is a knife in the kitchen?"),
        ("household", "Can I put a knife in the dishwasher?"),
        # Kinds of towels are not what towels are for.
        ("household", "What is a towel used for?"),
        # Only a word of these names is in the question.
        ("world", "Who wrote The Hobbit?"),
        ("world", "What kind of animal is a dolphin?"),
        # The film Oscar is nothing that could be won.
        ("world", "Did Leonardo DiCaprio win an Oscar?"),
    ],
)
def test_what_was_not_asked_is_no_answer(
    both: dict[str, RoboData], source: str, question: str
) -> None:
    answer = both[source].ask(question)
    assert answer.status is AnswerStatus.UNKNOWN
    assert answer.results == ()
    assert answer.missing


def test_a_walk_that_leads_back_is_no_answer(both: dict[str, RoboData]) -> None:
    answer = both["household"].ask("What is a bowl?")
    assert "vessel" in [item.label for item in answer.results]
    assert "bowl" not in [item.label for item in answer.results]


@pytest.mark.parametrize(
    ("source", "question"),
    [
        ("world", "Did Kubrick direct Jaws?"),
        ("world", "Does Germany border Spain?"),
        ("household", "Is a dog a fruit?"),
    ],
)
def test_a_no_that_rests_on_what_was_asked_is_given(
    both: dict[str, RoboData], source: str, question: str
) -> None:
    assert [item.value for item in both[source].ask(question).results] == [False]
