"""How an answer tells what the question was taken to ask."""

from __future__ import annotations

import pytest

from robodata_core.answers.text import answer_lines, read_as
from robodata_core.model import Answer, AnswerStatus


@pytest.mark.parametrize(
    ("reading", "probability", "told"),
    [
        ("capital of Canada", 0.97, "Read as: capital of Canada  97%"),
        ("capital of Canada", 0.62, "Read as: capital of Canada  ? likely 62%"),
        ("capital of Canada", None, "Read as: capital of Canada"),
        ("", 0.62, ""),
    ],
)
def test_a_reading_says_how_probable_it_is_and_by_sign_and_word_where_it_is_only_likely(
    reading: str, probability: float | None, told: str
) -> None:
    answer = Answer("?", AnswerStatus.ANSWERED, "Ottawa.", reading=reading, probability=probability)
    assert read_as(answer) == told
    assert [line for _, line in answer_lines(answer) if line.startswith("Read")] == [told][
        : bool(told)
    ]
