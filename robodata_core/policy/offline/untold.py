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
_STRENGTH: Final = 0.0


def untold(
    starts: Sequence[Candidate],
    reader: Reader,
    finish: Callable[[Candidate], Sequence[Candidate]],
) -> list[Candidate]:
    """Follow the most frequent relations of the first starts, one hop.

    Args:
        starts: Where to begin, best first.
        reader: What is read with.
        finish: Makes whole candidates of a grown one.
    """
    found: list[Candidate] = []
    for start in starts[:_STARTS]:
        counts: Counter[Edge] = Counter()
        for id_ in start.links[0].ids[:_IDS] if start.links else ():
            counts.update(reader.relations(id_))
        for edge, _ in counts.most_common(_EDGES):
            values = reader.along(start.nodes, edge)
            if values:
                use = EdgeUse((edge,), strength=_STRENGTH, silent=True)
                found += finish(start.follow(use, values))
    return found
