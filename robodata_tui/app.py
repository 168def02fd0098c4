"""The application: puts bridge, conversation and panes together.

It owns the main screen and everything that goes from one part to another. How something looks
is the business of ``widgets``, dialogs that of ``screens`` (opened in ``actions``), threads that
of ``bridge``.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from datetime import datetime, timezone
from typing import Any, ClassVar

from textual import events
from textual.app import App, ComposeResult
from textual.containers import Container
from textual.widgets import Footer

from robodata_core.errors import ConfigurationError, RoboDataError, SnapshotError, StoreError
from robodata_core.events import Header, RunEnded, RunEvent, RunStarted
from robodata_tui.actions import Actions
from robodata_tui.asking import Asking
from robodata_tui.bridge import (
    Bridge,
    CoreFailed,
    CoreOpened,
    Finished,
    Happened,
    Update,
    Watched,
)
from robodata_tui.collecting import Collector
from robodata_tui.conversation import Conversation
from robodata_tui.guarded import Guarded, bug_report
from robodata_tui.keymap import BINDINGS
from robodata_tui.links import Links
from robodata_tui.openers import Openers
from robodata_tui.options import Options
from robodata_tui.records import Record
from robodata_tui.screens.history import past_questions
from robodata_tui.status import Status
from robodata_tui.widgets.answer import AnswerPane
from robodata_tui.widgets.banner import Banner
from robodata_tui.widgets.claims import ClaimsPane
from robodata_tui.widgets.evidence import EvidencePane
from robodata_tui.widgets.graph import GraphPane
from robodata_tui.widgets.header import HeaderBar
from robodata_tui.widgets.pane import Pane
from robodata_tui.widgets.prompt import QuestionInput
from robodata_tui.widgets.rail import StateRail
from robodata_tui.widgets.tabs import PaneTabs
from robodata_tui.widgets.timeline import TimelinePane
from robodata_tui.words import clean

__all__ = ["RoboDataApp"]

_log = logging.getLogger("robodata.tui")
_FINAL = (ConfigurationError, SnapshotError, StoreError)
"""What another try at the start would not mend: told without a screen, where it comes up in time
before the screen is there."""
_TICK = 0.1
_PATIENCE = 0.5
"""Seconds a cancelled run may take to end; then it is left to itself."""
_MANY = 10
"""Events of a tick from which on the panes take turns: a key waits for one of them at most."""


class RoboDataApp(Guarded, Asking, Actions, Links, Openers, Status, App[int]):
    """RoboData in a terminal.

    Args:
        options: How it is started.
        bridge: The core in its thread.
        monotonic: Clock for what is elapsed while a run goes on.
    """

    TITLE = "RoboData"
    CSS_PATH = "robodata.tcss"
    BINDINGS: ClassVar = BINDINGS
    HORIZONTAL_BREAKPOINTS: ClassVar = [(0, "-narrow"), (100, "-two"), (150, "-three")]

    def __init__(
        self,
        options: Options,
        bridge: Bridge,
        *,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__()
        self.options = options
        self.bridge = bridge
        self.conversation = Conversation()
        self.running: Record | None = None
        self.cancelling = False
        self.bugs: list[str] = []
        self.active = "answer"
        self._monotonic = monotonic
        self._collector = Collector()
        self._ticket = 0
        self._stale = self._opened = self._built = False
        self._not_before = self._cancelled = 0.0
        self._turns: list[Pane] = []
        self._started = self._last_event = self._last_draw = 0.0

    # -- building -----------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        """Put the parts of the main screen in their order."""
        yield HeaderBar("header")
        yield Banner()
        yield StateRail("rail")
        yield PaneTabs("tabs")
        with Container(id="panes"):
            yield GraphPane("graph")
            yield TimelinePane("timeline")
            yield EvidencePane("evidence")
            yield AnswerPane("answer").add_class("-wide")
            yield ClaimsPane("claims").add_class("-wide")
        yield QuestionInput("question", self.options.settings.max_question, self.take_line)
        yield Footer()

    def on_mount(self) -> None:
        """Start the core and the clock."""
        self._built = True
        if self.options.theme in self.available_themes:
            self.theme = self.options.theme
        self.set_keymap(dict(self.options.keymap))
        if self.options.ssh:
            self.animation_level = "none"
        # After the first picture: opening the core would hold it up.
        self.call_after_refresh(self.bridge.start)
        self.set_interval(_TICK, self._tick)
        self._place()
        self.refresh_view()
        self.question.focus()
        for question in past_questions(self.options.journals):
            self.question.remember(question)
        if self.options.replay is not None:
            self.open_journal(self.options.replay)

    @property
    def closing(self) -> bool:
        """Whether the end has begun: the parts go one by one, and what still comes finds gaps."""
        return self._exit or (self._built and not self.is_running)

    @property
    def moves(self) -> bool:
        """Whether anything may move by itself: not over a slow line."""
        return not self.options.ssh and self.animation_level != "none"

    @property
    def question(self) -> QuestionInput:
        """The line where questions are typed."""
        return self.main_screen.query_one(QuestionInput)

    @property
    def main_screen(self) -> Any:
        """The screen below all dialogs."""
        return self.screen_stack[0]

    @property
    def panes(self) -> list[Pane]:
        """All panes, in the order of their numbers."""
        return list(self.main_screen.query(Pane))

    def pane(self, name: str) -> Pane:
        """Return a pane by its id."""
        found = self.main_screen.query_one(f"#{name}", Pane)
        assert isinstance(found, Pane)
        return found

    # -- what the core says -------------------------------------------------------------------

    def _tick(self) -> None:
        if self.closing:
            return
        if self.is_web and not _has_input(self):
            # The server is gone; nobody else would ever end this process.
            self.exit(0)
            return
        if self.cancelling and self._monotonic() - self._cancelled >= _PATIENCE:
            self._abandon()
        updates = self.bridge.drain()
        for update in updates:
            self._take(update)
        self._stale = self._stale or any(
            isinstance(update, (Happened, Finished, Watched)) for update in updates
        )
        # Drawing takes at most a quarter of the time: keys come first.
        if self._stale and self._monotonic() >= self._not_before:
            begun = self._monotonic()
            self._draw_live(busy=len(updates) >= _MANY)
            self._not_before = float("inf")
            self.call_after_refresh(self._drawn, begun)
        elif self._live() and self._monotonic() - self._last_draw >= 1.0:
            self._draw_status()

    def _draw_live(self, busy: bool) -> None:
        """Draw what came in; where that is much, one pane now and the next one next time."""
        if not busy:
            self._turns, self._stale = [], False
            self.refresh_view()
            return
        self._turns = self._turns or [pane for pane in self.panes if pane.display]
        self.refresh_view([self._turns.pop(0)])

    def _drawn(self, begun: float) -> None:
        now = self._monotonic()
        self._not_before = now + 3 * (now - begun)

    def _take(self, update: Update) -> None:
        if isinstance(update, Happened):
            if self.running is not None and update.ticket == self._ticket:
                self._happened(update.event)
        elif isinstance(update, Watched):
            if self.conversation.watched(update.event) is self.conversation.record:
                self._last_event = self._monotonic()
        elif isinstance(update, CoreOpened):
            self._opened = True
            self.query_one(
                HeaderBar
            ).core = (
                f"{clean(update.source, 60).removeprefix('snapshot:')} · {clean(update.policy, 20)}"
            )
            if not self.conversation.records:
                self.conversation.kept = {item.handle: item for item in update.kept}
            self.query_one(Banner).hide()
            self._draw_status()
        elif isinstance(update, CoreFailed):
            self.query_one(HeaderBar).core = "not open"
            if isinstance(update.error, _FINAL) and not self._opened and not self.options.replay:
                code = update.error.exit_code
                message = f"robodata: {clean(str(update.error), 500)}"
                self.exit(code, return_code=code, message=message)
                return
            self._trouble(update.error)
            self._draw_status()
        elif update.ticket == self._ticket:
            self._finished(update)

    def _happened(self, event: RunEvent) -> None:
        assert self.running is not None
        self._last_event = self._monotonic()
        # A question taken apart runs its parts first: each is a run of its own.
        if isinstance(event, RunStarted) and self.running.events:
            self.running = self.conversation.asked(event.question, part=True)
        self.running.add(event)

    def _finished(self, update: Finished) -> None:
        record, self.running, self.cancelling = self.running, None, False
        self._collector.end()
        if record is not None and not record.state.ended:
            self._end(record, "failed", clean(str(update.error or "The run broke off."), 500))
        if update.error is not None:
            self._trouble(update.error)
        elif record is not None and record.state.status == "failed":
            sentence = record.state.error or "The run failed."
            self.query_one(Banner).say(clean(sentence, 500))
        self.refresh_bindings()

    def _end(self, record: Record, status: str, sentence: str) -> None:
        """Write down the end of a run that did not tell of it."""
        header = Header(record.state.run_id, record.state.seq + 1, datetime.now(timezone.utc))
        record.add(RunEnded(header, status, self._monotonic() - self._started, sentence))

    def _abandon(self) -> None:
        """Go on without a cancelled run that does not end; its thread is left to itself."""
        assert self.running is not None
        if not self.running.state.ended:
            self._end(self.running, "cancelled", "The run was cancelled.")
        self._ticket = 0
        self._finished(Finished(0))
        self.refresh_view()

    def _trouble(self, error: Exception) -> None:
        if isinstance(error, RoboDataError):
            self.query_one(Banner).say(clean(str(error), 500))
        else:
            self.report_bug(error)

    def report_bug(self, error: BaseException) -> None:
        """Show a report of something that should not have happened; go on."""
        if self.closing:
            return
        self.bugs.append(bug_report(error))
        if len(self.bugs) == 1 or not self.showing_bug:
            self.show_bug(self.bugs[-1])

    def _handle_exception(self, error: Exception) -> None:
        # Textual ends the application here; with a screen up there is work to keep.
        if self.closing:
            _log.info("A part was gone while the application closed", exc_info=error)
        elif self.is_running and self.screen_stack and not isinstance(error, KeyboardInterrupt):
            _log.error("A handler of the terminal UI failed", exc_info=error)
            self.report_bug(error)
        else:
            super()._handle_exception(error)

    def open_record(self, record: Record) -> None:
        """Show a run read from a journal."""
        self.conversation.append(record)
        if record.notice:
            self.notify(clean(record.notice, 300), severity="warning", markup=False)
        self.refresh_view()
        self.action_pane("answer")

    # -- showing ------------------------------------------------------------------------------

    def refresh_view(self, panes: Sequence[Pane] | None = None) -> None:
        """Bring every pane that can be seen up to date, or only some."""
        if self.closing:
            return
        view = self.conversation.view()
        if view is not None:
            for pane in self.panes if panes is None else panes:
                if pane.display:
                    pane.show(view)
        self._draw_status()

    def _place(self) -> None:
        """Give every pane its place for the width and the active pane."""
        for pane in self.panes:
            pane.set_class(pane.id == self.active, "-active")
        if self.active in ("graph", "timeline"):
            behind = "timeline" if self.active == "graph" else "graph"
            for name in ("graph", "timeline"):
                self.pane(name).set_class(name == behind, "-behind")
        elif not self.pane("graph").has_class("-behind"):
            self.pane("timeline").add_class("-behind")
        tabs = [(pane.NUMBER, pane.TITLE, pane.id or "") for pane in self.panes]
        self.main_screen.query_one(PaneTabs).put(tabs, self.active)

    def activate(self, name: str) -> None:
        """Make a pane the active one and bring it up to date."""
        self.active = name
        self._place()
        self.call_later(self.refresh_view)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Follow the focus with the active pane."""
        for ancestor in event.widget.ancestors_with_self:
            if isinstance(ancestor, Pane) and ancestor.id and ancestor.id != self.active:
                self.activate(ancestor.id)

    def on_resize(self, event: events.Resize) -> None:
        """Bring panes up to date that a new width uncovers."""
        self.call_after_refresh(self.refresh_view)


def _has_input(app: App[int]) -> bool:
    thread = getattr(app._driver, "_key_thread", None)
    return thread is None or bool(thread.is_alive())
