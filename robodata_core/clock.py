"""Time as it is handed into a run, so that tests and replays can hand in their own.

Two readings on purpose: the wall clock for what is written down, the monotonic one for how long
something took. Nothing here sleeps.
"""

from __future__ import annotations

import time
from datetime import datetime, timezone
from typing import Protocol

__all__ = ["Clock", "SystemClock"]


class Clock(Protocol):
    """What a run needs to know about time."""

    def now(self) -> datetime:
        """Return the wall time, aware and in UTC."""
        ...

    def monotonic(self) -> float:
        """Return seconds from an arbitrary start; never goes back."""
        ...


class SystemClock:
    """The clock of this machine."""

    def now(self) -> datetime:
        """Return the wall time in UTC."""
        return datetime.now(timezone.utc)

    def monotonic(self) -> float:
        """Return seconds from an arbitrary start; never goes back."""
        return time.monotonic()
