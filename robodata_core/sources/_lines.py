"""N-Quads lines as bytes: taking them apart without building an object per term.

A *canonical* line is as ``pyoxigraph`` writes it: single spaces, no comments, no escapes but those
that must be. Everything else is brought into that form by ``canonical_lines``. Terms stay bytes
(``<iri>``, ``_:label``, ``"literal"@en``) until somebody wants their value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, Final

import pyoxigraph as ox

__all__ = [
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
_LITERAL = re.compile(rb'"((?:[^"\\]|\\.)*)"(?:@([A-Za-z0-9-]+)|\^\^<([^<>]*)>)?\Z', re.DOTALL)
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
