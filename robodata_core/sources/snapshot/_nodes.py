"""Full Wikidata statement nodes: rank, full values, qualifiers and references.

Reads one node at a time; which nodes belong to which entity is ``_statements``' business.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

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
from robodata_core.sources.predicates import DERIVED, RANK, TYPE, Role, role_of
from robodata_core.sources.snapshot._graph import Edge, Graph
from robodata_core.store.terms import Term, value_from_node

N = TypeVar("N")

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
        far: The node of its plain value; None where it says that there is none.
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
        kind_of: Tells what must be known of a property to read its values (``term_to_value``).
    """

    def __init__(self, graph: Graph[N], source: str, kind_of: Callable[[str], str]) -> None:
        self._graph = graph
        self._source = source
        self._kind_of = kind_of

    def outline(self, owner: N, node: N, property_: str, origin: str) -> Outline[N] | None:
        """Return the outline of the statement at ``node``, or None if it has no main value."""
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
