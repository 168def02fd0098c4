"""Nouns that are asked for and that a reading takes in part, for another, or the wrong way round.

"The state flower of X" is no state, what lies in X is not what X lies in, and the time zones of a
country are not all those of a city in it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from typing import Final

from robodata_core.model import Direction
from robodata_core.policy.offline.candidate import Candidate
from robodata_core.policy.offline.question import Request
from robodata_core.policy.offline.relation_index import PREPOSITION
from robodata_core.policy.offline.words import ARTICLES, PREPOSITIONS, Token, singular

__all__ = ["asks_within", "beyond_place", "leaves_head"]

_CONTENT: Final = 1.0
_BESIDE: Final = 0.5
_TWO: Final = 2


def leaves_head(
    candidate: Candidate,
    tokens: Sequence[Token],
    weights: Mapping[int, float],
    accounted: Callable[[int], float],
) -> bool:
    """Tell whether the noun before "of" is passed over for the one before it: "state flower of".

    Args:
        candidate: The reading.
        tokens: The question.
        weights: What its words weigh, those that carry meaning.
        accounted: How far the reading accounts for a word, 0 to 1.
    """
    read = {i for use in candidate.path for i in use.span}
    return any(
        weight >= _CONTENT and i - 1 in read and accounted(i) <= _BESIDE
        and i + 1 < len(tokens) and tokens[i + 1].norm == "of"
        for i, weight in weights.items()
    )  # fmt: skip


def asks_within(
    candidate: Candidate, tokens: Sequence[Token], request: Request, within: Set[str]
) -> bool:
    """Tell whether what a place lies in is given for what lies in it: "countries in Europe".

    Args:
        candidate: The reading.
        tokens: The question.
        request: What is asked for.
        within: Relations by which something lies in a place or belongs to it.
    """
    if len(candidate.path) != 1 or not candidate.links:
        return False
    use, start = candidate.path[0], candidate.links[0].mention.start
    at = start - 1
    while at > 0 and tokens[at].norm in ARTICLES:
        at -= 1
    lies = tokens[at].norm in PREPOSITIONS - {"of"} and at > max(request.focus, default=at)
    named = bool(use.span) and use.span <= request.focus
    out = all(way is Direction.OUT and name in within for name, way in use.hop)
    return lies and named and out and bool(use.hop)


def beyond_place(
    candidate: Candidate, tokens: Sequence[Token], request: Request, within: Set[str]
) -> bool:
    """Tell whether several things of a larger place are given for the one of a smaller.

    Args:
        candidate: The reading.
        tokens: The question.
        request: What is asked for.
        within: Relations by which something lies in a place or belongs to it.
    """
    if len(candidate.path) < _TWO or len(candidate.nodes) < _TWO or not request.focus:
        return False
    first, last = candidate.path[0], candidate.path[-1]
    head = tokens[max(request.focus)].norm
    widened = first.strength <= PREPOSITION and all(
        name in within and way is Direction.OUT for name, way in first.hop
    )
    return widened and last.span <= request.focus and singular(head) == head
