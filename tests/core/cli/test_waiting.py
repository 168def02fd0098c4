"""Ctrl+C: while a run goes on, and while a line is typed."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from robodata_core.cli._waiting import in_thread
from robodata_core.serve.wikibase import Reply as ServedReply
from robodata_core.serve.wikibase import WikibaseApi
from robodata_core.sources.snapshot import SnapshotSource, open_snapshot
from tests.core.fixtures import tiny_snapshot
from tests.core.policy.llm.scripts import CAPITAL, capital_script, state_of
from tests.core.policy.llm.server import Reply, model_server
from tests.faults import FaultyServer

if os.name == "nt":
    pytest.skip("needs POSIX signals", allow_module_level=True)


@pytest.fixture(autouse=True)
def _ctrl_c_as_usual() -> Iterator[None]:
    """Whatever started the tests may have told them to ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    signal.signal(signal.SIGINT, before)


class Deaf:
    """Answers only when it is let, cancelled or not; presses Ctrl+C as soon as it is asked."""

    def __init__(self, presses: int) -> None:
        self.settings = SimpleNamespace(time_budget=None)
        self.go_on = threading.Event()
        self._presses = presses

    def ask(self, question: str, *, cancel: Any, **rest: object) -> str:
        for _ in range(self._presses):
            cancelled = cancel.cancelled
            os.kill(os.getpid(), signal.SIGINT)
            while not cancelled and not cancel.cancelled:
                self.go_on.wait(0.01)
        self.go_on.wait(100)
        return "cancelled" if cancel.cancelled else "answered"


def ask(robodata: Any) -> Any:
    return in_thread(lambda cancel: robodata.ask(CAPITAL, cancel=cancel))


def test_the_first_ctrl_c_cancels_and_waits_for_what_was_found() -> None:
    robodata = Deaf(presses=1)
    robodata.go_on.set()
    assert ask(robodata) == "cancelled"


def test_the_second_ctrl_c_leaves_what_does_not_end() -> None:
    robodata = Deaf(presses=2)
    with pytest.raises(KeyboardInterrupt):
        ask(robodata)
    robodata.go_on.set()


def test_without_ctrl_c_nothing_is_cancelled() -> None:
    robodata = Deaf(presses=0)
    robodata.go_on.set()
    assert ask(robodata) == "answered"


def test_a_thread_that_gets_no_signals_can_ask_as_well() -> None:
    robodata = Deaf(presses=0)
    robodata.go_on.set()
    answers: list[Any] = []
    thread = threading.Thread(target=lambda: answers.append(ask(robodata)))
    thread.start()
    thread.join()
    assert answers == ["answered"]


def test_ctrl_c_that_is_ignored_stays_ignored() -> None:
    """As in a shell script's background job."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    robodata = Deaf(presses=0)
    robodata.go_on.set()
    assert ask(robodata) == "answered"
    assert signal.signal(signal.SIGINT, signal.default_int_handler) is signal.SIG_IGN


# -- the command ------------------------------------------------------------------------------


def command(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "robodata_core.cli", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "OPENAI_API_KEY": "none"},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def pressed(
    process: subprocess.Popen[str], silent: threading.Event, over: threading.Event
) -> tuple[str, str]:
    """Press Ctrl+C once the service is silent; return what the command still said."""
    try:
        assert silent.wait(90)
        process.send_signal(signal.SIGINT)
        return process.communicate(timeout=90)
    finally:
        over.set()
        process.kill()


def test_ask_keeps_what_was_found_when_it_is_cancelled() -> None:
    pytest.importorskip("openai", reason="the extra llm is not installed here")
    good = capital_script()
    silent = threading.Event()
    over = threading.Event()

    def script(request: dict[str, Any]) -> Reply:
        if state_of(request) == "REMOTE_DATA_EVALUATION":
            silent.set()
            over.wait(110)
        return good(request)

    with model_server(script) as server:
        model = ("--policy=llm", "--model=m", f"--base-url={server.url}")
        process = command("ask", *model, "--json", CAPITAL)
        out, err = pressed(process, silent, over)
    data = json.loads(out)
    assert data["status"] == "cancelled"
    assert data["statistics"]["tool_calls"] > 0
    assert process.returncode == 130
    assert "Traceback" not in err


class SilentLater(WikibaseApi):
    """Answers what naming the triple takes; what a run asks besides waits until it is over."""

    def __init__(self, source: SnapshotSource, *about: str) -> None:
        super().__init__(source)
        self.silent, self.over = threading.Event(), threading.Event()
        self._about = {*about, "Q6256"}  # the class of the subject

    def action(self, parameters: Mapping[str, str]) -> ServedReply:
        if not self._about.isdisjoint(parameters.get("ids", "").split("|")):
            self.silent.set()
            self.over.wait(110)
        return super().action(parameters)


def test_verify_keeps_what_was_found_when_it_is_cancelled(tmp_path: Path) -> None:
    with open_snapshot(tiny_snapshot(tmp_path)) as source:
        api = SilentLater(source)
        with FaultyServer(api) as server:
            live = f"--source=wikidata --config={settings_for(server, tmp_path)}".split()
            process = command("verify", *live, "Q16", "P36", "Q1930", "--json")
            out, err = pressed(process, api.silent, api.over)
    data = json.loads(out)
    assert (data["status"], data["judgement"]) == ("cancelled", "unknown")
    assert data["explanation"].startswith("The run was cancelled.")
    assert data["statistics"]["tool_calls"] > 0
    assert process.returncode == 130
    assert "Traceback" not in err


def test_a_file_of_triples_ends_with_the_one_that_is_being_judged(tmp_path: Path) -> None:
    """Nothing is waited for; what was judged is kept, and what was not is judged by the next."""
    triples, output = tmp_path / "t.tsv", tmp_path / "v.jsonl"
    triples.write_text("Q30\tP36\tQ61\nQ16\tP36\tQ1930\nQ16\tP36\tQ61\n")
    with open_snapshot(tiny_snapshot(tmp_path)) as source:
        api = SilentLater(source)
        with FaultyServer(api) as server:
            live = f"--source=wikidata --config={settings_for(server, tmp_path)}".split()
            files = (f"--file={triples}", f"--output={output}", "--time-budget=600")
            process = command("verify", *live, *files)
            _, err = pressed(process, api.silent, api.over)
    assert process.returncode == 130, err
    assert "the same command goes on with the other 2" in err
    assert [json.loads(line)["line"] for line in output.read_text().splitlines()[1:]] == [1]


def test_a_triple_whose_time_ran_out_keeps_the_others_from_nothing(tmp_path: Path) -> None:
    triples, output = tmp_path / "t.tsv", tmp_path / "v.jsonl"
    in_naming, in_the_run, good = "Q172\tP31\tQ515", "Q16\tP36\tQ1930", "Q1930\tP31\tQ515"
    triples.write_text(f"{in_naming}\n{in_the_run}\n{good}\n")
    with open_snapshot(tiny_snapshot(tmp_path)) as source:
        api = SilentLater(source, "Q172")
        with FaultyServer(api) as server:
            live = f"--source=wikidata --config={settings_for(server, tmp_path)}".split()
            files = (f"--file={triples}", f"--output={output}", "--time-budget=15")
            process = command("verify", *live, *files)
            try:
                _, err = process.communicate(timeout=90)
            finally:
                api.over.set()
                process.kill()
    assert process.returncode == 0, err
    found = [json.loads(line) for line in output.read_text().splitlines()[1:]]
    assert [one["judgement"] for one in found] == ["error", "error", "supported"]
    assert all("ran out" in one["explanation"] for one in found[:2])


def settings_for(server: FaultyServer, folder: Path) -> Path:
    path = folder / "robodata.yaml"
    path.write_text(
        f"wikidata_api: {server.api_url}\nwikidata_sparql: {server.sparql_url}\ncache_days: 0\n"
    )
    return path


# -- the line editor --------------------------------------------------------------------------


_TYPING = """
import ctypes, functools, readline
from robodata_core.cli._waiting import heeding_ctrl_c
# A Ctrl+C between the prompt and the waiting: no Python runs there that could look at it.
readline.set_pre_input_hook(functools.partial(ctypes.CDLL(None)["raise"], 2))
for _ in range(3):
    try:
        with heeding_ctrl_c():
            input("> ")
    except KeyboardInterrupt:
        print("heeded")
"""


def test_no_ctrl_c_is_slept_over_while_a_line_is_typed() -> None:
    pytest.importorskip("readline", reason="there is no line editor on this platform")
    pty = pytest.importorskip("pty", reason="there are no terminals on this platform")
    master, slave = pty.openpty()
    try:
        process = subprocess.Popen(
            [sys.executable, "-c", _TYPING],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**os.environ, "TERM": "dumb"},
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )
        os.close(slave)
        assert _read(master).count("heeded") == 3
        assert process.wait(timeout=60) == 0
    finally:
        process.kill()
        os.close(master)


def _read(master: int) -> str:
    said = b""
    with contextlib.suppress(OSError):  # the other end is closed
        while data := os.read(master, 4_096):
            said += data
    return said.decode()
