"""A line of text to type into, as all parts of the screen use it."""

from __future__ import annotations

from textual.widgets import Input

__all__ = ["Line"]


class Line(Input):
    """An input line whose cursor blinks only where things may move by themselves."""

    def on_mount(self) -> None:
        """Hold the cursor still over a slow line."""
        self.cursor_blink = self.app.moves  # type: ignore[attr-defined]
