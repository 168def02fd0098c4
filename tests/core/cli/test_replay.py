"""``robodata replay``: a journal shown again, in full, cut short, or damaged."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from robodata_core import journal
from robodata_core.answers.json import answer_to_json
from robodata_core.cli import run
from robodata_core.events import AnswerReady, RunEvent
from tests.core._runs import sample_run


def _write(path: Path, events: list[RunEvent]) -> str:
    with journal.write(path) as sink:
        for event in events:
            sink(event)
    return str(path)


def _call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = run(["replay", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


def test_the_answer_with_its_evidence(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, out, err = _call(capsys, _write(tmp_path / "j", sample_run()))
    assert code == 0
    assert out.splitlines()[0] == "Ottawa"
    assert "Canada (Q16) — capital (P36) → Ottawa (Q1930)" in out
    assert "[1]" not in err, "no narration unless it is asked for"


def test_json_is_the_contract(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    events = sample_run()
    code, out, _ = _call(capsys, "--json", _write(tmp_path / "j", events))
    (answer,) = [event.answer for event in events if isinstance(event, AnswerReady)]
    assert code == 0
    assert json.loads(out) == json.loads(json.dumps(answer_to_json(answer)))


def test_the_trace_is_narration(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, out, err = _call(capsys, "--trace", "--json", _write(tmp_path / "j", sample_run()))
    assert code == 0
    json.loads(out)
    lines = err.splitlines()
    assert "[1] REMOTE_GRAPH_EXPLORATION (not chosen: the local graph is empty)" in lines
    assert "    k1 ok, 1 of 9, 0.200 s: Q16" in lines


def test_a_journal_without_its_end(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "j"
    _write(path, sample_run()[:15])
    path.write_bytes(path.read_bytes()[:-9])
    code, out, err = _call(capsys, str(path))
    assert (code, out) == (1, "")
    assert "is cut off and was left out" in err
    assert "ends before the answer in turn 2, LOCAL_GRAPH_UPDATE." in err


@pytest.mark.parametrize("content", [None, b"", b"hello\n"])
def test_what_is_no_journal_is_a_sentence(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, content: bytes | None
) -> None:
    path = tmp_path / "j"
    if content is not None:
        path.write_bytes(content)
    code, out, err = _call(capsys, str(path))
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1 and err.startswith("robodata: ")


def test_damage_is_located(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "j"
    lines = Path(_write(path, sample_run())).read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:6], b"{}\n", *lines[7:]]))
    code, out, err = _call(capsys, str(path))
    assert (code, out) == (2, "")
    assert "damaged at line 7" in err


STEERING = "\x1b]0;title\x07\x1b[31m\u202e\x9b2J"


def _spoilt(data: Any, keep: tuple[str, ...] = ("type", "header")) -> Iterator[Any]:
    """Yield ``data`` with what steers a terminal behind one of its texts, for each of them."""
    if isinstance(data, str):
        yield data + STEERING
    elif isinstance(data, (dict, list)):
        for key in data if isinstance(data, dict) else range(len(data)):
            for other in () if key in keep else _spoilt(data[key]):
                copy = data.copy()
                copy[key] = other
                yield copy


def test_no_text_of_a_journal_steers_the_terminal(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Ids, handles and names too, which a run would never write so."""
    path = tmp_path / "j"
    header, *lines = Path(_write(path, sample_run())).read_text().splitlines()
    shown = 0
    for place, line in enumerate(lines):
        if json.loads(line)["type"] not in ("AnswerReady", "ToolReturned", "StateEntered"):
            continue
        for other in _spoilt(json.loads(line)):
            changed = [*lines[:place], json.dumps(other), *lines[place + 1 :]]
            path.write_text("\n".join((header, *changed)) + "\n")
            code, out, err = _call(capsys, "--trace", "--explain", "--all", str(path))
            shown += code == 0
            assert not set("\x1b\x07\u202e\x9b") & set(out + err), other
    assert shown > 10, "most of it is text that a journal may hold"
