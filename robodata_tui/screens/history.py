"""Earlier runs: those of this session, and the journals in the folder."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.widgets import Input, Label

from robodata_core import journal
from robodata_core.errors import RoboDataError
from robodata_core.events import RunStarted
from robodata_tui.records import Record
from robodata_tui.screens.dialog import Choice
from robodata_tui.widgets.line import Line
from robodata_tui.widgets.pane import Rows
from robodata_tui.words import STATUS_MARKS, clean

__all__ = ["HistoryScreen", "past_questions", "recent_journals"]

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
