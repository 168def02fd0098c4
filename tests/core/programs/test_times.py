"""Comparing times of different precision, checked against spelled-out intervals."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robodata_core.model import TimeValue
from robodata_core.programs.instants import (
    Instant,
    days_in_month,
    slot_end,
    slot_start,
    time_matcher,
)
from robodata_core.programs.steps import Comparison
from tests.core.programs.strategies import times

YEAR_1952 = TimeValue(1952, precision=9)
DAY = TimeValue(1952, 3, 11)
FIFTIES = TimeValue(1950, precision=8)
TWENTIETH = TimeValue(2000, precision=7)


@pytest.mark.parametrize(
    ("time", "comparison", "constraint", "holds"),
    [
        (DAY, Comparison.EQ, YEAR_1952, True),
        (YEAR_1952, Comparison.EQ, DAY, False),
        (DAY, Comparison.NE, YEAR_1952, False),
        (YEAR_1952, Comparison.NE, DAY, False),
        (TimeValue(1953, 1, 1), Comparison.NE, YEAR_1952, True),
        (DAY, Comparison.LT, YEAR_1952, False),
        (DAY, Comparison.LT, TimeValue(1953, precision=9), True),
        (DAY, Comparison.GT, TimeValue(1951, precision=9), True),
        (DAY, Comparison.LE, YEAR_1952, True),
        (DAY, Comparison.GE, YEAR_1952, True),
        (YEAR_1952, Comparison.LT, DAY, False),
        (YEAR_1952, Comparison.GT, DAY, False),
        (YEAR_1952, Comparison.LE, DAY, False),
        (YEAR_1952, Comparison.EQ, FIFTIES, True),
        (TimeValue(1960, precision=9), Comparison.EQ, FIFTIES, False),
        (TimeValue(1959, 12, 31), Comparison.EQ, FIFTIES, True),
        (TimeValue(1901, precision=9), Comparison.EQ, TWENTIETH, True),
        (TimeValue(1900, precision=9), Comparison.EQ, TWENTIETH, False),
        (TimeValue(1900, precision=9), Comparison.LT, TWENTIETH, True),
        (TimeValue(2001, precision=9), Comparison.GT, TWENTIETH, True),
        (FIFTIES, Comparison.EQ, TWENTIETH, True),
        (TimeValue(2000, precision=8), Comparison.EQ, TWENTIETH, False),
        (TimeValue(0, precision=9), Comparison.LT, TimeValue(1, precision=9), True),
        (TimeValue(-43, 3, 15), Comparison.LT, TimeValue(1, precision=7), True),
        (TimeValue(-13_798_000_000, precision=3), Comparison.LT, YEAR_1952, True),
        (TimeValue(5_000_000, precision=3), Comparison.GT, YEAR_1952, False),
        (TimeValue(5_000_000, precision=3), Comparison.GT, TimeValue(1, precision=3), True),
    ],
)
def test_examples(
    time: TimeValue, comparison: Comparison, constraint: TimeValue, holds: bool
) -> None:
    assert time_matcher(comparison, constraint)(time) is holds


def _slot(time: TimeValue) -> tuple[Instant, Instant]:
    instant: Instant = (
        time.year, time.month or 1, time.day or 1, time.hour, time.minute, time.second
    )  # fmt: skip
    return slot_start(instant, time.precision), slot_end(instant, time.precision)


@given(times(), times(), st.sampled_from(Comparison))
def test_comparisons_are_those_of_intervals(
    time: TimeValue, constraint: TimeValue, comparison: Comparison
) -> None:
    (begin, end), (start, stop) = _slot(time), _slot(constraint)
    # Geological times are never after historical ones.
    comparable = time.precision >= 6 or constraint.precision < 6
    before, after = end <= start, comparable and begin >= stop
    not_after, not_before = end <= stop, comparable and begin >= start
    expected = {
        Comparison.LT: before,
        Comparison.GT: after,
        Comparison.LE: not_after,
        Comparison.GE: not_before,
        Comparison.EQ: not_after and not_before,
        Comparison.NE: before or after,
    }
    assert time_matcher(comparison, constraint)(time) is expected[comparison]


@given(st.dates(max_value=date(9998, 12, 31)))
def test_days_follow_each_other_as_in_the_calendar(day: date) -> None:
    after = day + timedelta(days=1)
    assert slot_end((day.year, day.month, day.day, 7, 8, 9), 11) == (
        after.year, after.month, after.day, 0, 0, 0,
    )  # fmt: skip


@given(times())
def test_a_slot_begins_where_it_is_and_ends_later(time: TimeValue) -> None:
    start, end = _slot(time)
    assert start < end
    assert slot_start(start, time.precision) == start
    assert slot_start(end, time.precision) == end


def test_leap_years() -> None:
    assert [days_in_month(year, 2) for year in (1900, 2000, 1952, 1951, 0, -4)] == [
        28, 29, 29, 28, 29, 29,
    ]  # fmt: skip
