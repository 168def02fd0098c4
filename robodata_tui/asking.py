"""Asking: from the question line to a run, and from one conversation to the next.

The line keeps the cursor when a question is handed in: the next one can be typed at once, and
nothing moves by itself under the hands of somebody who types.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Final

from textual.widgets import Input

from robodata_core.config import Settings
from robodata_tui.widgets.banner import Banner
from robodata_tui.widgets.header import HeaderBar

if TYPE_CHECKING:
    from robodata_tui.app import RoboDataApp

    _Self = RoboDataApp
else:
    _Self = Any

__all__ = ["Asking"]

_WATCHES: Final = "This screen watches a robot; it does not ask."
_RUNS: Final = "A run goes on; Ctrl+C cancels it."
_COMMANDS: Final = (
    "There is no such command: /new begins a new conversation, /quit leaves. Ctrl+P offers"
    " everything else."
)


class Asking:
    """Mixed into the application."""

    def take_line(self: _Self, text: str) -> bool:
        """Do what the question line was handed; tell whether it is done with.

        Args:
            text: A question, or one of the commands that ``robodata chat`` knows.
        """
        if text == "/new":
            self.action_new_conversation()
            return True
        if text in ("/quit", "/exit", "/q"):
            self.call_later(self.action_leave)
            return True
        if text.startswith("/"):
            self.notify(_COMMANDS, severity="warning", markup=False)
            return False
        return self.start_run(text)

    def start_run(self: _Self, question: str) -> bool:
        """Ask ``question`` and show the run; tell whether it was asked."""
        if not self.bridge.asks:
            self.notify(_WATCHES, markup=False)
            return False
        if self.running is not None:
            self.notify(_RUNS, severity="warning", markup=False)
            return False
        self.question.remember(question)
        self.query_one(Banner).hide()
        self.running = self.conversation.asked(question)
        self._collector.begin()
        self._started = self._last_event = self._monotonic()
        self._ticket = self.bridge.ask(question, self.options.settings.time_budget)
        if self.main_screen.focused is self.question:
            self.activate("answer")
        else:
            self.action_pane("answer")
        self.refresh_view()
        self.refresh_bindings()
        return True

    def on_banner_retry(self: _Self) -> None:
        """Open the core again, and ask again what failed."""
        record = self.conversation.record
        if self.bridge.problem is not None:
            self.bridge.reopen()
            self.conversation.renew()
            self.refresh_view()
        elif record is not None and self.running is None:
            self.start_run(record.question)

    def change_settings(self: _Self, settings: Settings) -> None:
        """Open the core again with other settings."""
        self.options = dataclasses.replace(self.options, settings=settings)
        open_core = self.options.open_core
        self.query_one(HeaderBar).core = "opening …"
        self.bridge.reopen(lambda: open_core(settings))
        self.conversation.renew()
        self.refresh_view()

    def action_new_conversation(self: _Self) -> None:
        """Begin a new conversation; what was found stays in the local graph."""
        if not self.bridge.asks:
            self.notify(_WATCHES, markup=False)
            return
        if self.running is not None:
            self.notify(_RUNS, severity="warning", markup=False)
            return
        self.action_ask()
        if not self.conversation.renew():
            self.notify("Nothing was asked in this conversation yet.", markup=False)
            return
        self.bridge.renew()
        self.activate("answer")
        self.refresh_view()

    # -- stopping -----------------------------------------------------------------------------

    def action_cancel(self: _Self) -> None:
        """Cancel the run; what was found stays."""
        if self.running is None:
            self.notify("Nothing is running; Ctrl+Q leaves.", markup=False)
            return
        if not self.cancelling:
            self.cancelling, self._cancelled = True, self._monotonic()
        self.bridge.cancel()
        self.refresh_view()

    def action_stop(self: _Self) -> None:
        """Cancel from anywhere; where text is selected, copy it first, as terminals do."""
        focused = self.focused
        text = self.screen.get_selected_text() or ""
        if isinstance(focused, Input) and focused.selected_text:
            text = focused.selected_text
            focused.cursor_position = focused.cursor_position  # nothing is selected any more
        if text:
            self.screen.clear_selection()
            self.yank_text(text)
        else:
            self.action_cancel()
