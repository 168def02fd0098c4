"""Whole files of triples: judged once each, gone on with after an end, reported doubtful first."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from robodata_core.cli import run
from robodata_core.errors import ConfigurationError
from robodata_core.verification.files import VerdictFile, html_report, read_triples
from tests.core.verification.conftest import CITIZEN, country, person


def rows(count: int = 4) -> str:
    lines = ["subject\tpredicate\tobject"]
    lines += [f"{person(n)}\t{CITIZEN}\t{country(n)}" for n in range(1, count)]
    return "\n".join([*lines, f"{person(1)}\t{CITIZEN}\tNowhere"]) + "\n"


def judged(folder: Path, triples: Path, output: Path, *more: str) -> int:
    source = f"snapshot:{folder}"
    return run(
        ["verify", "--file", str(triples), "--output", str(output), "--source", source, *more]
    )


def verdicts(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()[1:]]


def test_every_triple_gets_one_verdict_and_the_doubtful_come_first(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    triples, output = tmp_path / "t.tsv", tmp_path / "v.jsonl"
    triples.write_text(rows())
    assert judged(folder, triples, output, "--report", str(tmp_path / "r.md")) == 0
    assert [one["line"] for one in verdicts(output)] == [2, 3, 4, 5]
    assert [one["judgement"] for one in verdicts(output)] == ["supported"] * 3 + ["error"]
    assert "Nowhere" in verdicts(output)[-1]["explanation"]
    listed = [line for line in (tmp_path / "r.md").read_text().splitlines() if line[:1] == "|"]
    assert listed[2].startswith("| 5 |")
    assert capsys.readouterr().out == "4 triples: 3 supported, 1 error.\n"
    assert "The doubtful come first." in (tmp_path / "r.md").read_text()


def test_it_goes_on_where_it_was_ended_even_in_the_middle_of_a_line(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    triples, output = tmp_path / "t.tsv", tmp_path / "v.jsonl"
    triples.write_text(rows())
    judged(folder, triples, output)
    whole = output.read_text()
    lines = whole.splitlines(keepends=True)
    output.write_text("".join(lines[:3]) + lines[3][: len(lines[3]) // 2])
    capsys.readouterr()
    assert judged(folder, triples, output) == 0
    assert "2 of them judged before" in capsys.readouterr().err
    assert [one["line"] for one in verdicts(output)] == [2, 3, 4, 5]
    assert [one["judgement"] for one in verdicts(output)] == ["supported"] * 3 + ["error"]


def test_a_disk_that_is_full_is_told_and_the_rest_is_judged_later(
    folder: Path, tmp_path: Path
) -> None:
    resource = pytest.importorskip("resource", reason="a bound on files is POSIX")
    triples, output = tmp_path / "t.tsv", tmp_path / "v.jsonl"
    triples.write_text(rows(30))
    command = [sys.executable, "-m", "robodata_core.cli", "verify", "--file", str(triples)]
    process = subprocess.run(
        [*command, "--output", str(output), "--source", f"snapshot:{folder}"],
        capture_output=True,
        text=True,
        # A home of its own: what is kept there, and how large that is, other tests decide.
        env={**os.environ, "XDG_CACHE_HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path)},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000)),
    )
    assert f"robodata: {output} cannot be written: " in process.stderr, process.stderr
    assert process.returncode == 2
    assert judged(folder, triples, output) == 0
    assert [one["line"] for one in verdicts(output)] == list(range(2, 32))


def test_verdicts_of_other_triples_or_settings_are_not_mixed(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    triples, output = tmp_path / "t.tsv", tmp_path / "v.jsonl"
    triples.write_text(rows())
    judged(folder, triples, output)
    before = output.read_text()
    assert judged(folder, triples, output, "--decide") == 2
    triples.write_text(rows(6))
    assert judged(folder, triples, output) == 2
    assert "other triples" in capsys.readouterr().err
    assert output.read_text() == before


@pytest.mark.parametrize(
    "content", [b"", b"a\tb\n", b"a\t\tc\n", b"\xff\xfe\n", b"a\tb\t" + b"c" * 2_001]
)
def test_what_is_no_file_of_triples_is_refused_with_its_line(
    tmp_path: Path, content: bytes
) -> None:
    (tmp_path / "t.tsv").write_bytes(content)
    with pytest.raises(ConfigurationError):
        read_triples(tmp_path / "t.tsv")


def test_a_file_of_something_else_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text(rows())
    (tmp_path / "v.jsonl").write_text("my letters\n")
    with pytest.raises(ConfigurationError, match="no verdicts"):
        VerdictFile(tmp_path / "v.jsonl", tmp_path / "t.tsv", {})
    assert (tmp_path / "v.jsonl").read_text() == "my letters\n"


def test_names_in_reports_are_data() -> None:
    bad = "<script>alert(1)</script>"
    page = html_report(
        [{"line": 1, "asked": [bad, "p", "o"], "judgement": "error", "explanation": bad}], bad
    )
    assert "<script" not in page
