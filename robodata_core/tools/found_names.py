"""Exact names that were looked up already, so that a search for one needs no request.

A policy that looks names up by itself notes here what it found; ``search_entities`` then shows
that, and says that it comes from memory. What was not found is not noted: a search may know more.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import Final

from robodata_core.model import SearchHit

__all__ = ["FoundNames"]

_MOST: Final = 1_000


class FoundNames:
    """Items by the exact name they were found by, in one run. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._hits: dict[str, tuple[SearchHit, ...]] = {}

    def note(self, name: str, hits: Iterable[SearchHit]) -> None:
        """Remember the items of a name; none are not worth remembering."""
        found = tuple(hits)
        with self._lock:
            if found and len(self._hits) < _MOST:
                self._hits[name] = found

    def get(self, name: str) -> tuple[SearchHit, ...]:
        """Return the items of a name; empty where it was not looked up."""
        with self._lock:
            return self._hits.get(name, ())
