"""``robodata tui --ros`` on a real node: its runs and its map come up on the screen."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from textual.widgets import Static

from robodata_core.config import Settings
from robodata_msgs import msg as m
from robodata_msgs.srv import AskQuestion
from robodata_tui.app import RoboDataApp
from robodata_tui.dialogs import Options
from robodata_tui.screens.map import MapScreen
from robodata_tui.watching import RobotBridge, load_watch
from robodata_tui.widgets.pane import Rows
from tests.ros.harness import NodeProcess, Peer, running
from tests.ros.test_map import thing
from tests.tui._app import drive, until


@pytest.fixture(scope="module")
def node(peer: Peer) -> Iterator[NodeProcess]:
    with running("/watched", peer) as made:
        yield made


def test_a_run_of_the_robot_comes_up_on_the_screen(node: NodeProcess, peer: Peer) -> None:
    topic = f"{node.name}/events"

    def no_core(settings: Settings) -> Any:
        raise AssertionError("no core is opened")

    async def steps(pilot: Any) -> None:
        app = pilot.app
        await asyncio.to_thread(peer.until_watched, node)
        request = AskQuestion.Request(question="What is a knife made of?")
        asked = peer.call(AskQuestion, f"{node.name}/ask", request)
        assert asked.success
        await until(
            pilot,
            lambda: app.conversation.record and app.conversation.record.state.ended,
            "the robot's run",
        )
        state = app.conversation.record.state
        assert (state.question, state.status) == ("What is a knife made of?", "answered")
        await until(pilot, lambda: "≈ c1" in _rows(app, "answer"), "its claim")
        await until(pilot, lambda: "decides" in app.workspace.pane("proof").yank(), "its evidence")
        await until(pilot, lambda: "ANSWERED" in str(app.query_one("#header").content), "header")

    app = RoboDataApp(Options(Settings(), no_core, ssh=True), RobotBridge(load_watch(), topic))
    try:
        drive(app, steps)
    finally:
        app.bridge.close()


def test_the_map_of_the_robot_comes_up_on_the_screen(node: NodeProcess, peer: Peer) -> None:
    publisher = peer.node.create_publisher(m.SemanticObjectArray, f"{node.name}/objects", 10)
    array = m.SemanticObjectArray(objects=[thing("cup", 1.0, 2.0, id_="cup_1")])
    array.header.frame_id = "map"

    def no_core(settings: Settings) -> Any:
        raise AssertionError("no core is opened")

    async def steps(pilot: Any) -> None:
        await pilot.press("f9")

        def shown() -> bool:
            publisher.publish(array)
            screen = pilot.app.screen
            return isinstance(screen, MapScreen) and "◉cup 1" in str(
                screen.query_one("#map-plan", Static).content
            )

        await until(pilot, shown, "the cup on the map")
        (row,) = pilot.app.screen.query_one(Rows).texts
        assert row.startswith("● cup 1 0.90")

    topic = f"{node.name}/events"
    app = RoboDataApp(Options(Settings(), no_core, ssh=True), RobotBridge(load_watch(), topic))
    try:
        drive(app, steps)
    finally:
        app.bridge.close()
        peer.node.destroy_publisher(publisher)


def _rows(app: RoboDataApp, name: str) -> str:
    rows: Any = app.workspace.pane(name).main
    return "\n".join(str(rows.get_option_at_index(n).prompt) for n in range(rows.option_count))
