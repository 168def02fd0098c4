"""``robodata mcp``: answers, verdicts and look-ups for other agents, by Model Context Protocol."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import click

from robodata_core.cli.options import opened, settings_options

__all__ = ["mcp"]


@click.command()
@settings_options
@click.option(
    "--http",
    "port",
    type=click.IntRange(1, 65_535),
    metavar="PORT",
    help="Serve streamable HTTP at http://127.0.0.1:PORT/mcp (default: stdin and stdout).",
)
def mcp(port: int | None, **options: Any) -> int:
    """Serve the Model Context Protocol until the client goes or Ctrl+C.

    Tools: ask, chat, verify, and look-ups that only read. Needs `pip install 'robodata[mcp]'`.
    HTTP listens on 127.0.0.1 only and refuses other hosts and origins.
    """
    import asyncio

    from robodata_core.errors import ConfigurationError, RoboDataError

    try:
        import anyio

        from robodata_core.serve.mcp import Lines, build_server
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            f"The Model Context Protocol needs the package {error.name}.",
            hint="pip install 'robodata[mcp]'",
        ) from error

    with opened(options) as robodata:
        server = build_server(robodata)
        if port is not None:
            _serve_http(server, port)
            return 0

        async def _over_stdio() -> None:
            from mcp.server.stdio import stdio_server

            lines: Any = Lines(sys.stdin.buffer)
            async with stdio_server(stdin=anyio.wrap_file(lines)) as (reader, writer):
                await server.run(reader, writer, server.create_initialization_options())

        try:
            anyio.run(_over_stdio)
        except asyncio.CancelledError as error:
            # Up to Python 3.10 a Ctrl+C that cancelled the serving is not told as one.
            raise KeyboardInterrupt from error
        except Exception as error:
            # Parts of the protocol that fall over what is gone come up together, in a group.
            for one in _single(error):
                if isinstance(one, RoboDataError):
                    raise one from error
            why = set(map(type, _single(error)))
            if BrokenPipeError in why:
                raise BrokenPipeError("the client has gone") from error
            if why <= {anyio.BrokenResourceError, anyio.ClosedResourceError}:
                raise KeyboardInterrupt from error
            raise
    return 0


def _single(error: BaseException) -> Iterator[BaseException]:
    for one in getattr(error, "exceptions", ()):
        yield from _single(one)
    if not hasattr(error, "exceptions"):
        yield error


def _serve_http(server: Any, port: int) -> None:
    import logging
    import socket

    import uvicorn

    from robodata_core.errors import ConfigurationError
    from robodata_core.serve.mcp import MOST_BYTES, MOST_CONNECTIONS, impatient

    for handler in logging.getLogger("robodata").handlers:
        logging.getLogger("mcp").addHandler(handler)  # else it goes to stderr, with its stack
    application = server.streamable_http_app(host="127.0.0.1", max_request_body_size=MOST_BYTES)
    try:
        listening = socket.create_server(("127.0.0.1", port))
    except OSError as error:
        raise ConfigurationError(
            f"Port {port} cannot be used: {error.strerror}.", hint="Give another to --http."
        ) from error
    click.echo(f"Serving http://127.0.0.1:{port}/mcp until interrupted.", err=True)
    config = uvicorn.Config(
        application, log_level="error", http=impatient(), limit_concurrency=MOST_CONNECTIONS
    )
    sys.stdout.flush()
    uvicorn.Server(config).run([listening])
