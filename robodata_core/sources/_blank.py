"""Blank nodes get names, so that they can be looked at and pointed to.

A blank node that things are said about (a restriction of a class, an address) becomes an IRI of the
snapshot, ``urn:robodata:NAME:b:LABEL``. Only where Wikidata's RDF puts a blank node for "there is a
value, but it is unknown" it stays one. Labels mean something in one file only, so files are told
apart.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from urllib.parse import quote

from robodata_core.sources._lines import canonical_lines, split_line

__all__ = ["BlankNodes"]

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
