"""Values in a query: comparing them with a constraint, and ranking them by size.

The counterpart of ``matching`` in SPARQL. Units and precisions are read from value nodes where a
statement has one (see ``compiler``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import partial
from itertools import groupby
from typing import Final

from robodata_core.errors import ProgramError
from robodata_core.iris import RDF, XSD
from robodata_core.model import (
    ExternalIdValue,
    MonolingualTextValue,
    QuantityValue,
    StringValue,
    TimeValue,
    Value,
)
from robodata_core.programs._relations import ENCODING, GENID, GENID_PATH, TYPE
from robodata_core.programs._sparql import Text
from robodata_core.programs.comparison import Comparison
from robodata_core.programs.instants import Bounds, Instant, bounds_of
from robodata_core.store.terms import property_node

__all__ = [
    "begins",
    "candidates",
    "condition",
    "known",
    "measured",
    "no_encoding",
    "precision_of",
    "time_of",
]

_NO_UNIT: Final = "Q199"
_DAY: Final = 11
_SECOND: Final = 14
#: What every engine reckons with; Oxigraph's decimals are the smallest we know.
_LARGEST: Final = Decimal("1.7e20")
_MOST_PLACES: Final = 18


def known(text: Text, variable: str, *, entity: bool = False) -> str:
    """Return a filter that drops unknown values (blank nodes and what replaces them).

    Args:
        text: The query.
        variable: What to look at.
        entity: Drop literals, too.
    """
    start, middle = text.text(GENID), text.text(GENID_PATH)
    named = (
        f"isIRI({variable}) && !STRSTARTS(STR({variable}), {start}) && "
        f"!CONTAINS(STR({variable}), {middle})"
    )
    return f"FILTER({named})" if entity else f"FILTER(isLiteral({variable}) || ({named}))"


def begins(text: Text, term: str, starts: Sequence[str]) -> str:
    """Return a test whether ``term`` is an IRI that begins with one of ``starts``."""
    tests = (f"STRSTARTS(STR({term}), {text.text(start)})" for start in starts)
    return f"(isIRI({term}) && ({' || '.join(tests)}))"


def no_encoding(text: Text, class_: str) -> str:
    """Return a filter that drops classes that no statement is made of."""
    return f"FILTER(!{begins(text, class_, ENCODING)})"


def condition(
    text: Text, node: str, property_: str, comparison: Comparison, value: Value
) -> list[str]:
    """Return patterns that hold where ``node`` has a value of the property that compares so."""
    if isinstance(value, QuantityValue):
        return _quantity(text, node, property_, comparison, value)
    if isinstance(value, TimeValue):
        return _time(text, node, property_, bounds_of(comparison, value))
    if isinstance(value, (StringValue, ExternalIdValue, MonolingualTextValue)):
        found = text.variable("v")
        test = _text(text, found, comparison, value)
        return [f"{node} {text.predicate(property_)} {found} .", f"FILTER({test})"]
    return _named(text, node, property_, comparison, text.term(value))


def candidates(
    text: Text, node: str, property_: str, comparison: Comparison, value: Value
) -> list[str]:
    """Return patterns that hold of everything that passes a constraint, and perhaps of more.

    Numbers an engine does not reckon with are let through, whoever asks looks for himself.
    """
    if not isinstance(value, QuantityValue):
        return condition(text, node, property_, comparison, value)
    found = text.variable("v")
    lines = [f"{node} {text.predicate(property_)} {found} ."]
    if _is_reckoned_with(value.amount):
        amount = text.term(QuantityValue(value.amount))
        compared = f"{found} {comparison.value} {amount}"
        lines.append(f"FILTER(!isNumeric({found}) || {compared})")
    return lines


def _named(text: Text, node: str, property_: str, comparison: Comparison, term: str) -> list[str]:
    predicate = text.predicate(property_)
    if comparison is Comparison.EQ:
        found = term
        lines = [f"{node} {predicate} {term} ."]
    else:
        found = text.variable("v")
        lines = [f"{node} {predicate} {found} .", f"FILTER({found} != {term})"]
        lines.append(known(text, found, entity=True))
    return [*lines, no_encoding(text, found)] if property_ == TYPE else lines


def _text(
    text: Text,
    found: str,
    comparison: Comparison,
    value: StringValue | ExternalIdValue | MonolingualTextValue,
) -> str:
    compared = f"STR({found}) {comparison.value} {text.text(value.text)}"
    if isinstance(value, MonolingualTextValue):
        return f"LCASE(LANG({found})) = {text.text(value.language.lower())} && {compared}"
    datatype = value.datatype if isinstance(value, StringValue) else ""
    if datatype:
        return f"DATATYPE({found}) = {text.iri(datatype)} && {compared}"
    plain, in_language = text.iri(XSD + "string"), text.iri(RDF + "langString")
    return f"DATATYPE({found}) IN ({plain}, {in_language}) && {compared}"


# -- value nodes ------------------------------------------------------------------------------


def _value_node(text: Text, node: str, property_: str, facts: Sequence[tuple[str, str]]) -> str:
    """Return patterns for a statement's value node with these facts (wikibase: names)."""
    claim, value = text.variable("s"), text.variable("n")
    listed = " ; ".join(f"{text.wikibase(name)} {object_}" for name, object_ in facts)
    return (
        f"{node} {text.iri(property_node(property_, 'claim').value)} {claim} . "
        f"{claim} {text.iri(property_node(property_, 'statement/value').value)} {value} . "
        f"{value} {listed} ."
    )


# -- quantities -------------------------------------------------------------------------------


def _quantity(
    text: Text, node: str, property_: str, comparison: Comparison, value: QuantityValue
) -> list[str]:
    found = text.variable("v")
    amount = _amount(text, value)
    lines = [f"{node} {text.predicate(property_)} {found} ."]
    if value.unit is not None and value.unit != _NO_UNIT:
        facts = [("quantityAmount", found), ("quantityUnit", text.entity(value.unit))]
        lines.append(_value_node(text, node, property_, facts))
    else:
        unit = text.variable("u")
        facts = [("quantityAmount", found), ("quantityUnit", unit)]
        inner = _value_node(text, node, property_, facts)
        other = f"FILTER({unit} != {text.entity(_NO_UNIT)})"
        lines.append(f"FILTER NOT EXISTS {{ {inner} {other} }}")
    lines.append(f"FILTER(isNumeric({found}) && {found} {comparison.value} {amount})")
    return lines


def _amount(text: Text, value: QuantityValue) -> str:
    if not _is_reckoned_with(value.amount):
        raise ProgramError(
            f"{value.amount} is too large or too precise a number for a query.",
            hint="The program itself can be run.",
        )
    return text.term(QuantityValue(value.amount))


def _is_reckoned_with(amount: Decimal) -> bool:
    exponent = amount.normalize().as_tuple().exponent
    return abs(amount) <= _LARGEST and int(exponent) >= -_MOST_PLACES


# -- times ------------------------------------------------------------------------------------


def _time(text: Text, node: str, property_: str, bounds: Bounds) -> list[str]:
    raw, noted = text.variable("v"), text.variable("p")
    exact = bounds.precision > _DAY
    facts = [("timeValue", raw), ("timePrecision", noted)]
    lines = [
        f"{node} {text.predicate(property_)} {raw} .",
        f"OPTIONAL {{ {_value_node(text, node, property_, facts)} }}",
    ]
    precision, found = text.variable("p"), raw
    if text.is_wikidata(property_):
        said = _date_time_precision(raw, exact=exact)
    else:
        said, found = _said_precision(text, raw, exact=exact), text.variable("v")
        lines.append(f"BIND({_utc(text, raw)} AS {found})")
    lines.append(f"BIND(COALESCE({noted}, {said}) AS {precision})")
    lines.append(f"FILTER({_compared(text, found, precision, bounds)})")
    return lines


def precision_of(text: Text, node: str, property_: str, raw: str, precision: str) -> list[str]:
    """Return patterns that bind ``raw`` to values of a property, and how precise each is."""
    noted = text.variable("p")
    facts = [("timeValue", raw), ("timePrecision", noted)]
    said = str(_DAY) if text.is_wikidata(property_) else _said_precision(text, raw, exact=False)
    return [
        f"{node} {text.predicate(property_)} {raw} .",
        f"OPTIONAL {{ {_value_node(text, node, property_, facts)} }}",
        f"BIND(COALESCE({noted}, {said}) AS {precision})",
    ]


def time_of(text: Text, property_: str, raw: str, time: str) -> list[str]:
    """Return what binds ``time`` to a value as xsd:dateTime whose parts are those in UTC.

    Where the value is no time, it stays unbound.

    Args:
        text: The query.
        property_: Whose value it is, empty where that is not known.
        raw: The value.
        time: The variable.
    """
    if property_ and text.is_wikidata(property_):
        return [f"BIND({raw} AS {time})"]
    zoned = text.variable("t")
    # Not SPARQL 1.1, but only of times in other zones: Oxigraph reckons so.
    shifted = f"{zoned} - TIMEZONE({zoned})"
    parts = f'IF(TZ({zoned}) IN ("Z", "+00:00", "-00:00"), {zoned}, {shifted})'
    return [f"BIND({_utc(text, raw)} AS {zoned})", f"BIND({parts} AS {time})"]


def _date_time_precision(raw: str, *, exact: bool) -> str:
    """Return the precision of an xsd:dateTime; ``exact`` where finer than a day matters."""
    if not exact:
        return str(_DAY)
    clock = f"HOURS({raw}) + MINUTES({raw}) + FLOOR(SECONDS({raw}))"
    elsewhere = f'TZ({raw}) NOT IN ("", "Z", "+00:00", "-00:00")'
    return f"IF({clock} > 0 || {elsewhere}, {_SECOND}, {_DAY})"


def _said_precision(text: Text, raw: str, *, exact: bool) -> str:
    """Return the precision that the datatype of a time says."""
    date_time = _date_time_precision(raw, exact=exact)
    year, month, day = (text.iri(XSD + name) for name in ("gYear", "gYearMonth", "date"))
    kind = f"DATATYPE({raw})"
    return (
        f"IF({kind} = {year}, 9, IF({kind} = {month}, 10, IF({kind} = {day}, {_DAY}, {date_time})))"
    )


def _utc(text: Text, raw: str) -> str:
    """Return a time of any XSD datatype as xsd:dateTime in UTC; an error where it is none."""
    date_time = text.iri(XSD + "dateTime")
    no_zone = f'REPLACE(STR({raw}), "(Z|[+-][0-9][0-9]:[0-9][0-9])$", "")'
    rest = {"date": "T00:00:00Z", "gYear": "-01-01T00:00:00Z", "gYearMonth": "-01T00:00:00Z"}
    lexical = f'IF(TZ({raw}) = "", CONCAT(STR({raw}), "Z"), STR({raw}))'
    for name, tail in rest.items():
        test = f"DATATYPE({raw}) = {text.iri(XSD + name)}"
        lexical = f'IF({test}, CONCAT({no_zone}, "{tail}"), {lexical})'
    return f"{date_time}({lexical})"


def _compared(text: Text, found: str, precision: str, bounds: Bounds) -> str:
    """Return the test of a time against its bounds."""
    comparison = bounds.comparison
    inclusive = comparison in (Comparison.LE, Comparison.GE, Comparison.EQ)
    # A time less precise than the constraint is never within it.
    least = bounds.precision if comparison is Comparison.EQ else 0
    coarsest = max(least, bounds.coarsest_after)
    before = _threshold(text, precision, partial(bounds.before, inclusive=inclusive), least)
    after = _threshold(text, precision, partial(bounds.after, inclusive=inclusive), coarsest)
    is_before = f"{found} < {before}"
    is_after = f"{found} >= {after}"
    if coarsest:
        is_after = f"{precision} >= {coarsest} && {is_after}"
    if comparison in (Comparison.LT, Comparison.LE):
        return is_before
    if comparison in (Comparison.GT, Comparison.GE):
        return is_after
    if comparison is Comparison.NE:
        return f"{is_before} || ({is_after})"
    return f"{is_after} && {is_before}"


def _threshold(text: Text, precision: str, at: Callable[[int], Instant | None], least: int) -> str:
    """Return an expression for the threshold at each precision from ``least`` to the finest."""
    expression = ""
    for instant, run in groupby(range(least, _SECOND + 1), key=at):
        assert instant is not None
        coarsest, written = next(iter(run)), text.instant(instant)
        expression = (
            f"IF({precision} >= {coarsest}, {written}, {expression})" if expression else written
        )
    return expression


# -- sizes ------------------------------------------------------------------------------------


def measured(text: Text, node: str, property_: str, size: str, among: str) -> list[str]:
    """Return patterns that bind ``size`` to what is ranked, ``among`` to what it is ranked with."""
    raw = size if text.is_wikidata(property_) else text.variable("v")
    unit, no_unit = text.variable("u"), text.entity(_NO_UNIT)
    date_time = text.iri(XSD + "dateTime")
    facts = [("quantityAmount", raw), ("quantityUnit", unit)]
    lines = [
        f"{node} {text.predicate(property_)} {raw} .",
        f"OPTIONAL {{ {_value_node(text, node, property_, facts)} }}",
    ]
    if raw == size:
        lines.append(f"FILTER(isNumeric({raw}) || {date_time}({raw}) = {raw})")
    else:
        lines.append(f"BIND(IF(isNumeric({raw}), {raw}, {_utc(text, raw)}) AS {size})")
        lines.append(f"FILTER(BOUND({size}))")
    unit_or_time = f"IF(isNumeric({raw}), COALESCE({unit}, {no_unit}), {date_time})"
    return [*lines, f"BIND({unit_or_time} AS {among})"]
