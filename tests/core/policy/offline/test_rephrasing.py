"""Questions that are understood when they are put otherwise."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robodata_core.errors import ConfigurationError
from robodata_core.policy.offline.rephrasing import forms, read_forms, rephrased

from .conftest import Ask

_WORDS = ["i", "is", "in", "the", "and", "by", "of", "who", "also", "too", ",", ".", "?", "X"]


@pytest.mark.parametrize(
    ("asked", "plain"),
    [
        ("After whom is Selena Gomez named?", "Whom is Selena Gomez named after?"),
        ("I need a container. Which containers are there?", "Which containers are there?"),
        ("Which objects are made of glass? I must be careful with them.",
         "Which objects are made of glass?"),
        ("In which rooms can I find a sink?", "Where can I find a sink?"),
        ("Who was influenced by Franz Kafka and also by Albert Camus?",
         "Who was influenced by both Franz Kafka and Albert Camus?"),
        pytest.param(
            "Which members of the Arab League are also in the African Union?",
            "Which members of the Arab League are members of the African Union?",
            marks=pytest.mark.xfail(reason="below the least probability of joined sets (0.24)"),
        ),
        ("Which artist was signed to Motown and to Reprise Records too?",
         "Which artist was signed to both Motown and Reprise Records?"),
        ("Is a sofa a piece of furniture?", "Is a sofa furniture?"),
    ],
)  # fmt: skip
def test_the_answer_is_that_of_the_plain_form(ask: Ask, asked: str, plain: str) -> None:
    expected = ask(plain)
    answer = ask(asked)
    assert [r.label for r in answer.results] == [r.label for r in expected.results] != []
    assert answer.status is expected.status


def test_the_answer_says_how_the_question_was_read(ask: Ask) -> None:
    answer = ask("After whom is Selena Gomez named?")
    assert any("whom is Selena Gomez named after" in note for note in answer.notes)


def test_what_is_understood_as_it_stands_is_not_put_otherwise(ask: Ask) -> None:
    answer = ask("What is the capital of Canada?")
    assert not any("was read as" in note for note in answer.notes)


def test_what_no_form_helps_stays_unknown(ask: Ask) -> None:
    answer = ask("I wonder, what does Zaphod Qwertzuiop also like too?")
    assert answer.status.value == "unknown"


@given(st.text(max_size=300))
def test_any_text_has_few_other_forms(text: str) -> None:
    others = list(rephrased(text))
    assert len(others) <= 4
    assert all(other and note for other, note in others)


@given(st.lists(st.sampled_from(_WORDS)))
def test_words_of_the_forms_in_any_order_are_bounded(words: list[str]) -> None:
    text = " ".join(words)
    assert all(other.strip("?. ") != text.strip("?. ") for other, _ in rephrased(text))


def test_the_table_is_whole() -> None:
    assert len(forms()) >= 20


@pytest.mark.parametrize("line", ["no second column", "{x} y\t{z}", "{x} y\t "])
def test_a_form_that_cannot_be_read_is_refused(line: str) -> None:
    with pytest.raises(ConfigurationError):
        list(read_forms(f"form\tinstead\n{line}\n"))
