"""A line of text to type into, as all parts of the screen use it."""

from __future__ import annotations

from typing import ClassVar, Final

from textual.binding import Binding
from textual.widgets import Input

__all__ = ["Line"]

_SIGNS: Final = frozenset({"slash", "backslash", "at", "minus", "plus", "underscore"})
"""Keys whose names Textual changed, and then no longer knows for characters."""


class Line(Input):
    """An input line whose cursor blinks only where things may move by themselves."""

    BINDINGS: ClassVar = [
        # Before what comes right behind it: that is for the part it goes to.
        Binding("tab", "app.focus_next", "Next part", show=False, priority=True),
        Binding("shift+tab", "app.focus_previous", "Part before", show=False, priority=True),
    ]

    def on_mount(self) -> None:
        """Hold the cursor still over a slow line."""
        if self.app.animation_level == "none":
            # Without its watcher: that one hides the cursor until the next key.
            self.set_reactive(Line.cursor_blink, False)

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Tell whether a key is text here; the footer leaves such keys out."""
        return key in _SIGNS or super().check_consume_key(key, character)
