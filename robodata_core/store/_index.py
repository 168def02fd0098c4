"""What the local graph keeps in memory to answer at once: facts by handle, node and property.

It is rebuilt from the RDF when a store is opened and never says more than the RDF does.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, TypeAlias

from robodata_core.iris import id_from_iri
from robodata_core.model import (
    EntityValue,
    ExternalIdValue,
    Provenance,
    Rank,
    Statement,
    StringValue,
    Triple,
    UrlValue,
    Value,
)

_Table: TypeAlias = dict[object, list[int]]
"""Numbers of facts, in order: most groups are of one or two, and a list is half of a dict."""


@dataclass(frozen=True, slots=True)
class Fetch:
    """The tool call that brings statements into the graph.

    Attributes:
        run_id: The run it belongs to.
        call_id: Its id within the run.
        tool: The tool's name.
        retrieved: When it was made (UTC).
    """

    run_id: str
    call_id: str
    tool: str
    retrieved: datetime

    def provenance(self, statement: Statement) -> Provenance:
        """Return what this fetch of a statement says about its triple."""
        return Provenance(
            source=statement.source,
            retrieved=self.retrieved,
            run_id=self.run_id,
            call_id=self.call_id,
            tool=self.tool,
            statement_id=statement.id,
            rank=statement.rank,
            qualifiers=statement.qualifiers,
            references=statement.references,
            origin=statement.origin,
            revision=statement.revision,
        )


class Made(NamedTuple):
    """A statement that makes a triple.

    Attributes:
        iri: The IRI of its node.
        statement: The statement.
        calls: IRIs of the calls that fetched it, in order.
    """

    iri: str
    statement: Statement
    calls: tuple[str, ...]


@dataclass(slots=True)
class Fact:
    """A triple with its handle and the statements it is made by.

    Attributes:
        number: Number of its handle.
        triple: The triple, canonical.
        made: By what, in order of arrival: nearly always one, and a dict takes four times as much.
    """

    number: int
    triple: Triple
    made: tuple[Made, ...] = ()

    def made_by(self, iri: str) -> Made | None:
        """Return the statement of that node, or None if it does not make this."""
        return next((one for one in self.made if one.iri == iri), None)

    def make(self, new: Made) -> None:
        """Take in a statement, or what is new of one."""
        if self.made_by(new.iri) is None:
            self.made += (new,)
        else:
            self.made = tuple(new if one.iri == new.iri else one for one in self.made)

    @property
    def handle(self) -> str:
        """``T17``."""
        return f"T{self.number}"

    @property
    def asserted(self) -> bool:
        """Whether a statement of it is not deprecated."""
        return any(one.statement.rank is not Rank.DEPRECATED for one in self.made)

    @property
    def nodes(self) -> tuple[str, ...]:
        """Subject, and object where it is an entity, each once."""
        return nodes_of(self.triple)


def nodes_of(triple: Triple) -> tuple[str, ...]:
    """Return the subject, and the object where it is another entity."""
    if isinstance(triple.object, EntityValue) and triple.object.id != triple.subject:
        return (triple.subject, triple.object.id)
    return (triple.subject,)


def key_of(triple: Triple) -> Triple:
    """Return what makes a (canonical) triple the same fact as another.

    As in RDF, an external id is its text and a link is its IRI.
    """
    object_ = _object_key(triple.object)
    if object_ is triple.object:  # nearly always so
        return triple
    return Triple(triple.subject, triple.predicate, object_)


def _object_key(value: Value) -> Value:
    if isinstance(value, ExternalIdValue):
        return StringValue(value.text)
    if isinstance(value, UrlValue):
        return EntityValue(id_from_iri(value.url))
    return value


class Index:
    """Facts by number, triple, subject, property and object; nodes and how they hang together."""

    def __init__(self) -> None:
        self.highest = 0
        self.facts: dict[int, Fact] = {}
        self._marked: dict[str, None] = {}
        self._alone = 0  # nodes that are marked and in no triple
        self._by_key: dict[Triple, Fact] = {}
        self._by_subject: _Table = {}
        self._by_predicate: _Table = {}
        self._by_object: _Table = {}
        self._degree: dict[str, int] = {}

    def get(self, triple: Triple) -> Fact | None:
        """Return the fact of a (canonical) triple."""
        return self._by_key.get(key_of(triple))

    def get_by_key(self, key: Triple) -> Fact | None:
        """Return the fact of a triple whose ``key_of`` is known."""
        return self._by_key.get(key)

    def add(self, fact: Fact) -> None:
        """Take in a new fact; numbers only rise."""
        key = key_of(fact.triple)
        self.facts[fact.number] = fact
        self.highest = max(self.highest, fact.number)
        self._by_key[key] = fact
        self._by_subject.setdefault(key.subject, []).append(fact.number)
        self._by_predicate.setdefault(key.predicate, []).append(fact.number)
        self._by_object.setdefault(key.object, []).append(fact.number)
        for node in fact.nodes:
            degree = self._degree.get(node, 0)
            self._degree[node] = degree + 1
            if not degree and node in self._marked:
                self._alone -= 1

    def remove(self, fact: Fact) -> None:
        """Forget a fact; its number is not used again."""
        key = key_of(fact.triple)
        del self.facts[fact.number], self._by_key[key]
        _discard(self._by_subject, key.subject, fact.number)
        _discard(self._by_predicate, key.predicate, fact.number)
        _discard(self._by_object, key.object, fact.number)
        for node in fact.nodes:
            self._degree[node] -= 1
            if not self._degree[node]:
                del self._degree[node]
                self._alone += node in self._marked

    def mark(self, nodes: Iterable[str]) -> None:
        """Make ids nodes whether or not they are in a triple."""
        for node in nodes:
            if node not in self._marked:
                self._marked[node] = None
                self._alone += node not in self._degree

    def unmark(self, node: str) -> None:
        """Let an id be a node only as long as it is in a triple."""
        if node in self._marked:
            del self._marked[node]
            self._alone -= node not in self._degree

    def is_marked(self, node: str) -> bool:
        """Tell whether ``node`` is one whether or not it is in a triple."""
        return node in self._marked

    def match(
        self, subject: str | None, predicate: str | None, object_: Value | None
    ) -> list[Fact]:
        """Return the facts that fit, in order of their handles."""
        groups: list[list[int]] = []
        key = None if object_ is None else _object_key(object_)
        if subject is not None:
            groups.append(self._by_subject.get(subject, []))
        if predicate is not None:
            groups.append(self._by_predicate.get(predicate, []))
        if key is not None:
            groups.append(self._by_object.get(key, []))
        if not groups:
            return list(self.facts.values())
        found = (self.facts[number] for number in min(groups, key=len))
        return [
            fact
            for fact in found
            if subject in (None, fact.triple.subject)
            and predicate in (None, fact.triple.predicate)
            and (key is None or _object_key(fact.triple.object) == key)
        ]

    def touching(self, node: str) -> list[Fact]:
        """Return the facts with ``node`` as subject or object, in order of their handles."""
        numbers = {*self._by_subject.get(node, ()), *self._by_object.get(EntityValue(node), ())}
        return [
            self.facts[number] for number in sorted(numbers) if node in self.facts[number].nodes
        ]

    @property
    def nodes(self) -> tuple[str, ...]:
        """All nodes: in triples first, then those that stand alone."""
        return (*self._degree, *self.isolated())

    @property
    def node_count(self) -> int:
        """How many nodes there are."""
        return len(self._degree) + self._alone

    def is_node(self, id_: str) -> bool:
        """Tell whether ``id_`` is a node."""
        return id_ in self._degree or id_ in self._marked

    def isolated(self) -> tuple[str, ...]:
        """Return the nodes that are in no triple."""
        return tuple(node for node in self._marked if node not in self._degree)

    def components(self) -> int:
        """Count the connected parts of the graph, links taken both ways."""
        parent = {node: node for node in self.nodes}

        def _root(node: str) -> str:
            while parent[node] != node:
                parent[node] = parent[parent[node]]
                node = parent[node]
            return node

        for fact in self.facts.values():
            if len(fact.nodes) == 2:
                parent[_root(fact.nodes[0])] = _root(fact.nodes[1])
        return sum(parent[node] == node for node in parent)

    @classmethod
    def of(cls, facts: Iterable[Fact], marked: Iterable[str], highest: int) -> Index:
        """Return the index of what was read from the RDF."""
        index = cls()
        for fact in sorted(facts, key=lambda fact: fact.number):
            index.add(fact)
        index.mark(marked)
        index.highest = max(index.highest, highest)
        return index


def _discard(table: _Table, name: object, number: int) -> None:
    group = table[name]
    del group[bisect_left(group, number)]
    if not group:
        del table[name]
