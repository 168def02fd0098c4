"""Readings that leave part of a name, or join two things by a relation that no word says."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from robodata_core import RoboData
from robodata_core.model import Answer, AnswerStatus, EntityValue


@pytest.fixture(scope="module")
def world() -> Iterator[RoboData]:
    with RoboData.open(source="snapshot:world") as robodata:
        yield robodata


def _ids(answer: Answer) -> set[str]:
    return {item.value.id for item in answer.results if isinstance(item.value, EntityValue)}


@pytest.mark.parametrize(
    "question",
    [
        "who wrote the brothers karamazov",  # There is a film "Brothers".
        "the beatles bass player",  # Some who play a bass were influenced by them.
        "Which EU members are island states?",  # "Island" is Iceland in its own language.
    ],
)
def test_what_is_only_guessed_is_not_answered(world: RoboData, question: str) -> None:
    assert world.ask(question).status is AnswerStatus.UNKNOWN


@pytest.mark.parametrize(
    "question", ["Which countries does Tennessee border?", "How many states border Tennessee?"]
)
def test_what_a_verb_has_is_not_walked_on_from(world: RoboData, question: str) -> None:
    assert "Q30" not in _ids(world.ask(question))


def test_what_a_verb_leads_to_may_be_asked_of_by_a_preposition(world: RoboData) -> None:
    assert _ids(world.ask("In which country was Steve Jobs born?")) == {"Q30"}


def test_a_name_in_capitals_is_no_small_word(world: RoboData) -> None:
    assert "Q30" not in _ids(world.ask("In which US state was Steve Jobs born?"))


@pytest.mark.parametrize(
    ("typed", "written"),
    [
        ("what language do ppl speak in brazil", "What language do people speak in Brazil?"),
        (
            "Which is the world's smallest country by area?",
            "Which is the smallest country by area?",
        ),
        ("The mother of Liza Minnelli, who is she?", "Who is the mother of Liza Minnelli?"),
    ],
)
def test_what_is_typed_is_read_as_it_is_written(world: RoboData, typed: str, written: str) -> None:
    found = _ids(world.ask(typed))
    assert found
    assert found == _ids(world.ask(written))
