"""Scripted policies, a clock by hand, and runs whose streams are checked.

The local graph, the toolbox class, running of drafts and answer building are the real ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone
from typing import Any

from robodata_core.cancellation import CancelToken
from robodata_core.config import Settings
from robodata_core.events import (
    AnswerReady,
    RunEnded,
    RunEvent,
    RunStarted,
    StateEntered,
    ToolCalled,
    ToolReturned,
)
from robodata_core.model import Answer, AnswerStatus
from robodata_core.orchestrator.loop import Orchestrator
from robodata_core.orchestrator.machine import TRANSITIONS, State, is_legal, start_of
from robodata_core.orchestrator.observer import Observer
from robodata_core.orchestrator.parts import Parts, default_parts
from robodata_core.policy.base import AnswerDraft, AnswerPart, Decision, Turn
from robodata_core.run_state import RunState, fold
from robodata_core.store.graph import LocalGraph
from robodata_core.store.source import GraphSource
from robodata_core.tools.base import ToolCall
from tests.core.orchestrator.desk import Desk, filled_graph

__all__ = [
    "ANSWER",
    "EVAL",
    "EXPLORE",
    "JUDGE",
    "LOOK",
    "QUESTION",
    "UPDATE",
    "Desk",
    "ManualClock",
    "Scripted",
    "StubSource",
    "Trial",
    "capital_draft",
    "check_stream",
    "filled_graph",
    "go",
    "hand_in",
    "look",
    "nothing",
    "parts_with",
    "put",
    "run",
    "run_unchecked",
    "use",
]

QUESTION = "What is the capital of Canada?"
EVAL = State.LOCAL_DATA_EVALUATION
LOOK = State.LOCAL_GRAPH_EXPLORATION
EXPLORE = State.REMOTE_GRAPH_EXPLORATION
JUDGE = State.REMOTE_DATA_EVALUATION
UPDATE = State.LOCAL_GRAPH_UPDATE
ANSWER = State.PRODUCE_ANSWER

_STARTED = datetime(2025, 1, 1, tzinfo=timezone.utc)


class ManualClock:
    """A clock that stands still unless it is moved."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def now(self) -> datetime:
        return _STARTED + timedelta(seconds=self.seconds)

    def monotonic(self) -> float:
        return self.seconds


class StubSource(GraphSource):
    """A source that holds nothing; the tools here do not ask it."""

    name = "stub"

    def __init__(self) -> None:
        super().__init__(LocalGraph.in_memory())


# -- policies ---------------------------------------------------------------------------------

Step = Decision | BaseException | Callable[[Turn], Decision]


class Scripted:
    """Plays its steps in order; afterwards it hurries to the end with ``draft``.

    Attributes:
        turns: Every turn it was shown.
    """

    name = "scripted"

    def __init__(self, *steps: Step, draft: AnswerDraft | None = None) -> None:
        self._steps = iter(steps)
        self._draft = draft or nothing()
        self.turns: list[Turn] = []

    def decide(self, turn: Turn) -> Decision:
        self.turns.append(turn)
        step = next(self._steps, None)
        if step is None:
            return self._onward(turn)
        if isinstance(step, BaseException):
            raise step
        return step(turn) if callable(step) else step

    def _onward(self, turn: Turn) -> Decision:
        if turn.state is ANSWER:
            return Decision(draft=self._draft)
        return go(ANSWER if ANSWER in turn.legal else turn.legal[-1])

    @property
    def states(self) -> list[State]:
        """The states it was asked in, one entry an ask."""
        return [turn.state for turn in self.turns]


def go(state: State | None, **more: Any) -> Decision:
    """Choose a state."""
    return Decision(next_state=state, **more)


def use(*calls: ToolCall, **more: Any) -> Decision:
    """Ask for calls."""
    return Decision(calls=calls, **more)


def look(text: str, wait: float = 0.0) -> ToolCall:
    """Return a call that reads."""
    return ToolCall("look", {"text": text, "wait": wait})


def put(text: str = "Q1930") -> ToolCall:
    """Return a call that writes."""
    return ToolCall("put", {"text": text})


def hand_in(draft: AnswerDraft) -> Decision:
    """Hand in an answer."""
    return Decision(draft=draft)


def nothing() -> AnswerDraft:
    """Return an answer that claims nothing."""
    return AnswerDraft(AnswerStatus.UNKNOWN, missing=("Nothing was found.",))


def capital_draft(*handles: str) -> AnswerDraft:
    """Return an answer about Canada's capital made of facts."""
    return AnswerDraft(AnswerStatus.ANSWERED, parts=(AnswerPart(handles=handles or ("T1",)),))


# -- runs -------------------------------------------------------------------------------------


@dataclass
class Trial:
    """A run and everything it left behind."""

    answer: Answer
    events: list[RunEvent]
    graph: LocalGraph
    orchestrator: Orchestrator

    @property
    def state(self) -> RunState:
        """The fold of all events."""
        return fold(self.events)

    @property
    def trace(self) -> list[tuple[str, bool]]:
        """States entered, and whether each was forced."""
        return [(event.state, bool(event.forced)) for event in self.of(StateEntered)]

    def of(self, kind: type[Any]) -> list[Any]:
        """Return the events of one class."""
        return [event for event in self.events if isinstance(event, kind)]


def parts_with(desk: Desk | None = None, **changes: Any) -> Parts:
    """Return the real parts with one toolbox for every state."""
    toolbox = (desk or Desk()).toolbox()
    return replace(default_parts(), **{"toolbox_for": lambda state: toolbox, **changes})


def run(policy: Any, *, sink: Callable[[RunEvent], None] | None = None, **more: Any) -> Trial:
    """Run ``policy`` on the question and check what holds for every run.

    Args:
        policy: Who decides.
        sink: Called with every event after it was noted.
        more: As for ``run_unchecked``.
    """
    events: list[RunEvent] = []

    def emit(event: RunEvent) -> None:
        events.append(event)
        if sink is not None:
            sink(event)

    trial = run_unchecked(policy, emit, events, **more)
    check_stream(trial)
    return trial


def run_unchecked(
    policy: Any,
    emit: Callable[[RunEvent], None],
    events: list[RunEvent],
    *,
    graph: LocalGraph | None = None,
    desk: Desk | None = None,
    parts: Parts | None = None,
    cancel: CancelToken | None = None,
    clock: Any = None,
    observer: Observer | None = None,
    source: Any = None,
    **settings: Any,
) -> Trial:
    """Run ``policy`` on the question; what is not given is real, empty, or a stand-in."""
    graph = graph or LocalGraph.in_memory()
    orchestrator = Orchestrator(
        source=source or StubSource(),
        store=graph,
        policy=policy,
        settings=Settings(**settings),
        emit=emit,
        cancel=cancel or CancelToken(),
        clock=clock or ManualClock(),
        new_id=lambda: "run-1",
        observer=observer,
        parts=parts or parts_with(desk),
    )
    return Trial(orchestrator.run(QUESTION), events, graph, orchestrator)


def check_stream(trial: Trial) -> None:
    """Check what holds for the events and the answer of every run, however it ended."""
    events, state = trial.events, trial.state
    assert [event.header.seq for event in events] == list(range(1, len(events) + 1))
    assert {event.header.run_id for event in events} == {"run-1"}
    assert all(a.header.time <= b.header.time for a, b in _pairs(events))
    assert isinstance(events[0], RunStarted)
    assert isinstance(events[-1], RunEnded) and len(trial.of(RunEnded)) == 1
    assert isinstance(events[-2], AnswerReady) and len(trial.of(AnswerReady)) == 1
    assert events[-2].answer == trial.answer and events[-1].status == trial.answer.status.value
    called = [event.call_id for event in trial.of(ToolCalled)]
    assert len(set(called)) == len(called)
    assert sorted(called) == sorted(event.call_id for event in trial.of(ToolReturned))
    _check_trace(trial, trial.orchestrator.settings.max_turns)
    statistics = trial.answer.statistics
    assert trial.answer.trace == state.trace
    assert (statistics.turns, statistics.tool_calls) == (state.turns, state.tool_calls)
    assert statistics.tokens == state.tokens
    assert statistics.edges == state.edges_added


def _check_trace(trial: Trial, max_turns: int) -> None:
    entered = trial.of(StateEntered)
    for before, after in _pairs(entered):
        legal = is_legal(State(before.state), State(after.state))
        assert legal or after.forced, "an illegal step must say why"
        assert after.turn - before.turn in (0, 1)
    assert all(1 <= event.turn <= max_turns for event in entered)
    if entered:
        assert entered[0].state == start_of(TRANSITIONS).value and entered[0].turn == 1
    assert all(event.state != ANSWER.value for event in entered[:-1])


def _pairs(items: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
    listed = list(items)
    return zip(listed, listed[1:], strict=False)
