"""``robodata bench`` as it is typed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from robodata_core.api import RoboData
from robodata_core.cancellation import CancelToken
from robodata_core.cli import run
from robodata_core.evaluation.paper import paper_questions
from robodata_core.evaluation.results import read_results
from robodata_core.model import Answer, AnswerStatus

from .conftest import TABLE


@pytest.fixture
def questions(tmp_path: Path) -> str:
    path = tmp_path / "q.tsv"
    path.write_text(TABLE, encoding="utf-8")
    return str(path)


def test_run_report_and_compare(
    questions: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output, page, text = (str(tmp_path / name) for name in ("r.jsonl", "r.html", "r.md"))
    assert run(["bench", "run", questions, "--output", output, "--html", page,
                "--report", text]) == 0  # fmt: skip
    first = capsys.readouterr()
    assert first.out.startswith("q.tsv: zero-shot\n")
    assert "Hits@1         0.800" in first.out
    assert Path(page).read_text().startswith("<!doctype html>")
    assert "| wrong | 1 |" in Path(text).read_text()
    assert run(["bench", "report", output]) == 0
    assert capsys.readouterr().out == first.out
    assert run(["bench", "compare", output, output]) == 0
    assert "gained 0, lost 0, both right 4, both wrong 1" in capsys.readouterr().out


def test_a_second_run_goes_on_and_says_so(
    questions: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = str(tmp_path / "r.jsonl")
    assert run(["bench", "run", questions, "--output", output, "--limit", "2"]) == 0
    assert "n              2" in capsys.readouterr().out
    assert run(["bench", "run", questions, "--output", output]) == 0
    captured = capsys.readouterr()
    assert "2 of 5 are there already." in captured.err
    assert "n              5" in captured.out


def test_figures_for_other_programs(questions: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bench", "run", questions, "--limit", "2", "--json"]) == 0
    got = json.loads(capsys.readouterr().out)
    assert (got["asked"], got["items"], got["label"]) == (2, 5, "zero-shot")
    assert got["figures"]["questions"] == 2
    assert got["figures"]["support"] == 1.0


def test_without_output_nothing_is_kept(
    questions: str, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    assert run(["bench", "run", questions, "--summary-only", "--limit", "1"]) == 0
    assert "capital" not in capsys.readouterr().out
    assert os.listdir(tmp_path) == ["q.tsv"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "{tmp}/none.tsv"], "cannot be read"),
        (["run", "{questions}", "--format", "x"], "no format"),
        (["run", "{questions}", "--output", "{tmp}/no/r.jsonl"], "cannot be written"),
        (["run", "{questions}", "--output", "{questions}"], "no results file"),
        (["run", "{questions}", "--limit", "1", "--html", "{tmp}/no/r.html"], "cannot be written"),
        (["report", "{questions}"], "no results file"),
        (["compare", "{tmp}/none", "{tmp}/none"], "cannot be read"),
    ],
)
def test_mistakes_are_sentences(
    questions: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    words: str,
) -> None:
    given = [one.format(tmp=tmp_path, questions=questions) for one in arguments]
    assert run(["bench", *given]) == 2
    out, err = capsys.readouterr()
    assert words in err
    assert not out and "Traceback" not in err  # nothing was asked in vain


def test_rows_left_out_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "q.tsv"
    path.write_text("question\tgold\nWhat is the capital of Canada?\tQ1930\n" + "x\n" * 7)
    assert run(["bench", "run", str(path)]) == 0
    captured = capsys.readouterr()
    assert "q.tsv, line 3: there is no expected; left out." in captured.err
    assert "2 more rows left out." in captured.err


def test_ctrl_c_keeps_what_was_answered(tmp_path: Path) -> None:
    path, output = tmp_path / "q.tsv", tmp_path / "r.jsonl"
    lines = "".join(f"{n}\tWhat is the capital of Canada?\tQ1930\n" for n in range(20_000))
    path.write_text("id\tquestion\tgold\n" + lines)
    command = [sys.executable, "-m", "robodata_core.cli", "bench", "run", str(path)]
    process = subprocess.Popen(
        [*command, "--output", str(output)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        limit = time.monotonic() + 120
        while not (output.exists() and output.read_bytes().count(b"\n") > 3):
            assert time.monotonic() < limit
            assert process.poll() is None
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=120)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 130, err
    assert b"the same command goes on" in err
    rows = read_results(output).rows
    assert 3 <= len(rows) < 20_000
    assert all(row.hit == 1 for row in rows)


def test_ctrl_c_that_comes_with_an_answer_is_heeded(
    questions: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def ask(robodata: RoboData, question: str, *, cancel: CancelToken, **options: Any) -> Answer:
        asked.append(question)
        answer = real(robodata, question, cancel=cancel, **options)
        cancel.cancel()  # as a run does with a Ctrl+C when its answer is made already
        return answer

    real = RoboData.ask
    monkeypatch.setattr(RoboData, "ask", ask)
    output = tmp_path / "r.jsonl"
    assert run(["bench", "run", questions, "--output", str(output)]) == 130
    assert len(asked) == 1


@pytest.mark.parametrize("command", ["paper", "consistency"])
def test_a_question_of_the_paper_that_is_cancelled_ends_them_all(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cancelled = Answer("?", AnswerStatus.CANCELLED)
    monkeypatch.setattr(RoboData, "ask", lambda *_: cancelled)
    assert run(["bench", command]) == 130
    assert capsys.readouterr().out == ""


def test_consistency(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bench", "consistency", "-n", "3"]) == 0
    assert "1 distinct answer in 3 runs" in capsys.readouterr().out


def test_paper(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bench", "paper", "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["id"] for row in rows] == [question.id for question in paper_questions()]
    assert all(row["expected"] > 0 for row in rows)
    assert all(row["f1"] == 1.0 for row in rows), [(r["id"], r["f1"]) for r in rows]


def test_files_of_different_code_are_reported_together_only_when_that_is_wanted(
    questions: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outputs = [str(tmp_path / name) for name in ("one.jsonl", "two.jsonl")]
    other = tmp_path / "other.tsv"
    other.write_text(Path(questions).read_text() + "\n")
    for data, output in zip((questions, str(other)), outputs, strict=True):
        assert run(["bench", "run", data, "--output", output, "--limit", "1"]) == 0
    assert run(["bench", "report", *outputs]) == 0
    rows = [json.loads(line) for line in Path(outputs[1]).read_text().splitlines()]
    Path(outputs[1]).write_text("".join(json.dumps({**row, "code": "feed"}) + "\n" for row in rows))
    capsys.readouterr()
    assert run(["bench", "report", *outputs]) == 2
    assert "--other-code" in capsys.readouterr().err
    assert run(["bench", "report", *outputs, "--other-code"]) == 0
    assert "1 of 2 answers comes from other code" in capsys.readouterr().out
