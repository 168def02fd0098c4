"""Scores free questions: ``python -m tests.core.evaluation.first_contact [strangers]``."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from robodata_core import RoboData
from robodata_core.model import Answer, AnswerStatus, EntityValue, ResultItem
from robodata_core.sources.base import KnowledgeSource

__all__ = ["SOURCES", "Line", "judge", "lines", "score"]

SOURCES: Final = {"general": "snapshot:world", "household": "snapshot:household"}
_MOST_BESIDE: Final = 2
_FOLDER = Path(__file__).with_name("data")
#: The set that is a floor under what is told; "strangers" is another one.
FIRST: Final = "first_contact"


@dataclass(frozen=True, slots=True)
class Line:
    """A question and its answer, in the notation that the file's head explains."""

    kind: str
    question: str
    expected: str


def lines(name: str = FIRST) -> Iterator[Line]:
    """Yield all questions of a set."""
    text = (_FOLDER / f"{name}.tsv").read_text("utf-8")
    rows = [row for row in text.splitlines() if not row.startswith("#")]
    for row in rows[1:]:
        yield Line(*row.split("\t"))


def judge(expected: str, answer: Answer, source: KnowledgeSource) -> str:
    """Return ``right``, ``partly``, ``wrong`` or ``unknown``."""
    if answer.status not in (AnswerStatus.ANSWERED, AnswerStatus.PARTIAL) or not answer.results:
        return "unknown"
    kind, _, rest = expected.partition(":")
    first = answer.results[0].value
    if expected in ("yes", "no"):
        return _word(first is (expected == "yes"))
    if kind == "number":
        low, high = map(float, rest.split(".."))
        amount = getattr(first, "amount", first)
        return _word(not isinstance(amount, EntityValue) and low <= float(str(amount)) <= high)
    if kind == "date":
        years = {str(getattr(item.value, "year", "")) for item in answer.results}
        return _word(bool(years & set(rest.split(";"))))
    given = [_names(item, source) for item in answer.results]
    wanted = [
        {_fold(name) for name in one.split("|")}
        for one in (rest.split(";") if kind in ("all", "some") else [expected])
    ]
    hits = [want for want in wanted if any(want & names for names in given)]
    if kind == "some" or not hits:
        return _word(bool(hits))
    beside = [names for names in given if not any(want & names for want in wanted)]
    if kind == "all":
        return "right" if len(hits) == len(wanted) and not beside else "partly"
    return "right" if len(given) <= _MOST_BESIDE else "partly"


def score(kind: str, name: str = FIRST) -> dict[str, list[str]]:
    """Ask all questions of a kind in a set; return them by how they were answered."""
    with RoboData.open(source=SOURCES[kind], policy="offline") as data:
        return judged(data, [line for line in lines(name) if line.kind == kind])


def judged(data: RoboData, asked: Iterable[Line]) -> dict[str, list[str]]:
    """Ask questions; return them by how they were answered."""
    told: dict[str, list[str]] = {name: [] for name in ("right", "partly", "wrong", "unknown")}
    for line in asked:
        told[judge(line.expected, data.ask(line.question), data.source)].append(line.question)
    return told


def _word(right: bool) -> str:
    return "right" if right else "wrong"


def _names(item: ResultItem, source: KnowledgeSource) -> set[str]:
    names = [item.label]
    if isinstance(item.value, EntityValue):
        names += source.entities([item.value.id])[item.value.id].aliases
    else:
        names.append(str(getattr(item.value, "text", item.value)))
    return {_fold(name) for name in names if name}


def _fold(name: str) -> str:
    text = unicodedata.normalize("NFKD", re.sub(r"\(.*?\)", "", name))
    text = "".join(c for c in text if not unicodedata.combining(c)).casefold()
    return re.sub(r"^(the|a|an) ", "", re.sub(r"[^\w.]+", " ", text).strip())


if __name__ == "__main__":
    asked = sys.argv[1] if sys.argv[1:] else FIRST
    for name in SOURCES:
        outcome = score(name, asked)
        print(name, dict(Counter({key: len(value) for key, value in outcome.items()})))
        for question in outcome["wrong"]:
            print("  wrong:", question)
