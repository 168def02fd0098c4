"""A line across the screen for what went wrong, with what can be done about it."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Button, Static

__all__ = ["Banner"]


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
