"""Lists to choose from: parts of the screen, themes, earlier runs, formats to write."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding
from textual.widgets import Input, Label, OptionList

from robodata_core import journal
from robodata_core.errors import RoboDataError
from robodata_core.events import RunStarted
from robodata_tui.exporting import FORMATS, Format, free_path
from robodata_tui.records import Record
from robodata_tui.screens.dialog import Choice, Dialog
from robodata_tui.widgets.line import Line
from robodata_tui.widgets.pane import Rows
from robodata_tui.words import STATUS_MARKS, clean

__all__ = [
    "JUMPS",
    "ExportScreen",
    "HistoryScreen",
    "JumpScreen",
    "ThemeScreen",
    "past_questions",
    "recent_journals",
]

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
            hint="Enter writes · Tab changes the name · Esc closes",
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


_MOST: Final = 200


def recent_journals(folder: Path | None) -> list[tuple[Path, RunStarted]]:
    """Return the newest journals with how they start; what is no journal is left out."""
    if folder is None or not folder.is_dir():
        return []
    paths = sorted(folder.glob("*.jsonl"), key=_age, reverse=True)[:_MOST]
    found = []
    for path in paths:
        try:
            first = next(islice(journal.read(path, notice=lambda text: None), 1), None)
        except RoboDataError:
            continue
        if isinstance(first, RunStarted):
            found.append((path, first))
    return found


def _age(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def past_questions(folder: Path | None) -> list[str]:
    """Return the questions of the newest journals, oldest first, each once."""
    names = [clean(first.question, 2_000) for _, first in recent_journals(folder)[:100]]
    return list(dict.fromkeys(names))[::-1]


class HistoryScreen(Choice):
    """Dismissed with the place of a run, the path of a journal, or None."""

    TITLE_TEXT = "History"
    BINDINGS: ClassVar = [("escape", "dismiss(None)", "Close")]

    def __init__(self, records: Sequence[Record], folder: Path | None) -> None:
        super().__init__()
        self._records = records
        self._folder = folder

    def compose(self) -> ComposeResult:
        """Put the runs above a line for any other file."""
        yield self.framed(
            Rows(id="runs"),
            Label("Any other journal", markup=False),
            Line(placeholder="path of a .jsonl file", id="path"),
            hint="Enter opens · Tab to the path · Esc closes",
        )

    def on_mount(self) -> None:
        """List this session's runs, then the journals that are not among them."""
        rows: list[tuple[str, int | Path]] = []
        for number, record in reversed(list(enumerate(self._records))):
            mark = STATUS_MARKS.get(record.state.status, "○")
            rows.append((f"{mark} {clean(record.question, 200)}", number))
        here = {record.state.run_id for record in self._records}
        for path, first in recent_journals(self._folder):
            if first.header.run_id not in here:
                when = f"{first.header.time:%Y-%m-%d %H:%M}"
                rows.append((f"↻ {clean(first.question, 200)}  ({when} UTC)", path))
        self.fill(rows)
        if not rows:
            self.query_one(Input).focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Open the file."""
        if event.value.strip():
            self.dismiss(Path(event.value.strip()).expanduser())
