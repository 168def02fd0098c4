"""What is asked of a house: sides, quantities over rooms, what is edible, and people's word."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from robodata_core.api import RoboData
from robodata_core.belief import MapObject, Pose, Region, RegionKind, WorldSource
from robodata_core.model import Answer, AnswerStatus, TruthKind
from tests.core.belief.asked_flat import mark, opened, questions
from tests.core.belief.worlds import START, at

_DATA = Path(__file__).parent / "data"
V, S = RegionKind.VOLUME, RegionKind.SURFACE


def room(id_: str, class_id: str, x: float, y: float) -> Region:
    return Region(id_, class_id, V, "map", Pose((x, y, 1.25)), (5, 4, 2.5))


REGIONS = (
    room("kitchen", "kitchen", 2.5, 2),
    room("living_room", "living room", 7.5, 2),
    room("bedroom", "bedroom", 2.5, 6),
    room("bathroom", "bathroom", 7.5, 6),
    Region("kitchen_table", "table", S, "map", Pose((2, 2, 0.75)), (1.6, 1.0, 0)),
    Region("counter", "counter", S, "map", Pose((4.2, 3.4, 0.9)), (1.2, 0.6, 0)),
    Region("coffee_table", "coffee table", S, "map", Pose((7.5, 1.5, 0.45)), (1.0, 0.6, 0)),
    Region("desk", "desk", S, "map", Pose((1, 7, 0.75)), (1.4, 0.7, 0)),
    Region("shelf", "shelf", S, "map", Pose((9.5, 6, 1.2)), (0.4, 1.0, 0)),
)
LOOKS = {
    0.0: (
        at("toothbrush", 9.5, 5.7, 1.25, "toothbrush_1"),
        at("towel", 9.5, 6.0, 1.25, "towel_1"),
        at("soap", 9.5, 6.3, 1.25, "soap_1"),
        at("toilet", 6.0, 7.0, 0.4, "toilet_1"),
    ),
    50.0: (at("book", 1.2, 7.0, 0.8, "book_1"),),
    100.0: (at("cup", 1.8, 1.7, 0.8, "cup_3"), at("fork", 2.6, 2.3, 0.8, "fork_2")),
    300.0: (
        at("laptop", 1.0, 7.0, 0.8, "laptop_1"),
        at("book", 1.5, 6.9, 0.8, "book_2"),
        at("bed", 3.5, 6.5, 0.4, "bed_1"),
    ),
    600.0: (
        at("book", 7.3, 1.5, 0.5, "book_1"),
        at("cup", 7.6, 1.6, 0.5, "cup_3"),
        at("remote", 7.8, 1.4, 0.5, "remote_1"),
        at("couch", 7.5, 0.5, 0.4, "couch_1"),
        at("television", 9.5, 1.5, 1.0, "television_1"),
    ),
    1200.0: (
        at("cup", 1.5, 1.8, 0.8, "cup_1"),
        at("cup", 2.5, 1.8, 0.8, "cup_2"),
        at("plate", 2.0, 1.8, 0.8, "plate_1"),
        at("fork", 1.8, 2.2, 0.8, "fork_1"),
        at("knife", 2.2, 2.2, 0.8, "knife_1"),
        at("apple", 2.0, 2.4, 0.8, "apple_1"),
        at("bread", 1.5, 2.2, 0.8, "bread_1"),
        at("bottle", 4.2, 3.3, 0.95, "bottle_1"),
        at("bowl", 3.9, 3.4, 0.95, "bowl_1"),
        at("banana", 4.5, 3.5, 0.95, "banana_1"),
        at("chair", 0.7, 0.6, 0.45, "chair_1"),
    ),
}
ALONG_Y = Pose((2.0, 0.5, 0.0), (0.0, 0.0, math.sqrt(0.5), math.sqrt(0.5)))
SAID = MapObject(
    "scissors_1", "scissors", frame="map", pose=Pose((0.6, 7.0, 0.8)), author="anna",
    source="update_map", first_seen=START + 900, last_seen=START + 900,
)  # fmt: skip


def house(robot: Pose | None = ALONG_Y) -> RoboData:
    return opened(REGIONS, LOOKS, robot, ("fork_2",), (SAID,))


@pytest.fixture(scope="module")
def asked() -> Iterator[RoboData]:
    with house() as robodata:
        yield robodata


def told(answer: Answer) -> set[str]:
    return {item.label for item in answer.results}


@pytest.mark.parametrize(("text", "expected"), questions(_DATA / "asked_house.tsv"))
def test_what_is_asked_of_a_house(asked: RoboData, text: str, expected: str) -> None:
    answer = asked.ask(text)
    assert "right" in {mark(one, answer) for one in expected.split(" OR ")}, answer.text


def test_a_side_is_reckoned_from_where_things_are_and_tells_whose_view_it_is(
    asked: RoboData,
) -> None:
    (claim,) = asked.ask("Is cup 1 left of the plate?").claims
    assert claim.kind is TruthKind.RECKONED and "as robot base sees it" in claim.text
    assert {"cup 1", "plate 1", "robot base"} <= {
        item.subject_label for item in claim.support.evidence
    }
    assert "as it faces" in asked.ask("Is the chair on your left?").claims[0].text


@pytest.mark.parametrize(
    ("place", "left"),
    [((2.0, 0.5, 0.0), "cup 1"), ((2.0, 3.5, 0.0), "cup 2"), ((0.2, 1.8, 0.0), "")],
)
def test_left_and_right_turn_with_who_looks(
    asked: RoboData, place: tuple[float, float, float], left: str
) -> None:
    assert isinstance(asked.source, WorldSource)
    belief = asked.source.map.belief
    try:
        belief.place_robot(Pose(place), frame="map", stamp=START, source="/pose")
        assert told(asked.ask("Which cup is left of the plate?")) == ({left} if left else set())
        belief.place_robot(Pose(place), frame="odom", stamp=START, source="/pose")
        assert not asked.ask("Is cup 1 left of the plate?").results
    finally:
        belief.place_robot(ALONG_Y, frame="map", stamp=START, source="/pose")


@pytest.mark.parametrize(
    "question",
    [
        "What is left of the plate?",
        "Is cup 1 left of the plate?",
        "Is the apple behind the plate?",
        "What is on your left?",
        "Is there anything behind you?",
    ],
)
def test_a_side_without_a_view_is_unknown(question: str) -> None:
    with house(None) as blind:
        answer = blind.ask(question)
        assert answer.status is AnswerStatus.UNKNOWN and not answer.results
        assert "Where the robot is has not been told" in answer.text


def test_how_far_beside_a_thing_is_a_setting(asked: RoboData) -> None:
    assert isinstance(asked.source, WorldSource)
    beside = asked.source.capabilities().beside
    assert beside is not None and beside() == (3.0, 45.0)


def test_a_room_where_nothing_was_seen_leaves_it_open() -> None:
    looks = {0.0: LOOKS[1200.0]}
    with opened(REGIONS, looks) as robodata:
        assert told(robodata.ask("Is there a cup in every room?")) == set()
        assert told(robodata.ask("Is there a fork in every room?")) == set()
        assert told(robodata.ask("Is there a bed in every room?")) == {"no"}


def test_what_is_told_of_seen_and_said_things_together_is_said_in_part(asked: RoboData) -> None:
    claim = asked.ask("What is on the desk?").claims[0]
    assert claim.text.startswith("Said in part by anna: ")
    assert asked.ask("Where are the scissors?").claims[0].text.startswith("Said by anna: ")
