"""Map and ontologies as one source: what is there beside what is known of its kind.

A chain that asks the map first and merges what all say. SPARQL runs over one store that holds the
ontologies' graphs and the map's, so that one query can go from a cup on the table to what cups are
used for. Ontologies that are services cannot be copied; they are asked where the store has
nothing, and a query cannot join them with the map.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence

from robodata_core.belief._rdf import JoinedStore
from robodata_core.belief.kinds import Kinds
from robodata_core.belief.source import MapSource
from robodata_core.belief.typical import TypicalPlaces
from robodata_core.cancellation import CancelToken
from robodata_core.model import (
    EntityKind,
    MatchKind,
    SearchHit,
    SparqlResult,
)
from robodata_core.sources.base import KnowledgeSource, QueryLimits
from robodata_core.sources.capabilities import Capabilities, capabilities
from robodata_core.sources.chained import ChainedSource

__all__ = ["WorldSource"]

_ORDER = {kind: number for number, kind in enumerate(MatchKind)}


class WorldSource(ChainedSource):
    """A ``KnowledgeSource`` over a map and ontologies. Thread-safe.

    Args:
        map_: The map.
        ontologies: What else is known, in order of preference; closed together with this one.

    Attributes:
        map: The map.
        ontology: The ontologies alone.
        kinds: What classes are kinds of.
        plain: Map and ontologies as they are, with the same relation for where a thing is and for
            where things of its kind are kept.
    """

    def __init__(self, map_: MapSource, ontologies: Sequence[KnowledgeSource]) -> None:
        super().__init__((map_, *map(TypicalPlaces, ontologies)), merge=True)
        self.map = map_
        self.ontology = ChainedSource(ontologies, merge=True)
        self.kinds = map_.kinds = Kinds(self.ontology)
        self.plain = ChainedSource((map_, *ontologies), merge=True)
        graphs = [capabilities(item).quads for item in ontologies]
        self._has_services = None in graphs
        self._store = JoinedStore(
            [graph for graph in graphs if graph is not None],
            map_,
        )

    def close(self) -> None:
        """Close map and ontologies, and end the process that runs long queries."""
        self._store.close()
        super().close()

    def capabilities(self) -> Capabilities:
        """Return what a chain can, and that this one changes."""
        own = self.map.capabilities()
        return dataclasses.replace(
            super().capabilities(),
            generation=own.generation,
            now=own.now,
            beside=own.beside,
            gone=own.gone,
        )

    def warm(self) -> None:
        """Load what the first question would load."""
        for source in self.sources:
            warm = getattr(source, "warm", None)
            if warm is not None:
                warm()
        self._store.warm()

    def is_asked_for_names(self, source: KnowledgeSource) -> bool:
        """Ask map and every ontology: a name may be that of a thing, and of a kind of things."""
        return True

    def lookup_names(
        self, names: Iterable[str], *, kind: EntityKind = EntityKind.ITEM
    ) -> Mapping[str, tuple[SearchHit, ...]]:
        """Find exact names, in the map and in every ontology, labels before aliases."""
        return {
            name: tuple(sorted(hits, key=lambda hit: _ORDER[hit.match]))
            for name, hits in super().lookup_names(names, kind=kind).items()
        }

    def sparql(
        self,
        query: str,
        *,
        limits: QueryLimits = QueryLimits(),
        cancel: CancelToken | None = None,
    ) -> SparqlResult:
        """Run a read-only query over the map and every ontology that can be copied.

        Raises:
            QuerySyntaxError: If it does not parse.
            QueryRefusedError: For updates, SERVICE and LOAD.
            QueryLimitError: If it runs over its time.
        """
        result = self._store.query(query, limits, cancel)
        if self._has_services and not (result.rows or result.triples or result.boolean):
            return super().sparql(query, limits=limits, cancel=cancel)
        return result
