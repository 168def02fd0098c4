"""Reading the source while candidates grow: samples of node sets, remembered for one question.

Growing only needs to know whether a relation is there and what kind of nodes it leads to, so
sets are cut to a sample. The winning program is run in full by ``programs.executor``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from robodata_core.cancellation import CancelToken
from robodata_core.model import Direction, Entity, EntityValue, NoValue, SomeValue, Value
from robodata_core.policy.offline.relations import Edge, Hop
from robodata_core.sources.base import KnowledgeSource

__all__ = ["Reader"]

_NODES: Final = 48
_PER_NODE: Final = 60
_PER_START: Final = 400
_CLASSED: Final = 400
_FEW: Final = 4
_CLASS_STEPS: Final = 12
_NOT_NODES: Final = (SomeValue, NoValue)


class Reader:
    """Sampled, remembered access to one source during one question."""

    def __init__(
        self,
        source: KnowledgeSource,
        subclass: Iterable[str] = (),
        cancel: CancelToken | None = None,
    ) -> None:
        self._source = source
        self._cancel = cancel
        self._subclass = tuple(subclass)
        self._values: dict[Edge, dict[str, tuple[Value, ...]]] = {}
        self._neighbours: dict[str, tuple[Value, ...]] = {}
        self._entities: dict[str, Entity] = {}
        self._above: dict[str, frozenset[str]] = {}
        self._around: dict[str, dict[Edge, int]] = {}

    @property
    def source(self) -> KnowledgeSource:
        """What is read."""
        return self._source

    def along(self, values: Sequence[Value], edge: Edge) -> tuple[Value, ...]:
        """Return what an edge leads to from (a sample of) ``values``, each once."""
        ids = [value.id for value in values if isinstance(value, EntityValue)][:_NODES]
        if not ids:
            return ()
        found = self._edge(ids, edge, _PER_NODE if len(ids) > _FEW else _PER_START)
        if len(found) == 1:
            return found[0]
        return tuple(dict.fromkeys(value for group in found for value in group))

    def neighbours(self, values: Sequence[Value]) -> tuple[Value, ...]:
        """Return what any relation leads to from (a sample of) ``values``."""
        ids = [value.id for value in values if isinstance(value, EntityValue)][:_NODES]
        return tuple(dict.fromkeys(v for id_ in ids for v in self._around_values(id_)))

    def any_along(self, values: Sequence[Value], hop: Hop) -> bool:
        """Tell whether ``hop`` leads anywhere from (a sample of) ``values``."""
        return any(self.along(values, edge) for edge in hop)

    def _edge(
        self, ids: Sequence[str], edge: Edge, limit: int = _PER_NODE
    ) -> list[tuple[Value, ...]]:
        known = self._values.get(edge)
        if known is None:
            known = self._values[edge] = {}
        wanted = [id_ for id_ in ids if id_ not in known]
        if wanted:
            name, way = edge
            if self._cancel is not None:
                self._cancel.check()
            pages = self._source.statements_many(wanted, direction=way, property=name, limit=limit)
            for id_ in wanted:
                page = pages.get(id_)
                statements = page.statements if page else ()
                # Lists are made faster than what yields one by one, and this is done often.
                if way is Direction.IN:
                    values: list[Value] = [EntityValue(item.subject) for item in statements]
                else:
                    values = [item.value for item in statements]
                known[id_] = tuple([v for v in values if not isinstance(v, _NOT_NODES)])
        return [known[id_] for id_ in ids]

    def _around_values(self, id_: str) -> tuple[Value, ...]:
        if id_ not in self._neighbours:
            page = self._source.statements(id_, limit=200)
            self._neighbours[id_] = tuple(
                dict.fromkeys(s.value for s in page.statements if isinstance(s.value, EntityValue))
            )
        return self._neighbours[id_]

    def relations(self, id_: str) -> dict[Edge, int]:
        """Return the relations that are really there around one entity, with counts."""
        if id_ not in self._around:
            found = self._source.relations([id_])
            self._around[id_] = {(item.property, item.direction): item.count for item in found}
        return self._around[id_]

    def entities(self, ids: Iterable[str]) -> dict[str, Entity]:
        """Return labels and types of entities."""
        wanted = list(dict.fromkeys(ids))
        new = [id_ for id_ in wanted if id_ not in self._entities]
        if new:
            self._entities.update(self._source.entities(new))
        return {id_: self._entities[id_] for id_ in wanted if id_ in self._entities}

    def label(self, id_: str) -> str:
        """Return the label of an entity, or its id."""
        found = self.entities((id_,)).get(id_)
        return found.name if found else id_

    def is_a(
        self, values: Sequence[Value], classes: frozenset[str], via: Sequence[str]
    ) -> tuple[Value, ...]:
        """Return the sampled ``values`` that belong to one of ``classes`` (subclasses count)."""
        passing: list[Value] = []
        sample = [value for value in values if isinstance(value, EntityValue)][:_CLASSED]
        edges = tuple((name, Direction.OUT) for name in via)
        for edge in edges:
            self._edge([value.id for value in sample], edge)
        for value in sample:
            types = {
                kind.id
                for edge in edges
                for kind in self._values[edge][value.id]
                if isinstance(kind, EntityValue)
            }
            if any(classes & self.superclasses(kind) for kind in types):
                passing.append(value)
        return tuple(passing)

    def holding(
        self, values: Sequence[Value], edge: Edge, wanted: Iterable[Value]
    ) -> tuple[Value, ...]:
        """Return the sampled ``values`` from which ``edge`` leads to one of ``wanted``."""
        sample = [value for value in values if isinstance(value, EntityValue)][:_CLASSED]
        targets = set(wanted)
        self._edge([value.id for value in sample], edge)
        known = self._values[edge] if sample else {}
        return tuple(v for v in sample if not targets.isdisjoint(known[v.id]))

    def any_of(self, values: Sequence[Value], hop: Hop, *, nodes: int = 6) -> bool:
        """Tell whether any edge of ``hop`` is there at the first few ``values``."""
        ids = [value.id for value in values if isinstance(value, EntityValue)][:nodes]
        return bool(ids) and any(found for edge in hop for found in self._edge(ids, edge))

    def superclasses(self, id_: str) -> frozenset[str]:
        """Return a class and everything above it."""
        if id_ not in self._above:
            seen, frontier = {id_}, [id_]
            for _ in range(_CLASS_STEPS):
                upper: list[str] = []
                for name in self._subclass:
                    for values in self._edge(frontier, (name, Direction.OUT)):
                        upper += [v.id for v in values if isinstance(v, EntityValue)]
                frontier = [kind for kind in dict.fromkeys(upper) if kind not in seen]
                if not frontier:
                    break
                seen.update(frontier)
            self._above[id_] = frozenset(seen)
        return self._above[id_]
