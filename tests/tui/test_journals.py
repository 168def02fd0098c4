"""Which journals stay: the newest of our own, and everything that is somebody else's."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from robodata_core.config import load_settings
from robodata_core.errors import ConfigurationError
from robodata_tui.command import _journaled
from robodata_tui.kept import default_folder, prune


def journals(folder: Path, count: int, size: int = 10) -> list[Path]:
    """Make journals, the oldest one first."""
    made = []
    for number in range(count):
        path = folder / f"run-{number:016x}.jsonl"
        path.write_text("x" * size)
        os.utime(path, (1_000 + number, 1_000 + number))
        made.append(path)
    return made


def test_the_oldest_go(tmp_path: Path) -> None:
    made = journals(tmp_path, 6)
    assert sorted(prune(tmp_path, 4)) == made[:2]
    assert sorted(tmp_path.iterdir()) == made[2:]
    assert prune(tmp_path, 4) == []


def test_what_they_take_is_bounded_and_the_newest_stays(tmp_path: Path) -> None:
    made = journals(tmp_path, 5, size=100)
    prune(tmp_path, 10, most_bytes=250)
    assert sorted(tmp_path.iterdir()) == made[3:]
    prune(tmp_path, 10, most_bytes=1)
    assert sorted(tmp_path.iterdir()) == made[4:]


def test_all_may_stay(tmp_path: Path) -> None:
    journals(tmp_path, 5)
    assert prune(tmp_path, 0, most_bytes=1) == []


def test_files_of_others_are_never_removed(tmp_path: Path) -> None:
    journals(tmp_path, 3)
    mine = tmp_path / "who-are-the-relatives.jsonl"
    mine.write_text("mine")
    os.utime(mine, (1, 1))
    (tmp_path / "run-0123456789abcdef.jsonl.bak").write_text("")
    (tmp_path / "run-short.jsonl").write_text("")
    target = tmp_path / "elsewhere"
    target.write_text("")
    link = tmp_path / f"run-{'f' * 16}.jsonl"
    link.symlink_to(target)
    (tmp_path / f"run-{'e' * 16}.jsonl").mkdir()
    prune(tmp_path, 1)
    left = {path.name for path in tmp_path.iterdir()}
    assert {mine.name, "run-0123456789abcdef.jsonl.bak", "run-short.jsonl"} <= left
    assert {link.name, f"run-{'e' * 16}.jsonl", "elsewhere"} <= left
    assert f"run-{2:016x}.jsonl" in left
    assert f"run-{1:016x}.jsonl" not in left


def test_there_may_be_no_folder_yet(tmp_path: Path) -> None:
    assert prune(tmp_path / "none", 1) == []


def test_the_folder_is_the_users(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert default_folder() == tmp_path / "robodata" / "journals"


def test_how_many_is_a_setting(tmp_path: Path) -> None:
    path = tmp_path / "robodata.yaml"
    path.write_text("tui: {journals: 7}\n")
    assert load_settings(path).tui.journals == 7
    path.write_text("tui: {journals: -1}\n")
    with pytest.raises(ConfigurationError):
        load_settings(path)


def test_where_no_journals_can_be_kept_one_line_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("no folder can be made below this")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file" / "state"))
    settings, journals = _journaled(None, {}, load_settings(), True)
    assert journals is None and not settings.journal
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("robodata: No journals are kept: ") and "cannot be written" in line
