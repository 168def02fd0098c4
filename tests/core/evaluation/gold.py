"""Gold computed from the facts: a question file names the query beside each question.

``python -m tests.core.evaluation.gold FILE`` writes the ``expected`` column anew from the
``query`` column, and leaves everything else as it is. The tests recompute it and compare.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from robodata_core.iris import WD, WDT
from robodata_core.model import EntityValue, QuantityValue, TimeValue
from robodata_core.sources.base import KnowledgeSource
from robodata_core.sources.snapshot import open_snapshot
from robodata_core.values import iso_time

_PREFIXES = (
    f"PREFIX wd: <{WD}> PREFIX wdt: <{WDT}> PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#> "
)


@dataclass(frozen=True, slots=True)
class Line:
    """A question with its gold as written, and the query that the gold comes from."""

    question: str
    expected: str
    kind: str
    query: str


def lines_of(path: Path) -> Iterator[Line]:
    """Read a question file: comments, one header line, then four columns."""
    lines = [line for line in path.read_text("utf-8").splitlines() if line and line[0] != "#"]
    for line in lines[1:]:
        yield Line(*line.split("\t"))


def computed(query: str, source: KnowledgeSource) -> str:
    """Run a query and write its answer as the ``expected`` column does."""
    answer = source.sparql(_PREFIXES + query)
    if answer.boolean is not None:
        return "yes" if answer.boolean else "no"
    found = {_plain(row[0]) for row in answer.rows if row[0] is not None}
    return "|".join(sorted(found)) or "-"


def _plain(value: object) -> str:
    if isinstance(value, EntityValue):
        return value.id
    if isinstance(value, TimeValue):
        return iso_time(value)
    if isinstance(value, QuantityValue):
        return f"{value.amount:f}"
    return str(value)


def _rewrite(path: Path) -> None:
    with open_snapshot("wikidata-sample") as source:
        out = []
        for line in path.read_text("utf-8").splitlines():
            if line[:1] not in ("#", "") and not line.startswith("question\t"):
                question, _, kind, query = line.split("\t")
                line = "\t".join((question, computed(query, source), kind, query))
            out.append(line)
    path.write_text("\n".join(out) + "\n", encoding="utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        _rewrite(Path(name))
