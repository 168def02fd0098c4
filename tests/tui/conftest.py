"""What the tests of the terminal UI share."""

from __future__ import annotations

import gc
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


@pytest.fixture(autouse=True)
def _only_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let an application search for garbage among what it made, not what tests before it did.

    A process of its own begins with little; here each one would look through all there is, which
    took a third of the processor time of these tests.
    """
    gc.collect()
    gc.freeze()
    monkeypatch.setattr(gc, "unfreeze", lambda: None)


@pytest.fixture()
def model_journal(tmp_path: Path) -> Path:
    """A journal of a run with everything in it."""
    path = tmp_path / "model.jsonl"
    with journal.write(path) as sink:
        for event in model_run():
            sink(event)
    return path
