"""The main screen, drawn part by part: a key waits for one part at most, never for all of them.

Textual draws whatever changed since the last time in one go, and everything between it as well:
a digit in the header and a letter in the question line are the whole screen.
"""

from __future__ import annotations

from typing import Any, Final

from textual.geometry import Region
from textual.screen import Screen
from textual.timer import Timer

__all__ = ["MainScreen"]

_BREATH: Final = 0.008
"""Seconds between two parts: a key goes through several queues until its widget has it."""


class MainScreen(Screen[Any]):
    """A screen that draws what has the focus first, and then the other parts one by one."""

    _next: Timer | None = None

    def on_screen_suspend(self) -> None:
        """Take away what was told here before a dialog opens: it would lie over that as well."""
        self.app.clear_notifications()

    def _compositor_refresh(self) -> None:
        try:
            self._draw_part()
        except AttributeError:  # Another release of Textual keeps this elsewhere.
            super()._compositor_refresh()

    def _draw_part(self) -> None:
        # Drawing forgets which widgets are dirty, and some may have become so since.
        self._compositor.update_widgets(self._dirty_widgets)
        waiting = self._compositor._dirty_regions
        parts = _parts(waiting) if self is self.app.screen and not self.app.is_inline else []
        if len(parts) < 2 or self.size.region in waiting:
            super()._compositor_refresh()
            return
        focused = self.focused.region if self.focused is not None else Region()
        # What reaches the focused widget comes first; of the others the highest on the screen.
        parts.sort(key=lambda part: (not part.overlaps(focused), part.y, part.x))
        waiting.clear()
        waiting.add(parts[0])
        super()._compositor_refresh()
        waiting.update(parts[1:])
        if self._next is None:
            self._next = self.set_timer(_BREATH, self._go_on)

    def _go_on(self) -> None:
        self._next = None
        self._compositor_refresh()


def _parts(regions: set[Region]) -> list[Region]:
    """Return regions as such that do not overlap."""
    parts: list[Region] = []
    for region in regions:
        near = [part for part in parts if part.overlaps(region)]
        while near:
            parts = [part for part in parts if part not in near]
            region = Region.from_union([region, *near])
            near = [part for part in parts if part.overlaps(region)]
        parts.append(region)
    return parts
