"""What every knowledge source offers to tools and policies, and its limits.

Implementations live beside this module. All of them are read-only, return bounded results, and
raise ``SourceError`` subclasses only. Methods are safe to call from several threads.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeAlias, TypeVar, runtime_checkable

from robodata_core.cancellation import CancelToken
from robodata_core.errors import NotFoundError
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
from robodata_core.text import clean_text

__all__ = [
    "Edge",
    "KnowledgeSource",
    "QueryLimits",
    "the_one",
]

_Known = TypeVar("_Known", Entity, Property)

#: A relation with the way it is followed.
Edge: TypeAlias = tuple[str, Direction]


@dataclass(frozen=True, slots=True)
class QueryLimits:
    """Caps on one SPARQL query.

    Attributes:
        rows: Most rows (or triples) returned; the rest is cut and said to be cut.
        seconds: Most wall time.
        bytes: Most bytes of result, measured on the terms' text.
    """

    rows: int = 1_000
    seconds: float = 10.0
    bytes: int = 4_000_000


@runtime_checkable
class KnowledgeSource(Protocol):
    """A remote ontology as the agent sees it.

    Attributes:
        name: Shown in provenance, e.g. ``snapshot:wikidata-sample`` or ``wikidata``.
    """

    name: str

    def search(
        self,
        text: str,
        *,
        kind: EntityKind = EntityKind.ITEM,
        limit: int = 10,
        language: str = "en",
    ) -> tuple[SearchHit, ...]:
        """Find entities or properties by name, best match first, then by popularity."""
        ...

    def entity(self, id_: str) -> Entity:
        """Return one entity.

        Raises:
            NotFoundError: If the source does not know ``id_``.
        """
        ...

    def entities(self, ids: Iterable[str]) -> Mapping[str, Entity]:
        """Return the entities of ``ids`` that exist, by id, in few round trips."""
        ...

    def property(self, id_: str) -> Property:
        """Return one property.

        Raises:
            NotFoundError: If the source does not know ``id_``.
        """
        ...

    def properties(self, ids: Iterable[str]) -> Mapping[str, Property]:
        """Return the properties of ``ids`` that exist, by id."""
        ...

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
        """Return statements about (OUT) or pointing to (IN) an entity, in a stable order.

        Truthy statements only (preferred rank where a property has one, else normal) unless
        ``all_ranks``. An entity without statements gives an empty page.
        """
        ...

    def statements_many(
        self,
        ids: Iterable[str],
        *,
        direction: Direction = Direction.OUT,
        property: str | None = None,
        limit: int = 100,
    ) -> Mapping[str, StatementPage]:
        """Do ``statements`` for many ids at once, ``limit`` for each; every id has an entry."""
        ...

    def relations(
        self, ids: Iterable[str], *, direction: Direction | None = None
    ) -> tuple[RelationCount, ...]:
        """Return the relations that are really there around ``ids``, most frequent first."""
        ...

    def sparql(
        self,
        query: str,
        *,
        limits: QueryLimits = QueryLimits(),
        cancel: CancelToken | None = None,
    ) -> SparqlResult:
        """Run a read-only SPARQL 1.1 query; labels and direct triples are in Wikidata's RDF.

        Raises:
            QuerySyntaxError: If it does not parse.
            QueryRefusedError: For updates, SERVICE and LOAD.
            QueryLimitError: If it runs over its time.
        """
        ...

    def close(self) -> None:
        """Release files and connections; further calls are undefined."""
        ...


def the_one(found: Mapping[str, _Known], id_: str, source: str, kind: str = "") -> _Known:
    """Return what was found under one id.

    Args:
        found: What was found, by id.
        id_: The id that was asked for.
        source: Name of the source that was asked.
        kind: What it was to be ("the property"), for the sentence; or "".

    Raises:
        NotFoundError: If nothing was found.
    """
    if id_ not in found:
        wanted = " ".join(filter(None, (kind, clean_text(id_, limit=100))))
        raise NotFoundError(f"{source} does not know {wanted}.")
    return found[id_]
