"""How it looks, by feature, from recorded journals. ``--snapshot-update`` takes new pictures."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from robodata_core import journal
from tests.tui._app import (
    CAPITAL,
    RELATIVES,
    make_app,
    model_run,
    press,
    settled,
    until,
    until_shown,
)

SIZES = [(44, 30), (60, 20), (80, 24), (120, 40), (200, 50)]
"""A phone, three terminals, a wide window."""
THEMED = [*((size, "textual-dark") for size in SIZES), ((120, 40), "textual-light")]
Snap = Callable[..., bool]


def _before(*keys: str, focus: str = "answer", blur: bool = True) -> Any:
    async def run(pilot: Any) -> None:
        await until(pilot, lambda: pilot.app.query_one("#header").core != "opening …", "the core")
        await until_shown(pilot)
        await until(pilot, lambda: pilot.app.focused is pilot.app.workspace.pane(focus).main, focus)
        for key in keys:
            await press(pilot, key)
        if blur:
            # Toasts go by themselves; no picture may depend on when.
            pilot.app.clear_notifications()
        await settled(pilot)

    return run


@pytest.fixture()
def journals(tmp_path: Path) -> Path:
    """A folder of journals for history to list."""
    folder = tmp_path / "journals"
    folder.mkdir()
    shutil.copy(CAPITAL, folder / "capital.jsonl")
    return folder


def _named(value: object) -> str:
    return f"{value[0]}x{value[1]}" if isinstance(value, tuple) else str(value)


@pytest.mark.parametrize(("size", "theme"), THEMED, ids=_named)
def test_answer(snap_compare: Snap, size: tuple[int, int], theme: str) -> None:
    app = make_app(replay=RELATIVES, theme=theme)
    assert snap_compare(app, terminal_size=size, run_before=_before())


@pytest.mark.parametrize(("size", "theme"), THEMED, ids=_named)
def test_model_run(
    snap_compare: Snap, size: tuple[int, int], theme: str, model_journal: Path
) -> None:
    """Tokens, a failed call, metacognition, an unsupported claim, text that looks like markup."""
    app = make_app(replay=model_journal, theme=theme)
    assert snap_compare(app, terminal_size=size, run_before=_before("t"))


@pytest.mark.parametrize("key", ["2", "4", "5"])
def test_narrow_panes(snap_compare: Snap, key: str, model_journal: Path) -> None:
    app = make_app(replay=model_journal)
    assert snap_compare(app, terminal_size=(80, 24), run_before=_before(key))


@pytest.mark.parametrize("theme", ["ansi-dark", "ansi-light"])
def test_sixteen_colours(snap_compare: Snap, theme: str, model_journal: Path) -> None:
    app = make_app(replay=model_journal, theme=theme)
    assert snap_compare(app, terminal_size=(120, 40), run_before=_before("d"))


def test_monochrome(
    snap_compare: Snap, monkeypatch: pytest.MonkeyPatch, model_journal: Path
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = make_app(replay=model_journal)
    assert snap_compare(app, terminal_size=(120, 40), run_before=_before("d"))


@pytest.mark.parametrize("keys", [("t", "t"), ("t", "t", "t")], ids=["prompts", "log"])
def test_timeline_tabs(snap_compare: Snap, keys: tuple[str, ...], model_journal: Path) -> None:
    app = make_app(replay=model_journal)
    assert snap_compare(app, terminal_size=(120, 40), run_before=_before(*keys))


def test_stepping(snap_compare: Snap, model_journal: Path) -> None:
    app = make_app(replay=model_journal)
    keys = ["left_square_bracket"] * 2
    assert snap_compare(app, terminal_size=(200, 50), run_before=_before(*keys))


_DIALOGS = ["f1", "f2", "f3", "e", "s", "ctrl+o", "p"]


@pytest.mark.parametrize("size", [(60, 20), (120, 40)], ids=_named)
@pytest.mark.parametrize("key", _DIALOGS)
def test_dialogs(snap_compare: Snap, key: str, size: tuple[int, int]) -> None:
    app = make_app(replay=RELATIVES)
    assert snap_compare(app, terminal_size=size, run_before=_before(key))


def test_a_light_dialog(snap_compare: Snap) -> None:
    app = make_app(replay=RELATIVES, theme="textual-light")
    assert snap_compare(app, terminal_size=(120, 40), run_before=_before("p"))


def test_a_report_of_a_bug(snap_compare: Snap) -> None:
    async def shown(pilot: Any) -> None:
        await _before()(pilot)
        pilot.app.dialogs.bug(
            "RoboData, Python, Linux\nlog: (no log file)\n\nTraceback ...\nKeyError"
        )
        await settled(pilot)

    app = make_app(replay=RELATIVES)
    assert snap_compare(app, terminal_size=(80, 24), run_before=shown)


def test_details_of_a_prompt(snap_compare: Snap, model_journal: Path) -> None:
    async def shown(pilot: Any) -> None:
        await _before()(pilot)
        call = pilot.app.conversation.record.state.timeline[1].model_calls[0]
        pilot.app.dialogs.details(call)
        await settled(pilot)

    app = make_app(replay=model_journal)
    assert snap_compare(app, terminal_size=(120, 40), run_before=shown)


def test_history(snap_compare: Snap, journals: Path) -> None:
    app = make_app(replay=RELATIVES, journals=journals)
    assert snap_compare(app, terminal_size=(120, 40), run_before=_before("f8"))


def test_details_of_a_call(snap_compare: Snap, model_journal: Path) -> None:
    app = make_app(replay=model_journal)
    keys = ("t", "home", "j", "j", "j", "j", "enter")
    assert snap_compare(app, terminal_size=(120, 40), run_before=_before(*keys))


def test_zoomed(snap_compare: Snap) -> None:
    app = make_app(replay=RELATIVES)
    assert snap_compare(app, terminal_size=(120, 40), run_before=_before("2", "z"))


def test_first_screen(snap_compare: Snap) -> None:
    async def opened(pilot: Any) -> None:
        # The examples come after the core, when they have been looked for.
        await until(pilot, lambda: pilot.app.query_one("#examples").targets, "the examples")
        await until(pilot, lambda: pilot.app.workspace.question.has_focus, "the cursor")
        await settled(pilot)

    assert snap_compare(make_app(), terminal_size=(120, 40), run_before=opened)


def test_banner(snap_compare: Snap) -> None:
    from robodata_core.errors import SourceError

    def broken() -> Any:
        raise SourceError("The service at there does not answer.", hint="Try again later.")

    async def shown(pilot: Any) -> None:
        await until(pilot, lambda: pilot.app.query_one("Banner").display, "the banner")

    app = make_app(open_core=broken)
    assert snap_compare(app, terminal_size=(120, 40), run_before=shown)


def test_the_journal_of_the_pictures_is_whole() -> None:
    """The pictures are of a run that says what its events say."""
    assert [event.header.seq for event in model_run()] == list(range(1, len(model_run()) + 1))
    assert sum(1 for _ in journal.read(RELATIVES)) > 30
