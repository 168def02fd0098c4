"""Literals of a triple: read from text, and compared with what is stated."""

from __future__ import annotations

import enum
import re
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from typing import Final

from robodata_core.errors import InvalidRequestError
from robodata_core.model import (
    CoordinateValue,
    QuantityValue,
    TimeValue,
    Value,
)
from robodata_core.text import clean_text, normalise_name
from robodata_core.values import MONTHS, text_of, text_value

__all__ = ["Agreement", "compare", "read_literal"]

_ISO = re.compile(r"([+-]?\d{1,9})(?:-(\d{1,2})(?:-(\d{1,2}))?)?(?:T00:00(?::00)?Z?)?\Z", re.ASCII)
_WORDED = re.compile(r"(?:(\d{1,2})\s+)?([^\W\d_]+)\s+(\d{1,4})\Z")
_QUANTITY = re.compile(r"([+-]?\d[\d,]*(?:\.\d+)?(?:[eE][+-]?\d{1,3})?)(?:\s+(\S.*))?\Z", re.ASCII)
_PLACE = re.compile(r"([+-]?\d{1,2}(?:\.\d+)?)\s*,\s*([+-]?\d{1,3}(?:\.\d+)?)\Z", re.ASCII)
_NEAR: Final = 1e-4
_PRECISIONS: Final = {11: 3, 10: 2, 9: 1}


class Agreement(enum.Enum):
    """How a value that was asked for relates to one that is stated."""

    SAME = "same"
    WITHIN = "less precise, and right as far as it goes"
    BEYOND = "more precise than what is stated"
    OTHER = "different"
    APART = "of another kind or unit"


def read_literal(text: str, datatype: str, unit: Callable[[str], str]) -> Value:
    """Read a literal of a property.

    Args:
        text: As written: ``1952-03-11``, ``11 March 1952``, ``1.96``, ``216 metre``, any text.
        datatype: Of the property where the source knows it, else guessed from the look.
        unit: Gives the id of a unit by its name or id.

    Raises:
        InvalidRequestError: If it is no value of that kind.
    """
    text = clean_text(text, limit=2_000).strip()
    kind = datatype or _kind_of(text)
    if kind == "time":
        return _time(text)
    if kind == "quantity":
        return _quantity(text, unit)
    if kind == "globe-coordinate":
        return _coordinate(text)
    return text_value(text, kind)


def compare(asked: Value, stated: Value) -> Agreement:
    """Tell how a value asked for relates to a stated one."""
    if asked == stated:
        return Agreement.SAME
    if isinstance(asked, TimeValue) and isinstance(stated, TimeValue):
        return _compare_times(asked, stated)
    if isinstance(asked, QuantityValue) and isinstance(stated, QuantityValue):
        if asked.amount == 0 == stated.amount or asked.unit == stated.unit:
            return Agreement.SAME if asked.amount == stated.amount else Agreement.OTHER
        return Agreement.APART
    if isinstance(asked, CoordinateValue) and isinstance(stated, CoordinateValue):
        apart = max(abs(asked.latitude - stated.latitude), abs(asked.longitude - stated.longitude))
        near = max(_NEAR, stated.precision or 0.0, asked.precision or 0.0)
        return Agreement.SAME if apart <= near else Agreement.OTHER
    one, other = text_of(asked), text_of(stated)
    if one is not None and other is not None:
        same = one == other or normalise_name(one) == normalise_name(other)
        return Agreement.SAME if same else Agreement.OTHER
    return Agreement.OTHER if type(asked) is type(stated) else Agreement.APART


def _kind_of(text: str) -> str:
    iso = _ISO.match(text)
    if iso and iso[2] or (_WORDED.match(text) and _worded(text)):
        return "time"
    if _QUANTITY.match(text):
        return "quantity"
    return "string"


def _time(text: str) -> TimeValue:
    found = _iso(text) or _worded(text)
    if found is None:
        raise InvalidRequestError(
            f"The values of this property are dates; “{clean_text(text, limit=60)}” is none.",
            hint="Write 1952-03-11, 1952-03, 1952 or 11 March 1952.",
        )
    return found


def _iso(text: str) -> TimeValue | None:
    match = _ISO.match(text)
    if match is None:
        return None
    return _made(int(match[1]), int(match[2] or 0), int(match[3] or 0), bool(match[2]))


def _worded(text: str) -> TimeValue | None:
    match = _WORDED.match(text)
    names = [name.casefold() for name in MONTHS]
    if match is None or match[2].casefold() not in names:
        return None
    return _made(int(match[3]), names.index(match[2].casefold()) + 1, int(match[1] or 0), True)


def _made(year: int, month: int, day: int, dated: bool) -> TimeValue | None:
    if month > 12 or day > 31 or (dated and not month):
        return None
    return TimeValue(year, month, day, precision=11 if day else 10 if month else 9)


def _quantity(text: str, unit: Callable[[str], str]) -> QuantityValue:
    match = _QUANTITY.match(text)
    try:
        amount = Decimal(match[1].replace(",", "")) if match else Decimal("NaN")
    except InvalidOperation:
        amount = Decimal("NaN")
    if match is None or not amount.is_finite():
        raise InvalidRequestError(
            f"The values of this property are quantities; “{clean_text(text, limit=60)}” is none.",
            hint="Write a number, and its unit where it has one: 216 metre.",
        )
    return QuantityValue(amount, unit(match[2]) if match[2] else None)


def _coordinate(text: str) -> CoordinateValue:
    match = _PLACE.match(text)
    if match is None:
        raise InvalidRequestError(
            "The values of this property are places on a globe.",
            hint="Write latitude and longitude in degrees: 45.42, -75.69.",
        )
    return CoordinateValue(float(match[1]), float(match[2]))


def _compare_times(asked: TimeValue, stated: TimeValue) -> Agreement:
    if min(asked.precision, stated.precision) < 9:
        same = asked.precision == stated.precision and asked.year == stated.year
        return Agreement.SAME if same else Agreement.APART
    common = min(asked.precision, stated.precision, 11)
    if asked.order[: _PRECISIONS[common]] != stated.order[: _PRECISIONS[common]]:
        return Agreement.OTHER
    if min(asked.precision, 11) == min(stated.precision, 11):
        return Agreement.SAME
    return Agreement.WITHIN if asked.precision < stated.precision else Agreement.BEYOND
