"""What happens when something goes wrong: nothing that was found is lost."""

from __future__ import annotations

import logging
import threading
from pathlib import Path
from typing import Any

import pytest

from robodata_core import RoboData
from robodata_core.errors import InvalidRequestError, SnapshotError, SourceError
from robodata_tui.guarded import bug_report
from robodata_tui.screens.dialog import Reader
from robodata_tui.widgets.tabs import Banner
from tests.core.policy.llm.scripts import CAPITAL, capital_script, state_of
from tests.core.policy.llm.server import Reply, model_server
from tests.tui._app import (
    RELATIVES,
    FakeCore,
    click,
    drive,
    make_app,
    play,
    press,
    until,
    until_shown,
)


def test_a_core_that_does_not_open_can_be_tried_again() -> None:
    tries: list[int] = []

    def open_core() -> Any:
        tries.append(1)
        if len(tries) == 1:
            raise SourceError("The service does not answer.", hint="Try again later.")
        return FakeCore()

    async def steps(pilot: Any) -> None:
        app = pilot.app
        banner = app.query_one(Banner)
        await until(pilot, lambda: banner.display, "the banner")
        await click(pilot, "#banner-retry")
        await until(pilot, lambda: app.query_one("#header").core != "not open", "the core")
        assert not banner.display
        app.start_run("and now?")
        await until_shown(pilot)
        assert app.conversation.record.state.status == "answered"

    drive(make_app(open_core=open_core), steps)


@pytest.mark.parametrize("part", ["open", "match", "conversation", "source"])
def test_what_nobody_foresaw_on_opening_is_told_and_can_be_tried_again(part: str) -> None:
    cores: list[FakeCore] = []

    def boom(**_: Any) -> Any:
        raise ZeroDivisionError("a secret detail")

    def open_core() -> Any:
        cores.append(FakeCore())
        if len(cores) > 1:
            return cores[-1]
        if part == "open":
            boom()
        elif part == "match":
            cores[0].store.match = boom
        elif part == "conversation":
            cores[0].conversation = boom  # type: ignore[method-assign]
        else:
            del cores[0].source.name
        return cores[0]

    async def steps(pilot: Any) -> None:
        app = pilot.app
        banner = app.query_one(Banner)
        await until(pilot, lambda: banner.display, "the banner")
        said = str(banner.query_one("#banner-text").content)
        assert "could not be opened: an unexpected" in said and "Retry" in said
        assert "secret" not in said
        assert "NOT OPEN" in str(app.query_one("#header").content)
        assert cores[0].closed == (part != "open")
        app.start_run("and now?")
        await until(pilot, lambda: app.running is None and banner.display, "the refusal")
        assert "could not be opened" in str(banner.query_one("#banner-text").content)
        await click(pilot, "#banner-retry")
        await until(pilot, lambda: app.query_one("#header").core != "not open", "the core")
        app.start_run("and now?")
        await until_shown(pilot)
        assert app.conversation.record.state.status == "answered"
        assert app.bugs == []

    drive(make_app(open_core=open_core), steps)


def test_a_conversation_that_does_not_begin_anew_is_told() -> None:
    async def steps(pilot: Any) -> None:
        app = pilot.app
        app.start_run("first")
        await until_shown(pilot)
        app.core.conversation = None
        app.action_new_conversation()
        banner = app.query_one(Banner)
        await until(pilot, lambda: banner.display, "the banner")
        assert "an unexpected TypeError" in str(banner.query_one("#banner-text").content)
        del app.core.conversation
        await click(pilot, "#banner-retry")
        await until(pilot, lambda: app.query_one("#header").core != "not open", "the core")

    drive(make_app(), steps)


def test_what_another_try_does_not_mend_is_told_and_ends() -> None:
    def open_core() -> Any:
        raise SnapshotError("The snapshot is damaged.", hint="Build it again.")

    async def steps(pilot: Any) -> None:
        app = pilot.app
        await until(pilot, lambda: app.return_code == 3, "the end")
        assert app.return_value == 3

    drive(make_app(open_core=open_core), steps)


def test_a_journal_can_be_read_without_a_core() -> None:
    def open_core() -> Any:
        raise SnapshotError("The snapshot is damaged.", hint="Build it again.")

    async def steps(pilot: Any) -> None:
        await until(pilot, lambda: pilot.app.query_one(Banner).display, "the banner")
        await until_shown(pilot)
        assert pilot.app.return_code is None

    drive(make_app(open_core=open_core, replay=RELATIVES), steps)


def test_a_question_that_is_refused_is_a_banner() -> None:
    def refuse(question: str, emit: Any, cancel: Any) -> None:
        raise InvalidRequestError("The question is empty.")

    async def steps(pilot: Any) -> None:
        pilot.app.start_run("…")
        await until(pilot, lambda: pilot.app.query_one(Banner).display, "the banner")
        assert pilot.app.running is None

    drive(make_app(refuse), steps)


def test_a_bug_in_the_core_is_a_report_and_the_session_goes_on() -> None:
    again = play(RELATIVES)
    calls: list[str] = []

    def broken(question: str, emit: Any, cancel: Any) -> None:
        calls.append(question)
        if len(calls) == 1:
            raise ZeroDivisionError("a bug")
        again(question, emit, cancel)

    async def steps(pilot: Any) -> None:
        app = pilot.app
        app.start_run("boom")
        await until(pilot, lambda: isinstance(app.screen, Reader), "the report")
        await press(pilot, "y")
        assert "ZeroDivisionError: a bug" in app.clipboard
        assert "log:" in app.clipboard
        await press(pilot, "escape")
        await until(pilot, lambda: not isinstance(app.screen, Reader), "the report closed")
        app.bugs.clear()
        app.start_run("better")
        await until_shown(pilot)
        assert app.conversation.record.state.status == "answered"
        assert len(app.conversation.records) == 2

    drive(make_app(broken), steps)


def test_a_bug_in_a_handler_is_a_report_and_the_session_goes_on() -> None:
    async def steps(pilot: Any) -> None:
        app = pilot.app
        await until_shown(pilot)

        def broken() -> None:
            raise LookupError("a bug in a handler")

        app.call_later(broken)
        await until(pilot, lambda: isinstance(app.screen, Reader), "the report")
        await press(pilot, "escape")
        await press(pilot, "2")
        await until(
            pilot, lambda: app.focused is app.workspace.pane("proof").main, "a key after it"
        )
        assert "a bug in a handler" in app.bugs[0]
        app.bugs.clear()

    drive(make_app(replay=RELATIVES), steps)


def test_what_still_comes_while_the_application_closes_is_no_bug() -> None:
    """Parts of the screen are gone then: neither a report nor a traceback at the prompt."""
    came: list[str] = []

    async def steps(pilot: Any) -> None:
        app = pilot.app
        await until_shown(pilot)

        def broken() -> None:
            came.append("late")
            raise LookupError("a part that is gone")

        def leave() -> None:
            app.exit(0)
            app.call_later(broken)
            app.push_screen(Reader("Title", "a dialog that is never built"))
            app.workspace.refresh()

        app.call_later(leave)
        await until(pilot, lambda: came, "what comes late")

    app = make_app(replay=RELATIVES)
    drive(app, steps)
    assert app.bugs == []
    assert app.return_code == 0


def test_a_model_that_is_lost_during_a_run_is_a_banner_and_the_run_can_be_tried_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    pytest.importorskip("openai", reason="the extra llm is not installed here")
    lost = threading.Event()
    good = capital_script()

    def script(request: dict[str, Any]) -> Reply:
        if not lost.is_set() and state_of(request) == "REMOTE_DATA_EVALUATION":
            lost.set()
            return Reply(status=401)
        return good(request)

    async def steps(pilot: Any) -> None:
        app = pilot.app
        banner = app.query_one(Banner)
        app.start_run(CAPITAL)
        await until(pilot, lambda: banner.display, "the banner")
        failed = app.conversation.record
        assert failed.state.status == "failed"
        assert failed.state.tool_calls > 0, "what was found is kept"
        app.query_one("#banner-retry").focus()
        await press(pilot, "tab")
        await until(pilot, lambda: app.focused.id == "banner-cancel", "Cancel by keyboard")
        await press(pilot, "shift+tab", "enter")
        await until(pilot, lambda: len(app.conversation.records) == 2, "the second try")
        await until_shown(pilot)
        assert app.conversation.record.state.status == "answered"
        assert not banner.display

    with model_server(script) as server:
        options = {"policy": "llm", "model": "m", "base_url": server.url}
        drive(make_app(open_core=lambda: RoboData.open(**options)), steps)


def test_a_report_says_where_the_log_is(tmp_path: Path) -> None:
    logger = logging.getLogger("robodata")
    handler = logging.FileHandler(tmp_path / "robodata.log", delay=True)
    logger.addHandler(handler)
    try:
        assert f"log: {tmp_path / 'robodata.log'}" in bug_report(ValueError("x"))
    finally:
        logger.removeHandler(handler)
