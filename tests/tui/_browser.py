"""A headless Chromium driven over its DevTools protocol: just enough to type and to listen."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import aiohttp

__all__ = ["Page", "find_chromium", "open_page", "screen_text"]

_ESCAPES = re.compile(r"\x1b\[[0-9;?<>=]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b.")


def find_chromium() -> str | None:
    """Return the browser's path, or None where there is none."""
    names = ("chromium", "chromium-browser", "google-chrome")
    return next((path for name in names if (path := shutil.which(name))), None)


def screen_text(data: str) -> str:
    """Return what a terminal was sent, without escapes, white space squeezed."""
    return " ".join(_ESCAPES.sub(" ", data).split())


class Page:
    """One page: what it asked for, what its web socket received, what it complained about."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._number = 0
        self._replies: dict[int, asyncio.Future[Any]] = {}
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.received = ""
        self._news = asyncio.Event()

    async def listen(self) -> None:
        """Take events until the browser goes away."""
        async for message in self._socket:
            data = json.loads(message.data)
            if "id" in data:
                self._replies.pop(data["id"]).set_result(data.get("result"))
            else:
                self._take(data["method"], data["params"])
            self._news.set()

    def _take(self, method: str, params: dict[str, Any]) -> None:
        if method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method == "Network.webSocketCreated":
            self.requests.append(params["url"])
        elif method == "Network.webSocketFrameReceived":
            frame = params["response"]
            if frame["opcode"] == 2:
                raw = base64.b64decode(frame["payloadData"])
                self.received += raw.decode("utf-8", "replace")
        elif method == "Log.entryAdded":
            self.complaints.append(params["entry"]["text"])

    async def call(self, method: str, **params: Any) -> Any:
        """Give a command and return its result."""
        self._number += 1
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._replies[self._number] = future
        await self._socket.send_json({"id": self._number, "method": method, "params": params})
        return await future

    async def until(self, holds: Callable[[], bool], what: str) -> None:
        """Wait until something holds; the test's own time limit is the only one."""
        try:
            async with asyncio.timeout(200) if hasattr(asyncio, "timeout") else _no_limit():
                while not holds():
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            tail = screen_text(self.received)[-2_000:]
            raise AssertionError(
                f"never seen: {what}; complaints {self.complaints}; {tail}"
            ) from None

    async def until_text(self, selector: str, wanted: str) -> None:
        """Wait until a part of the page itself says something."""
        script = f"document.querySelector({json.dumps(selector)}).textContent"
        for _ in range(2_000):
            done = await self.call("Runtime.evaluate", expression=script)
            if wanted in str(done["result"].get("value", "")):
                return
            await asyncio.sleep(0.05)
        raise AssertionError(f"never said: {wanted}")

    async def type(self, text: str) -> None:
        """Type a text."""
        for character in text:
            await self.call("Input.dispatchKeyEvent", type="char", text=character)

    async def enter(self) -> None:
        """Press Enter."""
        key = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"}
        await self.call("Input.dispatchKeyEvent", type="keyDown", **key)
        await self.call("Input.dispatchKeyEvent", type="keyUp", **key)


@contextlib.asynccontextmanager
async def _no_limit() -> AsyncIterator[None]:
    yield


@contextlib.asynccontextmanager
async def open_page(
    browser: str, url: str, size: tuple[int, int] = (1600, 1000)
) -> AsyncIterator[Page]:
    """Start the browser on ``url`` in a window of so many pixels and yield its page."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        process = await asyncio.create_subprocess_exec(
            browser,
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--disable-background-networking",
            f"--window-size={size[0]},{size[1]}",
            "--remote-debugging-port=0",
            f"--user-data-dir={profile}",
            "about:blank",
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
            env={**os.environ, "HOME": profile},
        )
        try:
            port = await _port(Path(profile) / "DevToolsActivePort", process)
            async with aiohttp.ClientSession() as session:
                address = await _address(session, port)
                async with session.ws_connect(address, max_msg_size=0) as socket:
                    page = Page(socket)
                    listener = asyncio.create_task(page.listen())
                    for domain in ("Network", "Page", "Log", "Runtime"):
                        await page.call(f"{domain}.enable")
                    # As in a window that somebody looks at.
                    await page.call("Emulation.setFocusEmulationEnabled", enabled=True)
                    metrics = {"width": size[0], "height": size[1], "deviceScaleFactor": 1}
                    mobile = size[0] < 600
                    await page.call("Emulation.setDeviceMetricsOverride", **metrics, mobile=mobile)
                    await page.call("Page.navigate", url=url)
                    yield page
                    listener.cancel()
        finally:
            process.terminate()
            await process.wait()


async def _port(file: Path, process: asyncio.subprocess.Process) -> int:
    while process.returncode is None:
        # The second line is a path: without it the first one may not be whole.
        if file.is_file() and len(lines := file.read_text().split()) > 1:
            return int(lines[0])
        await asyncio.sleep(0.05)
    raise AssertionError("the browser did not start")


async def _address(session: aiohttp.ClientSession, port: int) -> str:
    """Wait until there is a page; return where it takes commands."""
    while True:
        async with session.get(f"http://127.0.0.1:{port}/json/list") as reply:
            pages = await reply.json()
        for page in pages:
            if page["type"] == "page":
                return str(page["webSocketDebuggerUrl"])
        await asyncio.sleep(0.05)
