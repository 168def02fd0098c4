"""OWL in syntaxes that are not RDF, as RDF/XML, through py-horned-owl (extra ``owl``).

The library is optional and only loaded in a worker (``sources.parsing``), which is limited in
time and memory and killed when a load is abandoned. The whole document is in memory
there, so its size has a bound; larger ontologies come as RDF.
"""

from __future__ import annotations

import io
import re
from importlib.util import find_spec
from typing import IO, Any, Final, NoReturn

from robodata_core.errors import LoadError
from robodata_core.sources.parsing import TooMuchError, convert_owl, work
from robodata_core.text import clean_text
from robodata_core.whole_files import form_limit

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
    """Make sure that the converter is installed, before anything is read."""
    if find_spec(_LIBRARY) is None:
        raise LoadError(
            f"This is OWL in {SYNTAXES[syntax]}, and py-horned-owl, which reads it, is not "
            "installed.",
            path=path,
            hint=f"Run: pip install 'robodata[owl]', or {_CONVERT}",
        )


def converted(stream: IO[bytes], syntax: str, path: str) -> IO[bytes]:
    """Return the RDF/XML of a document."""
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
