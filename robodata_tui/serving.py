"""The terminal UI in a browser, through textual-serve (the extra ``serve``).

Every connection gets an application of its own. There is no login, so it binds to this machine
alone unless told otherwise after a warning; requests that other web pages make are refused, and
the page asks nothing of any other host.
"""

from __future__ import annotations

import ipaddress
import shlex
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import click

from robodata_core.errors import ConfigurationError

__all__ = ["allowed", "is_loopback", "serve"]

_PAGES: Final = Path(__file__).parent / "web"
_NAMES: Final = frozenset({"localhost", "127.0.0.1", "::1"})
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


def serve(arguments: Sequence[str], host: str, port: int, *, sure: bool = False) -> int:
    """Serve until Ctrl+C.

    Args:
        arguments: Flags for the applications that are started.
        host: Address to bind.
        port: Port to bind.
        sure: Whether a wider address than this machine was already agreed to.

    Raises:
        ConfigurationError: If textual-serve is not installed, or nobody agreed.
    """
    if not is_loopback(host):
        click.echo(
            f"Warning: everybody who reaches {host}:{port} can use this RoboData: ask questions,"
            " read its local graph and its journals, write exports. There is no login.",
            err=True,
        )
        if not sure and not (sys.stdin.isatty() and click.confirm("Serve it anyway?", err=True)):
            raise ConfigurationError("Not served.", hint="Use --yes if that is what you want.")
    server = _server(arguments, host, port)
    click.echo(f"RoboData is at {server.public_url} (Ctrl+C ends it)", err=True)
    server.serve()
    return 0


def _server(arguments: Sequence[str], host: str, port: int) -> Any:
    try:
        from aiohttp import web
        from textual_serve.server import Server
    except ImportError as error:
        raise ConfigurationError(
            "Serving needs textual-serve.", hint="pip install 'robodata[serve]'"
        ) from error

    @web.middleware
    async def guard(
        request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        if not allowed(request.host, request.headers.get("Origin"), host):
            raise web.HTTPForbidden(text="This page does not take requests from elsewhere.")
        return await handler(request)

    async def locked(request: web.Request, response: web.StreamResponse) -> None:
        response.headers["Content-Security-Policy"] = _POLICY
        response.headers["Referrer-Policy"] = "no-referrer"

    class Quiet(Server):
        """The server without its banner and log, with our page and our guard."""

        def initialize_logging(self) -> None:
            """Log nothing: stderr is for what people need to know."""

        async def on_startup(self, app: web.Application) -> None:
            """Say nothing."""

        async def handle_index(self, request: web.Request) -> Any:
            """Show the page; its addresses are those it was asked by."""
            self.public_url = f"{request.scheme}://{request.host}"
            return await super().handle_index(request)

        async def _make_app(self) -> web.Application:
            app = await super()._make_app()
            app.middlewares.append(guard)
            app.on_response_prepare.append(locked)
            return app

    command = [sys.executable, "-m", "robodata_core.cli", "tui", *arguments]
    shown = f"[{host}]" if ":" in host else host
    return Quiet(
        shlex.join(command),
        host=host,
        port=port,
        title="RoboData",
        public_url=f"http://{shown}:{port}",
        templates_path=str(_PAGES),
    )
