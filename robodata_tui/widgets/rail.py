"""The state machine as a rail: where the run is, where it was, where it may go."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding
from textual.content import Content
from textual.message import Message
from textual.style import Style
from textual.widgets import Static

from robodata_core.orchestrator.machine import TRANSITIONS, State
from robodata_core.run_state import RunState
from robodata_tui.words import many, state_name, waiting_for

__all__ = ["StateRail"]

STATES = tuple(TRANSITIONS)


class StateRail(Static, can_focus=True):
    """All states of the machine.

    ``[NAME]`` is current, ``✓`` visited, ``×3`` how often, ``›`` may come next. A click or Enter
    on a state jumps the timeline to its last visit.
    """

    HELP: ClassVar = (
        "The states of the machine. [NAME] is the current one, ✓ was visited (×3: three times),"
        " › may come next. Left and right choose a state, Enter jumps to its last visit."
    )
    BINDINGS: ClassVar = [
        Binding("left,h", "move(-1)", "Previous state", show=False),
        Binding("right,l", "move(1)", "Next state", show=False),
        Binding("enter", "choose", "Last visit", show=False),
    ]

    class Chosen(Message):
        """A state was chosen."""

        def __init__(self, state: str) -> None:
            super().__init__()
            self.state = state

    def __init__(self, id: str) -> None:
        super().__init__(id=id, markup=False)
        self._cursor = 0
        self._state = RunState()
        self._waited = 0.0

    def put(self, state: RunState, waited: float) -> None:
        """Show ``state``; ``waited`` is the seconds since its last event, while it runs."""
        self._state, self._waited = state, waited
        self._draw()

    def _draw(self) -> None:
        parts: list[Content | tuple[str, Style]] = []
        for place, state in enumerate(STATES):
            if place:
                parts.append(Content(" ─ "))
            parts.append((self._chip(state), self._style(place, state)))
        second = Content.styled(f"\n{_summary(self._state, self._waited)}", "$foreground-muted")
        self.update(Content.assemble(*parts, second), layout=False)

    def _chip(self, state: State) -> str:
        name = state_name(state.value)
        count = self._state.visits.get(state.value)
        visits = count.visits if count else 0
        times = f" ×{visits}" if visits > 1 else ""
        if self._state.state == state.value and not self._state.ended:
            return f"[{name}{times}]"
        if visits:
            return f"{name}✓{times}"
        return f"›{name}" if self._may_come(state) else name

    def _may_come(self, state: State) -> bool:
        current = self._state.state
        known = current in {item.value for item in STATES} and not self._state.ended
        return known and state in TRANSITIONS[State(current)]

    def _style(self, place: int, state: State) -> Style:
        style = Style.from_meta({"@click": f"app.open_state({place})"})
        current = self._state.state == state.value and not self._state.ended
        chosen = self.has_focus and place == self._cursor
        return style + Style(
            reverse=current, underline=chosen, bold=current or chosen or self._may_come(state)
        )

    def on_focus(self) -> None:
        """Show the cursor."""
        self._draw()

    def on_blur(self) -> None:
        """Hide the cursor."""
        self._draw()

    def action_move(self, by: int) -> None:
        """Choose the next or previous state."""
        self._cursor = (self._cursor + by) % len(STATES)
        self._draw()

    def action_choose(self) -> None:
        """Jump to the chosen state's last visit."""
        self.post_message(self.Chosen(STATES[self._cursor].value))

    def yank(self) -> str:
        """Return the states visited, in order."""
        return " → ".join(self._state.trace)


def _summary(state: RunState, waited: float) -> str:
    if not state.run_id:
        return "no run yet"
    parts = [many(state.tool_calls, "call")]
    if state.failed_calls:
        parts.append(f"{state.failed_calls} failed")
    if state.repeated_calls:
        parts.append(f"{state.repeated_calls} from memory")
    parts.append(f"+{many(state.edges_added, 'triple')}")
    if state.urgency and state.urgency != "none":
        parts.append(f"urgency {state.urgency}")
    if state.running:
        parts.insert(0, f"waiting for {waiting_for(state)} {waited:.0f} s")
    return " · ".join(parts)
