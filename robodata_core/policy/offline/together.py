"""Words that several walks make up together, all of them meant: a brother-in-law and the like.

A brother-in-law is a brother of a spouse or the husband of a sibling.

Each walk is a reading of its own while candidates grow; here those of one word become one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from robodata_core.policy.offline import combine
from robodata_core.policy.offline.candidate import Candidate
from robodata_core.programs.steps import Count

__all__ = ["all_walks", "same_word"]

_MOST: Final = 4


def same_word(best: Candidate, others: Sequence[Candidate]) -> list[Candidate]:
    """Return the readings that only differ from the best by the walk of one word."""
    groups = _groups(best)
    if not groups:
        return []
    found: list[Candidate] = []
    walks = {_walk(best)}
    for other in others:
        alike = _groups(other) == groups and _names(other) == _names(best)
        if alike and other.covered == best.covered and _walk(other) not in walks:
            walks.add(_walk(other))
            found.append(other)
    return found[:_MOST]


def all_walks(best: Candidate, others: Sequence[Candidate]) -> Candidate:
    """Return what any of some readings gives, in the form of the best."""
    if best.final in ("yes", "no"):
        yes = next((one for one in (best, *others) if one.final == "yes"), None)
        return yes or best
    if best.final not in ("set", "count"):
        return best
    parts = [_set_of(one) for one in (best, *others) if one.final == best.final]
    whole = combine.joined(parts, False)
    return whole.counted() if best.final == "count" else whole


def _set_of(candidate: Candidate) -> Candidate:
    last = candidate.steps[-1]
    if not isinstance(last, Count):
        return candidate
    return replace(candidate, steps=candidate.steps[:-1], out=last.source, final="set")


def _groups(candidate: Candidate) -> frozenset[str]:
    return frozenset(use.group for use in candidate.edges if use.group)


def _names(candidate: Candidate) -> list[tuple[str, ...]]:
    return [link.ids for link in candidate.links]


def _walk(candidate: Candidate) -> tuple[object, ...]:
    return tuple(use.hop for use in candidate.path)
