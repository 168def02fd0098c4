"""Delimited triples (``subject|relation|object``, one a line) as N-Triples, and OWL as RDF/XML.

Cells are names. A name becomes an entity (a relation: a property) of its own, with an IRI minted
from it and the name as its label, so that equal names are one entity everywhere; Wikidata's ids and
IRIs in cells are taken for what they are. With a header line, columns are found by their names.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import IO, Any, Final, NoReturn
from urllib.parse import quote

import pyoxigraph as ox

from robodata_core.errors import LoadError
from robodata_core.iris import RDFS, WD, WDT, is_id
from robodata_core.sources.parsing import TooMuchError, convert_owl, work
from robodata_core.text import clean_text
from robodata_core.whole_files import form_limit

_BLOCK: Final = 1_000_000
_LONGEST: Final = 1_000_000
_MOST_SEEN: Final = 100_000
_ENTITY_ID = re.compile(r"Q[1-9][0-9]{0,11}\Z", re.ASCII)
_PROPERTY_ID = re.compile(r"P[1-9][0-9]{0,11}\Z", re.ASCII)
_LABEL: Final = f"<{RDFS}label>"
_COLUMNS: Final = {
    "subject": ("subject", "head", "source", "node1", "s", "h", "from"),
    "relation": ("relation", "property", "predicate", "label", "edge", "p", "r"),
    "object": ("object", "tail", "target", "node2", "value", "o", "t", "to"),
    "subject_label": ("subject_label", "head_label", "node1;label", "node1_label"),
    "relation_label": ("relation_label", "property_label", "predicate_label", "label;label"),
    "object_label": ("object_label", "tail_label", "value_label", "node2;label", "node2_label"),
}
_ESCAPES: Final = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r"})


@dataclass(frozen=True, slots=True)
class _Layout:
    """Which cell is what; -1 for columns that are not there."""

    subject: int = 0
    relation: int = 1
    object: int = 2
    subject_label: int = -1
    relation_label: int = -1
    object_label: int = -1
    width: int = 3


def minted_iri(name: str, kind: str, text: str) -> str:
    """Return the IRI of the entity (kind ``e``) or property (``p``) called ``text``."""
    return f"urn:robodata:{name}:{kind}:{quote(text, safe='')}"


def delimited_blocks(
    stream: IO[bytes], path: str, name: str, delimiter: str = ""
) -> Iterator[bytes]:
    """Yield canonical N-Triples for a table.

    Args:
        stream: The table, UTF-8.
        path: For error messages.
        name: Name of the snapshot; part of the minted IRIs.
        delimiter: What stands between cells; empty to tell by the first line.

    Raises:
        LoadError: For a line that is not UTF-8 or has the wrong number of cells.
    """
    writer = _Writer(name)
    layout: _Layout | None = None
    waiting = 0
    most = form_limit(_LONGEST)
    for number, line in enumerate(iter(lambda: stream.readline(most), b""), 1):
        cells = _cells(line, path, number, delimiter)
        if not cells:
            continue
        if layout is None:
            delimiter = delimiter or _delimiter(line.decode("utf-8"), path, number)
            cells = _cells(line, path, number, delimiter)
            layout, header = _layout(cells)
            if header:
                continue
        if len(cells) != layout.width:
            raise LoadError(
                f"The line has {len(cells)} cells instead of {layout.width}.",
                path=path,
                line=number,
            )
        problem = writer.add(cells, layout)
        if problem:
            raise LoadError(problem, path=path, line=number)
        waiting += len(line)
        if waiting > _BLOCK:
            yield writer.take()
            waiting = 0
    if writer.lines:
        yield writer.take()


def _cells(line: bytes, path: str, number: int, delimiter: str) -> list[str]:
    if len(line) >= form_limit(_LONGEST):
        raise LoadError("The line is too long.", path=path, line=number)
    try:
        text = line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise LoadError("The line is not UTF-8 text.", path=path, line=number) from error
    if not text.strip():
        return []
    return [cell.strip() for cell in text.split(delimiter)] if delimiter else [text]


def _delimiter(line: str, path: str, number: int) -> str:
    for delimiter in ("\t", "|"):
        if line.count(delimiter) >= 2:
            return delimiter
    raise LoadError(
        "No tabs or bars separate the cells of the first line.",
        path=path,
        line=number,
        hint="Say what does with --delimiter.",
    )


def _layout(cells: Sequence[str]) -> tuple[_Layout, bool]:
    """Tell the columns of a table by its first line, and whether that line is a header."""
    lowered = [cell.lower().replace(" ", "_") for cell in cells]
    found = {
        column: lowered.index(name)
        for column, names in _COLUMNS.items()
        for name in reversed(names)
        if name in lowered
    }
    if {"subject", "relation", "object"} <= found.keys():
        return _Layout(**found, width=len(cells)), True
    return _Layout(), False


class _Writer:
    """Turns rows into lines, and labels each name where it is first met."""

    def __init__(self, name: str) -> None:
        self.lines: list[str] = []
        self._name = name
        self._entities: dict[str, str] = {}
        self._properties: dict[str, str] = {}

    def take(self) -> bytes:
        """Return the lines written since the last time, and forget them."""
        data = ("\n".join(self.lines) + "\n").encode("utf-8", "replace")
        self.lines.clear()
        return data

    def add(self, cells: Sequence[str], layout: _Layout) -> str:
        """Add a row; return what is wrong with it, or an empty string."""
        subject, relation, object_ = (
            cells[layout.subject],
            cells[layout.relation],
            cells[layout.object],
        )
        if not (subject and relation and object_):
            return "The line has an empty cell."
        start = self._entities.get(subject) or self._entity(subject, _at(cells, layout, 0))
        predicate = self._properties.get(relation) or self._property(
            relation, _at(cells, layout, 1)
        )
        end = self._entities.get(object_) or self._entity(object_, _at(cells, layout, 2))
        self.lines.append(f"<{start}> <{predicate}> <{end}> .")
        return ""

    def _entity(self, text: str, label: str) -> str:
        if _ENTITY_ID.match(text):
            iri = WD + text
        elif _is_iri(text):
            iri = text
        else:
            iri, label = minted_iri(self._name, "e", text), label or text
        return self._note(self._entities, text, iri, iri, label)

    def _property(self, text: str, label: str) -> str:
        if _PROPERTY_ID.match(text):
            return self._note(self._properties, text, WDT + text, WD + text, label)
        if _is_iri(text):
            iri = text
        else:
            iri, label = minted_iri(self._name, "p", text), label or text.replace("_", " ")
        return self._note(self._properties, text, iri, iri, label)

    def _note(self, known: dict[str, str], text: str, iri: str, named: str, label: str) -> str:
        # What was met long ago may be labelled again: the graph keeps one of each triple.
        if len(known) >= _MOST_SEEN:
            known.clear()
        known[text] = iri
        if label:
            self.lines.append(f'<{named}> {_LABEL} "{label.translate(_ESCAPES)}" .')
        return iri


def _at(cells: Sequence[str], layout: _Layout, which: int) -> str:
    """Return the cell with the label of the subject, relation or object, if there is one."""
    at = (layout.subject_label, layout.relation_label, layout.object_label)[which]
    return cells[at] if at >= 0 else ""


def _is_iri(text: str) -> bool:
    if not text.startswith(("http://", "https://", "urn:")) or not is_id(text):
        return False
    try:
        ox.NamedNode(text)
    except ValueError:
        return False
    return True


SYNTAXES: Final = {"ofn": "functional syntax", "omn": "Manchester syntax", "owx": "OWL/XML"}
"""What the library calls the syntaxes, and what people call them."""

_LIBRARY: Final = "pyhornedowl"
_MOST_BYTES: Final = 40_000_000
_SECONDS: Final = 300.0
_MEMORY: Final = 4_000_000_000
_CONVERT: Final = "convert it to RDF/XML or Turtle (Protégé and ROBOT do)."
_LINE = re.compile(r"line_col: Pos\(\((\d+), (\d+)\)\)")
_AT = re.compile(r"Byte(?:Span|Position)\((\d+)|ByteOffset\((\d+)")
_EXPECTED = re.compile(r"positives: \[([A-Za-z0-9_, ]*)\]")
_VALIDITY = re.compile(r'ValidityError\("([^"]*)"')


def require_library(syntax: str, path: str) -> None:
    """Make sure that the converter is installed, before anything is read.

    Raises:
        LoadError: If it is not, with the command that installs it.
    """
    if find_spec(_LIBRARY) is None:
        raise LoadError(
            f"This is OWL in {SYNTAXES[syntax]}, and py-horned-owl, which reads it, is not "
            "installed.",
            path=path,
            hint=f"Run: pip install 'robodata[owl]', or {_CONVERT}",
        )


def converted(stream: IO[bytes], syntax: str, path: str) -> IO[bytes]:
    """Return the RDF/XML of a document.

    Args:
        stream: The document, unpacked.
        syntax: One of ``SYNTAXES``.
        path: For messages.

    Raises:
        LoadError: If it is too large, too deep or not of this syntax.
    """
    most = form_limit(_MOST_BYTES)
    data = stream.read(most + 1)
    if len(data) > most:
        raise LoadError(
            f"An ontology in {SYNTAXES[syntax]} may have at most {most // 1_000_000} MB.",
            path=path,
            hint=f"For larger ones, {_CONVERT}",
        )
    made = io.BytesIO()
    try:
        replies = work(
            convert_owl, {"syntax": syntax}, io.BytesIO(data), memory=_MEMORY, seconds=_SECONDS
        )
        for reply, piece in replies:
            made.write(piece)
            if "error" in reply:
                _refuse(reply, data, syntax, path)
    except TooMuchError:
        _refuse({"error": "ended"}, data, syntax, path)
    made.seek(0)
    return made


def _refuse(reply: dict[str, Any], data: bytes, syntax: str, path: str) -> NoReturn:
    kind = reply.get("error")
    if kind == "syntax":
        text = str(reply.get("text"))
        raise LoadError(_explained(text, syntax), path=path, line=_line(text, data))
    if kind == "encoding":
        line = data.count(b"\n", 0, int(reply.get("at", 0))) + 1
        raise LoadError("The line is not UTF-8 text.", path=path, line=line)
    raise LoadError(
        "The ontology is nested too deeply, or needs more time or memory than it may have.",
        path=path,
        hint=f"If it is meant to be like that, {_CONVERT}",
    )


def _explained(text: str, syntax: str) -> str:
    """Say in a sentence what the library says in the words of its own types."""
    invalid = _VALIDITY.search(text)
    if invalid:
        return f"This is not OWL in {SYNTAXES[syntax]}: {clean_text(invalid[1], limit=200)}."
    expected = _EXPECTED.search(text)
    names = [name.strip() for name in expected[1].split(",")] if expected else []
    named = " or ".join(name for name in names[:4] if name)
    return f"This is not OWL in {SYNTAXES[syntax]}" + (f": {named} expected." if named else ".")


def _line(text: str, data: bytes) -> int | None:
    place = _LINE.search(text)
    if place:
        return int(place[1])
    at = _AT.search(text)
    if at:
        # The library counts bytes of the text as it was given, without a byte order mark.
        return data.count(b"\n", 0, int(at[1] or at[2])) + 1
    return None
