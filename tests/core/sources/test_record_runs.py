"""A whole run with a model, recorded to one file and repeated without its server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from robodata_core import RoboData
from robodata_core.events import RunEvent
from robodata_core.model import AnswerStatus
from robodata_core.run_state import RunState, fold
from tests.core.policy.llm.scripts import CAPITAL, answer, capital_script, results_seen, state_of
from tests.core.policy.llm.server import Reply, model_server

pytest.importorskip("openai", reason="the openai package is not installed (extra 'llm')")

KEY = "sk-test-0123456789abcdef"


def test_a_run_is_repeated_without_its_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    path = tmp_path / "traffic.jsonl"
    with (
        model_server(capital_script()) as server,
        RoboData.open(policy="llm", model="m", base_url=server.url, record=str(path)) as robodata,
    ):
        first = robodata.ask(CAPITAL)
        url = server.url
    assert first.status is AnswerStatus.ANSWERED
    assert KEY not in path.read_text(encoding="utf-8")
    with RoboData.open(policy="llm", model="m", base_url=url, replay_traffic=str(path)) as robodata:
        again = robodata.ask(CAPITAL)
    assert (again.text, again.results, again.trace) == (first.text, first.results, first.trace)
    assert again.statistics.tokens == first.statistics.tokens


def test_a_repeated_run_sends_the_same_prompts_and_reads_the_same_replies(tmp_path: Path) -> None:
    """Byte for byte, metacognition, refused claims and parallel calls included."""
    path = tmp_path / "traffic.jsonl"
    toronto = answer(("Toronto is the capital of Canada.", ["T1"]), results=["Q1930"])
    good = capital_script(toronto)

    def script(request: dict[str, Any]) -> Reply:
        if request["messages"][0]["content"].startswith("You watch an agent"):
            return Reply(text="Look at Canada.")
        if "(empty)" in request["messages"][1]["content"] and not results_seen(request):
            names = ("Zzyzx", "Qwrtp", "Canada", "capital")
            calls = tuple(("search_entities", {"text": name}) for name in names)
            if state_of(request) == "REMOTE_GRAPH_EXPLORATION":
                return Reply(calls=calls)
        return good(request)

    settings: dict[str, Any] = {"policy": "llm", "model": "m", "metacognition": True}
    with (
        model_server(script) as server,
        RoboData.open(base_url=server.url, record=str(path), max_turns=8, **settings) as robodata,
    ):
        first = run_state_of(robodata)
        url = server.url
    with RoboData.open(base_url=url, replay_traffic=str(path), max_turns=8, **settings) as robodata:
        again = run_state_of(robodata)
    assert len(told(first)) >= 7
    assert told(again) == told(first)
    assert [call.text for turn in again.timeline for call in turn.calls] == [
        call.text for turn in first.timeline for call in turn.calls
    ]
    assert again.answer is not None and first.answer is not None
    assert again.answer.text == first.answer.text


def run_state_of(robodata: RoboData) -> RunState:
    events: list[RunEvent] = []
    robodata.ask(CAPITAL, on_event=events.append)
    return fold(events)


def told(state: RunState) -> list[tuple[object, str]]:
    """Return every prompt with its reply, in order."""
    calls = [
        call
        for turn in state.timeline
        for call in (*(turn.observation.model_calls if turn.observation else ()), *turn.model_calls)
    ]
    return [(call.messages, call.reply) for call in calls]
