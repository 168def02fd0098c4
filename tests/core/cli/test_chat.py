"""``robodata chat``: through a pipe, and at a real (pseudo-)terminal with its line editor."""

from __future__ import annotations

import io
import os
import re
import select
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from robodata_core.cli import run
from tests.core.policy.llm.scripts import CAPITAL, capital_script
from tests.core.policy.llm.server import ModelServer, Reply, model_server

FATHER = "Who is the father of Douglas Adams?"


# -- through a pipe ---------------------------------------------------------------------------


def piped(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    *lines: str,
    flags: tuple[str, ...] = (),
) -> tuple[int, str, str]:
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
    code = run(["chat", *flags])
    out, err = capsys.readouterr()
    return code, out, err


def test_answers_go_to_stdout_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = piped(monkeypatch, capsys, CAPITAL, "", FATHER)
    assert code == 0
    assert out.startswith("Ottawa")
    assert "Christopher Douglas Adams" in out
    assert "T2" in out, "the second question works on the first one's graph"
    assert ">" not in out
    assert "\x1b" not in out
    assert err.count("answered") == 2


def test_a_trace_tells_what_was_put_for_what(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = (CAPITAL, "What is its country?")
    _, plain, _ = piped(monkeypatch, capsys, *lines)
    code, out, err = piped(monkeypatch, capsys, *lines, flags=("--trace",))
    assert code == 0 and out.splitlines()[0] == plain.splitlines()[0]
    assert err.count("[1] LOCAL_DATA_EVALUATION") == 2 and "by rules" in err


def test_the_last_answer_is_explained_and_shown_whole(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _, plain, _ = piped(monkeypatch, capsys, CAPITAL)
    _, explained, _ = piped(monkeypatch, capsys, CAPITAL, "/explain")
    assert "SELECT" not in plain
    moment = r"fetched [\d-]+ [\d:]+ UTC"  # the two were asked at different times
    assert re.sub(moment, "", explained).startswith(re.sub(moment, "", plain))
    assert "SELECT" in explained[len(plain) :]
    _, whole, _ = piped(monkeypatch, capsys, CAPITAL, "/all")
    assert whole.count("c1 ✓") == 2


def test_commands_before_an_answer_and_unknown_ones_are_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = piped(monkeypatch, capsys, "/explain", "/all", "/what")
    assert (code, out) == (0, "")
    assert err.count("There is no answer yet.") == 2
    assert "/quit" in err


def test_questions_point_back_and_it_is_shown_how_they_were_understood(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = piped(monkeypatch, capsys, CAPITAL, "Who is its head of state?", "thanks")
    assert code == 0
    assert "understood as: Who is the head of state of Canada (Q16)?" in out
    assert out.count("understood as") == 1, "a rewriting that changes nothing is not shown"
    assert "Elizabeth II" in out
    assert "You are welcome." in out
    assert err.count("answered") == 2, "thanks are no run"


def test_a_new_conversation_knows_nothing_of_the_old_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = piped(
        monkeypatch, capsys, CAPITAL, "/new", "Who is its head of state?", CAPITAL
    )
    assert code == 0
    assert "A new conversation begins." in err
    assert "understood as" not in out
    assert "What “its” stands for was not understood." in out
    assert out.count("T1") == 2, "the facts that were found stay"


@pytest.mark.parametrize("word", ["/quit", "/exit", "/q"])
def test_leaving_by_a_word(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], word: str
) -> None:
    code, out, _ = piped(monkeypatch, capsys, word, CAPITAL)
    assert (code, out) == (0, "")


def test_a_question_that_is_refused_does_not_end_the_conversation(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = piped(monkeypatch, capsys, "?!", "x" * 1_500_000, CAPITAL)
    assert code == 0
    assert out.startswith("Ottawa")
    assert "The question is empty." in err
    assert err.count("characters; at most 2000 are taken.") == 1


def test_bytes_that_are_no_text_do_not_end_the_conversation() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "robodata_core.cli", "chat"],
        input=b"\xff\xfe\x00\n" + CAPITAL.encode(),
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0
    assert done.stdout.startswith(b"Ottawa")
    assert b"went wrong" not in done.stderr


# -- at a terminal ----------------------------------------------------------------------------

pytest.importorskip("readline", reason="there is no line editor on this platform")
termios = pytest.importorskip("termios", reason="there are no terminals on this platform")


class Terminal:
    """The command at a pseudo-terminal of its own."""

    def __init__(self, *arguments: str) -> None:
        import fcntl
        import pty

        self._master, slave = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "robodata_core.cli", "chat", *arguments],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**os.environ, "TERM": "dumb", "OPENAI_API_KEY": "none", "COLUMNS": "500"},
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(slave)
        self._screen = ""

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    def until(self, wanted: str) -> str:
        """Read until ``wanted`` comes; return what came up to there and forget it."""
        while wanted not in self._screen:
            if not self._read():
                raise AssertionError(f"never shown: {wanted!r}\n{self._screen}")
        end = self._screen.index(wanted) + len(wanted)
        seen, self._screen = self._screen[:end], self._screen[end:]
        return seen

    def ended(self) -> int:
        """Read to the end and return the exit code."""
        while self._read():
            pass
        return self.process.wait(timeout=60)

    def _read(self, seconds: float = 90) -> bool:
        ready, _, _ = select.select([self._master], [], [], seconds)
        try:
            data = os.read(self._master, 65_536) if ready else b""
        except OSError:  # the other end is closed
            data = b""
        self._screen += data.decode("utf-8", "replace").replace("\r", "")
        return bool(data)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self._master)


@pytest.fixture()
def terminal() -> Iterator[Terminal]:
    started = Terminal()
    yield started
    started.close()


def test_the_end_of_input_leaves(terminal: Terminal) -> None:
    terminal.until("> ")
    terminal.type("\x04")
    assert terminal.ended() == 0


def test_an_earlier_question_comes_back_with_the_arrow(terminal: Terminal) -> None:
    terminal.until("> ")
    terminal.type(f"{CAPITAL}\n")
    terminal.until("c1 ✓ The capital of Canada is Ottawa.")
    terminal.until("> ")
    terminal.type("\x1b[A\n")
    terminal.until("c1 ✓ The capital of Canada is Ottawa.")
    terminal.until("> ")
    terminal.type("/quit\n")
    assert terminal.ended() == 0


def test_questions_of_earlier_conversations_come_back(tmp_path: Path) -> None:
    for typed in (f"{CAPITAL}\n", "\x1b[A\n"):
        terminal = Terminal()
        try:
            terminal.until("> ")
            terminal.type(typed)
            terminal.until("c1 ✓ The capital of Canada is Ottawa.")
            terminal.until("> ")
            terminal.type("\x04")
            assert terminal.ended() == 0
        finally:
            terminal.close()
    (kept,) = (tmp_path / "state").rglob("chat_history")
    assert kept.read_text().count(CAPITAL) >= 1
    assert kept.stat().st_mode & 0o077 == 0


def test_no_history_keeps_nothing(tmp_path: Path) -> None:
    terminal = Terminal("--no-history")
    try:
        terminal.until("> ")
        terminal.type(f"{CAPITAL}\n")
        terminal.until("c1 ✓ The capital of Canada is Ottawa.")
        terminal.type("\x04")
        assert terminal.ended() == 0
    finally:
        terminal.close()
    assert not list((tmp_path / "state").rglob("chat_history"))


class Gate:
    """A model that replies only once it is let."""

    def __init__(self) -> None:
        self.asked = threading.Event()
        self.open = threading.Event()
        self._reply = capital_script()

    def __call__(self, request: dict[str, Any]) -> Reply:
        self.asked.set()
        self.open.wait(110)
        return self._reply(request)


@pytest.fixture()
def gate() -> Iterator[tuple[Gate, ModelServer, Terminal]]:
    pytest.importorskip("openai", reason="the extra llm is not installed here")
    made = Gate()
    with model_server(made) as server:
        terminal = Terminal("--policy=llm", "--model=m", f"--base-url={server.url}")
        yield made, server, terminal
        terminal.close()
        made.open.set()


def test_what_is_typed_during_a_run_waits_for_its_end(
    gate: tuple[Gate, ModelServer, Terminal],
) -> None:
    model, server, terminal = gate
    terminal.until("> ")
    terminal.type(f"{CAPITAL}\n")
    assert model.asked.wait(90)
    terminal.type("/all\n\x04")
    model.open.set()
    terminal.until("c1 ✓ The capital of Canada is Ottawa.")
    terminal.until("c1 ✓ The capital of Canada is Ottawa.")
    assert terminal.ended() == 0
    assert server.requests


def test_ctrl_c_cancels_the_run_and_the_conversation_goes_on(
    gate: tuple[Gate, ModelServer, Terminal],
) -> None:
    model, _, terminal = gate
    terminal.until("> ")
    terminal.type(f"{CAPITAL}\n")
    assert model.asked.wait(90)
    terminal.type("\x03")
    terminal.until("cancelled")
    terminal.until("> ")
    model.open.set()
    terminal.type(f"{CAPITAL}\n")
    terminal.until("c1 ✓ The capital of Canada is Ottawa.")
    terminal.until("> ")
    for _ in range(20):
        terminal.type("\x03")
        terminal.until("> ")
    terminal.type("\x04")
    assert terminal.ended() == 0
