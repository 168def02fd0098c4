"""Prepositions that go with a verb said before: "died of X in Y" tells where somebody died.

By itself "in" may mean any place somebody has to do with; behind a verb that has places of its
own it means these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from robodata_core.policy.offline.relations import Match
from robodata_core.policy.offline.words import Token, said

__all__ = ["with_verbs"]

_PLACING = said("placing")


def with_verbs(matches: Sequence[Match], tokens: Sequence[Token]) -> tuple[Match, ...]:
    """Let prepositions of place mean what the verb before them means.

    Args:
        matches: Readings of the phrases of a question.
        tokens: The question.

    Returns:
        The readings, where a lone "in" or "at" stands behind a verb with a place, changed.
    """
    placing = [m for m in matches if m.reading.kind == "verb" and m.reading.answer == "place"]
    verbs = {m.start for m in matches if m.reading.kind in ("verb", "adj")}
    kept: list[Match] = []
    for match in matches:
        alone = match.end - match.start == 1 and tokens[match.start].norm in _PLACING
        if match.reading.kind != "prep" or not alone:
            kept.append(match)
            continue
        last = max((start for start in verbs if start < match.start), default=-1)
        own = [m for m in placing if m.start == last and m.end < match.start]
        if not own:
            kept.append(match)
        for verb in own:
            strength = max(match.reading.strength, verb.reading.strength)
            kept.append(Match(match.start, match.end, replace(verb.reading, strength=strength)))
    return tuple(dict.fromkeys(kept))
