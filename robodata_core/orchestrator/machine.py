"""The agent's finite-state machine: states, and a transition table for each kind of run.

Sources: the RoboData paper, "Stateful Orchestrator", for questions (``TRANSITIONS``); the KGV-Agent
paper, section 2, for the investigation of a triple (``INVESTIGATION``). The diagrams in the docs,
the state rail of the terminal UI and the choices offered to a model are derived from these tables.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

__all__ = [
    "INVESTIGATION",
    "TRANSITIONS",
    "State",
    "Table",
    "default_next",
    "is_legal",
    "mermaid",
    "start_of",
    "table_of",
]


class State(str, enum.Enum):
    """Where the agent is."""

    LOCAL_DATA_EVALUATION = "LOCAL_DATA_EVALUATION"
    LOCAL_GRAPH_EXPLORATION = "LOCAL_GRAPH_EXPLORATION"
    REMOTE_GRAPH_EXPLORATION = "REMOTE_GRAPH_EXPLORATION"
    REMOTE_DATA_EVALUATION = "REMOTE_DATA_EVALUATION"
    LOCAL_GRAPH_UPDATE = "LOCAL_GRAPH_UPDATE"
    PLANNING = "PLANNING"
    INVESTIGATING = "INVESTIGATING"
    JUDGEMENT = "JUDGEMENT"
    PRODUCE_ANSWER = "PRODUCE_ANSWER"

    def __str__(self) -> str:
        return self.value


Table = Mapping[State, tuple[State, ...]]
"""The states of a kind of run and where each may go; the first is the one it starts in.

The order of the choices is the order they are shown in; the last one is the documented default
that applies when no legal choice comes, so that a run always moves towards an end.
"""

TRANSITIONS: Final[Table] = MappingProxyType(
    {
        State.LOCAL_DATA_EVALUATION: (
            State.REMOTE_GRAPH_EXPLORATION,
            State.LOCAL_GRAPH_EXPLORATION,
            State.PRODUCE_ANSWER,
        ),
        State.LOCAL_GRAPH_EXPLORATION: (State.LOCAL_GRAPH_EXPLORATION, State.LOCAL_DATA_EVALUATION),
        State.REMOTE_GRAPH_EXPLORATION: (
            State.REMOTE_GRAPH_EXPLORATION,
            State.LOCAL_DATA_EVALUATION,
            State.REMOTE_DATA_EVALUATION,
        ),
        State.REMOTE_DATA_EVALUATION: (
            State.LOCAL_GRAPH_UPDATE,
            State.REMOTE_GRAPH_EXPLORATION,
            State.LOCAL_DATA_EVALUATION,
        ),
        State.LOCAL_GRAPH_UPDATE: (State.LOCAL_DATA_EVALUATION,),
        State.PRODUCE_ANSWER: (),
    }
)

INVESTIGATION: Final[Table] = MappingProxyType(
    {
        State.PLANNING: (State.INVESTIGATING,),
        State.INVESTIGATING: (State.INVESTIGATING, State.JUDGEMENT),
        State.JUDGEMENT: (State.PRODUCE_ANSWER,),
        State.PRODUCE_ANSWER: (),
    }
)


def start_of(table: Table) -> State:
    """Return the state that runs of a table start in."""
    return next(iter(table))


def table_of(visited: Iterable[str]) -> Table:
    """Return the table that a run with these states goes by; ``TRANSITIONS`` where none tells."""
    own = {state.value for state in INVESTIGATION.keys() - TRANSITIONS.keys()}
    return INVESTIGATION if own & set(visited) else TRANSITIONS


def is_legal(current: State, chosen: State, table: Table = TRANSITIONS) -> bool:
    """Tell whether the machine may go from ``current`` to ``chosen``."""
    return chosen in table.get(current, ())


def default_next(current: State, table: Table = TRANSITIONS) -> State:
    """Return where the machine goes when no legal choice was made.

    Raises:
        ValueError: If ``current`` is final.
    """
    choices = table[current]
    if not choices:
        raise ValueError(f"{current} is final")
    return choices[-1]


def mermaid(table: Table = TRANSITIONS) -> str:
    """Return a table as a Mermaid state diagram."""
    lines = ["stateDiagram-v2", f"    [*] --> {start_of(table)}"]
    for state, choices in table.items():
        lines += [f"    {state} --> {choice}" for choice in choices]
        if not choices:
            lines.append(f"    {state} --> [*]")
    return "\n".join(lines) + "\n"
