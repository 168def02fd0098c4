"""Questions whose words would be taken for others: right where that is simple, else unknown.

Each has a word, a preposition, a rank or a pronoun that decides what is asked for; passing it over
would answer another question.
"""

from __future__ import annotations

import pytest

from robodata_core.model import AnswerStatus

from .conftest import Ask, found

_HOME = "http://www.wikidata.org/entity/"


@pytest.mark.parametrize(
    "question",
    [
        "Which record label does Frank Sinatra own?",
        "Who lives with John Lennon?",
        "Who named John Lennon?",
        "From where did Einstein graduate?",
        "To which ethnic group does Bob Dylan belong?",
        "Which people play chess?",
        "Some say Einstein was born in Ulm, others say Munich. Which is right?",
        "Is the capital of France a city?",
        "Who influenced whom, Plato or Kant?",
        "Which blind musicians play the piano?",
        "Who was born near Paris?",
        "Which countries want to join the European Union?",
        "How many instruments has Neil Young sold?",
        "Which label dropped Kate Bush?",
        "Which country expelled Albert Einstein?",
        "Who is buried only in Père Lachaise?",
        "Does a refrigerator heat food?",
        "Which cast members of Zoolander dislike each other?",
        "How many of Zoolander's actors are dead?",
        "Who died of tuberculosis first?",
        "Which countries share a border with no other country?",
        "Left-handed writers who are atheists",
        "Madonna and Falco were both influenced by the same star, who?",
        "Which screenwriters lived in Prague, apart from those who were Ashkenazi Jews?",
    ],
)
def test_what_is_not_understood_is_not_answered(ask: Ask, question: str) -> None:
    answer = ask(question)
    assert answer.status is AnswerStatus.UNKNOWN
    assert not answer.results
    assert answer.missing


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Name the record company founded by Frank Sinatra", {"Q645889"}),
    ],
)
def test_what_is_pointed_back_to_is_not_walked_again(
    ask: Ask, question: str, expected: set[str]
) -> None:
    assert expected <= found(ask(question), _HOME)


@pytest.mark.xfail(reason="set put together of three names, below the least probability (0.28)")
def test_praise_and_numbers_narrow_nothing_down(ask: Ask) -> None:
    plain = ask("Which writers are atheists?")
    assert plain.results
    assert found(ask("Which famous writers are atheists?"), _HOME) == found(plain, _HOME)


def test_what_could_be_among_them_and_is_not_is_told(ask: Ask) -> None:
    answer = ask("Which countries are members of NATO, except Sweden?")
    assert answer.status is AnswerStatus.ANSWERED
    assert len(answer.results) == 30
    assert "Sweden was not among them anyway." in answer.notes
    assert not any("Left out" in note for note in answer.notes)
