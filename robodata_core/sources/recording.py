"""Traffic with services written to a file, and played back from it without any network.

A recording is one JSON Lines file: a header, then one line an exchange (request, and answer or
failure) in the order in which answers ended. It serves knowledge sources and models alike::

    with TrafficRecorder(path) as recorder:
        client = HttpClient(transport=recorder.transport())

    replay = TrafficReplay(path)
    client = HttpClient(transport=replay.transport(), patient=False)

Secrets stay out: headers and parameters that carry credentials are left out by name, and the
values of secret environment variables are replaced wherever they appear. A replay gives each
request the recorded answers to that very request (method, address, body) in their order, byte
for byte after decompression, and fails in one sentence on any other request.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import threading
import zlib
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import httpx2 as httpx

from robodata_core.errors import ConfigurationError, SourceRefusedError
from robodata_core.masking import GONE, mask

__all__ = ["TrafficRecorder", "TrafficReplay", "UnrecordedRequestError"]

_FORMAT: Final = 1
_MOST_BODY: Final = 200_000_000
_SECRET: Final = re.compile(
    r"authorization|cookie|password|passwd|secret|credential|signature|\bsig\b"
    r"|(?:^|[-_])(?:api|auth|access|private)[-_]?key|^key$|(?<!max[-_])token(?!s)",
    re.IGNORECASE,
)
_DROPPED: Final = frozenset({"content-encoding", "content-length", "transfer-encoding"})
_FAILURES: Final[Mapping[str, type[httpx.TransportError]]] = {
    kind.__name__: kind
    for kind in (
        httpx.ConnectError,
        httpx.ConnectTimeout,
        httpx.ReadTimeout,
        httpx.WriteTimeout,
        httpx.PoolTimeout,
        httpx.ReadError,
        httpx.WriteError,
        httpx.RemoteProtocolError,
    )
}


class UnrecordedRequestError(SourceRefusedError):
    """A request that the recording has no (further) answer to."""


class TrafficRecorder:
    """Writes one recording; a context manager. Thread-safe.

    Args:
        path: The file; it is replaced.
        environment: Where secrets are looked for.

    Raises:
        ConfigurationError: If the file cannot be written.
    """

    def __init__(self, path: str | Path, *, environment: Mapping[str, str] | None = None) -> None:
        self._clean = _Cleaner(os.environ if environment is None else environment)
        self._lock = threading.Lock()
        try:
            # Not for other people's eyes: answers may be private even without credentials.
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        except OSError as error:
            raise ConfigurationError(
                f"The recording {path} cannot be written: {error.strerror}."
            ) from error
        self._file: IO[str] | None = os.fdopen(handle, "w", encoding="utf-8")
        self._write({"robodata-traffic": _FORMAT})

    def transport(self, inner: httpx.BaseTransport | None = None) -> httpx.BaseTransport:
        """Return a transport that sends through ``inner`` (or the network) and records."""
        return _Recording(inner or httpx.HTTPTransport(), self._record)

    def close(self) -> None:
        """Close the file; what comes later is not recorded."""
        with self._lock:
            if self._file is not None:
                self._file.close()
                self._file = None

    def __enter__(self) -> TrafficRecorder:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _record(
        self,
        request: httpx.Request,
        response: httpx.Response | None,
        raw: bytes,
        error: BaseException | None,
    ) -> None:
        line: dict[str, Any] = {"request": self._clean.request(request)}
        if response is not None:
            body = _decoded(raw, response.headers.get("content-encoding", ""))
            line["response"] = {
                "status": response.status_code,
                "headers": [
                    [name, value]
                    for name, value in self._clean.headers(response.headers)
                    if name not in _DROPPED
                ],
                **_packed(self._clean.body(body, response.headers.get("content-type", ""))),
            }
        if error is not None:
            kind = type(error).__name__
            line["failure"] = kind if kind in _FAILURES else "ReadError"
            line["message"] = self._clean.text(str(error))[:500]
        self._write(line)

    def _write(self, line: Mapping[str, Any]) -> None:
        text = json.dumps(line, ensure_ascii=False, separators=(",", ":"))
        with self._lock:
            if self._file is not None:
                self._file.write(text + "\n")
                self._file.flush()


class TrafficReplay:
    """Plays one recording back. Thread-safe.

    Args:
        path: The file.
        environment: As it was for the recording: secrets in requests are replaced alike.

    Raises:
        ConfigurationError: If the file is missing or no recording.
    """

    def __init__(self, path: str | Path, *, environment: Mapping[str, str] | None = None) -> None:
        self._path = Path(path)
        self._clean = _Cleaner(os.environ if environment is None else environment)
        self._lock = threading.Lock()
        self._answers: dict[str, deque[Mapping[str, Any]]] = {}
        for line in _lines(self._path):
            self._answers.setdefault(_key(line["request"]), deque()).append(line)

    @property
    def left(self) -> int:
        """Recorded answers that nobody has asked for yet."""
        with self._lock:
            return sum(len(lines) for lines in self._answers.values())

    def transport(self) -> httpx.BaseTransport:
        """Return a transport that answers from the recording alone."""
        return _Replaying(self._answer)

    def _answer(self, request: httpx.Request) -> httpx.Response:
        request.read()
        wanted = self._clean.request(request)
        with self._lock:
            lines = self._answers.get(_key(wanted))
            line = lines.popleft() if lines else None
            asked_before = lines is not None
        if line is None:
            again = "no further answer" if asked_before else "no answer"
            raise UnrecordedRequestError(
                f"The recording {self._path} holds {again} to {wanted['method']} "
                f"{wanted['url'][:200]}.",
                hint="Replay with the question and settings of the recording.",
            )
        response = line.get("response")
        failure = _FAILURES.get(str(line.get("failure")))
        message = str(line.get("message", ""))
        if response is None:
            raise (failure or httpx.ReadError)(message, request=request)
        error = failure(message, request=request) if failure is not None else None
        headers = [(str(name), str(value)) for name, value in response["headers"]]
        stream = _Given(_unpacked(response), error)
        return httpx.Response(int(response["status"]), headers=headers, stream=stream)


class _Recording(httpx.BaseTransport):
    def __init__(self, inner: httpx.BaseTransport, record: Callable[..., None]) -> None:
        self._inner = inner
        self._record = record

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        request.read()
        try:
            response = self._inner.handle_request(request)
        except Exception as error:
            self._record(request, None, b"", error)
            raise
        assert isinstance(response.stream, httpx.SyncByteStream)
        response.stream = _Tee(
            response.stream, lambda raw, e: self._record(request, response, raw, e)
        )
        return response

    def close(self) -> None:
        self._inner.close()


class _Tee(httpx.SyncByteStream):
    """Passes a body on as it comes, and hands a copy over when it is over."""

    def __init__(
        self, inner: httpx.SyncByteStream, done: Callable[[bytes, BaseException | None], None]
    ) -> None:
        self._inner = inner
        self._done = done
        self._pieces: list[bytes] = []
        self._size = 0
        self._told = False

    def __iter__(self) -> Iterator[bytes]:
        try:
            for piece in self._inner:
                self._size += len(piece)
                if self._size <= _MOST_BODY:
                    self._pieces.append(piece)
                yield piece
        except Exception as error:
            self._tell(error)
            raise
        self._tell(None)

    def close(self) -> None:
        self._inner.close()
        self._tell(None)

    def _tell(self, error: BaseException | None) -> None:
        if not self._told:
            self._told = True
            self._done(b"".join(self._pieces), error)


class _Replaying(httpx.BaseTransport):
    def __init__(self, answer: Callable[[httpx.Request], httpx.Response]) -> None:
        self._answer = answer

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        return self._answer(request)


class _Given(httpx.SyncByteStream):
    def __init__(self, body: bytes, error: Exception | None) -> None:
        self._body = body
        self._error = error

    def __iter__(self) -> Iterator[bytes]:
        yield self._body
        if self._error is not None:
            raise self._error


class _Cleaner:
    """Takes secrets out of requests and answers."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = dict(environment)

    def request(self, request: httpx.Request) -> dict[str, Any]:
        """Return the parts of a request that make it this one."""
        body = self.body(request.content, request.headers.get("content-type", ""))
        return {
            "method": request.method,
            "url": self.url(str(request.url)),
            "headers": self.headers(request.headers),
            **_packed(body),
        }

    def headers(self, headers: httpx.Headers) -> list[list[str]]:
        return [
            [name.lower(), self.text(value)]
            for name, value in headers.multi_items()
            if not _SECRET.search(name)
        ]

    def url(self, url: str) -> str:
        split = urlsplit(url)
        query = self._fields(split.query)
        host = split.netloc.rpartition("@")[2]
        return self.text(urlunsplit((split.scheme, host, split.path, query, "")))

    def body(self, body: bytes, kind: str) -> bytes:
        try:
            text = body.decode("utf-8")
        except UnicodeDecodeError:
            return body
        if "x-www-form-urlencoded" in kind:
            text = self._fields(text)
        return self.text(text).encode("utf-8")

    def text(self, text: str) -> str:
        return mask(text, self._environment)

    def _fields(self, text: str) -> str:
        pairs = parse_qsl(text, keep_blank_values=True)
        if not any(_SECRET.search(name) for name, _ in pairs):
            return text
        return urlencode([(n, GONE if _SECRET.search(n) else v) for n, v in pairs])


def _decoded(raw: bytes, encoding: str) -> bytes:
    if encoding.lower() not in ("gzip", "x-gzip", "deflate"):
        return raw
    decoder = zlib.decompressobj(47)
    try:
        return decoder.decompress(raw, _MOST_BODY)
    except zlib.error:
        return raw


def _packed(body: bytes) -> dict[str, str]:
    """Return a body as text where it is text, so that people can read a recording."""
    try:
        return {"text": body.decode("utf-8")}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(body).decode("ascii")}


def _unpacked(part: Mapping[str, Any]) -> bytes:
    if "base64" in part:
        return base64.b64decode(part["base64"])
    return str(part.get("text", "")).encode("utf-8")


def _key(request: Mapping[str, Any]) -> str:
    body = hashlib.sha256(_unpacked(request)).hexdigest()
    return f"{request['method']} {request['url']} {body}"


def _lines(path: Path) -> Iterator[Mapping[str, Any]]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"The recording {path} cannot be read.") from error
    # Not splitlines: a text may hold other characters that count as line ends there.
    for number, line in enumerate(text.rstrip("\n").split("\n"), 1):
        try:
            data = json.loads(line)
            if number == 1:
                if data["robodata-traffic"] != _FORMAT:
                    raise ValueError("another version")
                continue
            _check(data)
        except (ValueError, KeyError, TypeError) as error:
            raise ConfigurationError(
                f"{path}:{number}: this is no line of a recording of traffic.",
                hint="Make one with --record FILE.",
            ) from error
        yield data


def _check(data: Any) -> None:
    request, response = data["request"], data.get("response")
    if not isinstance(request["method"], str) or not isinstance(request["url"], str):
        raise ValueError("no request")
    _unpacked(request)
    if response is not None:
        int(response["status"])
        _unpacked(response)
        [(name, value) for name, value in response["headers"]]
    elif "failure" not in data:
        raise ValueError("neither answer nor failure")
