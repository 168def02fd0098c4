"""The frame all dialogs share, and the plain ones: a text to read, a question to confirm."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Button, OptionList, Static

from robodata_tui.widgets.pane import Rows

__all__ = ["Choice", "Confirm", "Copy", "Dialog", "Reader"]


@dataclass
class Copy(Message):
    """A dialog has a text to copy."""

    text: str


class Dialog(ModalScreen[Any]):
    """A framed box over the main screen; Esc leaves it."""

    TITLE_TEXT: ClassVar[str] = ""
    BINDINGS: ClassVar = [Binding("escape,q", "dismiss(None)", "Close")]

    def framed(self, *children: Any, title: str = "", hint: str = "Esc closes") -> Vertical:
        """Return the box around ``children``."""
        box = Vertical(*children, classes="dialog")
        box.border_title = Content(title or self.TITLE_TEXT)
        box.border_subtitle = Content(hint)
        return box

    def fill(self, rows: Iterable[tuple[str, object]]) -> None:
        """Show rows to choose from and give them the keyboard."""
        self.query_one(Rows).put(rows)
        self.query_one(Rows).focus()


class Choice(Dialog):
    """A list to choose from; dismissed with what the chosen row stands for."""

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Take the choice."""
        self.dismiss(self.query_one(Rows).targets[event.option_index])


class Reader(Dialog):
    """A text to scroll through and to copy."""

    BINDINGS: ClassVar = [
        Binding("escape,q,enter", "dismiss(None)", "Close"),
        Binding("y", "yank", "Yank"),
        Binding("j", "scroll(1)", "Down", show=False),
        Binding("k", "scroll(-1)", "Up", show=False),
    ]

    def __init__(self, title: str, text: Content | str) -> None:
        super().__init__()
        self._heading = title
        self._text = text if isinstance(text, Content) else Content(text)

    def compose(self) -> ComposeResult:
        """Show the text."""
        scroll = VerticalScroll(Static(self._text, markup=False), classes="reader")
        yield self.framed(scroll, title=self._heading, hint="y copies · Esc closes")

    def on_mount(self) -> None:
        """Scroll with the keyboard at once."""
        self.query_one(VerticalScroll).focus()

    def action_scroll(self, by: int) -> None:
        """Scroll a line."""
        self.query_one(VerticalScroll).scroll_relative(y=by, animate=False)

    def action_yank(self) -> None:
        """Copy the text."""
        self.app.post_message(Copy(self._text.plain))


class Confirm(Dialog):
    """A question with two answers; dismissed with True or None."""

    BINDINGS: ClassVar = [
        Binding("escape,n", "dismiss(None)", "No"),
        Binding("y", "dismiss(True)", "Yes"),
    ]

    def __init__(self, text: str, yes: str) -> None:
        super().__init__()
        self._text = text
        self._yes = yes

    def compose(self) -> ComposeResult:
        """Show the question with its buttons."""
        yield self.framed(
            Static(self._text, markup=False),
            Horizontal(
                Button(self._yes, id="yes", variant="primary"),
                Button("Stay", id="no"),
                classes="buttons",
            ),
            hint=f"y: {self._yes[:1].lower()}{self._yes[1:]} · n, Esc: stay",
        )

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Take the answer."""
        event.stop()
        self.dismiss(True if event.button.id == "yes" else None)
