"""Watching a robot's runs; a real node is watched in ``tests/ros/test_tui_watch.py``."""

from __future__ import annotations

import importlib.util
import queue
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from robodata_core import journal
from robodata_core.cli import run
from robodata_core.config import Settings
from robodata_core.errors import ConfigurationError, SourceError
from robodata_core.events import RunEvent
from robodata_tui.app import RoboDataApp
from robodata_tui.dialogs import Options
from robodata_tui.watching import RobotBridge, check_topic, load_watch
from robodata_tui.widgets.tabs import Banner
from tests.tui._app import CAPITAL, RELATIVES, click, drive, press, until


class Robot:
    """Events come when a test says so; an exception among them is raised."""

    def __init__(self) -> None:
        self.events: queue.SimpleQueue[RunEvent | Exception] = queue.SimpleQueue()
        self.topics: list[str] = []
        self.over = False

    def tell(self, path: Path, run_id: str, first: int = 0, last: int | None = None) -> None:
        for event in list(journal.read(path))[first:last]:
            self.events.put(replace(event, header=replace(event.header, run_id=run_id)))

    def watch(self, topic: str, stopped: Callable[[], bool]) -> Iterator[RunEvent]:
        self.topics.append(topic)
        try:
            while not stopped():
                try:
                    item = self.events.get(timeout=0.05)
                except queue.Empty:
                    continue
                if isinstance(item, Exception):
                    raise item
                yield item
        finally:
            self.over = True


def watching(robot: Robot) -> RoboDataApp:
    def no_core(settings: Settings) -> Any:
        raise AssertionError("no core is opened")

    app = RoboDataApp(
        Options(Settings(), no_core, ssh=True), RobotBridge(robot.watch, "/arm/robodata/events")
    )
    app.NOTIFICATION_TIMEOUT = 3_600  # whatever a machine takes to look at it
    return app


def test_runs_are_shown_as_they_come() -> None:
    robot = Robot()

    async def steps(pilot: Any) -> None:
        app = pilot.app
        header = app.query_one("#header")
        await until(pilot, lambda: "WATCHING" in str(header.content), "watching")
        assert "/arm/robodata/events" in str(header.content)
        robot.tell(CAPITAL, "one", last=6)
        await until(pilot, lambda: "RUNNING" in str(header.content), "the run")
        robot.tell(CAPITAL, "one", first=6)
        await until(pilot, lambda: "ANSWERED" in str(header.content), "its answer")
        await until(pilot, lambda: app.query_one("#claims").option_count == 1, "its claim")
        robot.tell(RELATIVES, "two", first=3)
        await until(pilot, lambda: len(app.conversation.records) == 2, "the second run")
        assert app.conversation.record.question == "(began before this screen)"
        await until(pilot, lambda: app.query_one("#claims").option_count == 5, "its claims")
        # Looking back at an earlier run is not disturbed by a new one.
        app.conversation.go(0)
        robot.tell(CAPITAL, "three")
        await until(pilot, lambda: len(app.conversation.records) == 3, "the third run")
        assert app.conversation.number == 0

    app = watching(robot)
    drive(app, steps)
    app.bridge.close()
    assert robot.over
    assert robot.topics == ["/arm/robodata/events"]


def test_nothing_is_asked_or_set_here() -> None:
    async def steps(pilot: Any) -> None:
        app = pilot.app
        app.start_run("What is this?")
        await press(pilot, "f2")
        assert app.conversation.records == []
        assert len(app.screen_stack) == 1
        await until(pilot, lambda: len(app._notifications) == 2, "both sentences")

    app = watching(Robot())
    drive(app, steps)
    app.bridge.close()


def test_a_screen_that_watches_says_so_and_offers_no_question() -> None:
    async def steps(pilot: Any) -> None:
        app = pilot.app
        await until(pilot, lambda: "F9" in str(app.query_one("#held").content), "what is watched")
        assert "nothing is asked from here" in str(app.query_one("#what").content)
        line = app.workspace.question
        assert "nothing is asked from here" in line.placeholder
        for _ in range(2):
            await press(pilot, "i", "i", "a", "enter")
            assert line.value == "" and app.focused is not line
        offered = {item.binding.description for item in app.screen.active_bindings.values()
                   if item.enabled}  # fmt: skip
        assert "Map" in offered
        assert offered.isdisjoint({"Ask", "Ask live Wikidata", "New conversation"})
        assert not app._notifications, "nothing is refused that was not offered"
        await press(pilot, "t")
        assert app.workspace.pane("trace").display, "letters are keys at once"

    app = watching(Robot())
    drive(app, steps)
    app.bridge.close()


def test_listening_that_fails_is_tried_again() -> None:
    robot = Robot()
    robot.events.put(SourceError("The middleware is gone."))

    async def steps(pilot: Any) -> None:
        app = pilot.app
        banner = app.query_one(Banner)
        await until(pilot, lambda: banner.display, "the banner")
        await click(pilot, "#banner-retry")
        robot.tell(CAPITAL, "one")
        await until(
            pilot, lambda: app.conversation.record and app.conversation.record.state.ended, "a run"
        )

    app = watching(robot)
    drive(app, steps)
    app.bridge.close()


@pytest.mark.parametrize("name", ["", "a b", "1st/events", "x" * 201, "a//b", "events/", "a-b"])
def test_names_of_topics_are_checked(name: str) -> None:
    with pytest.raises(ConfigurationError):
        check_topic(name)


def test_without_ros_it_is_told_before_the_screen(capsys: pytest.CaptureFixture[str]) -> None:
    if importlib.util.find_spec("rclpy") is not None:
        pytest.skip("rclpy is installed here")
    with pytest.raises(ConfigurationError):
        load_watch()
    assert run(["tui", "--ros"]) == 2
    said = capsys.readouterr().err
    assert "ROS 2" in said
    assert "docs/ROS.md" in said


def test_a_topic_needs_ros(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["tui", "--topic=x"]) == 2
    assert "--ros" in capsys.readouterr().err
