"""The terminal UI in a pseudo-terminal of 160 x 48: first paint, keys, cancelling, memory.

A key's latency is the time from writing it into the terminal to reading its echo in the question
line: parsing, handling, layout and drawing included. The events come from a core that only makes
events; what is measured is what the screen costs. Cancelling is measured where it is hardest: a
model and a SPARQL endpoint that take a connection and never say anything. Memory is that of the
whole process, core and snapshot included, after questions of the tests typed one after the other.
"""

from __future__ import annotations

import csv
import fcntl
import os
import pty
import resource
import select
import signal
import socket
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks._common import Result, main, median, percentile

_ROOT = Path(__file__).resolve().parent.parent
_QUESTIONS = (
    _ROOT / "tests/core/policy/offline/questions_dev.tsv",
    _ROOT / "tests/core/evaluation/data/questions_natural_dev.tsv",
)


class _Terminal:
    """A process in a pseudo-terminal."""

    def __init__(self, command: Sequence[str]) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 48, 160, 0, 0))
        environment = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
        environment.pop("NO_COLOR", None)
        self.started = time.perf_counter()
        self._process = subprocess.Popen(
            command,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=_ROOT,
            env=environment,
            start_new_session=True,
        )
        os.close(slave)
        self._seen = b""

    def until(self, wanted: bytes, seconds: float = 60.0) -> float:
        """Read until ``wanted`` comes; return when that was."""
        end = time.perf_counter() + seconds
        while wanted not in self._seen:
            ready, _, _ = select.select([self._master], [], [], max(0.0, end - time.perf_counter()))
            if not ready:
                raise SystemExit(f"never seen: {wanted!r}")
            self._seen = self._seen[-200_000:] + os.read(self._master, 65_536)
        return time.perf_counter()

    def forget(self) -> None:
        """Read and drop what is there."""
        while select.select([self._master], [], [], 0)[0]:
            os.read(self._master, 65_536)
        self._seen = b""

    def watch(self, seconds: float) -> None:
        """Read and drop for a while, as a terminal does: what is not read holds the writer up."""
        end = time.perf_counter() + seconds
        while (left := end - time.perf_counter()) > 0:
            if select.select([self._master], [], [], left)[0]:
                os.read(self._master, 65_536)
        self._seen = b""

    def send(self, data: bytes) -> float:
        """Type; return when that was."""
        os.write(self._master, data)
        return time.perf_counter()

    def memory(self) -> tuple[float, float]:
        """Return the megabytes of memory it holds, and those that files are read into (Linux)."""
        _, whole, files = Path(f"/proc/{self._process.pid}/statm").read_text().split()[:3]
        page = resource.getpagesize() / 2**20
        return int(whole) * page, int(files) * page

    def close(self) -> float:
        """End the process; return the seconds of processor time it took."""
        os.killpg(self._process.pid, signal.SIGKILL)
        _, status, used = os.wait4(self._process.pid, 0)
        self._process.returncode = os.waitstatus_to_exitcode(status)
        os.close(self._master)
        return used.ru_utime + used.ru_stime


def _first_paint() -> tuple[float, float]:
    """Return the seconds until the first picture, by the clock and of processor time."""
    command = [sys.executable, "-m", "robodata_core.cli", "tui", "--no-history"]
    terminal = _Terminal(command)
    try:
        seconds = terminal.until(b"Ask below") - terminal.started
    finally:
        processor = terminal.close()
    return seconds, processor


def _key_latency(rate: int, keys: int) -> list[float]:
    terminal = _Terminal([sys.executable, "-m", "benchmarks._tui_child", str(rate)])
    try:
        terminal.until(b"none")
        terminal.watch(1.0)
        terminal.send(b"why\r")
        terminal.until(b"RUNNING")
        terminal.watch(2.0)
        seconds = []
        # Letters that no other part of the screen draws.
        alphabet = "ЖЩЮЯЪЫЭЦ"
        for number in range(keys):
            letter = alphabet[number % len(alphabet)].encode()
            terminal.forget()
            begun = terminal.send(letter)
            seconds.append(terminal.until(letter) - begun)
            terminal.watch(0.03)
        return seconds
    finally:
        terminal.close()


def _cancel(*flags: str) -> float:
    """Ask, wait until the run hangs, press Ctrl+C; return the seconds until it is cancelled."""
    command = [sys.executable, "-m", "robodata_core.cli", "tui", "--no-history", *flags]
    terminal = _Terminal(command)
    try:
        terminal.until(b"Ask below")
        time.sleep(1.0)
        terminal.send(b"What is the capital of Canada?\r")
        time.sleep(2.0)
        terminal.forget()
        begun = terminal.send(b"\x03")
        return terminal.until(b"CANCELLED") - begun
    finally:
        terminal.close()


def _cancels(times: int) -> Iterator[Result]:
    os.environ.setdefault("OPENAI_API_KEY", "none")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        cases = {
            "a model": ("--policy=llm", "--model=silent", f"--base-url={address}/v1"),
            "a source": (f"--source=sparql:{address}/sparql",),
        }
        for name, flags in cases.items():
            worst = max(_cancel(*flags) for _ in range(times))
            yield Result(f"cancel while {name} is silent, longest", worst, "s", 1.0)


def _memory(source: str, count: int) -> Iterator[Result]:
    """Ask so many questions; tell what the process holds before, in the middle and after."""
    flags = ["tui", "--no-history", f"--source={source}"]
    terminal = _Terminal([sys.executable, "-m", "robodata_core.cli", *flags])
    try:
        terminal.until(b"READY")
        time.sleep(3.0)
        yield Result(f"memory with {source}, before any question", terminal.memory()[0], "MB")
        most = 0.0
        for number, question in enumerate(_questions()[:count], 1):
            terminal.forget()
            terminal.send(question.encode() + b"\r")
            terminal.until(f"({number} question".encode())
            most = max(most, terminal.memory()[0])
            if number in (count // 2, count):
                time.sleep(1.0)
                budget = 150.0 if number == count else None
                name = f"memory with {source}, after {number} questions"
                held, files = terminal.memory()
                note = f"{files:.0f} of it files: libraries, which processes share"
                yield Result(name, held, "MB", budget, note=note)
        yield Result(f"memory with {source}, most so far", most, "MB")
    finally:
        terminal.close()


def _questions() -> list[str]:
    found: dict[str, None] = {}
    for path in _QUESTIONS:
        lines = [line for line in path.open(encoding="utf-8") if line[:1] != "#"]
        found |= {row["question"]: None for row in csv.DictReader(lines, delimiter="\t")}
    return list(found)


def results(*, quick: bool) -> list[Result]:
    """Measure first paint, the keys' latency, cancelling and memory."""
    _first_paint()  # It may compile byte code and read cold files: it is left out.
    paints = [_first_paint() for _ in range(2 if quick else 5)]
    clock, processor = (median(list(values)) for values in zip(*paints, strict=True))
    found = [
        Result("first paint of robodata", clock, "s", 1.0, note="cold process, p50"),
        Result("the same in processor time", processor, "s", 0.8, note="cold process, p50"),
    ]
    for rate, budget in ((0, None), (100, 50.0), (500, 50.0)):
        seconds = _key_latency(max(rate, 1), 30 if quick else 200)
        name = f"key latency at {rate} events/s"
        milliseconds = [value * 1_000 for value in seconds]
        found.append(Result(f"{name}, p50", median(milliseconds), "ms"))
        found.append(Result(f"{name}, p95", percentile(milliseconds, 0.95), "ms", budget))
    memory = [
        result
        for name in ("world", "wikidata-sample")
        for result in _memory(f"snapshot:{name}", 50 if quick else 500)
    ]
    return [*found, *_cancels(1 if quick else 5), *memory]


if __name__ == "__main__":
    raise SystemExit(main(__doc__, results))
