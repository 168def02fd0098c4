"""Lexical forms: how strings, numbers, times and coordinates are spelled as literals, both ways.

Used by ``terms`` alone; no IRIs of entities and no triples here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from decimal import Decimal, InvalidOperation
from typing import Final
from urllib.parse import quote, unquote

import pyoxigraph as ox

from robodata_core.iris import WD, XSD, id_from_iri
from robodata_core.model import (
    CoordinateValue,
    MonolingualTextValue,
    QuantityValue,
    StringValue,
    TimeValue,
    UrlValue,
    Value,
)

_LANGUAGE: Final = "urn:robodata:language:"
_WKT: Final = "http://www.opengis.net/ont/geosparql#wktLiteral"
_STRINGS: Final = frozenset(
    {XSD + "string", "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString"}
)
_NUMBERS: Final = frozenset(
    XSD + name
    for name in (
        *("decimal", "integer", "int", "long", "short", "byte", "double", "float"),
        *("nonNegativeInteger", "positiveInteger", "nonPositiveInteger", "negativeInteger"),
        *("unsignedInt", "unsignedLong", "unsignedShort", "unsignedByte"),
    )
)
_MAX_EXPONENT: Final = 100
_DATE_TIME = re.compile(
    r"([+-]?\d{4,18})-(\d\d)-(\d\d)"
    r"(?:T(\d\d):(\d\d):(\d\d)(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?\Z",
    re.ASCII,
)
_YEAR = re.compile(r"([+-]?\d{4,18})(?:-(\d\d))?(?:Z|[+-]\d\d:\d\d)?\Z", re.ASCII)
_NUMBER_IN_WKT = r"([+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)"
_POINT = re.compile(
    rf"\s*(?:<([^<>]*)>\s*)?POINT\s*\(\s*{_NUMBER_IN_WKT}\s+{_NUMBER_IN_WKT}\s*\)\s*\Z",
    re.IGNORECASE | re.ASCII,
)
_DAY, _MONTH, _YEAR_ONLY, _SECOND = 11, 10, 9, 14


# -- writing ----------------------------------------------------------------------------------


def string(text_: str, datatype: str = "") -> ox.Literal:
    """Spell a string, with its datatype where it has one."""
    if not datatype or datatype in _STRINGS:
        return ox.Literal(storable(text_))
    return ox.Literal(storable(text_), datatype=ox.NamedNode(datatype))


def text(text_: str, language: str) -> ox.Literal:
    """Spell a text in a language; Wikimedia's few odd codes go into a datatype."""
    try:
        return ox.Literal(storable(text_), language=language.lower())
    except ValueError:
        odd = ox.NamedNode(_LANGUAGE + quote(language.lower(), safe=""))
        return ox.Literal(storable(text_), datatype=odd)


def url(address: str) -> ox.NamedNode | ox.Literal:
    """Spell a link: an IRI where it is one, else a literal that says it was meant to be."""
    try:
        return ox.NamedNode(address)
    except ValueError:
        return any_uri(address)


def any_uri(address: str) -> ox.Literal:
    """Spell a link as a literal."""
    return _typed(storable(address), "anyURI")


def integer(number: int) -> ox.Literal:
    """Spell a whole number."""
    return _typed(str(number), "integer")


def double(number: float) -> ox.Literal:
    """Spell a floating point number exactly."""
    return _typed(repr(float(number)), "double")


def decimal(number: Decimal) -> ox.Literal:
    """Spell a decimal without an exponent, unless it would be very long."""
    if number.is_finite():
        exponent = number.as_tuple().exponent
        if abs(number.adjusted()) <= _MAX_EXPONENT and abs(int(exponent)) <= _MAX_EXPONENT:
            return _typed(format(number, "f"), "decimal")
    return _typed(str(number), "decimal")


def date_time(time: TimeValue) -> ox.Literal:
    """Spell a time as Wikidata does: what the precision leaves open is the first there is."""
    month = time.month or (1 if time.precision < _MONTH else 0)
    day = time.day or (1 if time.precision < _DAY else 0)
    sign = "-" if time.year < 0 else ""
    date = f"{sign}{abs(time.year):04d}-{month:02d}-{day:02d}"
    return _typed(f"{date}T{time.hour:02d}:{time.minute:02d}:{time.second:02d}Z", "dateTime")


def wkt(place: CoordinateValue, globe: str) -> ox.Literal:
    """Spell a place as well-known text, longitude first.

    Raises:
        ValueError: If a coordinate is not a number.
    """
    if not (math.isfinite(place.latitude) and math.isfinite(place.longitude)):
        raise ValueError("a coordinate must be a finite number")
    point = f"Point({float(place.longitude)!r} {float(place.latitude)!r})"
    return ox.Literal(f"<{globe}> {point}" if globe else point, datatype=ox.NamedNode(_WKT))


def other_numbers(amount: Decimal) -> Iterator[ox.Literal]:
    """Yield further spellings of a number."""
    if not amount.is_finite() or abs(amount.adjusted()) > _MAX_EXPONENT:
        return
    if amount == amount.to_integral_value():
        for name in ("integer", "int", "long", "nonNegativeInteger"):
            yield _typed(str(int(amount)), name)
    yield double(float(amount))
    yield _typed(repr(float(amount)), "float")


def other_dates(time: TimeValue) -> Iterator[ox.Literal]:
    """Yield further spellings of a time."""
    stamp = date_time(time).value
    if time.precision <= _DAY:
        yield _typed(stamp.partition("T")[0], "date")
    if time.precision <= _YEAR_ONLY:
        yield _typed(stamp.partition("T")[0].rsplit("-", 2)[0], "gYear")
    if time.precision == _MONTH:
        yield _typed(stamp.partition("T")[0].rsplit("-", 1)[0], "gYearMonth")
    yield _typed(stamp[:-1], "dateTime")


def _typed(lexical: str, name: str) -> ox.Literal:
    return ox.Literal(lexical, datatype=ox.NamedNode(XSD + name))


def storable(text_: str) -> str:
    """Return a text with what no encoding can hold (half a surrogate pair) replaced."""
    return text_ if text_.isascii() else text_.encode("utf-8", "replace").decode("utf-8")


# -- reading ----------------------------------------------------------------------------------


def read(literal: ox.Literal) -> Value:
    """Return what a literal says; one that its datatype does not allow stays a string."""
    if literal.language:
        return MonolingualTextValue(literal.value, literal.language)
    datatype = literal.datatype.value
    if datatype in _STRINGS:
        return StringValue(literal.value)
    value = _read_typed(literal.value, datatype)
    return StringValue(literal.value, datatype) if value is None else value


def _read_typed(lexical: str, datatype: str) -> Value | None:
    if datatype in _NUMBERS:
        amount = _number(lexical)
        return None if amount is None else QuantityValue(amount)
    if datatype in (XSD + "dateTime", XSD + "date", XSD + "dateTimeStamp"):
        return _read_date(lexical)
    if datatype in (XSD + "gYear", XSD + "gYearMonth"):
        return _read_year(lexical)
    if datatype == _WKT:
        return _read_point(lexical)
    if datatype == XSD + "anyURI":
        return UrlValue(lexical)
    if datatype.startswith(_LANGUAGE):
        return MonolingualTextValue(lexical, unquote(datatype[len(_LANGUAGE) :]))
    return None


def _number(lexical: str) -> Decimal | None:
    stripped = lexical.strip()
    if "_" in stripped or not stripped.isascii() or len(stripped) > 5_000:
        return None
    try:
        number = Decimal(stripped)
    except InvalidOperation:
        return None
    return plain(number) if number.is_finite() else None


def plain(number: Decimal) -> Decimal:
    """Return an equal number without needless zeros, so that equal numbers are spelled alike."""
    sign, digits, exponent = number.as_tuple()
    if not any(digits):
        return Decimal(0)
    kept, power = list(digits), int(exponent)
    while kept[-1] == 0:
        kept.pop()
        power += 1
    if 0 < power <= _MAX_EXPONENT:
        kept, power = kept + [0] * power, 0
    return Decimal((sign, tuple(kept), power))


def _read_date(lexical: str) -> TimeValue | None:
    match = _DATE_TIME.match(lexical.strip())
    if match is None:
        return None
    year, month, day = (int(match.group(index)) for index in (1, 2, 3))
    hour, minute, second = (int(match.group(index) or 0) for index in (4, 5, 6))
    if month > 12 or day > 31 or hour > 23 or minute > 59 or second > 59:
        return None
    zone = match.group(7) or "Z"
    if match.group(4) and zone not in ("Z", "+00:00", "-00:00"):
        return _in_utc(year, month, day, hour, minute, second, zone)
    if month == 0:
        return TimeValue(year, precision=_YEAR_ONLY)
    if day == 0:
        return TimeValue(year, month, precision=_MONTH)
    precision = _SECOND if hour or minute or second else _DAY
    return TimeValue(year, month, day, hour, minute, second, precision)


def _in_utc(
    year: int, month: int, day: int, hour: int, minute: int, second: int, zone: str
) -> TimeValue | None:
    ahead = timedelta(hours=int(zone[1:3]), minutes=int(zone[4:6]))
    try:
        local = datetime(year, month, day, hour, minute, second, tzinfo=timezone.utc)
        there = local - ahead if zone[0] == "+" else local + ahead
    except (ValueError, OverflowError):
        return None
    return TimeValue(
        there.year, there.month, there.day, there.hour, there.minute, there.second, _SECOND
    )


def _read_year(lexical: str) -> TimeValue | None:
    match = _YEAR.match(lexical.strip())
    if match is None:
        return None
    month = int(match.group(2) or 0)
    if month > 12:
        return None
    return TimeValue(int(match.group(1)), month, precision=_MONTH if month else _YEAR_ONLY)


def _read_point(lexical: str) -> CoordinateValue | None:
    match = _POINT.match(lexical)
    if match is None:
        return None
    longitude, latitude = float(match.group(2)), float(match.group(3))
    if not (math.isfinite(longitude) and math.isfinite(latitude)):
        return None
    return CoordinateValue(latitude, longitude, globe=id_from_iri(match.group(1) or WD + "Q2"))


# -- full values ------------------------------------------------------------------------------


def canonical_time(time: TimeValue, calendar: str) -> TimeValue:
    """Clear what the precision leaves open."""
    shown = time.precision
    return TimeValue(
        time.year,
        time.month if shown >= _MONTH else 0,
        time.day if shown >= _DAY else 0,
        time.hour if shown > _DAY else 0,
        time.minute if shown > _DAY + 1 else 0,
        time.second if shown >= _SECOND else 0,
        shown,
        calendar,
    )


def canonical_quantity(quantity: QuantityValue, unit: str | None) -> QuantityValue:
    """Give it a canonical unit and numbers, and drop bounds that are not numbers."""
    lower, upper = (
        plain(bound) if bound is not None and bound.is_finite() else None
        for bound in (quantity.lower, quantity.upper)
    )
    return replace(quantity, amount=plain(quantity.amount), unit=unit, lower=lower, upper=upper)


def quantity_from(facts: Mapping[str, object], unit: str | None) -> QuantityValue | None:
    """Read a quantity from the facts at its value node."""
    amount = _number(_lexical(facts.get("quantityAmount")))
    if amount is None:
        return None
    lower = _number(_lexical(facts.get("quantityLowerBound")))
    upper = _number(_lexical(facts.get("quantityUpperBound")))
    return QuantityValue(amount, unit, lower, upper)


def time_from(facts: Mapping[str, object], calendar: str) -> TimeValue | None:
    """Read a time from the facts at its value node."""
    begin = _read_date(_lexical(facts.get("timeValue")))
    if begin is None:
        return None
    precision = _number(_lexical(facts.get("timePrecision")))
    if precision is None:
        return replace(begin, calendar=calendar)
    return canonical_time(replace(begin, precision=int(precision)), calendar)


def coordinate_from(facts: Mapping[str, object], globe: str) -> CoordinateValue | None:
    """Read a place from the facts at its value node."""
    latitude, longitude = _float(facts.get("geoLatitude")), _float(facts.get("geoLongitude"))
    if latitude is None or longitude is None:
        return None
    return CoordinateValue(latitude, longitude, _float(facts.get("geoPrecision")), globe)


def _lexical(term: object) -> str:
    return term.value if isinstance(term, ox.Literal) else ""


def _float(term: object) -> float | None:
    try:
        number = float(_lexical(term))
    except ValueError:
        return None
    return number if math.isfinite(number) else None
