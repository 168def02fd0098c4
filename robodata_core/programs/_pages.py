"""Statements around nodes, fetched in batches and kept for the other programs of a question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from robodata_core.cancellation import CancelToken
from robodata_core.model import Direction, Statement
from robodata_core.programs._relations import TYPE, says_something
from robodata_core.sources.base import KnowledgeSource

__all__ = ["BATCH", "Pages", "batches"]

#: Nodes asked for at once: big enough for few round trips, small enough to stop in time.
BATCH: Final = 128
#: First look at each node of a batch: a batch of hubs must not bring in millions at once.
_FIRST_LOOK: Final = 500
#: Statements kept in all; above it the memory starts afresh.
_KEEP: Final = 400_000


def batches(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    """Cut ``ids`` into batches."""
    for start in range(0, len(ids), BATCH):
        yield ids[start : start + BATCH]


@dataclass(slots=True)
class _Shelf:
    """What is known along one property in one direction."""

    pages: dict[str, tuple[Statement, ...]] = field(default_factory=dict)
    cut: set[str] = field(default_factory=set)


class Pages:
    """Reads a source and remembers what it read.

    Args:
        source: Where statements come from.
        limit: Most statements of one node along one property.
        cancel: Asked before every round trip.
    """

    def __init__(self, source: KnowledgeSource, limit: int, cancel: CancelToken | None) -> None:
        self._source = source
        self._limit = limit
        self._cancel = cancel
        self._shelves: dict[tuple[Direction, str | None], _Shelf] = {}
        self._kept = 0

    def clear(self) -> None:
        """Forget everything."""
        self._shelves.clear()
        self._kept = 0

    def read(
        self, ids: Sequence[str], direction: Direction, property_: str | None
    ) -> tuple[Mapping[str, tuple[Statement, ...]], bool]:
        """Return the statements of at least ``ids``, and whether any of these was cut."""
        shelf = self._shelf(direction, property_)
        missing = [id_ for id_ in ids if id_ not in shelf.pages]
        if missing:
            if self._kept > _KEEP:
                self.clear()
                shelf, missing = self._shelf(direction, property_), list(ids)
            self._fetch(shelf, missing, direction, property_)
        return shelf.pages, bool(shelf.cut) and not shelf.cut.isdisjoint(ids)

    def _shelf(self, direction: Direction, property_: str | None) -> _Shelf:
        return self._shelves.setdefault((direction, property_), _Shelf())

    def _fetch(
        self, shelf: _Shelf, ids: Sequence[str], direction: Direction, property_: str | None
    ) -> None:
        first = self._limit if len(ids) == 1 else min(self._limit, _FIRST_LOOK)
        for hub in self._fill(shelf, ids, direction, property_, first):
            self._fill(shelf, (hub,), direction, property_, self._limit)

    def _fill(
        self,
        shelf: _Shelf,
        ids: Sequence[str],
        direction: Direction,
        property_: str | None,
        limit: int,
    ) -> list[str]:
        """Put pages on the shelf; return the ids that need a longer one, which are not on it."""
        if self._cancel is not None:
            self._cancel.check()
        found = self._source.statements_many(
            ids, direction=direction, property=property_, limit=limit
        )
        hubs = []
        # The other pages hold nothing that says nothing: their subjects were asked for by name.
        mixed = direction is Direction.IN or property_ in (None, TYPE)
        for id_ in ids:
            page = found[id_]
            if page.total > len(page.statements):
                if limit < self._limit:
                    hubs.append(id_)
                    continue
                shelf.cut.add(id_)
            kept = filter(says_something, page.statements) if mixed else page.statements
            shelf.pages[id_] = tuple(kept)
            self._kept += len(page.statements)
        return hubs
