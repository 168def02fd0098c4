"""Where things are: what was born in a town was born in its country.

A place lies in all that its place lies in. Where a name stands behind "in", what a graph states of
the places in it counts as well, and a place that is stated is in all that it lies in.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from robodata_core.model import Direction, EntityValue, Value
from robodata_core.policy.offline.candidate import Candidate
from robodata_core.policy.offline.mentions import Mention
from robodata_core.policy.offline.reading import Reader
from robodata_core.policy.offline.relations import Hop
from robodata_core.policy.offline.tables import inside_words
from robodata_core.policy.offline.words import ARTICLES, Token
from robodata_core.programs.steps import Closure

__all__ = ["Places", "is_wide", "stands_in", "widest"]

_LEVELS: Final = 4


def stands_in(tokens: Sequence[Token], mention: Mention) -> int:
    """Return the place of the word that says that something is in what a mention names; else -1."""
    at = mention.start - 1
    if at > 0 and tokens[at].norm in ARTICLES:
        at -= 1
    return at if at >= 0 and tokens[at].norm in inside_words() else -1


def is_wide(candidate: Candidate) -> bool:
    """Tell whether a candidate stands at a place with all that lies in it."""
    return not candidate.edges and isinstance(candidate.steps[-1], Closure)


def widest(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Leave out what gives no more with the places in a place, or less without them."""
    plain = {_said(one): one for one in candidates if not _has_closure(one)}
    wide = {
        _said(one): one
        for one in candidates
        if _has_closure(one)
        and (_said(one) not in plain or not set(one.nodes) <= set(plain[_said(one)].nodes))
    }
    return [
        one
        for one in candidates
        if wide.get(_said(one), one) is one and (not _has_closure(one) or _said(one) in wide)
    ]


def _said(one: Candidate) -> Hashable:
    return (
        one.edges,
        one.links,
        one.covered,
        one.final,
        one.typed,
        len(one.steps) - _has_closure(one),
    )


def _has_closure(one: Candidate) -> bool:
    return any(isinstance(step, Closure) for step in one.steps[:2])


@dataclass(frozen=True, slots=True)
class Places:
    """Widens what is asked about places.

    Attributes:
        reader: What the graph holds.
        tokens: The question.
        within: Relations that say in which larger place a place lies.
    """

    reader: Reader
    tokens: Sequence[Token]
    within: tuple[str, ...]

    def widened(self, start: Candidate) -> Candidate | None:
        """Return a start with all that lies in it; None where nothing does, or it is not asked.

        A source that answers over a network is not asked for all that lies in a country.
        """
        mention = start.links[0].mention
        if self.reader.looks_ahead or not mention.proper or stands_in(self.tokens, mention) < 0:
            return None
        used, seen = reached(self.reader, self.within, start.nodes, Direction.IN, 2)
        if not used:
            return None
        step = Closure("n1", start.out, used, Direction.IN)
        return replace(
            start, steps=(*start.steps, step), out="n1", nodes=tuple(seen), history=("n1",)
        )

    def allows(self, candidate: Candidate, hop: Hop, span: frozenset[int]) -> bool:
        """Tell whether a hop from a wide start says where something is, by words before it."""
        at = stands_in(self.tokens, candidate.links[0].mention)
        beside = at in span or at - 1 in span
        inwards = all(way is Direction.IN and name not in self.within for name, way in hop)
        return bool(hop) and beside and inwards

    def judged(
        self, candidate: Candidate, value: EntityValue, mention: Mention
    ) -> Candidate | None:
        """Return a candidate that goes on to what its places lie in; None where that says nothing.

        The second candidate's nodes hold ``value`` where the places lie in it.
        """
        known = {name for name, way in self.reader.relations(value.id) if way is Direction.IN}
        if stands_in(self.tokens, mention) < 0 or known.isdisjoint(self.within):
            return None
        used, seen = reached(self.reader, self.within, candidate.nodes, Direction.OUT, _LEVELS)
        if not used:
            return None
        out = candidate.fresh
        step = Closure(out, candidate.out, used, Direction.OUT)
        return replace(candidate, steps=(*candidate.steps, step), out=out, nodes=tuple(seen))


def reached(
    reader: Reader, within: Sequence[str], nodes: Sequence[Value], way: Direction, levels: int
) -> tuple[tuple[str, ...], dict[Value, None]]:
    """Return the relations of place that lead on from nodes, and these with what they reach.

    Args:
        reader: What the graph holds.
        within: The relations that say in which larger place a place lies.
        nodes: Where to begin.
        way: Outwards to larger places, or inwards to smaller ones.
        levels: How often a relation is followed at most.
    """
    used: dict[str, None] = {}
    seen = dict.fromkeys(nodes)
    level: Sequence[Value] = nodes
    for _ in range(levels):
        found: dict[Value, None] = {}
        reader.ahead(level, ((name, way) for name in within))
        for name in within:
            fresh = [value for value in reader.along(level, (name, way)) if value not in seen]
            if fresh:
                used[name] = None
                found.update(dict.fromkeys(fresh))
        seen.update(found)
        level = tuple(found)
    return tuple(sorted(used)), seen
