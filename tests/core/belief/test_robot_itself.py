"""Where the robot itself is: it has a place on its map, though it is none of what it sees."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from robodata_core.api import RoboData
from robodata_core.belief import BeliefMap, WorldSource
from robodata_core.model import Answer, AnswerStatus
from tests.core.belief.asked_flat import opened


def told(answer: Answer) -> list[str]:
    return [item.label for item in answer.results]


def map_of(robodata: RoboData) -> BeliefMap:
    assert isinstance(robodata.source, WorldSource)
    return robodata.source.map.belief


@pytest.fixture(scope="module")
def flat() -> Iterator[RoboData]:
    with opened() as robodata:  # the robot stands in the kitchen, beside the table
        yield robodata


@pytest.fixture
def unplaced() -> Iterator[RoboData]:
    with opened() as robodata:
        map_of(robodata)._robot = None
        map_of(robodata)._generation += 1
        yield robodata


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Where is the robot?", "kitchen"),
        ("Where are you?", "kitchen"),
        ("Where am I?", "kitchen"),
        ("What room am I in?", "kitchen"),
        ("Which room is the robot in?", "kitchen"),
        ("In which room are you?", "kitchen"),
        ("Is the robot in the kitchen?", "yes"),
        ("Are you in the kitchen?", "yes"),
        ("Is the robot in the bathroom?", "no"),
        ("Is the robot on the table?", "no"),
        ("Is the robot not in the bathroom?", "yes"),
        ("Is the robot not in the kitchen?", "no"),
        ("Is the robot near the chair?", "no"),
        ("Is the robot in the same room as the knife?", "yes"),
        ("Is the robot in the same room as the towel?", "no"),
        ("Is the robot in the kitchen or in the bathroom?", "kitchen"),
    ],
)
def test_the_robot_is_where_it_says(flat: RoboData, question: str, expected: str) -> None:
    answer = flat.ask(question)
    assert told(answer) == [expected], answer.text
    rests_on = {item.subject_label for claim in answer.claims for item in claim.support.evidence}
    assert "robot base" in rests_on


@pytest.mark.parametrize(
    "question",
    [
        "Where is the robot?",
        "Where am I?",
        "What room am I in?",
        "Is the robot in the bathroom?",
        "Is the robot in the kitchen?",
        "Is the robot not in the kitchen?",
        "Are you on the table?",
    ],
)
def test_a_robot_that_does_not_say_where_it_is_is_nowhere(
    unplaced: RoboData, question: str
) -> None:
    answer = unplaced.ask(question)
    assert answer.status is AnswerStatus.UNKNOWN and not answer.results
    assert "Where the robot is has not been told" in answer.text


@pytest.mark.parametrize(
    "question",
    [
        "Is the gizmo in the kitchen?",
        "Is there a gizmo on the table?",
        "Is Anna in the kitchen?",
        "Is Rex on the table?",
        "Is the robot outside the bathroom?",
    ],
)
def test_who_is_asked_about_is_never_passed_over(flat: RoboData, question: str) -> None:
    answer = flat.ask(question)
    assert answer.status is AnswerStatus.UNKNOWN and not answer.results


def test_a_robot_without_a_pose_is_not_passed_over_either(unplaced: RoboData) -> None:
    assert not unplaced.ask("Is there a robot in the kitchen?").results
    assert told(unplaced.ask("Is cup 1 a robot?")) == ["no"]
