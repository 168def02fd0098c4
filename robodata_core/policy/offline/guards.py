"""When a reading is doubtful whatever its score: what is asked for by its words is not in it.

A walk may account for most of a question's words and still answer something else: a place where a
time is asked for, a citizenship where somebody was born, one date for another.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from robodata_core.policy.offline.candidate import Candidate
from robodata_core.policy.offline.question import Request
from robodata_core.policy.offline.relations import Match
from robodata_core.policy.offline.weights import content_of
from robodata_core.policy.offline.words import GENERIC_NOUNS, Token

__all__ = ["leaves_verb", "misses_asked", "misses_kind"]

_OPENING: Final = 5
_ASKED_BY: Final = frozenset(["what", "who", "is", "are", "was", "were", "the", "s"])
_SPLIT: Final = frozenset(["did", "does", "do", "was", "were", "is", "are"])


def misses_kind(candidate: Candidate, wanted: str, seen: str) -> bool:
    """Tell whether a time is given for a person, a person for a place, or the like.

    Args:
        candidate: The reading.
        wanted: What is asked for: person, place, time.
        seen: What its answers are, empty where that is not known.
    """
    if candidate.final != "set" or wanted not in ("time", "person", "place"):
        return False
    if "time" in (seen, wanted):
        return bool(seen) and seen != wanted
    return (seen, wanted) == ("person", "place")


def misses_asked(
    candidate: Candidate, tokens: Sequence[Token], request: Request, matches: Sequence[Match]
) -> bool:
    """Tell whether what is asked for by name is not followed: "the date of birth of ...".

    Only in "what is the N of", and only where the words name a relation as a whole.
    """
    start = request.start
    while start < request.end and tokens[start].norm in _ASKED_BY:
        start += 1
    asked = [m for m in matches if m.start == start and m.reading.kind == "noun"]
    before = {token.norm for token in tokens[request.start : start]}
    if candidate.final != "set" or not asked or not before & _SPLIT:
        return False
    if any(start in link.mention.span for link in candidate.links):
        return False  # a class: "what are the countries of X"
    last = max(m.end for m in asked)
    ends = tokens[last].norm if last < len(tokens) else ""
    if ends != "of" or tokens[start].norm in GENERIC_NOUNS:
        return False
    used = {name for use in candidate.edges for name, _ in use.hop}
    named = {n for m in asked if m.end == last for hop in m.reading.hops for n, _ in hop}
    return bool(named) and all(use.hop for use in candidate.edges) and not used & named


def leaves_verb(
    candidate: Candidate, tokens: Sequence[Token], request: Request, matches: Sequence[Match]
) -> bool:
    """Tell whether the verb that ends a question is left out: "in which country was X born"."""
    end = request.end
    while end > request.start and not tokens[end - 1].word:
        end -= 1
    split = {token.norm for token in tokens[request.start : request.start + _OPENING]}
    closing = [m for m in matches if m.end == end and m.reading.kind == "verb"]
    if candidate.final != "set" or not closing or not split & _SPLIT:
        return False
    span = max((m.span for m in closing), key=len)
    weights = content_of(tokens, request)
    if span & candidate.covered or sum(weights.get(i, 0.0) for i in span) < 1.0:
        return False
    used = {edge for use in candidate.edges for edge in use.hop}
    return not any(used & set(hop) for m in closing for hop in m.reading.hops)
