"""Numbers that follow from cited triples, and numbers that do not."""

from __future__ import annotations

from decimal import Decimal

import pytest

from robodata_core.answers.reckoned import follows, reckoned_numbers
from robodata_core.model import EntityValue, Evidence, QuantityValue, TimeValue, Triple, Value

BORN, DIED = TimeValue(1927, 1, 30), TimeValue(1986, 2, 28)


def _cited(*facts: tuple[str, str, Value]) -> tuple[Evidence, ...]:
    return tuple(Evidence(f"T{n}", Triple(*fact)) for n, fact in enumerate(facts, 1))


LIFE = _cited(("Q1", "P569", BORN), ("Q1", "P570", DIED))
HEIGHTS = _cited(
    ("Q1", "P2048", QuantityValue(Decimal("1.5"), "Q9")),
    ("Q2", "P2048", QuantityValue(Decimal("2"), "Q9")),
    ("Q3", "P2048", QuantityValue(Decimal("2"), "Q9")),
)


def test_years_and_days_between_two_dates_follow() -> None:
    numbers = reckoned_numbers(LIFE)
    assert {Decimal(59), Decimal(21579), Decimal(20)} <= numbers
    assert Decimal(60) not in numbers
    assert Decimal(58) not in numbers
    assert follows(QuantityValue(Decimal(59)), LIFE)
    assert not follows(QuantityValue(Decimal(59)), LIFE[:1])


def test_a_date_that_the_question_gives_counts_too() -> None:
    assert follows(QuantityValue(Decimal(37)), LIFE[:1], "How old was he on 29 January 1965?")
    assert not follows(QuantityValue(Decimal(38)), LIFE[:1], "How old was he on 29 January 1965?")
    assert follows(QuantityValue(Decimal(38)), LIFE[:1], "How old was he on 1965-01-30?")
    in_a_year = {Decimal(37), Decimal(38)}
    assert in_a_year <= reckoned_numbers(LIFE[:1], "How old was he in 1965?")
    assert not reckoned_numbers(LIFE[:1], "on 31 February 1965") & in_a_year


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (TimeValue(1927, precision=9), True),
        (TimeValue(1920, precision=8), True),
        (TimeValue(1901, precision=7), True),
        (TimeValue(1927, 1, precision=10), True),
        (TimeValue(1928, precision=9), False),
        (EntityValue("Q1"), False),
    ],
)
def test_the_slot_of_a_date_follows(value: Value, expected: bool) -> None:
    assert follows(value, LIFE[:1]) is expected


def test_a_date_known_to_the_year_gives_no_month() -> None:
    year = _cited(("Q1", "P569", TimeValue(1927, precision=9)))
    assert follows(TimeValue(1927, precision=9), year)
    assert not follows(TimeValue(1927, 1, precision=10), year)


def test_sums_averages_and_differences_follow() -> None:
    for amount in ("5.5", "1.833333", "1.83", "0.5"):
        assert follows(QuantityValue(Decimal(amount)), HEIGHTS)
    assert not follows(QuantityValue(Decimal("3.5")), HEIGHTS)


def test_how_many_more_follows_from_the_sizes_of_groups() -> None:
    facts = _cited(
        *(("Q1", "P40", EntityValue(f"Q{n}")) for n in range(10, 16)),
        *(("Q2", "P40", EntityValue(f"Q{n}")) for n in range(20, 22)),
    )
    numbers = reckoned_numbers(facts)
    assert {Decimal(6), Decimal(2), Decimal(4)} <= numbers
    assert Decimal(3) not in numbers
