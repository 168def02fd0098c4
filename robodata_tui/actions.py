"""What the keys do: the application's actions, and the dialogs they open."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from textual.widgets import Input

from robodata_core.run_state import RunState
from robodata_tui.clipboard import copy_locally
from robodata_tui.screens.details import describe_row
from robodata_tui.screens.dialog import Confirm, Reader
from robodata_tui.widgets.pane import Pane
from robodata_tui.widgets.rail import StateRail
from robodata_tui.widgets.timeline import TimelinePane

if TYPE_CHECKING:
    from robodata_tui.app import RoboDataApp

    _Self = RoboDataApp
else:
    _Self = Any

__all__ = ["Actions"]


class Actions:
    """Mixed into the application."""

    showing_bug = False

    # -- the run ------------------------------------------------------------------------------

    def action_ask(self: _Self) -> None:
        """Go to the question line."""
        self.main_screen.remove_class("-zoomed")
        # At once, not when the queue comes to it: the next key may be there already.
        self.main_screen.set_focus(self.question)

    async def action_leave(self: _Self) -> None:
        """Leave; while a run goes on, ask first."""
        if self.running is None:
            self.exit(0)
            return

        def leave(sure: bool | None) -> None:
            if sure:
                self.bridge.cancel()
                self.exit(0)

        self.push_screen(Confirm("A run goes on. Leave and give it up?", "Leave"), leave)

    # -- getting around -----------------------------------------------------------------------

    def action_pane(self: _Self, name: str) -> None:
        """Go to a pane; the timeline's number once more goes to its next tab."""
        pane = self.pane(name)
        was_there = self.focused_part() is pane
        if self.active != name:
            self.activate(name)
        if was_there and isinstance(pane, TimelinePane):
            pane.next_tab()
        self.call_after_refresh(lambda: pane.main.focus())

    def action_rail(self: _Self) -> None:
        """Go to the state rail."""
        self.main_screen.remove_class("-zoomed")
        self.main_screen.query_one(StateRail).focus()

    def action_zoom(self: _Self) -> None:
        """Show the active pane alone, or all again."""
        self.main_screen.toggle_class("-zoomed")
        self.call_after_refresh(self.refresh_view)

    def action_back(self: _Self) -> None:
        """Leave the question line, a filter, or the zoom, whichever is nearest."""
        part = self.focused_part()
        if isinstance(self.main_screen.focused, Input) and not isinstance(part, Pane):
            self.main_screen.set_focus(self.pane(self.active).main)
        elif isinstance(part, Pane) and part.clear_filter():
            part.main.focus()
        elif self.main_screen.has_class("-zoomed"):
            self.action_zoom()

    def action_page(self: _Self, by: int) -> None:
        """Scroll the active pane by a page, from the question line."""
        rows = self.pane(self.active).main
        if by < 0:
            rows.scroll_page_up(animate=False)
        else:
            rows.scroll_page_down(animate=False)

    def action_filter(self: _Self) -> None:
        """Filter the rows of the active pane."""
        self.pane(self.active).open_filter()

    def action_follow(self: _Self) -> None:
        """Show the whole run again and follow its end."""
        record = self.conversation.record
        if record is not None:
            record.step = None
        self.main_screen.query_one(TimelinePane).following = True
        self.refresh_view()

    def action_step(self: _Self, by: int) -> None:
        """Go back or forward one visit of a state."""
        if self.conversation.step(by):
            self.refresh_view()
        else:
            self.notify("There is nothing further that way.", markup=False)

    # -- dialogs ------------------------------------------------------------------------------

    def show_details(self: _Self, row: object) -> None:
        """Show everything about a row of the timeline."""
        record = self.conversation.record
        found = describe_row(row, record.state if record is not None else RunState())
        if found is not None:
            self.push_screen(Reader(*found))

    def show_bug(self: _Self, report: str) -> None:
        """Show the report of a bug."""
        self.showing_bug = True

        def shut(_: object) -> None:
            self.showing_bug = False

        head = (
            "Something went wrong that should not have. What was found so far is kept.\n"
            "y copies this report; please send it with what you did.\n\n"
        )
        self.push_screen(Reader("A bug in RoboData", head + report), shut)

    # -- copying ------------------------------------------------------------------------------

    def action_yank(self: _Self) -> None:
        """Copy what is selected in the part that has the focus."""
        part = self.focused_part()
        take: Callable[[], str] | None = getattr(part, "yank", None)
        self.yank_text(take() if take is not None else self.pane(self.active).yank())

    def yank_text(self: _Self, text: str) -> None:
        """Copy a text: through the terminal (OSC 52), and with a local tool where there is one."""
        if not text:
            self.notify("There is nothing to copy here.", markup=False)
            return
        self.copy_to_clipboard(text)
        copy_locally(text)
        self.notify(f"Copied {len(text):,} characters.", markup=False, timeout=2)
