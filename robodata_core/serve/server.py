"""The HTTP server around ``WikibaseApi``: loopback only.

Standard library only. It is a tool for development and for work without a network, no public
service: it listens on 127.0.0.1 and has neither TLS nor accounts.
"""

from __future__ import annotations

import contextlib
import gzip
import logging
import re
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar, Final
from urllib.parse import parse_qsl, urlsplit

from robodata_core.serve.wikibase import Reply, WikibaseApi
from robodata_core.text import whole_number
from robodata_core.whole_files import form_limit

__all__ = ["Handler", "WikibaseServer"]

_log = logging.getLogger("robodata.serve")
_MOST_BODY: Final = 1_000_000
_MOST_CONNECTIONS: Final = 64
_SECONDS_TO_GO: Final = 1.0
_HOST = re.compile(r"(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?\Z", re.IGNORECASE)


class WikibaseServer:
    """Serves an API in threads of its own; a context manager.

    Args:
        api: What answers.
        port: Port on 127.0.0.1; 0 takes a free one.
        faults: Faults as text, see ``_faults``.
        authorization: Value that the Authorization header of every request must have, if any.
        sleep: Waits; injected for tests.

    Attributes:
        port: The port in use.
        requests: Method and path with query of the latest requests.
        bodies: Their bodies.
    """

    handler: ClassVar[type[Handler]]

    def __init__(self, api: WikibaseApi, *, port: int = 0) -> None:
        self._api = api
        handler = type("Handler", (self.handler,), {"owner": self})
        self._server = _Server(("127.0.0.1", port), handler)
        self.port: int = self._server.server_address[1]
        self._thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        """Address of the server."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def api_url(self) -> str:
        """Address of the Action API."""
        return f"{self.url}/w/api.php"

    @property
    def sparql_url(self) -> str:
        """Address of the query service."""
        return f"{self.url}/sparql"

    def start(self) -> WikibaseServer:
        """Serve in a thread of its own."""
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
        )
        self._thread.start()
        return self

    def serve_forever(self) -> None:
        """Serve in this thread until it is interrupted."""
        self._server.serve_forever(poll_interval=0.2)

    def close(self) -> None:
        """Stop and free the port."""
        if self._thread is not None:
            self._server.shutdown()
            self._thread.join()
            self._thread = None
        self._server.server_close()

    def __enter__(self) -> WikibaseServer:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.close()

    def answer(self, method: str, target: str, body: bytes, authorization: str) -> Reply:
        """Return what a request gets; ``method`` and ``authorization`` make no difference."""
        split = urlsplit(target)
        fields = dict(parse_qsl(split.query) + parse_qsl(body.decode("utf-8", "replace")))
        if split.path == "/w/api.php":
            return self._api.action(fields)
        if split.path == "/sparql":
            query = fields.get("query")
            if query is None:
                return Reply(400, b"There is no query.", "text/plain")
            return self._api.sparql(query)
        return Reply(404, b"There is nothing here.", "text/plain")


class _Server(ThreadingHTTPServer):
    """Serves a bounded number of connections at the same time.

    A further one takes the place of the one that has gone longest without a whole request; where
    all are being answered, it is closed.
    """

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, *arguments: Any) -> None:
        self._places = threading.BoundedSemaphore(_MOST_CONNECTIONS)
        self._lock = threading.Lock()
        self._idle: dict[socket.socket, None] = {}  # without a whole request, the longest first
        super().__init__(*arguments)

    def process_request(self, request: Any, client_address: Any) -> None:
        if not self._places.acquire(blocking=False):
            self._drop_idle()
            if not self._places.acquire(timeout=_SECONDS_TO_GO):
                self.shutdown_request(request)
                return
        self.waits(request)
        super().process_request(request, client_address)

    def waits(self, request: socket.socket) -> None:
        """Note that a connection has no whole request from now on."""
        with self._lock:
            self._idle[request] = None

    def is_asked(self, request: socket.socket) -> None:
        """Note that a whole request came over a connection, or that it ends."""
        with self._lock:
            self._idle.pop(request, None)

    def _drop_idle(self) -> None:
        with self._lock, contextlib.suppress(OSError, StopIteration):
            next(iter(self._idle)).shutdown(socket.SHUT_RDWR)  # its thread ends and closes it

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Log what a connection that went away left; nobody is there to be told."""
        _log.debug("a connection of %s broke off", client_address, exc_info=True)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self.is_asked(request)
            self._places.release()


class Handler(BaseHTTPRequestHandler):
    """Reads requests to a ``WikibaseServer`` and sends its replies."""

    owner: WikibaseServer
    server: _Server
    protocol_version = "HTTP/1.1"
    server_version = "RoboData"
    sys_version = ""
    timeout = 30.0  # seconds without a word, after which a connection is closed
    # Headers and body are two packets; held back, the second waits 40 ms for word of the first.
    disable_nagle_algorithm = True

    def do_GET(self) -> None:  # noqa: D102, N802 (the name is the base class's)
        self._respond(b"")

    def do_POST(self) -> None:  # noqa: D102, N802
        most = form_limit(_MOST_BODY)
        size = whole_number(self.headers.get("Content-Length", "0"), most + 1)
        if size is None or size > most or "Transfer-Encoding" in self.headers:
            # What is not read of a body must not be taken for the next request.
            self.close_connection = True
        self._respond(self.rfile.read(min(size or 0, most)))

    def log_message(self, format: str, *args: object) -> None:  # noqa: D102
        _log.debug(format, *args)

    def _respond(self, body: bytes) -> None:
        self.server.is_asked(self.connection)
        self._answer(body)
        self.server.waits(self.connection)

    def _answer(self, body: bytes) -> None:
        hosts = self.headers.get_all("Host") or []
        if len(hosts) != 1 or not _HOST.match(hosts[0]) or not self.path.startswith("/"):
            # A page in a browser must not reach this by a name of its own (DNS rebinding).
            self.close_connection = True
            self.send(Reply(403, b"This serves the local host alone.", "text/plain"))
            return
        try:
            authorization = self.headers.get("Authorization", "")
            self.send(self.owner.answer(self.command, self.path, body, authorization))
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True
        except Exception:
            _log.exception("%s %s", self.command, self.path)
            self.send(Reply(500, b"Something went wrong here.", "text/plain"))

    def send(self, reply: Reply) -> None:
        """Send a reply."""
        self.wfile.write(self.begin(reply))

    def begin(self, reply: Reply) -> bytes:
        """Send the head of a reply; return its body, compressed where that is asked for."""
        headers, body = list(reply.headers), reply.body
        packed = any(name == "Content-Encoding" for name, _ in headers)
        if not packed and len(body) > 1_000 and "gzip" in self.headers.get("Accept-Encoding", ""):
            body = gzip.compress(body, 1)
            headers.append(("Content-Encoding", "gzip"))
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        return body


WikibaseServer.handler = Handler
