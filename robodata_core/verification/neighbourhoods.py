"""The source's graph as rules are mined from it: entities, and steps between them.

A step is the id of a property walked from subject to value, or ``^`` and the id walked backwards
(as in SPARQL's property paths). Literals are left out: rules join entities. What was read is kept,
within a bound, so that a warm verdict reads little. Safe to use from several threads.
"""

from __future__ import annotations

import math
import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from robodata_core.cancellation import CancelToken
from robodata_core.errors import QueryError
from robodata_core.iris import predicate_iri
from robodata_core.model import Direction, EntityValue, Value
from robodata_core.sources.base import KnowledgeSource, QueryLimits
from robodata_core.sources.capabilities import near_form

__all__ = ["Around", "Edge", "Neighbourhoods", "Pairs", "back", "property_of"]

Around = Mapping[str, frozenset[str]]
"""By step: the entities that it leads to."""

Edge = tuple[str, str, str]
"""Subject, property, value: a statement between two entities."""

_MOST_EDGES: Final = 8_000
"""Statements read around one entity in one direction; of a larger hub the rest is unknown."""
_MOST_KEPT: Final = 4_000_000
_MOST_PAIRS: Final = 20_000
_PAIRS_SECONDS: Final = 10.0
_PAIRS_BYTES: Final = 16_000_000
_CHECK: Final = 64


def back(step: str) -> str:
    """Return the step in the other direction."""
    return step[1:] if step.startswith("^") else f"^{step}"


def property_of(step: str) -> str:
    """Return the property of a step."""
    return step.removeprefix("^")


@dataclass(frozen=True, slots=True)
class Pairs:
    """Statements of one property.

    Values and subjects are entities; literals are only counted.

    Attributes:
        values: By subject, its values.
        subjects: By value, its subjects.
        counts: By subject, how many values it has, literals among them.
        truncated: Whether the source holds more than were read.
    """

    values: Mapping[str, frozenset[str]]
    subjects: Mapping[str, frozenset[str]]
    counts: Mapping[str, int]
    truncated: bool = False

    def ends(self, step: str) -> Mapping[str, frozenset[str]]:
        """Return where the step leads, by where it starts."""
        return self.subjects if step.startswith("^") else self.values


class Neighbourhoods:
    """Reads and keeps what stands around entities.

    Args:
        source: Where it is read from.
        most_pairs: Statements of one property read at most.
    """

    def __init__(self, source: KnowledgeSource, *, most_pairs: int = _MOST_PAIRS) -> None:
        self._source = source
        self._near = near_form(source)
        self._most_pairs = most_pairs
        self._lock = threading.Lock()
        self._around: dict[str, Around] = {}
        self._degrees: dict[str, int] = {}
        self._beside: dict[str, frozenset[str]] = {}
        self._lengths: dict[str, float] = {}
        self._kept = 0
        self._reads = 0

    def around(self, id_: str, cancel: CancelToken | None = None) -> Around:
        """Return the steps from an entity.

        Raises:
            SourceError: If the source cannot be read.
            CancelledError: If the run was cancelled.
            DeadlineExceededError: If its time is over.
        """
        found = self._around.get(id_)
        if found is None:
            self._reads += 1
            if cancel is not None and self._reads % _CHECK == 0:
                cancel.check()
            found = self._read(id_)
            self._keep(id_, found)
        return found

    def to(self, id_: str, step: str, cancel: CancelToken | None = None) -> frozenset[str]:
        """Return where one step leads from an entity."""
        return self.around(id_, cancel).get(step, frozenset())

    def degree(self, id_: str, cancel: CancelToken | None = None) -> int:
        """Return how many edges were read around an entity."""
        found = self._degrees.get(id_)
        if found is None:
            found = self._degrees[id_] = sum(map(len, self.around(id_, cancel).values()))
        return found

    def beside(self, id_: str, cancel: CancelToken | None = None) -> frozenset[str]:
        """Return the entities one step away, whichever step."""
        found = self._beside.get(id_)
        if found is None:
            found = frozenset().union(*self.around(id_, cancel).values())
            self._beside[id_] = found
        return found

    def weight(self, id_: str, cancel: CancelToken | None = None) -> float:
        """Return how much it says to be beside an entity: little, where many are."""
        return 1.0 / math.log(2 + self.degree(id_, cancel))

    def length(self, id_: str, cancel: CancelToken | None = None) -> float:
        """Return the sum of the squared weights of what is beside an entity."""
        found = self._lengths.get(id_)
        if found is None:
            weights = (self.weight(node, cancel) ** 2 for node in self.beside(id_, cancel))
            found = self._lengths[id_] = math.fsum(weights)
        return found

    def pairs(self, property_: str, cancel: CancelToken | None = None) -> Pairs:
        """Return the statements of a property, up to the bound.

        Raises:
            SourceError: If the source cannot be read.
        """
        found, truncated = self._rows(property_, cancel)
        rows = [
            (subject.id, value.id)
            for subject, value in found
            if isinstance(subject, EntityValue) and isinstance(value, EntityValue)
        ]
        counts = Counter(row[0].id for row in found if isinstance(row[0], EntityValue))
        return Pairs(_grouped(rows), _grouped((o, s) for s, o in rows), counts, truncated)

    def _rows(
        self, property_: str, cancel: CancelToken | None
    ) -> tuple[Sequence[Sequence[Value | None]], bool]:
        """Return subjects and values of a property, and whether there are more."""
        most = self._most_pairs
        near = self._near.pairs(property_, most=most - 1) if self._near is not None else None
        if near is not None:
            return near, False
        query = f"SELECT ?s ?o WHERE {{ ?s <{predicate_iri(property_)}> ?o }} LIMIT {most}"
        limits = QueryLimits(most, _PAIRS_SECONDS, _PAIRS_BYTES)
        try:
            result = self._source.sparql(query, limits=limits, cancel=cancel)
        except QueryError:
            return (), True
        return result.rows, result.truncated or len(result.rows) >= most

    def _read(self, id_: str) -> Around:
        found: dict[str, frozenset[str]] = {}
        for way in Direction:
            for name, ends in self._ends(id_, way).items():
                entities = frozenset(end.id for end in ends if isinstance(end, EntityValue))
                if entities:
                    found[name if way is Direction.OUT else back(name)] = entities
        return dict(sorted(found.items()))

    def _ends(self, id_: str, way: Direction) -> Mapping[str, Sequence[Value]]:
        """Return what statements around an entity lead to, by property."""
        if self._near is not None:
            return self._near.ends_around(id_, direction=way, limit=_MOST_EDGES)
        page = self._source.statements(id_, direction=way, limit=_MOST_EDGES)
        found: dict[str, list[Value]] = {}
        for one in page.statements:
            end = one.value if way is Direction.OUT else EntityValue(one.subject)
            found.setdefault(one.property, []).append(end)
        return found

    def _keep(self, id_: str, found: Around) -> None:
        with self._lock:
            self._kept += sum(map(len, found.values())) + 1
            if self._kept > _MOST_KEPT:
                for kept in (self._around, self._degrees, self._beside, self._lengths):
                    kept.clear()
                self._kept = 0
            self._around[id_] = found


def _grouped(rows: Iterable[tuple[str, str]]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for one, other in rows:
        found.setdefault(one, set()).add(other)
    return {one: frozenset(others) for one, others in sorted(found.items())}
