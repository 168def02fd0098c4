"""How certain reckoning with times is: a time known to the year alone is any day of that year."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from robodata_core.model import Direction, Statement, TimeValue
from robodata_core.policy.offline.solved import Failure, Solved
from robodata_core.programs.calendar import day_number, whole_years
from robodata_core.programs.executor import Executor
from robodata_core.programs.instants import (
    Instant,
    days_in_month,
    instant_of,
    slot_end,
    slot_start,
)
from robodata_core.programs.steps import Comparison, Follow

__all__ = [
    "Span",
    "Spans",
    "certainly",
    "overlap",
    "owner_of",
    "range_between",
    "years_later",
]

_DAY: Final = 11


@dataclass(frozen=True, slots=True)
class Span:
    """A life in days: the least and most it may have been, by how precise its dates are."""

    least: int
    most: int
    stated: tuple[Statement, Statement]

    @classmethod
    def of(cls, first: Statement, last: Statement) -> Span:
        """Return the span between two statements of times."""
        assert isinstance(first.value, TimeValue) and isinstance(last.value, TimeValue)
        low, high = range_between(first.value, last.value, "days")
        return cls(low, high, (first, last))


#: Spans by what has them.
Spans = dict[str, Span]


def overlap(spans: Spans, long: bool) -> bool:
    """Tell whether it is not certain which life was the longest (or shortest)."""
    if long:
        best = max(spans.values(), key=lambda one: one.least)
        return any(one.most > best.least for one in spans.values() if one is not best)
    best = min(spans.values(), key=lambda one: one.most)
    return any(one.least < best.most for one in spans.values() if one is not best)


def range_between(begin: TimeValue, end: TimeValue, unit: str) -> tuple[int, int]:
    """Return the least and most of the time between two times, by how precise they are."""
    (first, latest), (last, late) = _bounds(begin), _bounds(end)
    if unit == "years":
        return whole_years(latest, last), whole_years(first, late)
    return day_number(last) - day_number(latest), day_number(late) - day_number(first)


def _bounds(time: TimeValue) -> tuple[Instant, Instant]:
    """Return the first and the last day of a time."""
    instant = instant_of(time)
    start = slot_start(instant, min(time.precision, _DAY))
    end = slot_end(instant, min(time.precision, _DAY))
    if time.precision >= _DAY:
        return start, start
    year, month = (end[0], end[1] - 1) if end[1] > 1 else (end[0] - 1, 12)
    return start, (year, month, days_in_month(year, month), 0, 0, 0)


def certainly(stated: TimeValue, comparison: Comparison, time: TimeValue) -> bool | None:
    """Tell whether a time compares so; None where that is not certain."""
    (first, last), (begin, end) = _bounds(stated), _bounds(time)
    if comparison is Comparison.LE:
        return True if last <= end else False if first > end else None
    if comparison is Comparison.GE:
        return True if first >= begin else False if last < begin else None
    if comparison is Comparison.LT:
        return True if last < begin else False if first >= begin else None
    return True if first > end else False if last <= end else None


def years_later(time: TimeValue, years: int) -> TimeValue:
    """Return the day some years later; the 29th of February is the 1st of March elsewhere."""
    year = time.year + years
    if time.day > days_in_month(year, time.month):
        return TimeValue(year, time.month + 1, 1)
    return TimeValue(year, time.month, time.day)


def owner_of(found: Solved | Failure, executor: Executor) -> Solved | Failure:
    """Return whose time was found: the set before the last step."""
    if isinstance(found, Failure):
        return found
    last = found.candidate.steps[-1]
    if not isinstance(last, Follow) or last.direction is not Direction.OUT:
        return Failure("Whose lives are compared was not understood.", unread=True)
    candidate = replace(
        found.candidate, steps=found.candidate.steps[:-1], out=last.source,
        edges=found.candidate.edges[:-1],
    )  # fmt: skip
    return found.then(candidate, executor)
