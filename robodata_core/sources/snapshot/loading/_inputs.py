"""Files to load: what is in them, and their content as blocks of N-Quads lines.

Knows formats, compression and where in a file an error is; nothing of what is done with the lines.
N-Triples and N-Quads pass as they are (whoever stores them parses them strictly); everything else
is parsed or read here and comes out canonical.
"""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final, cast
from urllib.parse import quote

import pyoxigraph as ox

from robodata_core.errors import LoadError
from robodata_core.sources.ntriples import serialised
from robodata_core.sources.parsing import TooMuchError, parse_rdf, work
from robodata_core.sources.snapshot.loading._class_facts import ClassFacts
from robodata_core.sources.snapshot.loading._delimited import (
    converted,
    delimited_blocks,
    require_library,
)
from robodata_core.whole_files import form_limit

_BLOCK: Final = 4_000_000
_BUFFER: Final = 1 << 20
_LONGEST_LINE: Final = 64_000_000
_PARSED_LINE: Final = 1 << 24
"""What the parser of N-Triples and N-Quads takes of a line."""
_BASE: Final = "https://robodata.invalid/"
_HARMLESS: Final = 20_000
_PLAIN: Final = (ox.RdfFormat.TURTLE, ox.RdfFormat.TRIG, ox.RdfFormat.RDF_XML)
_MEMORY: Final = 1_500_000_000
_SECONDS: Final = 60.0
"""Most memory of a parser, and most time in which nothing comes out of it."""

_RDF: Final = {
    "nt": ox.RdfFormat.N_TRIPLES,
    "nq": ox.RdfFormat.N_QUADS,
    "ttl": ox.RdfFormat.TURTLE,
    "turtle": ox.RdfFormat.TURTLE,
    "trig": ox.RdfFormat.TRIG,
    "rdf": ox.RdfFormat.RDF_XML,
    "jsonld": ox.RdfFormat.JSON_LD,
}
_SNIFFED: Final = frozenset({"owl", "xml", "rdf", "ofn", "omn", "owx"})
_TABLES: Final = frozenset({"txt", "tsv", "psv", "csv", "tab"})
_COMPRESSED: Final = {"gz": b"\x1f\x8b", "bz2": b"BZh"}
_KNOWN: Final = (
    "Known are .nt, .nq, .ttl, .trig, .rdf, .owl, .ofn, .omn, .owx, .jsonld and tables in .txt, "
    ".tsv or .psv, each also with .gz or .bz2."
)
_MARK: Final = b"\xef\xbb\xbf"
_FUNCTIONAL = re.compile(rb"(?:Prefix|Ontology)\s*\(")
_COMMENTS = re.compile(rb"(?:#[^\n]*\n\s*)*")


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file and how to read it.

    Attributes:
        path: Where it is.
        format: RDF format; None for a table.
        compression: ``gz``, ``bz2`` or empty.
        owl: The syntax of OWL that has to be converted to this format (``_owl.SYNTAXES``).
    """

    path: Path
    format: ox.RdfFormat | None
    compression: str = ""
    owl: str = ""

    @property
    def verbatim(self) -> bool:
        """Whether the lines of the file are N-Quads lines already."""
        return self.format in (ox.RdfFormat.N_TRIPLES, ox.RdfFormat.N_QUADS)


@dataclass(frozen=True, slots=True)
class Block:
    """Some whole lines of N-Quads.

    Attributes:
        data: The lines, each with its end.
        path: The file they come from.
        line: Number of the first line in that file where they stand there as they are, else 0.
        offset: Where in the file exactly these bytes stand, else -1.
    """

    data: bytes
    path: Path
    line: int = 0
    offset: int = -1


class Meter:
    """Counts the bytes that are read from disk, and hashes each file.

    Args:
        moved: Called now and then with the number of bytes read so far.
    """

    def __init__(self, moved: Callable[[int], None] = lambda done: None) -> None:
        self.done = 0
        self.hashes: dict[Path, str] = {}
        self._moved = moved

    def note(self, size: int) -> None:
        """Count some bytes."""
        self.done += size
        self._moved(self.done)


class _Metered(io.RawIOBase):
    def __init__(self, path: Path, meter: Meter) -> None:
        self._file = path.open("rb", buffering=0)
        self._path = path
        self._meter = meter
        self._digest = hashlib.sha256()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        size = self._file.readinto(buffer)
        self._digest.update(memoryview(buffer)[:size])
        self._meter.note(size)
        return size

    def finish(self) -> None:
        """Read what a decoder has left of the file: the hash is of all of it."""
        while self.read(_BUFFER):
            pass
        self._meter.hashes[self._path] = self._digest.hexdigest()

    def close(self) -> None:
        if not self.closed:
            self._file.close()
        super().close()


# -- what is in a file ------------------------------------------------------------------------


def identify(path: Path, *, table: bool = False) -> InputFile:
    """Tell how to read a file, by its name and its first bytes.

    Args:
        path: The file.
        table: Take it for delimited triples, whatever its name.

    Raises:
        LoadError: If it cannot be read, or is of a kind that is not known.
    """
    names = [part.lower() for part in path.name.split(".")[1:]]
    try:
        if path.exists() and not path.is_file():
            kind = "a folder" if path.is_dir() else "a pipe or device"
            raise LoadError(f"This is {kind}, not a file.", path=str(path))
        with path.open("rb") as file:
            start = file.read(4)
    except OSError as error:
        raise LoadError(f"The file cannot be read ({error.strerror}).", path=str(path)) from error
    compression = next((name for name, mark in _COMPRESSED.items() if start.startswith(mark)), "")
    if names and names[-1] in _COMPRESSED:
        if start and names[-1] != compression:
            raise LoadError(f"This is not a .{names[-1]} file.", path=str(path))
        names.pop()
    kind = names[-1] if names else ""
    if table or kind in _TABLES:
        return InputFile(path, None, compression)
    if kind in _SNIFFED:
        return _sniff(path, compression)
    if kind not in _RDF:
        raise LoadError(
            f"What is in it cannot be told from its name ({kind or 'no extension'}).",
            path=str(path),
            hint=_KNOWN,
        )
    return InputFile(path, _RDF[kind], compression)


def _sniff(path: Path, compression: str) -> InputFile:
    """Tell the syntaxes of OWL apart."""
    with (
        _opened(InputFile(path, None, compression), Meter(), whole=False) as stream,
        _explained(path),
    ):
        start = stream.read(4_096).lstrip(b"\xef\xbb\xbf \t\r\n")
    syntax = _owl_syntax(start)
    if syntax:
        require_library(syntax, str(path))
        return InputFile(path, ox.RdfFormat.RDF_XML, compression, syntax)
    if not start.startswith(b"<"):
        return InputFile(path, ox.RdfFormat.TURTLE, compression)
    rdf = ox.RdfFormat.RDF_XML if start[1:2] in b"?!r" or b"RDF" in start else _turtle(start)
    return InputFile(path, rdf, compression)


def _owl_syntax(start: bytes) -> str:
    """Return the syntax of OWL, other than RDF, that a document begins in; maybe none."""
    if start.startswith(b"<"):
        return "owx" if b"<Ontology" in start and b"rdf:RDF" not in start else ""
    comments = _COMMENTS.match(start)
    start = start[comments.end() :] if comments else start
    if _FUNCTIONAL.match(start):
        return "ofn"
    return "omn" if start.startswith((b"Prefix:", b"Ontology:")) else ""


def _turtle(start: bytes) -> ox.RdfFormat:
    return ox.RdfFormat.TURTLE if b"> " in start else ox.RdfFormat.RDF_XML


# -- content ----------------------------------------------------------------------------------


def read_blocks(file: InputFile, meter: Meter, *, name: str, delimiter: str) -> Iterator[Block]:
    """Yield the content of a file as blocks of N-Quads lines.

    Args:
        file: What ``identify`` gave.
        meter: Counts what is read.
        name: Name of the snapshot, for the IRIs minted for a table.
        delimiter: Of a table; empty to tell by its first line.

    Raises:
        LoadError: If the file cannot be understood, with the line where that is known.
    """
    with _opened(file, meter) as stream, _explained(file.path, file):
        if file.verbatim:
            yield from _lines(file, stream)
        elif file.format is not None:
            yield from _parsed(file, stream)
        else:
            for data in delimited_blocks(stream, str(file.path), name, delimiter):
                yield Block(data, file.path)


def _parsed(file: InputFile, stream: IO[bytes]) -> Iterator[Block]:
    facts = ClassFacts(str(file.path))
    rdf = converted(stream, file.owl, str(file.path)) if file.owl else stream
    for data in facts.blocks(_serialised(file, rdf)):
        yield Block(data, file.path)


def _serialised(file: InputFile, stream: IO[bytes]) -> Iterator[bytes]:
    """Yield a document as canonical N-Quads."""
    assert file.format is not None
    start = stream.read(_HARMLESS + 1)
    if len(start) <= _HARMLESS and file.format in _PLAIN and b"<!" not in start:
        # What is so short and declares no entities cannot take much: no process is worth it.
        document = start.removeprefix(_MARK)
        yield from serialised(ox.parse(document, format=file.format, base_iri=_base(file)))
        return
    request = {"media_type": file.format.media_type, "base": _base(file)}
    whole = cast(IO[bytes], _Rejoined(start, stream))
    try:
        for reply, data in work(parse_rdf, request, whole, memory=_MEMORY, seconds=_SECONDS):
            if data:
                yield data
            if reply.get("error") == "syntax":
                raise SyntaxError(str(reply["text"]), (None, reply.get("line"), None, None))
            if "error" in reply:
                raise TooMuchError
    except TooMuchError as error:
        raise LoadError(
            "The document needs more time or memory to be parsed than it may have.",
            path=str(file.path),
            hint="N-Triples and N-Quads have no such limit.",
        ) from error


class _Rejoined:
    """A stream with what was read of it put back."""

    def __init__(self, start: bytes, stream: IO[bytes]) -> None:
        self._start = start
        self._stream = stream

    def read(self, size: int) -> bytes:
        start, self._start = self._start, b""
        return start or self._stream.read(size)


def _lines(file: InputFile, stream: IO[bytes]) -> Iterator[Block]:
    number, offset, marked = 1, 0, 0
    most = min(form_limit(_LONGEST_LINE), _PARSED_LINE - _BLOCK)
    while data := stream.read(_BLOCK):
        if not offset and data.startswith(_MARK):
            data = data[len(_MARK) :]
            marked = len(_MARK)
        rest = stream.readline(most)
        if len(rest) >= most:
            line = number + data.count(b"\n")
            raise LoadError("The line is too long.", path=str(file.path), line=line)
        data += rest
        whole = data.endswith(b"\n")
        there = offset + marked if whole and not file.compression else -1
        yield Block(data if whole else data + b"\n", file.path, number, there)
        number += data.count(b"\n")
        offset += len(data)


def _base(file: InputFile) -> str:
    return _BASE + quote(file.path.name.removesuffix("." + file.compression))


@contextmanager
def _opened(file: InputFile, meter: Meter, *, whole: bool = True) -> Iterator[IO[bytes]]:
    raw = _Metered(file.path, meter)
    try:
        buffered = io.BufferedReader(raw, _BUFFER)
        if file.compression == "gz":
            yield cast(IO[bytes], gzip.GzipFile(fileobj=buffered, mode="rb"))
        elif file.compression == "bz2":
            yield cast(IO[bytes], bz2.BZ2File(buffered))
        else:
            yield buffered
        if whole:
            raw.finish()
    finally:
        raw.close()


@contextmanager
def _explained(path: Path, file: InputFile | None = None) -> Iterator[None]:
    """Turn what decoders and parsers raise into a sentence with the place."""
    try:
        yield
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise LoadError("The compressed file is damaged or cut off.", path=str(path)) from error
    except SyntaxError as error:
        line = error.lineno
        if file is not None and file.owl:
            line = None  # a line of what it was converted to tells nobody anything
        elif line is None and file is not None and file.format == ox.RdfFormat.RDF_XML:
            line = _find_line(file)
        raise LoadError(f"{_plain(error)}.", path=str(path), line=line) from error
    except OSError as error:
        text = error.strerror or str(error)
        raise LoadError(f"The file cannot be read ({text}).", path=str(path)) from error


def _plain(error: SyntaxError) -> str:
    """Return the parser's own words without the position, which is said already."""
    text = str(error.msg)
    if text.startswith("Parser error at"):
        text = text.partition(": ")[2]
    return text.rstrip(".")[:300]


def _find_line(file: InputFile) -> int | None:
    """Parse again, line by line, to learn where a parser that does not say so gave up."""
    assert file.format is not None
    request = {"media_type": file.format.media_type, "base": _base(file), "by_line": True}
    with _opened(file, Meter(), whole=False) as stream, suppress(TooMuchError):
        for reply, _ in work(parse_rdf, request, stream, memory=_MEMORY, seconds=_SECONDS):
            line = reply.get("line")
            return line if isinstance(line, int) else None
    return None
