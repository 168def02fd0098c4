"""How texts are taken apart into tokens, quotes and brackets."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from robodata_core.language.text import MAX_TOKENS, fold, read_text, words_of


def test_a_possessive_s_is_told_from_the_name() -> None:
    text = read_text("Who is Anna's father?")
    assert [token.norm for token in text.tokens] == ["who", "is", "anna", "'", "s", "father", "?"]
    assert [token.possessive for token in text.tokens].index(True) == 4


def test_what_alone_is_in_capitals_is_told_from_the_word() -> None:
    assert [t.norm for t in read_text("Which US state is it?").tokens if t.acronym] == ["us"]
    assert not any(token.acronym for token in read_text("WHICH US STATE IS IT?").tokens)
    assert not any(token.acronym for token in read_text("Am I in A or B?").tokens)


def test_quotes_and_brackets_mark_names() -> None:
    text = read_text('who wrote "War and Peace" and [the idiot] ?')
    assert [marked.text for marked in text.marked] == ["War and Peace", "the idiot"]


def test_names_are_compared_without_case_and_marks() -> None:
    assert words_of("Ørsted’s Straße") == ("orsted", "s", "strasse")
    assert fold("İstanbul") == fold("istanbul")


@given(st.text(max_size=300))
def test_every_token_is_where_it_says(raw: str) -> None:
    text = read_text(raw)
    assert len(text.tokens) <= MAX_TOKENS
    assert all(text.raw[token.start : token.end] == token.text for token in text.tokens)


@given(st.text(max_size=200))
def test_case_never_counts(raw: str) -> None:
    plain = [token.norm for token in read_text(raw).tokens]
    assert [fold(norm) for norm in plain] == plain
