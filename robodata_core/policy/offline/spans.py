"""Spans of time that words behind a question stand for: "yesterday", "two hours ago".

By the clock of those who see. Nothing of a graph is known here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime, timezone
from functools import lru_cache
from typing import Final

from robodata_core.model import TimeValue
from robodata_core.policy.offline.forms import Form, read_forms
from robodata_core.policy.offline.literals import read_time
from robodata_core.policy.offline.question import analyse
from robodata_core.policy.offline.tables import packaged, units
from robodata_core.policy.offline.words import number_of
from robodata_core.programs.instants import instant_of

__all__ = ["UNTIMED", "Span", "seconds_of", "span_of", "stretch"]

UNTIMED: Final = "What time it is is not known: nothing was seen since the start."
_SECOND: Final = "second"
_DAY: Final = 86_400
#: Precision of a date that is written out: the day.
_TO_THE_DAY: Final = 11


@dataclass(frozen=True, slots=True)
class Span:
    """A span of time, seconds since 1970.

    Attributes:
        start: Its first second.
        end: Its last one.
        lasting: Whether all of it is meant, up to now ("since yesterday"), not a part of it.
    """

    start: float = -math.inf
    end: float = math.inf
    lasting: bool = False

    @property
    def is_bounded(self) -> bool:
        """Whether a certain time is meant."""
        return math.isfinite(self.start)


def span_of(words: str, now: float | None) -> Span | None:
    """Return the span of time that some words stand for; None for words that stand for none.

    Args:
        words: Words behind what is asked.
        now: What time it is; None: not known, so that nothing is read that hangs on it.
    """
    for form in _forms():
        for read in form.each(words):
            kind, *parts = read.split(";")
            found = Span() if kind == "ever" else _dated(*parts) if kind == "date" else None
            if kind == "since":
                begun = span_of(parts[0], now)
                found = begun and Span(begun.start, math.inf if now is None else now, lasting=True)
            elif now is not None and found is None and kind != "date":
                found = _day(now, int(parts[0])) if kind == "day" else _since(now, kind, *parts)
            if found is not None:
                return found
    return None


def _day(now: float, before: int) -> Span:
    start = (now // _DAY - before) * _DAY
    return Span(start, min(start + _DAY - 1, now))


def _since(now: float, kind: str, number: str, unit: str) -> Span | None:
    amount, size = number_of(number), units().get(unit)
    if amount is None or size is None or size[0] != _SECOND:
        return None
    length = float(size[1])
    if kind == "past":
        return Span(now - float(amount) * length, now)
    if length >= _DAY and amount == int(amount):
        return _day(now, int(amount) * round(length / _DAY))
    at = now - float(amount) * length
    return Span(at - length / 2, min(at + length / 2, now))


def _dated(words: str) -> Span | None:
    tokens = analyse(words).tokens
    read = read_time(tokens, 0, len(tokens))
    if read is None or read[1] != len(tokens) or read[0].precision != _TO_THE_DAY:
        return None
    start = seconds_of(read[0])
    return Span(start, start + _DAY - 1)


def seconds_of(value: TimeValue) -> float:
    """Return a time in seconds since 1970."""
    return datetime(*instant_of(value), tzinfo=timezone.utc).timestamp()


def stretch(seconds: float) -> str:
    """Return a time in words, in its largest whole units."""
    for unit, size in (("day", _DAY), ("hour", 3_600), ("minute", 60)):
        if seconds >= 2 * size:
            return f"{int(seconds // size)} {unit}s"
    return f"{max(0, int(seconds))} seconds"


@lru_cache(maxsize=1)
def _forms() -> tuple[Form, ...]:
    return tuple(read_forms(packaged("past.tsv")))
