"""The trace lives: every request is a row from the moment it starts."""

from __future__ import annotations

import asyncio
import contextlib
import re
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from robodata_core import RoboData
from robodata_core.events import (
    RankedReading,
    ReadingsRanked,
    RequestTold,
    RunEnded,
    RunStarted,
    StateEntered,
    ToolCalled,
    ToolReturned,
)
from robodata_tui.screens.dialog import Reader
from robodata_tui.widgets.exchange import Exchange
from robodata_tui.widgets.trace_rows import readings_row
from robodata_tui.words import sparkline
from tests.core._runs import number
from tests.core.policy.llm.scripts import CAPITAL, capital_script
from tests.core.policy.llm.server import model_server
from tests.tui._app import drive, make_app, press, until, until_shown

_HOST = "query.example.org"


def _script(go_on: threading.Event) -> Any:
    readings = (
        RankedReading("capital of Canada", 0.91),
        RankedReading("largest city of Canada", 0.07, "no word asks for a size"),
    )
    events = number(
        lambda h: RunStarted(h, "?", "offline", "sparql", 30, {}),
        lambda h: ReadingsRanked(h, readings),
        lambda h: StateEntered(h, "REMOTE_GRAPH_EXPLORATION", 1, "none"),
        *(
            lambda h, n=n, phase=phase, text=text: RequestTold(
                h, n, _HOST, "GET /sparql Q16", phase, text=text
            )
            for n in range(1, 6)
            for phase, text in (("started", ""), ("ended", "200, 99 bytes"))
        ),
        lambda h: RequestTold(h, 9, _HOST, "GET /sparql Q42", "started"),
        lambda h: RequestTold(h, 9, _HOST, "GET /sparql Q42", "waiting", 2, 1.5, "rate limited"),
        *(
            make
            for n in range(1, 6)
            for make in (
                lambda h, n=n: ToolCalled(h, 1, f"k{n}", "fetch_node", {}),
                lambda h, n=n: ToolReturned(
                    h, 1, f"k{n}", "fetch_node", True, "one", 1, 1, False, 0.2
                ),
            )
        ),
        lambda h: RequestTold(h, 9, _HOST, "GET /sparql Q42", "failed", 2, text="gone"),
        lambda h: RunEnded(h, "unknown", 1.0),
        run_id="run-r",
    )

    def script(question: str, emit: Any, cancel: Any) -> None:
        for event in events[:-2]:
            emit(event)
        go_on.wait(110)
        for event in events[-2:]:
            emit(event)

    return script


def _rows(pane: Any) -> list[str]:
    def below(node: Any) -> list[str]:
        return [text for child in node.children for text in (str(child.label), *below(child))]

    return below(pane.query_one("#trace-body").root)


def test_requests_are_rows_from_their_start_and_alike_ones_stand_together() -> None:
    go_on = threading.Event()

    async def steps(pilot: Any) -> None:
        app = pilot.app
        app.start_run("?")
        pane = app.workspace.pane("trace")
        await until(pilot, lambda: any("try 2 in 1.5 s" in row for row in _rows(pane)), "the wait")
        rows = _rows(pane)
        assert any(row.startswith("↻ since") and _HOST in row for row in rows)
        # How long each took: bars, here of requests that took alike long.
        assert any(row.startswith(f"⇄ {_HOST} ×5  █████  ") for row in rows)
        assert any(row.startswith("✓ fetch_node ×5") for row in rows)
        assert any("read as capital of Canada  91%" in row for row in rows)
        assert any("not taken: no word asks for a size" in row for row in rows)
        assert pane.query_one("#trace-body").root.children[0].is_collapsed, "the readings"
        # While there is no answer its place says what is waited for.
        told = str(app.query(".exchange").last().content)
        assert "rate limited" in told and "… REMOTE, 5 of 6 requests over" in told
        go_on.set()
        await until_shown(pilot)
        app.action_pane("trace")
        await until(pilot, lambda: any("1 failed" in row for row in _rows(pane)), "its end")
        assert any(re.match(r"✗ failed after .* s, 2 tries  gone", row) for row in _rows(pane))
        tree = pane.main
        line = next(
            n for n in range(tree.last_line + 1) if _HOST in str(tree.get_node_at_line(n).label)
        )
        await press(pilot, "home", *["down"] * line, "enter")
        await until(pilot, lambda: isinstance(app.screen, Reader), "the request whole")

    drive(make_app(_script(go_on)), steps)


class _Silent(BaseHTTPRequestHandler):
    """A service without facts that answers when it is opened, then nothing until it is let go."""

    opened: bool
    go_on: threading.Event

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        if type(self).opened:
            self.go_on.wait(110)
            self.close_connection = True
            return
        type(self).opened = True
        body = b'{"head": {"vars": []}, "results": {"bindings": []}}'
        self.send_response(200)
        self.send_header("Content-Type", "application/sparql-results+json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextlib.contextmanager
def _silent_service(opened: bool) -> Iterator[str]:
    go_on = threading.Event()
    handler = type("_Handler", (_Silent,), {"opened": opened, "go_on": go_on})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"sparql:http://127.0.0.1:{server.server_port}/"
    finally:
        go_on.set()
        server.shutdown()


def test_a_source_that_is_slow_to_open_says_what_is_waited_for() -> None:
    async def run(source: str) -> None:
        app = make_app(open_core=lambda: RoboData.open(source=source))
        async with app.run_test() as pilot:
            held = app.query_one("#held")
            await until(pilot, lambda: "127.0.0.1" in str(held.content), "the request")
            header = app.query_one("#header")
            age = re.compile(r"OPENING [1-9]\d* s")
            await until(pilot, lambda: age.search(str(header.content)), "its age")

    with _silent_service(opened=True) as source:
        asyncio.run(run(source))


def test_a_request_before_the_run_is_a_row_as_well() -> None:
    """What a question points back to is looked up first: a slow service must not look hung."""

    async def steps(pilot: Any) -> None:
        app = pilot.app
        app.start_run("Who wrote Faust?")
        trace, answer = app.workspace.pane("trace"), app.workspace.pane("answer")
        await until(pilot, lambda: "since" in " ".join(_rows(trace)), "the request in the trace")
        assert _rows(trace)[0] == "before the first turn"
        await until(pilot, lambda: "since" in str(answer.query_one(Exchange).content), "its age")
        assert app.conversation.record.events == [], "the run has not begun"
        await press(pilot, "ctrl+c")
        await until_shown(pilot)
        assert _rows(trace)[0] == "before the first turn"

    with _silent_service(opened=False) as source:
        drive(make_app(open_core=lambda: RoboData.open(source=source)), steps)


def test_a_reading_that_was_not_taken_is_not_told_as_how_it_was_read() -> None:
    assert readings_row((RankedReading("capital", 0.91),)).text == "read as capital  91%"
    row = readings_row((RankedReading("capital", 0.05, "not sure enough"),))
    assert row.text == "nearest reading, not taken: capital  5%"


def test_the_requests_of_a_real_model_are_told(monkeypatch: Any) -> None:
    pytest.importorskip("openai", reason="the extra llm is not installed here")
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    events: list[Any] = []
    with (
        model_server(capital_script()) as server,
        RoboData.open(policy="llm", model="m", base_url=server.url) as core,
    ):
        core.ask(CAPITAL, on_event=events.append)
    told = [event for event in events if isinstance(event, RequestTold)]
    assert {event.phase for event in told} == {"started", "ended"}
    assert {event.target for event in told} == {"model m"}
    assert [event.header.seq for event in events] == list(range(1, len(events) + 1))


def test_bars_are_in_proportion() -> None:
    assert sparkline([0.1, 0.4, 0.8]) == "▂▅█"
    assert sparkline([]) == sparkline([0.0]) == ""


_SPARQL = """SELECT DISTINCT ?city ?twin WHERE { ?city wdt:P31/wdt:P279* wd:Q515 ; wdt:P17 wd:Q38 ;
 wdt:P190 ?twin . ?twin wdt:P31/wdt:P279* wd:Q515 ; wdt:P17 wd:Q17 } ORDER BY ?city LIMIT 1000"""


@pytest.mark.parametrize("size", [(120, 40), (80, 24)])
def test_a_long_query_hides_neither_age_nor_try_nor_failure(size: tuple[int, int]) -> None:
    go_on, host = threading.Event(), "query.wikidata.org"
    phases = [
        (1, "started", 1, 0.0, ""),
        (2, "started", 1, 0.0, ""),
        (2, "waiting", 3, 4.0, "HTTP 429"),
        (3, "started", 1, 0.0, ""),
        (3, "failed", 4, 0.0, "HTTP 500"),
    ]
    events = number(
        lambda h: RunStarted(h, "?", "offline", "wikidata", 30, {}),
        lambda h: StateEntered(h, "REMOTE_GRAPH_EXPLORATION", 1, "none"),
        *(
            lambda h, told=told: RequestTold(h, told[0], host, _SPARQL, *told[1:])
            for told in phases
        ),
        run_id="run-q",
    )

    def script(question: str, emit: Any, cancel: Any) -> None:
        for event in events:
            emit(replace(event, header=replace(event.header, time=datetime.now(timezone.utc))))
        go_on.wait(110)

    async def steps(pilot: Any) -> None:
        app = pilot.app
        app.start_run("?")
        app.action_pane("trace")
        tree = app.workspace.pane("trace").query_one("#trace-body")

        def shown() -> str:
            for node in tree.root.children[-1].children:
                node.expand()
            return "\n".join(tree.render_line(y).text for y in range(tree.size.height))

        await until(pilot, lambda: "failed after" in shown(), "the requests")
        text = shown()
        assert size[0] != 120 or tree.size.width <= 47
        assert re.search(r"… since \d+ s", text)
        assert re.search(r"↻ since \d+ s  try 3 in 4\.0 s: HTTP 429", text)
        assert re.search(r"✗ failed after [\d.]+ s, 4 tries  HTTP 500", text)
        assert "1 failed" in text and "SELECT" in text
        go_on.set()
        await until(pilot, lambda: app.running is None, "its end")

    drive(make_app(script), steps, size=size)


def test_why_a_reading_lost_is_a_reason_of_its_own() -> None:
    asked = {
        "Which Italian cities are twinned with Japanese cities?": "leaves out “Italian”",
        "Is Ottawa the capital of Canada?": "leaves out “Canada”",
    }
    with RoboData.open() as core:
        for question, reason in asked.items():
            events: list[Any] = []
            core.ask(question, on_event=events.append)
            (ranked,) = [event for event in events if isinstance(event, ReadingsRanked)]
            lost = [item.lost for item in ranked.readings if item.lost]
            assert any(text.startswith(reason) for text in lost), (question, lost)
            assert len({item.text for item in ranked.readings}) == len(ranked.readings)
