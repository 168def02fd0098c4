"""A SPARQL server of our own on loopback, queries and updates, that can be made to fail."""

from __future__ import annotations

import base64
import contextlib
import json
import socket
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType

import pyoxigraph as ox

__all__ = ["Endpoint"]


class Endpoint:
    """Serves ``store``; ``fault`` says what goes wrong with a request.

    Attributes:
        store: The data.
        fault: Given ``query`` or ``update`` and the text, returns what goes wrong: a status,
            ``lost`` (carried out, then no answer), ``cut`` (carried out, half an answer),
            ``silent`` (not carried out, no answer in time), or nothing.
        most_rows: Most rows of an answer, as some servers have it.
        updates: The updates so far.
        queries: The queries so far.
        authorization: Header demanded, if any.
    """

    def __init__(self, port: int = 0) -> None:
        self.store = ox.Store()
        self.fault: Callable[[str, str], int | str] = lambda kind, text: ""
        self.most_rows = 10**9
        self.updates: list[str] = []
        self.queries: list[str] = []
        self.authorization = ""
        self.patience = threading.Event()
        self.connections: set[socket.socket] = set()
        handler = type("Handler", (_Handler,), {"owner": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", port), handler)
        self._server.daemon_threads = True
        self.port: int = self._server.server_address[1]
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/query"

    def demand(self, user: str, password: str) -> None:
        pair = base64.b64encode(f"{user}:{password}".encode()).decode()
        self.authorization = f"Basic {pair}"

    def __enter__(self) -> Endpoint:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.patience.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        for connection in tuple(self.connections):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def query(self, text: str) -> bytes:
        self.queries.append(text)
        found = self.store.query(text)
        if isinstance(found, ox.QueryBoolean):
            return b'{"head": {}, "boolean": %s}' % (b"true" if found else b"false")
        data = found.serialize(format=ox.QueryResultsFormat.JSON) or b""
        return _cut_rows(data, self.most_rows)

    def update(self, text: str) -> bytes:
        self.updates.append(text)
        self.store.update(text)
        return b""


def _cut_rows(data: bytes, most: int) -> bytes:
    answer = json.loads(data)
    answer["results"]["bindings"] = answer["results"]["bindings"][:most]
    return json.dumps(answer).encode()


class _Handler(BaseHTTPRequestHandler):
    disable_nagle_algorithm = True  # or each reply waits 40 ms
    owner: Endpoint
    protocol_version = "HTTP/1.1"

    def setup(self) -> None:
        super().setup()
        self.owner.connections.add(self.connection)

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_POST(self) -> None:  # noqa: N802 (the name is the base class's)
        text = self.rfile.read(int(self.headers["Content-Length"])).decode()
        owner, kind = self.owner, self.path.strip("/")
        if owner.authorization and self.headers.get("Authorization") != owner.authorization:
            return self._reply(401, b"who are you?")
        fault = owner.fault(kind, text)
        if isinstance(fault, int):
            return self._reply(fault, b"on purpose")
        if fault == "silent":
            owner.patience.wait(30)
            self.close_connection = True
            return None
        if kind not in ("query", "update"):
            return self._reply(404, b"nothing here")
        try:
            body = owner.query(text) if kind == "query" else owner.update(text)
        except (SyntaxError, ValueError) as error:
            return self._reply(400, str(error).encode())
        if fault == "lost":
            self.close_connection = True
            return None
        return self._reply(200, body, cut=fault == "cut")

    def _reply(self, status: int, body: bytes, *, cut: bool = False) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/sparql-results+json")
        self.send_header("Content-Length", str(len(body) + 10 * cut))
        self.end_headers()
        self.wfile.write(body[: len(body) // 2] if cut else body)
        self.close_connection = self.close_connection or cut
