"""A run as a file: the answer as Markdown or JSON, its graph as RDF, the events as a journal.

Everything is made from the record, so that a run read from a journal can be exported like one
that was just asked. The screen as SVG is the application's own business.
"""

from __future__ import annotations

import io
import json
import re
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from robodata_core import journal
from robodata_core.answers.text import evidence_line, status_line
from robodata_core.errors import InvalidRequestError
from robodata_core.model import Answer, Evidence, Statement
from robodata_core.text import clean_text
from robodata_tui.records import Record
from robodata_tui.words import clean

__all__ = ["FORMATS", "Format", "export_record", "free_path", "without_fonts"]


@dataclass(frozen=True, slots=True)
class Format:
    """One way to write a run down.

    Attributes:
        name: What it is called in the program.
        suffix: How the file's name ends.
        mime: Its media type, for browsers.
        label: What the dialog says.
    """

    name: str
    suffix: str
    mime: str
    label: str


_TABLE: Final = """
markdown .md    text/markdown      Answer with its evidence as Markdown
json     .json  application/json   Answer with its evidence as JSON
turtle   .ttl   text/turtle        Graph as Turtle
trig     .trig  application/trig   Graph with the named graph of every run as TriG
svg      .svg   image/svg+xml      Screen as SVG
jsonl    .jsonl application/jsonl  Run as a journal (JSON Lines)
"""
FORMATS: Final = tuple(Format(*line.split(None, 3)) for line in _TABLE.strip().split("\n"))


def export_record(record: Record, name: str) -> bytes:
    """Return a run in one of the formats (all but ``svg``).

    Raises:
        InvalidRequestError: If the run has nothing of that kind yet, or there is no such format.
    """
    if name in ("markdown", "json"):
        answer = record.shown.answer
        if answer is None:
            raise InvalidRequestError("There is no answer to export yet.")
        if name == "json":
            from robodata_core.answers.json import answer_to_json  # with the map, and Oxigraph

            return (
                json.dumps(answer_to_json(answer), ensure_ascii=False, indent=2) + "\n"
            ).encode()
        return _markdown(answer).encode()
    if name in ("turtle", "trig"):
        return _graph(record.graph.values(), name)
    if name == "jsonl":
        return _journal(record)
    raise InvalidRequestError(f"There is no export format {name!r}.")


def free_path(folder: Path, record: Record, format_: Format) -> Path:
    """Return a file name for an export that does not exist yet."""
    words = re.sub(r"[^\w]+", "-", clean(record.question, 60).lower()).strip("-") or "run"
    path = folder / f"{words}{format_.suffix}"
    number = 1
    while path.exists():
        number += 1
        path = folder / f"{words}-{number}{format_.suffix}"
    return path


def without_fonts(picture: str) -> str:
    """Return an exported screen that asks nothing of other hosts: the exporter names web fonts."""
    start = picture.find("@font-face")
    while start >= 0:
        end = picture.index("}", start) + 1
        picture = picture[:start] + picture[end:]
        start = picture.find("@font-face")
    return "\n".join(line.rstrip() for line in picture.splitlines() if line.strip()) + "\n"


_SPECIAL: Final = re.compile(r"([\\`*_\[\]<>#|])")


def _plain(text: str) -> str:
    """Return text that Markdown shows as it is."""
    return _SPECIAL.sub(r"\\\1", clean_text(text, limit=20_000))


def _markdown(answer: Answer) -> str:
    lines = [f"# {_plain(answer.question)}", "", _plain(answer.text) or "There is no answer.", ""]
    lines += [f"*{_plain(status_line(answer))}*", ""]
    if answer.missing:
        lines += [*(f"- {_plain(text)}" for text in answer.missing), ""]
    if answer.claims:
        lines += ["## Claims", ""]
    for claim in answer.claims:
        verdict = "supported" if claim.supported else f"**unsupported**: {_plain(claim.problem)}"
        lines.append(f"- **{_plain(claim.id)}** {_plain(claim.text)} ({verdict})")
        for item in claim.support.evidence:
            lines.append(f"  - {_plain(evidence_line(item))}")
            lines += [f"    - {_plain(text)}" for text in _origins(item)]
    if answer.program:
        lines += ["", "## Program", "", _plain(answer.program)]
    if answer.sparql:
        fence = "~" * max(3, 1 + max(map(len, re.findall("~+", answer.sparql)), default=0))
        sparql = clean_text(answer.sparql, limit=100_000, multiline=True)
        lines += ["", f"{fence}sparql", sparql, fence]
    return "\n".join(lines) + "\n"


def _origins(item: Evidence) -> list[str]:
    return [
        f"{record.source}{' · ' + record.origin if record.origin else ''} · {record.rank.value}"
        f" rank · {record.retrieved:%Y-%m-%d %H:%M:%S} UTC · {record.tool} ({record.call_id})"
        for record in item.provenance
    ]


def _graph(items: Iterable[Evidence], format_: str) -> bytes:
    from robodata_core.store.graph import Fetch, LocalGraph

    target = io.BytesIO()
    with LocalGraph.in_memory() as graph:
        for item in items:
            triple = item.triple
            for record in item.provenance:
                statement = Statement(
                    triple.subject,
                    triple.predicate,
                    triple.object,
                    record.statement_id,
                    record.rank,
                    record.qualifiers,
                    record.references,
                    record.source,
                    record.origin,
                    record.revision,
                )
                fetch = Fetch(record.run_id, record.call_id, record.tool, record.retrieved)
                graph.add([statement], fetch)
        graph.export(format_, target)
    return target.getvalue()


def _journal(record: Record) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.jsonl"
        with journal.write(path) as sink:
            for event in record.events:
                sink(event)
        return path.read_bytes()
