"""The columns of the paper's tables for one run, read off the fold of its events.

Nothing is counted here: ``run_state.apply`` counts, once, and everybody reads that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from robodata_core.events import ModelCall
from robodata_core.model import Answer, RunStatistics, TokenCount
from robodata_core.run_state import RunState, add_spending, spending_of

__all__ = ["run_statistics", "with_all_costs"]


def run_statistics(state: RunState, now: datetime | None = None) -> RunStatistics:
    """Return the statistics of the run as far as ``state`` has seen it.

    Args:
        state: The folded run.
        now: The time up to which the current visit counts; None takes the last event's.
    """
    seconds_by_state = {name: count.seconds for name, count in state.visits.items()}
    now = now or state.time
    if state.turn is not None and not state.ended and now is not None:
        running = max(0.0, (now - state.turn.started).total_seconds())
        seconds_by_state[state.turn.state] += running
    elapsed = (now - state.started).total_seconds() if now and state.started else 0.0
    return RunStatistics(
        turns=state.turns,
        tool_calls=state.tool_calls,
        failed_calls=state.failed_calls,
        repeated_calls=state.repeated_calls,
        tokens=state.tokens,
        seconds=state.seconds if state.ended else max(0.0, elapsed),
        nodes=state.nodes_added,
        edges=state.edges_added,
        calls_by_tool=dict(state.calls_by_tool),
        seconds_by_state=seconds_by_state,
        spending=state.spending,
    )


def with_all_costs(
    answer: Answer, earlier: Sequence[Answer], call: ModelCall | None = None
) -> Answer:
    """Return ``answer`` with the counts of the runs it builds on added to its own.

    Args:
        answer: The last one.
        earlier: Those of the sub-questions.
        call: The model call that took the question apart, if there was one.
    """
    if not earlier and call is None:
        return answer
    first = (spending_of(call),) if call else ()
    runs = [*(item.statistics for item in earlier), answer.statistics]
    return replace(
        answer,
        statistics=replace(
            answer.statistics,
            turns=sum(item.turns for item in runs),
            tool_calls=sum(item.tool_calls for item in runs),
            failed_calls=sum(item.failed_calls for item in runs),
            repeated_calls=sum(item.repeated_calls for item in runs),
            tokens=sum((item.tokens for item in (*first, *runs)), TokenCount()),
            seconds=sum(item.seconds for item in runs) + (call.seconds if call else 0.0),
            nodes=sum(item.nodes for item in runs),
            edges=sum(item.edges for item in runs),
            spending=add_spending((*first, *(row for item in runs for row in item.spending))),
        ),
    )
