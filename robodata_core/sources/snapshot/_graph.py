"""The graph as statements are read from it: nodes, and edges around them.

Two things offer it: ``_compact`` (arrays, for small snapshots) and ``_disk`` (an Oxigraph store).
What a node is, only they know; ``_statements`` passes it around, compares it and hashes it.
``Groups`` sorts the edges around a node by property, ``NodeReader`` reads statement nodes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Final, Generic, Protocol, TypeAlias, TypeVar

from robodata_core.cache import BoundedCache
from robodata_core.iris import SCHEMA, WD
from robodata_core.model import (
    Direction,
    NoValue,
    Rank,
    Reference,
    Snak,
    SomeValue,
    Statement,
    Value,
)
from robodata_core.sources.predicates import (
    DERIVED,
    RANK,
    SUBCLASS,
    TYPE,
    Role,
    predicate_of,
    role_of,
)
from robodata_core.store.terms import Term, value_from_node

Node = TypeVar("Node")


Run = tuple[str, int]
"""A predicate at a node, in one direction, and how many edges of it there are."""

Edge = tuple[Node, str]
"""The node at the far end, and the data set the edge comes from (or an empty string)."""


class Graph(Protocol, Generic[Node]):
    """Edges around nodes. Names (labels and the like) may be left out of it."""

    def find(self, iri: str) -> Node | None:
        """Return the node of an IRI, or None if no edge touches it."""
        ...

    def runs(self, node: Node, direction: Direction) -> Sequence[Run]:
        """Return the predicates at a node with exact counts, in a stable order."""
        ...

    def around(
        self, node: Node, direction: Direction, most: int = 1 << 62
    ) -> Iterable[tuple[str, Sequence[Edge[Node]]]]:
        """Return the edges at a node by predicate, at most ``most`` of each."""
        ...

    def count(self, node: Node, direction: Direction, predicate: str) -> int:
        """Return how many edges of one predicate there are."""
        ...

    def edges(
        self, node: Node, direction: Direction, predicate: str, start: int = 0, stop: int = 1 << 62
    ) -> Sequence[Edge[Node]]:
        """Return some of the edges of one predicate, in a stable order."""
        ...

    def iri(self, node: Node) -> str:
        """Return the IRI of a node, or an empty string for literals and blank nodes."""
        ...

    def value(self, node: Node, kind: str = "") -> Value:
        """Return what the node stands for as a value; ``kind`` as for ``term_to_value``."""
        ...

    def term(self, node: Node) -> object:
        """Return the pyoxigraph term of a node."""
        ...

    def uses(self, predicate: str) -> int:
        """Return 0 if no edge of this predicate exists, else a positive number."""
        ...


N = TypeVar("N")

_KEPT_GROUPS: Final = 20_000
_KEPT_TESTS: Final = 2_000
_ABOUT: Final = SCHEMA + "about"

Group: TypeAlias = tuple[str, str, int, bool]
"""The statements of one property around a node: the property's id, the predicate of its direct
triples, how many of these there are, and whether more than direct triples has to be looked at."""


class Groups(Generic[N]):
    """Sorts the edges around nodes by property; safe to use from several threads.

    Args:
        graph: Where the edges are.
    """

    def __init__(self, graph: Graph[N]) -> None:
        self._graph = graph
        self._kept: BoundedCache[tuple[N, Direction], tuple[Group, ...]] = BoundedCache(
            _KEPT_GROUPS
        )
        #: See ``_special_at``; nothing that is kept refers to this object, so it goes at once.
        self.special_at = lru_cache(maxsize=_KEPT_TESTS)(partial(_special_at, graph))

    def at(self, node: N, direction: Direction) -> tuple[Group, ...]:
        """Return the groups around a node."""
        key = (node, direction)
        groups = self._kept.get(key)
        if groups is None:
            groups = self._sort_runs(node, direction)
            self._kept.put(key, groups, len(groups) + 1)
        return groups

    def _sort_runs(self, node: N, direction: Direction) -> tuple[Group, ...]:
        facts: dict[str, tuple[str, int]] = {}
        special: dict[str, None] = {}
        node_role = Role.NODE if direction is Direction.OUT else Role.VALUE
        for predicate, count in self._graph.runs(node, direction):
            role, property_ = role_of(predicate)
            if role is Role.FACT:
                facts[property_] = (predicate, count)
            elif role is node_role:
                special[property_] = None
        if direction is Direction.OUT and TYPE in facts:
            special.update(dict.fromkeys((TYPE, *self.without(node))))
        if direction is Direction.OUT and SUBCLASS in facts:
            special[SUBCLASS] = None
        if _ABOUT in facts and direction is Direction.IN and self._graph.iri(node).startswith(WD):
            del facts[_ABOUT]
        if not special:
            return tuple((name, *fact, False) for name, fact in facts.items())
        return tuple(
            (name, *facts.get(name, (predicate_of(name, Role.FACT), 0)), name in special)
            for name in (*facts, *(name for name in special if name not in facts))
        )

    def of(self, node: N, direction: Direction, property_: str) -> Group:
        """Return the group of one property without looking at the others."""
        fact = predicate_of(property_, Role.FACT)
        count = self._graph.count(node, direction, fact)
        return property_, fact, count, self.special_at(direction, property_)(node)

    def without(self, node: N) -> list[str]:
        """Return the properties a node is stated to have no value of."""
        return _without(self._graph, node)


def _special_at(graph: Graph[N], direction: Direction, property_: str) -> Callable[[N], bool]:
    """Return what tells where more than a property's direct triples has to be looked at."""
    outgoing = direction is Direction.OUT
    predicate = predicate_of(property_, Role.NODE if outgoing else Role.VALUE)
    full = bool(graph.uses(predicate))
    always = outgoing and property_ == SUBCLASS
    typed = outgoing and bool(graph.uses(TYPE))
    always |= typed and property_ == TYPE
    absent = typed and _may_be_absent(graph, property_)

    def _special(node: N) -> bool:
        if always or (full and graph.count(node, direction, predicate)):
            return True
        return absent and property_ in _without(graph, node)

    return _special


def _may_be_absent(graph: Graph[N], property_: str) -> bool:
    if ":" in property_:
        return True  # its class may be spelled in several ways
    return graph.find(predicate_of(property_, Role.NOVALUE)) is not None


def _without(graph: Graph[N], node: N) -> list[str]:
    found = []
    for far, _ in graph.edges(node, Direction.OUT, TYPE):
        role, property_ = role_of(graph.iri(far))
        if role is Role.NOVALUE:
            found.append(property_)
    return found


_MOST_REFERENCES: Final = 50
_MOST_SNAKS: Final = 200
_STATEMENT: Final = "http://www.wikidata.org/entity/statement/"
_ENTITY = re.compile(r"([A-Za-z][1-9]\d*)-", re.ASCII)
_RANKS: Final = {
    "PreferredRank": Rank.PREFERRED,
    "NormalRank": Rank.NORMAL,
    "DeprecatedRank": Rank.DEPRECATED,
}


@dataclass(frozen=True, slots=True)
class Outline(Generic[N]):
    """What has to be known of a statement before anybody asks for all of it.

    Attributes:
        owner: Whose statement it is.
        node: The statement's own node.
        far: The node of its plain value; None where it says that there is none.
        full: The node of its full value, where there is one.
        rank: Its rank.
        origin: Where the source has it from.
    """

    owner: N
    node: N
    far: N | None
    full: N | None
    rank: Rank
    origin: str


class NodeReader(Generic[N]):
    """Reads statement nodes of one graph.

    Args:
        graph: Where they are.
        source: Name of the source, for the statements.
        kind_of: Tells what must be known of a property to read its values (``term_to_value``).
    """

    def __init__(self, graph: Graph[N], source: str, kind_of: Callable[[str], str]) -> None:
        self._graph = graph
        self._source = source
        self._kind_of = kind_of

    def outline(self, owner: N, node: N, property_: str, origin: str) -> Outline[N] | None:
        """Return the outline of the statement at ``node``, or None if it has no main value.

        Args:
            owner: Whose statement it is.
            node: Where it is.
            property_: Of the statement.
            origin: Where the source has it from.
        """
        far: N | None = None
        full: N | None = None
        rank, empty = Rank.NORMAL, False
        for predicate, edges in self._around(node):
            role, named = role_of(predicate)
            if role is Role.VALUE and named == property_:
                far = edges[0][0]
            elif role is Role.FULL and named == property_:
                full = edges[0][0]
            elif predicate == RANK:
                name = self._graph.iri(edges[0][0])
                rank = _RANKS.get(name.rpartition("#")[2], rank)
            elif predicate == TYPE:
                empty = property_ in self._without(edges)
        if far is None and not empty:
            return None
        return Outline(owner, node, far, full, rank, origin)

    def value(self, found: Outline[N], property_: str) -> Value:
        """Return the main value of a statement."""
        if found.far is None:
            return NoValue()
        full = self._full(found.full) if found.full is not None else None
        return full or self._graph.value(found.far, self._kind_of(property_))

    def statement(self, found: Outline[N], subject: str, property_: str) -> Statement:
        """Return all of a statement."""
        around = self._around(found.node)
        references: tuple[Reference, ...] = ()
        without: set[str] = set()
        for predicate, edges in around:
            if predicate == DERIVED:
                references = self._references(edges)
            elif predicate == TYPE:
                without = self._without(edges)
        qualifiers = self._snaks(around, Role.QUALIFIER, Role.QUALIFIER_FULL)
        qualifiers += tuple(Snak(name, NoValue()) for name in sorted(without - {property_}))
        return Statement(
            subject=subject,
            property=property_,
            value=self.value(found, property_),
            id=_statement_id(self._graph.iri(found.node)),
            rank=found.rank,
            qualifiers=qualifiers,
            references=references,
            source=self._source,
            origin=found.origin,
        )

    def _around(self, node: N, most: int = _MOST_SNAKS) -> Iterable[tuple[str, Sequence[Edge[N]]]]:
        return self._graph.around(node, Direction.OUT, most)

    def _without(self, edges: Iterable[Edge[N]]) -> set[str]:
        """Return the properties that classes say there is no value of."""
        roles = (role_of(class_) for far, _ in edges if (class_ := self._graph.iri(far)))
        return {property_ for role, property_ in roles if role is Role.NOVALUE}

    def _full(self, node: N) -> Value | None:
        facts: dict[str, Term] = {}
        for predicate, edges in self._around(node, 1):
            facts[predicate] = self._graph.term(edges[0][0])  # type: ignore[assignment]
        return value_from_node(facts)

    def _snaks(
        self, around: Iterable[tuple[str, Sequence[Edge[N]]]], plain: Role, full: Role
    ) -> tuple[Snak, ...]:
        """Return qualifiers or the parts of a reference, with full values where there are."""
        simple: dict[str, list[Value]] = {}
        exact: dict[str, list[Value]] = {}
        for predicate, edges in around:
            role, owner = role_of(predicate)
            if role not in (plain, full):
                continue
            for far, _ in edges:
                if role is plain:
                    value = self._graph.value(far, self._kind_of(owner))
                    simple.setdefault(owner, []).append(value)
                elif (read := self._full(far)) is not None:
                    exact.setdefault(owner, []).append(read)
        snaks = []
        for owner in sorted(simple.keys() | exact.keys(), key=lambda name: (len(name), name)):
            values = simple.get(owner, [])
            if owner in exact:
                values = exact[owner] + [value for value in values if isinstance(value, SomeValue)]
            snaks += [Snak(owner, value) for value in values]
        return tuple(snaks)

    def _references(self, edges: Sequence[Edge[N]]) -> tuple[Reference, ...]:
        references = []
        for far, _ in edges[:_MOST_REFERENCES]:
            snaks = self._snaks(self._around(far), Role.REFERENCE, Role.REFERENCE_FULL)
            hash_ = self._graph.iri(far).rpartition("/")[2].rpartition(":")[2]
            references.append(Reference(snaks, hash_))
        return tuple(references)


def _statement_id(iri: str) -> str:
    """Return the id Wikidata itself uses for a statement; other nodes go by their IRI."""
    if not iri.startswith(_STATEMENT):
        return iri
    return _ENTITY.sub(r"\1$", iri[len(_STATEMENT) :], count=1)
