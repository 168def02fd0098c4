"""Which classes of a graph a noun means: those of that name, and those labelled more closely.

A graph that knows "sovereign state" and "island country" and not what is above them still says
which things are states, and which are countries. Where the class of that very name holds most of
what is looked at, it alone is meant: a "historical country" is no country then.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from robodata_core.model import Direction, MatchKind, Value
from robodata_core.policy.offline.solve import Solver
from robodata_core.policy.offline.stated import ids_of
from robodata_core.policy.offline.words import singular_phrase, stems

__all__ = ["Kinds"]

_SAMPLE: Final = 400
_PREPOSITIONS: Final = frozenset(["of", "in", "on", "for", "with", "by", "from"])
_TYPES: Final = ("instance of", "type", "is a", "occupation", "profession")


class Kinds:
    """Finds classes by the noun for them.

    Args:
        solver: Gives the source and its relations.
    """

    def __init__(self, solver: Solver) -> None:
        self._solver = solver
        self.via = tuple(sorted({n for label in _TYPES for n in solver.index.named(label)}))

    def of(self, words: str, members: Sequence[Value]) -> tuple[str, ...]:
        """Return the classes that words name.

        Args:
            words: A noun phrase, in lower case.
            members: Things whose own classes are looked at.
        """
        named = self._named(words)
        if named and 2 * self._of_class(named, members) >= min(len(members), _SAMPLE):
            return tuple(sorted(named))
        return tuple(sorted(named | self._labelled(words, members)))

    def _of_class(self, classes: set[str], members: Sequence[Value]) -> int:
        """Return how many of a sample are of some classes."""
        sample = tuple(members[:_SAMPLE])
        return len(self._solver.reader.is_a(sample, frozenset(classes), self.via))

    def _named(self, words: str) -> set[str]:
        reader, found = self._solver.reader, set()
        for form in dict.fromkeys((words, singular_phrase(words))):
            for hit in self._solver.source.search(form, limit=5):
                if hit.match in (MatchKind.LABEL, MatchKind.ALIAS):
                    found.add(hit.id)
        edges = {(name, Direction.IN) for name in self.via}
        return {id_ for id_ in found if edges & set(reader.relations(id_))}

    def _labelled(self, words: str, members: Sequence[Value]) -> set[str]:
        """Return classes of some things whose labels hold the words, with the same head."""
        reader, wanted = self._solver.reader, stems(words)
        things = reader.entities(ids_of(members)[:_SAMPLE]).values()
        types = sorted({kind for item in things for kind in item.types})
        found = set()
        for kind, entity in reader.entities(types).items():
            label = entity.label.lower().replace("-", " ").split()
            end = next((i for i, w in enumerate(label) if i and w in _PREPOSITIONS), len(label))
            inner = stems(" ".join(label[:end]))
            if wanted and inner[-1:] == wanted[-1:] and set(wanted) <= set(inner):
                found.add(kind)
        return found
