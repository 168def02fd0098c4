"""How values read."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robodata_core.model import (
    CoordinateValue,
    EntityValue,
    MonolingualTextValue,
    NoValue,
    QuantityValue,
    SomeValue,
    StringValue,
    TimeValue,
    Value,
)
from robodata_core.values import datatype_of, format_amount, format_time, format_value, iso_time


@pytest.mark.parametrize(
    ("value", "text", "iso"),
    [
        (TimeValue(1952, 3, 11), "11 March 1952", "1952-03-11"),
        (TimeValue(1952, 3, precision=10), "March 1952", "1952-03"),
        (TimeValue(1974, precision=9), "1974", "1974"),
        (TimeValue(1975, precision=8), "1970s", "1975"),
        (TimeValue(-43, 3, 15), "15 March 44 BCE", "-0043-03-15"),
        (TimeValue(-13_797_999_999, precision=3), "about 13,798,000,000 BCE", "-13797999999"),
        (
            TimeValue(2001, 9, 11, 8, 46, 30, 14),
            "11 September 2001, 08:46:30",
            "2001-09-11T08:46:30Z",
        ),
    ],
)
def test_times_read_at_their_precision(value: TimeValue, text: str, iso: str) -> None:
    assert format_time(value) == text
    assert iso_time(value) == iso


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        ("1.96", "1.96"),
        ("1.960", "1.96"),
        ("216013", "216,013"),
        ("0", "0"),
        ("-3", "-3"),
        ("880000000000000000000000", "8.8e+23"),
        ("0.0000000000000000000000000099", "9.9e-27"),
        ("100", "100"),
    ],
)
def test_amounts_read_without_needless_digits(amount: str, text: str) -> None:
    assert format_amount(Decimal(amount)) == text


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**30), max_value=10**30))
def test_amounts_lose_nothing(amount: Decimal) -> None:
    assert Decimal(format_amount(amount).replace(",", "")) == amount


@pytest.mark.parametrize(
    ("value", "text", "datatype"),
    [
        (EntityValue("Q42"), "Douglas Adams", "item"),
        (EntityValue("Q1"), "Q1", "item"),
        (QuantityValue(Decimal("1.96"), "Q11573"), "1.96 metre", "quantity"),
        (QuantityValue(Decimal("1.96"), "Q999"), "1.96 Q999", "quantity"),
        (QuantityValue(Decimal(3)), "3", "quantity"),
        (StringValue("x"), "x", "string"),
        (MonolingualTextValue("Lille Lars", "da"), "Lille Lars", "monolingualtext"),
        (CoordinateValue(1.5, -2), "1.5, -2", "globe-coordinate"),
        (SomeValue(), "unknown value", "somevalue"),
        (NoValue(), "no value", "novalue"),
    ],
)
def test_values_read_with_labels(value: Value, text: str, datatype: str) -> None:
    labels = {"Q42": "Douglas Adams", "Q11573": "metre"}
    assert format_value(value, lambda id_: labels.get(id_, "")) == text
    assert datatype_of(value) == datatype
