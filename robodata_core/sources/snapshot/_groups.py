"""Which properties there are around a node, and where direct triples do not tell all of one.

Statements are not made here; see ``_statements``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Final, Generic, TypeAlias, TypeVar

from robodata_core.cache import BoundedCache
from robodata_core.iris import SCHEMA, WD
from robodata_core.model import Direction
from robodata_core.sources.predicates import SUBCLASS, TYPE, Role, predicate_of, role_of
from robodata_core.sources.snapshot._graph import Graph

N = TypeVar("N")

_KEPT_GROUPS: Final = 2_000
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
    """Tell whether anything may be stated to have no value of a property."""
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
