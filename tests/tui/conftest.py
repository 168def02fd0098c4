"""What the tests of the terminal UI share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from robodata_core import journal
from tests.tui._app import model_run

# The pictures are those of a terminal with colours, wherever the tests run.
os.environ.pop("NO_COLOR", None)
os.environ.update(TERM="xterm-256color", COLORTERM="truecolor")


@pytest.fixture()
def model_journal(tmp_path: Path) -> Path:
    """A journal of a run with everything in it."""
    path = tmp_path / "model.jsonl"
    with journal.write(path) as sink:
        for event in model_run():
            sink(event)
    return path
