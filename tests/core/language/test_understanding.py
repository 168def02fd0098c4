"""What questions mean on the embedded sample, through the one door."""

from __future__ import annotations

import pytest

from robodata_core.language import NotUnderstood, Understanding, Understood
from robodata_core.language.text import read_text
from robodata_core.language.types import Reason
from robodata_core.model import Direction, EntityValue
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


@pytest.mark.parametrize(
    "text", ["who influenced immanuel kant", "which books did douglas adams write", "kant"]
)
def test_no_reading_is_likelier_than_the_best_and_all_add_up(
    understanding: Understanding, text: str
) -> None:
    found = [r.probability for r in understanding.understand(text) if isinstance(r, Understood)]
    assert found
    assert found == sorted(found, reverse=True)
    assert sum(found) <= 1.0 + 1e-9


def test_what_is_treated_as_never_learned_counts_for_nothing(understanding: Understanding) -> None:
    text = read_text("where was douglas adams born")
    (mention,) = [m for m in understanding.linker.mentions(text) if m.end - m.start == 2]
    span = (mention.start, mention.end)
    edges = [("P19", Direction.OUT), ("P20", Direction.OUT)]
    known = understanding.relations.evidence(text).score(edges, span)
    without = understanding.relations.evidence(text, ["P19"]).score(edges, span)
    assert known[edges[0]].best == known[edges[0]].probability > 0.5
    assert not without[edges[0]].seen
    assert without[edges[1]].probability > known[edges[1]].probability
    assert without[edges[0]].best >= without[edges[1]].probability


def test_nothing_named(understanding: Understanding) -> None:
    assert understanding.understand("what is it?") == (NotUnderstood(Reason.NOTHING_NAMED),)
    best = understanding.understand("where was zzyzxqwv born?")[0]
    assert isinstance(best, NotUnderstood)
    assert best.reason is Reason.UNKNOWN_NAME
