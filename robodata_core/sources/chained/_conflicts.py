"""Where sources differ about the same property of the same entity.

Plain facts cannot contradict each other (a person has several children), so the rule is about
whole lists: two sources differ if each gives values and no value of one agrees with a value of the
other. Values agree where they say the same as far as both say anything: a year agrees with a day
in it, a number with the same number without a unit.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from robodata_core.model import (
    ExternalIdValue,
    MonolingualTextValue,
    QuantityValue,
    Statement,
    StatementPage,
    StringValue,
    TimeValue,
    UrlValue,
    Value,
)

_MOST_REMEMBERED: Final = 20_000
_DAY: Final = 11


@dataclass(frozen=True, slots=True)
class Conflict:
    """Sources that give the same property of the same entity values that do not agree.

    Attributes:
        subject: The entity.
        property: The property.
        statements: What each source says.
    """

    subject: str
    property: str
    statements: tuple[Statement, ...]


def find_conflicts(statements: Iterable[Statement]) -> tuple[Conflict, ...]:
    """Return where sources differ: no value of one agrees with a value of the other."""
    groups: dict[tuple[str, str], dict[str, list[Statement]]] = {}
    for item in statements:
        sources = groups.setdefault((item.subject, item.property), {})
        sources.setdefault(item.source, []).append(item)
    found = []
    for (subject, name), sources in groups.items():
        lists = list(sources.values())
        pairs = ((a, b) for i, a in enumerate(lists) for b in lists[i + 1 :])
        if any(not _overlap(a, b) for a, b in pairs):
            said = tuple(item for made in lists for item in made)
            found.append(Conflict(subject, name, said))
    return tuple(found)


def _overlap(one: Iterable[Statement], other: Iterable[Statement]) -> bool:
    values = {item.value for item in other}
    mine = {item.value for item in one}
    if not values.isdisjoint(mine):
        return True
    return any(agree(a, b) for a in mine for b in values)


def agree(one: Value, other: Value) -> bool:
    """Tell whether two values say the same as far as both say anything."""
    if one == other:
        return True
    if isinstance(one, TimeValue) and isinstance(other, TimeValue):
        precision = min(one.precision, other.precision, _DAY)
        return _moment(one, precision) == _moment(other, precision)
    if isinstance(one, QuantityValue) and isinstance(other, QuantityValue):
        units = {one.unit, other.unit} - {None}
        return one.amount == other.amount and len(units) < 2
    mine, theirs = _text(one), _text(other)
    return bool(mine) and mine == theirs


def _moment(time: TimeValue, precision: int) -> tuple[int, ...]:
    """Return the parts of a moment that a precision leaves: 9 is a year, 10 a month, 11 a day."""
    if precision < 9:
        return (time.year // 10 ** (9 - precision),)
    return (time.year, time.month, time.day)[: precision - 8]


def _text(value: Value) -> str:
    if isinstance(value, (StringValue, MonolingualTextValue, ExternalIdValue)):
        return value.text.casefold().strip()
    return value.url if isinstance(value, UrlValue) else ""


class Heard:
    """What sources have said, as far as they were asked for a whole list. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._said: OrderedDict[tuple[str, str], dict[Statement, None]] = OrderedDict()

    def listen(self, page: StatementPage) -> None:
        """Remember a page of outgoing statements, unless it is a part of a list."""
        if len(page.statements) != page.total:
            return
        with self._lock:
            for item in page.statements:
                key = (item.subject, item.property)
                self._said.setdefault(key, {})[item] = None
                self._said.move_to_end(key)
            while len(self._said) > _MOST_REMEMBERED:
                self._said.popitem(last=False)

    def about(self, subject: str, property_: str) -> tuple[Statement, ...]:
        """Return what was said about a property of an entity."""
        with self._lock:
            return tuple(self._said.get((subject, property_), ()))
