"""Traffic with services written to a file, and played back from it without any network.

A recording is one JSON Lines file: a header, then one line an exchange (request, and answer or
failure) in the order in which answers ended. It serves knowledge sources and models alike::

    with TrafficRecorder(path) as recorder:
        client = HttpClient(wire=recorder.wire())

    replay = TrafficReplay(path)
    client = HttpClient(wire=replay.wire(), patient=False)

Secrets stay out: headers and parameters that carry credentials are left out by name, and the
values of secret environment variables are replaced wherever they appear. A replay gives each
request the recorded answers to that very request (method, address, body) in their order, byte
for byte after decompression, and fails in one sentence on any other request.
"""

from __future__ import annotations

import base64
import hashlib
import json
import logging
import os
import re
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any, Final
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from robodata_core.errors import ConfigurationError, SourceRefusedError
from robodata_core.masking import GONE, mask
from robodata_core.sources.http._wire import Bounds, Received, Sent, Wire
from robodata_core.text import parse_json
from robodata_core.whole_files import form_limit

_FORMAT: Final = 1
_CONNECTIONS: Final = 4
_MOST_BODY: Final = 50_000_000
_MOST_LINE: Final = 3 * _MOST_BODY
_SECRET: Final = re.compile(
    r"authorization|cookie|password|passwd|secret|credential|signature|\bsig\b"
    r"|(?:^|[-_])(?:api|auth|access|private)[-_]?key|^key$|(?<!max[-_])token(?!s)",
    re.IGNORECASE,
)
_DROPPED: Final = frozenset({"content-encoding", "content-length", "transfer-encoding"})

_log = logging.getLogger("robodata.recording")


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
        self._path = path
        self._file: IO[bytes] | None = os.fdopen(handle, "wb", buffering=0)
        self._write({"robodata-traffic": _FORMAT})
        if self._file is None:
            raise ConfigurationError(f"The recording {path} cannot be written.")

    def wire(self, inner: Wire | None = None) -> Wire:
        """Return what sends requests through ``inner`` (or the network) and records them."""
        from robodata_core.sources.http._network import Network

        return _Recording(inner or Network(_CONNECTIONS), self.record)

    def close(self) -> None:
        """Close the file; what comes later is not recorded."""
        with self._lock:
            if self._file is not None:
                self._file.close()
                self._file = None

    def __enter__(self) -> TrafficRecorder:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def record(self, sent: Sent, received: Received) -> None:
        """Write one exchange down."""
        line: dict[str, Any] = {"request": self._clean.request(sent)}
        if received.status:
            kind = dict(received.headers).get("content-type", "")
            line["response"] = {
                "status": received.status,
                "headers": [
                    [name, value]
                    for name, value in self._clean.headers(received.headers)
                    if name not in _DROPPED
                ],
                **_packed(self._clean.body(received.body[: form_limit(_MOST_BODY)], kind)),
            }
        if received.failure:
            line["failure"] = received.failure
            line["message"] = self._clean.text(received.message)[:500]
        self._write(line)

    def _write(self, line: Mapping[str, Any]) -> None:
        """Write one line; after the first that cannot be written the recording stops, and says so.

        A disk that fills up must not end the run whose traffic this is.
        """
        text = json.dumps(line, ensure_ascii=False, separators=(",", ":"))
        with self._lock:
            if self._file is None:
                return
            data = memoryview(text.encode("utf-8", "replace") + b"\n")
            try:
                while data:
                    data = data[self._file.write(data) :]
            except OSError as error:
                self._file.close()
                self._file = None
                _log.error("The recording %s ends early: %s.", self._path, error.strerror)


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

    def wire(self) -> Wire:
        """Return what answers requests from the recording alone."""
        return self

    def send(self, request: Sent, bounds: Bounds) -> Received:
        """Answer a request; see ``answer``."""
        return self.answer(request)

    def close(self) -> None:
        """Close nothing: the recording was read as a whole."""

    def answer(self, sent: Sent) -> Received:
        """Return the next recorded answer to this very request.

        Raises:
            UnrecordedRequestError: If there is none.
        """
        wanted = self._clean.request(sent)
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
        failure, message = str(line.get("failure", "")), str(line.get("message", ""))
        response = line.get("response")
        if response is None:
            return Received(failure=failure or "ReadError", message=message)
        headers = tuple((str(name).lower(), str(value)) for name, value in response["headers"])
        status = int(response["status"])
        return Received(status, headers, _unpacked(response), failure, message)


class _Recording:
    """A wire that writes down what goes over another one."""

    def __init__(self, inner: Wire, record: Callable[[Sent, Received], None]) -> None:
        self._inner = inner
        self._record = record

    def send(self, request: Sent, bounds: Bounds) -> Received:
        received = self._inner.send(request, bounds)
        self._record(request, received)
        return received

    def close(self) -> None:
        self._inner.close()


class _Cleaner:
    """Takes secrets out of requests and answers."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = dict(environment)

    def request(self, request: Sent) -> dict[str, Any]:
        """Return the parts of a request that make it this one."""
        names = {name.lower(): value for name, value in request.headers}
        body = self.body(request.body, names.get("content-type", ""))
        return {
            "method": request.method,
            "url": self.url(request.url),
            "headers": self.headers(request.headers),
            **_packed(body),
        }

    def headers(self, headers: Iterable[tuple[str, str]]) -> list[list[str]]:
        """Return headers as pairs, names in lower case, without those that hold secrets."""
        return [
            [name.lower(), self.text(value)] for name, value in headers if not _SECRET.search(name)
        ]

    def url(self, url: str) -> str:
        """Return an address without credentials, secret parameters and fragment."""
        split = urlsplit(url)
        query = self._fields(split.query)
        host = split.netloc.rpartition("@")[2]
        return self.text(urlunsplit((split.scheme, host, split.path, query, "")))

    def body(self, body: bytes, kind: str) -> bytes:
        """Return a body of some media type without secrets; one that is no text stays as it is."""
        try:
            text = body.decode("utf-8")
        except UnicodeDecodeError:
            return body
        if "x-www-form-urlencoded" in kind:
            text = self._fields(text)
        return self.text(text).encode("utf-8")

    def text(self, text: str) -> str:
        """Return a text without the secrets of the environment."""
        return mask(text, self._environment)

    def _fields(self, text: str) -> str:
        pairs = parse_qsl(text, keep_blank_values=True)
        if not any(_SECRET.search(name) for name, _ in pairs):
            return text
        return urlencode([(n, GONE if _SECRET.search(n) else v) for n, v in pairs])


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
    """Yield the exchanges of a recording, checked."""
    try:
        most = form_limit(_MOST_LINE)
        with path.open("rb") as file:
            _parsed(path, 1, file.readline(most))
            for number, line in enumerate(iter(lambda: file.readline(most), b""), 2):
                yield _parsed(path, number, line)
    except OSError as error:
        raise ConfigurationError(f"The recording {path} cannot be read.") from error


def _parsed(path: Path, number: int, line: bytes) -> Mapping[str, Any]:
    try:
        data: Mapping[str, Any] = parse_json(line)
        if number > 1:
            _check(data)
        elif data["robodata-traffic"] != _FORMAT:
            raise ValueError("another version")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ConfigurationError(
            f"{path}:{number}: this is no line of a recording of traffic.",
            hint="Make one with --record FILE.",
        ) from error
    return data


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
