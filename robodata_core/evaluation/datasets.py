"""Question sets as plug-ins: each format is a function from a file to questions with gold.

Gold is a set of keys (ids, labels or literals as text, folded), so that sets that know only
names and sets that know ids are scored by one rule.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from robodata_core.errors import ConfigurationError
from robodata_core.iris import id_from_iri
from robodata_core.model import EntityValue, QuantityValue, ResultItem, TimeValue
from robodata_core.text import normalise_name
from robodata_core.values import format_value, iso_time

__all__ = ["FORMATS", "GoldQuestion", "keys_of", "load_questions"]

_MOST_BYTES: Final = 500_000_000


@dataclass(frozen=True, slots=True)
class GoldQuestion:
    """A question with what it should give.

    Attributes:
        id: Unique within its set.
        text: The question.
        gold: Folded ids, labels or literals; empty means that nothing is expected.
        kind: What to group results by (hops, type), may be empty.
    """

    id: str
    text: str
    gold: frozenset[str]
    kind: str = ""


def keys_of(item: ResultItem) -> frozenset[str]:
    """Return everything a gold set may call this result."""
    value = item.value
    if isinstance(value, (bool, int)):
        return frozenset({str(value).lower()})
    keys = {normalise_name(item.label), _fold(item.label)} if item.label else set()
    if isinstance(value, EntityValue):
        keys.add(value.id.lower())
    else:
        keys |= {normalise_name(format_value(value)), _fold(format_value(value))}
        if isinstance(value, TimeValue):
            keys.add(iso_time(value))
        if isinstance(value, QuantityValue):
            keys.add(f"{value.amount:f}")
    return frozenset(key for key in keys if key)


def load_questions(path: str | Path, format_: str = "") -> tuple[GoldQuestion, ...]:
    """Read a question set.

    Args:
        path: File, possibly gzipped.
        format_: One of ``FORMATS``; empty guesses from name and content.

    Raises:
        ConfigurationError: If the file cannot be read or has another shape.
    """
    path = Path(path)
    try:
        with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as file:
            raw = file.read(_MOST_BYTES + 1)
        text = raw.decode("utf-8")
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"The questions in {path} cannot be read: {error}.") from error
    if len(raw) > _MOST_BYTES:
        raise ConfigurationError(f"The question set {path} is too large.")
    reader = FORMATS.get(format_ or _guess(path, text))
    if reader is None:
        known = ", ".join(FORMATS)
        raise ConfigurationError(f"There is no format {format_!r}.", hint=f"Known: {known}.")
    try:
        questions = tuple(reader(text))
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise ConfigurationError(
            f"The questions in {path} do not have the shape they should have: {error!r}."
        ) from error
    if not questions:
        raise ConfigurationError(f"There are no questions in {path}.")
    return questions


def _guess(path: Path, text: str) -> str:
    name = path.name.removesuffix(".gz")
    if name.endswith(".jsonl"):
        return "jsonl"
    if name.endswith(".json"):
        return "qald"
    return "metaqa" if text.startswith("question\ttopic\tanswers") else "tsv"


def _metaqa(text: str) -> Iterator[GoldQuestion]:
    """``question, topic, answers (| between), qtype`` with the topic in square brackets."""
    rows = csv.DictReader(io.StringIO(text), delimiter="\t", quoting=csv.QUOTE_NONE)
    for number, row in enumerate(rows, 1):
        question = re.sub(r"\[(.*)\]", r"\1", row["question"])
        gold = frozenset(_fold(item) for item in row["answers"].split("|"))
        yield GoldQuestion(str(number), question, gold, row.get("qtype") or "")


def _tsv(text: str) -> Iterator[GoldQuestion]:
    """``question, gold (| between), kind`` with a header; # begins a comment, "-" is nothing."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    rows = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
    for number, row in enumerate(rows, 1):
        given = row.get("gold") or row.get("expected") or ""
        parts = (item.strip() for item in given.split("|"))
        gold = frozenset(_fold(item) for item in parts if item not in ("", "-"))
        kind = row.get("kind") or ""
        yield GoldQuestion(row.get("id") or str(number), row["question"], gold, kind)


def _jsonl(text: str) -> Iterator[GoldQuestion]:
    """One object a line: ``id``, ``question``, ``gold`` (a list), ``kind``."""
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            row = json.loads(line)
            gold = frozenset(_fold(str(item)) for item in row["gold"])
            yield GoldQuestion(
                str(row.get("id", number)), row["question"], gold, str(row.get("kind", ""))
            )


def _qald(text: str) -> Iterator[GoldQuestion]:
    """QALD JSON: English question strings, answers as SPARQL results."""
    for item in json.loads(text)["questions"]:
        english = [part["string"] for part in item["question"] if part.get("language") == "en"]
        if not english:
            continue
        gold: set[str] = set()
        kind = "set"
        for answer in item.get("answers") or ():
            if "boolean" in answer:
                gold.add(str(answer["boolean"]).lower())
                kind = "boolean"
            for binding in (answer.get("results") or {}).get("bindings", ()):
                gold |= {_binding(cell) for cell in binding.values()}
        yield GoldQuestion(str(item["id"]), english[0], frozenset(gold), kind)


def _binding(cell: Mapping[str, Any]) -> str:
    value = str(cell["value"])
    if cell.get("type") == "uri":
        return id_from_iri(value).lower()
    if str(cell.get("datatype", "")).endswith("dateTime"):
        return value.split("T")[0]
    return _fold(value)


_EXACT = re.compile(r"[QP]\d+|\w+://\S+|urn:\S+|[+-]?\d[\d.:TZ-]*", re.IGNORECASE)
_BOOLEANS = {"yes": "true", "no": "false", "true": "true", "false": "false"}


def _fold(text: str) -> str:
    """Fold a gold entry like ``keys_of`` folds results: ids, dates and numbers stay exact."""
    text = text.strip()
    if text.lower() in _BOOLEANS:
        return _BOOLEANS[text.lower()]
    return text.lower() if _EXACT.fullmatch(text) else normalise_name(text)


FORMATS: Final[Mapping[str, Callable[[str], Iterator[GoldQuestion]]]] = MappingProxyType(
    {"metaqa": _metaqa, "tsv": _tsv, "jsonl": _jsonl, "qald": _qald}
)
