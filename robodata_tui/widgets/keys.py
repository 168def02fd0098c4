"""The bottom row: the keys that work where the cursor is."""

from __future__ import annotations

from textual.widgets import Footer

__all__ = ["KeyRow"]


class KeyRow(Footer):
    """Textual's footer, made anew only where its keys differ, and rid of the old ones then.

    Every key is bound to the footer, which holds it for ever otherwise: a third of a megabyte for
    every question.
    """

    _seen: object = None

    async def recompose(self) -> None:
        """Show the keys that work now."""
        there = self.screen.active_bindings.values()
        keys = [(item.binding, item.enabled) for item in there if item.binding.show]
        if keys != self._seen:
            self._seen = keys
            await super().recompose()
            self.mutate_reactive(Footer.compact)  # those that are gone are let go
