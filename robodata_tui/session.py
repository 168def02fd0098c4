"""A session: what is asked of the core, what came of it, and what waits for its turn.

No widgets: the application hands in questions and reads what happened about ten times a second.
A run that is cancelled and does not end is left to itself after a moment.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timezone
from typing import Final

from robodata_core.events import AnswerReady, Header, RunEnded, RunEvent, RunStarted
from robodata_tui.bridge import Bridge, CoreOpened, Finished, Happened, Update
from robodata_tui.conversation import Conversation
from robodata_tui.memory import Collector
from robodata_tui.records import Record
from robodata_tui.words import clean

__all__ = ["MOST_QUEUED", "Session"]

MOST_QUEUED: Final = 20
_OPENING: Final = "… OPENING"
_PATIENCE: Final = 0.5
"""Seconds a cancelled run may take to end; then it is left to itself."""


class Session:
    """Runs of one core, one after the other.

    Args:
        bridge: The core in its thread.
        time_budget: Seconds a run may take, or None.
        monotonic: Clock for what is elapsed while a run goes on.

    Attributes:
        conversation: All runs, and the reader's place in them.
        running: The run that goes on, or None.
        cancelling: Whether it was asked to stop.
        queued: Questions that wait for it to end, oldest first.
        opened: Whether the core is open.
    """

    def __init__(
        self,
        bridge: Bridge,
        time_budget: float | None = None,
        *,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.bridge = bridge
        self.time_budget = time_budget
        self.conversation = Conversation()
        self.running: Record | None = None
        self.cancelling = False
        self.queued: deque[str] = deque()
        self.opened = False
        self.now = monotonic
        self._collector = Collector()
        self._ticket = 0
        self._begun = monotonic()
        self._started = self._last_event = self._cancelled = 0.0

    # -- asking -------------------------------------------------------------------------------

    def ask(self, question: str) -> bool:
        """Ask, or put the question behind those that wait; tell whether there was room for it."""
        if self.running is not None:
            if len(self.queued) >= MOST_QUEUED:
                return False
            self.queued.append(question)
            return True
        self.running = self.conversation.asked(question)
        self._collector.begin()
        self._started = self._last_event = self.now()
        self._ticket = self.bridge.ask(question, self.time_budget)
        return True

    def ask_next(self) -> str:
        """Ask the first question that waits, if nothing runs; return it, or an empty text."""
        if self.running is not None or not self.queued:
            return ""
        question = self.queued.popleft()
        self.ask(question)
        return question

    def cancel(self) -> None:
        """Ask the run to stop; what was found stays."""
        if self.running is not None and not self.cancelling:
            self.cancelling, self._cancelled = True, self.now()
        self.bridge.cancel()

    # -- what the core says -------------------------------------------------------------------

    def take(self) -> list[Update]:
        """Take what happened since the last call; return what is news to the screen."""
        if self.cancelling and self.now() - self._cancelled >= _PATIENCE:
            self._ticket, ticket = 0, self._ticket
            return [self._finished(Finished(ticket))]
        return [update for update in self.bridge.drain() if self._concerns(update)]

    def _concerns(self, update: Update) -> bool:
        """Take one thing that happened; tell whether it concerns the screen."""
        if isinstance(update, Happened) and update.ticket is not None:
            if self.running is None or update.ticket != self._ticket:
                return False
            self._happened(self.running, update.event)
        elif isinstance(update, Happened):
            if self.conversation.watched(update.event) is self.conversation.record:
                self._last_event = self.now()
        elif isinstance(update, Finished):
            if update.ticket != self._ticket:
                return False
            self._finished(update)
        elif isinstance(update, CoreOpened):
            self.opened = True
            if not self.conversation.records:
                self.conversation.kept = {item.handle: item for item in update.kept}
        return True

    def _happened(self, running: Record, event: RunEvent) -> None:
        self._last_event = self.now()
        # A question taken apart runs its parts first: each is a run of its own.
        if isinstance(event, RunStarted) and running.events:
            running = self.running = self.conversation.asked(event.question, part=True)
        if isinstance(event, RunEnded) and self.cancelling:
            # The core counts from its run's start, which may come with its end alone.
            event = replace(event, seconds=max(event.seconds, self.now() - self._started))
        running.add(event)

    def _finished(self, update: Finished) -> Finished:
        record, cancelled = self.running, self.cancelling
        self.running, self.cancelling = None, False
        self._collector.end()
        if record is not None and not record.state.ended:
            if cancelled and update.error is None:
                self._end(record, "cancelled", "The run was cancelled.")
            else:
                self._end(record, "failed", clean(str(update.error or "The run broke off."), 500))
        if record is not None and update.answer is not None:
            told = record.state.answer
            same = told is not None and told.run_id == update.answer.run_id
            if told is not None and same and told.notes != update.answer.notes:
                # Whether anybody else could be asked is known once the run is over.
                record.add(AnswerReady(self._next(record), update.answer))
        return update

    def _end(self, record: Record, status: str, sentence: str) -> None:
        """Write down the end of a run that did not tell of it."""
        record.add(RunEnded(self._next(record), status, self.now() - self._started, sentence))

    @staticmethod
    def _next(record: Record) -> Header:
        return Header(record.state.run_id, record.state.seq + 1, datetime.now(timezone.utc))

    # -- how it stands ------------------------------------------------------------------------

    @property
    def live(self) -> bool:
        """Whether the run that is shown goes on."""
        record = self.conversation.record
        if record is None or record.step is not None:
            return record is not None and record is self.running
        return record is self.running or (record.watched and record.state.running)

    @property
    def waited(self) -> float:
        """Seconds since the last event of the run that is shown; 0 where it does not go on."""
        return self.now() - self._last_event if self.live else 0.0

    @property
    def elapsed(self) -> float:
        """Seconds that the run shown took, or takes so far; before any, that the core opens."""
        record = self.conversation.record
        if record is None:
            return self.now() - self._begun if self.note == _OPENING else 0.0
        if self.live and record is self.running:
            return self.now() - self._started
        return (record.shown.seconds or record.shown.elapsed) + self.waited

    @property
    def note(self) -> str:
        """What the top of the screen says in place of a run's status, or an empty text."""
        record = self.conversation.record
        if record is None:
            if self.bridge.problem is not None:
                return "✗ NOT OPEN"
            if not self.opened:
                return _OPENING
            return "○ READY" if self.bridge.asks else "○ WATCHING"
        if self.live:
            return self._live_note(record)
        if record.step is not None:
            return f"↔ STEP {record.step} of {len(record.state.timeline)}"
        if record.path is not None:
            return f"↻ REPLAY {record.state.status.upper() or 'CUT SHORT'}"
        return ""

    def _live_note(self, record: Record) -> str:
        if self.running is not None and self.cancelling:
            return "■ CANCELLING"
        if not record.events:
            return f"● {'STARTING' if self.opened else 'WAITING for the source'}"
        if record.state.ended:
            # Its last event is here, its thread is not yet free for another question.
            return "● FINISHING"
        return f"↔ STEP {record.step}" if record.step is not None else ""
