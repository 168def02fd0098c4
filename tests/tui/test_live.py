"""A run while it goes on: floods of events, folding, pace."""

from __future__ import annotations

import asyncio
import gc
import os
import subprocess
import sys
import threading
from dataclasses import replace
from typing import Any

import pytest
from textual.widgets import Log

from robodata_core.config import Settings
from robodata_core.events import (
    GraphChanged,
    RunEnded,
    RunEvent,
    RunStarted,
    StateEntered,
    ToolCalled,
    ToolReturned,
)
from robodata_core.model import EntityValue, Evidence, Triple
from robodata_tui.bridge import Bridge, CoreOpened, Finished
from robodata_tui.widgets.header import HeaderBar
from robodata_tui.widgets.pane import RowsTree
from robodata_tui.widgets.rail import StateRail
from tests.core._runs import number
from tests.tui._app import (
    RELATIVES,
    FakeCore,
    drive,
    emit_all,
    hang,
    make_app,
    model_run,
    opening,
    press,
    until,
    until_shown,
)

_STATE = "REMOTE_GRAPH_EXPLORATION"


def flood(visits: int, calls: int = 10) -> list[RunEvent]:
    """Return a run of many visits, each with calls that fetch a triple."""
    makers: list[Any] = [lambda h: RunStarted(h, "?", "offline", "snapshot:none", 10_000)]
    for turn in range(1, visits + 1):
        makers.append(lambda h, turn=turn: StateEntered(h, _STATE, turn, "none"))
        for call in range(calls):
            id_ = f"k{turn}-{call}"
            item = Evidence(f"T{id_}", Triple(f"Q{turn}", "P31", EntityValue(id_)))
            makers += [
                lambda h, turn=turn, id_=id_: ToolCalled(h, turn, id_, "fetch_node", {}),
                lambda h, turn=turn, id_=id_: ToolReturned(
                    h, turn, id_, "fetch_node", True, "one", 1, 1, False, 0.01
                ),
                lambda h, turn=turn, id_=id_, item=item: GraphChanged(
                    h, turn, id_, (item,), (), 1, 1
                ),
            ]
    makers.append(lambda h: RunEnded(h, "unknown", 1.0))
    return number(*makers, run_id="run-flood")


def test_a_flood_of_events_is_shown_to_the_last_and_keys_work_meanwhile() -> None:
    events = flood(100)
    go_on = threading.Event()

    def script(question: str, emit: Any, cancel: Any) -> None:
        for event in events[: len(events) // 2]:
            emit(event)
        go_on.wait(110)
        for event in events[len(events) // 2 :]:
            emit(event)

    async def steps(pilot: Any) -> None:
        app = pilot.app
        before = gc.get_threshold()
        app.action_pane("graph")
        app.start_run("?")
        await until(pilot, lambda: app.running.state.tool_calls >= 400, "half of the events")
        app.action_ask()
        assert gc.get_threshold() != before
        await press(pilot, *"xyz")
        await until(pilot, lambda: app.workspace.question.value == "xyz", "the keys")
        go_on.set()
        await until_shown(pilot)
        assert gc.get_threshold() == before
        assert app.conversation.record.state.tool_calls == 1_000
        await until(
            pilot,
            lambda: "1,000 triples" in str(app.workspace.pane("graph").border_title),
            "all triples",
        )
        app.action_pane("trace")
        visits = app.workspace.pane("trace").query_one("#trace-body").root.children
        await until(pilot, lambda: len(visits) == 100, "all visits")
        assert visits[0].is_collapsed, "every open row costs time at every change"
        assert visits[-1].is_expanded

    drive(make_app(script), steps)


def test_what_changed_is_drawn_part_by_part_the_line_that_is_typed_into_first() -> None:
    """A key waits for one part at most; Textual alone would draw all rows between them at once."""

    async def steps(pilot: Any) -> None:
        app = pilot.app
        await until_shown(pilot)
        app.action_ask()
        await until(pilot, lambda: app.focused is app.workspace.question, "the question line")
        drawn: list[set[int]] = []
        display = app._display

        def seen(screen: Any, picture: Any) -> None:
            if picture is not None:
                drawn.append({y for y, _, _ in picture.spans})
            display(screen, picture)

        parts = [app.query_one(HeaderBar), app.workspace.pane("trace"), app.workspace.question]
        rows = [set(range(part.region.y, part.region.bottom)) for part in parts]
        await until(pilot, lambda: not app.screen._compositor._dirty_regions, "a screen at rest")
        app._display = seen
        app.screen._compositor._dirty_regions.update(part.region for part in parts)
        app.screen._compositor_refresh()
        assert drawn == [rows[2]]
        await until(pilot, lambda: all(any(part <= one for one in drawn) for part in rows), "all")
        assert not any(one & rows[0] and one & rows[1] for one in drawn)

    drive(make_app(replay=RELATIVES), steps, size=(160, 48))


def test_a_new_title_draws_the_frame_s_line_and_not_what_stands_in_the_frame() -> None:
    async def steps(pilot: Any) -> None:
        pane = pilot.app.workspace.pane("answer")
        await until_shown(pilot)
        await until(pilot, lambda: not pane._repaint_regions, "a screen at rest")
        pane.titled("another")
        assert {(region.y, region.height) for region in pane._repaint_regions} == {(0, 1)}
        pane.noted("another")
        bottom = pane.outer_size.height - 1
        assert (bottom, 1) in {(region.y, region.height) for region in pane._repaint_regions}
        pane.refresh()
        assert (0, bottom + 1) in {(one.y, one.height) for one in pane._repaint_regions}

    drive(make_app(replay=RELATIVES), steps)


def test_a_visit_that_was_folded_stays_open_once_the_reader_opens_it() -> None:
    async def steps(pilot: Any) -> None:
        app = pilot.app
        app.action_pane("trace")
        app.start_run("?")
        await until_shown(pilot)
        pane = app.workspace.pane("trace")
        await until(pilot, lambda: pane.query_one("#trace-body").root.children, "the visits")
        first = pane.query_one("#trace-body").root.children[0]
        await until(pilot, lambda: first.is_collapsed, "folding")
        assert pane.go_call("k1-0")
        await until(pilot, lambda: first.is_expanded, "the call's visit")
        app.workspace.refresh()
        assert first.is_expanded

    drive(make_app(emit_all(flood(70, calls=2))), steps)


@pytest.mark.parametrize(("ssh", "beats"), [(False, "120"), (True, "15")])
def test_the_pace_is_set_before_textual_is_there(ssh: bool, beats: str) -> None:
    code = (
        "import sys; from robodata_tui.starting import set_pace\n"
        "assert 'textual' not in sys.modules\n"
        f"set_pace(ssh={ssh}); import textual.constants as c; print(c.MAX_FPS)"
    )
    environment = {k: v for k, v in os.environ.items() if not k.startswith("TEXTUAL_")}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == beats


def test_how_a_run_stands_is_said_alike_everywhere() -> None:
    """No tick where it broke off, one number for a turn, Cancel only while something runs."""
    reached = threading.Event()

    def offered(app: Any) -> set[str]:
        return {key.description for key in app.query("FooterKey")}

    async def steps(pilot: Any) -> None:
        app = pilot.app
        rail, header = app.query_one(StateRail), app.query_one(HeaderBar)
        app.start_run("why")
        await until(pilot, lambda: "[REMOTE]" in str(rail.content), "the state")
        await press(pilot, "escape")
        await until(pilot, lambda: "Cancel" in offered(app), "Cancel while it runs")
        told = str(app.query(".exchange").last().content)
        assert "not started" not in told and "search_entities" in told
        assert "turn 1/30" in str(header.content)
        app.action_cancel()
        await until_shown(pilot)
        await until(pilot, lambda: "Cancel" not in offered(app), "nothing to cancel")
        await until(pilot, lambda: "REMOTE■" in str(rail.content), "where it broke off")
        assert "REMOTE✓" not in str(rail.content)
        assert "turn 1/30" in str(header.content) and "■ CANCELLED" in str(header.content)
        assert str(app.workspace.pane("answer").border_title) == "1 Answer ■ cancelled"
        await press(pilot, "t")
        tree = app.workspace.pane("trace").main
        await until(pilot, lambda: tree.root.children, "the trace")
        assert str(tree.root.children[0].label).startswith("turn 1 REMOTE")

    drive(make_app(hang(reached)), steps)


@pytest.mark.parametrize("width", [24, 44, 60])
def test_where_a_run_stands_is_in_sight_on_a_narrow_screen(width: int) -> None:
    async def steps(pilot: Any) -> None:
        app = pilot.app
        await until_shown(pilot)
        rail = app.query_one(StateRail)
        assert str(rail.content).endswith("ANSWER✓")
        assert len(str(rail.content)) <= rail.size.width
        app.conversation.record.move(-5)
        app.workspace.refresh()
        await until(pilot, lambda: "[" in str(rail.content), "an earlier state")
        assert len(str(rail.content)) <= rail.size.width
        await press(pilot, "0", "left")
        await until(pilot, lambda: str(rail.content).endswith("ANSWER"), "what is chosen")

    drive(make_app(replay=RELATIVES), steps, size=(width, 30))


def test_a_long_line_of_the_log_ends_in_an_ellipsis() -> None:
    async def steps(pilot: Any) -> None:
        await until_shown(pilot)
        await press(pilot, "3", "3", "3")
        log = pilot.app.query_one(Log)
        await until(pilot, lambda: log.lines and log.max_scroll_x > 0, "the log")
        width = log.scrollable_content_region.width

        def shown(row: int) -> str:
            return log.render_line(row).text

        await until(pilot, lambda: any(shown(n)[width - 1] == "…" for n in range(5)), "an end")
        log.scroll_to(x=log.max_scroll_x, animate=False)
        await until(pilot, lambda: log.scroll_offset.x == log.max_scroll_x, "its end")
        assert not any("…" in shown(n)[width - 1 :] for n in range(5))

    drive(make_app(replay=RELATIVES), steps, size=(80, 24))


def test_new_triples_are_marked_for_one_turn_and_stay_when_the_run_is_cancelled() -> None:
    go_on = threading.Event()
    (change,) = [event for event in model_run() if isinstance(event, GraphChanged)]
    more = number(
        *(lambda h: h for _ in range(3)),
        lambda h: ToolReturned(h, 1, "k1", "search_entities", True, "one", 1, 1, False, 0.1),
        lambda h: replace(change, header=h, turn=1, call_id="k1"),
        lambda h: StateEntered(h, "REMOTE_DATA_EVALUATION", 2, "none", ""),
        lambda h: RunEnded(h, "cancelled", 3.0, "The run was cancelled."),
        run_id="run-h",
    )[3:]

    def script(question: str, emit: Any, cancel: Any) -> None:
        for event in [*opening(question), *more[:2]]:
            emit(event)
        go_on.wait(110)
        emit(more[2])
        while not cancel.cancelled:
            threading.Event().wait(0.01)
        emit(more[3])

    async def steps(pilot: Any) -> None:
        app = pilot.app
        app.start_run("why")
        await press(pilot, "escape", "g")
        pane = app.workspace.pane("graph")

        def triples() -> list[str]:
            root = pane.query_one(RowsTree).root
            return [str(row.label) for subject in root.children for row in subject.children]

        await until(pilot, lambda: len(triples()) == 2, "the triples")
        assert all(row.startswith("+ ") for row in triples())
        assert "+2 new" in str(pane.border_title)
        go_on.set()
        await until(pilot, lambda: not any(row.startswith("+ ") for row in triples()), "a turn")
        before = triples()
        await press(pilot, "x")
        await until_shown(pilot)
        assert app.conversation.record.state.status == "cancelled"
        assert triples() == before and "headquarters location" in before[0]
        app.start_run("and what else")
        await until(pilot, lambda: len(app.conversation.records) == 2, "another run")
        assert set(app.conversation.record.before) == {"T1", "T2"}
        app.action_cancel()
        await until_shown(pilot)

    drive(make_app(script), steps)


def test_what_does_not_end_when_cancelled_is_left_to_itself() -> None:
    go_on = threading.Event()
    begun = threading.Event()

    def deaf(question: str, emit: Any, cancel: Any) -> None:
        for event in opening(question):
            emit(event)
        begun.set()
        go_on.wait(110)

    async def steps(pilot: Any) -> None:
        app = pilot.app
        app.start_run("?")
        await until(pilot, begun.is_set, "the run")
        await until(pilot, lambda: app.running.state.tool_calls == 1, "its call")
        app.action_cancel()
        await until_shown(pilot)
        state = app.conversation.record.state
        assert (state.status, state.tool_calls) == ("cancelled", 1)
        app.start_run("again?")
        await until(pilot, lambda: "STARTING" in str(app.query_one("#header").content), "waiting")
        go_on.set()
        await until(pilot, lambda: app.running is None, "the end of the second run")
        # It broke off: nothing told of its end.
        assert app.conversation.record.state.status == "failed"

    drive(make_app(deaf), steps)


def test_a_core_that_is_left_at_work_is_closed_once_it_is_done() -> None:
    """Its store would stay locked for the next one."""
    begun, go_on, closed = threading.Event(), threading.Event(), threading.Event()

    def script(question: str, emit: Any, cancel: Any) -> None:
        begun.set()
        go_on.wait(110)
        assert not closed.is_set(), "closed while it was at work"

    class Core(FakeCore):
        def close(self) -> None:
            closed.set()

    cores: list[FakeCore] = [FakeCore(), Core(script)]
    bridge = Bridge(lambda: cores.pop())
    bridge.start()
    ticket = bridge.ask("?")
    assert begun.wait(110)
    bridge.reopen()
    while not any(isinstance(item, CoreOpened) for item in bridge.drain()):
        threading.Event().wait(0.01)
    go_on.set()
    assert closed.wait(110)
    assert Finished(ticket) in bridge.drain()


def test_a_core_that_hangs_while_it_opens_can_be_left() -> None:
    hanging = threading.Event()
    tries: list[int] = []

    def open_core() -> Any:
        tries.append(1)
        if len(tries) == 1:
            hanging.wait(110)
        return FakeCore()

    async def run() -> None:
        app = make_app(open_core=open_core)
        async with app.run_test() as pilot:
            header = app.query_one("#header")
            await until(pilot, lambda: "OPENING" in str(header.content), "opening")
            app.start_run("?")
            await until(pilot, lambda: "WAITING" in str(header.content), "waiting")
            app.action_cancel()
            await until_shown(pilot)
            assert app.conversation.record.state.status == "cancelled"
            app.change_settings(Settings(max_turns=9))
            await until(pilot, lambda: header.core != "opening …", "another core")
            app.start_run("and now?")
            await until_shown(pilot)
            assert app.conversation.record.state.status == "answered"
            hanging.set()
            assert app.bugs == []

    asyncio.run(run())


def test_a_run_cancelled_before_it_began_took_as_long_as_it_was_waited_for() -> None:
    """The core counts from its run's start: what is looked up before that takes time as well."""
    asked = threading.Event()

    def late(question: str, emit: Any, cancel: Any) -> None:
        asked.set()
        while not cancel.cancelled:
            threading.Event().wait(0.01)
        for event in number(
            lambda h: RunStarted(h, question, "offline", "s", 1),
            lambda h: RunEnded(h, "cancelled", 0.0, "The run was cancelled."),
        ):
            emit(event)

    async def steps(pilot: Any) -> None:
        app, clock = pilot.app, [100.0]
        app.session.now = lambda: clock[0]
        app.start_run("?")
        await until(pilot, asked.is_set, "the question")
        clock[0] += 2.5
        app.action_cancel()
        await until_shown(pilot)
        clock[0] += 60.0
        header = app.query_one(HeaderBar)
        await until(pilot, lambda: "CANCELLED 2.5 s" in str(header.content), "how long it took")
        assert app.workspace.pane("answer").border_subtitle.endswith("2.5 s")

    drive(make_app(late), steps)


def test_a_turn_has_one_heading_of_its_number() -> None:
    """An empty local graph leads on without a turn: that visit is before the first one."""

    async def steps(pilot: Any) -> None:
        await until_shown(pilot)
        tree = pilot.app.workspace.pane("trace").query_one("#trace-body", RowsTree)
        titles = [str(node.label).split("  ")[0] for node in tree.root.children]
        assert titles[:3] == ["before turn 1: EVAL", "turn 1 REMOTE", "turn 2 EVAL REMOTE"]
        assert len({title for title in titles}) == len(titles)

    drive(make_app(replay=RELATIVES), steps, size=(200, 50))
