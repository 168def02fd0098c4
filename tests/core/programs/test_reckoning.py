"""Steps that reckon: dates, sums, and the sizes of sets, with the statements they rest on."""

from __future__ import annotations

import datetime
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robodata_core.errors import ProgramError
from robodata_core.model import Direction, EntityValue, QuantityValue, TimeValue
from robodata_core.programs.calendar import day_number, whole_years
from robodata_core.programs.check import check
from robodata_core.programs.describe import describe
from robodata_core.programs.executor import execute
from robodata_core.programs.steps import (
    Aggregate,
    Coarsen,
    Comparison,
    Count,
    Elapsed,
    End,
    ExtremeCount,
    ExtremeSpan,
    FilterByCount,
    Follow,
    Function,
    JudgeSize,
    Program,
    Start,
    Step,
    Stretch,
)
from tests.core.programs.graphs import GraphSource, named, statement

BORN, DIED, HEIGHT, CHILD = "P1", "P2", "P3", "P4"
GRAPH = GraphSource(
    [
        statement("Q1", BORN, TimeValue(1927, 1, 30)),
        statement("Q1", DIED, TimeValue(1986, 2, 28)),
        statement("Q2", BORN, TimeValue(1952, 3, 11)),
        statement("Q2", DIED, TimeValue(2001, 5, 11)),
        statement("Q3", BORN, TimeValue(1899, precision=9)),
        statement("Q1", HEIGHT, QuantityValue(Decimal("1.5"), "Q9")),
        statement("Q2", HEIGHT, QuantityValue(Decimal("2"), "Q9")),
        statement("Q3", HEIGHT, QuantityValue(Decimal("2"), "Q9")),
        statement("Q1", CHILD, "Q4"),
        statement("Q1", CHILD, "Q5"),
        statement("Q2", CHILD, "Q6"),
        statement("Q4", CHILD, "Q6"),
    ]
)
ALL = Start("s", tuple(EntityValue(f"Q{number}") for number in range(1, 7)))
ONE = Start("s", (EntityValue("Q1"),))


def test_a_number_of_what_counts_rests_on_why_it_counts() -> None:
    """With one child alone that has children, "at least one such child" rests on that, too."""
    having = FilterByCount("p", "c", (CHILD,), Direction.OUT, Comparison.GE, 1)
    number = FilterByCount("n", "s", (CHILD,), Direction.OUT, Comparison.GE, 1, "p")
    result = execute(Program((ONE, Follow("c", "s", (CHILD,)), having, number, End("n"))), GRAPH)
    assert result.members == (EntityValue("Q1"),)
    assert {(one.subject, one.property) for one in result.evidence} == {
        ("Q1", CHILD), ("Q4", CHILD),
    }  # fmt: skip
    assert EntityValue("Q6") in {one.value for one in result.evidence}


def test_an_age_rests_on_both_dates() -> None:
    steps: tuple[Step, ...] = (ONE, Follow("b", "s", (BORN,)), Follow("d", "s", (DIED,)))
    program = Program((*steps, Elapsed("n", "b", "d", Stretch.YEARS), End("n")))
    result = execute(program, GRAPH)
    assert result.values == (QuantityValue(Decimal(59)),)
    assert {one.property for one in result.support(result.values[0])} == {BORN, DIED}
    backwards = Program((*steps, Elapsed("n", "d", "b", Stretch.YEARS), End("n")))
    assert execute(backwards, GRAPH).values == ()


def test_the_longest_life_is_of_those_with_both_dates() -> None:
    result = execute(Program((ALL, ExtremeSpan("n", "s", BORN, DIED, True), End("n"))), GRAPH)
    assert named(result.values) == ["Q1"]
    assert len(result.evidence) == 2


@pytest.mark.parametrize(
    ("precision", "expected"),
    [
        (9, {TimeValue(year, precision=9) for year in (1927, 1952, 1899)}),
        (10, {TimeValue(1927, 1, precision=10), TimeValue(1952, 3, precision=10)}),
        (8, {TimeValue(year, precision=8) for year in (1920, 1950, 1890)}),
        (7, {TimeValue(1901, precision=7), TimeValue(1801, precision=7)}),
    ],
)  # fmt: skip
def test_times_are_told_to_a_precision(precision: int, expected: set[TimeValue]) -> None:
    result = execute(Program((ALL, Coarsen("n", "s", BORN, precision), End("n"))), GRAPH)
    assert set(result.values) == expected


def test_equal_heights_of_two_both_count() -> None:
    for function, amount in ((Function.AVERAGE, "1.833333"), (Function.SUM, "5.5")):
        result = execute(Program((ALL, Aggregate("n", "s", HEIGHT, function), End("n"))), GRAPH)
        assert result.values == (QuantityValue(Decimal(amount), "Q9"),)
        assert len(result.evidence) == 3


def test_the_most_of_all_there_is_needs_no_set() -> None:
    step = ExtremeCount("n", "", (CHILD,), Direction.OUT, True)
    assert named(execute(Program((step, End("n"))), GRAPH).values) == ["Q1"]
    inwards = replace(step, direction=Direction.IN)
    assert named(execute(Program((inwards, End("n"))), GRAPH).values) == ["Q6"]
    among = Program((Start("a", (EntityValue("Q6"),)), replace(step, among="a"), End("n")))
    assert set(named(execute(among, GRAPH).values)) == {"Q2", "Q4"}


def test_all_that_share_the_first_place_are_found_however_many() -> None:
    many = GraphSource([statement(f"Q{number}", CHILD, "Q999") for number in range(1, 260)])
    step = ExtremeCount("n", "", (CHILD,), Direction.OUT, True)
    assert len(execute(Program((step, End("n"))), many).values) == 259


def test_a_set_to_count_of_is_not_one_to_count_among() -> None:
    start = Start("a", (EntityValue("Q2"), EntityValue("Q6")))
    of = ExtremeCount("n", "a", (CHILD,), Direction.OUT, True)
    among = ExtremeCount("m", "", (CHILD,), Direction.OUT, True, "a")
    assert named(execute(Program((start, of, End("n"))), GRAPH).values) == ["Q2"]
    found = execute(Program((start, of, among, End("m"))), GRAPH)
    assert set(named(found.values)) == {"Q2", "Q4"}


def test_by_how_much_a_set_is_larger() -> None:
    first, second = EntityValue("Q1"), EntityValue("Q2")
    sets: tuple[Step, ...] = (
        Start("x", (first,)), Follow("c", "x", (CHILD,)),
        Start("y", (second,)), Follow("d", "y", (CHILD,)),
    )  # fmt: skip
    more = execute(Program((*sets, Count("n", "c", "d"), End("n"))), GRAPH)
    assert more.number == 1
    assert len(more.evidence) == 3
    less = execute(Program((*sets, Count("n", "d", "c"), End("n"))), GRAPH)
    assert less.number == -1
    judged = Program((*sets, JudgeSize("n", "c", Comparison.GT, 0, "d"), End("n")))
    assert judged.needs_everything
    assert execute(judged, GRAPH).boolean is True
    assert execute(judged, GRAPH).evidence == more.evidence


def test_what_both_sets_have_is_shown_of_both() -> None:
    steps: tuple[Step, ...] = (
        Start("x", (EntityValue("Q2"),)), Follow("c", "x", (CHILD,)),
        Start("y", (EntityValue("Q4"),)), Follow("d", "y", (CHILD,)),
    )  # fmt: skip
    same = execute(Program((*steps, JudgeSize("n", "c", Comparison.EQ, 0, "d"), End("n"))), GRAPH)
    assert same.boolean is True
    assert [one.subject for one in same.evidence] == ["Q2", "Q4"]


_DATES = st.dates(datetime.date(1, 1, 1), datetime.date(9999, 12, 31))


@given(_DATES, _DATES)
def test_days_are_those_of_the_calendar(first: datetime.date, last: datetime.date) -> None:
    one, other = ((d.year, d.month, d.day, 0, 0, 0) for d in (first, last))
    assert day_number(other) - day_number(one) == (last - first).days
    years = whole_years(one, other)
    if first <= last and (first.month, first.day) != (2, 29) and first.year + years < 9999:
        assert first.replace(year=first.year + years) <= last
        assert last < first.replace(year=first.year + years + 1)


@pytest.mark.parametrize(
    ("step", "complaint"),
    [
        (Coarsen("n", "s", BORN, 14), "not a precision"),
        (ExtremeSpan("n", "s", "Q1", DIED, True), "does not name a property"),
        (Elapsed("n", "s", "nowhere", Stretch.DAYS), "which no earlier step has written"),
        (ExtremeCount("n", "", (CHILD,), Direction.OUT, True, "nowhere"), "no earlier step"),
    ],
)
def test_what_is_not_well_formed_is_refused(step: Step, complaint: str) -> None:
    with pytest.raises(ProgramError, match=complaint):
        check(Program((ALL, step, End("n"))))


def test_in_words() -> None:
    names = {BORN: "birth", DIED: "death", CHILD: "child", "Q1": "Ann", "Q2": "Bo"}

    def told(*steps: Step) -> str:
        last = steps[-1]
        assert not isinstance(last, End)
        return describe(Program((*steps, End(last.out))), lambda id_: names.get(id_, ""))

    age = (ONE, Follow("b", "s", (BORN,)), Follow("d", "s", (DIED,)))
    assert told(*age, Elapsed("n", "b", "d", Stretch.YEARS)) == (
        "years from the birth of Ann to the death of Ann"
    )
    assert told(ExtremeCount("n", "", (CHILD,), Direction.OUT, True)) == (
        "one with the most children"
    )
    first, second = EntityValue("Q1"), EntityValue("Q2")
    sets = (
        Start("x", (first,)), Follow("c", "x", (CHILD,)), Start("y", (second,)),
        Follow("d", "y", (CHILD,)),
    )  # fmt: skip
    assert told(*sets, Count("n", "c", "d")) == (
        "how many more there are of the child of Ann than of the child of Bo"
    )
    assert told(ONE, Coarsen("n", "s", BORN, 7)) == "century of the birth of Ann"
