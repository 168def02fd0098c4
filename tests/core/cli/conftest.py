"""What these tests share: folders of their own, and what an error must look like."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _own_folders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Let no settings file and no log of the machine be found or written."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def one_sentence(err: str) -> bool:
    """Whether an error is told on one line, without a traceback."""
    return "Traceback" not in err and len(err.strip().splitlines()) == 1
