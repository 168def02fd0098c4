"""Every key does what its help says; a key without a test fails here."""

from __future__ import annotations

import asyncio
import importlib
import pkgutil
import threading
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.command import CommandPalette

import robodata_tui
from robodata_core.run_state import CallView
from robodata_tui.keymap import BINDINGS
from robodata_tui.screens.chooser import JUMPS, ExportScreen, HistoryScreen, JumpScreen, ThemeScreen
from robodata_tui.screens.dialog import Confirm, Dialog, Reader
from robodata_tui.screens.settings import SettingsScreen
from robodata_tui.widgets.tabs import Banner
from robodata_tui.widgets.welcome import Welcome
from tests.tui._app import (
    CAPITAL,
    RELATIVES,
    drive,
    hang,
    make_app,
    play,
    press,
    settled,
    until,
    until_shown,
)

Steps = Callable[[Any], Awaitable[None]]
TESTED: dict[str, list[Steps]] = {}
OWN: dict[tuple[str, str], Steps] = {}


def key(action: str) -> Callable[[Steps], Steps]:
    """Register a test of an action's keys."""

    def register(steps: Steps) -> Steps:
        TESTED.setdefault(action, []).append(steps)
        return steps

    return register


def own(name: str, *keys: str) -> Callable[[Steps], Steps]:
    """Register a test of keys that a class of widget or dialog has by itself."""

    def register(steps: Steps) -> Steps:
        OWN.update({(name, single): steps for single in keys})
        return steps

    return register


async def holds(pilot: Any, what: Callable[[], object]) -> None:
    """Wait for what a key brings about: some of it comes with the next picture only."""
    await until(pilot, what, "what the key brings about")


async def shows(pilot: Any, screen: type) -> None:
    await until(pilot, lambda: isinstance(pilot.app.screen, screen), screen.__name__)


async def gone(pilot: Any) -> None:
    await until(pilot, lambda: len(pilot.app.screen_stack) == 1, "no dialog")


async def focused(pilot: Any, name: str) -> None:
    app = pilot.app
    await until(pilot, lambda: app.focused is app.workspace.pane(name).main, f"focus on {name}")


async def go(pilot: Any, name: str) -> None:
    """Go to a pane, wherever the focus is."""
    pilot.app.action_pane(name)
    await focused(pilot, name)


async def begin(pilot: Any) -> None:
    """Bring the application back to how every test finds it: on the answer of a journal."""
    app = pilot.app
    while len(app.screen_stack) > 1:
        app.pop_screen()
        await settled(pilot)
    record = app.conversation.record
    record.step = None
    app.conversation.go(0)
    app.workspace.screen.remove_class("-zoomed")
    for pane in app.workspace.panes:
        pane.clear_filter()
    app.clear_notifications()
    pane = app.workspace.pane("trace")
    if pane.tab != "trace":
        pane.go_tab("trace")
    app.workspace.refresh()
    await go(pilot, "answer")


@key("ask")
async def _ask(pilot: Any) -> None:
    await press(pilot, "a")
    await holds(pilot, lambda: pilot.app.focused is pilot.app.workspace.question)


@key("cancel")
async def _cancel_nothing(pilot: Any) -> None:
    await press(pilot, "x")
    await holds(pilot, lambda: not pilot.app.session.cancelling)
    assert "Cancel" not in [key.description for key in pilot.app.query("FooterKey")]


@key("stop")
async def _stop(pilot: Any) -> None:
    app = pilot.app
    said = [note.message for note in app._notifications]
    await press(pilot, "ctrl+c")
    await holds(pilot, lambda: len(app._notifications) == len(said) + 1)
    assert not app.session.cancelling
    await press(pilot, "a", *"who", "shift+home", "ctrl+c")
    await holds(pilot, lambda: app.clipboard == "who" and not app.workspace.question.selected_text)
    assert app.workspace.question.value == "who"
    app.workspace.question.value = ""


@key("new_conversation")
async def _new_conversation(pilot: Any) -> None:
    app = pilot.app
    app.conversation.turns = 2
    await press(pilot, "ctrl+n")
    await holds(
        pilot, lambda: app.focused is app.workspace.question and app.conversation.turns == 0
    )
    await holds(pilot, lambda: app.query_one(".divider").display)
    assert app.conversation.fresh
    app.conversation.fresh = False


@key("filter")
async def _filter(pilot: Any) -> None:
    await press(pilot, "1")
    await focused(pilot, "answer")
    await press(pilot, "slash", *"mother", "enter")
    rows = pilot.app.workspace.pane("answer").main
    await holds(pilot, lambda: rows.option_count == 1)
    await holds(pilot, lambda: rows.has_focus)
    await press(pilot, "escape")
    await holds(pilot, lambda: rows.option_count == 5)


@key("yank")
async def _yank(pilot: Any) -> None:
    await press(pilot, "1")
    await focused(pilot, "answer")
    await press(pilot, "down", "y")
    await holds(pilot, lambda: pilot.app.clipboard == "The mother of Douglas Adams is Janet Adams.")
    await press(pilot, "2")
    await focused(pilot, "proof")
    await press(pilot, "y")
    await holds(pilot, lambda: "mother → Janet Adams" in pilot.app.clipboard)
    await press(pilot, "enter", "down", "y")
    await holds(pilot, lambda: "fetch_relationship_from_node" in pilot.app.clipboard)
    await press(pilot, "0", "y")
    await holds(pilot, lambda: pilot.app.clipboard.startswith("LOCAL_DATA_EVALUATION → "))


@key("zoom")
async def _zoom(pilot: Any) -> None:
    await press(pilot, "z")
    shown = [pane.id for pane in pilot.app.workspace.panes if pane.display]
    await holds(pilot, lambda: shown == ["answer"])
    await press(pilot, "z")
    await holds(
        pilot, lambda: len([pane for pane in pilot.app.workspace.panes if pane.display]) == 3
    )


@key("open('export')")
async def _export(pilot: Any) -> None:
    await press(pilot, "e")
    await shows(pilot, ExportScreen)


@key("open('proof')")
async def _proof(pilot: Any) -> None:
    await press(pilot, "p")
    await shows(pilot, Reader)
    await press(pilot, "y")
    await holds(
        pilot,
        lambda: "Douglas Adams ══ father¹ ══▶ Christopher Douglas Adams" in pilot.app.clipboard,
    )


@key("other(1)")
@key("other(-1)")
async def _answers(pilot: Any) -> None:
    app = pilot.app
    for pane in ("answer", "proof", "trace"):
        await go(pilot, pane)
        await press(pilot, "n")
        await holds(pilot, lambda: app.conversation.number == 1)
        await press(pilot, "N")
        await holds(pilot, lambda: app.conversation.number == 0)


@key("return")
async def _return(pilot: Any) -> None:
    await press(pilot, "enter")
    await focused(pilot, "proof")
    await press(pilot, "b")
    await focused(pilot, "answer")


@key("live")
async def _live(pilot: Any) -> None:
    await press(pilot, "w")
    await shows(pilot, Confirm)
    await press(pilot, "n")
    await gone(pilot)


@key("open('statistics')")
async def _statistics(pilot: Any) -> None:
    await press(pilot, "s")
    await shows(pilot, Reader)
    await press(pilot, "y")
    await holds(pilot, lambda: "search_entities" in pilot.app.clipboard)
    await holds(pilot, lambda: "EVAL REMOTE" in pilot.app.clipboard)


@key("step(-1)")
@key("step(1)")
async def _step(pilot: Any) -> None:
    await press(pilot, "left_square_bracket", "left_square_bracket")
    record = pilot.app.conversation.record
    await holds(pilot, lambda: record.step == 4)
    await holds(pilot, lambda: record.shown.state == "LOCAL_GRAPH_UPDATE")
    await holds(pilot, lambda: pilot.app.workspace.pane("answer").view.state.answer is None)
    await press(pilot, "right_square_bracket", "right_square_bracket")
    await holds(pilot, lambda: record.step is None)
    await holds(pilot, lambda: pilot.app.workspace.pane("answer").view.state.answer is not None)


def _pane(number: str, name: str) -> None:
    @key(f"pane('{name}')")
    async def _go(pilot: Any) -> None:
        await press(pilot, "0", number)
        await focused(pilot, name)
        await holds(pilot, lambda: pilot.app.workspace.active == name)


for _number, _name in enumerate(("answer", "proof", "trace", "graph", "doubt"), 1):
    _pane(str(_number), _name)


@key("pane('timeline')")
async def _tabs(pilot: Any) -> None:
    pane = pilot.app.workspace.pane("trace")
    await press(pilot, "3")
    await focused(pilot, "trace")
    for name in ("prompts", "log", "trace"):
        await press(pilot, "t")
        await until(pilot, lambda name=name: pane.tab == name and pane.main.has_focus, name)


@key("rail")
async def _rail(pilot: Any) -> None:
    await press(pilot, "0", "right", "right", "right", "right", "enter")
    await until(
        pilot,
        lambda: (
            pilot.app.workspace.pane("trace").main.cursor_node.data.state == "LOCAL_GRAPH_UPDATE"
        ),
        "the cursor on the last update",
    )


@key("follow")
async def _follow(pilot: Any) -> None:
    await press(pilot, "left_square_bracket", "f")
    await holds(pilot, lambda: pilot.app.conversation.record.step is None)
    await holds(pilot, lambda: pilot.app.workspace.pane("trace").following)


@key("back")
async def _back(pilot: Any) -> None:
    await press(pilot, "a", "escape")
    await focused(pilot, "answer")
    await press(pilot, "z", "escape")
    await holds(pilot, lambda: not pilot.app.workspace.screen.has_class("-zoomed"))


def _is_at(app: Any, name: str) -> bool:
    if name in ("Question", "States"):
        return bool(app.focused.id == {"Question": "question", "States": "rail"}[name])
    if name in ("Prompts", "Log"):
        return bool(app.focused.id == f"{name.lower()}-body")
    return app.focused is app.workspace.pane(name.lower()).main


@key("open('jump')")
async def _jump(pilot: Any) -> None:
    for letter, name in JUMPS.items():
        await press(pilot, "ctrl+o")
        await shows(pilot, JumpScreen)
        await press(pilot, letter)
        await until(pilot, partial(_is_at, pilot.app, name), name)


@key("open('help')")
async def _help(pilot: Any) -> None:
    await press(pilot, "4")
    await focused(pilot, "graph")
    await press(pilot, "f1")
    await shows(pilot, Reader)
    await press(pilot, "y", "escape")
    await holds(pilot, lambda: pilot.app.clipboard.startswith("The local graph"))
    await press(pilot, "question_mark")
    await shows(pilot, Reader)


@key("settings")
async def _settings(pilot: Any) -> None:
    await press(pilot, "f2")
    await shows(pilot, SettingsScreen)


@key("open('themes')")
async def _themes(pilot: Any) -> None:
    before = pilot.app.theme
    await press(pilot, "f3")
    await shows(pilot, ThemeScreen)
    await press(pilot, "up")
    await holds(pilot, lambda: pilot.app.theme != before)
    await press(pilot, "escape")
    await holds(pilot, lambda: pilot.app.theme == before)
    await press(pilot, "f3", "up", "enter")
    await holds(pilot, lambda: pilot.app.theme != before)


@key("open('history')")
async def _history(pilot: Any) -> None:
    await press(pilot, "f8")
    await shows(pilot, HistoryScreen)


@key("leave")
async def _leave(pilot: Any) -> None:
    await press(pilot, "q")
    await until(pilot, lambda: pilot.app.return_value == 0, "it left")


@own("RowsTree", "j", "k", "h", "left", "l", "right")
async def _tree(pilot: Any) -> None:
    await go(pilot, "trace")
    tree = pilot.app.workspace.pane("trace").main
    await press(pilot, "home")
    await holds(pilot, lambda: tree.cursor_line == 0)
    await press(pilot, "j")
    await holds(pilot, lambda: tree.cursor_line == 1)
    await press(pilot, "k")
    await holds(pilot, lambda: tree.cursor_line == 0)
    await press(pilot, "j")
    await holds(pilot, lambda: tree.cursor_line == 1)
    for shut, open_ in (("h", "l"), ("left", "right")):
        await press(pilot, shut)
        await holds(pilot, lambda: tree.cursor_node.is_collapsed)
        await press(pilot, open_)
        await holds(pilot, lambda: tree.cursor_node.is_expanded)
    await press(pilot, "l")
    await holds(pilot, lambda: isinstance(tree.cursor_node.data, CallView))
    await press(pilot, "left")
    await holds(pilot, lambda: tree.cursor_line == 1)
    await press(pilot, "end")
    await holds(pilot, lambda: tree.cursor_line == tree.last_line)


@own("Rows", "j", "k", "l")
async def _rows(pilot: Any) -> None:
    await go(pilot, "answer")
    rows = pilot.app.workspace.pane("answer").main
    await press(pilot, "home")
    await holds(pilot, lambda: rows.highlighted == 0)
    await press(pilot, "j", "down")
    await holds(pilot, lambda: rows.highlighted == 2)
    await press(pilot, "k", "up")
    await holds(pilot, lambda: rows.highlighted == 0)
    await press(pilot, "end")
    await holds(pilot, lambda: rows.highlighted == 4)
    await holds(pilot, lambda: pilot.app.conversation.claim == "c5")
    await press(pilot, "l")
    await focused(pilot, "proof")


@own("ClaimRows", "right", "h", "left")
async def _citations(pilot: Any) -> None:
    app = pilot.app
    await holds(pilot, lambda: app.conversation.claim == "c1")
    for there, back in (("right", "h"), ("right", "left")):
        await press(pilot, there)
        await holds(pilot, lambda: app.conversation.claim == "c2")
        await press(pilot, back)
        await holds(pilot, lambda: app.conversation.claim == "c1")
    await press(pilot, "enter")
    await focused(pilot, "proof")


@own("AnswerPane", "o")
async def _unfolding(pilot: Any) -> None:
    app = pilot.app
    record = app.conversation.record
    question, record.question = record.question, "Why " + "and why " * 80 + "so?"
    app.workspace.refresh()

    def shown() -> str:
        return str(app.query(".exchange.-current").first().content)

    for part in ("#claims", "#conversation"):
        app.query_one(part).focus()
        await holds(pilot, lambda: "(o unfolds)" in shown())
        await press(pilot, "o")
        await holds(pilot, lambda: "so?" in shown())
        await press(pilot, "o")
    record.question = question
    app.workspace.refresh()


@own("Conversation", "j", "k")
async def _scrolling(pilot: Any) -> None:
    scroll = pilot.app.workspace.pane("answer").scroller
    pilot.app.conversation.go(1)  # below an earlier answer nothing stands but its claims
    pilot.app.workspace.refresh()
    scroll.focus()
    await pilot.resize_terminal(80, 12)
    await holds(pilot, lambda: scroll.max_scroll_y > 1)
    scroll.scroll_home(animate=False)
    await holds(pilot, lambda: scroll.scroll_offset.y == 0)
    await press(pilot, "j")
    await holds(pilot, lambda: scroll.scroll_offset.y > 0)
    await press(pilot, "k")
    await holds(pilot, lambda: scroll.scroll_offset.y == 0)
    await pilot.resize_terminal(160, 48)
    await holds(pilot, lambda: pilot.app.workspace.pane("proof").display)


@own("ProofPane", "backspace")
async def _around(pilot: Any) -> None:
    app = pilot.app
    app.conversation.select_claim("c2")
    app.workspace.refresh()
    await go(pilot, "proof")
    await press(pilot, "backspace")
    await holds(pilot, lambda: app.conversation.handle == "T2")
    await press(pilot, "backspace")
    await focused(pilot, "answer")
    await holds(pilot, lambda: app.conversation.claim == "c2")


@own("StateRail", "left", "h", "right", "l", "enter")
async def _rail_keys(pilot: Any) -> None:
    app = pilot.app
    await press(pilot, "0")
    rail = app.focused
    place = rail._cursor
    for there, back in (("right", "left"), ("l", "h")):
        await press(pilot, there)
        await holds(pilot, lambda: rail._cursor == (place + 1) % 6)
        await press(pilot, back)
        await holds(pilot, lambda: rail._cursor == place)
    await press(pilot, *["l"] * ((0 - place) % 6), "enter")
    await focused(pilot, "trace")
    tree = app.workspace.pane("trace").main
    await holds(pilot, lambda: tree.cursor_node.data.state == "LOCAL_DATA_EVALUATION")


@own("QuestionInput", "up", "down")
async def _earlier(pilot: Any) -> None:
    app = pilot.app
    app.workspace.question.remember("an earlier question")
    await press(pilot, "a", "d", "up")
    await holds(pilot, lambda: app.workspace.question.value == "an earlier question")
    await press(pilot, "down")
    await holds(pilot, lambda: app.workspace.question.value == "d")
    app.workspace.question.value = ""


@own("QuestionInput", "pageup", "pagedown")
async def _paging(pilot: Any) -> None:
    scroll = pilot.app.query_one("#claims")
    await pilot.resize_terminal(80, 12)
    await holds(pilot, lambda: scroll.max_scroll_y > 1)
    await press(pilot, "a", "pageup", "pageup")
    await holds(pilot, lambda: scroll.scroll_offset.y == 0)
    await press(pilot, "pagedown")
    await holds(pilot, lambda: scroll.scroll_offset.y > 0)
    assert pilot.app.focused is pilot.app.workspace.question
    await pilot.resize_terminal(160, 48)
    await holds(pilot, lambda: pilot.app.workspace.pane("proof").display)


@own("QuestionInput", "escape")
async def _leaving_the_line(pilot: Any) -> None:
    app = pilot.app
    for together in (False, True):
        await press(pilot, "a", "w")
        # A terminal tells Esc and a letter right behind it as one key.
        keys = [("alt+z", "z")] if together else [("escape", None), ("z", "z")]
        for name, letter in keys:
            app.post_message(events.Key(name, letter))
        await holds(pilot, lambda: app.workspace.screen.has_class("-zoomed"))
        assert app.workspace.question.value == "w"
        await press(pilot, "z")
        app.workspace.question.value = ""


@own("Line", "tab", "shift+tab")
async def _out_of_the_line_and_into_it(pilot: Any) -> None:
    app = pilot.app
    await press(pilot, "a")
    for name, letter in (("tab", None), ("2", "2")):  # in one go: the digit is not for the line
        app.post_message(events.Key(name, letter))
    proof = app.workspace.pane("proof")
    await holds(pilot, lambda: app.workspace.focused_part() is proof)
    assert app.workspace.question.value == ""
    await press(pilot, "a", "shift+tab")
    await holds(pilot, lambda: app.focused is not app.workspace.question)


own("QuestionInput", "ctrl+c")(_stop)
own("QuestionInput", "ctrl+n")(_new_conversation)


@own("Banner", "escape")
async def _banner(pilot: Any) -> None:
    banner = pilot.app.query_one(Banner)
    banner.say("Something is wrong.")
    pilot.app.query_one("#banner-cancel").focus()
    await press(pilot, "escape")
    await holds(pilot, lambda: not banner.display)


@own("Dialog", "escape", "q")
@own("Reader", "escape", "q", "enter", "y", "j", "k")
async def _reader(pilot: Any) -> None:
    app = pilot.app
    for leave in ("escape", "q", "enter"):
        app.push_screen(Reader("Title", "line\n" * 200))
        await shows(pilot, Reader)
        scroll = app.screen.query_one(".reader")
        await holds(pilot, lambda scroll=scroll: scroll.has_focus)
        await press(pilot, "j", "j")
        await holds(pilot, lambda scroll=scroll: scroll.scroll_offset.y == 2)
        await press(pilot, "k")
        await holds(pilot, lambda scroll=scroll: scroll.scroll_offset.y == 1)
        await press(pilot, "y")
        await holds(pilot, lambda: app.clipboard == "line\n" * 200)
        await press(pilot, leave)
        await gone(pilot)


@own("Confirm", "escape", "n", "y")
async def _confirm(pilot: Any) -> None:
    for name, answer in (("escape", None), ("n", None), ("y", True)):
        answers: list[Any] = []
        pilot.app.push_screen(Confirm("Sure?", "Do it"), answers.append)
        await shows(pilot, Confirm)
        await press(pilot, name)
        await holds(pilot, lambda answers=answers, answer=answer: answers == [answer])


@own("ExportScreen", "escape")
@own("HistoryScreen", "escape")
@own("SettingsScreen", "escape")
@own("ThemeScreen", "escape")
async def _leaving(pilot: Any) -> None:
    for opens in ("e", "f8", "f2", "f3"):
        await press(pilot, opens)
        await holds(pilot, lambda: len(pilot.app.screen_stack) == 2)
        await press(pilot, "escape")
        await gone(pilot)


@own("JumpScreen", "escape", "ctrl+o")
async def _leaving_jump(pilot: Any) -> None:
    for leave in ("escape", "ctrl+o"):
        await press(pilot, "ctrl+o")
        await shows(pilot, JumpScreen)
        await press(pilot, leave)
        await gone(pilot)


@own("SettingsScreen", "ctrl+s")
async def _saving(pilot: Any) -> None:
    await press(pilot, "f2")
    await shows(pilot, SettingsScreen)
    pilot.app.screen.query_one("#max_turns").value = "0"
    await press(pilot, "ctrl+s")
    problem = pilot.app.screen.query_one(".problem")
    await holds(pilot, lambda: "max_turns" in str(problem.content))


@own("Examples", "1", "2", "3", "4", "5", "6")
async def _examples(pilot: Any) -> None:
    chosen: list[str] = []
    screen = ExamplesScreen(chosen)
    pilot.app.push_screen(screen)
    await shows(pilot, ExamplesScreen)
    for number in "123456":
        await press(pilot, number)
    await holds(pilot, lambda: chosen == [f"question {number}" for number in range(1, 7)])
    pilot.app.pop_screen()


class ExamplesScreen(Dialog):
    """The first screen's list by itself: in the application it is gone after a question."""

    def __init__(self, chosen: list[str]) -> None:
        super().__init__()
        self._chosen = chosen

    def compose(self) -> Any:
        yield Welcome(id="welcome")

    def on_mount(self) -> None:
        welcome = self.query_one(Welcome)
        welcome.put("held", [f"question {number}" for number in range(1, 7)], True)
        welcome.rows.focus()

    def on_welcome_chosen(self, event: Welcome.Chosen) -> None:
        event.stop()
        self._chosen.append(event.question)


@own("QuestionInput", "enter")
async def _asking(pilot: Any) -> None:
    await press(pilot, "a", *"why", "enter")
    await holds(pilot, lambda: pilot.app.core.questions == ["why"])
    await until_shown(pilot)


for _letter in JUMPS:
    own("JumpScreen", _letter)(_jump)


def classes_with_keys() -> Iterator[type]:
    """Find every class of the package that has keys of its own."""
    for module in pkgutil.walk_packages(robodata_tui.__path__, "robodata_tui."):
        for found in vars(importlib.import_module(module.name)).values():
            if isinstance(found, type) and found.__module__ == module.name:
                yield from [found] if found.__dict__.get("BINDINGS") else []


def test_every_key_has_a_test() -> None:
    assert {binding.action for binding in BINDINGS} <= set(TESTED)
    there = set()
    for found in classes_with_keys():
        if found.__name__ != "RoboDataApp":
            for binding in found.__dict__["BINDINGS"]:
                keys = binding[0] if isinstance(binding, tuple) else binding.key
                there |= {(found.__name__, single.strip()) for single in keys.split(",")}
    assert there == set(OWN), "keys without a test, or tests without a key"


# Leaving and asking come last: after them the application is another one.
_LAST = (_asking, _leave)
_ORDER = list(
    dict.fromkeys([*(steps for found in TESTED.values() for steps in found), *OWN.values()])
)
_ORDER = [steps for steps in _ORDER if steps not in _LAST]


@pytest.mark.parametrize("part", range(8))
def test_keys(part: int) -> None:
    """Several tests to an application: starting one takes longer than pressing a key."""

    async def run(pilot: Any) -> None:
        app = pilot.app
        await until_shown(pilot)
        app.dialogs.open_journal(CAPITAL)
        await until(pilot, lambda: len(app.conversation.records) == 2, "both journals")
        for steps in _ORDER[part::8]:
            await begin(pilot)
            try:
                await steps(pilot)
            except AssertionError as error:
                raise AssertionError(f"{steps.__name__}: {error}") from error

    drive(make_app(replay=RELATIVES), run)


@pytest.mark.parametrize("steps", _LAST)
def test_last_keys(steps: Steps) -> None:
    async def run(pilot: Any) -> None:
        await until_shown(pilot)
        await begin(pilot)
        await steps(pilot)

    drive(make_app(replay=RELATIVES), run)


def test_the_palette_offers_every_action() -> None:
    async def steps(pilot: Any) -> None:
        app = pilot.app
        await until_shown(pilot)
        await go(pilot, "answer")
        await press(pilot, "ctrl+p")
        await shows(pilot, CommandPalette)
        await press(pilot, *"Zoom")
        await holds(pilot, lambda: app.screen.query_one("CommandList").option_count >= 1)
        await press(pilot, "enter")
        await gone(pilot)
        await holds(pilot, lambda: app.workspace.screen.has_class("-zoomed"))
        offered = {command.title for command in app.get_system_commands(app.screen)}
        assert offered >= {item.description for item in BINDINGS} - {"Ask", "Back", "Stop"}

    drive(make_app(replay=RELATIVES), steps)


@pytest.mark.parametrize("rounds", [0, 1, 2, 3, 5, 8])
def test_no_key_is_lost_where_the_screen_is_behind(rounds: int) -> None:
    """A key that is held down comes faster than panes are drawn."""

    async def steps(pilot: Any) -> None:
        app = pilot.app
        await until_shown(pilot)
        for pane, name in (("answer", "j"), ("answer", "right")):
            app.conversation.select_claim("c1")
            app.workspace.refresh()
            await go(pilot, pane)
            for _ in range(4):
                app.post_message(events.Key(name, None))
                for _ in range(rounds):
                    await asyncio.sleep(0)
            await settled(pilot)
            assert app.conversation.claim == "c5", pane
            assert app.workspace.pane("answer").main.highlighted == 4

    drive(make_app(replay=RELATIVES), steps)


@pytest.mark.parametrize(("key", "part"), [("a", "#question"), ("slash", "#answer .filter")])
def test_what_is_typed_right_behind_a_key_that_leads_to_a_line_is_text(key: str, part: str) -> None:
    """Also where it all comes at once: its letters would be keys of the pane."""

    async def steps(pilot: Any) -> None:
        app = pilot.app
        await until_shown(pilot)
        await go(pilot, "answer")
        for name in (key, "s", "a", "slash", "p"):
            character = "/" if name == "slash" else name
            app.post_message(events.Key(name, character))
        await until(pilot, lambda: app.query_one(part).value == "sa/p", "the text")
        assert len(app.screen_stack) == 1
        await press(pilot, "escape", "s", "a", "slash")
        assert len(app.screen_stack) == 2, "in a dialog they do nothing"
        assert app.query_one("#question").value in ("", "sa/p")

    drive(make_app(replay=RELATIVES), steps)


@pytest.mark.parametrize("keys", [("escape", "x"), ("ctrl+c",)], ids=["from a pane", "anywhere"])
def test_cancelling_keeps_what_was_found_and_leaving_asks(keys: tuple[str, ...]) -> None:
    reached = threading.Event()

    async def steps(pilot: Any) -> None:
        app = pilot.app
        await press(pilot, *"why", "enter")
        await until(pilot, reached.is_set, "the run")
        await until(pilot, lambda: app.running.state.tool_calls == 1, "its call")
        await press(pilot, "ctrl+q")
        await shows(pilot, Confirm)
        await press(pilot, "n")
        await press(pilot, *"x and", *keys)
        await until_shown(pilot)
        assert app.conversation.record.state.status == "cancelled"
        assert app.conversation.record.state.tool_calls == 1
        assert app.workspace.question.value == "x and"
        app.action_ask()
        await press(pilot, *" again", "enter")
        await until(pilot, lambda: app.running is not None, "another run")
        assert app.core.questions[-1] == "x and again"
        app.action_cancel()
        await until_shown(pilot)

    drive(make_app(hang(reached)), steps)


def test_the_line_keeps_the_cursor_unless_the_reader_takes_it_away() -> None:
    go_on = threading.Event()

    def waits(question: str, emit: Any, cancel: Any) -> None:
        go_on.wait(110)
        play(CAPITAL)(question, emit, cancel)

    async def steps(pilot: Any) -> None:
        app = pilot.app
        # A burst: what comes behind Enter is the next question's.
        for name in (*"one", "enter", *"two"):
            app.post_message(events.Key(name, name if len(name) == 1 else None))
        await until(pilot, lambda: app.workspace.question.value == "two", "the next question")
        assert app.running.question == "one"
        await press(pilot, "enter", *"three", "enter", *"four")
        assert list(app.session.queued) == ["two", "three"], "Enter puts them behind the run"
        assert app.workspace.question.value == "four", "what is typed meanwhile stays"
        go_on.set()
        await until(pilot, lambda: len(app.conversation.records) == 3, "all three questions")
        await until_shown(pilot)
        assert app.focused is app.workspace.question
        assert app.workspace.question.value == "four"
        assert app.core.questions == ["one", "two", "three"]

    drive(make_app(waits), steps)


def test_commands_are_no_questions() -> None:
    async def steps(pilot: Any) -> None:
        app = pilot.app
        await press(pilot, *"/nix", "enter")
        await holds(pilot, lambda: app.workspace.question.value == "/nix")
        app.workspace.question.value = ""
        await press(pilot, *"why", "enter")
        await until_shown(pilot)
        await press(pilot, *"/new", "enter")
        await holds(pilot, lambda: app.conversation.fresh and app.workspace.question.value == "")
        await press(pilot, *"/quit", "enter")
        await until(pilot, lambda: app.return_value == 0, "it left")
        assert app.core.questions == ["why"]

    drive(make_app(), steps)


def test_the_keymap_comes_from_the_settings() -> None:
    async def steps(pilot: Any) -> None:
        await until_shown(pilot)
        await focused(pilot, "answer")
        await press(pilot, "z")
        await holds(pilot, lambda: not pilot.app.workspace.screen.has_class("-zoomed"))
        await press(pilot, "w")
        await holds(pilot, lambda: pilot.app.workspace.screen.has_class("-zoomed"))

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
        await press(pilot, *"second", "enter")
        await until(pilot, lambda: len(app.conversation.records) == 2, "the second question")
        await until_shown(pilot)
        await press(pilot, *"draft", "up", "up")
        await holds(pilot, lambda: app.workspace.question.value == "first")
        await press(pilot, "down", "down", "down")
        await holds(pilot, lambda: app.workspace.question.value == "draft")
        assert app.core.questions == ["first", "second"]

    drive(make_app(), steps)
