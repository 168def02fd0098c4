"""A cache bounded by weight, for several threads."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

__all__ = ["BoundedCache"]

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class BoundedCache(Generic[K, V]):
    """Keeps what was used last, as long as the weights together stay below a bound.

    Args:
        capacity: Most weight kept. An entry heavier than a tenth of it is not kept at all.
    """

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._weight = 0
        self._entries: OrderedDict[K, tuple[V, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: K) -> V | None:
        """Return what is kept under ``key``, or None."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                return None
            self._entries.move_to_end(key)
            return entry[0]

    def put(self, key: K, value: V, weight: int = 1) -> None:
        """Keep ``value`` under ``key``; what was not used for longest gives way."""
        if weight * 10 > self._capacity:
            return
        with self._lock:
            old = self._entries.pop(key, None)
            if old is not None:
                self._weight -= old[1]
            self._entries[key] = (value, weight)
            self._weight += weight
            while self._weight > self._capacity:
                _, (_, freed) = self._entries.popitem(last=False)
                self._weight -= freed

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._entries.clear()
            self._weight = 0
