"""The map's statements as RDF, and the store in which they meet the ontologies' graphs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final

import pyoxigraph as ox

from robodata_core.iris import RDFS, SKOS, WD, XSD, iri_of, predicate_iri
from robodata_core.model import Entity, EntityValue, Property, QuantityValue, Statement, TimeValue
from robodata_core.sources.base import QueryLimits
from robodata_core.values import format_value, iso_time

if TYPE_CHECKING:
    from robodata_core.cancellation import CancelToken
    from robodata_core.model import SparqlResult

__all__ = ["GRAPH", "JoinedStore", "quads_of"]

GRAPH: Final = ox.NamedNode("urn:robodata:graph:map")
_LABEL: Final = ox.NamedNode(RDFS + "label")
_ALIAS: Final = ox.NamedNode(SKOS + "altLabel")
_DATE_TIME: Final = ox.NamedNode(XSD + "dateTime")
_DECIMAL: Final = ox.NamedNode(XSD + "decimal")


def quads_of(
    statements: Iterable[Statement], entities: Iterable[Entity], properties: Iterable[Property]
) -> list[ox.Quad]:
    """Return statements, and the names of things and relations, as quads of ``GRAPH``."""
    predicates: dict[str, ox.NamedNode] = {}
    found = []
    for item in statements:
        predicate = predicates.get(item.property)
        if predicate is None:
            predicate = predicates[item.property] = ox.NamedNode(predicate_iri(item.property))
        subject = ox.NamedNode(iri_of(item.subject))
        found.append(ox.Quad(subject, predicate, _term(item.value), GRAPH))
    for entity in entities:
        found += _names(ox.NamedNode(iri_of(entity.id)), entity.label, entity.aliases)
    for relation in properties:
        if not predicate_iri(relation.id).startswith(WD):  # those have names in the ontology
            found += _names(ox.NamedNode(iri_of(relation.id)), relation.label, relation.aliases)
    return found


def _names(node: ox.NamedNode, label: str, aliases: Iterable[str]) -> list[ox.Quad]:
    named = [ox.Quad(node, _LABEL, ox.Literal(label, language="en"), GRAPH)]
    return named + [ox.Quad(node, _ALIAS, ox.Literal(a, language="en"), GRAPH) for a in aliases]


def _term(value: object) -> ox.NamedNode | ox.Literal:
    if isinstance(value, EntityValue):
        return ox.NamedNode(iri_of(value.id))
    if isinstance(value, TimeValue):
        return ox.Literal(iso_time(value), datatype=_DATE_TIME)
    if isinstance(value, QuantityValue):
        return ox.Literal(str(value.amount), datatype=_DECIMAL)
    return ox.Literal(format_value(value))  # type: ignore[arg-type]


class JoinedStore:
    """Graphs that do not change, copied once, and one that does, copied anew when it has.

    Thread-safe; queries take turns, because the graph must not change under one.

    Args:
        fixed: Give the graphs that stay as they are.
        changing: Gives the quads of ``GRAPH``.
        generation: Grows whenever ``changing`` would give something else.
    """

    def __init__(
        self,
        fixed: Iterable[Callable[[], Iterable[ox.Quad]]],
        changing: Callable[[], Iterable[ox.Quad]],
        generation: Callable[[], int],
    ) -> None:
        self._fixed = tuple(fixed)
        self._changing = changing
        self._generation = generation
        self._store: ox.Store | None = None
        self._stored = -1
        self._turn = threading.Lock()

    def query(self, query: str, limits: QueryLimits, cancel: CancelToken | None) -> SparqlResult:
        """Run a read-only query; raises what ``KnowledgeSource.sparql`` does."""
        from robodata_core.store.queries import run_bounded

        with self._turn:
            return run_bounded(self._current(), query, limits=limits, cancel=cancel)

    def _current(self) -> ox.Store:
        if self._store is None:
            store = ox.Store()
            for graph in self._fixed:
                store.bulk_extend(graph())
            self._store = store
        generation = self._generation()
        if generation != self._stored:
            self._store.clear_graph(GRAPH)
            self._store.extend(self._changing())
            self._stored = generation
        return self._store
