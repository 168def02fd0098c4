"""Unknown answers say in one sentence what is missing, and do not say the question again."""

from __future__ import annotations

import pytest

from robodata_core import RoboData
from robodata_core.model import AnswerStatus
from robodata_core.policy.offline.in_vain import missing


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("Who is the godparent of Madonna?", ("Madonna", "godparent")),
        ("What is the population of Berlin?", ("Berlin", "population")),
        ("What is a backpack made of?", ("backpack",)),
        ("Robot, what's the laptop made of?", ("laptop",)),
        ("Who wrote The Ember Throne?", ("Ember Throne",)),
    ],
)
def test_what_is_missing_is_named(question: str, named: tuple[str, ...]) -> None:
    with RoboData.open() as robodata:
        answer = robodata.ask(question)
    assert answer.status is AnswerStatus.UNKNOWN
    assert all(word in answer.text for word in named)
    reason = answer.text.removeprefix("I do not know. ").partition(" Best attempt")[0]
    assert reason.count(". ") == 0, "one sentence"
    assert question.strip("?")[len(question) // 2 :] not in reason


def test_many_words_are_not_said_again() -> None:
    words = ["trained", "later", "employed", "there"]
    for names in ((), ("University of Göttingen",)):
        text = missing(names, words)
        assert not any(word in text for word in words)
        assert all(name in text for name in names)
