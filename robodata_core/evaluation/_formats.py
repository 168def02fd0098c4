"""What data sets consist of, how gold is folded, and the built-in formats.

Items are questions, dialogues and triples with gold; ``datasets`` says what a format is.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from robodata_core.iris import id_from_iri
from robodata_core.model import EntityValue, QuantityValue, ResultItem, TimeValue
from robodata_core.text import normalise_name, parse_json
from robodata_core.values import format_value, iso_time

Task: TypeAlias = Literal["questions", "dialogues", "triples"]


@dataclass(frozen=True, slots=True)
class GoldQuestion:
    """A question with what it should give.

    Attributes:
        id: Unique within its set.
        text: The question.
        gold: Folded ids, labels or literals; empty means that nothing is expected.
        kind: What to group results by (type of question), may be empty.
        hops: How many relations lie between what is named and what is asked; 0 where the set
            does not say.
        topic: Name or id of what the question is about, where the set says; only used to tell
            why an answer went wrong, never shown to whoever answers.
    """

    id: str
    text: str
    gold: frozenset[str]
    kind: str = ""
    hops: int = 0
    topic: str = ""


@dataclass(frozen=True, slots=True)
class GoldDialogue:
    """Questions that build on each other, in order."""

    id: str
    turns: tuple[GoldQuestion, ...]
    kind: str = ""


@dataclass(frozen=True, slots=True)
class GoldTriple:
    """A statement and whether it holds; subject, predicate and object are ids or labels."""

    id: str
    subject: str
    predicate: str
    object: str
    holds: bool
    kind: str = ""


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row of a file that cannot be used: where it is and what is wrong with it."""

    line: int
    problem: str


GoldItem: TypeAlias = GoldQuestion | GoldDialogue | GoldTriple


@dataclass(frozen=True, slots=True)
class Format:
    """A plug-in: how one kind of file becomes items.

    Attributes:
        name: As given with ``--format``.
        task: What its items are.
        read: From the text of a file to items, a ``BadRow`` in place of what cannot be read;
            raises ValueError (or KeyError, TypeError, AttributeError) if nothing fits.
        recognises: Whether a file is of this format, by its name and the beginning of its text.
    """

    name: str
    task: Task
    read: Callable[[str], Iterator[GoldItem | BadRow]]
    recognises: Callable[[str, str], bool] = lambda name, head: False


def keys_of(item: ResultItem) -> frozenset[str]:
    """Return everything a gold set may call this result."""
    value = item.value
    if isinstance(value, (bool, int)):
        return frozenset({str(value).lower()})
    keys = {normalise_name(item.label), fold(item.label)} if item.label else set()
    if isinstance(value, EntityValue):
        keys.add(value.id.lower())
    else:
        keys |= {normalise_name(format_value(value)), fold(format_value(value))}
        if isinstance(value, TimeValue):
            keys.add(iso_time(value))
        if isinstance(value, QuantityValue):
            keys.add(f"{value.amount:f}")
    return frozenset(key for key in keys if key)


_EXACT = re.compile(r"[QP]\d+|\w+://\S+|urn:\S+|[+-]?\d[\d.:TZ-]*", re.IGNORECASE)
_BOOLEANS = {"yes": "true", "no": "false", "true": "true", "false": "false"}


def fold(text: str) -> str:
    """Fold a gold entry like ``keys_of`` folds results: ids, dates and numbers stay exact."""
    text = text.strip()
    if text.lower() in _BOOLEANS:
        return _BOOLEANS[text.lower()]
    return text.lower() if _EXACT.fullmatch(text) else normalise_name(text)


_TRUE: Final = frozenset({"1", "true", "yes", "t", "y"})
_FALSE: Final = frozenset({"0", "-1", "false", "no", "f", "n"})
_WRONG: Final = (KeyError, ValueError, TypeError, AttributeError)
_HOPS: Final = re.compile(r"(\d)[ _-]?hops?")


def formats() -> tuple[Format, ...]:
    """Return the built-in formats, the most particular first."""
    return (
        Format("metaqa", "questions", _metaqa, lambda _, head: head.startswith(_METAQA)),
        Format("qald", "questions", _qald, lambda name, head: name.endswith(".json")),
        Format("triples", "triples", _triples, _looks_like_triples),
        Format("dialogues", "dialogues", _dialogues, _looks_like_dialogues),
        Format("jsonl", "questions", _jsonl, lambda name, _: name.endswith(".jsonl")),
        Format("csv", "questions", _csv, lambda name, _: name.endswith(".csv")),
        Format("tsv", "questions", _tsv, lambda name, _: name.endswith((".tsv", ".txt"))),
    )


_METAQA = "question\ttopic\tanswers"


def _metaqa(text: str) -> Iterator[GoldItem | BadRow]:
    """``question, topic, answers (| between), qtype`` with the topic in square brackets."""

    def _item(row: Mapping[str, str], number: int) -> GoldItem:
        question = re.sub(r"\[(.*)\]", r"\1", row["question"])
        gold = _gold(row["answers"].split("|"))
        kind = row.get("qtype") or ""
        return GoldQuestion(str(number), question, gold, kind, kind.count("_to_"), row["topic"])

    yield from _table(text, "\t", _item)


def _tsv(text: str) -> Iterator[GoldItem | BadRow]:
    """``question, gold (| between), kind`` with a header; # begins a comment, "-" is nothing."""
    yield from _table(text, "\t", _question)


def _csv(text: str) -> Iterator[GoldItem | BadRow]:
    """The same with commas, quoted where needed."""
    yield from _table(text, ",", _question)


def _question(row: Mapping[str, str], number: int) -> GoldQuestion:
    column = "gold" if "gold" in row else "expected"
    parts = (item.strip() for item in row[column].split("|"))
    gold = _gold(item for item in parts if item not in ("", "-"))
    kind = row.get("kind") or ""
    return GoldQuestion(
        row.get("id") or str(number), _text(row["question"]), gold, kind, _hops(row, kind)
    )


def _triples(text: str) -> Iterator[GoldItem | BadRow]:
    """``subject, predicate, object, label`` (or ``head, relation, tail``), label 1 or 0."""

    def _item(row: Mapping[str, str], number: int) -> GoldItem:
        terms = [_text(_first(row, *names)) for names in _TERMS]
        label = _first(row, "label", "holds").strip().lower()
        if label not in _TRUE | _FALSE:
            raise ValueError(f"the label is {label!r}, not 1 or 0")
        kind = row.get("kind") or row.get("relation_label") or terms[1]
        id_ = row.get("id") or str(number)
        return GoldTriple(id_, terms[0], terms[1], terms[2], label in _TRUE, kind)

    if text.lstrip().startswith("{"):
        yield from _objects(text, lambda row, number: _item(_strings(row), number))
    else:
        comma = "," if "\t" not in text.split("\n", 1)[0] else "\t"
        yield from _table(text, comma, _item)


_TERMS: Final = (("subject", "head"), ("predicate", "relation"), ("object", "tail"))


def _looks_like_triples(_: str, head: str) -> bool:
    first = next((line for line in head.splitlines() if line and line[0] != "#"), "")
    names = set(re.split(r"[\t,]", first)) | set(re.findall(r'"(\w+)"\s*:', first))
    return all(any(name in names for name in term) for term in _TERMS)


def _looks_like_dialogues(name: str, head: str) -> bool:
    return name.endswith(".jsonl") and '"turns"' in head.split("\n", 1)[0]


def _jsonl(text: str) -> Iterator[GoldItem | BadRow]:
    """One object a line: ``id``, ``question``, ``gold`` (a list), ``kind``, ``hops``."""
    yield from _objects(text, _question_object)


def _question_object(row: Mapping[str, Any], number: int | str) -> GoldQuestion:
    given = row["gold"]
    if not isinstance(given, list):
        raise ValueError("gold is no list")
    kind = str(row.get("kind") or "")
    id_ = str(row.get("id", number))
    return GoldQuestion(
        id_, _text(row["question"]), _gold(map(str, given)), kind, _hops(row, kind),
        str(row.get("topic") or ""),
    )  # fmt: skip


def _dialogues(text: str) -> Iterator[GoldItem | BadRow]:
    """One object a line: ``id``, ``turns`` (each ``question`` and ``gold``), ``kind``."""

    def _item(row: Mapping[str, Any], number: int) -> GoldItem:
        id_, kind = str(row.get("id", number)), str(row.get("kind") or "")
        if not isinstance(row["turns"], list) or not row["turns"]:
            raise ValueError("there are no turns")
        turns = []
        for place, turn in enumerate(row["turns"], 1):
            given = {"kind": kind, **turn, "id": f"{id_}.{place}"}
            turns.append(_question_object(given, place))
        return GoldDialogue(id_, tuple(turns), kind)

    yield from _objects(text, _item)


def _qald(text: str) -> Iterator[GoldItem | BadRow]:
    """QALD JSON: English question strings, answers as SPARQL results."""
    for number, item in enumerate(parse_json(text)["questions"], 1):
        try:
            texts = [part["string"] for part in item["question"] if part.get("language") == "en"]
            if texts:
                gold, kind = _qald_gold(item.get("answers") or ())
                yield GoldQuestion(str(item["id"]), _text(texts[0]), gold, kind)
        except _WRONG as error:
            yield BadRow(number, _problem(error))


def _qald_gold(answers: Any) -> tuple[frozenset[str], str]:
    gold: set[str] = set()
    kind = "set"
    for answer in answers:
        if "boolean" in answer:
            gold.add(str(answer["boolean"]).lower())
            kind = "boolean"
        for binding in (answer.get("results") or {}).get("bindings", ()):
            gold |= {_binding(cell) for cell in binding.values()}
    return frozenset(gold), kind


def _binding(cell: Mapping[str, Any]) -> str:
    value = str(cell["value"])
    if cell.get("type") == "uri":
        return id_from_iri(value).lower()
    if str(cell.get("datatype", "")).endswith("dateTime"):
        return value.split("T")[0]
    return fold(value)


def _table(
    text: str, comma: str, item: Callable[[Mapping[str, str], int], GoldItem]
) -> Iterator[GoldItem | BadRow]:
    """Read lines under a header; numbers count data rows from 1."""
    lines = [
        (number, line)
        for number, line in enumerate(_lines(text), 1)
        if line.strip() and not line.startswith("#")
    ]
    if not lines:
        return
    header = _cells(lines[0][1], comma)
    for place, (number, line) in enumerate(lines[1:], 1):
        try:
            cells = _cells(line, comma)
            yield item(dict(zip(header, cells, strict=False)), place)
        except _WRONG as error:
            yield BadRow(number, _problem(error))


def _cells(line: str, comma: str) -> list[str]:
    if comma == "\t":
        return line.split("\t")
    try:
        return next(csv.reader(io.StringIO(line)), [])
    except csv.Error as error:
        raise ValueError(str(error)) from error


def _lines(text: str) -> list[str]:
    """Split at line ends alone: other separators may stand inside a question."""
    return [line.removesuffix("\r") for line in text.split("\n")]


def _objects(
    text: str, item: Callable[[Mapping[str, Any], int], GoldItem]
) -> Iterator[GoldItem | BadRow]:
    for number, line in enumerate(_lines(text), 1):
        if line.strip() and not line.startswith("#"):
            try:
                row = parse_json(line)
                if not isinstance(row, dict):
                    raise ValueError("the line is no JSON object")
                yield item(row, number)
            except (*_WRONG, RecursionError) as error:
                yield BadRow(number, _problem(error))


def _problem(error: BaseException) -> str:
    if isinstance(error, KeyError):
        return f"there is no {error.args[0] if error.args else '?'}"
    return " ".join(str(error).split())[:200] or type(error).__name__


def _text(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError("a text that must be there is empty")
    return value.strip()


def _gold(items: Any) -> frozenset[str]:
    return frozenset(key for item in items if (key := fold(item)))


def _first(row: Mapping[str, str], *names: str) -> str:
    for name in names:
        if name in row:
            return row[name]
    raise KeyError(names[0])


def _strings(row: Mapping[str, Any]) -> dict[str, str]:
    return {name: value if isinstance(value, str) else str(value) for name, value in row.items()}


def _hops(row: Mapping[str, Any], kind: str) -> int:
    """Return the hops a row gives, or those that its kind names ("2hop")."""
    given = str(row.get("hops") or "")
    match = _HOPS.fullmatch(kind.strip().lower())
    return int(given) if given.isdecimal() else int(match[1]) if match else 0
