"""The terminal UI in a browser, through textual-serve (the extra ``serve``).

Every connection gets an application of its own. There is no login, so it binds to this machine
alone unless told otherwise after a warning; requests that other web pages make are refused, and
the page asks nothing of any other host.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import logging
import shlex
import signal
import socket
import sys
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import click

from robodata_core.errors import ConfigurationError
from robodata_core.text import whole_number

__all__ = ["allowed", "is_loopback", "serve"]

_PAGES: Final = Path(__file__).parent / "web"
_NAMES: Final = frozenset({"localhost", "127.0.0.1", "::1"})
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


def is_loopback(host: str) -> bool:
    """Tell whether an address can be reached from this machine only."""
    if host in _NAMES:
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def allowed(host: str, origin: str | None, served: str) -> bool:
    """Tell whether a request may be answered.

    Args:
        host: Its ``Host`` header.
        origin: Its ``Origin`` header, if any.
        served: The address that was bound.

    Returns:
        False for a name that is not ours (a page that points its own name at this machine) and
        for a request made by another site's page.
    """
    name = urlsplit(f"//{host}").hostname or ""
    if is_loopback(served) and not is_loopback(name):
        return False
    return origin is None or urlsplit(origin).netloc == host


def serve(
    arguments: Sequence[str], host: str, port: int, *, sure: bool = False, sessions: int = 8
) -> int:
    """Serve until Ctrl+C.

    Args:
        arguments: Flags for the applications that are started.
        host: Address to bind.
        port: Port to bind; 0 takes a free one.
        sure: Whether a wider address than this machine was already agreed to.
        sessions: Most applications at the same time; whoever comes after is told so.

    Raises:
        ConfigurationError: If textual-serve is not installed, nobody agreed, or the address
            cannot be had.
    """
    if not is_loopback(host):
        click.echo(
            f"Warning: everybody who reaches {host}:{port} can use this RoboData: ask questions,"
            " read its local graph and its journals, write exports. There is no login.",
            err=True,
        )
        if not sure and not (sys.stdin.isatty() and click.confirm("Serve it anyway?", err=True)):
            raise ConfigurationError("Not served.", hint="Use --yes if that is what you want.")
    with _listening(host, port) as listening:
        server = _server(arguments, host, listening, sessions)
        click.echo(f"RoboData is at {server.public_url} (Ctrl+C ends it)", err=True)
        server.serve()
    return 0


def _listening(host: str, port: int) -> socket.socket:
    """Take the address, before anybody is told of it."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host.strip("[]"), port, type=socket.SOCK_STREAM
        )[0]
        listening = socket.socket(family, kind, protocol)
    except OSError as error:
        raise _cannot_listen(host, port, error) from error
    try:
        if sys.platform != "win32":  # there it would share the port with others
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen()
    except OSError as error:
        listening.close()
        raise _cannot_listen(host, port, error) from error
    return listening


def _cannot_listen(host: str, port: int, error: OSError) -> ConfigurationError:
    return ConfigurationError(
        f"Port {port} of {host} cannot be used: {error.strerror}.",
        hint="Name another one with --port.",
    )


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


def _guard(host: str, sessions: int) -> Any:
    """Return what requests pass first: from elsewhere, or beyond a bound, they go no further."""
    from aiohttp import web

    windows = _Windows(sessions)

    @web.middleware
    async def guard(
        request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        if not allowed(request.host, request.headers.get("Origin"), host):
            raise web.HTTPForbidden(text="This page does not take requests from elsewhere.")
        sides = (whole_number(request.query.get(side, "1"), _MOST_CELLS + 1) for side in _SIDES)
        if not all(number and number <= _MOST_CELLS for number in sides):
            raise web.HTTPBadRequest(text=f"A window has at most {_MOST_CELLS:,} columns and rows.")
        with windows.one(request.path, web.HTTPServiceUnavailable):
            return await handler(request)

    return guard


def _server(arguments: Sequence[str], host: str, listening: socket.socket, sessions: int) -> Any:
    try:
        from aiohttp import web
        from textual_serve.server import Server
    except ImportError as error:
        raise ConfigurationError(
            "Serving needs textual-serve.", hint="pip install 'robodata[serve]'"
        ) from error

    async def locked(request: web.Request, response: web.StreamResponse) -> None:
        response.headers["Content-Security-Policy"] = _POLICY
        response.headers["Referrer-Policy"] = "no-referrer"

    class Quiet(Server):
        """The server without its banner and log, with our page and our guard."""

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
            web.run_app(app, sock=listening, handle_signals=False, loop=loop, print=None)

        async def handle_index(self, request: web.Request) -> Any:
            """Show the page; its addresses are those it was asked by."""
            self.public_url = f"{request.scheme}://{request.host}"
            return await super().handle_index(request)

        async def _process_messages(
            self, websocket: web.WebSocketResponse, app_service: Any
        ) -> None:
            tell = app_service.set_terminal_size
            app_service.set_terminal_size = lambda *sides: tell(*map(_cells, sides))
            try:
                await super()._process_messages(websocket, app_service)
            finally:
                process = app_service._process
                asyncio.get_running_loop().call_later(_GRACE, _end, process)

        async def _make_app(self) -> web.Application:
            app = await super()._make_app()
            app.middlewares.append(_guard(host, sessions))
            app.on_response_prepare.append(locked)
            return app

    command = [sys.executable, "-m", "robodata_core.cli", "tui", *arguments]
    port = listening.getsockname()[1]
    shown = f"[{host}]" if ":" in host else host
    shell = "" if sys.platform == "win32" else "exec "  # what is ended is then no shell around it
    return Quiet(
        shell + shlex.join(command),
        host=host,
        port=port,
        title="RoboData",
        public_url=f"http://{shown}:{port}",
        templates_path=str(_PAGES),
    )
