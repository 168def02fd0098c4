"""Garbage collection that stays out of the way of keys.

A full collection looks at every object there is: with a long run's events and rows in memory that
takes a tenth of a second, several times a minute, with keys waiting. While a run goes on only the
young objects are looked at, and at its end what it made; the full look comes when some runs are
over: by itself Python would put it off for longer the more objects there are, and a screen leaves
many that nobody else frees.
"""

from __future__ import annotations

import gc
from typing import Final

__all__ = ["Collector"]

_NEVER: Final = 1_000_000
_RUNS: Final = 8
"""Runs after which everything is looked at: each leaves about a megabyte."""


class Collector:
    """Holds full collections back from ``begin`` to ``end``."""

    def __init__(self) -> None:
        self._before: tuple[int, int, int] | None = None
        self._runs = 0

    def begin(self) -> None:
        """Hold them back; what is there already is not looked at again at all."""
        if self._before is None:
            gc.freeze()
            self._before = gc.get_threshold()
            gc.set_threshold(self._before[0], self._before[1], _NEVER)

    def end(self) -> None:
        """Let them happen again."""
        if self._before is not None:
            gc.set_threshold(*self._before)
            self._before = None
            gc.collect()  # of what this run made alone: all else is frozen, and costs nothing
            gc.unfreeze()
            self._runs += 1
            if self._runs % _RUNS == 0:
                gc.collect()
