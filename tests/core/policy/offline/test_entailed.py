"""What an answer must have read of its question: quantifiers, and words that are said twice."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import pytest

from robodata_core import RoboData
from robodata_core.model import Answer, AnswerStatus, EntityValue


@pytest.fixture(scope="module")
def ask() -> Iterator[Callable[[str], Answer]]:
    with RoboData.open(source="snapshot:wikidata-sample") as robodata:
        yield robodata.ask


def _ids(answer: Answer) -> set[str]:
    return {item.value.id for item in answer.results if isinstance(item.value, EntityValue)}


def _is_yes(answer: Answer) -> bool:
    shown = answer.status in (AnswerStatus.ANSWERED, AnswerStatus.PARTIAL)
    return shown and [item.value for item in answer.results] == [True]


@pytest.mark.parametrize(
    ("kind", "adjective"),
    itertools.product(("philosopher", "musician"), ("German", "American")),
)
def test_a_universal_claim_agrees_with_its_exceptions(
    ask: Callable[[str], Answer], kind: str, adjective: str
) -> None:
    exceptions = ask(f"Which {kind}s are not {adjective}?")
    assert _ids(exceptions), "the sample has some"
    for question in (f"Is every {kind} {adjective}?", f"Are all {kind}s {adjective}?"):
        assert not _is_yes(ask(question)), question


@pytest.mark.parametrize("word", ["hardly", "never", "neither", "almost", "only", "nobody but"])
def test_a_yes_reads_every_word_of_number(ask: Callable[[str], Answer], word: str) -> None:
    assert _is_yes(ask("Was Immanuel Kant a philosopher?"))
    assert not _is_yes(ask(f"Was Immanuel Kant {word} a philosopher?"))


@pytest.mark.parametrize(
    ("relation", "name"),
    [
        ("father", "Robert F. Kennedy"),
        ("mother", "John F. Kennedy"),
        ("capital", "Canada"),
        ("spouse", "Olof Palme"),
    ],
)
def test_a_word_said_twice_is_no_word_said_once(
    ask: Callable[[str], Answer], relation: str, name: str
) -> None:
    once = ask(f"What is the {relation} of {name}?")
    twice = ask(f"What is the {relation} of the {relation} of {name}?")
    assert _ids(once)
    assert not _ids(twice) & _ids(once)


def test_what_was_not_read_is_named(ask: Callable[[str], Answer]) -> None:
    answer = ask("Is every philosopher German?")
    assert answer.status is AnswerStatus.UNKNOWN
    assert any("“every”" in sentence for sentence in answer.missing)


def test_a_kind_that_is_called_like_what_is_asked_is_no_ground_for_a_no() -> None:
    """Fiji is stated to be an island nation; whether it is an island is not stated."""
    with RoboData.open(source="snapshot:world") as robodata:
        assert robodata.ask("Is Fiji an island?").status is AnswerStatus.UNKNOWN
        answer = robodata.ask("Is Iceland an island?")
        assert [item.value for item in answer.results] == [True]
        answer = robodata.ask("Is Berlin a river?")
        assert [item.value for item in answer.results] == [False]
