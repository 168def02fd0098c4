"""What every knowledge source offers to tools and policies, and its limits.

Implementations live beside this module. All of them are read-only, return bounded results, and
raise ``SourceError`` subclasses only. Methods are safe to call from several threads.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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
    Value,
)
from robodata_core.text import clean_text

__all__ = [
    "Edge",
    "KnowledgeSource",
    "NamedSource",
    "NearSource",
    "PropertyListSource",
    "QueryLimits",
    "WideSource",
    "near_form",
    "the_one",
    "wide_form",
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


@runtime_checkable
class NamedSource(Protocol):
    """A source that finds exact names in batches; others are searched name by name."""

    def lookup_names(
        self, names: Iterable[str], *, kind: EntityKind = EntityKind.ITEM
    ) -> Mapping[str, tuple[SearchHit, ...]]:
        """Return label and alias matches of each name, compared by ``normalise_name``.

        Names without a match are left out.
        """
        ...


@runtime_checkable
class PropertyListSource(Protocol):
    """A source that can list all its properties; of others only those met are known."""

    def all_properties(self) -> Iterable[Property]:
        """Return every property, the most used first."""
        ...


@runtime_checkable
class WideSource(Protocol):
    """A source whose requests are dear, and which answers about many relations in one.

    Nothing is promised: what would be too much at once is left out of an answer, and is to be
    asked for by itself. What an answer holds is what asking for it by itself would give.

    Attributes:
        is_wide: Whether asking for more at once is worth it; not so where all is close at hand.
    """

    is_wide: bool

    def statements_along(
        self, ids: Iterable[str], edges: Iterable[Edge], *, limit: int = 100
    ) -> Mapping[Edge, Mapping[str, StatementPage]]:
        """Do ``statements_many`` for many edges at once; direct triples are enough."""
        ...

    def relations_each(self, ids: Iterable[str]) -> Mapping[str, tuple[RelationCount, ...]]:
        """Do ``relations`` for each of ``ids`` by itself."""
        ...

    def statements_above(self, ids: Iterable[str], property: str) -> Mapping[str, StatementPage]:
        """Return a property's statements of ``ids`` and of all that it leads to, step by step."""
        ...


@runtime_checkable
class NearSource(Protocol):
    """A source in memory, where making statements takes longer than finding them.

    Attributes:
        is_near: Whether asking for ends alone is worth it.
    """

    is_near: bool

    def ends_many(
        self, ids: Iterable[str], *, direction: Direction, property: str, limit: int
    ) -> Mapping[str, Sequence[Value]]:
        """Return what the statements of ``statements_many`` lead to, in their order.

        These are values (OUT) or subjects (IN); every id has an entry.
        """
        ...


def near_form(source: KnowledgeSource) -> NearSource | None:
    """Return a source as one to be asked for ends alone, if it is such."""
    return source if isinstance(source, NearSource) and source.is_near else None


def wide_form(source: KnowledgeSource) -> WideSource | None:
    """Return a source as one to be asked about many relations at once, if it is such."""
    return source if isinstance(source, WideSource) and source.is_wide else None


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
