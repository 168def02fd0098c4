"""Literals: read as people write them, compared as far as they are known."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robodata_core.errors import InvalidRequestError
from robodata_core.model import (
    CoordinateValue,
    EntityValue,
    MonolingualTextValue,
    QuantityValue,
    StringValue,
    TimeValue,
    UrlValue,
    Value,
)
from robodata_core.verification.values import Agreement, compare, read_literal

METRE = "Q6"


def read(text: str, datatype: str = "") -> Value:
    return read_literal(text, datatype, lambda name: METRE)


@pytest.mark.parametrize(
    ("text", "datatype", "value"),
    [
        ("1952-03-11", "time", TimeValue(1952, 3, 11)),
        ("11 March 1952", "", TimeValue(1952, 3, 11)),
        ("march 1952", "", TimeValue(1952, 3, precision=10)),
        ("1952", "time", TimeValue(1952, precision=9)),
        ("-0043", "time", TimeValue(-43, precision=9)),
        ("1952", "", QuantityValue(Decimal(1952))),
        ("40,000,000", "quantity", QuantityValue(Decimal(40_000_000))),
        ("1.96 metre", "", QuantityValue(Decimal("1.96"), METRE)),
        ("45.4, -75.7", "globe-coordinate", CoordinateValue(45.4, -75.7)),
        ("blue", "", StringValue("blue")),
        ("https://x.org/", "url", UrlValue("https://x.org/")),
    ],
)
def test_literals_are_read(text: str, datatype: str, value: Value) -> None:
    assert read(text, datatype) == value


@pytest.mark.parametrize(
    ("text", "datatype"),
    [("soon", "time"), ("1952-13", "time"), ("much", "quantity"), ("here", "globe-coordinate")],
)
def test_what_is_none_is_refused(text: str, datatype: str) -> None:
    with pytest.raises(InvalidRequestError):
        read(text, datatype)


@given(st.text(max_size=50), st.sampled_from(["", "time", "quantity", "string", "url"]))
def test_any_text_is_read_or_refused(text: str, datatype: str) -> None:
    try:
        value = read(text, datatype)
    except InvalidRequestError:
        return
    assert compare(value, value) is Agreement.SAME


DAY, MONTH, YEAR = (
    TimeValue(1952, 3, 11),
    TimeValue(1952, 3, precision=10),
    TimeValue(1952, precision=9),
)


@pytest.mark.parametrize(
    ("asked", "stated", "agreement"),
    [
        (DAY, DAY, Agreement.SAME),
        (YEAR, DAY, Agreement.WITHIN),
        (MONTH, DAY, Agreement.WITHIN),
        (DAY, YEAR, Agreement.BEYOND),
        (TimeValue(1953, precision=9), DAY, Agreement.OTHER),
        (TimeValue(1952, 3, 12), DAY, Agreement.OTHER),
        (YEAR, TimeValue(1952, precision=7), Agreement.APART),
        (QuantityValue(Decimal("2.0")), QuantityValue(Decimal(2)), Agreement.SAME),
        (QuantityValue(Decimal(2)), QuantityValue(Decimal(3)), Agreement.OTHER),
        (QuantityValue(Decimal(2)), QuantityValue(Decimal(2), METRE), Agreement.APART),
        (StringValue("Blue"), MonolingualTextValue("blue", "en"), Agreement.SAME),
        (StringValue("blue"), EntityValue("Q1"), Agreement.APART),
        (EntityValue("Q1"), EntityValue("Q2"), Agreement.OTHER),
        (CoordinateValue(45.4, -75.7), CoordinateValue(45.40001, -75.7), Agreement.SAME),
        (CoordinateValue(45.4, -75.7), CoordinateValue(46.4, -75.7), Agreement.OTHER),
    ],
)
def test_values_are_compared(asked: Value, stated: Value, agreement: Agreement) -> None:
    assert compare(asked, stated) is agreement
