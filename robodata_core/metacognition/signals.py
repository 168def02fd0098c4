"""Deterministic signals of a run that gets nowhere, read from its fold and the local graph.

No model, no advice: only what can be counted. Source: RoboData paper, "Metacognition"
(execution statistics, graph topology), and DESIGN's list of signals.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from robodata_core.run_state import CallView, RunState, TurnView
from robodata_core.text import plural

if TYPE_CHECKING:
    from robodata_core.store.graph import LocalGraph

__all__ = ["Signals", "read_signals", "strategy_of"]

_WINDOW: Final = 8
_GRAPH_LIMIT: Final = 5_000


@dataclass(frozen=True, slots=True)
class Signals:
    """What can be counted about a run so far.

    Attributes:
        barren_turns: Latest turns in a row that called tools and brought no new triple.
        barren_visits: Visits of remote exploration since the last new triple.
        repeated_calls: Calls among the recent ones that had been answered before.
        empty_calls: Calls among the recent ones that found nothing.
        monotonous_tool: A tool that makes up nearly all recent calls, or empty.
        isolated_nodes: Nodes of the local graph without a triple.
    """

    barren_turns: int = 0
    barren_visits: int = 0
    repeated_calls: int = 0
    failed_calls: int = 0
    empty_calls: int = 0
    monotonous_tool: str = ""
    rejections: int = 0
    isolated_nodes: int = 0
    components: int = 0

    @property
    def stagnating(self) -> bool:
        """Whether the run is clearly getting nowhere."""
        return (
            self.barren_visits >= 2
            or self.barren_turns >= 3
            or self.repeated_calls >= 2
            or self.failed_calls >= 3
        )

    @property
    def notable(self) -> bool:
        """Whether something asks for a look at the strategy; one slip alone does not."""
        return (
            self.stagnating
            or self.barren_visits >= 1
            or self.barren_turns >= 3
            or self.repeated_calls >= 1
            or self.failed_calls >= 2
            or self.empty_calls >= 2
            or self.rejections >= 2
            or self.isolated_nodes > 0
            or self.components > 1
        )

    def sentences(self) -> tuple[str, ...]:
        """Return what is worth saying, most pressing first."""
        found = []
        if self.barren_visits:
            found.append(f"{plural(self.barren_visits, 'exploration')} brought no new triple")
        elif self.barren_turns >= 2:
            found.append(f"{self.barren_turns} turns in a row brought no new triple")
        if self.repeated_calls:
            found.append(f"{plural(self.repeated_calls, 'call')} had been answered before")
        if self.failed_calls:
            found.append(f"{plural(self.failed_calls, 'recent call')} failed")
        if self.empty_calls:
            found.append(f"{plural(self.empty_calls, 'recent call')} found nothing")
        if self.monotonous_tool:
            found.append(f"nearly all recent calls were {self.monotonous_tool}")
        if self.rejections:
            found.append(f"{plural(self.rejections, 'decision')} had to be refused")
        if self.isolated_nodes:
            found.append(f"{plural(self.isolated_nodes, 'isolated node')} in the local graph")
        if self.components > 1:
            found.append(f"the local graph falls into {self.components} components")
        return tuple(found)


def read_signals(run: RunState, graph: LocalGraph) -> Signals:
    """Count the signals of ``run`` as it stands.

    Args:
        run: The fold of the run's events; its current turn has just begun.
        graph: The local graph; its topology is left out when it is very large.
    """
    turns = run.past[-_WINDOW:]
    calls = [call for turn in turns for call in turn.calls]
    small = graph.edge_count <= _GRAPH_LIMIT
    return Signals(
        barren_turns=_barren_turns(run.past),
        barren_visits=_barren_visits(run.past),
        repeated_calls=_repeated(run, len(turns)),
        failed_calls=sum(call.ok is False for call in calls),
        empty_calls=sum(bool(call.ok) and call.total == 0 for call in calls),
        monotonous_tool=_monotonous(calls),
        rejections=sum(len(turn.rejections) for turn in turns),
        isolated_nodes=len(graph.isolated()) if small else 0,
        components=graph.components() if small else 0,
    )


def _repeated(run: RunState, window: int) -> int:
    """Count the calls of the last turns that repeat one before them.

    A call answered from what a policy had looked up by itself is the first of its kind.
    """
    seen: set[str] = set()
    count = 0
    first = len(run.past) - window
    for number, turn in enumerate(run.past):
        for call in turn.calls:
            key = repr((call.tool, call.arguments))
            count += number >= first and call.repeated and key in seen
            seen.add(key)
    return count


def strategy_of(run: RunState) -> str:
    """Name the strategy that the recent turns show, from their calls alone."""
    turns = run.past[-_WINDOW:]
    tools = Counter(call.tool for turn in turns for call in turn.calls)
    if not tools:
        return "nothing tried yet"
    added = sum(len(turn.added) for turn in turns)
    main = ", ".join(f"{tool} x{count}" for tool, count in tools.most_common(3))
    gain = f"{plural(added, 'triple')} added" if added else "no triple added"
    return f"{main}; {gain}"


def _barren_turns(turns: Sequence[TurnView]) -> int:
    count = 0
    for turn in reversed(turns):
        if turn.added:
            break
        count += bool(turn.calls)
    return count


def _barren_visits(turns: Sequence[TurnView]) -> int:
    """Count explorations after the last gain that the graph never grew from."""
    count = 0
    for turn in reversed(turns):
        if turn.added:
            break
        count += turn.state == "REMOTE_GRAPH_EXPLORATION" and bool(turn.calls)
    # The one exploration that is just being judged may still bear fruit.
    return max(0, count - 1)


def _monotonous(calls: Sequence[CallView]) -> str:
    if len(calls) < 4:
        return ""
    tool, count = Counter(call.tool for call in calls).most_common(1)[0]
    return tool if count >= 0.8 * len(calls) else ""
