"""In the browser: only this machine, nothing from elsewhere, and a question end to end."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from robodata_core.cli import run
from robodata_core.errors import ConfigurationError
from robodata_tui.serving import _listening, _server, allowed, is_loopback, serve

pytest.importorskip("textual_serve", reason="the extra serve is not installed here")

import aiohttp  # noqa: E402
from aiohttp import web  # noqa: E402

from tests.tui._browser import Page, find_chromium, open_page, screen_text  # noqa: E402


@pytest.mark.parametrize(
    ("host", "own"),
    [
        ("localhost", True),
        ("127.0.0.1", True),
        ("::1", True),
        ("[::1]", True),
        ("127.8.9.1", True),
        ("0.0.0.0", False),
        ("192.168.1.4", False),
        ("example.org", False),
    ],
)
def test_what_counts_as_this_machine(host: str, own: bool) -> None:
    assert is_loopback(host) is own


@pytest.mark.parametrize(
    ("host", "origin", "good"),
    [
        ("127.0.0.1:8000", None, True),
        ("localhost:8000", "http://localhost:8000", True),
        ("localhost:8000", "http://evil.example", False),
        ("localhost:8000", "null", False),
        ("evil.example:8000", "http://evil.example:8000", False),
    ],
)
def test_requests_of_other_pages_are_refused(host: str, origin: str | None, good: bool) -> None:
    assert allowed(host, origin, "127.0.0.1") is good


def test_a_wider_address_is_not_bound_unless_agreed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ConfigurationError):
        serve([], "0.0.0.0", 0)
    assert "There is no login." in capsys.readouterr().err


def test_the_page_names_no_other_host() -> None:
    import robodata_tui.serving

    pages = Path(robodata_tui.serving.__file__).parent / "web"
    for page in pages.iterdir():
        assert "http" not in page.read_text(), page.name


@contextlib.contextmanager
def serving(
    folder: Path, port: int = 0, *flags: str
) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Start the real command on a port (0: a free one); yield it and the port."""
    command = [
        sys.executable,
        "-m",
        "robodata_core.cli",
        "tui",
        "--serve",
        f"--port={port}",
        *flags,
    ]
    environment = {**os.environ, "XDG_STATE_HOME": str(folder), "PYTHONUNBUFFERED": "1"}
    for name in ("NO_COLOR", "COLUMNS", "LINES"):
        environment.pop(name, None)
    server = subprocess.Popen(
        command, env=environment, cwd=folder, stderr=subprocess.PIPE, text=True
    )
    try:
        assert server.stderr is not None
        said = server.stderr.readline()
        found = re.match(r"RoboData is at http://127\.0\.0\.1:(\d+) ", said)
        assert found, said
        yield server, int(found[1])
    finally:
        server.terminate()
        server.wait()


def test_a_port_that_is_taken_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert run(["tui", "--serve", f"--port={port}"]) == 2
    said = capsys.readouterr().err
    assert f"robodata: Port {port} of 127.0.0.1 cannot be used" in said
    assert "RoboData is at" not in said


@pytest.mark.parametrize("port", ["-1", "70000"])
def test_what_is_no_port_is_one_sentence(capsys: pytest.CaptureFixture[str], port: str) -> None:
    assert run(["tui", "--serve", f"--port={port}"]) == 2
    assert "--port" in capsys.readouterr().err


def test_a_question_in_a_browser(tmp_path: Path) -> None:
    browser = find_chromium()
    if browser is None:
        pytest.skip("there is no chromium here")
    with serving(tmp_path) as (_, port):
        asyncio.run(_ask(browser, port))


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc")
@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGTERM], ids=["killed", "ended"])
def test_an_application_does_not_outlive_its_server(tmp_path: Path, sent: int) -> None:
    with serving(tmp_path) as (server, port):
        (child,) = asyncio.run(_connected(server.pid, port, lambda: server.send_signal(sent)))
        server.wait()
        limit = time.monotonic() + 90
        while _is_alive(child):
            assert time.monotonic() < limit, f"{child} goes on without its server"
            time.sleep(0.05)


def test_sessions_are_bounded_and_whoever_comes_after_is_told(tmp_path: Path) -> None:
    async def come() -> tuple[int, str, int, int]:
        async with aiohttp.ClientSession(f"http://127.0.0.1:{port}/") as session:
            async with session.ws_connect("/ws"):
                async with session.get("/") as page:
                    told = page.status, await page.text()
                async with session.get("/ws") as refused:
                    second = refused.status
            for _ in range(200):
                async with session.get("/") as page:
                    if page.status == 200:
                        break
                await asyncio.sleep(0.05)
            return *told, second, page.status

    with serving(tmp_path, 0, "--sessions=1") as (_, port):
        page, text, second, after = asyncio.run(come())
    assert (page, second, after) == (503, 503, 200)
    assert "takes no more" in text


@contextlib.asynccontextmanager
async def standing_in(
    monkeypatch: pytest.MonkeyPatch, folder: Path, script: str
) -> AsyncIterator[aiohttp.ClientSession]:
    """Serve a script instead of the application."""
    stand_in = folder / "python"
    stand_in.write_text(f"#!/bin/sh\necho __GANGLION__\n{script}\n")
    stand_in.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(stand_in))
    listening = _listening("127.0.0.1", 0)
    port = listening.getsockname()[1]
    runner = web.AppRunner(await _server([], "127.0.0.1", listening, 1)._make_app())
    await runner.setup()
    await web.SockSite(runner, listening).start()
    async with aiohttp.ClientSession(f"http://127.0.0.1:{port}/") as session:
        yield session
    await runner.cleanup()


@pytest.mark.skipif(os.name == "nt", reason="the script is of a POSIX shell")
def test_an_application_that_does_not_end_is_ended_and_gives_its_place_free(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("robodata_tui.windows._GRACE", 0.2)
    script = f"echo $$ > {tmp_path}/number; exec sleep 300"

    async def come_and_go() -> int:
        async with standing_in(monkeypatch, tmp_path, script) as session:
            async with session.ws_connect("/ws?width=80&height=24"):
                while not (tmp_path / "number").exists():
                    await asyncio.sleep(0.05)
            for _ in range(200):
                async with session.get("/") as page:
                    if page.status == 200:
                        break
                await asyncio.sleep(0.05)
            return page.status

    assert asyncio.run(come_and_go()) == 200
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "number").read_text()), 0)


@pytest.mark.skipif(os.name == "nt", reason="the script is of a POSIX shell")
def test_a_window_has_no_more_cells_than_an_application_can_reckon_with(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async def resize() -> list[int]:
        async with standing_in(monkeypatch, tmp_path, f"exec cat > {tmp_path}/told") as session:
            statuses = []
            for asked in ("width=99999999", "height=-1", "width=%2b99999", "width=x", "height=0"):
                async with session.get(f"/ws?{asked}") as refused:
                    statuses.append(refused.status)
            async with session.ws_connect("/ws?width=80&height=24") as connection:
                sides = {"width": 1_000_000_000, "height": 50}
                await connection.send_json(["resize", sides])
                while "resize" not in _text(tmp_path / "told"):
                    await asyncio.sleep(0.05)
            return statuses

    assert asyncio.run(resize()) == [400] * 5
    assert '"width": 1000, "height": 50' in _text(tmp_path / "told")


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "replace") if path.exists() else ""


async def _connected(server: int, port: int, then: Callable[[], None]) -> list[int]:
    """Connect like a browser; once there is a picture, do ``then``; return the applications."""
    url = f"ws://127.0.0.1:{port}/ws?width=80&height=24"
    async with aiohttp.ClientSession() as session, session.ws_connect(url) as connection:
        seen = b""
        while b"Ask below" not in seen:
            message = await connection.receive()
            assert message.type in (aiohttp.WSMsgType.BINARY, aiohttp.WSMsgType.TEXT), message
            seen += message.data if isinstance(message.data, bytes) else b""
        children = _descendants(server)
        then()
        return children


def _descendants(parent: int) -> list[int]:
    """Return the processes below one that have none below them: not the shells between."""
    text = Path(f"/proc/{parent}/task/{parent}/children").read_text()
    children = [int(name) for name in text.split()]
    return [leaf for child in children for leaf in _descendants(child) or [child]]


def _is_alive(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"  # ended, and nobody has asked how yet


async def _ask(browser: str, port: int) -> None:
    async with open_page(browser, f"http://127.0.0.1:{port}/") as page:
        # Nobody clicks: the keyboard is the terminal's from the start.
        await _seen(page, "READY")
        await page.type("What is the capital of Canada?")
        await page.enter()
        for wanted in ("ANSWERED", "The capital of Canada is Ottawa.", "═capital¹═▶"):
            await _seen(page, wanted)
        hosts = {urlsplit(url).hostname for url in page.requests if "://" in url}
        assert hosts == {"127.0.0.1"}


def test_a_phone_gets_one_pane_and_the_page_comes_back_with_the_server(tmp_path: Path) -> None:
    browser = find_chromium()
    if browser is None:
        pytest.skip("there is no chromium here")
    with serving(tmp_path) as (server, port):
        asyncio.run(_lose_and_find(browser, server, port, tmp_path))


async def _lose_and_find(
    browser: str, server: subprocess.Popen[str], port: int, folder: Path
) -> None:
    async with open_page(browser, f"http://127.0.0.1:{port}/", size=(390, 844)) as page:
        await _seen(page, "READY")
        await _seen(page, "[Answer]")
        # It asks there as well, and the answer is in sight.
        await page.type("What is the capital of Canada?")
        await page.enter()
        for wanted in ("ANSWERED", "The capital of Canada is Ottawa."):
            await _seen(page, wanted)
        server.terminate()
        await asyncio.to_thread(server.wait)
        await page.until_text("#why", "The connection is lost")
        before = len(page.received)
        with serving(folder, port):
            await page.until(lambda: "READY" in screen_text(page.received[before:]), "a new start")


async def _seen(page: Page, wanted: str) -> None:
    await page.until(lambda: wanted in screen_text(page.received), wanted)
