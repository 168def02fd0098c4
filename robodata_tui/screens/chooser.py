"""Lists to choose from: parts of the screen to jump to, themes with preview."""

from __future__ import annotations

from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding
from textual.widgets import OptionList

from robodata_tui.screens.dialog import Choice
from robodata_tui.widgets.pane import Rows

__all__ = ["JUMPS", "JumpScreen", "ThemeScreen"]

_PARTS: Final = "Question States Answer Proof Trace Prompts Log Graph Doubt"
JUMPS: Final = dict(zip("i0123po45", _PARTS.split(), strict=True))
"""The parts of the screen, by the key that goes there."""


class JumpScreen(Choice):
    """Every part of the screen with a letter; dismissed with its name."""

    TITLE_TEXT = "Jump to"
    BINDINGS: ClassVar = [
        Binding("escape,ctrl+o", "dismiss(None)", "Close"),
        *(Binding(key, f"dismiss('{name}')", name, show=False) for key, name in JUMPS.items()),
    ]

    def compose(self) -> ComposeResult:
        """List the parts."""
        yield self.framed(Rows(id="jumps"), hint="a letter, or arrows and Enter")

    def on_mount(self) -> None:
        """Fill the list."""
        self.fill((f"{key}  {name}", name) for key, name in JUMPS.items())


class ThemeScreen(Choice):
    """All themes; moving shows one, Enter keeps it, Esc brings the old one back."""

    TITLE_TEXT = "Theme"
    BINDINGS: ClassVar = [Binding("escape", "leave", "Close")]

    def __init__(self) -> None:
        super().__init__()
        self._before = ""

    def compose(self) -> ComposeResult:
        """List the themes."""
        yield self.framed(Rows(id="themes"), hint="moving previews · Enter keeps · Esc leaves")

    def on_mount(self) -> None:
        """Fill the list, the current theme marked."""
        self._before = self.app.theme
        names = sorted(self.app.available_themes)
        with self.prevent(OptionList.OptionHighlighted):
            self.fill((name, name) for name in names)
        self.query_one(Rows).highlighted = names.index(self._before)

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Show the theme."""
        self.app.theme = str(self.query_one(Rows).targets[event.option_index])

    def action_leave(self) -> None:
        """Bring the old theme back."""
        self.app.theme = self._before
        self.dismiss(None)
