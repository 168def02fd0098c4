"""What goes out while something is done: requests to services, told from the moment they start.

Whoever runs something listens (``listening``); whoever sends a request tells of it (``outgoing``),
however deep below and in whichever thread, as long as threads are started with the context of
their caller. Without a listener nothing happens. No clock, no network, no events here.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Final

__all__ = ["Listener", "Outgoing", "Request", "listening", "outgoing"]

STARTED: Final = "started"
WAITING: Final = "waiting"
ENDED: Final = "ended"
FAILED: Final = "failed"


@dataclass(frozen=True, slots=True)
class Outgoing:
    """How a request stands.

    Attributes:
        id: The same for everything that is told of one request.
        target: The service, as a host or the name of a model; never an address with secrets.
        what: What it is asked, in few words.
        phase: ``started``, ``waiting`` (for another try), ``ended`` or ``failed``.
        attempt: Which try it is, from 1.
        wait: Seconds until the next try, while it waits.
        text: What came of it, or why it is tried again.
    """

    id: int
    target: str
    what: str
    phase: str = STARTED
    attempt: int = 1
    wait: float = 0.0
    text: str = ""


Listener = Callable[[Outgoing], None]
_listener: ContextVar[Listener | None] = ContextVar("robodata_outgoing", default=None)
_numbers = itertools.count(1)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Tell ``listener`` of every request that is made inside, from the threads they are made in."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


class Request:
    """A request that goes on.

    Args:
        now: How it stands.
        listener: Who is told.
    """

    def __init__(self, now: Outgoing, listener: Listener | None) -> None:
        self._now = now
        self._listener = listener

    def again(self, wait: float, why: str) -> None:
        """Tell that it is tried again after ``wait`` seconds."""
        attempt = self._now.attempt + 1
        self._tell(replace(self._now, phase=WAITING, attempt=attempt, wait=wait, text=why))

    def end(self, text: str, *, ok: bool = True) -> None:
        """Tell what came of it."""
        self._tell(replace(self._now, phase=ENDED if ok else FAILED, wait=0.0, text=text))

    def _tell(self, now: Outgoing) -> None:
        self._now = now
        if self._listener is not None:
            self._listener(now)


@contextmanager
def outgoing(target: str, what: str) -> Iterator[Request]:
    """Tell that a request starts, and that it failed where an exception leaves it.

    Args:
        target: The service.
        what: What it is asked.
    """
    listener = _listener.get()
    request = Request(Outgoing(next(_numbers), target, what), listener)
    request._tell(request._now)
    try:
        yield request
    except BaseException as error:
        request.end(f"{error}" or type(error).__name__, ok=False)
        raise
