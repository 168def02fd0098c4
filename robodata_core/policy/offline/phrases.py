"""What the phrases over each word of a question say of it, worked out once for a request.

Every candidate of a request is asked the same of the same words, dozens of times. What depends on
the words alone is here; what depends on a candidate is ``rank``'s.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from robodata_core.policy.offline.relations import Edge, Hop, Match, flip, names_works

__all__ = ["Phrases", "phrases_over"]


@dataclass(frozen=True, slots=True)
class Phrases:
    """The readings of all phrases that hold one word.

    Attributes:
        kinds: Their kinds: noun, verb, adj, prep.
        edges: All edges of their walks.
        either_way: The first hop of each walk, along and against it; an empty one is any relation.
        nouns: Of nouns that name one hop the way back along it, and whether they name works.
        strength: The most that one of them is sure.
    """

    kinds: frozenset[str] = frozenset()
    edges: frozenset[Edge] = frozenset()
    either_way: tuple[Hop, ...] = ()
    nouns: tuple[tuple[Hop, bool], ...] = ()
    strength: float = 0.0


def phrases_over(matches: Sequence[Match]) -> Mapping[int, Phrases]:
    """Return what is said of each word that a phrase holds."""
    found: dict[int, list[Match]] = {}
    for match in matches:
        for index in match.span:
            found.setdefault(index, []).append(match)
    return {index: _together(over) for index, over in found.items()}


def _together(matches: Sequence[Match]) -> Phrases:
    readings = [match.reading for match in matches]
    firsts = dict.fromkeys(reading.hops[0] for reading in readings)
    nouns = dict.fromkeys(
        (_against(match.reading.hops[0]), names_works(match))
        for match in matches
        if match.reading.kind == "noun" and len(match.reading.hops) == 1
    )
    return Phrases(
        kinds=frozenset(reading.kind for reading in readings),
        edges=frozenset(edge for one in readings for hop in one.hops for edge in hop),
        either_way=tuple((*hop, *((name, flip(way)) for name, way in hop)) for hop in firsts),
        nouns=tuple(nouns),
        strength=max(reading.strength for reading in readings),
    )


def _against(hop: Hop) -> Hop:
    return tuple((name, flip(way)) for name, way in hop if name)
