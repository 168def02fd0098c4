"""Parsers that nobody can bound, in a worker that can be ended.

A few hundred bytes of RDF/XML may stand for gigabytes (entities), a compressed literal may be
larger than the memory, and deep nesting takes a time that grows with its square; a parser in native
code aborts its whole process when memory ends. So everything but N-Triples and N-Quads, which are
lines, is parsed in a worker: the document goes in as a stream, N-Quads come out in blocks.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import IO, Any, Final

from robodata_core.worker import TimeOverError, Worker, WorkerEndedError

__all__ = ["TooMuchError", "convert_owl", "parse_rdf", "work"]

_PIECE: Final = 1 << 20
_FREE: Final = 30.0
_PACE: Final = 250_000
"""A parser may take so many seconds of processor time, and one more for so many bytes read: real
documents take a fiftieth of it, but a context of JSON-LD can be built up anew at every node."""


class TooMuchError(Exception):
    """The document needs more time or memory than it may have."""


def work(
    job: Callable[..., None],
    request: Mapping[str, Any],
    stream: IO[bytes],
    *,
    memory: int,
    seconds: float,
) -> Iterator[tuple[dict[str, Any], bytes]]:
    """Give a document to a worker; yields its replies.

    Args:
        job: A function of this module.
        request: What it is told first.
        stream: The document; errors of reading it are raised here.
        memory: Most bytes the worker may have.
        seconds: Most time without a sign of life.

    Raises:
        TooMuchError: If it needs more, or the worker falls over it.
    """
    failures: list[BaseException] = []
    with Worker(f"{__name__}:{job.__name__}", memory=memory) as worker:
        try:
            worker.send(request)
        except WorkerEndedError as error:
            raise TooMuchError from error

        def _feed() -> None:
            try:
                while (data := stream.read(_PIECE)) and worker.feed(data):
                    pass
            except BaseException as error:  # handed over to the thread that reads the replies
                failures.append(error)
            worker.fed()

        feeder = threading.Thread(target=_feed, name="robodata-feed", daemon=True)
        feeder.start()
        try:
            for reply, data in worker.replies(seconds, each=True):
                if failures:
                    raise failures[0]
                yield reply, data
                if "size" not in reply:
                    return
        except (TimeOverError, WorkerEndedError) as error:
            if failures:
                raise failures[0] from error
            raise TooMuchError from error
        finally:
            worker.end()
            feeder.join()


# -- in the worker ----------------------------------------------------------------------------


def parse_rdf(stdin: IO[bytes], stdout: IO[bytes]) -> None:
    """Parse RDF to N-Quads; a job.

    The request names ``media_type`` and ``base``; with ``by_line`` nothing is sent but, of a
    document that cannot be parsed, the line where a parser that does not say so gave up. With
    ``free`` the parser may take so many seconds besides what its bytes allow.
    """
    import pyoxigraph as ox

    from robodata_core.sources.ntriples import serialised

    request = json.loads(stdin.readline())
    form = ox.RdfFormat.from_media_type(request["media_type"])
    document: Any = _ByLine(stdin) if request.get("by_line") else _Document(stdin)
    try:
        quads = ox.parse(document, format=form, base_iri=request["base"])
        for data in serialised(quads):
            if time.process_time() > request.get("free", _FREE) + document.taken / _PACE:
                _reply(stdout, {"error": "time"})
                return
            if not request.get("by_line"):
                _reply(stdout, {"size": len(data)}, data)
    except MemoryError:
        _reply(stdout, {"error": "memory"})
    except SyntaxError as error:
        line = document.line if request.get("by_line") else error.lineno
        _reply(stdout, {"error": "syntax", "text": str(error.msg)[:1_000], "line": line})
    except Exception as error:  # whatever it is, the parent turns it into a sentence
        _reply(stdout, {"error": "syntax", "text": str(error)[:1_000], "line": None})
    else:
        _reply(stdout, {"done": True})


def convert_owl(stdin: IO[bytes], stdout: IO[bytes]) -> None:
    """Convert OWL in another ``syntax`` to RDF/XML; a job.

    Nothing is fetched: imports stay names.
    """
    request = json.loads(stdin.readline())
    try:
        text = stdin.read().decode("utf-8-sig")
        import pyhornedowl

        ontology = pyhornedowl.open_ontology_from_string(text, serialization=request["syntax"])
        data = ontology.save_to_string("owl").encode("utf-8", "replace")
    except MemoryError:
        _reply(stdout, {"error": "memory"})
    except UnicodeDecodeError as error:
        _reply(stdout, {"error": "encoding", "at": error.start})
    except Exception as error:  # whatever it is, the parent turns it into a sentence
        _reply(stdout, {"error": "syntax", "text": str(error)[:10_000]})
    else:
        for start in range(0, len(data), _PIECE):
            piece = data[start : start + _PIECE]
            _reply(stdout, {"size": len(piece)}, piece)
        _reply(stdout, {"done": True})


def _reply(stdout: IO[bytes], reply: Mapping[str, Any], data: bytes = b"") -> None:
    stdout.write(json.dumps(reply).encode() + b"\n" + data)
    stdout.flush()


class _Document:
    """Hands out what has come in, without a byte order mark."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._first = True
        self.taken = 0

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size)
        self.taken += len(data)
        if self._first and data.startswith(b"\xef\xbb\xbf"):
            data = data[3:] or self._stream.read(size)
        self._first = False
        return data


class _ByLine:
    """Hands out one line at a time, so that a parser never sees more than it has to."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._rest = b""
        self.line = 0
        self.taken = 0

    def read(self, size: int = -1) -> bytes:
        if not self._rest:
            self._rest = self._stream.readline()
            self.taken += len(self._rest)
            self.line += 1
        size = len(self._rest) if size < 0 else size
        given, self._rest = self._rest[:size], self._rest[size:]
        return given
