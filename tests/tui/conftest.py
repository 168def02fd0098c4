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


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give real terminals, browsers and event loops time: they wait for conditions alone."""
    for item in items:
        if item.path.parent == Path(__file__).parent:
            item.add_marker(pytest.mark.timeout(400))


@pytest.fixture()
def model_journal(tmp_path: Path) -> Path:
    """A journal of a run with everything in it."""
    path = tmp_path / "model.jsonl"
    with journal.write(path) as sink:
        for event in model_run():
            sink(event)
    return path
