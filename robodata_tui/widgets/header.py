"""The top line: where knowledge comes from, who decides, how the run stands."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static

from robodata_core.run_state import RunState
from robodata_tui.words import STATUS_MARKS, clean, clock, compact, source_name

__all__ = ["HeaderBar", "core_name"]


def core_name(source: str, policy: str) -> str:
    """Return a source and who decides, in few words."""
    return f"{source_name(source)[:60]} · {clean(policy, 20)}"


class HeaderBar(Static):
    """One line, name on the left, run on the right; the left one gives way."""

    def __init__(self, id: str) -> None:
        super().__init__(id=id, markup=False)
        self.core = "opening …"
        self._parts = ("", "")

    def put(self, state: RunState, elapsed: float, note: str) -> None:
        """Show how the run stands.

        Args:
            state: The run.
            elapsed: Seconds since it started.
            note: ``CANCELLING``, ``REPLAY`` and the like, or empty.
        """
        core = core_name(state.source, state.policy) if state.run_id else self.core
        self._parts = (f" RoboData  {core}", _run(state, elapsed, note))
        self._draw()

    def on_resize(self) -> None:
        """Fill the new width."""
        self._draw()

    def _draw(self) -> None:
        left, right = self._parts
        room = max(0, self.size.width - len(right) - 2)
        if len(left) > room:
            left = left[: max(0, room - 1)] + "…"
        space = " " * max(1, self.size.width - len(left) - len(right) - 1)
        self.update(
            Content.assemble(Content.styled(left, "bold"), Content(space + right)), layout=False
        )


def _run(state: RunState, elapsed: float, note: str) -> str:
    if not state.status:
        return f"{note} {elapsed:.0f} s" if elapsed else note
    parts = [note or f"{STATUS_MARKS.get(state.status, '○')} {clean(state.status, 20).upper()}"]
    parts[0] += f" {clock(elapsed)}"
    if state.turn is not None:
        parts.append(f"turn {state.turn.number}/{state.max_turns}")
    tokens = state.tokens.prompt + state.tokens.completion
    if tokens:
        parts.append(f"{compact(tokens)} tok")
    return "  ".join(parts)
