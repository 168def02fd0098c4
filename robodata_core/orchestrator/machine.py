"""The agent's finite-state machine: states and the one transition table.

Source: the RoboData paper, "Stateful Orchestrator". The diagram in the docs, the state rail of
the terminal UI and the choices offered to a model are all derived from ``TRANSITIONS``.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

__all__ = ["START", "TRANSITIONS", "State", "default_next", "is_legal", "mermaid"]


class State(str, enum.Enum):
    """Where the agent is."""

    LOCAL_DATA_EVALUATION = "LOCAL_DATA_EVALUATION"
    LOCAL_GRAPH_EXPLORATION = "LOCAL_GRAPH_EXPLORATION"
    REMOTE_GRAPH_EXPLORATION = "REMOTE_GRAPH_EXPLORATION"
    REMOTE_DATA_EVALUATION = "REMOTE_DATA_EVALUATION"
    LOCAL_GRAPH_UPDATE = "LOCAL_GRAPH_UPDATE"
    PRODUCE_ANSWER = "PRODUCE_ANSWER"

    def __str__(self) -> str:
        return self.value


START: Final = State.LOCAL_DATA_EVALUATION

# The order of the choices is the order they are shown in; the last one is the documented
# default that applies when no legal choice comes, so that a run always moves towards an end.
TRANSITIONS: Final[Mapping[State, tuple[State, ...]]] = MappingProxyType(
    {
        State.LOCAL_DATA_EVALUATION: (
            State.REMOTE_GRAPH_EXPLORATION,
            State.LOCAL_GRAPH_EXPLORATION,
            State.PRODUCE_ANSWER,
        ),
        State.LOCAL_GRAPH_EXPLORATION: (
            State.LOCAL_GRAPH_EXPLORATION,
            State.LOCAL_DATA_EVALUATION,
        ),
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


def is_legal(current: State, chosen: State) -> bool:
    """Tell whether the machine may go from ``current`` to ``chosen``."""
    return chosen in TRANSITIONS[current]


def default_next(current: State) -> State:
    """Return where the machine goes when no legal choice was made.

    Raises:
        ValueError: If ``current`` is final.
    """
    choices = TRANSITIONS[current]
    if not choices:
        raise ValueError(f"{current} is final")
    return choices[-1]


def mermaid() -> str:
    """Return the machine as a Mermaid state diagram."""
    lines = ["stateDiagram-v2", f"    [*] --> {START}"]
    for state, choices in TRANSITIONS.items():
        lines += [f"    {state} --> {choice}" for choice in choices]
        if not choices:
            lines.append(f"    {state} --> [*]")
    return "\n".join(lines) + "\n"
