"""The state machine as a rail: where the run is, where it was, where it may go."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from textual.binding import Binding
from textual.content import Content
from textual.style import Style
from textual.widgets import Static

from robodata_core.orchestrator.machine import State, Table, table_of
from robodata_core.run_state import RunState
from robodata_tui.widgets.ways import ToState
from robodata_tui.words import state_name

__all__ = ["StateRail"]

_BROKEN: Final = {"failed": "✗", "cancelled": "■"}
"""The sign of the state that a run broke off in."""


def _width(chips: Sequence[tuple[int, str, State]]) -> int:
    return sum(len(text) + 3 for _, text, _ in chips) - 3


class StateRail(Static, can_focus=True):
    """All states of the machine.

    ``[NAME]`` is current, ``✓`` visited, ``×3`` how often, ``›`` may come next, ``✗`` where the run
    failed. A click or Enter on a state jumps the trace to its last visit.
    """

    HELP: ClassVar = (
        "The states of the machine. [NAME] is the current one, ✓ was visited (×3: three times),"
        " › may come next, ✗ is where the run failed. Left and right choose a"
        " state, Enter jumps to its last visit."
    )
    BINDINGS: ClassVar = [
        Binding("left,h", "move(-1)", "Previous state", show=False),
        Binding("right,l", "move(1)", "Next state", show=False),
        Binding("enter", "choose", "Last visit", show=False),
    ]

    def __init__(self, id: str) -> None:
        super().__init__(id=id, markup=False)
        self._cursor = 0
        self._state = RunState()
        self._seen: object = None

    def put(self, state: RunState) -> None:
        """Show ``state``."""
        key = (state.visits, state.state, state.status, self.size.width, self.has_focus)
        if key != self._seen or self.has_focus:
            self._seen = key
            self._state = state
            self._draw()

    @property
    def states(self) -> tuple[State, ...]:
        """The states shown, from left to right."""
        return tuple(self._table)

    @property
    def _table(self) -> Table:
        return table_of(self._state.visits)

    def _draw(self) -> None:
        chips = [(place, self._chip(state), state) for place, state in enumerate(self._table)]
        if _width(chips) > self.size.width:
            # Where not all have room, those that were or may come next.
            chips = [
                chip
                for chip in chips
                if chip[2].value in self._state.visits or self._may_come(chip[2])
            ] or chips
        first, room = chips[0], self.size.width
        while chips[1:] and _width(chips) > room:
            # And where these have none, those around the one that is looked for.
            room = self.size.width - len("… ─ ")
            del chips[-1 if self._looked_for(chips[0]) else 0]
        parts: list[Content | tuple[str, Style]] = [Content("…")] if chips[0] != first else []
        for place, text, state in chips:
            if parts:
                parts.append(Content(" ─ "))
            parts.append((text, self._style(place, state)))
        self.update(Content.assemble(*parts), layout=False)

    def on_resize(self) -> None:
        """Fill the new width."""
        self._draw()

    def _looked_for(self, chip: tuple[int, str, State]) -> bool:
        place, _, state = chip
        return place == self._cursor if self.has_focus else self._state.state in ("", state.value)

    def _chip(self, state: State) -> str:
        name = state_name(state.value)
        count = self._state.visits.get(state.value)
        visits = count.visits if count else 0
        times = f" ×{visits}" if visits > 1 else ""
        last = self._state.state == state.value
        if last and not self._state.ended:
            return f"[{name}{times}]"
        if last and self._state.status in _BROKEN:
            return f"{name}{_BROKEN[self._state.status]}{times}"
        if visits:
            return f"{name}✓{times}"
        return f"›{name}" if self._may_come(state) else name

    def _may_come(self, state: State) -> bool:
        current = self._state.state
        known = current in {item.value for item in self._table} and not self._state.ended
        return known and state in self._table[State(current)]

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
        self._cursor = (self._cursor + by) % len(self._table)
        self._draw()

    def action_choose(self) -> None:
        """Jump to the chosen state's last visit."""
        self.post_message(ToState(tuple(self._table)[self._cursor % len(self._table)].value))

    def yank(self) -> str:
        """Return the states visited, in order."""
        return " → ".join(self._state.trace)
