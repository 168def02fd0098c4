"""The reading half of the local graph: handles, matches, names, queries, evidence.

``graph.LocalGraph`` adds opening, writing and closing to it.
"""

from __future__ import annotations

import builtins
import threading
from dataclasses import dataclass
from typing import Final

import pyoxigraph as ox

from robodata_core.cancellation import CancelToken
from robodata_core.errors import StoreError
from robodata_core.iris import id_from_iri
from robodata_core.model import (
    Direction,
    Entity,
    EntityValue,
    Evidence,
    Property,
    Provenance,
    QuantityValue,
    Rank,
    SparqlResult,
    Statement,
    Triple,
    Value,
)
from robodata_core.sources.base import QueryLimits
from robodata_core.store import _vocabulary as v
from robodata_core.store._backend import Backend, Pattern
from robodata_core.store._index import Fact, nodes_of
from robodata_core.store._memory import Names, direct_key, read_memory
from robodata_core.store._statements import canonical_triple
from robodata_core.store.queries import QueryProcesses, run_bounded
from robodata_core.store.terms import (
    canonical,
    needs_value_node,
    property_node,
    triple_to_terms,
    value_node,
)
from robodata_core.values import format_value

_DEFAULT_LIMITS: Final = QueryLimits()
_MOST_TOLD: Final = 10_000


@dataclass(frozen=True, slots=True)
class StoredTriple:
    """A triple of the graph at its barest.

    Attributes:
        number: Number of its handle.
        triple: The triple.
        deprecated: Whether every statement of it is deprecated: it is then known to the graph,
            but not asserted by it.
    """

    number: int
    triple: Triple
    deprecated: bool = False

    @property
    def handle(self) -> str:
        """``T17``."""
        return f"T{self.number}"

    @property
    def nodes(self) -> tuple[str, ...]:
        """Subject, and object where it is another entity."""
        return nodes_of(self.triple)


class ReadableGraph:
    """Everything that can be asked of the local graph. Thread-safe.

    Args:
        backend: Where its RDF is kept.
    """

    def __init__(self, backend: Backend) -> None:
        self._kept: Backend | None = backend
        with backend.guard():
            self._memory = read_memory(backend.rdf, backend.advice)
        self._lock = threading.RLock()
        self._version = 0
        self._told: dict[int, Evidence] = {}
        self._told_at = self._version
        self._processes = QueryProcesses.for_dump(self._dump, lambda: self._version)

    @builtins.property
    def _backend(self) -> Backend:
        if self._kept is None:
            raise StoreError("The store is closed.")
        return self._kept

    @builtins.property
    def _store(self) -> ox.Store:
        return self._backend.rdf

    def _catch_up(self, *, must: bool = False) -> None:
        """Learn what others have written, where several processes share the graph."""
        if self._kept is not None and self._kept.renew(must=must):
            self._version += 1
            with self._kept.guard():
                self._memory = read_memory(self._kept.rdf, self._kept.advice)

    def contains(self, triple: Triple) -> bool:
        """Ask the graph whether ``triple`` stands in it, unit and precision included."""
        try:
            wanted = canonical_triple(triple)
            pattern = _standing(wanted)
        except ValueError:
            return False
        with self._lock:
            self._catch_up()
            fact = self._memory.index.get(wanted)
            first = fact.number if fact is not None else self._memory.index.highest + 1
            facts = self._memory.index.facts
            next_ = (facts[n].triple for n in range(first + 1, first + 50) if n in facts)
            return self._backend.confirm(pattern, map(_standing, next_))

    def evidence(self, handle: str) -> Evidence | None:
        """Return the triple called ``handle`` with all that is known about it."""
        with self._lock:
            fact = self._fact(handle)
            return self._evidence(fact) if fact else None

    def _fact(self, handle: str) -> Fact | None:
        if not (handle.startswith("T") and handle[1:].isascii() and handle[1:].isdigit()):
            return None
        fact = self._memory.index.facts.get(int(handle[1:20]))
        return fact if fact and fact.handle == handle else None

    def find(self, triple: Triple) -> Evidence | None:
        """Return the triple with its handle, or None.

        A number without unit or a time without precision, as a SPARQL result has it, finds the
        fact with it.
        """
        try:
            wanted = canonical_triple(triple)
            key = direct_key(triple_to_terms(wanted))
        except ValueError:
            return None
        with self._lock:
            self._catch_up()
            fact = self._memory.index.get(wanted)
            if fact is None and key is not None and not needs_value_node(wanted.object):
                numbers = self._memory.direct.get(key)
                fact = self._memory.index.facts[numbers[0]] if numbers else None
            return self._evidence(fact) if fact else None

    def match(
        self,
        subject: str | None = None,
        predicate: str | None = None,
        object: Value | None = None,
        *,
        limit: int = 100,
        offset: int = 0,
    ) -> tuple[tuple[Evidence, ...], int]:
        """Return a page of the triples that fit, in order of their handles, and how many fit."""
        try:
            wanted = None if object is None else canonical(object)
        except ValueError:
            return (), 0
        with self._lock:
            self._catch_up()
            facts = self._memory.index.match(_short(subject), _short(predicate), wanted)
            page = facts[max(0, offset) : max(0, offset) + max(0, limit)]
            return tuple(self._evidence(fact) for fact in page), len(facts)

    def statements(
        self, id_: str, direction: Direction, property_: str | None, *, all_ranks: bool = False
    ) -> tuple[Statement, ...]:
        """Return the statements about (OUT) or pointing to (IN) a node, in order of handles.

        Truthy ones among those held, unless ``all_ranks``; deprecated ones never.
        """
        node, predicate = id_from_iri(id_), _short(property_)
        with self._lock:
            self._catch_up()
            index = self._memory.index
            outwards = direction is Direction.OUT
            facts = (
                index.match(node, predicate, None)
                if outwards
                else index.match(None, predicate, EntityValue(node))
            )
            ranked = [(fact, one) for fact in facts if (one := _best_of(fact)) is not None]
            if all_ranks:
                return tuple(one for _, one in ranked)
            # A source ranks its own statements: what another prefers takes nothing from it.
            preferred: dict[tuple[str, str], set[str]] = {}
            for fact, _ in ranked:
                place = (fact.triple.subject, fact.triple.predicate)
                if place not in preferred:
                    siblings = map(_best_of, index.match(*place, None))
                    preferred[place] = {
                        one.source for one in siblings if one and one.rank is Rank.PREFERRED
                    }
            return tuple(
                one
                for _, one in ranked
                if one.rank is Rank.PREFERRED
                or one.source not in preferred[one.subject, one.property]
            )

    def triples(self) -> tuple[StoredTriple, ...]:
        """Return all triples in order of their handles, without labels and provenance."""
        with self._lock:
            self._catch_up()
            return tuple(
                StoredTriple(fact.number, fact.triple, not fact.asserted)
                for fact in self._memory.index.facts.values()
            )

    def entity(self, id_: str) -> Entity | None:
        """Return what the graph holds to name an item; None if it holds nothing."""
        with self._lock:
            names = self._names(id_)
            return names.entity() if names else None

    def property(self, id_: str) -> Property | None:
        """Return what the graph holds to name a property; None if it holds nothing."""
        with self._lock:
            names = self._names(id_)
            return names.property() if names else None

    def label(self, id_: str) -> str:
        """Return the label of an item or property, or "" where it is not known."""
        with self._lock:
            names = self._names(id_)
            return names.label if names else ""

    def is_shared(self, id_: str) -> bool:
        """Tell whether the graph knows another item (or property) by the same label."""
        with self._lock:
            self._catch_up()
            own = self._names(id_)
            return own is not None and self._memory.bearers[own.is_property][own.label] > 1

    def _names(self, id_: str) -> Names | None:
        return self._memory.names.get(id_) or self._memory.names.get(id_from_iri(id_))

    @builtins.property
    def node_count(self) -> int:
        """How many nodes there are: entities in triples, and those fetched on their own."""
        with self._lock:
            self._catch_up()
            return self._memory.index.node_count

    @builtins.property
    def edge_count(self) -> int:
        """How many triples with a handle there are."""
        with self._lock:
            self._catch_up()
            return len(self._memory.index.facts)

    def nodes(self) -> tuple[str, ...]:
        """Return the ids of all nodes."""
        with self._lock:
            self._catch_up()
            return self._memory.index.nodes

    def isolated(self) -> tuple[str, ...]:
        """Return the nodes that are in no triple."""
        with self._lock:
            return self._memory.index.isolated()

    def components(self) -> int:
        """Count the connected parts of the graph."""
        with self._lock:
            return self._memory.index.components()

    def query(
        self,
        sparql: str,
        *,
        limits: QueryLimits = _DEFAULT_LIMITS,
        cancel: CancelToken | None = None,
        facts: bool = False,
    ) -> SparqlResult:
        """Run a read-only query; the usual prefixes need no declaration.

        Args:
            sparql: The query.
            limits: What it may take.
            cancel: Stops it from outside.
            facts: Whether it asks for facts alone, not for names nor for where facts come from.

        Raises:
            QuerySyntaxError: If it is not SPARQL.
            QueryRefusedError: For updates, LOAD and SERVICE.
            QueryLimitError: If it needs more time or memory than it may have.
        """
        with self._lock:
            self._catch_up()
        with self._backend.guard():
            return run_bounded(
                self._backend.facts if facts else self._store,  # no name: errors would keep it
                sparql,
                limits=limits,
                cancel=cancel,
                processes=self._processes,
            )

    # -- as RDF -------------------------------------------------------------------------------

    def quads(self) -> tuple[ox.Quad, ...]:
        """Return all of the RDF."""
        with self._lock:
            self._catch_up()
        with self._backend.guard():
            return tuple(self._store)

    def _dump(self) -> bytes:
        with self._backend.guard():
            return self._backend.dump()

    # -- evidence -----------------------------------------------------------------------------

    def _evidence(self, fact: Fact) -> Evidence:
        """Return all that is known of a fact; a run asks for the same ones again and again."""
        if self._told_at != self._version or len(self._told) >= _MOST_TOLD:
            self._told, self._told_at = {}, self._version
        told = self._told.get(fact.number)
        if told is None:
            told = self._told[fact.number] = self._all_of(fact)
        return told

    def _all_of(self, fact: Fact) -> Evidence:
        value = fact.triple.object
        unit = value.unit if isinstance(value, QuantityValue) else None
        if isinstance(value, EntityValue):
            object_label = self.label(value.id)
        else:
            object_label = format_value(value, self.label)
        origins = self._origins(fact)
        return Evidence(
            handle=fact.handle,
            triple=fact.triple,
            statement=origins[0][0],
            subject_label=self.label(fact.triple.subject),
            predicate_label=self.label(fact.triple.predicate),
            object_label=object_label,
            provenance=tuple(provenance for _, provenance in origins),
            unit_label=self.label(unit) if unit else "",
        )

    def _origins(self, fact: Fact) -> list[tuple[str, Provenance]]:
        """Return statement nodes with their provenance, in order of arrival."""
        found = []
        for iri, statement, calls in fact.made:
            for call_iri in calls:
                call = self._memory.calls[call_iri]
                found.append((call.order, iri, call.fetch.provenance(statement)))
        return [(iri, origin) for _, iri, origin in sorted(found, key=lambda item: item[:2])]


def _standing(triple: Triple) -> Pattern:
    """Return what matches where a (canonical) triple is asserted, its full value included."""
    direct = triple_to_terms(triple)
    if not needs_value_node(triple.object):
        return Pattern(direct)
    subject, predicate, _ = direct
    role = property_node(triple.predicate, "statement/value")
    node, _ = value_node(triple.object)
    return Pattern(
        direct,
        (
            f"?s {v.SUBJECT} {subject}",
            f"?s {v.PREDICATE} {predicate}",
            f"?s {role} {node}",
            f"?s {v.RANK} ?r",
        ),
        f"FILTER(?r != {v.RANKS[Rank.DEPRECATED]})",
    )


def _best_of(fact: Fact) -> Statement | None:
    """Return the statement of a fact that ranks highest; None where all are deprecated."""
    best: Statement | None = None
    for _, one, _ in fact.made:
        if one.rank is Rank.PREFERRED:
            return one
        if best is None and one.rank is not Rank.DEPRECATED:
            best = one
    return best


def _short(id_: str | None) -> str | None:
    return None if id_ is None else id_from_iri(id_)
