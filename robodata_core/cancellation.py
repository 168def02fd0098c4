"""Stopping a run from outside: a token that is cancelled by hand or by a deadline."""

from __future__ import annotations

import contextvars
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from robodata_core.errors import CancelledError, DeadlineExceededError

__all__ = ["CancelToken", "current", "sleep"]

_current: Final[contextvars.ContextVar[CancelToken | None]] = contextvars.ContextVar(
    "robodata_cancel", default=None
)


class CancelToken:
    """Asked between any two steps whether to go on. Thread-safe.

    Args:
        time_budget: Seconds from now until the deadline, or None for no deadline.
        monotonic: Clock to measure the budget with.
    """

    def __init__(
        self, time_budget: float | None = None, *, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._event = threading.Event()
        self._monotonic = monotonic
        self._deadline = None if time_budget is None else monotonic() + time_budget

    def cancel(self) -> None:
        """Ask the run to stop at its next step."""
        self._event.set()

    @property
    def cancelled(self) -> bool:
        """Whether somebody asked to stop (a passed deadline does not count)."""
        return self._event.is_set()

    @property
    def remaining(self) -> float | None:
        """Seconds left (0 when over), or None without a deadline."""
        if self._deadline is None:
            return None
        return max(0.0, self._deadline - self._monotonic())

    def part(self, time_budget: float | None) -> CancelToken:
        """Return a token that is cancelled with this one and has a deadline of its own."""
        one = CancelToken(time_budget, monotonic=self._monotonic)
        one._event = self._event
        return one

    def check(self) -> None:
        """Return if the run may go on.

        Raises:
            CancelledError: If ``cancel`` was called.
            DeadlineExceededError: If the time is over.
        """
        if self._event.is_set():
            raise CancelledError("The run was cancelled.")
        if self._deadline is not None and self._monotonic() >= self._deadline:
            raise DeadlineExceededError("The time given for this question ran out.")

    @contextmanager
    def active(self) -> Iterator[CancelToken]:
        """Make this the token of everything that is called within, however deep.

        Methods of sources take no token; the requests they send are ended by this one.
        """
        before = _current.set(self)
        try:
            yield self
        finally:
            _current.reset(before)

    def wait(self, seconds: float) -> None:
        """Sleep for ``seconds`` unless the run ends earlier, then ``check``."""
        left = self.remaining
        self._event.wait(seconds if left is None else min(seconds, left))
        self.check()


def current() -> CancelToken | None:
    """Return the token of the run that this code belongs to, or None; see ``active``."""
    return _current.get()


def sleep(seconds: float, cancel: CancelToken | None) -> None:
    """Sleep for ``seconds``, shorter where a token is given and ends it.

    Raises:
        CancelledError: If the token was cancelled.
        DeadlineExceededError: If its time is over.
    """
    if cancel is not None:
        cancel.wait(seconds)
    else:
        time.sleep(seconds)
