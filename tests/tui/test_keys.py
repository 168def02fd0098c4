"""Every key does what its help says; a key without a test fails here."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from robodata_core.run_state import CallView
from robodata_tui.keymap import BINDINGS
from robodata_tui.screens.chooser import JUMPS, JumpScreen, ThemeScreen
from robodata_tui.screens.dialog import Confirm, Reader
from robodata_tui.screens.export import ExportScreen
from robodata_tui.screens.history import HistoryScreen
from robodata_tui.screens.settings import SettingsScreen
from tests.tui._app import RELATIVES, drive, hang, make_app, until, until_shown

Steps = Callable[[Any], Awaitable[None]]
TESTED: dict[str, list[Steps]] = {}


def key(action: str) -> Callable[[Steps], Steps]:
    """Register a test of an action's keys."""

    def register(steps: Steps) -> Steps:
        TESTED.setdefault(action, []).append(steps)
        return steps

    return register


async def press(pilot: Any, *keys: str) -> None:
    for name in keys:
        await pilot.press(name)
        await pilot.pause()


async def shows(pilot: Any, screen: type) -> None:
    await until(pilot, lambda: isinstance(pilot.app.screen, screen), screen.__name__)


async def focused(pilot: Any, name: str) -> None:
    app = pilot.app
    await until(pilot, lambda: app.focused is app.pane(name).main, f"focus on {name}")


@key("ask")
async def _ask(pilot: Any) -> None:
    await press(pilot, "a")
    assert pilot.app.focused is pilot.app.question


@key("cancel")
async def _cancel_nothing(pilot: Any) -> None:
    await press(pilot, "x")
    assert not pilot.app.cancelling


@key("filter")
async def _filter(pilot: Any) -> None:
    await press(pilot, "5")
    await focused(pilot, "claims")
    await press(pilot, "slash", *"mother", "enter")
    rows = pilot.app.pane("claims").main
    assert rows.option_count == 1
    assert rows.has_focus
    await press(pilot, "escape")
    assert rows.option_count == 5


@key("yank")
async def _yank(pilot: Any) -> None:
    await press(pilot, "5")
    await focused(pilot, "claims")
    await press(pilot, "down", "y")
    assert pilot.app.clipboard == "The mother of Douglas Adams is Janet Adams."
    await press(pilot, "3")
    await focused(pilot, "evidence")
    await press(pilot, "y")
    assert "Janet Adams (Q14623678)" in pilot.app.clipboard
    assert "fetch_relationship_from_node" in pilot.app.clipboard
    await press(pilot, "0", "y")
    assert pilot.app.clipboard.startswith("LOCAL_DATA_EVALUATION → ")


@key("zoom")
async def _zoom(pilot: Any) -> None:
    await press(pilot, "z")
    shown = [pane.id for pane in pilot.app.panes if pane.display]
    assert shown == ["answer"]
    await press(pilot, "z")
    assert len([pane for pane in pilot.app.panes if pane.display]) == 5


@key("export")
async def _export(pilot: Any) -> None:
    await press(pilot, "e")
    await shows(pilot, ExportScreen)


@key("statistics")
async def _statistics(pilot: Any) -> None:
    await press(pilot, "t")
    await shows(pilot, Reader)
    await press(pilot, "y")
    assert "search_entities" in pilot.app.clipboard
    assert "EVAL REMOTE" in pilot.app.clipboard


@key("step(-1)")
@key("step(1)")
async def _step(pilot: Any) -> None:
    await press(pilot, "left_square_bracket", "left_square_bracket")
    record = pilot.app.conversation.record
    assert record.step == 4
    assert record.shown.state == "LOCAL_GRAPH_UPDATE"
    assert pilot.app.pane("answer").view.state.answer is None
    await press(pilot, "right_square_bracket", "right_square_bracket")
    assert record.step is None
    assert pilot.app.pane("answer").view.state.answer is not None


def _pane(number: str, name: str) -> None:
    @key(f"pane('{name}')")
    async def _go(pilot: Any) -> None:
        await press(pilot, "0", number)
        await focused(pilot, name)
        assert pilot.app.active == name


for _number, _name in enumerate(("graph", "timeline", "evidence", "answer", "claims"), 1):
    _pane(str(_number), _name)


@key("pane('timeline')")
async def _tabs(pilot: Any) -> None:
    pane = pilot.app.pane("timeline")
    await press(pilot, "2")
    await focused(pilot, "timeline")
    for name in ("prompts", "log", "timeline"):
        await press(pilot, "2")
        await until(pilot, lambda name=name: pane.tab == name and pane.main.has_focus, name)


@key("rail")
async def _rail(pilot: Any) -> None:
    await press(pilot, "0", "right", "right", "right", "right", "enter")
    await until(
        pilot,
        lambda: pilot.app.pane("timeline").main.cursor_node.data.state == "LOCAL_GRAPH_UPDATE",
        "the cursor on the last update",
    )


@key("follow")
async def _follow(pilot: Any) -> None:
    await press(pilot, "left_square_bracket", "f")
    assert pilot.app.conversation.record.step is None
    assert pilot.app.pane("timeline").following


@key("back")
async def _back(pilot: Any) -> None:
    await press(pilot, "a", "escape")
    await focused(pilot, "answer")
    await press(pilot, "z", "escape")
    assert not pilot.app.main_screen.has_class("-zoomed")


def _is_at(app: Any, name: str) -> bool:
    if name in ("question", "rail"):
        return bool(app.focused.id == name)
    if name in ("prompts", "log"):
        return bool(app.focused.id == f"{name}-body")
    return app.focused is app.pane(name).main


@key("jump")
async def _jump(pilot: Any) -> None:
    for letter, name, _ in JUMPS:
        await press(pilot, "ctrl+o")
        await shows(pilot, JumpScreen)
        await press(pilot, letter)
        await until(pilot, partial(_is_at, pilot.app, name), name)


@key("help")
async def _help(pilot: Any) -> None:
    await press(pilot, "1")
    await focused(pilot, "graph")
    await press(pilot, "f1")
    await shows(pilot, Reader)
    await press(pilot, "y", "escape")
    assert pilot.app.clipboard.startswith("The local graph")
    await press(pilot, "question_mark")
    await shows(pilot, Reader)


@key("settings")
async def _settings(pilot: Any) -> None:
    await press(pilot, "f2")
    await shows(pilot, SettingsScreen)


@key("themes")
async def _themes(pilot: Any) -> None:
    before = pilot.app.theme
    await press(pilot, "f3")
    await shows(pilot, ThemeScreen)
    await press(pilot, "up")
    assert pilot.app.theme != before
    await press(pilot, "escape")
    assert pilot.app.theme == before
    await press(pilot, "f3", "up", "enter")
    assert pilot.app.theme != before


@key("history")
async def _history(pilot: Any) -> None:
    await press(pilot, "f8")
    await shows(pilot, HistoryScreen)


@key("leave")
async def _leave(pilot: Any) -> None:
    await press(pilot, "q")
    await until(pilot, lambda: pilot.app.return_value == 0, "it left")


@pytest.mark.parametrize("action", [binding.action for binding in BINDINGS])
def test_key(action: str) -> None:
    assert action in TESTED, f"the key of {action} has no test"
    for steps in TESTED[action]:

        async def run(pilot: Any, steps: Steps = steps) -> None:
            await until_shown(pilot)
            await focused(pilot, "answer")
            await steps(pilot)

        drive(make_app(replay=RELATIVES), run)


def test_vi_keys_and_arrows_move_alike() -> None:
    async def steps(pilot: Any) -> None:
        await until_shown(pilot)
        await press(pilot, "5")
        await focused(pilot, "claims")
        rows = pilot.app.pane("claims").main
        await press(pilot, "j", "down", "k", "up", "G")
        assert rows.highlighted == 4
        await press(pilot, "g")
        assert rows.highlighted == 0
        await press(pilot, "2")
        await focused(pilot, "timeline")
        tree = pilot.app.pane("timeline").main
        await press(pilot, "g", "j")
        assert tree.cursor_line == 1
        await press(pilot, "h")
        assert tree.cursor_node.is_collapsed
        await press(pilot, "l", "l")
        assert isinstance(tree.cursor_node.data, CallView)
        await press(pilot, "G")
        assert tree.cursor_line == tree.last_line

    drive(make_app(replay=RELATIVES), steps)


def test_cancelling_keeps_what_was_found_and_leaving_asks() -> None:
    reached = threading.Event()

    async def steps(pilot: Any) -> None:
        app = pilot.app
        await press(pilot, *"why", "enter")
        await until(pilot, reached.is_set, "the run")
        await until(pilot, lambda: app.running.state.tool_calls == 1, "its call")
        await press(pilot, "q")
        await shows(pilot, Confirm)
        await press(pilot, "n")
        await press(pilot, "x")
        await until_shown(pilot)
        assert app.conversation.record.state.status == "cancelled"
        assert app.conversation.record.state.tool_calls == 1
        await press(pilot, "a", *"again", "enter")
        await until(pilot, lambda: app.running is not None, "another run")
        app.action_cancel()
        await until_shown(pilot)

    drive(make_app(hang(reached)), steps)


def test_the_keymap_comes_from_the_settings() -> None:
    async def steps(pilot: Any) -> None:
        await until_shown(pilot)
        await focused(pilot, "answer")
        await press(pilot, "z")
        assert not pilot.app.main_screen.has_class("-zoomed")
        await press(pilot, "w")
        assert pilot.app.main_screen.has_class("-zoomed")

    drive(make_app(replay=RELATIVES, keymap={"zoom": "w"}), steps)


def test_every_key_has_a_name_for_the_keymap() -> None:
    names = [binding.id for binding in BINDINGS]
    assert len(set(names)) == len(names)
    assert all(name and name.replace("_", "").isalpha() for name in names)
    keys = [key for binding in BINDINGS for key in binding.key.split(",")]
    assert len(set(keys)) == len(keys)
    assert not {"ctrl+m", "ctrl+h"} & set(keys)


def test_questions_come_back_with_the_arrow_keys(tmp_path: Path) -> None:
    async def steps(pilot: Any) -> None:
        app = pilot.app
        await press(pilot, *"first", "enter")
        await until_shown(pilot)
        await focused(pilot, "answer")
        await press(pilot, "a", *"second", "enter")
        await until(pilot, lambda: len(app.conversation.records) == 2, "the second question")
        await until_shown(pilot)
        await focused(pilot, "answer")
        await press(pilot, "a", *"draft", "up", "up")
        assert app.question.value == "first"
        await press(pilot, "down", "down")
        assert app.question.value == "draft"
        assert app.core.questions == ["first", "second"]

    drive(make_app(), steps)
