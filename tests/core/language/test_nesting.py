"""Phrases that describe what they do not name, and how each is asked for."""

from __future__ import annotations

import pytest

from robodata_core.language.grammar.nesting import descriptions
from robodata_core.language.lexicon import open_lexicon
from robodata_core.language.linking import unbound
from robodata_core.language.text import Text, read_text


def _names(text: Text, *names: str) -> list[tuple[int, int]]:
    found = []
    for name in names:
        at = text.raw.index(name)
        inside = [i for i, t in enumerate(text.tokens) if at <= t.start < at + len(name)]
        found.append((inside[0], inside[-1] + 1))
    return found


@pytest.mark.parametrize(
    ("question", "name", "phrase", "asked"),
    [
        ("Which bands began in the city where Robert Frost died?", "Robert Frost",
         "the city where Robert Frost died", "which city Robert Frost died"),
        ("Who was born where the man who wrote Emma lived?", "Emma",
         "the man who wrote Emma lived", "which man wrote Emma lived"),
        ("How tall is the person who directed Alien?", "Alien",
         "the person who directed Alien", "who directed Alien"),
        ("Who treats the disease Jonathan Demme died of?", "Jonathan Demme",
         "the disease Jonathan Demme died of", "what disease Jonathan Demme died of"),
        ("What language is spoken in the country whose capital is Rome?", "Rome",
         "the country whose capital is Rome", "which country's capital is Rome"),
        ("What religion is Cher's friend?", "Cher", "Cher's friend", "what is Cher's friend"),
    ],
)  # fmt: skip
def test_it_is_asked_for_on_its_own(question: str, name: str, phrase: str, asked: str) -> None:
    text = read_text(question)
    first = next(descriptions(text, _names(text, name), open_lexicon("en")))
    assert text.written(first.start, first.end) == phrase
    assert asked in first.asked


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Which city that lies on the Rhine is largest?", "Rhine"),
        ("Where did Robert Frost die?", "Robert Frost"),
        ("What is the capital of France?", "France"),
    ],
)
def test_what_is_asked_for_is_no_description(question: str, name: str) -> None:
    text = read_text(question)
    assert not list(descriptions(text, _names(text, name), open_lexicon("en")))


def test_ids_bind_the_name_before_them() -> None:
    text, bound = unbound(read_text("Who died in Geneva (Q71)'s north or Bern (<urn:x:bern>)?"))
    assert text.raw == "Who died in Geneva's north or Bern?"
    assert {text.tokens[end - 1].text: id_ for end, id_ in bound.items()} == {
        "Geneva": "Q71",
        "Bern": "urn:x:bern",
    }
    several = read_text("Which of these 2 (Q1, Q2) sing?")
    assert unbound(several) == (several, {})
