"""What goes over the wire and comes back, whoever carries it: network, recorder or recording."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Protocol

from robodata_core.cancellation import CancelToken

PIECE: Final = 65_536
"""Most bytes of an answer that are taken at once."""


@dataclass(frozen=True, slots=True)
class Sent:
    """A request as it goes over the wire."""

    method: str
    url: str
    headers: tuple[tuple[str, str], ...]
    body: bytes


@dataclass(frozen=True, slots=True)
class Received:
    """What came back.

    Attributes:
        status: HTTP status; 0 if there was no answer at all.
        headers: Names in lower case.
        body: Decoded, as far as it came.
        failure: What went wrong, as ``ReadTimeout``; empty for a whole answer.
        message: More about that.
    """

    status: int = 0
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    failure: str = ""
    message: str = ""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits of one exchange.

    Attributes:
        connect_seconds: Most time to connect.
        read_seconds: Most time between two pieces.
        deadline: When it must be over, on the monotonic clock.
        bytes: Most bytes of the decoded body.
        cancel: Ends it earlier.
    """

    connect_seconds: float
    read_seconds: float
    deadline: float
    bytes: int
    cancel: CancelToken | None = None


class Wire(Protocol):
    """Sends requests: the network, a recorder in front of it, or a recording."""

    def send(self, request: Sent, bounds: Bounds) -> Received:
        """Exchange one request for its answer, or for what went wrong.

        Raises:
            CancelledError: If the run was cancelled meanwhile.
            DeadlineExceededError: If the run's time is over.
        """
        ...

    def close(self) -> None:
        """Close open connections."""
        ...


def unpacked(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield what gzip or zlib holds in small pieces, however well it is compressed.

    A library decodes a received block as a whole, which lets a small bomb take much memory.

    Raises:
        EOFError: If it ends too early.
        zlib.error: If it is damaged.
    """
    decoder = zlib.decompressobj(47)  # gzip or zlib, whichever it is
    for block in blocks:
        rest = block
        while rest:
            yield decoder.decompress(rest, PIECE)
            rest = decoder.unconsumed_tail
        if decoder.eof:  # what comes after would be kept, however much it is
            return
    yield decoder.flush()
    if not decoder.eof:
        raise EOFError("the compressed answer ends too early")
