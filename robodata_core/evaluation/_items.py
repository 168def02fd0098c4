"""What data sets consist of: questions, dialogues and triples with gold, and how gold is folded."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from robodata_core.model import EntityValue, QuantityValue, ResultItem, TimeValue
from robodata_core.text import normalise_name
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
