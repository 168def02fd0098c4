"""Whether a value compares with a constraint, and which values can be ranked with each other."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from decimal import Decimal
from typing import TypeAlias

from robodata_core.model import (
    EntityValue,
    ExternalIdValue,
    MonolingualTextValue,
    QuantityValue,
    StringValue,
    TimeValue,
    UrlValue,
    Value,
)
from robodata_core.programs.comparison import OPERATORS, Comparison
from robodata_core.programs.instants import Instant, instant_of, time_matcher
from robodata_core.programs.keys import key_of

__all__ = ["Matcher", "matcher", "measure"]

Matcher: TypeAlias = Callable[[Value], bool]


def matcher(comparison: Comparison, constraint: Value) -> Matcher:
    """Return a test of values against ``constraint``; other kinds of value never pass it."""
    if isinstance(constraint, QuantityValue):
        return _quantities(comparison, constraint)
    if isinstance(constraint, TimeValue):
        holds = time_matcher(comparison, constraint)
        return lambda value: isinstance(value, TimeValue) and holds(value)
    if isinstance(constraint, MonolingualTextValue):
        return _texts_of_one_language(comparison, constraint)
    if isinstance(constraint, (StringValue, ExternalIdValue)):
        return _texts(comparison, constraint)
    return _named(comparison, constraint)


def _quantities(comparison: Comparison, constraint: QuantityValue) -> Matcher:
    compare, amount, unit = OPERATORS[comparison], constraint.amount, constraint.unit
    return lambda value: (
        isinstance(value, QuantityValue) and value.unit == unit and compare(value.amount, amount)
    )


def _texts_of_one_language(comparison: Comparison, constraint: MonolingualTextValue) -> Matcher:
    compare, text, language = OPERATORS[comparison], constraint.text, constraint.language.lower()
    return lambda value: (
        isinstance(value, MonolingualTextValue)
        and value.language.lower() == language
        and compare(value.text, text)
    )


def _texts(comparison: Comparison, constraint: StringValue | ExternalIdValue) -> Matcher:
    compare, text = OPERATORS[comparison], constraint.text
    datatype = constraint.datatype if isinstance(constraint, StringValue) else ""
    plain = (ExternalIdValue, MonolingualTextValue)

    def _test(value: Value) -> bool:
        if isinstance(value, StringValue):
            return value.datatype == datatype and compare(value.text, text)
        return not datatype and isinstance(value, plain) and compare(value.text, text)

    return _test


def _named(comparison: Comparison, constraint: Value) -> Matcher:
    compare, key = OPERATORS[comparison], key_of(constraint)
    return lambda value: isinstance(value, (EntityValue, UrlValue)) and compare(key_of(value), key)


def measure(value: Value) -> tuple[Hashable, Decimal | Instant] | None:
    """Return what ``value`` can be ranked among (one unit, or all times) and its size there."""
    if isinstance(value, QuantityValue):
        return ("unit", value.unit), value.amount
    if isinstance(value, TimeValue):
        return "time", instant_of(value)
    return None
