"""One exchange with a server, through ``requests``: bounded in bytes and time, killable.

A server may send its headers a byte at a time, which no time-out of a socket ends. So an exchange
runs in a thread of its own and the caller waits for it; when its time is over or the run is
cancelled, the connection is shut down under it. Retries, redirects and what an answer means are
the client's business.
"""

from __future__ import annotations

import contextlib
import os
import queue
import socket
import ssl
import threading
import time
import zlib
from collections.abc import Iterator
from typing import Any, Final

import requests
import urllib3
from requests.adapters import HTTPAdapter
from requests.cookies import RequestsCookieJar
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool

from robodata_core.sources.http._wire import PIECE, Bounds, Received, Sent, unpacked

_POLL: Final = 0.05
_NO_REQUEST: Final = (
    requests.exceptions.InvalidHeader,
    requests.exceptions.InvalidSchema,
    requests.exceptions.InvalidURL,
    requests.exceptions.MissingSchema,
    urllib3.exceptions.LocationValueError,
    UnicodeError,
)
#: What the first that is among the causes of an error means, and what is said (else the error).
_FAILURES: Final[tuple[tuple[tuple[type[BaseException], ...], str, str], ...]] = (
    (
        (urllib3.exceptions.InvalidHeader,),
        "RemoteProtocolError",
        "headers that contradict each other",
    ),
    (_NO_REQUEST, "InvalidRequest", ""),
    ((ssl.SSLCertVerificationError,), "ConnectError", "certificate verify failed"),
    ((ssl.SSLError, requests.exceptions.SSLError), "ConnectError", "ssl failed"),
    (
        (socket.gaierror, urllib3.exceptions.NameResolutionError),
        "ConnectError",
        "name or service not known",
    ),
    (
        (urllib3.exceptions.NewConnectionError, ConnectionRefusedError),
        "ConnectError",
        "connection refused",
    ),
    (
        (requests.ConnectTimeout, urllib3.exceptions.ConnectTimeoutError),
        "ConnectTimeout",
        "no connection in time",
    ),
    (
        (requests.Timeout, urllib3.exceptions.TimeoutError, TimeoutError),
        "ReadTimeout",
        "no answer in time",
    ),
    ((requests.exceptions.ProxyError,), "ConnectError", "the proxy cannot be reached"),
)


class _Hold:
    """The connection that an exchange uses, so that another thread can shut it down."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._socket: Any = None
        self._over = False

    def take(self, sock: Any) -> None:
        """Remember a socket; shut it down at once if the exchange was given up meanwhile."""
        with self._lock:
            self._socket = sock
            over = self._over
        if over:
            self.shut()

    def shut(self) -> None:
        """End whatever waits on the connection, now or later."""
        with self._lock:
            self._over = True
            sock = self._socket
        if sock is not None:
            with contextlib.suppress(OSError, ValueError):
                sock.shutdown(socket.SHUT_RDWR)


_local = threading.local()


def _note(connection: HTTPConnection) -> None:
    hold = getattr(_local, "hold", None)
    if hold is not None and connection.sock is not None:
        hold.take(connection.sock)


class _Noted:
    """A connection whose socket a hold can close from another thread."""

    def connect(self) -> None:
        super().connect()  # type: ignore[misc]
        _note(self)  # type: ignore[arg-type]

    def getresponse(self) -> Any:
        _note(self)  # type: ignore[arg-type]
        return super().getresponse()  # type: ignore[misc]


class _Plain(_Noted, HTTPConnection):
    pass


class _Secure(_Noted, HTTPSConnection):
    pass


class _PlainPool(HTTPConnectionPool):
    ConnectionCls = _Plain


class _SecurePool(HTTPSConnectionPool):
    ConnectionCls = _Secure


class _Adapter(HTTPAdapter):
    def init_poolmanager(self, *args: Any, **options: Any) -> None:
        super().init_poolmanager(*args, **options)
        _watch(self.poolmanager)

    def proxy_manager_for(self, proxy: str, **options: Any) -> Any:
        return _watch(super().proxy_manager_for(proxy, **options))


def _watch(manager: Any) -> Any:
    manager.pool_classes_by_scheme = {"http": _PlainPool, "https": _SecurePool}
    return manager


class _NoCookies(RequestsCookieJar):
    """Keeps nothing: services need no cookies of ours."""

    def set_cookie(self, cookie: Any, *args: Any, **options: Any) -> None:
        return None


class Network:
    """A ``Wire`` over the network. Thread-safe.

    Args:
        concurrency: Connections kept to one server.
    """

    def __init__(self, concurrency: int) -> None:
        self._session = requests.Session()
        # Proxies are looked up by address below; .netrc would send secrets nobody gave us.
        self._session.trust_env = False
        self._session.cookies = _NoCookies()
        for scheme in ("http://", "https://"):
            self._session.mount(scheme, _Adapter(pool_maxsize=concurrency))

    def send(self, request: Sent, bounds: Bounds) -> Received:
        """Exchange one request for its answer; see ``Wire``."""
        outcome: queue.SimpleQueue[Received | BaseException] = queue.SimpleQueue()
        hold = _Hold()

        def _work() -> None:
            _local.hold = hold
            try:
                outcome.put(self._exchange(request, bounds))
            except BaseException as error:  # handed over to the thread that waits
                outcome.put(error)

        threading.Thread(target=_work, name="robodata-http", daemon=True).start()
        found: Received | BaseException | None = None
        try:
            found = _waited_for(outcome, bounds)
        finally:
            if found is None:  # its time is over, or the run was cancelled
                hold.shut()
        if isinstance(found, BaseException):
            raise found
        return found or Received(failure="ReadTimeout", message="no answer in time")

    def _exchange(self, request: Sent, bounds: Bounds) -> Received:
        left = max(0.001, bounds.deadline - time.monotonic())
        try:
            prepared = requests.Request(
                request.method, request.url, headers=dict(request.headers), data=request.body
            ).prepare()
            response = self._session.send(
                prepared,
                stream=True,
                allow_redirects=False,
                timeout=(min(bounds.connect_seconds, left), min(bounds.read_seconds, left)),
                verify=_certificates(),
                proxies=requests.utils.get_environ_proxies(request.url),
            )
        except (requests.RequestException, ValueError, OSError) as error:
            return _failed(error)
        with contextlib.closing(response):
            return _read(response, bounds)

    def close(self) -> None:
        """Close open connections."""
        self._session.close()


def _waited_for(
    outcome: queue.SimpleQueue[Received | BaseException], bounds: Bounds
) -> Received | BaseException | None:
    """Return what came of an exchange; None when its time is over."""
    while True:
        left = bounds.deadline - time.monotonic()
        if left <= 0:
            return None
        try:
            return outcome.get(timeout=min(left, _POLL))
        except queue.Empty:
            if bounds.cancel is not None:
                bounds.cancel.check()


def _certificates() -> str | bool:
    """Return which authorities are believed: those the user names, or the library's."""
    named = (os.environ.get(name) for name in ("REQUESTS_CA_BUNDLE", "SSL_CERT_FILE"))
    return next(filter(None, named), True)


def _read(response: requests.Response, bounds: Bounds) -> Received:
    headers = tuple((name.lower(), value) for name, value in response.headers.items())
    pieces: list[bytes] = []

    def _received(failure: str = "", message: str = "") -> Received:
        return Received(response.status_code, headers, b"".join(pieces), failure, message)

    encoding = response.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in ("", "identity", "gzip", "x-gzip", "deflate"):
        return _received("ForeignEncoding", encoding[:40])
    size = 0
    try:
        for piece in _decoded(response, encoding):
            size += len(piece)
            if size > bounds.bytes:
                pieces.clear()
                return _received("TooLarge")
            pieces.append(piece)
            if time.monotonic() > bounds.deadline:
                return _received("ReadTimeout", "no whole answer in time")
    except (urllib3.exceptions.HTTPError, OSError, ValueError, EOFError, zlib.error) as error:
        kind = "ReadTimeout" if isinstance(error, urllib3.exceptions.TimeoutError) else "ReadError"
        return _received(kind, str(error)[:500])
    return _received()


def _decoded(response: requests.Response, encoding: str) -> Iterator[bytes]:
    """Yield the decoded body in small pieces."""
    blocks = _raw(response)
    return blocks if encoding in ("", "identity") else unpacked(blocks)


def _raw(response: requests.Response) -> Iterator[bytes]:
    # read1 gives what is there, so that time is looked at however slowly it comes.
    while block := response.raw.read1(PIECE, decode_content=False):
        yield block


def _failed(error: BaseException) -> Received:
    """Return what kept an answer from coming, in words that the client knows."""
    causes = list(_causes(error))
    for kinds, failure, message in _FAILURES:
        if any(isinstance(cause, kinds) for cause in causes):
            return Received(failure=failure, message=message or str(error)[:500])
    return Received(failure="RemoteProtocolError", message=str(error)[:500])


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error with everything it was made from."""
    open_, seen = [error], set[int]()
    while open_ and len(seen) < 50:
        item = open_.pop()
        if id(item) in seen:
            continue
        seen.add(id(item))
        yield item
        more = [item.__cause__, item.__context__, getattr(item, "reason", None), *item.args]
        open_ += [one for one in more if isinstance(one, BaseException)]
