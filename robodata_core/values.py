"""How values read: the one place where a date, a quantity or a place becomes words.

Claims, prompts, terminal output and validation share it, so that what is written is what is
checked.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Final

from robodata_core.model import (
    CoordinateValue,
    EntityValue,
    ExternalIdValue,
    MonolingualTextValue,
    NoValue,
    QuantityValue,
    SomeValue,
    StringValue,
    TimeValue,
    UrlValue,
    Value,
    datatype_of,
)

__all__ = [
    "MONTHS",
    "datatype_of",
    "format_amount",
    "format_time",
    "format_value",
    "iso_time",
    "precision_name",
    "text_of",
    "text_value",
]

MONTHS: Final = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)

_PRECISION_NAMES: Final = {
    0: "billion years",
    1: "hundred million years",
    2: "ten million years",
    3: "million years",
    4: "hundred thousand years",
    5: "ten thousand years",
    6: "millennium",
    7: "century",
    8: "decade",
    9: "year",
    10: "month",
    11: "day",
    12: "hour",
    13: "minute",
    14: "second",
}


def precision_name(precision: int) -> str:
    """Return Wikibase's time precision in words (``11`` is ``day``)."""
    return _PRECISION_NAMES.get(precision, "day")


def format_value(value: Value, label: Callable[[str], str] = lambda id_: id_) -> str:
    """Return ``value`` in words.

    Args:
        value: Any value.
        label: Gives the label of an entity id (for entities and units).
    """
    if isinstance(value, EntityValue):
        return label(value.id) or value.id
    if isinstance(value, QuantityValue):
        amount = format_amount(value.amount)
        return f"{amount} {label(value.unit) or value.unit}" if value.unit else amount
    if isinstance(value, TimeValue):
        return format_time(value)
    if isinstance(value, (StringValue, MonolingualTextValue, ExternalIdValue)):
        return value.text
    if isinstance(value, UrlValue):
        return value.url
    if isinstance(value, CoordinateValue):
        return f"{value.latitude:g}, {value.longitude:g}"
    if isinstance(value, SomeValue):
        return "unknown value"
    assert isinstance(value, NoValue)
    return "no value"


def format_amount(amount: Decimal) -> str:
    """Return an amount without needless zeros: ``1.96``, ``216,013``, ``8.8e+23``."""
    if amount == 0:
        return "0"
    exponent = amount.adjusted()
    if exponent >= 15 or exponent < -6:
        digits = "".join(map(str, amount.as_tuple().digits)).rstrip("0")
        head, rest = digits[0], digits[1:]
        sign = "-" if amount < 0 else ""
        return f"{sign}{head}{'.' + rest if rest else ''}e{exponent:+d}"
    plain = f"{amount:,f}"
    return plain.rstrip("0").rstrip(".") if "." in plain else plain


def format_time(value: TimeValue) -> str:
    """Return a time in English at its precision: ``11 March 1952``, ``1970s``, ``44 BCE``."""
    year = _year(value.year)
    if value.precision >= 11 and value.month and value.day:
        text = f"{value.day} {MONTHS[value.month - 1]} {year}"
        if value.precision >= 12:
            text += f", {value.hour:02d}:{value.minute:02d}"
        if value.precision >= 14:
            text += f":{value.second:02d}"
        return text
    if value.precision >= 10 and value.month:
        return f"{MONTHS[value.month - 1]} {year}"
    if value.precision == 8:
        return f"{value.year // 10 * 10}s" if value.year > 0 else f"decade of {year}"
    if value.precision == 7:
        return _century(value.year)
    if value.precision <= 6:
        return f"about {_rounded_year(value)}"
    return year


def _century(year: int) -> str:
    number = (year - 1) // 100 + 1 if year > 0 else -year // 100 + 1
    teens = 10 < number % 100 < 14
    ending = "th" if teens else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending} century" + ("" if year > 0 else " BCE")


def _rounded_year(value: TimeValue) -> str:
    """Return the year to the precision it is known with (millennia and coarser)."""
    unit = 10 ** (9 - value.precision)
    count = value.year if value.year > 0 else 1 - value.year
    rounded = (count + unit // 2) // unit * unit
    return f"{rounded:,}" if value.year > 0 else f"{rounded:,} BCE"


def _year(year: int) -> str:
    if year > 0:
        return str(year)
    return f"{1 - year:,} BCE" if 1 - year >= 10_000 else f"{1 - year} BCE"


def iso_time(value: TimeValue) -> str:
    """Return a time as ISO 8601 at its precision: ``1952-03-11``, ``1974``, ``1970``."""
    sign = "-" if value.year < 0 else ""
    text = f"{sign}{abs(value.year):04d}"
    if value.precision >= 10 and value.month:
        text += f"-{value.month:02d}"
        if value.precision >= 11 and value.day:
            text += f"-{value.day:02d}"
            if value.precision >= 12:
                text += f"T{value.hour:02d}:{value.minute:02d}:{value.second:02d}Z"
    return text


def text_value(text: str, datatype: object) -> Value:
    """Return a text as a value of a property's datatype; a plain string compares with all."""
    if datatype == "url":
        return UrlValue(text)
    if datatype == "external-id":
        return ExternalIdValue(text)
    return StringValue(text)


def text_of(value: Value) -> str | None:
    """Return the text of a value that is text, an id of a register or an address; else None."""
    if isinstance(value, (StringValue, MonolingualTextValue, ExternalIdValue)):
        return value.text
    return value.url if isinstance(value, UrlValue) else None
