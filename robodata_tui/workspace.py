"""The main screen: which panes are in sight, which one is active, when they are drawn.

The answer stands at the left and takes most of the room; beside it stands one other pane, from
150 columns on the proof and one more; below 100 columns there is one pane at a time. What stands
beside the answer is the reader's choice and is kept from session to session.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from textual.app import App
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input

from robodata_core.run_state import RunState
from robodata_tui.kept import Kept
from robodata_tui.session import Session
from robodata_tui.widgets.answer import AnswerPane
from robodata_tui.widgets.header import HeaderBar
from robodata_tui.widgets.pane import Pane
from robodata_tui.widgets.prompt import QuestionInput
from robodata_tui.widgets.rail import StateRail
from robodata_tui.widgets.tabs import PaneTabs

__all__ = ["NARROW", "WIDE", "Workspace"]

NARROW: Final = 100
"""Columns below which one pane is shown at a time."""
WIDE: Final = 150
"""Columns from which on two panes stand beside the answer."""
_MANY: Final = 10
"""Events of a tick from which on the panes take turns: a key waits for one of them at most."""


class Workspace:
    """Places, focuses and draws the panes of the main screen.

    Args:
        app: Whose screen it is.
        session: What the panes show.
        kept: Where the reader's choice is kept.

    Attributes:
        active: Id of the pane that has, or had last, the focus.
        side: Id of the pane beside the answer.
    """

    def __init__(self, app: App[int], session: Session, kept: Kept) -> None:
        self._app = app
        self._session = session
        self._kept = kept
        self.active = "answer"
        self.side = kept.get("side", "proof")
        self._chosen = False
        self._turns: list[Pane] = []
        self._stale = False
        self._not_before = self._last_draw = 0.0

    # -- parts --------------------------------------------------------------------------------

    @property
    def screen(self) -> Screen[Any]:
        """The screen below all dialogs."""
        return self._app.screen_stack[0]

    @property
    def question(self) -> QuestionInput:
        """The line where questions are typed."""
        return self.screen.query_one(QuestionInput)

    @property
    def panes(self) -> list[Pane]:
        """All panes, in the order of their numbers."""
        return list(self.screen.query(Pane))

    def pane(self, name: str) -> Pane:
        """Return a pane by its id."""
        return self.screen.query_one(f"#{name}", Pane)

    @property
    def zoomed(self) -> bool:
        """Whether the active pane has the screen for itself."""
        return self.screen.has_class("-zoomed")

    def focused_part(self) -> Widget | None:
        """Return the pane, rail or line that has the focus."""
        widget = self.screen.focused
        if widget is None:
            return None
        for ancestor in widget.ancestors_with_self:
            if isinstance(ancestor, (Pane, StateRail, QuestionInput)):
                return ancestor
        return None

    # -- places -------------------------------------------------------------------------------

    def _beside(self, width: int) -> list[str]:
        """Return which panes stand beside the answer."""
        record = self._session.conversation.record
        waits = record is not None and self._session.live and not record.state.claims
        # There is nothing to prove yet; but who goes to the proof is there.
        first = "trace" if waits and self.active != "proof" else "proof"
        if width < WIDE:
            return [first if self.side == "proof" else self.side]
        return ["proof", "trace"] if self.side in ("proof", "trace") else [first, self.side]

    def place(self) -> None:
        """Give every pane its place for the width of the screen and the active pane."""
        width = self._app.size.width
        first = not self._session.conversation.records and self.active == "answer"
        alone = width < NARROW or self.zoomed or first
        shown = {self.active} if alone else {"answer", *self._beside(width)}
        for pane in self.panes:
            if pane.display != (pane.id in shown):
                pane.display = pane.id in shown
        self.screen.query_one("#side").display = shown != {"answer"}
        self.pane("answer").set_class(alone, "-alone")
        tabs = [(pane.NUMBER, pane.TITLE, pane.id or "") for pane in self.panes]
        self.screen.query_one(PaneTabs).put(tabs, shown, self.active, short=width < 64)

    def activate(self, name: str) -> None:
        """Make a pane the active one and bring it up to date."""
        self.active = name
        if name != "answer" and name != self.side:
            self.side = name
            self._kept.put("side", name)
        self.place()
        self._app.call_later(self.refresh)

    def go(self, name: str) -> None:
        """Go to a pane with the keyboard."""
        if self.active != name or not self.pane(name).display:
            self.activate(name)
        # At once: a widget that is hidden while it has the focus passes it on to a neighbour.
        self.screen.set_focus(self.pane(name).main)
        self._app.call_after_refresh(self._settle, name)

    def _settle(self, name: str) -> None:
        """Focus what takes the keyboard in a pane now that its content is drawn."""
        if self.active != name:
            return
        part = self.focused_part()
        typing = isinstance(self.screen.focused, Input)
        if part is None or (part is self.pane(name) and not typing):
            self.screen.set_focus(self.pane(name).main)

    def followed(self, widget: Widget) -> None:
        """Follow the focus with the active pane, where it has not moved on meanwhile."""
        if widget is not self.screen.focused:
            return
        for ancestor in widget.ancestors_with_self:
            if isinstance(ancestor, Pane) and ancestor.id and ancestor.id != self.active:
                self.active = ancestor.id
                self.place()
                self._app.call_later(self.refresh)

    def go_question(self) -> None:
        """Go to the question line, at once: the next key may be there already.

        Where nothing is asked, go to the active pane, so that its keys work.
        """
        line: Widget = self.question
        self.screen.set_focus(self.pane(self.active).main if line.disabled else line)

    def zoom(self) -> None:
        """Show the active pane alone, or all again."""
        self.screen.toggle_class("-zoomed")
        self.place()
        self._app.call_after_refresh(self.refresh)

    def back(self) -> bool:
        """Leave the question line, a filter, or the zoom, whichever is nearest."""
        part = self.focused_part()
        if isinstance(self.screen.focused, Input) and not isinstance(part, Pane):
            self.screen.set_focus(self.pane(self.active).main)
        elif isinstance(part, Pane) and part.clear_filter():
            self.screen.set_focus(part.main)  # at once: the next key may be there
        elif self.zoomed:
            self.zoom()
        else:
            return False
        return True

    def page(self, by: int) -> None:
        """Scroll the active pane by a page, from the question line."""
        pane = self.pane(self.active)
        rows = pane.main
        if isinstance(pane, AnswerPane) and not rows.max_scroll_y:
            rows = pane.scroller
        if by < 0:
            rows.scroll_page_up(animate=False)
        else:
            rows.scroll_page_down(animate=False)

    # -- drawing ------------------------------------------------------------------------------

    def refresh(self, panes: Sequence[Pane] | None = None) -> None:
        """Bring every pane that can be seen up to date, or only some."""
        if not self._app.is_running:
            return
        self.place()
        session = self._session
        view = session.conversation.view(live=session.live, queued=tuple(session.queued))
        if view is not None:
            for pane in self.panes if panes is None else panes:
                if pane.display:
                    pane.show(view)
        self.draw_status()

    def news(self, count: int) -> None:
        """Draw what came in when there is time: drawing takes at most a quarter of it.

        Args:
            count: How many things happened since the last call.
        """
        self._stale = self._stale or count > 0
        now = self._session.now()
        if self._stale and now >= self._not_before:
            self._draw_live(busy=count >= _MANY)
            self._not_before = float("inf")
            self._app.call_after_refresh(self._drawn, now)
        elif now - self._last_draw < 1.0:
            return
        elif self._session.live:
            self.refresh([pane for pane in self.panes if pane.LIVE])
        elif not self._session.opened:
            self.draw_status()

    def _draw_live(self, busy: bool) -> None:
        """Draw what came in; where that is much, one pane now and the next one next time."""
        if not busy:
            self._turns, self._stale = [], False
            self.refresh()
            return
        self._turns = self._turns or [pane for pane in self.panes if pane.display]
        self.refresh([self._turns.pop(0)])

    def _drawn(self, begun: float) -> None:
        now = self._session.now()
        self._not_before = now + 3 * (now - begun)

    def draw_status(self) -> None:
        """Bring header, rail and the question line's hint up to date."""
        session = self._session
        self._last_draw = session.now()
        record = session.conversation.record
        state = record.shown if record is not None else RunState()
        self.question.hint(
            session.conversation.turns, session.running is not None, len(session.queued)
        )
        self.screen.query_one(StateRail).put(state)
        self.screen.query_one(HeaderBar).put(state, session.elapsed, session.note)
