"""Values as terms, and back; the lexical forms stand in ``robodata_msgs/msg/Term.msg``."""

from __future__ import annotations

import math
import re
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from robodata_core.errors import InvalidRequestError
from robodata_core.iris import RDF, WIKIBASE, XSD, id_from_iri, iri_of, is_id, predicate_iri
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
)
from robodata_msgs import msg as m
from robodata_ros.convert._basic import NAN, clean

__all__ = ["id_from_msg", "term_of_entity", "value_from_msg", "value_to_msg"]

_WKT: Final = "http://www.opengis.net/ont/geosparql#wktLiteral"
_EXTERNAL_ID: Final = WIKIBASE + "ExternalId"
_LANG_STRING: Final = RDF + "langString"
_MAX_DIGITS: Final = 200
_TIME = re.compile(
    r"([+-]?)(\d{4,18})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d):(\d\d):(\d\d)(?:\.\d+)?)?)?)?(?:Z|[+-]00:00)?\Z",
    re.ASCII,
)
_NUMBER = r"([+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)"
_POINT = re.compile(rf"\s*POINT\s*\(\s*{_NUMBER}\s+{_NUMBER}\s*\)\s*\Z", re.IGNORECASE | re.ASCII)


def term_of_entity(id_: str, label: str = "", *, predicate: bool = False) -> Any:
    """Return an entity or property as a term."""
    try:
        iri = predicate_iri(id_) if predicate else iri_of(id_)
    except ValueError:
        iri = id_
    return m.Term(kind=m.Term.IRI, value=clean(iri), label=clean(label), precision=NAN)


def value_to_msg(value: Value | bool | int, label: str = "", unit_label: str = "") -> Any:
    """Return a value (or a count, or a boolean) as a term."""
    if isinstance(value, EntityValue):
        return term_of_entity(value.id, label)
    term = m.Term(kind=m.Term.LITERAL, label=clean(label), precision=NAN)
    if isinstance(value, bool):
        term.value, term.datatype = str(value).lower(), XSD + "boolean"
    elif isinstance(value, int):
        term.value, term.datatype = str(value), XSD + "integer"
    else:
        _fill(term, value, unit_label)
    return term


def _fill(term: Any, value: Value, unit_label: str) -> None:
    if isinstance(value, QuantityValue):
        _fill_quantity(term, value, unit_label)
    elif isinstance(value, TimeValue):
        term.value, term.datatype = _time_text(value)
        term.precision = float(value.precision)
        term.reference_system = _iri(value.calendar)
    elif isinstance(value, CoordinateValue):
        term.value = f"Point({float(value.longitude)!r} {float(value.latitude)!r})"
        term.datatype = _WKT
        term.precision = NAN if value.precision is None else float(value.precision)
        term.reference_system = _iri(value.globe)
    elif isinstance(value, SomeValue):
        term.kind = m.Term.BLANK_NODE
    elif isinstance(value, NoValue):
        term.kind = m.Term.NO_VALUE
    else:
        _fill_text(term, value)


def _fill_quantity(term: Any, value: QuantityValue, unit_label: str) -> None:
    term.value, term.datatype = _decimal_text(value.amount), XSD + "decimal"
    term.unit = _iri(value.unit) if value.unit else ""
    term.unit_label = clean(unit_label)
    term.lower = "" if value.lower is None else _decimal_text(value.lower)
    term.upper = "" if value.upper is None else _decimal_text(value.upper)


def _fill_text(term: Any, value: Value) -> None:
    if isinstance(value, MonolingualTextValue):
        term.value, term.datatype = clean(value.text), _LANG_STRING
        term.language = clean(value.language)
    elif isinstance(value, UrlValue):
        term.value, term.datatype = clean(value.url), XSD + "anyURI"
    elif isinstance(value, ExternalIdValue):
        term.value, term.datatype = clean(value.text), _EXTERNAL_ID
    elif isinstance(value, StringValue):
        term.value, term.datatype = clean(value.text), clean(value.datatype) or XSD + "string"
    else:
        raise TypeError(f"no message for a {type(value).__name__}")


def _iri(id_: str) -> str:
    try:
        return clean(iri_of(id_))
    except ValueError:
        return clean(id_)


def _decimal_text(number: Decimal) -> str:
    exponent = number.as_tuple().exponent
    if isinstance(exponent, int) and max(abs(exponent), abs(number.adjusted())) < _MAX_DIGITS:
        return format(number, "f")
    return str(number)


def _time_text(time: TimeValue) -> tuple[str, str]:
    """Spell a time with as many parts as it has, and name the datatype that goes with them."""
    sign = "-" if time.year < 0 else ""
    year = f"{sign}{abs(time.year):04d}"
    clock = (time.hour, time.minute, time.second)
    if any(clock) or time.precision > 11:
        hour, minute, second = clock
        text = f"{year}-{time.month:02d}-{time.day:02d}T{hour:02d}:{minute:02d}:{second:02d}Z"
        return text, XSD + "dateTime"
    if time.day:
        return f"{year}-{time.month:02d}-{time.day:02d}", XSD + "date"
    if time.month:
        return f"{year}-{time.month:02d}", XSD + "gYearMonth"
    return year, XSD + "gYear"


def value_from_msg(term: Any) -> Value | bool | int:
    """Return the value that a term stands for.

    Raises:
        InvalidRequestError: If the term is malformed.
    """
    if term.kind == m.Term.IRI:
        return EntityValue(id_from_msg(term.value))
    if term.kind == m.Term.BLANK_NODE:
        return SomeValue()
    if term.kind == m.Term.NO_VALUE:
        return NoValue()
    if term.kind != m.Term.LITERAL:
        raise InvalidRequestError(f"A term has the kind {term.kind}; there are 0 to 3.")
    return _literal(term)


def _literal(term: Any) -> Value | bool | int:
    datatype = term.datatype
    if datatype == _LANG_STRING or (term.language and not datatype):
        return MonolingualTextValue(term.value, term.language)
    if datatype in ("", XSD + "string"):
        return StringValue(term.value)
    if datatype == XSD + "anyURI":
        return UrlValue(term.value)
    if datatype == _EXTERNAL_ID:
        return ExternalIdValue(term.value)
    if datatype == XSD + "boolean":
        return _boolean(term.value)
    if datatype == _WKT:
        return _place(term)
    if datatype.startswith(XSD):
        return _number_or_time(term, datatype[len(XSD) :])
    return StringValue(term.value, datatype)


def _number_or_time(term: Any, name: str) -> Value | int:
    if name in ("dateTime", "date", "gYearMonth", "gYear"):
        return _time(term)
    if name == "integer" and not (term.unit or term.lower or term.upper):
        return int(_decimal(term.value))
    if name in ("decimal", "integer", "double", "float", "int", "long", "nonNegativeInteger"):
        return QuantityValue(
            _decimal(term.value),
            id_from_msg(term.unit) if term.unit else None,
            _decimal(term.lower) if term.lower else None,
            _decimal(term.upper) if term.upper else None,
        )
    return StringValue(term.value, term.datatype)


def _boolean(text: str) -> bool:
    if text not in ("true", "false", "1", "0"):
        raise InvalidRequestError(f"{text[:40]!r} is neither true nor false.")
    return text in ("true", "1")


def _decimal(text: str) -> Decimal:
    try:
        number = Decimal(text.strip()) if len(text) < 1_000 else None
    except InvalidOperation:
        number = None
    if number is None or not number.is_finite() or abs(number.adjusted()) > 10_000:
        raise InvalidRequestError(f"{text[:40]!r} is not a number.")
    return number


def _time(term: Any) -> TimeValue:
    match = _TIME.match(term.value)
    if match is None:
        raise InvalidRequestError(f"{term.value[:40]!r} is not a time.")
    sign, year, *rest = match.groups()
    month, day, hour, minute, second = (int(part or 0) for part in rest)
    exact = 11 if rest[1] else 10 if rest[0] else 9
    precision = exact if rest[2] is None else 14
    if 0 <= term.precision <= 14:
        precision = int(term.precision)
    calendar = id_from_msg(term.reference_system) if term.reference_system else "Q1985727"
    number = -int(year) if sign == "-" else int(year)
    return TimeValue(
        number, month, day, hour, minute, second, precision=precision, calendar=calendar
    )


def _place(term: Any) -> CoordinateValue:
    match = _POINT.match(term.value)
    if match is None:
        raise InvalidRequestError(f"{term.value[:40]!r} is not a place: Point(LONGITUDE LATITUDE).")
    return CoordinateValue(
        float(match[2]),
        float(match[1]),
        None if math.isnan(term.precision) else term.precision,
        id_from_msg(term.reference_system) if term.reference_system else "Q2",
    )


def id_from_msg(iri: str) -> str:
    """Return the id of an entity or property named by its IRI (or by a short id).

    Raises:
        InvalidRequestError: If it is neither.
    """
    if not is_id(iri):
        raise InvalidRequestError(f"{iri[:60]!r} is not an absolute IRI, nor an id such as Q42.")
    return id_from_iri(iri)
