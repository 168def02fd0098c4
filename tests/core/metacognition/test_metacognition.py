"""Metacognition: what it counts, what it says, what it changes, what it costs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from robodata_core import RoboData, journal
from robodata_core.config import load_settings
from robodata_core.events import ObservationMade, RunEvent, StateEntered, ToolCalled
from robodata_core.metacognition.observer import NOTHING_CHANGED, Signals, read_signals, strategy_of
from robodata_core.model import Answer, AnswerStatus
from robodata_core.narrate import narrate
from robodata_core.run_state import RunState, apply
from robodata_core.store.graph import LocalGraph
from tests.core.policy.llm.scripts import (
    CAPITAL,
    answer,
    capital_script,
    go,
    results_seen,
    state_of,
)
from tests.core.policy.llm.server import Reply, Script, model_server

ADVICE = "Stop searching for nonsense; search for Canada and follow its capital."


def observer_of(request: dict[str, Any]) -> str:
    """Return whether the observer asks."""
    return "meta" if request["messages"][0]["content"].startswith("You watch an agent") else ""


def stubborn(request: dict[str, Any]) -> Reply:
    """A model that searches for the same nonsense until it is advised otherwise."""
    kind = observer_of(request)
    if kind:
        strategy = "It searches for the same name again."
        return Reply(text=json.dumps({"strategy": strategy, "plan": ADVICE}))
    state, prompt = state_of(request), request["messages"][1]["content"]
    knows = "(Q16)" in prompt or "Advice from watching your strategy" in prompt
    if knows or _advised(request):
        return capital_script()(request)
    if state == "REMOTE_GRAPH_EXPLORATION":
        if results_seen(request):
            return go("REMOTE_DATA_EVALUATION")
        return Reply(calls=(("search_entities", {"text": "Zzyzx Qwrtp"}),))
    if state == "REMOTE_DATA_EVALUATION":
        return go("REMOTE_GRAPH_EXPLORATION")
    if state == "LOCAL_DATA_EVALUATION":
        return go("REMOTE_GRAPH_EXPLORATION")
    return answer(results=[], status="unknown")


class _Advised:
    """Remembers, as a model's context would, that advice was given in an evaluation."""

    def __init__(self) -> None:
        self.advised = False

    def __call__(self, request: dict[str, Any]) -> Reply:
        if ADVICE in str(request["messages"]) and not observer_of(request):
            self.advised = True
        if self.advised and not observer_of(request):
            return capital_script(
                change=lambda state, reply: (
                    go("REMOTE_GRAPH_EXPLORATION")
                    if state == "REMOTE_DATA_EVALUATION" and "(Q16)" not in str(request["messages"])
                    else reply
                )
            )(request)
        return stubborn(request)


def _advised(request: dict[str, Any]) -> bool:
    return ADVICE in str(request["messages"])


def run(script: Script, **settings: Any) -> tuple[Answer, list[RunEvent], int]:
    events: list[RunEvent] = []
    with (
        model_server(script) as server,
        RoboData.open(policy="llm", model="m", base_url=server.url, **settings) as robodata,
    ):
        found = robodata.ask(CAPITAL, on_event=events.append)
        return found, events, len(server.requests)


def observations(events: Sequence[RunEvent]) -> list[ObservationMade]:
    return [event for event in events if isinstance(event, ObservationMade)]


def test_a_stagnating_strategy_is_changed_and_the_journal_proves_it(tmp_path: Path) -> None:
    without, _, _ = run(_Advised(), max_turns=12)
    assert without.status is AnswerStatus.UNKNOWN

    found, _, _ = run(_Advised(), max_turns=12, metacognition=True, journal=str(tmp_path))
    assert found.status is AnswerStatus.ANSWERED
    (path,) = tmp_path.iterdir()
    events = list(journal.read(path))
    seen = observations(events)
    assert seen[0].observation == ADVICE
    assert seen[0].strategy.startswith("It searches for the same name")
    assert any(
        "triples were added" in item.changed or "other tools" in item.changed for item in seen
    )
    first = seen[0].header.seq
    before = [e for e in events if isinstance(e, ToolCalled) and e.header.seq < first]
    after = [e for e in events if isinstance(e, ToolCalled) and e.header.seq > first]
    assert {call.arguments["text"] for call in before} == {"Zzyzx Qwrtp"}
    assert any(call.arguments.get("text") == "Canada" for call in after)


def test_its_cost_is_counted(tmp_path: Path) -> None:
    found, events, requests = run(_Advised(), max_turns=12, metacognition=True)
    assert found.status is AnswerStatus.ANSWERED
    spent = sum(item.tokens.prompt for item in observations(events))
    assert spent == 100 * sum(len(item.model_calls) for item in observations(events)) > 0
    assert found.statistics.tokens.prompt == 100 * requests


def test_a_question_that_goes_straight_to_its_answer_is_left_alone() -> None:
    found, events, _ = run(capital_script_with_observer(), metacognition=True)
    assert found.status is AnswerStatus.ANSWERED
    assert observations(events) == []


def test_what_advice_changed_is_recorded_once_and_costs_nothing() -> None:
    _, events, _ = run(_Advised(), max_turns=12, metacognition=True)
    effects = [item for item in observations(events) if not item.observation]
    assert len(effects) == 1
    assert "triples were added" in effects[0].changed or "other tools" in effects[0].changed
    assert effects[0].model_calls == ()
    assert narrate(effects[0]) == f"    metacognition: since its advice {effects[0].changed}"


def test_strategy_and_advice_come_from_one_call() -> None:
    asked: list[str] = []

    def script(request: dict[str, Any]) -> Reply:
        if observer_of(request):
            asked.append(request["messages"][1]["content"])
        return stubborn(request)

    run(script, max_turns=8, metacognition=True)
    assert all("Actions so far" in text and "Zzyzx" in text for text in asked)
    assert "There is no earlier observation." in asked[0]
    assert all(f"Advice given then: {ADVICE}" in text for text in asked[1:])


def capital_script_with_observer() -> Script:
    good = capital_script()
    return lambda request: (
        Reply(text="It goes straight for the answer.") if observer_of(request) else good(request)
    )


def test_a_model_that_cannot_observe_leaves_the_signals() -> None:
    calls = {"n": 0}

    def script(request: dict[str, Any]) -> Reply:
        if observer_of(request):
            calls["n"] += 1
            return Reply(status=401)
        return stubborn(request)

    found, events, _ = run(script, max_turns=10, metacognition=True, model_tries=1)
    assert calls["n"] > 0
    seen = observations(events)
    assert any("had been answered before" in " ".join(item.signals) for item in seen)
    assert found.status in (AnswerStatus.ANSWERED, AnswerStatus.UNKNOWN)


def test_an_observation_that_changes_nothing_is_recorded_as_such() -> None:
    def script(request: dict[str, Any]) -> Reply:
        if observer_of(request):
            return Reply(text="Go on.")
        return stubborn({**request, "messages": request["messages"][:1] + [_bare(request)]})

    _, events, _ = run(script, max_turns=12, metacognition=True)
    changed = [item.changed for item in observations(events)]
    assert NOTHING_CHANGED in changed


def _bare(request: dict[str, Any]) -> dict[str, Any]:
    seen = results_seen(request)
    return {"role": "tool" if seen else "user", "content": ""}


def test_offline_metacognition_needs_no_model() -> None:
    with RoboData.open(metacognition=True) as robodata:
        assert robodata.settings.max_turns == 50
        assert robodata.ask(CAPITAL).status is AnswerStatus.ANSWERED


@pytest.mark.parametrize(("given", "turns"), [({}, 50), ({"max_turns": 7}, 7)])
def test_metacognition_has_more_turns_unless_told_otherwise(
    given: dict[str, int], turns: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert load_settings(metacognition=True, **given).max_turns == turns
    assert load_settings().max_turns == 30


def test_signals_read_a_real_run() -> None:
    events: list[RunEvent] = []
    with RoboData.open() as robodata:
        robodata.ask("Who are the relatives of Douglas Adams?", on_event=events.append)
        state = RunState()
        for event in events:
            state = apply(state, event)
            if isinstance(event, StateEntered):
                signals = read_signals(state, robodata.store)
                assert signals.barren_turns >= 0
    assert signals.repeated_calls == 0
    assert signals.isolated_nodes == 0
    assert signals.components == 1
    assert not signals.stagnating
    assert "triples added" in strategy_of(state)


def test_no_signal_says_nothing() -> None:
    assert Signals(components=1).sentences() == ()
    with LocalGraph.in_memory() as graph:
        assert read_signals(RunState(), graph).sentences() == ()
