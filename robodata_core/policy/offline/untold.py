"""Candidates for questions no word of which names a relation: "how popular is X?".

Every relation of what is named is followed. Words alone cannot tell these candidates apart and
leave them far below the threshold; what training learnt of such words can.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

from robodata_core.policy.offline.candidate import Candidate, EdgeUse
from robodata_core.policy.offline.reading import Reader
from robodata_core.policy.offline.relations import Edge

__all__ = ["untold"]

_STARTS: Final = 2
_IDS: Final = 3
_EDGES: Final = 24
#: So low that what training says of any question alike is not enough.
_STRENGTH: Final = 0.0
_AGREEMENT: Final = 0.7


def untold(
    starts: Sequence[Candidate],
    reader: Reader,
    finish: Callable[[Candidate], Sequence[Candidate]],
    words: frozenset[int],
) -> list[Candidate]:
    """Follow the most frequent relations of the first starts, one hop.

    Args:
        starts: Where to begin, best first.
        reader: What is read with.
        finish: Makes whole candidates of a grown one.
        words: The content of the question that is no name, which may mean the relation; where
            there is none, nothing is asked.
    """
    found: list[Candidate] = []
    if not words:
        return found
    named = [start.links[0].ids[:_IDS] if start.links else () for start in starts[:_STARTS]]
    reader.relations_ahead(id_ for ids in named for id_ in ids)
    for start, ids in zip(starts, named, strict=False):
        counts: Counter[Edge] = Counter()
        for id_ in ids:
            counts.update(reader.relations(id_))
        edges = [edge for edge, _ in counts.most_common(_EDGES)]
        reader.ahead(start.nodes, edges)
        for edge in edges:
            values = reader.along(start.nodes, edge)
            if values:
                use = EdgeUse((edge,), words, _STRENGTH, _AGREEMENT, silent=True)
                found += finish(start.follow(use, values))
    return found
