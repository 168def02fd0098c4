"""Descriptions are asked for on their own, and one program tells the whole."""

from __future__ import annotations

import pytest

from robodata_core import RoboData
from robodata_core.model import AnswerStatus


@pytest.mark.parametrize(
    ("question", "inner", "outer"),
    [
        ("Which people died in the city where the League of Nations had its headquarters?",
         "Where did the League of Nations have its headquarters?", "Which people died in {}?"),
        ("Which bands got started in the city where Robert Frost died?",
         "Where did Robert Frost die?", "Which bands got started in {}?"),
        ("Where was the person who did the production design on The Color Purple born?",
         "Who did the production design on The Color Purple?", "Where was {} born?"),
    ],
)  # fmt: skip
def test_the_whole_gives_what_its_parts_give(
    world: RoboData, question: str, inner: str, outer: str
) -> None:
    described = world.ask(inner).results
    assert len(described) == 1
    wanted = world.ask(outer.format(described[0].label))
    found = world.ask(question)
    assert found.status is not AnswerStatus.UNKNOWN, found.text
    assert {item.label for item in found.results} == {item.label for item in wanted.results}


@pytest.mark.parametrize(
    "question",
    [
        "Which bands got started in the city where Robert Frost did not die?",
        "Which bands got started in the city where Robert Frost collected stamps?",
    ],
)
def test_what_the_clause_says_is_not_passed_over(world: RoboData, question: str) -> None:
    assert world.ask(question).status is AnswerStatus.UNKNOWN
