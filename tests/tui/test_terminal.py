"""The real command in a real terminal (tmux): ask, cancel, quit."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

if shutil.which("tmux") is None:
    pytest.skip("tmux is not installed here", allow_module_level=True)


_PATIENCE = 200
_REVERSED = re.compile(r"\x1b\[(\d+;)*7(;\d+)*m")
_UNSET = ("NO_COLOR", "COLUMNS", "LINES", "COLORTERM", "ROBODATA_CONFIG")


class Terminal:
    """A tmux server of its own with one window."""

    def __init__(self, folder: Path) -> None:
        self.name = f"robodata-{uuid.uuid4().hex[:8]}"
        self.folder = folder

    def tmux(self, *arguments: str) -> str:
        done = subprocess.run(
            ["tmux", "-L", self.name, "-f", "/dev/null", *arguments],
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout

    def start(
        self,
        *arguments: str,
        environment: dict[str, str] | None = None,
        size: tuple[int, int] = (120, 40),
    ) -> None:
        command = [sys.executable, "-m", "robodata_core.cli", *arguments]
        home = str(self.folder)
        given = {"HOME": home, "XDG_STATE_HOME": home, "TERM": "xterm-256color"}
        given.update(environment or {})
        pairs = [f"{key}={value}" for key, value in given.items()]
        unset = [part for name in _UNSET if name not in given for part in ("-u", name)]
        line = shlex.join(["env", *unset, *pairs, *command])
        line = f"{line}; echo ended with $?; sleep 600"
        self.tmux("new-session", "-d", "-x", str(size[0]), "-y", str(size[1]), "-c", home, line)

    def keys(self, *keys: str) -> None:
        self.tmux("send-keys", *keys)

    def text(self, text: str) -> None:
        self.tmux("send-keys", "-l", text)

    def until(self, *wanted: str, times: int = 1) -> str:
        """Wait until the screen shows each of ``wanted`` (so often); return the screen."""
        screen = ""
        limit = time.monotonic() + _PATIENCE
        while time.monotonic() < limit:
            screen = self.tmux("capture-pane", "-p")
            if all(screen.count(text) >= times for text in wanted):
                return screen
            time.sleep(0.1)
        raise AssertionError(f"never shown: {wanted}\n{screen}")

    def until_reversed(self, wanted: str) -> None:
        """Wait until a line shows ``wanted`` after something that turns the colours around."""
        limit = time.monotonic() + _PATIENCE
        while time.monotonic() < limit:
            lines = self.tmux("capture-pane", "-p", "-e").splitlines()
            if any(_REVERSED.search(line.split(wanted)[0]) for line in lines if wanted in line):
                return
            time.sleep(0.1)
        raise AssertionError(f"{wanted!r} never stood reversed")

    def ask(self, question: str, *ready: str) -> None:
        """Type a question once the line for it has the keyboard, hand it in, and go to the answer.

        Letters before the answer has the keyboard would be typed into the line.
        """
        self.until("READY", "┃ ask…", *ready)
        self.text(question)
        self.until(question)
        self.keys("Enter")
        self.until(f"❯ {question}")
        self.keys("Escape")
        self.until("┏━ 1 Answer")


@pytest.fixture()
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    started = Terminal(tmp_path)
    yield started
    started.tmux("kill-server")


def test_ask_and_quit(terminal: Terminal) -> None:
    terminal.start()
    terminal.ask("What is the capital of Canada?", "offline", "Ask below")
    screen = terminal.until("ANSWERED", "✓ c1", "Canada ═capital¹═▶ Ottawa")
    assert "The capital of Canada is Ottawa." in screen
    terminal.keys("q")
    terminal.until("ended with 0")


@pytest.mark.parametrize(
    "environment",
    [{"TERM": "vt100", "NO_COLOR": "1"}, {"TERM": "screen"}, {"TERM": "screen-256color"}],
    ids=["monochrome", "16-colours", "256-colours"],
)
def test_nothing_is_said_by_colour_alone(terminal: Terminal, environment: dict[str, str]) -> None:
    terminal.start(environment=environment)
    # The pane with the focus has another frame, which this waits for.
    terminal.ask("What is the capital of Canada?", "offline", "Ask below")
    terminal.until(
        *(
            "ANSWERED",
            "EVAL✓ ×2",
            "REMOTE✓",
            "UPDATE✓",
            "ANSWER✓",
            "✓ c1 The capital",
            "✓ stated",
        ),
        *("═capital¹═▶", "✓ answered"),
    )
    if "NO_COLOR" in environment:
        terminal.until_reversed("✓ c1 The capital")
    terminal.keys("q")
    terminal.until("ended with 0")


@pytest.fixture()
def silent_server() -> Iterator[int]:
    """A server that takes connections and never says anything."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        kept: list[socket.socket] = []

        def take() -> None:
            while True:
                try:
                    kept.append(server.accept()[0])
                except OSError:
                    return

        threading.Thread(target=take, daemon=True).start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)
    for connection in kept:
        connection.close()


def test_cancel_while_a_model_is_silent(terminal: Terminal, silent_server: int) -> None:
    pytest.importorskip("openai", reason="the extra llm is not installed here")
    terminal.start(
        "tui",
        "--policy=llm",
        "--model=silent",
        f"--base-url=http://127.0.0.1:{silent_server}/v1",
        environment={"OPENAI_API_KEY": "none"},
    )
    terminal.ask("What is the capital of Canada?", "llm")
    terminal.until("RUNNING", "model silent")
    terminal.keys("x")
    terminal.until("CANCELLED")
    terminal.keys("q")
    terminal.until("ended with 0")


@pytest.mark.parametrize(
    ("flag", "said", "code"),
    [
        ("--max-turns=0", "Some settings are not valid: max_turns", 2),
        ("--source=nonsense:x", "There is no source called 'nonsense:x'.", 2),
        ("--source=snapshot:/nonexistent", "There is no snapshot at /nonexistent.", 3),
        ("--policy=llm", "No language model is named.", 2),
    ],
)
def test_what_is_wrong_is_told_without_a_screen(
    terminal: Terminal, flag: str, said: str, code: int
) -> None:
    terminal.start("tui", flag)
    terminal.until(f"robodata: {said}", f"ended with {code}")


@pytest.mark.parametrize("number", ["TERM", "HUP"])
def test_a_signal_leaves_the_terminal_as_it_was(terminal: Terminal, number: str) -> None:
    terminal.start()
    terminal.until("READY")
    flags = "#{mouse_any_flag}#{alternate_on}"
    assert terminal.tmux("display-message", "-p", flags).strip() == "11"
    pane = terminal.tmux("display-message", "-p", "#{pane_pid}").strip()
    child = Path(f"/proc/{pane}/task/{pane}/children").read_text().split()[0]
    subprocess.run(["kill", f"-{number}", child], check=True)
    terminal.until(f"ended with {128 + {'TERM': 15, 'HUP': 1}[number]}")
    assert terminal.tmux("display-message", "-p", flags).strip() == "00"


def test_the_program_ends_with_its_terminal(tmp_path: Path) -> None:
    """Also where nobody sends it a signal: it went on for ever, reading nothing at full speed."""
    master, slave = os.openpty()
    home = str(tmp_path)
    process = subprocess.Popen(
        [sys.executable, "-m", "robodata_core.cli", "tui"],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env={**os.environ, "HOME": home, "XDG_STATE_HOME": home, "TERM": "xterm-256color"},
        cwd=home,
        start_new_session=True,
    )
    os.close(slave)
    try:
        seen = b""
        while b"READY" not in seen:
            seen += os.read(master, 65_536)
        os.close(master)
        assert process.wait(_PATIENCE) == 129
    finally:
        process.kill()


def test_a_screen_that_would_go_into_a_file_is_a_sentence(tmp_path: Path) -> None:
    """The terminal stayed black."""
    master, slave = os.openpty()
    told = tmp_path / "told"
    command = [sys.executable, "-m", "robodata_core.cli", "tui"]
    with told.open("wb") as errors:
        done = subprocess.run(command, stdin=slave, stdout=slave, stderr=errors, timeout=_PATIENCE)
    os.close(master)
    os.close(slave)
    assert (done.returncode, told.read_text().split(".")[0]) == (
        2,
        "robodata: The terminal UI needs a terminal",
    )


def test_bytes_that_are_no_text_are_taken_and_the_screen_stays(terminal: Terminal) -> None:
    terminal.start()
    terminal.until("READY", "┃ ask…")
    terminal.tmux("send-keys", "-H", "4d", "fc", "6e", "63", "68", "65", "6e")
    terminal.until("M\ufffdnchen")
    terminal.keys("C-q")
    terminal.until("ended with 0")


def test_the_plain_alternative(terminal: Terminal) -> None:
    terminal.start("chat")
    terminal.until("\n>")
    terminal.text("What is the capital of Canada?")
    terminal.keys("Enter")
    terminal.until("c1 ✓ The capital of Canada is Ottawa.", "T1  Canada (Q16)")
    terminal.until("\n>", times=2)
    terminal.keys("Up", "Enter")
    # What stood there after the first answer says nothing about the second one.
    terminal.until("c1 ✓ The capital of Canada is Ottawa.", "answered ·", times=2)
    terminal.keys("C-d")
    terminal.until("ended with 0")


def test_editing_keys_that_come_with_letters_keep_their_place(terminal: Terminal) -> None:
    terminal.start("--no-history")
    terminal.until("READY", "┃ ask…")
    terminal.keys("abcX", "BSpace", "def", "Home", "Z", "End", "Y")
    terminal.until("┃ ZabcdefY")
    terminal.keys("C-u", "hello world")
    terminal.until("┃ hello world")
