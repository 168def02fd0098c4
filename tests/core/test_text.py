"""Text from outside: what is taken out, what stays, and when two names are the same."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robodata_core.text import clean_text, normalise_name


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("a\x1b]0;title\x07b", "ab"),
        ("\x9b31mx", "x"),
        ("a\u202eb\u2066c", "abc"),
        ("one\r\ntwo\u2028three", "one two three"),
        ("nul\x00l", "null"),
        ("hidden\U000e0041\U000e0042", "hidden"),
        ("half \ud83d pair", "half \ufffd pair"),
        ("zero\u200bwidth", "zerowidth"),
        ("नमस्ते 東京 👩\u200d🚀", "नमस्ते 東京 👩\u200d🚀"),
    ],
)
def test_what_steers_or_hides_is_taken_out(text: str, expected: str) -> None:
    assert clean_text(text) == expected


def test_line_breaks_stay_where_they_are_wanted() -> None:
    assert clean_text("a\r\nb\tc\x1b[1m", multiline=True) == "a\nb\tc"


def test_length_is_bounded_and_says_so() -> None:
    assert clean_text("x" * 50, limit=10) == "x" * 9 + "…"
    assert len(clean_text("\x1b[1m" * 100_000 + "x", limit=10)) <= 10


@given(st.text(), st.integers(1, 40))
def test_clean_text_is_safe_and_stable(text: str, limit: int) -> None:
    cleaned = clean_text(text, limit=limit)
    assert len(cleaned) <= limit
    assert not any(unicodedata.category(char) in ("Cc", "Cs") for char in cleaned)
    assert clean_text(cleaned, limit=limit) == cleaned


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Gert Fröbe", "gert FROBE"),
        ("J. K. Rowling", "JK Rowling"),
        ("U.S.A.", "USA"),
        ("The Hitchhiker's Guide", "the hitchhikers guide"),
        ("The Hitchhiker\u2019s Guide", "the hitchhiker's guide"),
        ("Straße", "STRASSE"),
        ("Łódź", "Lodz"),
        ("St. John’s  College", "st john's college"),
        ("E.T. the Extra-Terrestrial", "ET the extra terrestrial"),
        ("Pride & Prejudice", "Pride and Prejudice"),
        ("AT&T", "at & t"),
    ],
)
def test_names_that_are_the_same(one: str, other: str) -> None:
    assert normalise_name(one) == normalise_name(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("C", "C++"),
        ("C", "C#"),
        ("$", "?"),
        ("&", "and"),
        ("हिन्दी", "हन्द"),
        ("New York", "Newyork"),
    ],
)
def test_names_that_differ(one: str, other: str) -> None:
    assert normalise_name(one) != normalise_name(other)


@given(st.text())
def test_normalising_twice_changes_nothing_more(text: str) -> None:
    form = normalise_name(text)
    assert form == " ".join(form.split())
    assert normalise_name(form) == form
