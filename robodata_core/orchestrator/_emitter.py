"""From "something happened" to an event in the watchers' hands, numbered without gaps.

Also keeps the fold of what was told, which is what the run itself counts with. Decides nothing.
"""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec

from robodata_core.clock import Clock
from robodata_core.events import Header, RequestTold, RunEvent
from robodata_core.outgoing import Outgoing
from robodata_core.run_state import RunState, apply

if TYPE_CHECKING:
    from robodata_core.config import Settings

P = ParamSpec("P")

_log = logging.getLogger("robodata.orchestrator")


class Emitter:
    """Numbers, times, folds and hands over the events of one run, one at a time.

    Threads of tools tell of their requests, so any thread may emit: one waits for the other.

    Times are the wall time of the start plus what the monotonic clock says has passed since, so
    they never go back within a run, and differences of them are true durations.

    Args:
        run_id: Id of the run.
        sink: Whoever watches. An exception in it is logged and does not touch the run.
        clock: Where times come from.
    """

    def __init__(self, run_id: str, sink: Callable[[RunEvent], None], clock: Clock) -> None:
        self.run_id = run_id
        self._sink = sink
        self._clock = clock
        self._wall = clock.now()
        self._start = clock.monotonic()
        self._complained = False
        self._lock = threading.RLock()
        # One attribute, so that Ctrl+C between two statements cannot part state and queue.
        self._held: tuple[RunState, tuple[RunEvent, ...]] = (RunState(), ())

    @property
    def state(self) -> RunState:
        """The run, folded from all events so far."""
        return self._held[0]

    def now(self) -> datetime:
        """Return the time an event would get now."""
        return self._wall + timedelta(seconds=self._clock.monotonic() - self._start)

    def elapsed(self) -> float:
        """Return the seconds since the run started."""
        return self._clock.monotonic() - self._start

    def emit(
        self, kind: Callable[Concatenate[Header, P], RunEvent], *args: P.args, **rest: P.kwargs
    ) -> None:
        """Make an event of a kind with the next header and hand it over."""
        with self._lock:
            state, waiting = self._held
            header = Header(self.run_id, state.seq + 1, self.now())
            event = kind(header, *args, **rest)
            self._held = (apply(state, event), (*waiting, event))
            self.deliver()

    def tell_request(self, now: Outgoing) -> None:
        """Tell how a request to a service stands; what comes after the run's end is left out."""
        with self._lock:
            if self.state.run_id and not self.state.ended:
                self.emit(
                    RequestTold,
                    now.id,
                    now.target,
                    now.what,
                    now.phase,
                    now.attempt,
                    now.wait,
                    now.text,
                )

    def deliver(self) -> None:
        """Hand over what is waiting: more than one event only after an interruption."""
        with self._lock:
            while self._held[1]:
                self._hand_over(self._held[1][0])
                state, waiting = self._held
                self._held = (state, waiting[1:])

    def _hand_over(self, event: RunEvent) -> None:
        try:
            self._sink(event)
        except Exception:
            if not self._complained:
                self._complained = True
                _log.exception("A watcher of the run failed; the run goes on")


_USER = re.compile(r"(?<=://)[^/?#\s]*@")
_REST = re.compile(r"(://[^\s?#]*)[?#]\S*")


def without_credentials(text: str) -> str:
    """Return ``text`` with user, query and fragment taken out of any address in it."""
    return _REST.sub(r"\1", _USER.sub("", text)) if "://" in text else text


def public_settings(settings: Settings) -> dict[str, Any]:
    """Return the settings as plain JSON data without credentials."""
    data: dict[str, Any] = settings.model_dump(mode="json")
    return {name: _clean(value) for name, value in data.items()}


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return without_credentials(value)
    if isinstance(value, list):
        return [_clean(item) for item in value]
    return value
