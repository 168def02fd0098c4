"""In the browser: only this machine, nothing from elsewhere, and a question end to end."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from robodata_core.errors import ConfigurationError
from robodata_tui.serving import allowed, is_loopback, serve

pytest.importorskip("textual_serve", reason="the extra serve is not installed here")

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


def test_a_question_in_a_browser(tmp_path: Path) -> None:
    browser = find_chromium()
    if browser is None:
        pytest.skip("there is no chromium here")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "robodata_core.cli", "tui", "--serve", f"--port={port}"]
    environment = {**os.environ, "XDG_STATE_HOME": str(tmp_path), "PYTHONUNBUFFERED": "1"}
    for name in ("NO_COLOR", "COLUMNS", "LINES"):
        environment.pop(name, None)
    server = subprocess.Popen(
        command, env=environment, cwd=tmp_path, stderr=subprocess.PIPE, text=True
    )
    try:
        assert server.stderr is not None
        assert "RoboData is at" in server.stderr.readline()
        asyncio.run(_ask(browser, port))
    finally:
        server.terminate()
        server.wait()


async def _ask(browser: str, port: int) -> None:
    await _until_listening(port)
    async with open_page(browser, f"http://127.0.0.1:{port}/") as page:
        await page.until(lambda: "READY" in screen_text(page.received), "the first screen")
        await page.click(300, 800)
        await page.type("What is the capital of Canada?")
        await page.enter()
        for wanted in ("ANSWERED", "The capital of Canada is Ottawa.", "Canada (Q16) — capital"):
            await _seen(page, wanted)
        hosts = {urlsplit(url).hostname for url in page.requests if "://" in url}
        assert hosts == {"127.0.0.1"}


async def _seen(page: Page, wanted: str) -> None:
    await page.until(lambda: wanted in screen_text(page.received), wanted)


async def _until_listening(port: int) -> None:
    while True:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            await asyncio.sleep(0.05)
        else:
            writer.close()
            return
