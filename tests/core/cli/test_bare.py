"""`robodata` without a command: what is piped is a question, flags are the terminal UI's."""

from __future__ import annotations

import io
import json

import pytest

from robodata_core.cli import _main


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("arguments", "piped", "meant"),
    [
        ([], "What is it?\n", ["ask", "--", "What is it?"]),
        (["--json"], "What is it?", ["ask", "--json", "--", "What is it?"]),
        (["-v", "--source", "wikidata"], "Q?", ["-v", "ask", "--source", "wikidata", "--", "Q?"]),
        (["--source", "wikidata"], None, ["tui", "--source", "wikidata"]),
        (["-v"], None, ["-v"]),
        ([], None, []),
        ([], "", []),
        (["--version"], "Q?", ["--version"]),
        (["ask", "Q?"], "something else", ["ask", "Q?"]),
        (["nonsense"], "Q?", ["nonsense"]),
        (["-h"], None, ["-h"]),
        (["Who wrote Dune?"], None, ["ask", "Who wrote Dune?"]),
        (["--json", "ask", "Q?"], None, ["ask", "--json", "Q?"]),
        (["-v", "--source", "x:y", "ask", "Q?"], None, ["-v", "ask", "--source", "x:y", "Q?"]),
        (["--source", "text"], None, ["tui", "--source", "text"]),
        (["--source", "x", "Who is?"], None, ["ask", "--source", "x", "Who is?"]),
        (["--json", "Who is?"], "piped", ["ask", "--json", "Who is?"]),
        (["--source", "my graph"], None, ["tui", "--source", "my graph"]),
        (["--replay", "my run.jsonl"], None, ["tui", "--replay", "my run.jsonl"]),
        (["--ssh", "tui", "--yes"], None, ["tui", "--ssh", "--yes"]),
    ],
)
def test_what_is_meant(
    monkeypatch: pytest.MonkeyPatch, arguments: list[str], piped: str | None, meant: list[str]
) -> None:
    monkeypatch.setattr("sys.stdin", Terminal() if piped is None else io.StringIO(piped))
    assert list(_main._meant(arguments)) == meant


def test_a_piped_question_is_answered(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("What is the capital of Canada?\n"))
    assert _main.run(["--json"]) == 0
    assert json.loads(capsys.readouterr().out)["results"][0]["label"] == "Ottawa"
