"""The rows around the panes: what went wrong, the names of the panes, the keys that work."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.style import Style
from textual.widgets import Button, Footer, Static

__all__ = [
    "Banner",
    "KeyRow",
    "PaneTabs",
]


class Banner(Horizontal):
    """Text with Retry and Cancel; hidden unless there is something to say."""

    BINDINGS: ClassVar = [Binding("escape", "dismiss_banner", "Dismiss", show=False)]

    class Retry(Message):
        """The reader wants another try."""

    def compose(self) -> ComposeResult:
        """Put the text beside the buttons."""
        yield Static("", id="banner-text", markup=False)
        yield Button("Retry", id="banner-retry", variant="primary", compact=True)
        yield Button("Cancel", id="banner-cancel", compact=True)

    def on_mount(self) -> None:
        """Stay hidden."""
        self.display = False

    def say(self, text: str) -> None:
        """Show ``text``."""
        self.query_one("#banner-text", Static).update(f"! {text}")
        self.display = True

    def hide(self) -> None:
        """Hide the banner."""
        self.display = False

    def action_dismiss_banner(self) -> None:
        """Hide the banner."""
        self.hide()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Try again, or leave it."""
        event.stop()
        self.hide()
        if event.button.id == "banner-retry":
            self.post_message(self.Retry())


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


class PaneTabs(Static):
    """Names of the panes; the active one in brackets, each of them a link."""

    def __init__(self, id: str) -> None:
        super().__init__(id=id, markup=False)
        self._seen: object = None

    def put(
        self,
        panes: Sequence[tuple[int, str, str]],
        shown: Collection[str],
        active: str,
        *,
        short: bool = False,
    ) -> None:
        """Show the panes.

        Args:
            panes: Number, title and id of each.
            shown: Ids of those in sight; they stand in bold.
            active: Id of the one that has, or had last, the keyboard.
            short: Whether there is no room for the numbers.
        """
        key = (tuple(panes), frozenset(shown), active, short)
        if key == self._seen:
            return
        self._seen = key
        parts: list[Content | tuple[str, Style]] = []
        for number, title, id_ in panes:
            text = title if short else f"{number} {title}"
            current = id_ == active
            style = Style.from_meta({"@click": f"app.pane('{id_}')"})
            style += Style(reverse=current, bold=id_ in shown)
            parts.append((f"[{text}]" if current else f" {text} ", style))
        self.update(Content.assemble(*parts))
