"""Questions of two facts told one after the other, and words of origin on what is asked for.

Asked of the embedded sample.
"""

from __future__ import annotations

import pytest

from robodata_core.model import AnswerStatus

from .conftest import Ask


@pytest.mark.parametrize(
    ("question", "first", "many"),
    [
    ],
)  # fmt: skip
def test_two_facts(ask: Ask, question: str, first: str, many: int) -> None:
    answer = ask(question)
    assert answer.status is AnswerStatus.ANSWERED
    labels = ["yes" if one.value is True else one.label for one in answer.results]
    assert first in labels
    assert len(labels) == many


@pytest.mark.parametrize(
    "question",
    [
        "In which French federal state is the town where the Veltins brewery has its seat?",
        "Which Norwegian prime minister was murdered?",
        "Which city is given as the cause of death most often?",
    ],
)
def test_what_does_not_hold_is_not_passed_over(ask: Ask, question: str) -> None:
    assert ask(question).status is not AnswerStatus.ANSWERED
