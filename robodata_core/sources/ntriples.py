"""N-Quads lines as bytes: taking them apart without building an object per term.

A *canonical* line is as ``pyoxigraph`` writes it: single spaces, no comments, no escapes but those
that must be. Everything else is brought into that form by ``canonical_lines``. Terms stay bytes
(``<iri>``, ``_:label``, ``"literal"@en``) until somebody wants their value.

Blank nodes get names by ``BlankNodes``, so that they can be looked at and pointed to. One that
things are said about (a restriction of a class, an address) becomes an IRI of the snapshot,
``urn:robodata:NAME:b:LABEL``. Only where Wikidata's RDF puts a blank node for "there is a value,
but it is unknown" it stays one. Labels mean something in one file only, so files are told apart.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, Final
from urllib.parse import quote

import pyoxigraph as ox

__all__ = [
    "BlankNodes",
    "TRIPLE_TERM",
    "canonical_lines",
    "iri_text",
    "literal_parts",
    "serialised",
    "split_line",
    "term_of",
]

TRIPLE_TERM: Final = b"<<("
"""How a triple as the object of a triple begins (RDF 1.2): statements here have no place for it."""

_BATCH: Final = 20_000
# Unrolled: a choice for each character would keep 130 bytes of each to come back to.
_LITERAL = re.compile(
    rb'"([^"\\]*(?:\\.[^"\\]*)*)"(?:@([A-Za-z0-9-]+)|\^\^<([^<>]*)>)?\Z', re.DOTALL
)
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)
_PLAIN: Final = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f"}


def split_line(line: bytes) -> tuple[bytes, bytes, bytes, bytes]:
    """Return subject, predicate, object and graph (empty for the default graph) of a line.

    Args:
        line: A canonical line without its line end.

    Raises:
        ValueError: If it is not canonical.
    """
    subject, predicate, rest = line.split(b" ", 2)
    if rest[-2:] != b" .":
        raise ValueError("the line has no end")
    rest = rest[:-2]
    if rest[:1] == b'"':
        # No IRI holds a quotation mark, so the last one closes the literal.
        end = rest.rindex(b'"') + 1
        suffix, _, graph = rest[end:].partition(b" ")
        return subject, predicate, rest[:end] + suffix, graph
    if rest.startswith(TRIPLE_TERM):
        raise ValueError("triple terms are not supported")
    object_, _, graph = rest.partition(b" ")
    return subject, predicate, object_, graph


def iri_text(term: bytes) -> str:
    """Return the IRI of ``<iri>``."""
    text = term[1:-1].decode("utf-8")
    return _unescape(text) if "\\" in text else text


def literal_parts(term: bytes) -> tuple[str, str, str]:
    """Return text, language and datatype IRI (empty where there is none) of a literal.

    Raises:
        ValueError: If it is not a literal.
    """
    match = _LITERAL.match(term)
    if match is None:
        raise ValueError("not a literal")
    text = match[1].decode("utf-8", "replace")
    if "\\" in text:
        text = _unescape(text)
    return text, (match[2] or b"").decode("ascii"), (match[3] or b"").decode("utf-8")


def term_of(term: bytes) -> ox.NamedNode | ox.BlankNode | ox.Literal:
    """Return the pyoxigraph term of a canonical term.

    Raises:
        ValueError: If it is none.
    """
    if term[:1] == b"<":
        return ox.NamedNode(iri_text(term))
    if term[:2] == b"_:":
        return ox.BlankNode(term[2:].decode("utf-8"))
    text, language, datatype = literal_parts(term)
    if language:
        # RDF 1.2 appends the direction of the text, which nothing here makes use of.
        return ox.Literal(text, language=language.partition("--")[0])
    return ox.Literal(text, datatype=ox.NamedNode(datatype)) if datatype else ox.Literal(text)


def canonical_lines(text: bytes) -> list[bytes]:
    """Parse N-Quads strictly and return their canonical lines, without line ends.

    Raises:
        SyntaxError: With the line number in ``lineno``.
    """
    quads = ox.parse(text, format=ox.RdfFormat.N_QUADS)
    written = ox.serialize(quads, format=ox.RdfFormat.N_QUADS)
    # Not splitlines: it would also split at separators that stand inside literals.
    return [line for line in (written or b"").split(b"\n") if line]


def serialised(quads: Iterable[Any]) -> Iterator[bytes]:
    """Write pyoxigraph quads (or triples) as canonical N-Quads, some thousand at a time."""
    source = iter(quads)
    while batch := list(islice(source, _BATCH)):
        yield ox.serialize(batch, format=ox.RdfFormat.N_QUADS) or b""


def _unescape(text: str) -> str:
    return _ESCAPE.sub(_character, text)


def _character(match: re.Match[str]) -> str:
    code = match[1] or match[2]
    if code:
        number = int(code, 16)
        return chr(number) if number < 0x110000 else "\ufffd"
    return _PLAIN.get(match[3], match[3])


_UNKNOWN_VALUE = b"<http://www.wikidata.org/prop/"


class BlankNodes:
    """Names the blank nodes of one file.

    Args:
        name: Name of the snapshot.
        file: Number of the file; None where labels already are unique.
        numbered: Number the nodes in the order of their appearance, instead of keeping their
            labels: parsers make up new labels every time, and the same file must always give the
            same graph. Takes memory for every node.
    """

    def __init__(self, name: str, file: int | None = None, *, numbered: bool = False) -> None:
        self._base = f"urn:robodata:{name}:b:"
        self._file = "" if file is None else f"f{file}"
        self._numbers: dict[bytes, str] | None = {} if numbered else None

    def rename_lines(self, lines: Iterable[bytes]) -> Iterator[bytes]:
        """Yield canonical lines with their blank nodes named."""
        for line in lines:
            yield self._rename(line) if b"_:" in line else line

    def rename(self, block: bytes) -> bytes:
        """Name the blank nodes of a block; returns the block itself if it has none."""
        if b"_:" not in block:
            return block
        lines = []
        for line in block.split(b"\n"):
            if b"_:" in line and not line.lstrip().startswith(b"#"):
                # Where this fails, the store will say what is wrong with the line, and where.
                with contextlib.suppress(SyntaxError, ValueError):
                    line = b"\n".join(self.rename_lines(canonical_lines(line)))
            lines.append(line)
        return b"\n".join(lines)

    def _rename(self, line: bytes) -> bytes:
        subject, predicate, object_, graph = split_line(line)
        subject = self._term(subject)
        keep = predicate.startswith(_UNKNOWN_VALUE)
        object_ = self._term(object_, keep=keep)
        terms = [subject, predicate, object_]
        if graph:
            terms.append(self._term(graph))
        return b" ".join(terms) + b" ."

    def _term(self, term: bytes, *, keep: bool = False) -> bytes:
        if term[:2] != b"_:":
            return term
        label = term[2:].decode("utf-8")
        if self._numbers is not None:
            label = self._numbers.setdefault(term, f"n{len(self._numbers)}")
        if keep:
            return f"_:{self._file}{label}".encode()
        return f"<{self._base}{self._file}{quote(label, safe='')}>".encode()
