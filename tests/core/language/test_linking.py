"""What the words of a text may name: names, variants of them, slips of the pen, literals."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robodata_core.language import Mention, MentionKind, Understanding
from robodata_core.language.text import read_text
from robodata_core.language.types import NameMatch
from robodata_core.model import EntityValue, QuantityValue, TimeValue, Value
from robodata_core.sources.snapshot import open_snapshot


@pytest.fixture(scope="module")
def understanding() -> Understanding:
    return Understanding(open_snapshot("wikidata-sample"))


def _found(understanding: Understanding, raw: str) -> list[tuple[str, Mention]]:
    text = read_text(raw)
    return [(text.written(m.start, m.end), m) for m in understanding.linker.mentions(text)]


def _matches(understanding: Understanding, raw: str, value: Value) -> set[NameMatch]:
    return {
        c.match for _, m in _found(understanding, raw) for c in m.candidates if c.value == value
    }


@pytest.mark.parametrize(
    ("text", "id_", "match"),
    [
        ("where was douglas adams born", "Q42", NameMatch.LABEL),
        ("DOUGLAS ADAMS'S WIFE", "Q42", NameMatch.LABEL),
        ("where was douglas adms born", "Q42", NameMatch.SLIP),
        ("italian singers", "Q38", NameMatch.ORIGIN),
        ("which philosophers", "Q4964182", NameMatch.PLURAL),
    ],
)
def test_names(understanding: Understanding, text: str, id_: str, match: NameMatch) -> None:
    assert match in _matches(understanding, text, EntityValue(id_))


def test_every_word_of_a_name_is_written_nearly_so(understanding: Understanding) -> None:
    arnold = EntityValue("Q2685")
    assert NameMatch.SLIP in _matches(understanding, "arnie schwarzenegger's children", arnold)
    assert NameMatch.SLIP in _matches(understanding, "arnold schwarzeneger's children", arnold)
    # Where both words are more than a letter off, it is another name.
    adams = EntityValue("Q42")
    assert not _matches(understanding, "where was dougal adkins born", adams)


def test_quotes_and_brackets_mark_a_name(understanding: Understanding) -> None:
    for text in ('where was "Douglas Adams" born', "where was [douglas adams] born"):
        marked = [m for _, m in _found(understanding, text) if m.marked]
        assert any(c.value == EntityValue("Q42") for m in marked for c in m.candidates)


def test_a_class_is_offered_as_thing_and_as_class(understanding: Understanding) -> None:
    kinds = {
        c.kind
        for words, m in _found(understanding, "philosophers born in Germany")
        for c in m.candidates
        if words == "philosophers"
    }
    assert kinds == {MentionKind.THING, MentionKind.CLASS}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("born on 11 May 1952", TimeValue(1952, 5, 11, precision=11)),
        ("born on May 11th, 1952", TimeValue(1952, 5, 11, precision=11)),
        ("in May 1952", TimeValue(1952, 5, precision=10)),
        ("on 1952-05-11", TimeValue(1952, 5, 11, precision=11)),
        ("in 1952", TimeValue(1952, precision=9)),
        ("more than 1,500 people", QuantityValue(Decimal(1500))),
        ("more than three children", QuantityValue(Decimal(3))),
    ],
)
def test_literals(understanding: Understanding, text: str, value: Value) -> None:
    assert _matches(understanding, text, value)


@given(st.text(alphabet="ab 'ſé\"[](),.?1952Kant", max_size=60))
def test_any_text_is_taken(understanding: Understanding, raw: str) -> None:
    text = read_text(raw)
    for mention in understanding.linker.mentions(text):
        assert 0 <= mention.start < mention.end <= len(text.tokens)
        assert mention.candidates
