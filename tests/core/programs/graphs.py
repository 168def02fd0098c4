"""Small graphs for programs to run on: a source in memory whose SPARQL is the real thing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import pyoxigraph as ox

from robodata_core.cancellation import CancelToken
from robodata_core.iris import WIKIBASE
from robodata_core.model import (
    Direction,
    EntityValue,
    SparqlResult,
    Statement,
    StatementPage,
    Value,
)
from robodata_core.programs.keys import Key, key_of
from robodata_core.sources.base import QueryLimits
from robodata_core.store.terms import (
    entity_node,
    needs_value_node,
    property_node,
    term_to_value,
    triple_to_terms,
    value_node,
    value_to_term,
)

__all__ = ["GraphSource", "keys", "named", "statement"]

_LIMITS = QueryLimits()


def statement(subject: str, property_: str, value: Value | str) -> Statement:
    """Return a statement; a text is the id of an entity."""
    return Statement(subject, property_, EntityValue(value) if isinstance(value, str) else value)


def keys(values: Iterable[Value]) -> list[Key]:
    """Return what identifies the values, in order."""
    return [key_of(value) for value in values]


def named(values: Iterable[Value]) -> list[str]:
    """Return the ids of values that are all entities."""
    return [value.id for value in values if isinstance(value, EntityValue)]


class GraphSource:
    """A source of a few statements: pages by plain search, SPARQL by Oxigraph.

    Args:
        statements: What it holds.
        spelled: Subject, property and literal of what it also holds, spelled as a stranger would.

    Attributes:
        asked: The calls of ``statements_many`` so far: direction, property, ids.
    """

    name = "graph"

    def __init__(
        self, statements: Iterable[Statement], spelled: Iterable[tuple[str, str, ox.Literal]] = ()
    ) -> None:
        others = tuple(spelled)
        read = [Statement(s, p, term_to_value(term)) for s, p, term in others]
        self.statements_held = (*statements, *read)
        self.store = store_of(self.statements_held[: -len(read) or None])
        for subject, property_, term in others:
            self.store.add(ox.Quad(entity_node(subject), property_node(property_), term))
        self.asked: list[tuple[Direction, str | None, tuple[str, ...]]] = []

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
        found = [one for one in self.statements_held if _meets(one, id_, direction, property)]
        return StatementPage(tuple(found[offset : offset + limit]), len(found))

    def statements_many(
        self,
        ids: Iterable[str],
        *,
        direction: Direction = Direction.OUT,
        property: str | None = None,
        limit: int = 100,
    ) -> Mapping[str, StatementPage]:
        wanted = tuple(ids)
        self.asked.append((direction, property, wanted))
        return {
            id_: self.statements(id_, direction=direction, property=property, limit=limit)
            for id_ in wanted
        }

    def sparql(
        self,
        query: str,
        *,
        limits: QueryLimits = _LIMITS,
        cancel: CancelToken | None = None,
    ) -> SparqlResult:
        result = self.store.query(query)
        if isinstance(result, ox.QueryBoolean):
            return SparqlResult(boolean=bool(result))
        assert isinstance(result, ox.QuerySolutions)
        names = tuple(variable.value for variable in result.variables)
        rows = [tuple(None if t is None else term_to_value(t) for t in row) for row in result]
        return SparqlResult(names, tuple(rows[: limits.rows]), truncated=len(rows) > limits.rows)


def _meets(one: Statement, id_: str, direction: Direction, property_: str | None) -> bool:
    end: Value = EntityValue(one.subject) if direction is Direction.OUT else one.value
    return end == EntityValue(id_) and property_ in (None, one.property)


def store_of(statements: Sequence[Statement]) -> ox.Store:
    """Return the RDF of statements: direct triples, and value nodes where they say more."""
    store = ox.Store()
    for number, one in enumerate(statements):
        store.add(ox.Quad(*triple_to_terms(one.triple)))
        if needs_value_node(one.value):
            claim = ox.NamedNode(f"urn:test:statement:{number}")
            node, facts = value_node(one.value)
            role = property_node(one.property, "claim")
            store.add(ox.Quad(entity_node(one.subject), role, claim))
            plain = property_node(one.property, "statement")
            store.add(ox.Quad(claim, plain, value_to_term(one.value)))
            store.add(ox.Quad(claim, property_node(one.property, "statement/value"), node))
            rank = ox.NamedNode(WIKIBASE + "NormalRank")
            store.add(ox.Quad(claim, ox.NamedNode(WIKIBASE + "rank"), rank))
            for predicate, term in facts:
                store.add(ox.Quad(node, predicate, term))
    return store
