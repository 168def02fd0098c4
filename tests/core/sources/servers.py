"""SPARQL servers by other people, started on loopback for a test and ended after it."""

from __future__ import annotations

import importlib.util
import random
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyoxigraph as ox
import pytest

from tests.core.fixtures import TINY

__all__ = ["SERVERS", "serve_empty", "serve_tiny"]

#: Name of each kind of server.
SERVERS = ("oxigraph", "rdflib-endpoint")


def _triples() -> bytes:
    """The tiny snapshot without its named graphs, as Turtle."""
    quads = ox.parse(TINY.encode(), format=ox.RdfFormat.TRIG)
    triples = {ox.Triple(quad.subject, quad.predicate, quad.object) for quad in quads}
    turtle: bytes = ox.serialize(sorted(triples, key=str), format=ox.RdfFormat.TURTLE)
    return turtle


def _program(name: str) -> str:
    beside = Path(sys.executable).parent / name
    found = str(beside) if beside.is_file() else shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed (extra 'servers')")
    return found


def _free_port() -> int:
    """Return a port that nobody listens on, from outside the range the system gives out itself."""
    while True:
        port = random.SystemRandom().randrange(20_000, 32_000)
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port


@contextmanager
def serve_tiny(kind: str, folder: Path, *, writable: bool = False) -> Iterator[str]:
    """Serve the tiny snapshot with a server of this kind; yields the address for queries."""
    program = _server_program(kind)
    file, port = folder / "tiny.ttl", _free_port()
    file.write_bytes(_triples())
    if kind == "oxigraph":
        at = ["--location", str(folder / "store")]
        subprocess.run([program, "load", *at, "--file", str(file)], check=True, capture_output=True)
        serve = "serve" if writable else "serve-read-only"
        command = [program, serve, *at, "--bind", f"127.0.0.1:{port}"]
        url = f"http://127.0.0.1:{port}/query"
    else:
        command = [program, "serve", "--host", "127.0.0.1", "--port", str(port), str(file)]
        url = f"http://127.0.0.1:{port}/"
    with _running(command, port):
        yield url


@contextmanager
def serve_empty(kind: str, folder: Path, *, port: int = 0) -> Iterator[str]:
    """Serve a data set that takes updates, kept in ``folder`` where the server can keep any.

    Args:
        kind: One of ``SERVERS``.
        folder: Where it may keep its data.
        port: Port to listen on; 0 takes a free one.

    Yields:
        The address for queries.
    """
    program, port = _server_program(kind), port or _free_port()
    if kind == "oxigraph":
        at = ["--location", str(folder / "store"), "--bind", f"127.0.0.1:{port}"]
        command, url = [program, "serve", *at], f"http://127.0.0.1:{port}/query"
    else:
        at = ["--host", "127.0.0.1", "--port", str(port)]
        command, url = [program, "serve", *at, "--enable-update"], f"http://127.0.0.1:{port}/"
    with _running(command, port):
        yield url


def _server_program(kind: str) -> str:
    program = _program(kind)
    if kind == "rdflib-endpoint" and importlib.util.find_spec("uvicorn") is None:
        pytest.skip("uvicorn is not installed (extra 'servers')")
    return program


@contextmanager
def _running(command: list[str], port: int) -> Iterator[None]:
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        if not _listens(port, process):  # once more, in case the port was taken meanwhile
            process.wait(10)
            time.sleep(0.5)
            process = subprocess.Popen(
                command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            if not _listens(port, process):
                pytest.fail(f"the server ended with {process.returncode}, or did not start")
        yield
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _listens(port: int, process: subprocess.Popen[bytes]) -> bool:
    """Wait until a server takes connections; False if it ends instead."""
    end = time.monotonic() + 120
    while time.monotonic() < end and process.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return True
        time.sleep(0.05)
    return False
