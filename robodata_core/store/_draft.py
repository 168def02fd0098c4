"""One change of the local graph, worked out before anything is written.

A draft collects the quads to add and to remove and what the memory must learn; ``LocalGraph``
writes the quads in one transaction and only then calls ``apply``.
"""

from __future__ import annotations

from collections.abc import Iterable

import pyoxigraph as ox

from robodata_core.model import Entity, EntityValue, Property, Rank, Statement, Triple, ids_in
from robodata_core.store import _vocabulary as v
from robodata_core.store._index import Fact, Fetch, Made, key_of
from robodata_core.store._literals import integer, string
from robodata_core.store._memory import (
    Call,
    DirectKey,
    Memory,
    Names,
    canonical_fetch,
    direct_key,
    names_of,
    time_literal,
)
from robodata_core.store._statements import canonical_statement, encode, minted_node, node_of
from robodata_core.store.terms import Terms, canonical_id, digest, entity_node, triple_to_terms


class Addition:
    """Statements and names of one call on their way into the graph."""

    def __init__(self, memory: Memory, fetch: Fetch, language: str) -> None:
        self.added: list[ox.Quad] = []
        self.removed: list[ox.Quad] = []
        self.new_facts: dict[Triple, Fact] = {}
        self.new_nodes = 0
        self._memory = memory
        self._language = language
        self._graph = v.minted(v.RUN, canonical_fetch(fetch).run_id)
        self._call = self._place_call(canonical_fetch(fetch))
        self._call_iri = self._call.value
        self._nodes: dict[str, tuple[Fact, Statement]] = {}
        self._links: dict[tuple[str, str], tuple[Fact, Statement]] = {}
        self._written: set[str] = set()
        self._direct: dict[DirectKey, set[int]] = {}
        self._asserted: set[int] = set()
        self._names: dict[str, Names] = {}
        self._marked: dict[str, None] = {}
        self._next = memory.index.highest
        # Calls stand in the order of arrival; the last one is the highest.
        last = next(reversed(memory.calls.values()), None)
        self._order = last.order + 1 if last else 1

    # -- statements ---------------------------------------------------------------------------

    def statement(self, given: Statement) -> None:
        """Take in a statement.

        Raises:
            ValueError: If an id or value in it cannot stand in a graph.
        """
        statement = canonical_statement(given)
        triple = statement.triple
        terms = triple_to_terms(triple)
        fact = self._fact(triple)
        node = self._node(statement)
        iri = node.value
        if iri not in self._nodes and iri not in self._memory.statements:
            self._write_statement(node, statement, fact, terms)
        self._nodes[iri] = (fact, statement)
        if statement.rank is not Rank.DEPRECATED:
            self._assert(fact, terms)
        link = (iri, self._call_iri)
        known = fact.made_by(iri)
        if link not in self._links and (known is None or self._call_iri not in known.calls):
            self._links[link] = (fact, statement)
            self._quad(node, v.GENERATED, self._call)

    def _fact(self, triple: Triple) -> Fact:
        key = key_of(triple)
        fact = self._memory.index.get_by_key(key) or self.new_facts.get(key)
        if fact is None:
            self._next += 1
            fact = self.new_facts[key] = Fact(self._next, triple)
        return fact

    def _node(self, statement: Statement) -> ox.NamedNode:
        node = node_of(statement)
        known = self._statement_at(node.value)
        if known is None or known == statement:
            return node
        # The source changed it meanwhile, or another source has it otherwise.
        return minted_node(statement)

    def _statement_at(self, iri: str) -> Statement | None:
        if iri in self._nodes:
            return self._nodes[iri][1]
        fact = self._memory.statements.get(iri)
        made = fact.made_by(iri) if fact else None
        return made.statement if made else None

    def _write_statement(
        self, node: ox.NamedNode, statement: Statement, fact: Fact, terms: Terms
    ) -> None:
        shared: set[str] = set()
        for subject, predicate, object_ in encode(statement, node, terms):
            # Everything else stands at nodes that other statements may have written.
            if subject is not node and subject is not terms[0]:
                if self._is_written(subject.value):
                    continue
                shared.add(subject.value)
            self._quad(subject, predicate, object_)
        self._written |= shared
        self._quad(node, v.HANDLE, string(fact.handle))
        source = v.minted(v.SOURCE, statement.source)
        if not self._is_written(source.value):
            self._quad(source, v.TYPE, v.AGENT)
            self._quad(source, v.NAME, string(statement.source))
            self._written.add(source.value)

    def _assert(self, fact: Fact, terms: Terms) -> None:
        """Write the direct triple, once."""
        key = direct_key(terms)
        if key is None:
            if not fact.asserted and fact.number not in self._asserted:
                self._quad(*terms)
            self._asserted.add(fact.number)
            return
        if not self._memory.direct.get(key) and key not in self._direct:
            self._quad(*terms)
        self._direct.setdefault(key, set()).add(fact.number)

    def _is_written(self, iri: str) -> bool:
        return iri in self._written or iri in self._memory.written

    # -- calls --------------------------------------------------------------------------------

    def _place_call(self, fetch: Fetch) -> ox.NamedNode:
        self._fetch = fetch
        iri = v.minted(v.minted(v.CALL, fetch.run_id).value + ":", fetch.call_id).value
        known = self._memory.calls.get(iri)
        if known is not None and known.fetch != fetch:
            iri += ":" + digest(fetch.tool, fetch.retrieved.isoformat())
        return ox.NamedNode(iri)

    def _write_call(self) -> None:
        if self._call.value in self._memory.calls:
            return
        if not self._is_written(self._graph.value):
            self._quad(self._graph, v.TYPE, v.ACTIVITY)
            self._quad(self._graph, v.RUN_ID, string(self._fetch.run_id))
            self._written.add(self._graph.value)
        self._quad(self._call, v.TYPE, v.ACTIVITY)
        self._quad(self._call, v.RUN_OF, self._graph)
        self._quad(self._call, v.RUN_ID, string(self._fetch.run_id))
        self._quad(self._call, v.CALL_ID, string(self._fetch.call_id))
        self._quad(self._call, v.TOOL, string(self._fetch.tool))
        self._quad(self._call, v.ENDED, time_literal(self._fetch.retrieved))
        self._quad(self._call, v.ORDER, integer(self._order))

    # -- names --------------------------------------------------------------------------------

    def names(self, known: Entity | Property) -> None:
        """Take in names.

        Raises:
            ValueError: If an id cannot stand in a graph.
        """
        new = names_of(known)
        old = self._names.get(new.id) or self._memory.names.get(new.id) or Names(new.id)
        merged = old.merged(new)
        if merged != old:
            self._names[new.id] = merged

    def mark(self, id_: str) -> None:
        """Make ``id_`` a node whether or not it is in a triple."""
        short = canonical_id(id_)
        if not self._memory.index.is_marked(short) and short not in self._marked:
            self._marked[short] = None
            self.added.append(ox.Quad(entity_node(short), v.NODE, v.TRUE))

    # -- writing ------------------------------------------------------------------------------

    def finish(self) -> None:
        """Work out the rest of the quads."""
        if self._links:
            self._write_call()
        for id_, names in self._names.items():
            old = self._memory.names.get(id_)
            after = list(names.quads(self._language))
            if old is None:
                self.added += after
                continue
            before = set(old.quads(self._language))
            self.added += [quad for quad in after if quad not in before]
            self.removed += before.difference(after)

    def apply(self) -> None:
        """Let the memory learn what has been written."""
        memory = self._memory
        nodes = memory.index.node_count
        for fact in self.new_facts.values():
            memory.index.add(fact)
        if self._links:
            memory.calls.setdefault(self._call.value, Call(self._fetch, self._order))
        for (iri, call_iri), (fact, statement) in self._links.items():
            known = fact.made_by(iri) or Made(iri, statement, ())
            fact.make(known._replace(calls=(*known.calls, call_iri)))
            memory.statements[iri] = fact
        for key, numbers in self._direct.items():
            memory.assert_direct(key, numbers)
        memory.written |= self._written
        for id_, names in self._names.items():
            memory.rename(id_, names)
        memory.index.mark(self._marked)
        self.new_nodes = memory.index.node_count - nodes

    def _quad(self, subject: ox.NamedNode, predicate: ox.NamedNode, object_: object) -> None:
        self.added.append(ox.Quad(subject, predicate, object_, self._graph))  # type: ignore[arg-type]


class Removal:
    """A node on its way out of the graph, with all triples it is in."""

    def __init__(self, memory: Memory, store: ox.Store, id_: str) -> None:
        self.facts = memory.index.touching(id_)
        self.added: list[ox.Quad] = []
        self._memory = memory
        self._store = store
        self._id = id_
        self._quads: dict[ox.Quad, None] = {}
        self._gone: list[str] = []
        self._forget = False
        self._collect()

    @property
    def removed(self) -> list[ox.Quad]:
        """The quads to remove."""
        return list(self._quads)

    def _collect(self) -> None:
        node = entity_node(self._id)
        for fact in self.facts:
            for iri, statement, _ in fact.made:
                self._take_node(ox.NamedNode(iri))
                if self._asserted_by_these_alone(statement):
                    self._take(*triple_to_terms(statement.triple))
        for quad in list(self._quads):
            self._take_orphan(quad.object)
        self._take(node, v.NODE, None)
        names = self._memory.names.get(self._id)
        if names is not None and not names.is_property:
            self._forget = True
            for quad in self._store.quads_for_pattern(node, None, None, ox.DefaultGraph()):
                self._quads[quad] = None
        if self.facts:
            highest = integer(self._memory.index.highest)
            self.added.append(ox.Quad(v.STORE, v.HIGHEST, highest))

    def _take(self, subject: object, predicate: object, object_: object) -> None:
        pattern = self._store.quads_for_pattern(subject, predicate, object_, None)  # type: ignore[arg-type]
        self._quads.update(dict.fromkeys(pattern))

    def _take_node(self, node: ox.NamedNode) -> None:
        self._take(node, None, None)
        self._take(None, None, node)

    def _asserted_by_these_alone(self, statement: Statement) -> bool:
        key = direct_key(triple_to_terms(statement.triple))
        if key is None:
            return True
        return {*self._memory.direct.get(key, ())} <= {fact.number for fact in self.facts}

    def _take_orphan(self, node: object) -> None:
        """Take a value or reference node that nothing else points to any more."""
        if not isinstance(node, ox.NamedNode) or node.value not in self._memory.written:
            return
        pointing = self._store.quads_for_pattern(None, None, node, None)
        if node.value.startswith((v.SOURCE, v.RUN)) or any(q not in self._quads for q in pointing):
            return
        self._gone.append(node.value)
        below = list(self._store.quads_for_pattern(node, None, None, None))
        self._quads.update(dict.fromkeys(below))
        for quad in below:
            self._take_orphan(quad.object)

    def apply(self) -> None:
        """Let the memory forget what has been removed."""
        memory = self._memory
        for fact in self.facts:
            memory.index.remove(fact)
            for iri, statement, _ in fact.made:
                memory.statements.pop(iri, None)
                key = direct_key(triple_to_terms(statement.triple))
                if key is not None:
                    memory.withdraw_direct(key, fact.number)
        memory.index.unmark(self._id)
        if self._forget:
            memory.rename(self._id, None)
        memory.written.difference_update(self._gone)
        for iri in self._gone:
            memory.calls.pop(iri, None)


def side_mentions(statements: Iterable[Statement]) -> set[str]:
    """Return the ids that statements mention as unit, qualifier or reference only."""
    main: set[str] = set()
    side: set[str] = set()
    for statement in statements:
        main.add(statement.subject)
        if isinstance(statement.value, EntityValue):
            main.add(statement.value.id)
        side.update(ids_in((statement.value, *(s.value for s in statement.circumstances))))
    return side - main
