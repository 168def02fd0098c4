"""A line of text to type into, as all parts of the screen use it."""

from __future__ import annotations

from typing import ClassVar, Final

from textual import events
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

    async def on_key(self, event: events.Key) -> None:
        """Do what a key of this line does before the letters behind it come.

        Textual lets a key that is no letter go up to the application first, which then finds its
        binding: what was typed behind it would be in the line by then.
        """
        found = None if event.is_printable else self.screen.active_bindings.get(event.key)
        if found is not None and found.enabled and found.node is self:
            event.stop()
            await self.app.run_action(found.binding.action, self)

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Tell whether a key is text here; the footer leaves such keys out."""
        return key in _SIGNS or super().check_consume_key(key, character)
