"""What the top of the screen says: how the run that is shown stands, and for how long."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from robodata_core.run_state import RunState
from robodata_tui.records import Record
from robodata_tui.widgets.header import HeaderBar
from robodata_tui.widgets.rail import StateRail

if TYPE_CHECKING:
    from robodata_tui.app import RoboDataApp

    _Self = RoboDataApp
else:
    _Self = Any

__all__ = ["Status"]


class Status:
    """Mixed into the application."""

    def _draw_status(self: _Self) -> None:
        """Bring header, rail and the question line's hint up to date."""
        self._last_draw = self._monotonic()
        record = self.conversation.record
        state = record.shown if record is not None else RunState()
        live = self._live()
        waited = self._last_draw - self._last_event if live else 0.0
        elapsed = state.seconds or state.elapsed
        if live:
            own = record is self.running
            elapsed = self._last_draw - self._started if own else elapsed + waited
        self.question.hint(self.conversation.turns, self.running is not None)
        self.main_screen.query_one(StateRail).put(state, waited)
        self.main_screen.query_one(HeaderBar).put(state, elapsed, self._note(record, live, waited))

    def _live(self: _Self) -> bool:
        """Tell whether the run that is shown goes on."""
        record = self.conversation.record
        if record is None or record.step is not None:
            return record is not None and record is self.running
        return record is self.running or (record.watched and record.state.running)

    def _note(self: _Self, record: Record | None, live: bool, waited: float) -> str:
        if self.running is not None and live and self.cancelling:
            return "■ CANCELLING"
        if live and record is not None and not record.events:
            begins = "STARTING" if self._opened else "WAITING for the source"
            return f"● {begins} {waited:.0f} s"
        if live and record is not None and record.state.ended:
            # Its last event is here, its thread is not yet free for another question.
            return "● FINISHING"
        if record is not None and record.step is not None:
            return f"↔ STEP {record.step} of {len(record.state.timeline)}"
        if record is not None and record.path is not None:
            return f"↻ REPLAY {record.state.status.upper() or 'CUT SHORT'}"
        if record is not None:
            return ""
        if self.bridge.problem is not None:
            return "✗ NOT OPEN"
        if not self._opened:
            return "… OPENING"
        return "○ READY" if self.bridge.asks else "○ WATCHING"
