"""What stands around a question, and statements that are asked for their truth."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robodata_core.language.grammar.framing import as_question, resumed, stranded, unframed
from robodata_core.language.lexicon import open_lexicon
from robodata_core.language.text import read_text


@pytest.mark.parametrize(
    ("asked", "left", "judges"),
    [
        ("Quick question: who founded Motown?", "who founded Motown?", False),
        ("Can you tell me where Ann Ash was born?", "where Ann Ash was born?", False),
        ("Ann Ash lived in Elm: true or false?", "Ann Ash lived in Elm", True),
        ("Is it true that Ann Ash lived in Elm?", "Ann Ash lived in Elm?", True),
        ("Is the lake on the right?", "Is the lake on the right?", False),
        ("Who founded Elm?", "Who founded Elm?", False),
        ("whats the capital of Elm", "what's the capital of Elm", False),
        ('Who wrote "whats up"?', 'Who wrote "whats up"?', False),
        ("which rivers do ppl of Elm know", "which rivers do people of Elm know", False),
        ('Who wrote "ppl of Elm"?', 'Who wrote "ppl of Elm"?', False),
        ("What is the world's smallest lake?", "What is the smallest lake?", False),
        ("I would be grateful if you could tell me who founded Elm", "who founded Elm", False),
        ("Types of tools in your graph", "Types of tools", False),
    ],
)
def test_what_asks_nothing_is_taken_off(asked: str, left: str, judges: bool) -> None:
    framed = unframed(read_text(asked), "en")
    assert (framed.text.raw, framed.judges) == (left, judges)


@pytest.mark.parametrize(
    ("asked", "read"),
    [
        ("Who Founded Elm?", "who founded elm?"),
        ("Ann Ash's Oldest Brother?", "ann ash's oldest brother?"),
        ("IS ELM IN THE US?", "is elm in the US?"),
        ("POPULATION ELM VALLEY", "population elm valley"),
        ("Who Founded Elm (Q12)?", "who founded elm (Q12)?"),
        ("Who founded Elm?", "Who founded Elm?"),
        ("Ann Ash", "Ann Ash"),
        ("UK GDP", "UK GDP"),
        ("capital of Elm", "capital of Elm"),
    ],
)
def test_capitals_of_headlines_tell_nothing(asked: str, read: str) -> None:
    assert unframed(read_text(asked), "en").text.raw == read


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("Ottawa is the capital of Canada", "is Ottawa the capital of Canada"),
        ("Ann Ash lived in Elm", "did Ann Ash lived in Elm"),
        ("Ottawa isn't the capital of Canada", "Ottawa isn't the capital of Canada"),
        ("is Ottawa the capital of Canada", "is Ottawa the capital of Canada"),
        ("[What Is Love] was sung by Ann", "was [What Is Love] sung by Ann"),
        ("", ""),
    ],
)
def test_a_statement_is_asked_by_its_auxiliary(said: str, asked: str) -> None:
    assert as_question(read_text(said), open_lexicon("en")) == asked


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("The author of Emma, where was she born?", "where was the author of Emma born?"),
        ("Ann and Bob Ash - were they ever married?", "were Ann and Bob Ash ever married?"),
        ("Ann Ash: what's her birthplace?", "what's Ann Ash's birthplace?"),
        ("X-Men, who directed it?", "who directed X-Men ?"),
        ("Ann Ash was a singer, where was she born?", ""),
        ("If it rains, what is it for?", ""),
        ("In Elm, what is it called?", ""),
        ("Where was she born?", ""),
        ('"Ann, where is she"', ""),
    ],
)
def test_what_a_pronoun_takes_up_stands_in_its_place(said: str, asked: str) -> None:
    assert resumed(read_text(said), open_lexicon("en")) == asked


@pytest.mark.parametrize(
    ("fronted", "behind"),
    [
        ("Of what did Ann Ash die?", "what did Ann Ash die of"),
        (
            "On which painters has Ann Ash had an influence",
            "which painters has Ann Ash had an influence on",
        ),
        ("What did Ann Ash die of?", ""),
        ("Of which?", ""),
    ],
)
def test_a_preposition_goes_behind_what_has_it(fronted: str, behind: str) -> None:
    assert stranded(read_text(fronted), open_lexicon("en")) == behind


@given(st.text(max_size=200))
def test_any_text_may_be_framed_and_asked(text: str) -> None:
    read = unframed(read_text(text), "en").text
    assert isinstance(as_question(read, open_lexicon("en")), str)
    assert isinstance(resumed(read, open_lexicon("en")), str)
    assert isinstance(stranded(read, open_lexicon("en")), str)
