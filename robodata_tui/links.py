"""From one part of the screen to another: claims, triples, calls, states, answers.

The panes say what the reader wants; here it is done.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from textual.widget import Widget

from robodata_tui.widgets.answer import AnswerPane, other_citation
from robodata_tui.widgets.claims import ClaimsPane
from robodata_tui.widgets.evidence import EvidencePane
from robodata_tui.widgets.graph import GraphPane
from robodata_tui.widgets.pane import Pane
from robodata_tui.widgets.prompt import QuestionInput
from robodata_tui.widgets.rail import STATES, StateRail
from robodata_tui.widgets.timeline import TimelinePane

if TYPE_CHECKING:
    from robodata_tui.app import RoboDataApp

    _Self = RoboDataApp
else:
    _Self = Any

__all__ = ["Links"]


class Links:
    """Mixed into the application."""

    def on_claims_pane_chosen(self: _Self, event: ClaimsPane.Chosen) -> None:
        """Show a claim's triples."""
        self._show_claim(event.claim_id, event.enter)

    def on_answer_pane_cite_wanted(self: _Self, event: AnswerPane.CiteWanted) -> None:
        """Show a citation's triples; it is counted from the one chosen last, shown yet or not."""
        record = self.conversation.record
        if record is not None:
            name = other_citation(record.shown, self.conversation.claim, event.by)
            if name:
                self._show_claim(name, enter=not event.by)

    def on_evidence_pane_claim_wanted(self: _Self, event: EvidencePane.ClaimWanted) -> None:
        """Show a claim that a triple supports."""
        self._show_claim(event.claim_id, enter=False)
        self.action_pane("claims")

    def _show_claim(self: _Self, claim_id: str, enter: bool) -> None:
        self.conversation.select_claim(claim_id)
        self.refresh_view()
        if enter:
            self.action_pane("evidence")

    def on_graph_pane_chosen(self: _Self, event: GraphPane.Chosen) -> None:
        """Show where a triple came from, and the claims it supports."""
        self.show_triple(event.handle)

    def on_evidence_pane_triple_wanted(self: _Self, event: EvidencePane.TripleWanted) -> None:
        """Show the claims a triple supports."""
        self.show_triple(event.handle)

    def show_triple(self: _Self, handle: str) -> None:
        """Select a triple and go to its evidence."""
        self.conversation.select_triple(handle)
        self.refresh_view()
        self.action_pane("evidence")

    def on_evidence_pane_call_wanted(self: _Self, event: EvidencePane.CallWanted) -> None:
        """Jump to the call that fetched a triple, in whichever run it was."""
        number = self.conversation.find_run(event.run_id)
        if number is None:
            self.notify(
                "The run that fetched this triple is not open; F8 opens journals.", markup=False
            )
            return
        if self.conversation.go(number):
            self.refresh_view()
        self._jump(lambda pane: pane.go_call(event.call_id))

    def _jump(self: _Self, go: Callable[[TimelinePane], bool]) -> None:
        self.activate("timeline")

        def jump() -> None:
            self.refresh_view()
            pane = self.main_screen.query_one(TimelinePane)
            if not go(pane):
                self.notify("The timeline does not hold that.", markup=False)

        self.call_after_refresh(jump)

    def on_state_rail_chosen(self: _Self, event: StateRail.Chosen) -> None:
        """Jump to the last visit of a state."""
        self._jump(lambda pane: pane.go_state(event.state))

    def action_open_state(self: _Self, place: int) -> None:
        """Jump to the last visit of the state in that place of the rail."""
        self._jump(lambda pane: pane.go_state(STATES[place].value))

    def action_open_citation(self: _Self, number: int, place: int) -> None:
        """Show the triples of a citation that was clicked, of any answer."""
        self.conversation.go(number)
        record = self.conversation.record
        answer = record.shown.answer if record is not None else None
        if answer is not None and place < len(answer.claims):
            self._show_claim(answer.claims[place].id, enter=True)

    def on_answer_pane_record_wanted(self: _Self, event: AnswerPane.RecordWanted) -> None:
        """Show an earlier or later answer."""
        self.conversation.go(self.conversation.number + event.by)
        self.refresh_view()

    def focused_part(self: _Self) -> Widget | None:
        """Return the pane, rail or line that has the focus."""
        widget = self.main_screen.focused
        if widget is None:
            return None
        for ancestor in widget.ancestors_with_self:
            if isinstance(ancestor, (Pane, StateRail, QuestionInput)):
                return ancestor
        return None

    def on_timeline_pane_opened(self: _Self, event: TimelinePane.Opened) -> None:
        """Show everything about a row."""
        self.show_details(event.row)
