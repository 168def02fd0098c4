"""The local graph as a knowledge source, so that a program runs on it as on any other.

Only what a program needs is answered from memory: statements, names, and queries. Statements are
the truthy ones among those that the graph holds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from robodata_core.cancellation import CancelToken
from robodata_core.model import (
    Direction,
    Entity,
    EntityKind,
    Property,
    RelationCount,
    SearchHit,
    SparqlResult,
    StatementPage,
)
from robodata_core.sources.base import QueryLimits, SourceBase
from robodata_core.store._reading import ReadableGraph

__all__ = ["GraphSource"]

_DEFAULT_LIMITS = QueryLimits()


class GraphSource(SourceBase):
    """Answers from a local graph; implements ``KnowledgeSource``.

    Args:
        graph: Stays open and is not closed with this.
    """

    name = "local graph"

    def __init__(self, graph: ReadableGraph) -> None:
        self._graph = graph

    def search(
        self,
        text: str,
        *,
        kind: EntityKind = EntityKind.ITEM,
        limit: int = 10,
        language: str = "en",
    ) -> tuple[SearchHit, ...]:
        """Find nothing: names are looked up at the remote source."""
        return ()

    def entities(self, ids: Iterable[str]) -> Mapping[str, Entity]:
        """Return the entities that the graph can name."""
        found = {id_: self._graph.entity(id_) for id_ in ids}
        return {id_: item for id_, item in found.items() if item is not None}

    def properties(self, ids: Iterable[str]) -> Mapping[str, Property]:
        """Return the properties that the graph can name."""
        found = {id_: self._graph.property(id_) for id_ in ids}
        return {id_: item for id_, item in found.items() if item is not None}

    def statements(
        self,
        id_: str,
        *,
        direction: Direction = Direction.OUT,
        property: str | None = None,
        limit: int = 100,
        offset: int = 0,
        all_ranks: bool = False,
    ) -> StatementPage:
        """Return statements about or pointing to an entity; see ``KnowledgeSource``."""
        found = self._graph.statements(id_, direction, property, all_ranks=all_ranks)
        return StatementPage(found[offset : offset + limit], len(found))

    def relations(
        self, ids: Iterable[str], *, direction: Direction | None = None
    ) -> tuple[RelationCount, ...]:
        """Return the relations that are there around ``ids``, most frequent first."""
        counts: Counter[tuple[str, Direction]] = Counter()
        for id_ in ids:
            for way in Direction if direction is None else (direction,):
                for one in self._graph.statements(id_, way, None):
                    counts[one.property, way] += 1
        return tuple(RelationCount(name, way, n) for (name, way), n in counts.most_common())

    def sparql(
        self,
        query: str,
        *,
        limits: QueryLimits = _DEFAULT_LIMITS,
        cancel: CancelToken | None = None,
    ) -> SparqlResult:
        """Run a read-only query on the facts; raises what ``LocalGraph.query`` raises."""
        return self._graph.query(query, limits=limits, cancel=cancel, facts=True)
