"""Runs that are stopped, run out of time, or fail: always an answer, always a clean stream."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robodata_core.cancellation import CancelToken
from robodata_core.errors import (
    CancelledError,
    ModelUnavailableError,
    PolicyError,
    SourceRefusedError,
    StoreFullError,
)
from robodata_core.events import GraphChanged, RunEnded, RunEvent, RunStarted, ToolReturned
from robodata_core.model import AnswerStatus
from robodata_core.orchestrator.machine import State
from robodata_core.policy.base import Decision, Turn
from robodata_core.run_state import fold
from robodata_core.store.graph import LocalGraph
from robodata_core.tools.base import ToolCall
from tests.core.orchestrator.support import (
    ANSWER,
    EVAL,
    EXPLORE,
    JUDGE,
    LOOK,
    UPDATE,
    Desk,
    ManualClock,
    Scripted,
    Trial,
    capital_draft,
    check_stream,
    filled_graph,
    go,
    hand_in,
    look,
    nothing,
    parts_with,
    put,
    run,
    run_unchecked,
    use,
)


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    """Keep expected error logs out of the tests' output."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


def _full_script() -> Scripted:
    return Scripted(
        use(look("a", 0.001), look("b")),
        go(JUDGE),
        go(UPDATE),
        use(put()),
        go(EVAL),
        go(LOOK),
        use(ToolCall("peek", {})),
        go(EVAL),
        go(ANSWER),
        hand_in(capital_draft("T9")),
        hand_in(capital_draft("T1")),
    )


_EVENTS_OF_FULL_SCRIPT = 33


def test_the_full_script_has_the_events_that_are_counted_on() -> None:
    trial = run(_full_script())
    assert trial.answer.status is AnswerStatus.ANSWERED
    assert len(trial.events) == _EVENTS_OF_FULL_SCRIPT


# -- cancelling ---------------------------------------------------------------------------------


@pytest.mark.parametrize("at", range(1, _EVENTS_OF_FULL_SCRIPT + 1))
def test_cancelled_at_any_event(at: int) -> None:
    token = CancelToken()
    trial = run(_full_script(), cancel=token, sink=_at(at, token.cancel))
    _check_cancelled(trial, at)


@pytest.mark.parametrize("at", range(1, _EVENTS_OF_FULL_SCRIPT + 1))
def test_interrupted_at_any_event(at: int) -> None:
    # Ctrl+C strikes while the event is in a watcher's hands: that one comes twice.
    def interrupt() -> None:
        raise KeyboardInterrupt

    trial = _run_interrupted(_at(at, interrupt))
    _check_cancelled(trial, at)


def _at(count: int, action: Callable[[], None]) -> Callable[[RunEvent], None]:
    seen = iter(range(1, 1_000))

    def sink(event: RunEvent) -> None:
        if next(seen) == count:
            action()

    return sink


def _check_cancelled(trial: Trial, at: int) -> None:
    if at > _EVENTS_OF_FULL_SCRIPT - 3:
        return  # too late: the answer stood already
    assert trial.answer.status is AnswerStatus.CANCELLED
    assert "The run was cancelled." in trial.answer.missing
    gathered = bool(trial.graph.edge_count)
    assert trial.answer.statistics.edges == trial.graph.edge_count == len(trial.state.graph)
    assert gathered == any("gathered 1 triple" in text for text in trial.answer.missing)


def _run_interrupted(sink: Callable[[RunEvent], None]) -> Trial:
    """Run the full script; events that come twice because of an interruption count once."""
    kept: dict[int, RunEvent] = {}

    def emit(event: RunEvent) -> None:
        assert kept.get(event.header.seq, event) == event
        kept[event.header.seq] = event
        sink(event)

    trial = run_unchecked(_full_script(), emit, [])
    trial.events[:] = kept.values()
    check_stream(trial)
    return trial


@given(st.floats(0, 0.02))
def test_cancelled_from_another_thread_at_any_moment(delay: float) -> None:
    token = CancelToken()
    timer = threading.Timer(delay, token.cancel)
    timer.start()
    steps = [use(*[look(f"{turn}{call}", 0.001) for call in "ab"]) for turn in range(8)]
    policy = Scripted(*steps, go(JUDGE), go(UPDATE), use(put(), put("Q30")), use(put("Q5")))
    trial = run(policy, cancel=token)
    timer.join()
    assert trial.answer.status in (AnswerStatus.CANCELLED, AnswerStatus.UNKNOWN)
    assert trial.answer.statistics.edges == trial.graph.edge_count == len(trial.state.graph)


def test_a_read_that_never_comes_back_does_not_hold_up_cancelling() -> None:
    desk, token = Desk(), CancelToken()
    threading.Timer(0.1, token.cancel).start()
    try:
        trial = run(Scripted(use(look("a"), ToolCall("hang", {}))), desk=desk, cancel=token)
    finally:
        desk.gate.set()
    assert trial.answer.status is AnswerStatus.CANCELLED
    outcomes = {event.tool: (event.ok, event.text) for event in trial.of(ToolReturned)}
    assert outcomes["look"] == (True, "saw a")
    assert outcomes["hang"] == (False, "The run was stopped before this call ended.")


def test_a_writing_call_under_way_may_end_and_is_told() -> None:
    desk, token = Desk(), CancelToken()

    def cancel_when_it_writes() -> None:
        desk.gate.wait(20)
        token.cancel()

    threading.Thread(target=cancel_when_it_writes, daemon=True).start()
    trial = run(Scripted(use(ToolCall("slow_put", {}))), desk=desk, cancel=token)
    assert trial.answer.status is AnswerStatus.CANCELLED
    assert trial.graph.edge_count == 1
    assert [item.handle for item in trial.of(GraphChanged)[0].added] == ["T1"]


def test_cancelled_before_it_began() -> None:
    token = CancelToken()
    token.cancel()
    policy = Scripted()
    trial = run(policy, cancel=token)
    assert policy.turns == []
    assert trial.answer.status is AnswerStatus.CANCELLED


def test_cancelling_keeps_an_answer_that_was_checked() -> None:
    token = CancelToken()

    def late(turn: Turn) -> Decision:
        token.cancel()
        return hand_in(capital_draft())

    trial = run(Scripted(go(ANSWER), late), graph=filled_graph(), cancel=token)
    assert trial.answer.status is AnswerStatus.CANCELLED
    assert [claim.supported for claim in trial.answer.claims] == [True]


# -- the deadline -------------------------------------------------------------------------------


def _slow(clock: ManualClock, decision: Decision) -> Callable[[Turn], Decision]:
    def decide(turn: Turn) -> Decision:
        clock.seconds += 10
        return decision

    return decide


def _with_deadline(policy_of: Callable[[ManualClock], Any], **more: Any) -> Trial:
    clock = ManualClock()
    token = CancelToken(5, monotonic=clock.monotonic)
    return run(policy_of(clock), clock=clock, cancel=token, **more)


@pytest.mark.parametrize("state", [EXPLORE, JUDGE, UPDATE, EVAL])
def test_out_of_time_before_an_answer_is_unknown(state: State) -> None:
    way = {EXPLORE: [], JUDGE: [go(JUDGE)], UPDATE: [go(JUDGE), go(UPDATE)], EVAL: [go(EVAL)]}
    trial = _with_deadline(lambda clock: Scripted(*way[state], _slow(clock, go(ANSWER))))
    assert trial.answer.status is AnswerStatus.UNKNOWN
    assert "The time given for this question ran out." in trial.answer.missing
    assert trial.answer.trace[-1] == state.value
    assert trial.answer.statistics.seconds == 10
    assert trial.answer.statistics.seconds_by_state[state.value] == 10


def test_out_of_time_says_what_was_gathered() -> None:
    trial = _with_deadline(lambda clock: Scripted(use(put()), _slow(clock, go(JUDGE))))
    assert trial.answer.status is AnswerStatus.UNKNOWN
    assert "It had gathered 1 triple, kept in the local graph." in trial.answer.missing
    assert trial.graph.edge_count == 1


def test_out_of_time_during_repair_keeps_the_claims_that_held() -> None:
    right, wrong = capital_draft(), capital_draft("T9")
    both = right.__class__(AnswerStatus.ANSWERED, parts=(*right.parts, *wrong.parts))
    trial = _with_deadline(
        lambda clock: Scripted(go(ANSWER), hand_in(both), _slow(clock, go(None))),
        graph=filled_graph(),
    )
    assert trial.answer.status is AnswerStatus.PARTIAL
    assert [claim.supported for claim in trial.answer.claims] == [True]
    assert "The time given for this question ran out." in trial.answer.missing


def test_an_answer_in_the_hand_is_not_thrown_away() -> None:
    trial = _with_deadline(
        lambda clock: Scripted(go(ANSWER), _slow(clock, hand_in(capital_draft()))),
        graph=filled_graph(),
    )
    assert trial.answer.status is AnswerStatus.ANSWERED


def test_the_deadline_passes_while_a_call_hangs() -> None:
    desk = Desk()
    started = time.monotonic()
    try:
        trial = run(Scripted(use(ToolCall("hang", {}))), desk=desk, cancel=CancelToken(0.1))
    finally:
        desk.gate.set()
    assert trial.answer.status is AnswerStatus.UNKNOWN
    assert time.monotonic() - started < 20, "the call would have taken 30 seconds"


# -- failures -----------------------------------------------------------------------------------

_STATES = [EVAL, LOOK, EXPLORE, JUDGE, UPDATE, ANSWER]


def _raising_in(state: State, error: BaseException) -> Scripted:
    """Return a policy that raises ``error`` when it is asked in ``state``."""
    way = {EVAL: [], LOOK: [go(LOOK)], EXPLORE: [go(EXPLORE)], ANSWER: [go(ANSWER)]}
    way |= {JUDGE: [go(EXPLORE), go(JUDGE)], UPDATE: [go(EXPLORE), go(JUDGE), go(UPDATE)]}
    return Scripted(*way[state], error)


@pytest.mark.parametrize("state", _STATES)
@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (PolicyError("The model refused."), "The model refused."),
        (SourceRefusedError("The source is down.", hint="Try later."), "The source is down. Try"),
        (ValueError("a secret detail"), "internal error (ValueError)"),
        (RecursionError(), "internal error (RecursionError)"),
    ],
)
def test_a_policy_that_raises_fails_the_run(state: State, error: Exception, sentence: str) -> None:
    trial = run(_raising_in(state, error), graph=filled_graph())
    assert trial.answer.status is AnswerStatus.FAILED
    assert trial.answer.trace[-1] == state.value
    assert sentence in trial.of(RunEnded)[0].error
    assert any(sentence in text for text in trial.answer.missing)
    assert "secret" not in str(trial.events)
    assert trial.graph.edge_count == 1
    assert trial.orchestrator.failure is error


@pytest.mark.parametrize("state", _STATES)
@pytest.mark.parametrize("error", [KeyboardInterrupt(), CancelledError("Stop.")])
def test_an_interrupted_policy_cancels_the_run(state: State, error: BaseException) -> None:
    trial = run(_raising_in(state, error), graph=filled_graph())
    assert trial.answer.status is AnswerStatus.CANCELLED
    assert trial.orchestrator.failure is None
    assert trial.of(RunEnded)[0].error == ""


def test_the_exit_code_of_a_missing_service_can_be_told() -> None:
    trial = run(Scripted(ModelUnavailableError("No model answers.")))
    failure = trial.orchestrator.failure
    assert isinstance(failure, ModelUnavailableError) and failure.exit_code == 3


def test_leaving_the_program_is_not_held_up() -> None:
    events: list[RunEvent] = []
    with pytest.raises(SystemExit):
        run_unchecked(Scripted(SystemExit(3)), events.append, events)
    assert isinstance(events[-1], RunEnded) and fold(events).status == "failed"


@pytest.mark.parametrize("given_", [None, "go on", State.PRODUCE_ANSWER])
def test_a_policy_that_gives_no_decision_fails_the_run(given_: Any) -> None:
    trial = run(Scripted(lambda turn: given_))
    assert trial.answer.status is AnswerStatus.FAILED
    assert "gave no decision" in trial.of(RunEnded)[0].error


@pytest.mark.parametrize("name", ["prove", "build_answer", "toolbox_for", "known_ids"])
def test_a_fault_in_a_part_fails_the_run(name: str) -> None:
    def broken(*args: Any, **more: Any) -> Any:
        raise KeyError("a secret detail")

    policy = Scripted(go(ANSWER), draft=capital_draft())
    trial = run(policy, graph=filled_graph(), parts=parts_with(**{name: broken}))
    assert trial.answer.status is AnswerStatus.FAILED
    assert "internal error (KeyError)" in trial.answer.text
    assert not trial.answer.claims, "nothing unchecked is shown"
    assert "secret" not in str(trial.events)


def test_a_full_disk_while_writing_is_a_failed_call() -> None:
    class Full(LocalGraph):
        """A graph whose disk is full."""

        def add(self, *args: Any, **more: Any) -> Any:
            raise StoreFullError("There is no space left.")

    trial = run(Scripted(use(put())), graph=Full.in_memory())
    assert trial.of(ToolReturned)[0].text == "There is no space left."
    assert trial.answer.status is AnswerStatus.UNKNOWN


# -- watchers -----------------------------------------------------------------------------------


def test_a_watcher_that_fails_does_not_touch_the_run() -> None:
    def sink(event: RunEvent) -> None:
        raise OSError("disk full")

    trial = run(_full_script(), sink=sink)
    assert trial.answer.status is AnswerStatus.ANSWERED
    assert len(trial.events) == _EVENTS_OF_FULL_SCRIPT


def test_a_watcher_that_always_interrupts_is_given_up_on() -> None:
    def sink(event: RunEvent) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_unchecked(Scripted(draft=nothing()), sink, [])


def test_a_run_starts_even_if_it_is_interrupted_at_once() -> None:
    trial = _run_interrupted(_at(1, lambda: (_ for _ in ()).throw(KeyboardInterrupt)))
    assert isinstance(trial.events[0], RunStarted)
