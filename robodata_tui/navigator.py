"""From one part of the screen to another, and back: claims, triples, calls, states, answers.

The panes say what the reader wants; here it is done. Every jump remembers where it came from, and
one that leads into another run says so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from textual.app import App

from robodata_tui.records import Record
from robodata_tui.session import Session
from robodata_tui.widgets.rail import StateRail
from robodata_tui.widgets.trace import TracePane
from robodata_tui.widgets.ways import ToAnswer, ToCall, ToClaim, ToState, ToTriple, Way
from robodata_tui.words import clean
from robodata_tui.workspace import Workspace

__all__ = ["Navigator"]

_MOST_PLACES: Final = 50


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a reader was."""

    record: Record | None
    claim: str
    handle: str
    member: str
    pane: str


class Navigator:
    """Moves the reader.

    Args:
        app: Who says what cannot be done.
        session: The runs.
        workspace: The panes.
    """

    def __init__(self, app: App[int], session: Session, workspace: Workspace) -> None:
        self._app = app
        self._session = session
        self._workspace = workspace
        self._places: list[_Place] = []

    @property
    def _trace(self) -> TracePane:
        return self._workspace.screen.query_one(TracePane)

    def _leave(self) -> None:
        """Remember where the reader is."""
        talk = self._session.conversation
        place = _Place(talk.record, talk.claim, talk.handle, talk.member, self._workspace.active)
        if not self._places or self._places[-1] != place:
            self._places = [*self._places[-_MOST_PLACES:], place]

    def take(self, way: Way) -> None:
        """Go where a pane wants to."""
        match way:
            case ToClaim():
                self.claim(way.claim_id, way.member, enter=way.enter)
            case ToAnswer():
                self.claim(way.claim_id, enter=False)
                self._workspace.go("answer")
            case ToTriple():
                self.triple(way.handle)
            case ToCall():
                self.call(way.run_id, way.call_id)
            case ToState():
                self.state(way.state)

    def back(self) -> None:
        """Go back to where the last jump came from."""
        talk = self._session.conversation
        while self._places:
            place = self._places.pop()
            if place.record is not None and place.record in talk.records:
                before = talk.record
                talk.go(talk.records.index(place.record))
                talk.claim, talk.handle, talk.member = place.claim, place.handle, place.member
                self._told(before)
            self._workspace.refresh()
            self._workspace.go(place.pane)
            return
        self._app.notify("There is no jump to come back from.", markup=False)

    def _told(self, before: Record | None) -> None:
        """Say it where another run is shown now."""
        record = self._session.conversation.record
        if record is not None and record is not before:
            text = f"Another run: {clean(record.question, 120)}"
            self._app.notify(text, markup=False, title="b goes back")

    def claim(self, claim_id: str, member: str = "", *, enter: bool) -> None:
        """Show the proof of a claim, or of one of its results; ``enter`` goes there."""
        if enter:
            self._leave()
        self._session.conversation.select_claim(claim_id, member)
        self._workspace.refresh()
        if enter:
            self._workspace.go("proof")

    def citation(self, number: int, place: int) -> None:
        """Show the proof of a citation of any answer, both by their places."""
        self._leave()
        before = self._session.conversation.record
        self._session.conversation.go(number)
        record = self._session.conversation.record
        answer = record.shown.answer if record is not None else None
        self._told(before)
        if answer is not None and place < len(answer.claims):
            self._session.conversation.select_claim(answer.claims[place].id)
            self._workspace.refresh()
            self._workspace.go("proof")

    def triple(self, handle: str) -> None:
        """Show where a triple came from, and the claims it supports."""
        self._leave()
        self._session.conversation.select_triple(handle)
        self._workspace.refresh()
        self._workspace.go("proof")

    def call(self, run_id: str, call_id: str) -> None:
        """Jump to a call, in whichever run it was."""
        talk = self._session.conversation
        number = talk.find_run(run_id)
        if number is None:
            text = "The run that fetched this triple is not open; F8 opens journals."
            self._app.notify(text, markup=False)
            return
        self._leave()
        before = talk.record
        if talk.go(number):
            self._workspace.refresh()
            self._told(before)
        self._jump(lambda pane: pane.go_call(call_id))

    def state(self, name: str) -> None:
        """Jump to the last visit of a state."""
        self._leave()
        self._jump(lambda pane: pane.go_state(name))

    def state_at(self, place: int) -> None:
        """Jump to the last visit of the state in that place of the rail."""
        states = self._workspace.screen.query_one(StateRail).states
        self.state(states[place % len(states)].value)

    def _jump(self, go: Callable[[TracePane], bool]) -> None:
        self._workspace.activate("trace")

        def jump() -> None:
            self._workspace.refresh()
            if not go(self._trace):
                self._app.notify("The trace does not hold that.", markup=False)

        self._app.call_after_refresh(jump)

    def other(self, by: int) -> None:
        """Show an earlier or later answer."""
        talk = self._session.conversation
        if talk.go(talk.number + by):
            self._workspace.refresh()
        else:
            self._app.notify("There is no further answer that way.", markup=False)

    def follow(self) -> None:
        """Show the whole run again and follow its end."""
        record = self._session.conversation.record
        if record is not None:
            record.step = None
        self._trace.following = True
        self._workspace.refresh()

    def step(self, by: int) -> None:
        """Go back or forward one visit of a state."""
        if self._session.conversation.step(by):
            self._workspace.refresh()
        else:
            self._app.notify("There is nothing further that way.", markup=False)

    def part(self, name: str) -> None:
        """Go to a part of the screen by its name."""
        if name == "Question":
            self._workspace.go_question()
        elif name == "States":
            self._workspace.screen.query_one(StateRail).focus()
        elif name in ("Prompts", "Log", "Trace"):
            self._workspace.activate("trace")
            self._app.call_after_refresh(self._trace.go_tab, name.lower())
        else:
            self._workspace.go(name.lower())
