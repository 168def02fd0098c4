"""Words for people of a place, a faith or a school, alone and with a noun of their own."""

from __future__ import annotations

import pytest

from robodata_core.model import AnswerStatus
from robodata_core.policy.offline.lexicon import adherents, demonyms, spoken_of

from .conftest import Ask


@pytest.mark.parametrize(
    "question",
    [
        "Who are the Lutherans?",
        "list all lutherans",
        "Name the Lutherans.",
        "Which people were Lutheran?",
        "Who was a Lutheran?",
        "Do you know any Lutherans?",
    ],
)
def test_alone_it_names_people(ask: Ask, question: str) -> None:
    answer = ask(question)
    labels = {value.label for value in answer.results}
    assert answer.status is AnswerStatus.ANSWERED
    assert {"Johann Wolfgang von Goethe", "Felix Mendelssohn"} <= labels
    assert all(claim.support for claim in answer.claims)
    assert "religion" in answer.program


def test_a_place_speaks_of_its_citizens(ask: Ask) -> None:
    answer = ask("Who is Hungarian?")
    assert "country of citizenship" in answer.program
    assert "Hungary" in answer.program


@pytest.mark.parametrize(
    ("many", "all_"),
    [
        ("How many Muslims are there?", "List the Muslims."),
        ("How many Japanese are there?", "Which people are Japanese?"),
    ],
)
def test_they_are_counted(ask: Ask, many: str, all_: str) -> None:
    assert [v.label for v in ask(many).results] == [str(len(ask(all_).results))]


@pytest.mark.parametrize(
    ("question", "one"),
    [
        ("Which Muslims were philosophers?", "Al-Biruni"),
        ("Name an agnostic philosopher.", "Bertrand Russell"),
        ("Which composers were Lutherans?", "Felix Mendelssohn"),
    ],
)
def test_with_a_noun_it_narrows(ask: Ask, question: str, one: str) -> None:
    assert one in {value.label for value in ask(question).results}


@pytest.mark.parametrize(
    "question", ["What is German?", "Who is not a Muslim?", "Who is Italian and a Muslim?"]
)
def test_what_says_something_else_is_not_read_so(ask: Ask, question: str) -> None:
    answer = ask(question)
    assert "country of citizenship (P27) backwards" not in answer.program
    assert "religion or worldview (P140) backwards" not in answer.program


def test_what_no_relation_tells_is_unknown(ask_gardens: Ask) -> None:
    assert ask_gardens("Who is Italian?").status is AnswerStatus.UNKNOWN


def test_a_word_stands_for_one_thing() -> None:
    assert not set(adherents()) & set(demonyms())
    assert spoken_of("muslims") == (("Islam",), True)
    assert spoken_of("cubists") == (("cubism",), True)
    assert spoken_of("italians") == spoken_of("italian") == (demonyms()["italian"], False)
    assert spoken_of("lists of") == ((), False)
