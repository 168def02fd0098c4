"""Windows of browsers, each with an application of its own: what passes to them, how they end.

It needs textual-serve (the extra ``serve``); ``serving`` imports it when it is asked to serve.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import socket
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, Final

from aiohttp import web
from textual_serve.server import Server

from robodata_core.text import whole_number

__all__ = ["Quiet"]

_FULL: Final = (
    "RoboData is in use in {} windows, and takes no more. Close one, or start it with"
    " --sessions NUMBER."
)
_MOST_CELLS: Final = 1_000
"""Most columns, and rows, of a window: an application reckons with every cell of it."""
_SIDES: Final = ("width", "height")
_GRACE: Final = 5.0
"""Seconds in which an application ends after its window is gone."""
_POLICY: Final = (
    "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline';"
    " img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; frame-ancestors 'none'"
)


class Quiet(Server):
    """The server without its banner and log, with our page and our guard.

    Args:
        command: Starts the application of a window.
        listening: The address, which was taken.
        sessions: Most windows at the same time.
        admits: Tells from a request's ``Host`` and ``Origin`` whether it may be answered.
        where: What else the server wants to know: host, port, title, address, page.
    """

    def __init__(
        self,
        command: str,
        *,
        listening: socket.socket,
        sessions: int,
        admits: Callable[[str, str | None], bool],
        **where: Any,
    ) -> None:
        super().__init__(command, **where)
        self._listening = listening
        self._guard = _guard(admits, sessions)

    def initialize_logging(self) -> None:
        """Log where all is logged: stderr is for what people need to know."""
        for handler in logging.getLogger("robodata").handlers:
            logging.getLogger("textual-serve").addHandler(handler)

    async def on_startup(self, app: web.Application) -> None:
        """Say nothing."""

    def serve(self, debug: bool = False) -> None:
        """Serve on the address that was taken, until Ctrl+C or the end is asked for."""
        loop = _loop_until(self.request_exit)
        app = self._make_app()
        web.run_app(app, sock=self._listening, handle_signals=False, loop=loop, print=None)

    async def handle_index(self, request: web.Request) -> Any:
        """Show the page; its addresses are those it was asked by."""
        self.public_url = f"{request.scheme}://{request.host}"
        return await super().handle_index(request)

    async def _process_messages(self, websocket: web.WebSocketResponse, app_service: Any) -> None:
        tell = app_service.set_terminal_size
        app_service.set_terminal_size = lambda *sides: tell(*map(_cells, sides))
        try:
            await super()._process_messages(websocket, app_service)
        finally:
            process = app_service._process
            asyncio.get_running_loop().call_later(_GRACE, _end, process)

    async def _make_app(self) -> web.Application:
        app = await super()._make_app()
        app.middlewares.append(self._guard)
        app.on_response_prepare.append(_locked)
        return app


def _loop_until(end: Callable[[], None]) -> asyncio.AbstractEventLoop:
    """Return a loop in which signals ask for the ``end``."""
    loop = asyncio.new_event_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError):  # Windows
            loop.add_signal_handler(number, end)
    return loop


class _Windows:
    """Counts the applications that run."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._now = 0

    @contextlib.contextmanager
    def one(self, path: str, refusal: Callable[..., Exception]) -> Iterator[None]:
        """Count an application while it runs; where there is no room, raise the refusal."""
        if path in ("/", "/ws") and self._now >= self._most:
            raise refusal(text=_FULL.format(self._most))
        counted = int(path == "/ws")
        self._now += counted
        try:
            yield
        finally:
            self._now -= counted


def _cells(number: object) -> int:
    """Return how many columns or rows a window has, whatever its page says."""
    return max(1, min(number, _MOST_CELLS)) if isinstance(number, int) else _MOST_CELLS


def _end(process: Any) -> None:
    """End an application that has not ended by itself."""
    if process is not None and process.returncode is None:
        process.kill()


def _guard(admits: Callable[[str, str | None], bool], sessions: int) -> Any:
    """Return what requests pass first: from elsewhere, or beyond a bound, they go no further."""
    windows = _Windows(sessions)

    @web.middleware
    async def guard(
        request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        if not admits(request.host, request.headers.get("Origin")):
            raise web.HTTPForbidden(text="This page does not take requests from elsewhere.")
        sides = (whole_number(request.query.get(side, "1"), _MOST_CELLS + 1) for side in _SIDES)
        if not all(number and number <= _MOST_CELLS for number in sides):
            raise web.HTTPBadRequest(text=f"A window has at most {_MOST_CELLS:,} columns and rows.")
        with windows.one(request.path, web.HTTPServiceUnavailable):
            return await handler(request)

    return guard


async def _locked(request: web.Request, response: web.StreamResponse) -> None:
    response.headers["Content-Security-Policy"] = _POLICY
    response.headers["Referrer-Policy"] = "no-referrer"
