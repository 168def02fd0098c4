"""Where things stand at which width, and what is in sight whatever pane is looked at."""

from __future__ import annotations

import base64
import threading
from dataclasses import replace
from typing import Any

import pytest
from textual.widget import Widget

from robodata_core.events import RunEnded, RunStarted
from robodata_core.model import Claim, SupportSet
from robodata_core.orchestrator.machine import State, table_of
from robodata_tui.dialogs import copy_locally
from robodata_tui.widgets.exchange import Exchange
from robodata_tui.widgets.header import HeaderBar
from robodata_tui.widgets.rail import StateRail
from robodata_tui.widgets.tabs import PaneTabs
from robodata_tui.words import claim_line, fitted
from tests.core._runs import number
from tests.tui._app import (
    DATA,
    RELATIVES,
    drive,
    emit_all,
    hang,
    make_app,
    press,
    settled,
    until,
    until_shown,
)


@pytest.mark.parametrize(
    ("width", "panes"),
    [
        (44, {"answer"}),
        (99, {"answer"}),
        (100, {"answer", "proof"}),
        (149, {"answer", "proof"}),
        (150, {"answer", "proof", "trace"}),
        (200, {"answer", "proof", "trace"}),
    ],
)
def test_the_answer_stands_top_left_and_takes_more_than_half(width: int, panes: set[str]) -> None:
    async def steps(pilot: Any) -> None:
        app = pilot.app
        await until_shown(pilot)
        assert {pane.id for pane in app.workspace.panes if pane.display} == panes
        answer = app.workspace.pane("answer").region
        assert answer.offset == (0, app.query_one(HeaderBar).region.bottom)
        share = answer.width / width
        assert share == 1.0 if panes == {"answer"} else 0.5 <= share <= 0.6

    drive(make_app(replay=RELATIVES), steps, size=(width, 30))


@pytest.mark.parametrize(("key", "beside"), [("t", "trace"), ("g", "graph")])
def test_a_run_with_nothing_to_prove_yet_shows_its_trace(key: str, beside: str) -> None:
    async def steps(pilot: Any) -> None:
        app = pilot.app
        await press(pilot, "escape", key, "a", *"why", "enter")
        await until(pilot, lambda: app.running is not None, "the run")
        await settled(pilot)
        shown = {pane.id for pane in app.workspace.panes if pane.display}
        assert {"trace", beside} <= shown
        app.action_cancel()
        await until_shown(pilot)

    drive(make_app(hang()), steps, size=(160, 40))


@pytest.mark.parametrize("size", [(44, 30), (60, 20), (80, 24), (120, 40), (200, 50)])
def test_the_verdict_is_in_sight_in_every_pane(size: tuple[int, int]) -> None:
    async def steps(pilot: Any) -> None:
        app = pilot.app
        await until_shown(pilot)
        for name in ("answer", "proof", "trace", "graph", "doubt"):
            app.action_pane(name)
            await until(pilot, lambda n=name: app.workspace.pane(n).main.has_focus, name)
            strips = app.screen._compositor.render_strips()
            top = "".join(segment.text for segment in strips[0])
            assert "ANSWERED" in top, name

    drive(make_app(replay=RELATIVES), steps, size=size)


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
def test_a_long_claim_shows_both_its_ends_and_unfolds(size: tuple[int, int]) -> None:
    async def steps(pilot: Any) -> None:
        app = pilot.app
        await until_shown(pilot)
        rows = app.workspace.pane("answer").main
        claim = app.conversation.record.state.claims[0]

        def first() -> str:
            lines = [rows.render_line(y).text for y in range(rows.size.height)]
            end = next(y for y, line in enumerate(lines) if line.strip() == "· Rome")
            return " ".join(" ".join(lines[:end]).split())

        await until(pilot, lambda: "· Rome" in str(rows.texts), "the results")
        await settled(pilot)
        assert first().startswith("✓ c1 Each of Rome … is a city")
        assert first().endswith("whose country is Italy.")
        assert len(rows.text) < rows.size.width
        await press(pilot, "o")
        await until(pilot, lambda: first() == f"✓ c1 {claim.text}", "the whole claim")
        await press(pilot, "o")
        await until(pilot, lambda: "…" in first(), "the short one")

    drive(make_app(replay=DATA / "twins.jsonl"), steps, size=size)


def test_an_answer_has_its_lines_whenever_it_comes() -> None:
    """Also where the screen is laid out for something else between two texts of a question."""

    async def steps(pilot: Any) -> None:
        app = pilot.app
        await until_shown(pilot)
        exchange, record = app.query_one(Exchange), app.conversation.record
        for text in ("short", "a long text " * 40):
            exchange.seen, record.asked = None, text
            exchange.put(record, app.conversation.view())
            for ancestor in exchange.ancestors:
                if isinstance(ancestor, Widget):
                    ancestor._clear_arrangement_cache()  # as for another question
                    ancestor._layout_updates += 1
            app.screen._refresh_layout()
        await until(pilot, lambda: exchange.size.height > 9, "all lines")

    drive(make_app(replay=RELATIVES), steps, size=(120, 40))


def test_without_claims_the_conversation_has_the_whole_pane() -> None:
    async def steps(pilot: Any) -> None:
        app = pilot.app
        for n in range(1, 9):
            app.start_run("why " * 30 + str(n))
            await until(pilot, lambda n=n: len(app.conversation.records) == n, "the run")
            await until(pilot, lambda: app.running is None, "its end")
        pane = app.workspace.pane("answer")
        height = pane.content_size.height
        await until(pilot, lambda: pane.scroller.outer_size.height == height, "all of the pane")
        assert pane.scroller.max_scroll_y > 0

    silent = emit_all(
        number(
            lambda h: RunStarted(h, "why", "offline", "s", 1), lambda h: RunEnded(h, "unknown", 0.1)
        )
    )
    drive(make_app(silent), steps, size=(100, 24))


def test_a_list_whose_names_have_rows_is_left_out_first() -> None:
    names = ("Ann", "Bo", "Cy", "Di")
    text = "The number of siblings of Tito Jackson is at least 4: Ann, Bo, Cy and Di."
    one = Claim("c1", text, True, SupportSet())
    assert claim_line(one, 100, names) == f"✓ c1 {text}", "there is room"
    told = "✓ c1 The number of siblings of Tito Jackson is at least 4: Ann …."
    assert claim_line(one, 66, names) == told
    assert claim_line(one, 66, ("Eve", "Bo")).count("…") == 1
    each = replace(one, text="Each of Ann, Bo, Cy and 9 more is a city of some country.")
    assert claim_line(each, 60, names) == "✓ c1 Each of Ann … and 9 more is a city of some country."


def test_what_does_not_fit_loses_its_middle() -> None:
    assert fitted("Ottawa is a city.", 17) == "Ottawa is a city."
    assert fitted("The capital of Canada is Ottawa.", 31) == "The capital…Canada is Ottawa."
    # Words without an end are cut, and wide letters take two cells.
    assert fitted("x" * 90, 11) == "xxxx…xxxxxx"
    assert fitted("東" * 90, 11) == "東東…東東東"
    assert len(fitted("ab cd", 1)) <= 3


def test_the_rail_follows_the_table_of_transitions() -> None:
    """At every step of a run: what may come next is what the machine allows, by signs alone."""

    async def steps(pilot: Any) -> None:
        app = pilot.app
        await until_shown(pilot)
        rail, record = app.query_one(StateRail), app.conversation.record
        for step in range(1, len(record.state.timeline)):
            record.step = step
            app.workspace.refresh()
            await settled(pilot)
            table = table_of(record.shown.visits)
            assert rail.states == tuple(table)
            chips = dict(zip(table, str(rail.content).split(" ─ "), strict=True))
            here = State(record.shown.state)
            assert [state for state, chip in chips.items() if chip.startswith("[")] == [here]
            been = {state for state in table if state.value in record.shown.visits}
            assert {state for state, chip in chips.items() if "✓" in chip} == been - {here}
            may_come = {state for state, chip in chips.items() if chip.startswith("›")}
            assert may_come == set(table[here]) - been

    drive(make_app(replay=RELATIVES), steps, size=(200, 50))


def test_what_is_copied_goes_through_the_terminal_and_over_ssh_nowhere_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SSH_CONNECTION", "192.0.2.1 1 192.0.2.2 22")
    assert not copy_locally("nothing")
    written: list[str] = []

    async def steps(pilot: Any) -> None:
        app = pilot.app
        await until_shown(pilot)
        monkeypatch.setattr(app._driver, "write", written.append)
        await press(pilot, "y")
        assert app.clipboard
        packed = base64.b64encode(app.clipboard.encode()).decode()
        assert any(f"\x1b]52;c;{packed}" in text for text in written)

    drive(make_app(replay=RELATIVES), steps)


@pytest.mark.parametrize(("ssh", "level"), [(True, "none"), (False, "full")])
def test_over_ssh_nothing_is_animated(ssh: bool, level: str) -> None:
    assert make_app(ssh=ssh).animation_level == level


@pytest.mark.parametrize("size", [(60, 20), (120, 40)])
def test_what_is_told_lies_over_no_bar_and_goes_when_something_opens(size: tuple[int, int]) -> None:
    async def steps(pilot: Any) -> None:
        app = pilot.app
        await until_shown(pilot)
        await press(pilot, "escape")

        def toast() -> Widget | None:
            return next(iter(app.screen.query("Toast")), None)

        for key in ("f2", "f8", "t"):
            app.notify("What was said a moment ago about something else.")
            await until(pilot, lambda: toast() is not None and toast().region.height, "the toast")
            for name in ("#bar", "#question", "KeyRow", "#header"):
                assert not toast().region.overlaps(app.screen.query_one(name).region), name
            await press(pilot, key)
            await until(pilot, lambda: toast() is None and not app._notifications, key)
            if len(app.screen_stack) > 1:
                await press(pilot, "escape")
                await until(pilot, lambda: len(app.screen_stack) == 1, "the main screen")

    drive(make_app(replay=RELATIVES), steps, size=size, toasts=True)


def test_the_labels_of_the_settings_are_whole_where_it_is_narrow() -> None:
    async def steps(pilot: Any) -> None:
        app = pilot.app
        await press(pilot, "f2")
        await until(pilot, lambda: len(app.screen.query("Label")) > 4, "the form")
        for label in app.screen.query("Label"):
            text, room = str(label.content), label.region
            assert room.width * room.height >= len(text), text
            assert room.right <= label.parent.region.right, text

    drive(make_app(), steps, size=(60, 20))


@pytest.mark.parametrize("keys", [("escape", "2"), ("escape", "d", "2")])
def test_the_proof_is_there_during_a_run_for_who_goes_to_it(keys: tuple[str, ...]) -> None:
    reached = threading.Event()

    async def steps(pilot: Any) -> None:
        app = pilot.app
        await press(pilot, *"why", "enter")
        await until(pilot, reached.is_set, "the run")
        await until(pilot, lambda: app.workspace.pane("trace").display, "its trace")
        await press(pilot, *keys)
        proof = app.workspace.pane("proof")
        await until(pilot, lambda: proof.display and proof.main.has_focus, "the proof")
        assert not app.workspace.pane("trace").display
        assert proof.styles.border_top[0] == "heavy"
        assert "[2 Proof]" in str(app.query_one(PaneTabs).content)
        await press(pilot, "1")
        await until(pilot, lambda: app.workspace.pane("trace").display, "the trace again")
        app.action_cancel()
        await until_shown(pilot)

    drive(make_app(hang(reached)), steps, size=(120, 40))


def test_the_key_that_unfolds_a_question_is_told_where_it_does() -> None:
    async def steps(pilot: Any) -> None:
        app = pilot.app
        app.start_run("why " * 200)
        await until_shown(pilot)
        exchange = app.query_one(Exchange)
        app.action_ask()
        await until(pilot, lambda: "…" in str(exchange.content), "the question cut short")
        assert "o unfolds" not in str(exchange.content), "in the line it types an o"
        await press(pilot, "escape")
        await until(pilot, lambda: "… (o unfolds)" in str(exchange.content), "the key")
        await press(pilot, "t")
        await until(pilot, lambda: "o unfolds" not in str(exchange.content), "no key")
        await press(pilot, "1", "o")
        await until(pilot, lambda: "…" not in str(exchange.content), "all of it")

    def ends(question: str, emit: Any, cancel: Any) -> None:
        for event in number(
            lambda h: RunStarted(h, question, "offline", "s", 1),
            lambda h: RunEnded(h, "unknown", 1),
        ):
            emit(event)

    drive(make_app(ends), steps, size=(120, 40))


@pytest.mark.parametrize("size", [(80, 24), (60, 20)])
def test_what_a_dialog_says_in_its_lower_edge_is_whole(size: tuple[int, int]) -> None:
    async def steps(pilot: Any) -> None:
        app = pilot.app
        await until_shown(pilot)
        for opener in ("e", "f8", "f3", "f2", "s", "ctrl+o"):
            await press(pilot, opener)
            box = app.screen.query_one(".dialog")
            hint = str(box.border_subtitle)
            assert len(hint) <= box.outer_size.width - 4, (opener, hint)
            assert box.region.bottom <= size[1]
            await press(pilot, "escape")

    drive(make_app(replay=RELATIVES), steps, size=size)
