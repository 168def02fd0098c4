"""What goes between the openai package and its server: bounds, masking, recording, replay.

The package reads what a server sends without any limit: an endless error, an endless line, a small
body that unpacks to gigabytes. A transport of httpx stands in between, which decodes and counts
bytes, takes the key out of what comes back, and hands exchanges to a recorder.
"""

from __future__ import annotations

import contextlib
import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import Final

import httpx2 as httpx

from robodata_core.masking import mask_bytes
from robodata_core.policy.llm.completion import TOO_LARGE
from robodata_core.sources.http import Received, Sent, TrafficRecorder, TrafficReplay, unpacked

__all__ = ["BoundedTransport", "RecordingTransport", "ReplayingTransport"]

_LINES: Final = 12
"""So many of the longest lines an answer may have make up the most it may have."""
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


class BoundedTransport(httpx.BaseTransport):
    """Bounds what comes back, and takes secrets out of it.

    Args:
        inner: Carries the requests; None is the network.
        most: Most bytes of one answer, decoded.
        secrets: What must not come back: values by the name of their environment variable.
    """

    def __init__(
        self, inner: httpx.BaseTransport | None, most: int, secrets: Mapping[str, str]
    ) -> None:
        self._inner = inner or httpx.HTTPTransport()
        self._most = most
        self._secrets = dict(secrets)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request; its answer is read within bounds.

        Raises:
            httpx.TransportError: If it cannot be sent, or answers in an encoding nobody asked for.
        """
        request.headers["accept-encoding"] = "gzip, deflate"
        response = self._inner.handle_request(request)
        encoding = response.headers.get("content-encoding", "identity").strip().lower()
        assert isinstance(response.stream, httpx.SyncByteStream)
        if encoding not in ("", "identity", "gzip", "x-gzip", "deflate"):
            response.stream.close()
            raise httpx.RemoteProtocolError("an encoding nobody asked for", request=request)
        packed = encoding not in ("", "identity")
        dropped = (b"content-encoding", b"content-length") if packed else (b"content-length",)
        headers = [
            (name, value) for name, value in response.headers.raw if name.lower() not in dropped
        ]
        masked = [(name, mask_bytes(value, self._secrets)) for name, value in headers]
        stream = _Bounded(response.stream, packed, self._most, self._secrets)
        return httpx.Response(
            response.status_code, headers=masked, stream=stream, extensions=response.extensions
        )

    def close(self) -> None:
        """Close the transport in between."""
        self._inner.close()


class _Bounded(httpx.SyncByteStream):
    def __init__(
        self, inner: httpx.SyncByteStream, packed: bool, most: int, secrets: Mapping[str, str]
    ) -> None:
        self._inner = inner
        self._packed = packed
        self._most = most
        self._secrets = secrets
        self._longest = max((len(value.encode()) for value in secrets.values()), default=0) * 2

    def __iter__(self) -> Iterator[bytes]:
        size = line = 0
        kept = b""
        for piece in self._pieces():
            size += len(piece)
            end = piece.rfind(b"\n")
            line = line + len(piece) if end < 0 else len(piece) - end - 1
            if size > self._most or line * _LINES > self._most:
                raise httpx.RemoteProtocolError(TOO_LARGE)
            masked = mask_bytes(kept + piece, self._secrets)
            # A secret may begin in one piece and end in the next, but never goes over a line.
            cut = max(masked.rfind(b"\n") + 1, len(masked) - self._longest)
            kept = masked[cut:]
            if cut:
                yield masked[:cut]
        if kept:
            yield kept

    def _pieces(self) -> Iterator[bytes]:
        if not self._packed:
            yield from self._inner
            return
        try:
            with contextlib.suppress(EOFError):
                yield from unpacked(self._inner)
        except zlib.error as error:
            raise httpx.DecodingError(str(error)) from error

    def close(self) -> None:
        self._inner.close()


class RecordingTransport(httpx.BaseTransport):
    """Writes down what goes over another transport.

    Args:
        recorder: Takes the exchanges.
        inner: Carries the requests; None is the network.
    """

    def __init__(self, recorder: TrafficRecorder, inner: httpx.BaseTransport | None = None) -> None:
        self._recorder = recorder
        self._inner = inner or httpx.HTTPTransport()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request; the exchange is written down when its answer is over."""
        sent = _sent(request)
        try:
            response = self._inner.handle_request(request)
        except Exception as error:
            self._recorder.record(sent, Received(failure=_kind(error), message=str(error)))
            raise
        assert isinstance(response.stream, httpx.SyncByteStream)
        status, headers = response.status_code, tuple(response.headers.multi_items())

        def _done(body: bytes, error: BaseException | None) -> None:
            failure, message = (_kind(error), str(error)) if error is not None else ("", "")
            self._recorder.record(sent, Received(status, headers, body, failure, message))

        response.stream = _Tee(response.stream, _done)
        return response

    def close(self) -> None:
        """Close the transport in between."""
        self._inner.close()


class ReplayingTransport(httpx.BaseTransport):
    """Answers from a recording alone."""

    def __init__(self, replay: TrafficReplay) -> None:
        self._replay = replay

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Return the next recorded answer to this very request.

        Raises:
            UnrecordedRequestError: If there is none.
            httpx.TransportError: If that is what was recorded.
        """
        received = self._replay.answer(_sent(request))
        failure = _FAILURES.get(received.failure, httpx.ReadError) if received.failure else None
        if not received.status:
            raise (failure or httpx.ReadError)(received.message, request=request)
        error = failure(received.message, request=request) if failure is not None else None
        return httpx.Response(
            received.status, headers=list(received.headers), stream=_Given(received.body, error)
        )


def _sent(request: httpx.Request) -> Sent:
    body = request.read()
    return Sent(request.method, str(request.url), tuple(request.headers.multi_items()), body)


def _kind(error: BaseException) -> str:
    name = type(error).__name__
    return name if name in _FAILURES else "ReadError"


class _Tee(httpx.SyncByteStream):
    """Passes a body on as it comes, and hands a copy over when it is over."""

    def __init__(
        self, inner: httpx.SyncByteStream, done: Callable[[bytes, BaseException | None], None]
    ) -> None:
        self._inner = inner
        self._done = done
        self._pieces: list[bytes] = []
        self._told = False

    def __iter__(self) -> Iterator[bytes]:
        try:
            for piece in self._inner:
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


class _Given(httpx.SyncByteStream):
    def __init__(self, body: bytes, error: Exception | None) -> None:
        self._body = body
        self._error = error

    def __iter__(self) -> Iterator[bytes]:
        yield self._body
        if self._error is not None:
            raise self._error
