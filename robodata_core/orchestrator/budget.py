"""How much a run may do, in one place: turns, rounds of calls, calls, repairs, and urgency.

The numbers that a user may set are settings; those here bound what a policy can do to a run by
mistake. Tokens of prompts are not counted here.
"""

from __future__ import annotations

import math
from typing import Final

from robodata_core.policy.base import Urgency

__all__ = [
    "MAX_CALLS_PER_ROUND",
    "MAX_REJECTIONS",
    "MAX_ROUNDS",
    "turns_left",
    "urgency",
    "urgency_text",
]

MAX_ROUNDS: Final = 8
"""Most times within one turn that calls are carried out before a state must be chosen."""

MAX_CALLS_PER_ROUND: Final = 32
"""Most calls of one decision; the rest is refused with a sentence."""

MAX_REJECTIONS: Final = 2
"""How often within one turn a choice is refused and asked for again; then the default applies."""

_LOW_SHARE: Final = 1 / 2
_HIGH_SHARE: Final = 1 / 5

_CONSOLIDATE: Final = (
    "Consolidate the local graph: no isolated nodes, and one connected component where the"
    " question allows it."
)


def turns_left(turn: int, max_turns: int) -> int:
    """Return how many turns follow ``turn``."""
    return max(0, max_turns - turn)


def urgency(turn: int, max_turns: int) -> Urgency:
    """Return how urgent it is to come to an end (the paper's "turn urgency").

    ``final``: this is the last turn. ``high``: at most a fifth of all turns follow (rounded up,
    so the turn before the last is always high). ``low``: at most half of them follow.
    ``none``: more than half are left.
    """
    left = turns_left(turn, max_turns)
    if left == 0:
        return Urgency.FINAL
    if left <= math.ceil(max_turns * _HIGH_SHARE):
        return Urgency.HIGH
    if left <= max_turns * _LOW_SHARE:
        return Urgency.LOW
    return Urgency.NONE


def urgency_text(level: Urgency, turn: int, max_turns: int) -> str:
    """Return what a prompt says about the turns that are left; empty when there are plenty."""
    left = turns_left(turn, max_turns)
    turns = "1 turn is" if left == 1 else f"{left} turns are"
    if level is Urgency.FINAL:
        return (
            f"This is turn {turn} of {max_turns}, the last one: answer now from what the local"
            " graph holds, and say what is missing."
        )
    if level is Urgency.HIGH:
        return (
            f"Only {turns} left of {max_turns}. Stop exploring and fetch only what the answer"
            f" still lacks. {_CONSOLIDATE}"
        )
    if level is Urgency.LOW:
        return f"{turns} left of {max_turns}. Begin no new line of search. {_CONSOLIDATE}"
    return ""
