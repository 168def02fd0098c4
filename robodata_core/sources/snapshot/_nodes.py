"""Full Wikidata statement nodes: rank, full values, qualifiers and references.

Reads one node at a time; which nodes belong to which entity is ``_statements``' business.
"""

from __future__ import annotations

import re
from collections.abc import Callable
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
from robodata_core.sources.snapshot._graph import Graph
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
class FullStatement(Generic[N]):
    """A statement read from its node.

    Attributes:
        statement: The statement.
        node: The node of its plain value; None where it says that there is none.
    """

    statement: Statement
    node: N | None


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

    def read(
        self, node: N, subject: str, property_: str, origin: str, *, bare: bool = False
    ) -> FullStatement[N] | None:
        """Return the statement at ``node``, or None if it has no main value.

        Args:
            node: Where it is.
            subject: Of the statement.
            property_: Of the statement.
            origin: Where the source has it from.
            bare: Leave out its circumstances, for whoever only goes on from its value.
        """
        plain: N | None = None
        full: Value | None = None
        rank = Rank.NORMAL
        references: tuple[Reference, ...] = ()
        without: set[str] = set()
        for predicate, _ in self._graph.runs(node, Direction.OUT):
            role, owner = role_of(predicate)
            if role is Role.VALUE and owner == property_:
                plain = self._far(node, predicate)[0]
            elif role is Role.FULL and owner == property_:
                full = self._full(self._far(node, predicate)[0])
            elif predicate == RANK:
                name = self._graph.iri(self._far(node, predicate)[0])
                rank = _RANKS.get(name.rpartition("#")[2], rank)
            elif predicate == DERIVED and not bare:
                references = self._references(node)
            elif predicate == TYPE:
                without = self._without(node)
        if plain is None and property_ not in without:
            return None
        value: Value = NoValue()
        if plain is not None:
            value = full or self._graph.value(plain, self._kind_of(property_))
        qualifiers: tuple[Snak, ...] = ()
        if not bare:
            qualifiers = self._snaks(node, Role.QUALIFIER, Role.QUALIFIER_FULL)
            qualifiers += tuple(Snak(name, NoValue()) for name in sorted(without - {property_}))
        statement = Statement(
            subject=subject,
            property=property_,
            value=value,
            id=_statement_id(self._graph.iri(node)),
            rank=rank,
            qualifiers=qualifiers,
            references=references,
            source=self._source,
            origin=origin,
        )
        return FullStatement(statement, plain)

    def _far(self, node: N, predicate: str, most: int = 1) -> list[N]:
        edges = self._graph.edges(node, Direction.OUT, predicate, 0, most)
        return [far for far, _ in edges]

    def _without(self, node: N) -> set[str]:
        """Return the properties that the node says there is no value of."""
        classes = (self._graph.iri(far) for far in self._far(node, TYPE, _MOST_SNAKS))
        roles = (role_of(class_) for class_ in classes if class_)
        return {property_ for role, property_ in roles if role is Role.NOVALUE}

    def _full(self, node: N) -> Value | None:
        facts: dict[str, Term] = {}
        for predicate, _ in self._graph.runs(node, Direction.OUT):
            term = self._graph.term(self._far(node, predicate)[0])
            facts[predicate] = term  # type: ignore[assignment]
        return value_from_node(facts)

    def _snaks(self, node: N, plain: Role, full: Role) -> tuple[Snak, ...]:
        """Return qualifiers or the parts of a reference, with full values where there are."""
        simple: dict[str, list[Value]] = {}
        exact: dict[str, list[Value]] = {}
        for predicate, _ in self._graph.runs(node, Direction.OUT):
            role, owner = role_of(predicate)
            if role not in (plain, full):
                continue
            for far in self._far(node, predicate, _MOST_SNAKS):
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

    def _references(self, node: N) -> tuple[Reference, ...]:
        references = []
        for far in self._far(node, DERIVED, _MOST_REFERENCES):
            snaks = self._snaks(far, Role.REFERENCE, Role.REFERENCE_FULL)
            hash_ = self._graph.iri(far).rpartition("/")[2].rpartition(":")[2]
            references.append(Reference(snaks, hash_))
        return tuple(references)


def _statement_id(iri: str) -> str:
    """Return the id Wikidata itself uses for a statement; other nodes go by their IRI."""
    if not iri.startswith(_STATEMENT):
        return iri
    return _ENTITY.sub(r"\1$", iri[len(_STATEMENT) :], count=1)
