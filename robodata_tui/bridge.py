"""Between the application and the core: one daemon thread, a queue each way, no waiting.

The thread opens the core and answers one question after the other, all in one conversation: later
questions may point back to earlier ones until a new one begins or the core is opened anew. What
happens there is put into a list that the application empties about ten times a second: nothing is
posted into the application's loop, so a closing application cannot be hit, and a run of any speed
costs one update per tick. The thread is a daemon: leaving never waits for a run.
"""

from __future__ import annotations

import dataclasses
import itertools
import logging
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timezone
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from robodata_core.cancellation import CancelToken
from robodata_core.errors import RoboDataError
from robodata_core.events import Header, RequestTold, RunEvent
from robodata_core.model import Answer, Evidence
from robodata_core.outgoing import Outgoing, listening
from robodata_tui.examples import find_examples, held_line, trying
from robodata_tui.guarded import log_path
from robodata_tui.memory import give_back, settle

if TYPE_CHECKING:
    from robodata_core.api import RoboData
    from robodata_core.belief import MapSeen
    from robodata_core.dialogue import Conversation

__all__ = [
    "Bridge",
    "CoreFailed",
    "CoreOpened",
    "ExamplesFound",
    "Finished",
    "Happened",
    "Opening",
    "Update",
    "Surveyed",
]

_MOST_KEPT = 2_000
_LOOKED = 8.0
"""Seconds for the making of examples; a question that is asked ends it."""
_TIDY_AFTER = 10
"""Runs after which memory is given back."""
_log = logging.getLogger("robodata.tui")


@dataclass(frozen=True, slots=True)
class Opening:
    """How a request stands that is made to open the core."""

    now: Outgoing


@dataclass(frozen=True, slots=True)
class CoreOpened:
    """The core is there.

    Attributes:
        source: Name of its source.
        policy: Who decides.
        kept: What its local graph already held (the first of it).
        held: What the source holds, in a line or a few.
    """

    source: str
    policy: str
    kept: tuple[Evidence, ...]
    held: str = ""


@dataclass(frozen=True, slots=True)
class ExamplesFound:
    """Questions that can be asked of the source; ``checked`` tells whether it holds the facts."""

    held: str
    questions: tuple[str, ...]
    checked: bool


@dataclass(frozen=True, slots=True)
class CoreFailed:
    """The core could not be opened."""

    error: Exception


@dataclass(frozen=True, slots=True)
class Happened:
    """An event of run ``ticket``; None where somebody else asked for the run."""

    ticket: int | None
    event: RunEvent


@dataclass(frozen=True, slots=True)
class Finished:
    """Run ``ticket`` is over.

    Attributes:
        ticket: The run.
        error: What it ended with, where that was an exception.
        rest: Whether the core lets go of what can be made again; the screen may do so, too.
        answer: What it came to, with what was found out after its last event.
    """

    ticket: int
    error: Exception | None = None
    rest: bool = False
    answer: Answer | None = None


@dataclass(frozen=True, slots=True)
class Surveyed:
    """The map of the robot that is watched, as it is now."""

    seen: MapSeen


Update: TypeAlias = (
    Opening | CoreOpened | ExamplesFound | CoreFailed | Happened | Finished | Surveyed
)


class Bridge:
    """Runs the core in a daemon thread.

    Args:
        open_core: Opens the core; called in the thread, again after ``reopen``.

    Attributes:
        asks: Whether questions can be asked.
        problem: Why the core is not open, or None.
    """

    asks = True

    def __init__(self, open_core: Callable[[], RoboData]) -> None:
        self._open_core = open_core
        self._jobs: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._updates: list[Update] = []
        self._lock = threading.Lock()
        self._core: RoboData | None = None
        self._talk: Conversation | None = None
        self._token: CancelToken | None = None
        self._looking = CancelToken()
        self._tickets = 0
        self.problem: Exception | None = None
        self._thread: threading.Thread | None = None
        self._busy = False
        self._jobs.put(self._open)  # before any question, whenever the thread starts

    def start(self) -> None:
        """Start the thread and open the core; does nothing the second time."""
        if self._thread is None:
            self._thread = self._start_thread()

    def _start_thread(self) -> threading.Thread:
        thread = threading.Thread(
            target=self._work, args=(self._jobs,), name="robodata-core", daemon=True
        )
        thread.start()
        return thread

    def reopen(
        self, open_core: Callable[[], RoboData] | None = None, *, going_on: bool = False
    ) -> None:
        """Close the core and open it again; what hangs in the old one is not waited for.

        Args:
            open_core: Opens it from now on.
            going_on: Whether the conversation goes on over the same source, or more of them.
        """
        self._open_core = open_core or self._open_core
        if self._busy and self._thread is not None:
            self._jobs.put(self._leave)
            self._jobs = queue.SimpleQueue()
            self._core, self._talk, self._busy = None, None, False
            self._thread = self._start_thread()
        self._jobs.put(partial(self._open, going_on=going_on))

    def ask(self, question: str, time_budget: float | None = None) -> int:
        """Queue a question and return its ticket."""
        self._tickets += 1
        ticket = self._tickets
        token = CancelToken(time_budget)
        self._token = token
        self._looking.cancel()
        self._jobs.put(lambda: self._ask(ticket, question, token))
        return ticket

    def renew(self) -> None:
        """Begin a new conversation, once what was asked before is over."""
        self._jobs.put(self._renew)

    def cancel(self) -> None:
        """Ask the latest run to stop."""
        if self._token is not None:
            self._token.cancel()

    def close(self) -> None:
        """Let go of everything; the application is gone. The thread is a daemon and just ends."""

    def drain(self) -> list[Update]:
        """Return what happened since the last call, in order."""
        with self._lock:
            updates, self._updates = self._updates, []
        return updates

    # -- in the thread ------------------------------------------------------------------------

    def _work(self, jobs: queue.SimpleQueue[Callable[[], None]]) -> None:
        while True:
            job = jobs.get()
            if jobs is not self._jobs:  # another thread took over while the last job went on
                return
            self._busy = True
            try:
                job()
            except Exception:  # a job reports its own errors; this one is a bug in here
                _log.exception("A job of the bridge failed")
            finally:
                if jobs is self._jobs:
                    self._busy = False

    def _leave(self) -> None:
        """Wake a thread that another one took over from."""

    def _put(self, update: Update) -> None:
        with self._lock:
            self._updates.append(update)

    def _open(self, going_on: bool = False) -> None:
        jobs, before = self._jobs, self._talk if going_on else None
        core: RoboData | None = None
        try:
            if self._core is not None:
                core, self._core, self._talk = self._core, None, None
                core.close()
                core = None
            with listening(lambda now: self._put(Opening(now))):
                core = self._open_core()
            if jobs is not self._jobs:
                core.close()
                return
            kept, _ = core.store.match(limit=_MOST_KEPT)
            talk = before or core.conversation()
            talk.move_to(core)
            held = held_line(core.source)
            opened = CoreOpened(core.source.name, core.settings.policy, kept, held)
        except Exception as error:
            problem = _told(error)
            _let_go(core)
            if jobs is not self._jobs:
                return
            self._failed(problem)
        else:
            self.problem = None
            self._core, self._talk = core, talk
            self._put(opened)
            self._jobs.put(partial(self._look_for_examples, core, held))
        finally:
            settle()

    def _look_for_examples(self, core: RoboData, held: str) -> None:
        """Look what can be asked, unless somebody asks already."""
        self._looking = CancelToken(_LOOKED)
        if core is self._core and self._jobs.empty():
            ask = trying(core.source, core.settings, self._looking)
            self._put(ExamplesFound(held, *find_examples(core.source, ask)))

    def _renew(self) -> None:
        if self._core is None:
            return
        try:
            self._talk = self._core.conversation()
        except Exception as error:
            problem = _told(error)
            core, self._core, self._talk = self._core, None, None
            _let_go(core)
            self._failed(problem)

    def _failed(self, problem: RoboDataError) -> None:
        self.problem = problem
        self._put(CoreFailed(problem))

    def _ask(self, ticket: int, question: str, token: CancelToken) -> None:
        error: Exception | None = None
        answer: Answer | None = None
        jobs, core, talk = self._jobs, self._core, self._talk
        numbers = itertools.count(1)

        def early(now: Outgoing) -> None:
            # What a question points back to is looked up before there is a run to tell of it.
            header = Header("", next(numbers), datetime.now(timezone.utc))
            self._put(Happened(ticket, RequestTold(header, *dataclasses.astuple(now))))

        try:
            if talk is None:
                raise self.problem or RuntimeError("the core is not open")
            with listening(early):
                answer = talk.ask(
                    question,
                    on_event=lambda event: self._put(Happened(ticket, event)),
                    cancel=token,
                )
        except Exception as raised:
            if not isinstance(raised, RoboDataError):
                _log.exception("A run failed")
            error = raised
        rest = core is not None and ticket % _TIDY_AFTER == 0
        self._put(Finished(ticket, error, rest, answer))
        if core is not None:
            core.rest()  # else what ten runs keep lies between what stays, and both are kept
            if rest:
                give_back()
        if core is not None and jobs is not self._jobs:
            core.close()  # another thread took over meanwhile; nobody else lets go of the store


def _told(error: Exception) -> RoboDataError:
    """Return what to tell of an error on opening; one that nobody foresaw goes into the log."""
    if isinstance(error, RoboDataError):
        return error
    _log.error("The core could not be opened", exc_info=error)
    problem = RoboDataError(
        f"RoboData could not be opened: an unexpected {type(error).__name__}.",
        hint="Retry tries again, F2 takes another source or other settings; the log says more:"
        f" {log_path()}",
    )
    problem.__cause__ = error
    return problem


def _let_go(core: RoboData | None) -> None:
    """Close a core that was opened in vain, so that another try finds its store free."""
    try:
        if core is not None:
            core.close()
    except Exception:
        _log.exception("A core that did not open could not be closed")
