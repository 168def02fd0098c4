"""A Wikibase on loopback that answers wrongly on purpose, and remembers what it was asked.

A fault is ``KIND[=VALUE][:TIMES][@PATH]``: it strikes the first TIMES requests (all when left out)
whose path holds PATH. Kinds:

=============== ===============================================================================
``NUMBER``      that HTTP status; VALUE is its Retry-After in seconds, ``+N`` an HTTP date N
                seconds ahead
``maxlag``      Wikibase's report of replication lag (status 200); VALUE is its Retry-After
``querytimeout`` status 500 with a query service's report of a timeout
``slow``        VALUE seconds of silence before the answer
``stall``       VALUE seconds of silence in the middle of the body
``truncate``    the connection ends in the middle of the body
``reset``       the connection ends before anything is sent
``malformed``   status 200 with JSON that breaks off
``html``        status 200 with a page for people
``oversize``    a body of VALUE bytes
``bomb``        VALUE bytes of nothing, compressed
=============== ===============================================================================
"""

from __future__ import annotations

import email.utils
import gzip
import json
import re
import socket
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlsplit

from robodata_core.errors import ConfigurationError
from robodata_core.serve.server import Handler, WikibaseServer
from robodata_core.serve.wikibase import Reply, WikibaseApi

_PATTERN: Final = re.compile(
    r"(?P<kind>[a-z]+|[1-5]\d\d)(=(?P<value>\+?\d+(\.\d+)?))?(:(?P<times>\d+))?(@(?P<path>\S+))?\Z",
    re.ASCII,
)
_SILENCES: Final = ("slow", "stall", "truncate", "reset")
_BODIES: Final = ("maxlag", "querytimeout", "malformed", "html", "oversize", "bomb")
_KINDS: Final = frozenset((*_SILENCES, *_BODIES))
_MOST: Final = 2_000_000_000


@dataclass(frozen=True, slots=True)
class Spoilt(Reply):
    """What is sent; status 0 ends the connection at once.

    Attributes:
        delay: Seconds before anything is sent.
        pause: Seconds in the middle of the body.
        cut: Whether the connection ends in the middle of the body.
    """

    delay: float = 0.0
    pause: float = 0.0
    cut: bool = False


@dataclass(slots=True)
class Fault:
    """One fault; ``left`` counts down, None is for ever."""

    kind: str
    value: str = ""
    left: int | None = None
    path: str = ""


def parse_fault(text: str) -> Fault:
    """Read ``KIND[=VALUE][:TIMES][@PATH]``.

    Raises:
        ConfigurationError: If it is none.
    """
    match = _PATTERN.match(text.strip())
    if match is None or not (match["kind"].isdigit() or match["kind"] in _KINDS):
        raise ConfigurationError(
            f"{text!r} is no fault.",
            hint="Use KIND[=VALUE][:TIMES][@PATH]; kinds: a status, " + ", ".join(sorted(_KINDS)),
        )
    times = int(match["times"]) if match["times"] else None
    return Fault(match["kind"], match["value"] or "", times, match["path"] or "")


@dataclass(slots=True)
class Faults:
    """The faults of one server, taken in order. Thread-safe."""

    faults: Sequence[Fault] = ()
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, path: str) -> Fault | None:
        """Return the fault that strikes a request for ``path``."""
        with self._lock:
            for fault in self.faults:
                if fault.path in path and fault.left != 0:
                    if fault.left is not None:
                        fault.left -= 1
                    return fault
        return None


def spoil(fault: Fault, good: Reply) -> Reply:
    """Return what is sent instead of ``good``."""
    if fault.kind.isdigit():
        return _status(fault)
    amount = float(fault.value or 0)
    if fault.kind in _SILENCES:
        return Spoilt(
            status=0 if fault.kind == "reset" else good.status,
            body=good.body,
            kind=good.kind,
            headers=good.headers,
            delay=amount if fault.kind == "slow" else 0.0,
            pause=amount if fault.kind == "stall" else 0.0,
            cut=fault.kind == "truncate",
        )
    return _other_body(fault.kind, int(min(amount, _MOST)), fault.value)


def _status(fault: Fault) -> Reply:
    headers: tuple[tuple[str, str], ...] = ()
    if fault.value.startswith("+"):
        moment = time.time() + float(fault.value)
        headers = (("Retry-After", email.utils.formatdate(moment, usegmt=True)),)
    elif fault.value:
        headers = (("Retry-After", fault.value),)
    body = f"Status {fault.kind}, on purpose.".encode()
    return Reply(int(fault.kind), body, "text/plain", headers)


def _other_body(kind: str, size: int, value: str) -> Reply:
    if kind == "maxlag":
        info = "Waiting for a database server: 7.3 seconds lagged."
        error = {"code": "maxlag", "info": info, "host": "db1", "lag": 7.3, "type": "db"}
        body = json.dumps({"error": error, "servedby": "robodata"}).encode()
        return Reply(200, body, headers=(("Retry-After", value or "5"), ("X-Database-Lag", "7")))
    if kind == "querytimeout":
        body = b"SPARQL-QUERY: ...\njava.util.concurrent.TimeoutException\n\tat ..."
        return Reply(500, body, "text/plain")
    if kind == "html":
        page = b"<!DOCTYPE html><html><head><title>Error</title></head><body></body></html>"
        return Reply(200, page, "text/html")
    if kind == "oversize":
        return Reply(200, b'"' + b"x" * max(0, size - 2) + b'"')
    if kind == "bomb":
        packed = gzip.compress(b" " * size, 9)
        return Reply(200, packed, headers=(("Content-Encoding", "gzip"),))
    return Reply(200, b'{"search": [{"id": "Q4')


class _Handler(Handler):
    owner: FaultyServer

    def send(self, reply: Reply) -> None:
        if not isinstance(reply, Spoilt):
            super().send(reply)
            return
        self.owner.wait(reply.delay)
        if not reply.status:
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        body = self.begin(reply)
        half = len(body) // 2
        self.wfile.write(body[:half])
        if reply.cut:
            self.close_connection = True
            return
        self.wfile.flush()
        self.owner.wait(reply.pause)
        self.wfile.write(body[half:])


class FaultyServer(WikibaseServer):
    """A ``WikibaseServer`` that can fail on purpose.

    Args:
        api: Answers requests.
        faults: How it fails, see above.
        authorization: Value that the Authorization header of every request must have, if any.
        sleep: Waits.

    Attributes:
        requests: Method and path with query of all requests; ``bodies`` are their bodies.
    """

    handler = _Handler

    def __init__(
        self,
        api: WikibaseApi,
        *,
        faults: Sequence[str] = (),
        authorization: str = "",
        sleep: Callable[[float], None] = time.sleep,
        **more: Any,
    ) -> None:
        self.requests: list[str] = []
        self.bodies: list[str] = []
        self._authorization = authorization
        self._sleep = sleep
        self.break_with(*faults)
        super().__init__(api, **more)

    def break_with(self, *faults: str) -> None:
        """Have these faults from now on, instead of any before; none repairs everything."""
        self._faults = Faults([parse_fault(text) for text in faults])

    def wait(self, seconds: float) -> None:
        """Sleep."""
        if seconds:
            self._sleep(min(seconds, 600.0))

    def answer(self, method: str, target: str, body: bytes, authorization: str) -> Reply:
        self.requests.append(f"{method} {target}")
        self.bodies.append(body.decode("utf-8", "replace"))
        if self._authorization and authorization != self._authorization:
            return Reply(401, b"Who are you?", "text/plain", (("WWW-Authenticate", "Basic"),))
        fault = self._faults.take(urlsplit(target).path)
        if fault is not None and fault.kind.isdigit():
            return spoil(fault, Reply())
        good = super().answer(method, target, body, authorization)
        return good if fault is None else spoil(fault, good)
