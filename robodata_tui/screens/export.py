"""Choosing what to write, and where to."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.widgets import Input, Label, OptionList

from robodata_tui.exporting import FORMATS, Format, free_path
from robodata_tui.records import Record
from robodata_tui.screens.dialog import Dialog
from robodata_tui.widgets.line import Line
from robodata_tui.widgets.pane import Rows

__all__ = ["ExportScreen"]


class ExportScreen(Dialog):
    """Dismissed with (format, path), or None."""

    TITLE_TEXT = "Export"
    BINDINGS: ClassVar = [("escape", "dismiss(None)", "Close")]

    def __init__(self, record: Record, folder: Path) -> None:
        super().__init__()
        self._record = record
        self._folder = folder
        self._format: Format = FORMATS[0]

    def compose(self) -> ComposeResult:
        """Put the formats above the file's name."""
        yield self.framed(
            Rows(id="formats"),
            Label("File", markup=False),
            Line(id="path"),
            hint="Enter on a format or the name writes · Tab changes the name · Esc closes",
        )

    def on_mount(self) -> None:
        """List the formats."""
        self.fill((item.label, item) for item in FORMATS)

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Offer a file name that is free."""
        self._format = FORMATS[event.option_index]
        self.query_one(Input).value = str(free_path(self._folder, self._record, self._format))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Write."""
        self._done()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Write."""
        self._done()

    def _done(self) -> None:
        self.dismiss((self._format, Path(self.query_one(Input).value).expanduser()))
