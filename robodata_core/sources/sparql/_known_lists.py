"""Whole lists of statements and counts read from an endpoint, so that they are read once.

A run comes back to the same entities again and again, with other limits and in other selections.
Entities that came together (the cities of a country) will be asked about together, even when only
some of them are asked about first; so a list of a few hundred is remembered as one.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

from robodata_core.cache import BoundedCache
from robodata_core.model import Direction, EntityValue, Statement

_SECONDS: Final = 600.0
_KEPT: Final = 200_000
_SETS: Final = 16
_FEWEST: Final = 100
_MOST: Final = 500
_KEPT_COUNTS: Final = 100_000
#: So many of a list must be asked about before all of it is thought to be meant.
_SEVERAL: Final = 20

_Key: TypeAlias = tuple[str, Direction, "str | None"]


class KnownLists:
    """Lists by entity, direction and property; good for some minutes. Thread-safe.

    Args:
        now: Clock in seconds.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self._lock = threading.Lock()
        self._lists: BoundedCache[_Key, tuple[Statement, ...]]
        self._lists = BoundedCache(_KEPT, seconds=_SECONDS, now=now)
        self._counts: BoundedCache[tuple[str, Direction], Mapping[str, int]]
        self._counts = BoundedCache(_KEPT_COUNTS, seconds=_SECONDS, now=now)
        self._sets: deque[frozenset[str]] = deque(maxlen=_SETS)
        self._too_much: set[tuple[frozenset[str], Direction, str | None]] = set()

    def get(
        self, id_: str, direction: Direction, property_: str | None
    ) -> tuple[Statement, ...] | None:
        """Return a whole list, or None where it is not known."""
        return self._lists.get((id_, direction, property_))

    def put(
        self,
        id_: str,
        direction: Direction,
        property_: str | None,
        statements: tuple[Statement, ...],
    ) -> None:
        """Remember a whole list."""
        self._lists.put((id_, direction, property_), statements, 1 + len(statements))
        if not _FEWEST < len(statements) <= _MOST:
            return
        if direction is Direction.IN:
            ends = frozenset(item.subject for item in statements)
        else:
            ends = frozenset(s.value.id for s in statements if isinstance(s.value, EntityValue))
        with self._lock:
            if len(ends) > _FEWEST and ends not in self._sets:
                self._sets.append(ends)

    def counts(self, id_: str, direction: Direction) -> Mapping[str, int] | None:
        """Return how often each relation is there around an entity, or None if not counted."""
        return self._counts.get((id_, direction))

    def put_counts(self, id_: str, direction: Direction, counts: Mapping[str, int]) -> None:
        """Remember all relations around an entity, with their counts."""
        self._counts.put((id_, direction), counts, 1 + len(counts))

    def company(self, ids: Sequence[str], most: int) -> tuple[str, ...]:
        """Return what came in lists of which several of ``ids`` are part, at most so many."""
        wanted = frozenset(ids)
        with self._lock:
            sets = tuple(self._sets)
        found: dict[str, None] = {}
        for made in sets:
            rest = made - wanted
            if len(made) - len(rest) > _SEVERAL and len(rest.union(found)) <= most:
                found.update(dict.fromkeys(sorted(rest)))
        return tuple(found)

    def beside(
        self, ids: Sequence[str], direction: Direction, property_: str | None
    ) -> tuple[str, ...]:
        """Return what came together with ``ids`` and is not known yet; nothing for a few."""
        if property_ is None or len(ids) < 2:
            return ()
        together = self._set_of(ids)
        with self._lock:
            if together is None or (together, direction, property_) in self._too_much:
                return ()
        rest = sorted(together.difference(ids))
        return tuple(id_ for id_ in rest if self.get(id_, direction, property_) is None)

    def too_much(self, ids: Sequence[str], direction: Direction, property_: str | None) -> None:
        """Note that all that came together with ``ids`` cannot be read at once."""
        together = self._set_of(ids)
        with self._lock:
            if together is not None and len(self._too_much) < 10 * _SETS:
                self._too_much.add((together, direction, property_))

    def _set_of(self, ids: Sequence[str]) -> frozenset[str] | None:
        with self._lock:
            sets = tuple(self._sets)
        return next((made for made in sets if made.issuperset(ids)), None) if ids else None
