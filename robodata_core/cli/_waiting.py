"""A run in a thread of its own, so that Ctrl+C always reaches somebody who waits for nothing.

In the thread that works, the exception of a Ctrl+C can come up where nobody lets it through: in
the finalizer of a library, say, and it is gone. Here the main thread does nothing but wait.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from robodata_core.api import RoboData
from robodata_core.cancellation import CancelToken
from robodata_core.events import RunEvent
from robodata_core.model import Answer

__all__ = ["ask_in_thread"]


def ask_in_thread(
    robodata: RoboData, question: str, on_event: Callable[[RunEvent], None] | None = None
) -> Answer:
    """Ask; the first Ctrl+C cancels the run and keeps what was found, the second one leaves.

    Raises:
        KeyboardInterrupt: At a second Ctrl+C; the run is left to itself.
        InvalidRequestError: If the question is empty or too long.
    """
    token = CancelToken(robodata.settings.time_budget)
    over = threading.Event()
    results: list[Answer] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            results.append(robodata.ask(question, on_event=on_event, cancel=token))
        except BaseException as error:  # handed over to the thread that waits
            errors.append(error)
        finally:
            over.set()

    threading.Thread(target=work, name="robodata-run", daemon=True).start()
    try:
        over.wait()
    except KeyboardInterrupt:
        token.cancel()
        over.wait()
    if errors:
        raise errors[0]
    return results[0]
