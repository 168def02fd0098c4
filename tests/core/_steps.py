"""Counts what work takes in functions called, in whatever thread: no load changes that."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from itertools import count
from types import FrameType

__all__ = ["steps"]


def steps(work: Callable[[], object]) -> int:
    """Do ``work``; return how many functions this thread and those that it began have called."""
    called = count()

    def see(frame: FrameType, event: str, argument: object) -> None:
        if event in ("call", "c_call"):
            next(called)

    threading.setprofile(see)
    sys.setprofile(see)
    try:
        work()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
    return next(called)
