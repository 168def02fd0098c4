"""The columns of the paper's tables for one run, read off the fold of its events.

Nothing is counted here: ``run_state.apply`` counts, once, and everybody reads that.
"""

from __future__ import annotations

from datetime import datetime

from robodata_core.model import RunStatistics
from robodata_core.run_state import RunState

__all__ = ["run_statistics"]


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
