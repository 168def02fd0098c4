"""What every knowledge source offers to tools and policies, and its limits.

Implementations live beside this module. All of them are read-only, return bounded results, and
raise ``SourceError`` subclasses only. Methods are safe to call from several threads.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeVar, runtime_checkable

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

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Edge", "KnowledgeSource", "QueryLimits", "SourceBase"]

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
        self, query: str, *, limits: QueryLimits = QueryLimits(), cancel: CancelToken | None = None
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


class SourceBase:
    """What sources do alike, from the few methods that each has to bring.

    A class of ``KnowledgeSource`` may rest on it: one entity and one property come from those for
    many, statements of many entities from those of one. A class whose service answers many at once
    has its own.

    Attributes:
        name: How the source is called in provenance and errors.
    """

    name: str

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Do nothing: there is nothing to give back."""

    def entities(self, ids: Iterable[str]) -> Mapping[str, Entity]:
        """Return the entities of ``ids`` that there are, by id."""
        raise NotImplementedError

    def properties(self, ids: Iterable[str]) -> Mapping[str, Property]:
        """Return the properties of ``ids`` that there are, by id."""
        raise NotImplementedError

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
        """Return statements about (OUT) or pointing to (IN) an entity."""
        raise NotImplementedError

    def entity(self, id_: str) -> Entity:
        """Return one entity.

        Raises:
            NotFoundError: If the source does not know it.
        """
        return self._the_one(self.entities([id_]), id_, "entity")

    def property(self, id_: str) -> Property:
        """Return one property.

        Raises:
            NotFoundError: If the source does not know it.
        """
        return self._the_one(self.properties([id_]), id_, "property")

    def statements_many(
        self,
        ids: Iterable[str],
        *,
        direction: Direction = Direction.OUT,
        property: str | None = None,
        limit: int = 100,
    ) -> Mapping[str, StatementPage]:
        """Do ``statements`` for many ids, ``limit`` for each; every id has an entry."""
        return {
            id_: self.statements(id_, direction=direction, property=property, limit=limit)
            for id_ in ids
        }

    def _the_one(self, found: Mapping[str, _Known], id_: str, what: str) -> _Known:
        if id_ not in found:
            raise self._absent(id_, what)
        return found[id_]

    def _absent(self, id_: str, what: str) -> NotFoundError:
        """Return the error that says that there is no such entity or property."""
        return NotFoundError(f"{self.name} does not know the {what} {clean_text(id_, limit=100)}.")
