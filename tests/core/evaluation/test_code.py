"""Which code gave an answer: noted, the same everywhere, and never mixed without a word."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import robodata_core
from robodata_core.cli import run
from robodata_core.evaluation._setup import code_fingerprint
from robodata_core.evaluation.results import read_results

from .conftest import TABLE

_PRINT = "from robodata_core.evaluation._setup import code_fingerprint; print(code_fingerprint())"


def _package(folder: Path) -> Path:
    """Make a small package: a module, a table, and what Python leaves beside them."""
    (folder / "words" / "__pycache__").mkdir(parents=True)
    (folder / "words" / "tables.tsv").write_text("a\tb\n")
    (folder / "words" / "__pycache__" / "old.py").write_text(str(folder))
    (folder / "module.py").write_text("x = 1\n")
    return folder


def test_every_process_finds_the_same() -> None:
    found = {
        subprocess.run(
            [sys.executable, "-c", _PRINT],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert found == {code_fingerprint()}
    assert len(code_fingerprint()) == 12


def test_a_copy_elsewhere_counts_as_the_same(tmp_path: Path) -> None:
    copy = tmp_path / "elsewhere" / "robodata_core"
    shutil.copytree(Path(robodata_core.__file__).parent, copy, copy_function=shutil.copyfile)
    assert code_fingerprint(copy) == code_fingerprint()


@pytest.mark.parametrize("change", ["content", "name", "new", "less"])
def test_a_change_of_the_files_shows(tmp_path: Path, change: str) -> None:
    first = code_fingerprint(_package(tmp_path / "one"))
    other = _package(tmp_path / "other")
    assert code_fingerprint(other) == first
    table = other / "words" / "tables.tsv"
    if change == "content":
        table.write_text("a\tc\n")
    elif change == "name":
        table.rename(table.with_name("more.tsv"))
    elif change == "new":
        (other / "second.py").write_text("")
    else:
        table.unlink()
    assert code_fingerprint(other) != first


def test_a_package_that_is_not_there_has_none(tmp_path: Path) -> None:
    (tmp_path / "gone.py").symlink_to(tmp_path / "nowhere.py")
    assert code_fingerprint(tmp_path) == ""


def _begun_by(path: Path, code: str | None) -> None:
    """Let a results file say that other code, or code that noted nothing, gave all it holds."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines:
        line.pop("code")
        line.update({"code": code} if code else {})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


@pytest.mark.parametrize("code", ["0123456789ab", None])
def test_a_file_that_other_code_began_is_gone_on_with_on_request_only(
    code: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    questions, output = tmp_path / "q.tsv", tmp_path / "r.jsonl"
    questions.write_text(TABLE, encoding="utf-8")
    command = ["bench", "run", str(questions), "--output", str(output)]
    assert run([*command, "--limit", "2"]) == 0
    assert {row.code for row in read_results(output).rows} == {code_fingerprint()}
    assert "other code" not in capsys.readouterr().out
    _begun_by(output, code)
    before = output.read_bytes()

    assert run(command) == 2
    captured = capsys.readouterr()
    assert f"was begun by other code (robodata {robodata_core.__version__}, code" in captured.err
    assert (code or "not noted") in captured.err
    assert "--other-code" in captured.err
    assert (captured.out, output.read_bytes()) == ("", before)

    assert run([*command, "--other-code"]) == 0
    assert "2 of 5 answers come from other code" in capsys.readouterr().out
    assert [row.code for row in read_results(output).rows].count(code_fingerprint()) == 3
    assert run(["bench", "report", str(output), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["code"], told["of_other_code"]) == (code or "", 3)
