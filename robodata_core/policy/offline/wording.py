"""What a trained ranker looks at: word groups of the question beside the relations of a program.

A candidate is named by the labels of the relations it follows, with their directions, so that
what is learnt on one graph means the same on another with relations of these names. The name
that a program starts from counts as one blank: no entity is ever learnt.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from robodata_core.model import Direction
from robodata_core.policy.offline.candidate import Candidate, EdgeUse
from robodata_core.policy.offline.question import Request
from robodata_core.policy.offline.relation_index import RelationIndex
from robodata_core.policy.offline.words import Token
from robodata_core.text import normalise_name

__all__ = ["ALWAYS", "Wording"]

ALWAYS: Final = ""
"""The group that every question has: how good a walk is whatever the words."""
_BLANK: Final = "*"
_EDGE: Final = "^"
_LONGEST_SIGN: Final = 300


class Wording:
    """Word groups and walks of the candidates of one request."""

    def __init__(self, tokens: Sequence[Token], request: Request, index: RelationIndex) -> None:
        self._words = [
            (i, tokens[i].norm) for i in range(request.start, request.end) if tokens[i].word
        ]
        self._index = index
        self._groups: dict[tuple[int, int], tuple[str, ...]] = {}
        self._labels: dict[tuple[str, Direction], str] = {}

    def groups(self, candidate: Candidate) -> tuple[str, ...]:
        """Return the words of the question, alone and in pairs, without the name it starts from.

        The sign for the edge stands before the first and after the last word.
        """
        mention = candidate.links[0].mention if candidate.links else None
        span = (mention.start, mention.end) if mention is not None else (0, 0)
        found = self._groups.get(span)
        if found is None:
            found = self._groups[span] = self._read(*span)
        return found

    def _read(self, start: int, end: int) -> tuple[str, ...]:
        words: list[str] = [_EDGE]
        for i, word in self._words:
            if start <= i < end:
                if words[-1] != _BLANK:
                    words.append(_BLANK)
            else:
                words.append(word)
        words.append(_EDGE)
        pairs = (f"{a} {b}" for a, b in zip(words, words[1:], strict=False))
        return tuple(dict.fromkeys((ALWAYS, *words[1:-1], *pairs)))

    def walks(self, candidate: Candidate) -> tuple[str, ...]:
        """Return names for where a candidate leads: the whole walk, its first and its last hop."""
        hops = [self._hop(use) for use in candidate.edges]
        whole = " / ".join(hops)
        if candidate.final not in ("set", "number"):
            whole += f" # {'judge' if candidate.final in ('yes', 'no') else candidate.final}"
        if len(hops) < 2:
            return (whole[:_LONGEST_SIGN],)
        ends = (whole, f"{hops[0]} ...", f"... {hops[-1]}")
        return tuple(name[:_LONGEST_SIGN] for name in ends)

    def _hop(self, use: EdgeUse) -> str:
        labels = sorted(self._label(edge) for edge in use.hop) or ["any"]
        return ("= " if use.constraint else "") + " | ".join(labels)

    def _label(self, edge: tuple[str, Direction]) -> str:
        if edge not in self._labels:
            name, way = edge
            known = self._index.properties.get(name)
            label = normalise_name(known.label if known else name)
            self._labels[edge] = label if way is Direction.OUT else f"{label} <"
        return self._labels[edge]
