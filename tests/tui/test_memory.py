"""What a session keeps does not grow with what was shown and is gone."""

from __future__ import annotations

import gc
from typing import Any

from textual._styles_cache import StylesCache
from textual.cache import FIFOCache
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from robodata_core.model import EntityValue
from robodata_tui.memory import give_back, settle
from robodata_tui.widgets.pane import RowsTree
from tests.tui._app import RELATIVES, drive, make_app, press, until, until_shown

_KEEPERS = (dict, list, tuple, FIFOCache, Strip, StylesCache)


def _there(kind: type) -> int:
    return sum(isinstance(thing, kind) for thing in gc.get_objects())


def _strips(screen: Screen[Any]) -> int:
    """Count the lines, and what was cut of them, that the widgets of a screen keep."""
    waiting: list[Any] = [widget._styles_cache for widget in (screen, *screen.walk_children())]
    seen: dict[int, Any] = {}
    while waiting:
        thing = waiting.pop()
        if id(thing) not in seen and isinstance(thing, _KEEPERS):
            seen[id(thing)] = thing
            waiting += gc.get_referents(thing)
    return sum(isinstance(thing, Strip) for thing in seen.values())


def test_pictures_of_widgets_that_are_gone_are_let_go_of() -> None:
    """Textual keeps those of the last thousand widgets, unless it is told to forget them."""

    async def steps(pilot: Any) -> None:
        for _ in range(4):
            await press(pilot, *"why", "enter")
            await until_shown(pilot)
        settle()
        give_back()
        gc.unfreeze()
        assert _there(StylesCache) <= _there(Widget) + 1

    drive(make_app(), steps)


def test_the_core_rests_after_every_run() -> None:
    async def steps(pilot: Any) -> None:
        app = pilot.app
        for number in range(1, 4):
            app.start_run("why")
            await until_shown(pilot)
            await until(pilot, lambda n=number: app.core.rests == n, "a rest")

    drive(make_app(), steps)


def test_what_was_cut_of_drawn_lines_is_let_go_of_at_a_rest() -> None:
    """Textual keeps it with every line for as long as the line stands."""

    async def steps(pilot: Any) -> None:
        app = pilot.app
        for number in range(1, 11):
            app.start_run("why")
            await until(pilot, lambda n=number: len(app.core.questions) == n, "the question")
            await until_shown(pilot)
            if number == 9:
                for name in ("proof", "trace", "graph", "doubt", "answer"):
                    app.action_pane(name)
                    await press(pilot, *"jkjk")
                before = _strips(app.screen)
        await until(pilot, lambda: app.core.rests == 10, "ten rests")
        await until(pilot, lambda: _strips(app.screen) < 0.85 * before, "lines let go of")

    drive(make_app(), steps)


def test_what_another_core_held_is_searched_again() -> None:
    class Held:
        pass

    held = Held()
    held.itself = held  # type: ignore[attr-defined]
    settle()
    del held
    settle()
    gc.unfreeze()
    assert not _there(Held)


def test_the_graph_begins_with_the_run_and_ends_with_a_row_for_the_rest() -> None:
    async def steps(pilot: Any) -> None:
        app = pilot.app
        await until_shown(pilot)
        record = app.conversation.record
        own = next(iter(record.state.graph.values()))
        before = {
            f"B{n}": type(own)(
                f"B{n}", type(own.triple)(f"Q9{n}", "P31", EntityValue("Q5")), "", "", ""
            )
            for n in range(300)
        }
        record._whole = {**before, **record.whole}
        await press(pilot, "g")
        tree = app.workspace.pane("graph").query_one(RowsTree)
        await until(pilot, lambda: tree.root.children, "the graph")
        labels = [str(child.label) for child in tree.root.children]
        subjects = {item.triple.subject for item in record.state.graph.values()}
        assert own.triple.subject in labels[0]
        assert labels[-1] == f"… {300 + len(subjects) - 100:,} more subjects; / filters"

    drive(make_app(replay=RELATIVES), steps)
