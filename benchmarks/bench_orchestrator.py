"""What the orchestrator itself costs: turns, tool calls, events, journal and fold.

Policies are scripted and answer at once, tools do nothing, so what is left is the loop. A run
visits every state of the machine in a circle; its time is divided by its turns.
"""

from __future__ import annotations

import itertools
import json
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks._common import Result, main, median, percentile
from robodata_core import journal
from robodata_core._codec import encode
from robodata_core.cancellation import CancelToken
from robodata_core.clock import SystemClock
from robodata_core.config import Settings
from robodata_core.events import RunEvent
from robodata_core.model import AnswerStatus
from robodata_core.orchestrator.loop import Orchestrator
from robodata_core.orchestrator.machine import State
from robodata_core.policy.base import AnswerDraft, Decision, Turn
from robodata_core.run_state import fold
from robodata_core.store.graph import LocalGraph
from robodata_core.tools.base import ToolCall

BUDGET_MS = 2.0

_CIRCLE = {
    State.LOCAL_DATA_EVALUATION: State.LOCAL_GRAPH_EXPLORATION,
    State.LOCAL_GRAPH_EXPLORATION: State.LOCAL_DATA_EVALUATION,
    State.REMOTE_GRAPH_EXPLORATION: State.REMOTE_DATA_EVALUATION,
    State.REMOTE_DATA_EVALUATION: State.LOCAL_GRAPH_UPDATE,
    State.LOCAL_GRAPH_UPDATE: State.LOCAL_DATA_EVALUATION,
}


class _Circling:
    """Goes round the states without thinking; asks for ``calls`` unknown tools in each."""

    name = "scripted"

    def __init__(self, calls: int = 0) -> None:
        self._calls = calls
        self._numbers = itertools.count()
        self.asked: list[float] = []

    def decide(self, turn: Turn) -> Decision:
        self.asked.append(time.perf_counter())
        if turn.state is State.PRODUCE_ANSWER:
            return Decision(draft=AnswerDraft(AnswerStatus.UNKNOWN))
        if self._calls and not turn.results:
            names = itertools.islice(self._numbers, self._calls)
            return Decision(calls=tuple(ToolCall("none", {"n": number}) for number in names))
        return Decision(next_state=_CIRCLE[turn.state])


class _Named:
    name = "none"


def _run(policy: _Circling, turns: int, emit: Callable[[RunEvent], None]) -> None:
    with LocalGraph.in_memory() as graph:
        Orchestrator(
            source=_Named(),  # type: ignore[arg-type]
            store=graph,
            policy=policy,
            settings=Settings(max_turns=turns),
            emit=emit,
            cancel=CancelToken(),
            clock=SystemClock(),
            new_id=lambda: "bench",
        ).run("What is the capital of Canada?")


def _ignore(event: RunEvent) -> None:
    pass


def _turn_times(runs: int, turns: int, emit: Callable[[RunEvent], None] = _ignore) -> list[float]:
    """Return the milliseconds from each time the policy is asked to the next."""
    found: list[float] = []
    for number in range(runs + 1):
        policy = _Circling()
        _run(policy, turns, emit)
        if number:  # the first run imports and warms up
            pairs = itertools.pairwise(policy.asked)
            found += [1_000 * (after - before) for before, after in pairs]
    return found


def _journaled(runs: int, turns: int) -> list[float]:
    found: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(runs + 1):
            with journal.write(Path(folder) / f"{number}.jsonl") as sink:
                policy = _Circling()
                _run(policy, turns, sink)
            if number:
                pairs = itertools.pairwise(policy.asked)
                found += [1_000 * (after - before) for before, after in pairs]
    return found


def _call_cost(runs: int, turns: int, calls: int) -> float:
    """Return milliseconds a call that does nothing adds, from whole runs with and without."""

    def mean_of(count: int) -> float:
        seconds = []
        for number in range(runs + 1):
            policy = _Circling(count)
            started = time.perf_counter()
            _run(policy, turns, _ignore)
            if number:
                seconds.append(time.perf_counter() - started)
        return statistics.median(seconds)

    extra = mean_of(calls) - mean_of(0)
    return 1_000 * extra / ((turns - 1) * calls)


def _event_costs(turns: int, calls: int) -> list[Result]:
    events: list[RunEvent] = []
    _run(_Circling(calls), turns, events.append)
    started = time.perf_counter()
    fold(events)
    folded = time.perf_counter() - started
    started = time.perf_counter()
    for event in events:
        json.dumps(encode(event))
    written = time.perf_counter() - started
    count, note = len(events), f"one run of {len(events):,} events"
    return [
        Result("fold of a run, per event", 1_000 * folded / count, "ms", note=note),
        Result("event to JSON, per event", 1_000 * written / count, "ms", note=note),
    ]


def results(*, quick: bool) -> list[Result]:
    runs, turns = (3, 30) if quick else (40, 30)
    plain, written = _turn_times(runs, turns), _journaled(runs, turns)
    long = _turn_times(1 if quick else 3, 1_000)
    how = f"{runs} runs of {turns} turns"
    return [
        Result("turn, p50", median(plain), "ms", BUDGET_MS, note=how),
        Result("turn, p95", percentile(plain, 0.95), "ms", note=how),
        Result("turn with journal, p50", median(written), "ms", BUDGET_MS, note=how),
        Result("turn in runs of 1,000 turns, p50", median(long), "ms", BUDGET_MS),
        Result(
            "tool call that does nothing",
            _call_cost(max(3, runs // 4), turns, 8),
            "ms",
            note="8 calls a turn, unknown tools",
        ),
        *_event_costs(100 if quick else 500, 8),
    ]


if __name__ == "__main__":
    raise SystemExit(main(__doc__, results))
