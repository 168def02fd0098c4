"""The terminal UI in a browser, through textual-serve (the extra ``serve``).

Every connection gets an application of its own. There is no login, so it binds to this machine
alone unless told otherwise after a warning; requests that other web pages make are refused, and
the page asks nothing of any other host.
"""

from __future__ import annotations

import ipaddress
import shlex
import socket
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import click

from robodata_core.errors import ConfigurationError

__all__ = ["allowed", "is_loopback", "serve"]

_PAGES: Final = Path(__file__).parent / "web"
_NAMES: Final = frozenset({"localhost", "127.0.0.1", "::1"})


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


def _server(arguments: Sequence[str], host: str, listening: socket.socket, sessions: int) -> Any:
    try:
        from robodata_tui.windows import Quiet
    except ImportError as error:
        raise ConfigurationError(
            "Serving needs textual-serve.", hint="pip install 'robodata[serve]'"
        ) from error
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
        listening=listening,
        sessions=sessions,
        admits=partial(allowed, served=host),
    )
