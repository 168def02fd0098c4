"""Extremes of all there are, by what the question says or may mean, and relations that share."""

from __future__ import annotations

import pytest

from robodata_core.api import RoboData


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is the tallest mountain?", "Mount Everest"),
        ("What is the tallest mountain in the world?", "Mount Everest"),
        ("What is the tallest mountain in Tanzania?", "Kilimanjaro"),
        ("What is the largest country in the world by area?", "Russia"),
        ("What is the largest country by population?", "India"),
        ("Which country in the world has the largest population?", "India"),
    ],
)
def test_what_leaves_nothing_out_changes_nothing(
    world: RoboData, question: str, expected: str
) -> None:
    assert [item.label for item in world.ask(question).results] == [expected]


def test_what_another_measure_gives_is_said(world: RoboData) -> None:
    answer = world.ask("What is the largest country?")
    assert [item.label for item in answer.results] == ["Russia"]
    assert "By population it is India." in answer.notes
    assert not any(
        note.startswith("By ")
        for note in world.ask("What is the largest country by population?").notes
    )


def test_sharing_a_border_is_a_relation(world: RoboData) -> None:
    shared, plain = (
        {item.value for item in world.ask(question).results}
        for question in (
            "Which countries share a border with Germany?",
            "Which countries border Germany?",
        )
    )
    assert shared == plain
