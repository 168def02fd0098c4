"""SPARQL servers by other people, started on loopback for a test and ended after it."""

from __future__ import annotations

import importlib.util
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

__all__ = ["SERVERS", "serve_tiny"]

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
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def serve_tiny(kind: str, folder: Path, *, writable: bool = False) -> Iterator[str]:
    """Serve the tiny snapshot with a server of this kind; yields the address for queries."""
    program = _program(kind)
    if kind == "rdflib-endpoint" and importlib.util.find_spec("uvicorn") is None:
        pytest.skip("uvicorn is not installed (extra 'servers')")
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
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait_for(port, process)
        yield url
    finally:
        process.terminate()
        process.wait(10)


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if process.poll() is not None:
            pytest.fail(f"the server ended with {process.returncode}")
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    pytest.fail("the server did not start")
