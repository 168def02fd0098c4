"""What a class is a kind of, step by step, with the statements that lead there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from robodata_core.cache import BoundedCache
from robodata_core.iris import RDFS
from robodata_core.model import EntityValue, Statement
from robodata_core.sources.base import KnowledgeSource

__all__ = ["ABOVE", "Kinds"]

ABOVE: Final = ("P279", RDFS + "subClassOf")
_STEPS: Final = 10
_MOST_VALUES: Final = 200
_KEPT: Final = 5_000


class Kinds:
    """Walks up an ontology, and remembers; what it says of classes must not change. Thread-safe.

    Args:
        source: The ontology.
    """

    def __init__(self, source: KnowledgeSource) -> None:
        self._source = source
        self._known: BoundedCache[str, Mapping[str, tuple[Statement, ...]]] = BoundedCache(_KEPT)

    def above(self, class_id: str) -> Mapping[str, tuple[Statement, ...]]:
        """Return a class and all it is a kind of, nearest first, each with its path.

        Raises:
            SourceError: If the ontology cannot answer.
        """
        known = self._known.get(class_id)
        if known is not None:
            return known
        paths: dict[str, tuple[Statement, ...]] = {class_id: ()}
        level = [class_id]
        for _ in range(_STEPS):
            found: list[str] = []
            for relation in ABOVE:
                pages = self._source.statements_many(level, property=relation, limit=_MOST_VALUES)
                for id_, page in pages.items():
                    for statement in page.statements:
                        target = statement.value
                        if isinstance(target, EntityValue) and target.id not in paths:
                            paths[target.id] = (*paths[id_], statement)
                            found.append(target.id)
            level = found
            if not level:
                break
        self._known.put(class_id, paths)
        return paths
