"""A cache bounded by weight, and by age where asked, for several threads."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Final, Generic, TypeVar

__all__ = ["BoundedCache"]

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

_EVER: Final = float("inf")


class BoundedCache(Generic[K, V]):
    """Keeps what was used last, as long as the weights together stay below a bound.

    Args:
        capacity: Most weight kept. An entry heavier than a tenth of it is not kept at all.
        seconds: How long an entry is good.
        now: Clock in seconds.
    """

    def __init__(
        self, capacity: int, *, seconds: float = _EVER, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._capacity = capacity
        self._seconds = seconds
        self._now = now
        self._weight = 0
        self._entries: OrderedDict[K, tuple[V, int, float]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: K) -> V | None:
        """Return what is kept under ``key``, or None."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None or entry[2] <= self._now():
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
            until = _EVER if self._seconds == _EVER else self._now() + self._seconds
            self._entries[key] = (value, weight, until)
            self._weight += weight
            while self._weight > self._capacity:
                _, (_, freed, _) = self._entries.popitem(last=False)
                self._weight -= freed

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._entries.clear()
            self._weight = 0
