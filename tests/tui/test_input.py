"""What comes from keyboards and clipboards, in any bytes and of any length; how little is kept."""

from __future__ import annotations

import errno
import gc
import tracemalloc
from typing import Any

import pytest
from textual import events
from textual.widget import Widget

from robodata_tui.conversation import Conversation
from robodata_tui.records import Shelf
from robodata_tui.screens.chooser import JumpScreen
from robodata_tui.starting import keep_keys_behind_escape, read_any_bytes
from tests.tui._app import (
    RELATIVES,
    drive,
    make_app,
    model_run,
    press,
    settled,
    until,
    until_shown,
)


def test_a_long_paste_is_cut_and_told() -> None:
    async def steps(pilot: Any) -> None:
        app = pilot.app
        line = app.workspace.question
        app.post_message(events.Paste("two\nlines " + "x" * 5_000))
        await until(pilot, lambda: line.value, "the paste")
        assert line.value.startswith("two lines xxx")
        assert len(line.value) == line.max_length
        said = [note.message for note in app._notifications]
        assert any("characters of the paste did not fit" in text for text in said)

    drive(make_app(), steps)


def test_bytes_that_are_no_text_do_not_end_the_thread_that_reads_keys() -> None:
    from textual.drivers import linux_driver, web_driver

    before = linux_driver.getincrementaldecoder
    try:
        read_any_bytes()
        for driver in (linux_driver, web_driver):
            decode = driver.getincrementaldecoder("utf-8")().decode
            assert decode(b"M\xfcnchen \xe2\x82") == "M\ufffdnchen "
            assert decode(b"\xac") == "€"
    finally:
        linux_driver.getincrementaldecoder = web_driver.getincrementaldecoder = before


def test_a_key_right_behind_escape_is_that_key(monkeypatch: pytest.MonkeyPatch) -> None:
    from textual import _ansi_sequences
    from textual._xterm_parser import XTermParser

    table = _ansi_sequences.ANSI_SEQUENCES_KEYS
    before = dict(table)
    keep_keys_behind_escape()
    try:
        for sent, key in (("2", "alt+2"), ("f", "alt+f"), ("n", "alt+n"), ("[A", "up")):
            clock = [0.0]
            monkeypatch.setattr("textual._time.get_time", lambda clock=clock: clock[0])
            monkeypatch.setattr("textual._parser.get_time", lambda clock=clock: clock[0])
            parser = XTermParser()
            told = list(parser.feed(f"\x1b{sent}"))
            clock[0] = 10.0
            told += list(parser.tick())
            assert [event.key for event in told] == [key]
    finally:
        table.clear()
        table.update(before)

    async def steps(pilot: Any) -> None:
        await until_shown(pilot)
        app = pilot.app
        line = app.workspace.question
        app.post_message(events.Key("alt+2", "2"))
        proof = app.workspace.pane("proof")
        await until(pilot, lambda: app.workspace.focused_part() is proof, "the proof")
        assert line.value == ""
        # Over a dialog and in a filter as well: Esc leaves it, and the key does what it does.
        await press(pilot, "s")
        assert len(app.screen_stack) == 2
        app.post_message(events.Key("alt+d", "d"))
        doubt = app.workspace.pane("doubt")
        await until(pilot, lambda: app.workspace.focused_part() is doubt, "the doubt")
        assert len(app.screen_stack) == 1
        await press(pilot, "slash", "x")
        app.post_message(events.Key("alt+question_mark", "?"))
        await until(pilot, lambda: len(app.screen_stack) == 2, "the help")
        assert not doubt.filter
        await press(pilot, "escape", "f2", "tab")
        typed = app.focused
        app.post_message(events.Key("alt+b", "b"))
        await settled(pilot)
        assert app.focused is typed, "what was typed into a dialog is not thrown away"

    drive(make_app(replay=RELATIVES), steps)


def test_old_runs_take_little_and_come_back_whole() -> None:
    talk = Conversation()
    tracemalloc.start()
    for count in range(60):
        if count == 20:
            before = tracemalloc.get_traced_memory()[0]
        record = talk.asked(f"question {count}")
        for event in model_run(f"question {count}"):
            record.add(event)
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert grown / 40 < 30_000, f"{grown / 40:,.0f} bytes a question"
    old = talk.records[3]
    assert old.packed and old.state.question == "question 3"
    assert [claim.id for claim in old.state.claims] == ["c1", "c2", "c3"]
    talk.go(3)
    assert not old.packed
    assert list(old.events) == model_run("question 3")
    assert len(old.state.timeline) == 6


def test_what_is_put_away_needs_no_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    shelf = Shelf()
    kept = [shelf.put(b"one" * 1_000), shelf.put(b"two")]

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr("tempfile.TemporaryFile", full)
    kept.append(Shelf().put(b"three"))
    assert [read() for read in kept] == [b"one" * 1_000, b"two", b"three"]


def test_no_part_of_the_screen_is_kept_once_it_is_gone() -> None:
    """What is bound to a part that stays would be kept with it, a few keys for every question."""

    async def steps(pilot: Any) -> None:
        app = pilot.app
        counts = []
        for number in range(1, 4):
            app.start_run(f"question {number}")
            await until(pilot, lambda n=number: len(app.conversation.records) == n, "the run")
            await until_shown(pilot)
            await settled(pilot)
            if number > 1:  # what is made once is made with the first
                gc.collect()
                parts = [item for item in gc.get_objects() if isinstance(item, Widget)]
                counts.append(sum(item._closing for item in parts))
        assert counts[-1] <= counts[0], counts

    drive(make_app(), steps)


def burst(app: Any, keys: str) -> None:
    """Post keys at once, as they come from a paste of somebody's script or over a slow line."""
    for name in keys.split(" "):
        character = {"space": " "}.get(name, name)
        app.post_message(events.Key(name, character if len(character) == 1 else None))


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ("a b X backspace c", "abc"),
        ("a b c X backspace d e f home Z end Y", "ZabcdefY"),
        ("a b space c ctrl+w d", "ab d"),
        ("o l d ctrl+u n e w", "new"),
        ("a b left left X right delete c", "Xac"),
        ("q enter up 2", "q2"),
    ],
)
@pytest.mark.parametrize("part", ["#question", "#answer .filter"])
def test_what_edits_a_line_keeps_its_place_among_the_letters(
    keys: str, text: str, part: str
) -> None:
    async def steps(pilot: Any) -> None:
        app = pilot.app
        await until_shown(pilot)
        if part == "#question":
            app.action_ask()
        elif "up" in keys:
            return  # a filter has no history
        else:
            await press(pilot, "1", "slash")
        burst(app, keys)
        await until(pilot, lambda: app.query_one(part).value == text, text)

    drive(make_app(replay=RELATIVES), steps)


@pytest.mark.parametrize("before", ["a", "t", "slash"], ids=["line", "pane", "filter"])
def test_a_question_right_behind_a_new_conversation_is_of_that_one(before: str) -> None:
    async def steps(pilot: Any) -> None:
        app = pilot.app
        burst(app, "o l d enter")
        await until(pilot, lambda: app.conversation.turns == 1, "the first question")
        await until_shown(pilot)
        await press(pilot, "escape", before)
        burst(app, "ctrl+n n e w enter")
        await until(pilot, lambda: len(app.conversation.records) == 2, "the second question")
        assert app.conversation.records[1].question == "new"
        assert app.conversation.records[1].opens, "it opens another conversation"
        assert app.conversation.turns == 1

    drive(make_app(), steps)


def test_control_keys_right_behind_escape_are_two_keys() -> None:
    from textual import _ansi_sequences
    from textual._xterm_parser import XTermParser

    table = _ansi_sequences.ANSI_SEQUENCES_KEYS
    before = dict(table)
    keep_keys_behind_escape()
    try:
        told = {
            sent: [event.key for event in XTermParser().feed(f"\x1b{sent}")]
            for sent in ("\x0f", "\x0e", "\r", "\t", "\x7f")
        }
    finally:
        table.clear()
        table.update(before)
    assert told == {
        "\x0f": ["escape", "ctrl+o"],
        "\x0e": ["escape", "ctrl+n"],
        "\r": ["escape", "enter"],
        "\t": ["shift+tab"],
        "\x7f": ["ctrl+w"],
    }, "what means something by itself stays what it is"

    async def steps(pilot: Any) -> None:
        app = pilot.app
        await until_shown(pilot)
        for opener in ("s", "f3", "f8"):
            await press(pilot, opener)
            assert len(app.screen_stack) == 2
            theme = app.theme
            await press(pilot, "down")
            burst(app, "escape ctrl+o")
            await until(pilot, lambda: isinstance(app.screen, JumpScreen), "the dialog behind it")
            assert len(app.screen_stack) == 2
            assert app.theme == theme, "Esc did what it does in the dialog"
            await press(pilot, "escape")

    drive(make_app(replay=RELATIVES), steps)
