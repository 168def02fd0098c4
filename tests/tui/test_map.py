"""The map of a robot that is watched: a list and a view from above, kept up to date."""

from __future__ import annotations

import math
import queue
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from robodata_core.belief import MapObject, MapSeen, ObjectState, Pose, Region, RegionKind
from robodata_core.config import Settings
from robodata_tui.app import RoboDataApp
from robodata_tui.dialogs import Options
from robodata_tui.screens.map import MapScreen, list_rows, top_view
from robodata_tui.watching import RobotBridge
from tests.tui._app import drive, press, until

KITCHEN = Region("kitchen", "kitchen", RegionKind.VOLUME, "map", Pose((2, 2, 1)), (4, 4, 2))
TABLE = Region("table", "table", RegionKind.SURFACE, "map", Pose((1, 1, 0.7)), (1, 1, 0))


def thing(id_: str, x: float, y: float, **fields: Any) -> MapObject:
    return MapObject(id_, id_.split("_")[0], frame="map", pose=Pose((x, y, 0.8)), **fields)


CUP, KNIFE = thing("cup_1", 1.0, 1.0, score=0.9), thing("knife_1", 3.5, 3.5)
SEEN = MapSeen(100.0, (CUP, KNIFE), (KITCHEN, TABLE), {"cup_1": "table", "knife_1": "kitchen"})


def place_of(lines: list[str], sign: str) -> tuple[int, int]:
    (found,) = [(line.index(sign), row) for row, line in enumerate(lines) if sign in line]
    return found


def test_the_view_shows_where_things_are() -> None:
    lines = top_view(SEEN, 60, 24, "cup_1")
    assert len(lines) <= 24 and all(len(line) <= 60 for line in lines)
    text = "\n".join(lines)
    assert all(one in text for one in ("◉cup 1", "knife 1●", "kitchen", "table"))
    cup, knife = place_of(lines, "◉"), place_of(lines, "●")
    assert cup[0] < knife[0] and cup[1] > knife[1]  # y grows upwards
    assert text.count("+") == 4 and "░" in text
    # A cell is twice as high as wide: the ways along x and y are the same 2.5 m.
    assert knife[0] - cup[0] == pytest.approx(2 * (cup[1] - knife[1]), abs=2)
    assert "frame map" in lines[-1]


@pytest.mark.parametrize(("turn", "arrow"), [(0.0, "→"), (math.pi / 2, "↑"), (-2.3, "↙")])
def test_the_robot_is_an_arrow_that_points_where_it_faces(turn: float, arrow: str) -> None:
    facing = (0.0, 0.0, math.sin(turn / 2), math.cos(turn / 2))
    robot = MapObject("robot", "robot", frame="map", pose=Pose((3.0, 1.0, 0.0), facing))
    seen = replace(SEEN, robot=robot)
    lines = top_view(seen, 60, 24)
    assert f"{arrow}robot" in "\n".join(lines)
    column, row = place_of(lines, arrow)
    cup, knife = place_of(lines, "●cup")[0], place_of(lines, "knife 1●")
    assert cup < column < knife[0] + len("knife 1") and row > knife[1]
    assert f"{arrow} robot at 3.0, 1.0 in map" in [str(text) for text, _ in list_rows(seen)]
    # Where it is in another frame is not where it would be drawn.
    elsewhere = replace(seen, robot=replace(robot, frame="odom"))
    assert arrow not in "\n".join(top_view(elsewhere, 60, 24))
    assert "robot" not in "\n".join(top_view(SEEN, 60, 24))


def test_what_is_lost_is_told_by_another_sign_not_by_colour() -> None:
    lost = replace(KNIFE, state=ObjectState.LOST, last_seen=40.0)
    seen = replace(SEEN, objects=(CUP, lost))
    assert "knife 1○" in "\n".join(top_view(seen, 60, 24))
    texts = [str(row) for row, _ in list_rows(seen)]
    assert texts[0] == "● cup 1 0.90 on table"
    assert texts[1] == "○ knife 1 in kitchen, seen 1970-01-01 00:00:40"


@pytest.mark.parametrize("size", [(10, 4), (20, 6), (200, 60)])
@pytest.mark.parametrize("turn", [0.0, 0.4, math.pi / 2])
def test_it_fits_any_size(size: tuple[int, int], turn: float) -> None:
    turned = Pose((2, 2, 1), (0.0, 0.0, math.sin(turn / 2), math.cos(turn / 2)))
    many = [thing(f"o_{n}", 4 * math.sin(n), 4 * math.cos(n)) for n in range(200)]
    seen = MapSeen(0.0, tuple(many), (replace(KITCHEN, pose=turned), TABLE), {})
    lines = top_view(seen, *size)
    assert len(lines) <= size[1] and "●" in "\n".join(lines)
    assert all(len(line) <= size[0] for line in lines[:-1])


def test_what_has_no_place_or_another_frame_is_counted_not_drawn() -> None:
    nowhere = replace(thing("cup_2", 0.0, 0.0), pose=Pose())
    elsewhere = replace(KNIFE, frame="odom")
    lines = top_view(replace(SEEN, objects=(CUP, nowhere, elsewhere)), 60, 24)
    assert "2 objects elsewhere" in lines[-1] and "knife" not in "\n".join(lines)
    assert top_view(MapSeen(0.0, (nowhere,), (), {}), 60, 24) == ["Nothing in the map has a place."]
    assert top_view(SEEN, 5, 2) == ["There is no room here for a view."]


def test_control_characters_of_a_robot_never_reach_the_terminal() -> None:
    bad = replace(CUP, label="cup\x1b[31m\n")
    seen = replace(SEEN, objects=(bad,))
    assert "\x1b" not in "\n".join(top_view(seen, 60, 24)) + str(list_rows(seen)[0][0])


def test_the_screen_opens_by_its_key_and_follows_the_robot() -> None:
    told: queue.SimpleQueue[MapSeen] = queue.SimpleQueue()

    def watch(topic: str, stopped: Callable[[], bool]) -> Iterator[MapSeen]:
        while not stopped():
            try:
                yield told.get(timeout=0.05)
            except queue.Empty:
                continue

    def no_core(settings: Settings) -> Any:
        raise AssertionError("no core is opened")

    async def steps(pilot: Any) -> None:
        app = pilot.app

        def shown() -> str:
            screen = app.screen
            if not isinstance(screen, MapScreen):
                return ""
            plan, head = screen.query_one("#map-plan"), screen.query_one("#map-head")
            return f"{head.content}\n{plan.content}"  # type: ignore[attr-defined]

        def points_at(name: str) -> bool:
            return f"◉{name}" in shown() or f"{name}◉" in shown()

        await press(pilot, "f9")
        await until(pilot, lambda: "not told" in shown(), "the empty map")
        told.put(SEEN)
        await until(pilot, lambda: points_at("cup 1"), "the map")
        assert "2 objects" in shown()
        await press(pilot, "down")
        await until(pilot, lambda: points_at("knife 1"), "the knife pointed out")
        moved = replace(KNIFE, state=ObjectState.LOST)
        told.put(replace(SEEN, objects=(CUP, moved, thing("bowl_1", 2.0, 2.0))))
        await until(pilot, lambda: "bowl 1" in shown() and points_at("knife 1"), "another map")
        assert "1 of them lost" in shown()
        await press(pilot, "escape")
        await until(pilot, lambda: not isinstance(app.screen, MapScreen), "the main screen")

    app = RoboDataApp(
        Options(Settings(), no_core, ssh=True), RobotBridge(watch, "/arm/robodata/events")
    )
    try:
        drive(app, steps)
    finally:
        app.bridge.close()
