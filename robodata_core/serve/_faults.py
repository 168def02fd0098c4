"""Faults on purpose: what ``--fault`` means and what each fault sends.

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
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from robodata_core.errors import ConfigurationError

_PATTERN: Final = re.compile(
    r"(?P<kind>[a-z]+|[1-5]\d\d)(=(?P<value>\+?\d+(\.\d+)?))?(:(?P<times>\d+))?(@(?P<path>\S+))?\Z",
    re.ASCII,
)
_SILENCES: Final = ("slow", "stall", "truncate", "reset")
_BODIES: Final = ("maxlag", "querytimeout", "malformed", "html", "oversize", "bomb")
_KINDS: Final = frozenset((*_SILENCES, *_BODIES))
_MOST: Final = 2_000_000_000
_JSON: Final = "application/json; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Reply:
    """What is sent.

    Attributes:
        status: HTTP status; 0 ends the connection at once.
        delay: Seconds before anything is sent.
        pause: Seconds in the middle of the body.
    """

    status: int = 200
    body: bytes = b""
    kind: str = _JSON
    headers: tuple[tuple[str, str], ...] = ()
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
        return Reply(
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
