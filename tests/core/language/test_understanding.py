"""What questions mean on the embedded sample, through the one door."""

from __future__ import annotations

import pytest

from robodata_core.language import NotUnderstood, Understanding, Understood
from robodata_core.language.types import Reason
from robodata_core.model import EntityValue
from robodata_core.programs.executor import execute
from robodata_core.sources.snapshot import open_snapshot


@pytest.fixture(scope="module")
def understanding() -> Understanding:
    return Understanding(open_snapshot("wikidata-sample"))


def _answers(understanding: Understanding, text: str) -> tuple[set[str], float]:
    best = understanding.understand(text)[0]
    assert isinstance(best, Understood), best
    found = execute(best.program, understanding.view.source)
    return {v.id for v in found.values if isinstance(v, EntityValue)}, best.probability


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("what is the capital of canada", "Q1930"),
        ("where was douglas adams born", "Q350"),
        ("who influenced immanuel kant", "Q9353"),
    ],
)
def test_one_relation(understanding: Understanding, question: str, answer: str) -> None:
    found, probability = _answers(understanding, question)
    assert answer in found
    assert probability > 0.5


@pytest.mark.parametrize("text", ["what is the capital of canada", "where was douglas adams born"])
def test_case_never_changes_a_reading(understanding: Understanding, text: str) -> None:
    readings = {
        (best.program, round(best.probability, 9))
        for form in (text, text.upper(), text.title(), text.capitalize())
        if isinstance(best := understanding.understand(form)[0], Understood)
    }
    assert len(readings) == 1


@pytest.mark.parametrize("word", ["not", "only", "every", "almost", "never"])
def test_a_word_nobody_read_lowers_the_probability(understanding: Understanding, word: str) -> None:
    _, plain = _answers(understanding, "what is the capital of canada")
    _, changed = _answers(understanding, f"what is {word} the capital of canada")
    assert changed < 0.5 < plain


def test_nothing_named(understanding: Understanding) -> None:
    assert understanding.understand("what is it?") == (NotUnderstood(Reason.NOTHING_NAMED),)
    best = understanding.understand("where was zzyzxqwv born?")[0]
    assert isinstance(best, NotUnderstood)
    assert best.reason is Reason.UNKNOWN_NAME
