"""What the process holds of the machine's memory: less than Python and the C library would keep.

A session goes on for days, and every run makes and drops millions of small things in several
threads. Where the C library cannot be told anything, nothing is done. ``Collector`` keeps garbage
collection out of the way of keys: a full one looks at every object there is, which takes a tenth of
a second with a long run's events and rows in memory. While a run goes on only the young objects are
looked at, and at its end what it made; the full look comes when some runs are over: by itself
Python would put it off for longer the more objects there are, and a screen leaves many that nobody
else frees.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import gc
import sys
from collections.abc import Callable, Iterator
from typing import Final

__all__ = [
    "Collector",
    "give_back",
    "in_haste",
    "keep_little",
    "settle",
]

# From malloc.h of glibc.
_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
_SETTINGS: Final = ((_ARENA_MAX, 1), (_MMAP_THRESHOLD, 64 << 10), (_TRIM_THRESHOLD, 1 << 20))


def _libc() -> ctypes.CDLL | None:
    if not sys.platform.startswith("linux"):
        return None
    libc = ctypes.CDLL(None)
    return libc if hasattr(libc, "mallopt") and hasattr(libc, "malloc_trim") else None


def keep_little() -> None:
    """Let threads share a heap, and large blocks go back to the system when they are freed.

    Without it every short-lived thread leaves a heap behind, and glibc takes the size of a large
    block that was freed for a reason to keep such blocks.
    """
    libc = _libc()
    if libc is not None:
        for name, value in _SETTINGS:
            libc.mallopt(name, value)


@contextlib.contextmanager
def in_haste() -> Iterator[None]:
    """Search for no garbage until ``settle``: what is loaded on the way to the first picture stays.

    Python would look through all of it again and again, for a tenth of the time that takes.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def settle() -> None:
    """Take what is there now for what stays: only what comes later is searched for garbage.

    That makes the search some ten times faster, and Python searches again once a quarter of what
    it looks at is new; with everything loaded in that sum it would wait for very much. What
    stayed from the last time is looked at again: another core may have been opened.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()
    gc.enable()


def give_back() -> None:
    """Drop what is no longer referred to and give free memory back; some 50 ms."""
    for clear in _pictures():
        clear()
    gc.collect()
    libc = _libc()
    if libc is not None:
        libc.malloc_trim(0)


def _pictures() -> Iterator[Callable[[], None]]:
    """Give what empties the caches that Textual and Rich draw with.

    One of them, meant for a class method, holds every widget's last picture: by far most of what a
    session would gather.
    """
    cached = type(functools.lru_cache()(str))
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] not in ("textual", "rich"):
            continue
        things = list(vars(module).values())
        classes = (thing for thing in things if isinstance(thing, type))
        methods = (method for one in classes for method in list(vars(one).values()))
        for thing in (*things, *methods):
            wrapped = isinstance(thing, (classmethod, staticmethod))
            function = thing.__func__ if wrapped else thing
            if isinstance(function, cached):
                yield function.cache_clear


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
