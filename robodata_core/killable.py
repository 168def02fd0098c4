"""Work that is ended on time, whatever it is at.

Reading a question or deciding a turn may take any time: a grammar that explodes, a source in
Python that hangs. Such work runs in a thread of its own. When its run is cancelled or out of time,
it gets a moment to end by itself, as everything that looks at its token does; then an exception is
raised in its thread, which ends Python code wherever it is, but for an import: a module that is cut
off leaves the process with one that lacks parts, for good. What the exception does not reach (an
import, one long call into native code) is left to itself, and nobody waits for it.
"""

from __future__ import annotations

import contextvars
import ctypes
import logging
import queue
import sys
import threading
import time
from collections.abc import Callable
from typing import Final, TypeVar

from robodata_core.cancellation import CancelToken
from robodata_core.errors import DeadlineExceededError

__all__ = ["Stopped", "run_killable"]

_log = logging.getLogger("robodata.killable")
_T = TypeVar("_T")
_POLL: Final = 0.05
#: Seconds in which work ends by itself, and in which it ends by an exception.
_GRACE: Final = 0.35
_LAST: Final = 0.2
_TRIES: Final = 2
#: Seconds in which a thread that nobody waits for is still being ended.
_REAPING: Final = 60.0
_IMPORTS: Final = "<frozen importlib._bootstrap>"


class Stopped(BaseException):
    """Raised in the thread of work that did not end by itself; nothing must catch it."""


def run_killable(work: Callable[[], _T], cancel: CancelToken, name: str) -> _T:
    """Do ``work`` and return what it returns, within the time of ``cancel`` and half a second.

    Args:
        work: What to do; it runs in another thread, with the context of this one.
        cancel: Says when it is over.
        name: Of the thread, for logs.

    Raises:
        CancelledError: If the run was cancelled and the work had not ended by then.
        DeadlineExceededError: If the time is over, likewise.
        Exception: Whatever ``work`` raises.
    """
    outcome: queue.SimpleQueue[tuple[_T | None, BaseException | None]] = queue.SimpleQueue()
    context = contextvars.copy_context()

    def _run() -> None:
        try:
            outcome.put((context.run(work), None))
        except BaseException as error:  # handed over to the thread that waits
            outcome.put((None, error))

    thread = threading.Thread(target=_run, name=name, daemon=True)
    thread.start()
    found: tuple[_T | None, BaseException | None] | None = None
    try:
        found = _waited_for(outcome, cancel)
    finally:
        if found is None:
            found = _ended(thread, outcome)
    if found is None or isinstance(found[1], Stopped):
        cancel.check()
        raise DeadlineExceededError("The time given for this question ran out.")
    result, error = found
    if error is not None:
        raise error
    return result  # type: ignore[return-value]


def _waited_for(
    outcome: queue.SimpleQueue[tuple[_T | None, BaseException | None]], cancel: CancelToken
) -> tuple[_T | None, BaseException | None] | None:
    """Return what came of the work; None if it should have ended a moment ago."""
    over: float | None = None
    while True:
        try:
            return outcome.get(timeout=_POLL)
        except queue.Empty:
            if cancel.cancelled or cancel.remaining == 0:
                over = over or time.monotonic()
                if time.monotonic() - over > _GRACE:
                    return None


def _ended(
    thread: threading.Thread, outcome: queue.SimpleQueue[tuple[_T | None, BaseException | None]]
) -> tuple[_T | None, BaseException | None] | None:
    """End a thread by an exception; return what came of its work all the same, if anything."""
    for _ in range(_TRIES):
        _raise_in(thread)
        try:
            return outcome.get(timeout=_LAST / _TRIES)
        except queue.Empty:
            continue
    _log.warning("%s does not end and is left to itself", thread.name)
    threading.Thread(target=_reap, args=(thread,), name="robodata-reaper", daemon=True).start()
    return None


def _reap(thread: threading.Thread) -> None:
    """Go on ending a thread for a while: it may be in native code, or in a finaliser."""
    end = time.monotonic() + _REAPING
    while thread.is_alive() and time.monotonic() < end:
        _raise_in(thread)
        thread.join(_LAST)


def _raise_in(thread: threading.Thread) -> None:
    # An exception that strikes in a finaliser (__del__) is lost, so once is not enough.
    if thread.ident is not None and thread.is_alive() and not _is_importing(thread.ident):
        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(thread.ident), ctypes.py_object(Stopped)
        )


def _is_importing(ident: int) -> bool:
    frame = sys._current_frames().get(ident)
    while frame is not None and frame.f_code.co_filename != _IMPORTS:
        frame = frame.f_back
    return frame is not None
