"""Times as intervals: when a time known to some precision is certainly before or after another.

A time of precision ``p`` is one slot of a grid: a year, a decade (1950 to 1959), a century
(1901 to 2000)... An *instant* is (year, month, day, hour, minute, second) and orders as a tuple.
Executor and compiler both work with the thresholds of ``Bounds``, so that they cannot disagree.
Calendars are not converted: Wikidata's RDF is proleptic Gregorian already.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from robodata_core.model import TimeValue
from robodata_core.programs.comparison import Comparison

__all__ = [
    "Bounds",
    "Instant",
    "bounds_of",
    "days_in_month",
    "instant_of",
    "slot_end",
    "slot_start",
    "time_matcher",
]

Instant: TypeAlias = tuple[int, int, int, int, int, int]

_SECOND: Final = 14
_YEAR: Final = 9
_MILLENNIUM: Final = 6
_MONTH_DAYS: Final = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_FIRST: Final = (0, 1, 1, 0, 0, 0)


def days_in_month(year: int, month: int) -> int:
    """Return the number of days of a month, 1 to 12, in the proleptic Gregorian calendar."""
    leap = month == 2 and year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return _MONTH_DAYS[month - 1] + leap


def instant_of(time: TimeValue) -> Instant:
    """Return the instant a time's direct triple writes: unknown months and days are 1."""
    return (time.year, time.month or 1, time.day or 1, time.hour, time.minute, time.second)


def slot_start(instant: Instant, precision: int) -> Instant:
    """Return when the slot of ``precision`` that holds ``instant`` begins."""
    if precision >= _YEAR:
        known = precision - _YEAR + 1
        return (*instant[:known], *_FIRST[known:])  # type: ignore[return-value]
    width = 10 ** (_YEAR - precision)
    # Centuries and millennia count from year 1, decades and geological ages from 0.
    first = 1 if precision in (6, 7) else 0
    year = (instant[0] - first) // width * width + first
    return (year, 1, 1, 0, 0, 0)


def slot_end(instant: Instant, precision: int) -> Instant:
    """Return when the slot after the one that holds ``instant`` begins."""
    start = slot_start(instant, precision)
    if precision < _YEAR:
        return (start[0] + 10 ** (_YEAR - precision), 1, 1, 0, 0, 0)
    parts = list(start)
    place = precision - _YEAR
    parts[place] += 1
    while place > 0 and parts[place] > _largest(parts, place):
        parts[place] = _FIRST[place]
        place -= 1
        parts[place] += 1
    return tuple(parts)  # type: ignore[return-value]


def _largest(parts: list[int], place: int) -> int:
    if place == 2:
        return days_in_month(parts[0], parts[1])
    return (0, 12, 0, 23, 59, 59)[place]


def _slot_start_from(instant: Instant, precision: int) -> Instant:
    """Return when the first slot begins that does not begin before ``instant``."""
    start = slot_start(instant, precision)
    return start if start == instant else slot_end(instant, precision)


@dataclass(frozen=True, slots=True)
class Bounds:
    """What holds of a time of precision ``p``, written as instant ``v``, against a constraint.

    ``v < below(p)`` and ``v >= above(p)`` are the two tests; None means that it never holds.

    Attributes:
        comparison: How the time is compared.
        start: When the constraint's slot begins.
        end: When it is over.
        precision: The constraint's own precision.
    """

    comparison: Comparison
    start: Instant
    end: Instant
    precision: int

    def before(self, precision: int, *, inclusive: bool) -> Instant:
        """Return the threshold under which a slot is over by ``start`` (or by ``end``)."""
        return slot_start(self.end if inclusive else self.start, precision)

    @property
    def coarsest_after(self) -> int:
        """The coarsest precision of times that can be after the constraint."""
        return _MILLENNIUM if self.precision >= _MILLENNIUM else 0

    def after(self, precision: int, *, inclusive: bool) -> Instant | None:
        """Return the threshold from which a slot begins at ``end`` (or ``start``) or later."""
        if precision < self.coarsest_after:
            return None
        return _slot_start_from(self.start if inclusive else self.end, precision)

    def range_of(self, precision: int) -> tuple[Instant | None, Instant | None]:
        """Return ``(before, after)``, inclusive as the comparison asks."""
        inclusive = self.comparison in (Comparison.LE, Comparison.GE, Comparison.EQ)
        before = self.before(precision, inclusive=inclusive)
        return before, self.after(precision, inclusive=inclusive)


def time_matcher(comparison: Comparison, constraint: TimeValue) -> Callable[[TimeValue], bool]:
    """Return a test whether a time certainly compares with ``constraint`` as asked."""
    bounds = bounds_of(comparison, constraint)
    ranges = [bounds.range_of(precision) for precision in range(_SECOND + 1)]

    def _is_before(time: TimeValue) -> bool:
        before = ranges[max(0, min(time.precision, _SECOND))][0]
        return before is not None and instant_of(time) < before

    def _is_after(time: TimeValue) -> bool:
        after = ranges[max(0, min(time.precision, _SECOND))][1]
        return after is not None and instant_of(time) >= after

    if comparison in (Comparison.LT, Comparison.LE):
        return _is_before
    if comparison in (Comparison.GT, Comparison.GE):
        return _is_after
    if comparison is Comparison.EQ:
        return lambda time: _is_before(time) and _is_after(time)
    return lambda time: _is_before(time) or _is_after(time)


def bounds_of(comparison: Comparison, time: TimeValue) -> Bounds:
    """Return the bounds of a constraint on times."""
    instant = instant_of(time)
    return Bounds(
        comparison,
        slot_start(instant, time.precision),
        slot_end(instant, time.precision),
        time.precision,
    )
