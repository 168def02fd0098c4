"""``robodata ask`` from outside: output, exit codes, and bad input, each in one sentence."""

from __future__ import annotations

import json
import os
import random
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from robodata_core.api import RoboData
from robodata_core.cli._main import _COMMANDS, run

from .conftest import one_sentence

CAPITAL = "What is the capital of Canada?"


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = run(arguments)
    out, err = capsys.readouterr()
    return code, out, err


def test_the_answer_and_its_triple_are_on_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = call(capsys, "ask", CAPITAL)
    assert code == 0
    assert out.startswith("Ottawa")
    assert "Canada (Q16) — capital (P36) → Ottawa (Q1930)" in out
    assert "snapshot:wikidata-sample" in out
    assert "\x1b" not in out
    assert "answered" in err


def test_json_is_the_contract(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, "ask", "--json", CAPITAL)
    data = json.loads(out)
    assert code == 0
    assert set(data) == {
        *("question", "status", "answer", "policy", "claims", "results", "completeness"),
        *("statistics", "trace", "reading", "probability", "comment"),
        # Beyond the contract: what was looked up, in words and as one query.
        *("program", "sparql"),
    }
    assert (data["question"], data["status"], data["policy"]) == (CAPITAL, "answered", "offline")
    assert data["results"] == [{"id": "Q1930", "label": "Ottawa"}]
    assert data["completeness"] == {"found": 1, "reported": 1}
    (claim,) = data["claims"]
    assert (claim["id"], claim["kind"], claim["supported"]) == ("c1", "stated", True)
    (support,) = claim["support"]
    assert support["subject"] == {"id": "Q16", "label": "Canada"}
    assert support["predicate"] == {"id": "P36", "label": "capital"}
    assert support["object"] == {"id": "Q1930", "label": "Ottawa"}
    assert support["provenance"]["source"] == "snapshot:wikidata-sample"
    assert support["provenance"]["rank"] == "normal"
    assert support["provenance"]["statement"]
    assert data["statistics"]["edges"] == 1
    assert data["statistics"]["tokens"] == {"prompt": 0, "completion": 0}
    assert data["trace"][0] == "LOCAL_DATA_EVALUATION"
    assert data["trace"][-1] == "PRODUCE_ANSWER"


def test_trace_and_stdout_stay_apart(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = call(capsys, "ask", "--json", "--trace", CAPITAL)
    assert code == 0
    json.loads(out)
    for word in ("REMOTE_GRAPH_EXPLORATION", "search_entities", "LOCAL_GRAPH_UPDATE"):
        assert word in err


def test_unknown_says_so_and_exits_1(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = call(capsys, "ask", "What is the capital of Zzyzx Qwrtp?")
    assert code == 1
    assert out.startswith("I do not know.")
    assert "unknown" in err


@pytest.mark.parametrize("question", ["", "   ", "???", "\x1b[31m", "\x00\x07", "x" * 10_000])
def test_questions_that_cannot_be_taken(capsys: pytest.CaptureFixture[str], question: str) -> None:
    code, out, err = call(capsys, "ask", question)
    assert code == 2
    assert out == ""
    assert one_sentence(err)


@pytest.mark.parametrize(
    "question",
    [
        "Was ist die Hauptstadt von Kanada?",
        "¿Cuál es la capital de Zzyzx?",
        "カナダの首都はどこですか",
        "ما هي عاصمة كندا؟",
        "🤖🤖🤖 capital 🤖?",
        "SELECT * WHERE { ?s ?p ?o }",
        "'; DROP TABLE entities; -- \" * OR 1=1",
        "What is Q99999999999 ?",
        "What is the father of Q999999999999999999?",
        "NEAR( AND OR NOT ^ * : (",
    ],
)
def test_odd_questions_end_in_an_answer_or_in_unknown(
    capsys: pytest.CaptureFixture[str], question: str
) -> None:
    code, out, err = call(capsys, "ask", "--json", question)
    assert code in (0, 1)
    data = json.loads(out)
    assert data["status"] in ("answered", "partial", "unknown")
    assert "Traceback" not in err
    for claim in data["claims"]:
        assert claim["support"] or not claim["supported"]


def test_control_characters_do_not_reach_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    question = "What is the \x1b]0;owned\x07capital of \x1b[31mCanada\x1b[0m\u202e?"
    code, out, err = call(capsys, "ask", "--trace", question)
    assert code == 0
    assert not {"\x1b", "\x07", "\u202e"} & set(out + err)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["ask"], 2),
        (["ask", "--max-turns", "0", CAPITAL], 2),
        (["ask", "--max-turns", "x", CAPITAL], 2),
        (["ask", "--policy", "magic", CAPITAL], 2),
        (["ask", "--source", "nonsense", CAPITAL], 2),
        (["ask", "--source", "snapshot:/no/such/folder", CAPITAL], 3),
        (["ask", "--config", "/no/such/file.yaml", CAPITAL], 2),
        (["ask", "--confidence", "7", CAPITAL], 2),
        (["nonsense"], 2),
    ],
)
def test_wrong_usage_is_one_message_and_a_code(
    capsys: pytest.CaptureFixture[str], arguments: list[str], code: int
) -> None:
    got, out, err = call(capsys, *arguments)
    assert got == code
    assert out == ""
    assert err.strip()
    assert "Traceback" not in err


def test_a_tiny_turn_limit_still_ends_truthfully(capsys: pytest.CaptureFixture[str]) -> None:
    for turns in ("1", "2", "3"):
        code, out, _ = call(capsys, "ask", "--json", "--max-turns", turns, CAPITAL)
        data = json.loads(out)
        assert data["trace"][-1] == "PRODUCE_ANSWER"
        assert data["statistics"]["turns"] <= int(turns)
        assert code == (0 if data["status"] in ("answered", "partial") else 1)


def test_a_store_keeps_what_was_gathered(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    store = str(tmp_path / "graph")
    assert call(capsys, "ask", "--store", store, CAPITAL)[0] == 0
    code, out, _ = call(capsys, "ask", "--json", "--store", store, CAPITAL)
    data = json.loads(out)
    assert code == 0
    assert data["statistics"]["edges"] == 0
    assert data["claims"][0]["support"][0]["handle"] == "T1"


def test_the_journal_replays(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = tmp_path / "journals"
    _, asked, _ = call(capsys, "ask", "--journal", str(folder), CAPITAL)
    (journal,) = folder.iterdir()
    code, replayed, _ = call(capsys, "replay", str(journal))
    assert code == 0
    assert "Ottawa" in replayed
    assert asked.splitlines()[0] in replayed


@pytest.mark.parametrize("command", [("ask", CAPITAL), ("verify", "Canada", "capital", "Ottawa")])
def test_a_home_that_cannot_be_written_stops_no_question(
    command: tuple[str, ...],
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    home = tmp_path / "a file"
    home.write_text("no folder can be made below this, not even by root")
    for name in ("HOME", *(f"XDG_{kind}_HOME" for kind in ("STATE", "CACHE", "DATA", "CONFIG"))):
        monkeypatch.setenv(name, str(home / name))
    code, out, err = call(capsys, *command)
    assert code == 0 and "T1" in out and "Traceback" not in err, err


def test_a_journal_that_cannot_be_begun_stops_no_question(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("no folder can be made here, not even by root")
    code, out, err = call(capsys, "ask", "--journal", str(tmp_path / "file" / "journals"), CAPITAL)
    assert code == 0 and "T1" in out
    (told,) = (line for line in err.splitlines() if "journal" in line)
    assert told == f"robodata: No journal is kept in {tmp_path}/file/journals: not a directory."


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
def test_a_log_that_cannot_be_written_is_told_in_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    log = tmp_path / "state" / "robodata" / "log" / "robodata.log"
    log.parent.mkdir(parents=True)
    log.symlink_to("/dev/full")
    _, _, err = call(capsys, "ask", "--source=snapshot:is-not-there", CAPITAL)
    told = [line for line in err.splitlines() if str(log) in line]
    assert told == [f"robodata: The log {log} cannot be written: no space left on device."]
    assert "Traceback" not in err


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX modes")
def test_journals_logs_and_recordings_are_their_owners(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    journals, record = tmp_path / "journals", tmp_path / "traffic.jsonl"
    before = os.umask(0)  # so that nothing but what the program says counts
    try:
        call(capsys, "ask", f"--journal={journals}", f"--record={record}", CAPITAL)
        with RoboData.open(journal=str(journals)) as robodata:
            robodata.ask(CAPITAL)
        call(capsys, "ask", "--source=snapshot:is-not-there", CAPITAL)  # is logged
    finally:
        os.umask(before)
    log = tmp_path / "state" / "robodata" / "log" / "robodata.log"
    written = [*journals.iterdir(), record, log]
    assert len(written) == 4
    assert {stat.S_IMODE(path.stat().st_mode) for path in written} == {0o600}


_NAMED_WHEN_PRESSED = """

class Named:
    def __set_name__(self, owner, name):
        raise KeyboardInterrupt
class Holder:
    attribute = Named()
"""


def test_ctrl_c_while_a_class_gets_its_names_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "named_when_pressed.py").write_text(_NAMED_WHEN_PRESSED)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(_COMMANDS, "ask", "named_when_pressed:ask")
    code, out, err = call(capsys, "ask", CAPITAL)
    assert (code, out, err.strip()) == (130, "", "robodata: cancelled.")


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals")
def test_ctrl_c_at_any_moment_ends_in_one_sentence() -> None:
    generator = random.Random(7)
    # Before any of our code runs, a signal ends the interpreter itself: wait until it does.
    start = "from robodata_core.cli import main; print('up', flush=True); main()"
    for _ in range(8):
        process = subprocess.Popen(
            [sys.executable, "-c", start, "ask", CAPITAL],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "up\n"
        time.sleep(0.005 + generator.random() * 0.8)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=90)
        assert process.returncode in (0, 130), (out, err)
        assert "Traceback" not in err, err
        if process.returncode == 0:
            assert "Ottawa" in out


def test_a_journal_that_a_full_disk_ends_is_told(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    resource = pytest.importorskip("resource")
    journals = tmp_path / "journals"
    journals.mkdir()
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, before[1]))
    try:
        code = run(["ask", "--source=snapshot:wikidata-sample", f"--journal={journals}", CAPITAL])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    told = capsys.readouterr()
    assert code == 0 and told.out.startswith("Ottawa")
    assert told.err.count("ends early") == 1 and "Traceback" not in told.err
