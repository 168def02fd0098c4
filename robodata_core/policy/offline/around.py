"""What relations lead to from one sampled set of nodes, read once for all that start there."""

from __future__ import annotations

from robodata_core.model import QuantityValue, Value
from robodata_core.policy.offline.reading import Reader, distinct
from robodata_core.policy.offline.relations import Edge, Hop

__all__ = ["Around"]


class Around:
    """What each edge leads to from one sampled set, read once and only when asked for."""

    def __init__(self, reader: Reader, nodes: tuple[Value, ...]) -> None:
        self._reader = reader
        self._nodes = nodes
        self._known: dict[Edge, tuple[Value, ...]] = {}
        self._present: dict[Hop, Hop | None] = {}
        self._reached: dict[Hop, tuple[Value, ...]] = {}

    def values(self, edge: Edge) -> tuple[Value, ...]:
        """Return what one edge leads to."""
        known = self._known.get(edge)
        if known is None:
            known = self._known[edge] = self._reader.along(self._nodes, edge)
        return known

    def present(self, hop: Hop) -> Hop | None:
        """Return the part of a union that leads somewhere, or None; any relation stays so."""
        if hop in self._present:
            return self._present[hop]
        if hop:
            there = tuple([edge for edge in hop if self.values(edge)]) or None
        else:
            there = hop if self._reader.neighbours(self._nodes) else None
        self._present[hop] = there
        return there

    def reached(self, hop: Hop) -> tuple[Value, ...]:
        """Return everything a union leads to."""
        if not hop:
            return self._reader.neighbours(self._nodes)
        if len(hop) == 1:
            return self.values(hop[0])
        known = self._reached.get(hop)
        if known is None:
            known = self._reached[hop] = distinct([self.values(edge) for edge in hop])
        return known

    def numeric(self, edge: Edge) -> bool:
        """Tell whether an edge leads to quantities only."""
        return all(isinstance(value, QuantityValue) for value in self.values(edge))
