"""Ctrl+C that always does what it says: for a run, and for a line that is being typed.

A run works in a thread of its own. In the thread that works, the exception of a Ctrl+C can come
up where nobody lets it through: in the finalizer of a library, say, and it is gone. Here the main
thread does nothing but wait.
"""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final, TypeVar

from robodata_core.api import RoboData
from robodata_core.cancellation import CancelToken
from robodata_core.events import RunEvent
from robodata_core.model import Answer

if TYPE_CHECKING:
    from robodata_core.dialogue import Conversation

_Result = TypeVar("_Result")

_LOOK: Final = 0.2
"""Seconds after which a wait looks whether a Ctrl+C came just before it began."""


def ask_in_thread(
    robodata: RoboData,
    question: str,
    on_event: Callable[[RunEvent], None] | None = None,
    *,
    hint: str = "",
    conversation: Conversation | None = None,
) -> Answer:
    """Ask; the first Ctrl+C cancels the run and keeps what was found, the second one leaves.

    Args:
        robodata: Answers.
        question: What is asked.
        on_event: Told every event, in the thread of the run.
        hint: What the person who asks adds.
        conversation: Asked instead, where the question may point back to earlier ones.

    Raises:
        KeyboardInterrupt: At a second Ctrl+C; the run is left to itself.
        InvalidRequestError: If the question is empty or too long.
    """

    def _run(token: CancelToken) -> Answer:
        if conversation is not None:
            return conversation.ask(question, on_event=on_event, cancel=token)
        return robodata.ask(question, on_event=on_event, cancel=token, hint=hint)

    return in_thread(_run, robodata.settings.time_budget)


def in_thread(run: Callable[[CancelToken], _Result], time_budget: float | None = None) -> _Result:
    """Let ``run`` work in a thread; the first Ctrl+C cancels its token, the second one leaves.

    Args:
        run: Gives the result; a cancelled token should make it end soon.
        time_budget: Seconds until the token's deadline, or None for no deadline.

    Raises:
        KeyboardInterrupt: At a second Ctrl+C; the thread is left to itself.
        Exception: Whatever ``run`` raises.
    """
    token = CancelToken(time_budget)
    over = threading.Event()
    results: list[_Result] = []
    errors: list[BaseException] = []

    def _work() -> None:
        try:
            results.append(run(token))
        except BaseException as error:  # handed over to the thread that waits
            errors.append(error)
        finally:
            over.set()

    with _first_ctrl_c(token.cancel):
        threading.Thread(target=_work, name="robodata-run", daemon=True).start()
        while not over.wait(_LOOK):
            pass
    if errors:
        raise errors[0]
    return results[0]


@contextlib.contextmanager
def _first_ctrl_c(act: Callable[[], None]) -> Iterator[None]:
    """Let the first Ctrl+C ``act`` and only the next one raise; where it is ours to decide."""
    raises = signal.default_int_handler
    if not _gets_signals() or signal.getsignal(signal.SIGINT) is not raises:
        yield
        return

    def _pressed(number: int, frame: object) -> None:
        signal.signal(signal.SIGINT, raises)
        act()

    signal.signal(signal.SIGINT, _pressed)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, raises)


@contextlib.contextmanager
def heeding_ctrl_c() -> Iterator[None]:
    """Let no Ctrl+C be slept over while a line is typed in the main thread.

    Python's line editor notes a Ctrl+C that comes between its prompt and its waiting, but looks
    at the note only when the waiting is interrupted. Here a clock does that every now and then.
    Only the clock raises: Python 3.10 stumbles over a second signal beside one that raised.
    """
    raises = signal.default_int_handler
    typed = sys.stdin.isatty() and hasattr(signal, "setitimer") and _gets_signals()
    if not typed or signal.getsignal(signal.SIGINT) is not raises:
        yield
        return
    noted = over = False

    def _pressed(number: int, frame: object) -> None:
        nonlocal noted
        noted = True
        signal.setitimer(signal.ITIMER_REAL, 1e-6, _LOOK)

    def _look(number: int, frame: object) -> None:
        nonlocal noted
        if noted and not over:
            noted = False
            raise KeyboardInterrupt

    alarm = signal.signal(signal.SIGALRM, _look) or signal.SIG_DFL
    before = signal.setitimer(signal.ITIMER_REAL, _LOOK, _LOOK)
    signal.signal(signal.SIGINT, _pressed)
    try:
        try:
            yield
        finally:
            over = True  # what follows must not be broken off
    finally:
        signal.signal(signal.SIGINT, raises)
        signal.setitimer(signal.ITIMER_REAL, *before)
        signal.signal(signal.SIGALRM, alarm)
    if noted:  # with the end of the line
        raise KeyboardInterrupt


def _gets_signals() -> bool:
    return threading.current_thread() is threading.main_thread()
