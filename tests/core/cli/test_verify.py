"""``robodata verify`` from outside: output, exit codes, learning, and bad input."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest

from robodata_core.cli import run


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = run(("verify", *arguments))
    out, err = capsys.readouterr()
    return code, out, err


def test_a_stated_triple(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = call(capsys, "Canada", "capital", "Ottawa", "--explain")
    assert code == 0
    assert out.startswith("supported · confidence 1.00\nCanada (Q16) — capital (P36) → Ottawa")
    assert "T1  Canada (Q16) — capital (P36) → Ottawa (Q1930)" in out
    assert "snapshot:wikidata-sample" in out
    assert "What was measured" in out
    assert "no language model" in err


def test_a_refuted_triple_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, "Q42", "P19", "Canada", "--json")
    data = json.loads(out)
    assert (code, data["judgement"]) == (0, "refuted")
    assert data["against"][0]["support"][0]["subject"]["id"] == "Q42"


def test_an_open_triple_and_a_forced_one(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, "Canada", "capital", "Toronto")
    assert (code, out.splitlines()[0]) == (1, "unknown")
    code, out, _ = call(capsys, "Canada", "capital", "Toronto", "--decide")
    assert code == 0
    assert "decided on request" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("Canada", "capital"), "Give a subject, a predicate and an object"),
        (("Canada", "capitol", "Ottawa"), "No property is called"),
        (("Canadia", "capital", "Ottawa"), "nothing called"),
        (("Canada", "capital", "Ottawa", "--calibration", "none.json"), "cannot be read"),
        (("--learn", "none.tsv"), "--output"),
        (("--learn", "none.tsv", "--output", "c.json"), "cannot be read"),
    ],
)
def test_usage_errors(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], words: str
) -> None:
    code, out, err = call(capsys, *arguments)
    assert (code, out) == (2, "")
    assert words in err
    assert "Traceback" not in err


def test_a_service_that_is_down_has_a_code_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    source = f"sparql:http://127.0.0.1:{port}/sparql"
    code, out, err = call(capsys, "Canada", "capital", "Ottawa", "--source", source)
    assert (code, out) == (3, "")
    assert "cannot be reached" in err


def test_help_says_when_a_model_is_asked(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, "--help")
    assert code == 0
    assert "No language model is asked, but with --policy llm" in " ".join(out.split())


def test_a_calibration_is_learnt_and_used(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    lands = ("Q142", "Q183", "Q16", "Q155", "Q145", "Q29", "Q38", "Q55", "Q96", "Q148")
    lines = ["head\trelation\ttail\tlabel"]
    for one in lands:
        for other in lands:
            lines.append(f"{one}\tP530\t{other}\t{int(one != other)}")
    (tmp_path / "t.tsv").write_text("\n".join(lines))
    code, out, _ = call(capsys, "--learn", "t.tsv", "--output", "c.json")
    assert code == 0
    assert out.startswith("Learnt from 100 triples of t.tsv")
    code, out, _ = call(
        capsys, "France", "P530", "Germany", "--without-itself", "--calibration", "c.json",
        "--decide", "--json",
    )  # fmt: skip
    assert code == 0
    assert "calibration learnt from 100 triples" in json.loads(out)["method"]
