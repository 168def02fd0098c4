"""Everything that leads somewhere can be clicked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from robodata_core.run_state import CallView
from robodata_tui.screens.dialog import Reader
from robodata_tui.widgets.rail import StateRail
from robodata_tui.widgets.tabs import PaneTabs
from tests.tui._app import CAPITAL, RELATIVES, click, drive, make_app, press, until, until_shown


async def click_on(pilot: Any, widget: Any, text: str) -> None:
    """Click in the middle of ``text``, wherever it stands in a widget now."""

    def place() -> tuple[int, int] | None:
        lines = ["".join(segment.text for segment in strip) for strip in _lines(widget)]
        for row, line in enumerate(lines):
            if text in line:
                return line.index(text) + len(text) // 2, row
        return None

    await until(pilot, lambda: place() is not None, f"{text!r} on the screen")
    found = place()
    assert found is not None
    await click(pilot, widget, found)


def _lines(widget: Any) -> list[Any]:
    from textual.geometry import Region

    size = widget.size
    return list(widget.render_lines(Region(0, 0, size.width, size.height)))


def test_from_part_to_part_with_the_mouse() -> None:
    async def steps(pilot: Any) -> None:
        app = pilot.app
        await until_shown(pilot)
        # A claim shows its triple, the triple its call, the call its details.
        await click_on(pilot, app.query_one("#claims"), "✓ c3 ")
        await until(pilot, lambda: app.conversation.claim == "c3", "the claim")
        await until(
            pilot, lambda: "of c3" in str(app.workspace.pane("proof").border_title), "its triples"
        )
        await click_on(pilot, app.workspace.pane("proof").main, "T3")
        await click_on(pilot, app.workspace.pane("proof").main, "go to turn")
        tree = app.workspace.pane("trace").main
        await until(pilot, lambda: tree.has_focus, "the timeline")
        await until(pilot, lambda: isinstance(tree.cursor_node.data, CallView), "the call")
        await click_on(pilot, tree, "fetch_relationship")
        await until(pilot, lambda: isinstance(app.screen, Reader), "its details")
        await press(pilot, "escape")
        await until(pilot, lambda: len(app.screen_stack) == 1, "the main screen")
        # A triple of the graph shows the claims that it supports, a click on one goes there.
        await press(pilot, "g")
        await click_on(pilot, app.workspace.pane("graph").main, "T2")
        await until(pilot, lambda: app.conversation.handle == "T2", "the triple")
        await click_on(pilot, app.workspace.pane("proof").main, "✓ c2")
        await until(pilot, lambda: app.conversation.claim == "c2", "its claim")
        # A state jumps to its last visit.
        await click_on(pilot, app.query_one(StateRail), "UPDATE")
        await until(pilot, lambda: tree.cursor_node.data.state == "LOCAL_GRAPH_UPDATE", "the visit")

    drive(make_app(replay=RELATIVES), steps)


def test_tabs_of_a_narrow_screen_and_of_the_timeline() -> None:
    async def steps(pilot: Any) -> None:
        app = pilot.app
        await until_shown(pilot)
        tabs = app.query_one(PaneTabs)
        for text, name in (("2 Proof", "proof"), ("4 Graph", "graph"), ("3 T", "trace")):
            await click_on(pilot, tabs, text)
            await until(pilot, lambda name=name: app.workspace.active == name, name)
            await until(
                pilot, lambda name=name: app.workspace.pane(name).main.has_focus, "its focus"
            )
        pane = app.workspace.pane("trace")
        await click(pilot, pane, (10, 0))
        await until(pilot, lambda: pane.tab == "prompts", "the next tab of the timeline")

    drive(make_app(replay=RELATIVES), steps, size=(80, 24))


def _footer_key(app: Any, text: str) -> Any:
    return next(
        key for key in app.query_one("Footer").query("FooterKey") if key.description == text
    )


def test_a_footer_key_and_the_buttons_of_a_banner(tmp_path: Path) -> None:
    async def steps(pilot: Any) -> None:
        app = pilot.app
        await until_shown(pilot)
        app.query_one("Banner").say("Something is wrong.")
        await until(pilot, lambda: app.query_one("#banner-cancel").region.area > 0, "the buttons")
        await click(pilot, "#banner-cancel")
        await until(pilot, lambda: not app.query_one("Banner").display, "no banner")
        await click_on(pilot, _footer_key(app, "Zoom"), "Zoom")
        await until(pilot, lambda: app.workspace.screen.has_class("-zoomed"), "the zoom")

    drive(make_app(replay=CAPITAL), steps)
