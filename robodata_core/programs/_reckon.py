"""Reckoning with dates, numbers and the sizes of sets: what is not stated, but follows.

The counterpart of ``_reckoned`` in SPARQL; both keep to the same formulas. Days are numbered as
Julian days of the proleptic Gregorian calendar, from the date a time's direct triple writes.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from decimal import Decimal, localcontext
from typing import Final, TypeAlias

from robodata_core.model import QuantityValue, Statement, TimeValue, Value
from robodata_core.programs._keys import Key, key_of
from robodata_core.programs._sets import Derived, Kept, NodeSet, entity_ids
from robodata_core.programs._times import Instant, instant_of, slot_start
from robodata_core.programs.steps import (
    Aggregate,
    Coarsen,
    Elapsed,
    ExtremeSize,
    ExtremeSpan,
    FilterBySame,
    Function,
    Stretch,
)

__all__ = [
    "MONTH",
    "PLACES",
    "Reckoner",
    "day_number",
    "elapsed",
    "extreme_size",
    "whole_years",
]

#: Averages are given to so many places.
PLACES: Final = 6
#: Precision of times from which they name a month.
MONTH: Final = 10
_DIGITS: Final = 400
_MOST_PAIRS: Final = 200_000

#: Gives, for some nodes and properties, the statements node by node; notes cuts in the set.
Reader: TypeAlias = Callable[
    [Sequence[str], Sequence[str], NodeSet], Iterable[tuple[str, Statement]]
]


def day_number(instant: Instant) -> int:
    """Return the Julian day number of a date."""
    year, month, day = instant[:3]
    before_march = (14 - month) // 12
    years, months = year + 4800 - before_march, month + 12 * before_march - 3
    leaps = years // 4 - years // 100 + years // 400
    return day + (153 * months + 2) // 5 + 365 * years + leaps - 32045


def whole_years(first: Instant, last: Instant) -> int:
    """Return how many times the anniversary of ``first`` was reached by ``last``."""
    return last[0] - first[0] - (last[1:3] < first[1:3])


class Reckoner:
    """Carries out the steps that reckon.

    Args:
        statements: Reads a source.
    """

    def __init__(self, statements: Reader) -> None:
        self._statements = statements

    def coarsen(self, parent: NodeSet, step: Coarsen) -> NodeSet:
        """Give the times of a property at a precision."""
        result = Derived(truncated=parent.truncated)
        for id_, one in self._statements(entity_ids(parent), (step.property,), result):
            time = one.value
            if not isinstance(time, TimeValue) or time.precision < step.precision:
                continue
            start = slot_start(instant_of(time), step.precision)
            month = start[1] if step.precision >= MONTH else 0
            day = start[2] if step.precision > MONTH else 0
            _add(
                result,
                TimeValue(start[0], month, day, precision=step.precision),
                ((parent, id_),),
                (one,),
            )
        return result

    def extreme_span(self, parent: NodeSet, step: ExtremeSpan) -> NodeSet:
        """Keep nodes with the longest or shortest time between two properties."""
        result = Kept(truncated=parent.truncated, parent=parent)
        ids = entity_ids(parent)
        begins = self._times(ids, step.begin, result)
        ends = self._times(ids, step.end, result)
        spans: dict[str, tuple[int, tuple[Statement, Statement]]] = {}
        for id_ in ids:
            for day, first in begins.get(id_, ()):
                for later, last in ends.get(id_, ()):
                    span, known = later - day, spans.get(id_)
                    if span < 0:
                        continue
                    if known is None or (span > known[0] if step.largest else span < known[0]):
                        spans[id_] = span, (first, last)
        if spans:
            best = (max if step.largest else min)(span for span, _ in spans.values())
            for id_, (span, why) in spans.items():
                if span == best:
                    result.nodes[id_], result.why[id_] = parent.nodes[id_], why
        return result

    def same(self, near: NodeSet, step: FilterBySame, parent: NodeSet | None) -> NodeSet:
        """Keep nodes for which two relations lead to a same value.

        Args:
            near: What to look at.
            step: The relations.
            parent: The set that is filtered, None where the step starts one.
        """
        result = Kept(truncated=near.truncated, parent=parent)
        ids = entity_ids(near)
        ways: dict[tuple[str, Key], Statement] = {}
        for id_, one in self._statements(ids, step.first, result):
            key = key_of(one.value)
            if key is not None:
                ways.setdefault((id_, key), one)
        for id_, other in self._statements(ids, step.second, result):
            key = key_of(other.value)
            way = ways.get((id_, key)) if key is not None else None
            if way is not None and id_ not in result.nodes:
                result.nodes[id_] = near.nodes[id_]
                result.why[id_] = tuple(dict.fromkeys((way, other)))
        return result

    def _times(
        self, ids: Sequence[str], property_: str, result: NodeSet
    ) -> dict[str, list[tuple[int, Statement]]]:
        found: dict[str, list[tuple[int, Statement]]] = {}
        for id_, one in self._statements(ids, (property_,), result):
            if isinstance(one.value, TimeValue):
                found.setdefault(id_, []).append((day_number(instant_of(one.value)), one))
        return found

    def aggregate(self, parent: NodeSet, step: Aggregate) -> NodeSet:
        """Put the numbers of a property together, unit by unit."""
        result = Derived(truncated=parent.truncated)
        groups: dict[Hashable, dict[tuple[str, Decimal], Statement]] = {}
        for id_, one in self._statements(entity_ids(parent), (step.property,), result):
            if isinstance(one.value, QuantityValue):
                place = (id_, one.value.amount)
                groups.setdefault(one.value.unit, {}).setdefault(place, one)
        for unit, found in groups.items():
            amount = _together([amount for _, amount in found], step.function)
            assert unit is None or isinstance(unit, str)
            came = tuple((parent, id_) for id_ in dict.fromkeys(id_ for id_, _ in found))
            _add(result, QuantityValue(amount, unit), came, tuple(found.values()))
        return result


def elapsed(first: NodeSet, last: NodeSet, step: Elapsed) -> NodeSet:
    """Give the time from times of one set to later ones of another."""
    result = Derived(truncated=first.truncated or last.truncated)
    begins, ends = _instants(first), _instants(last)
    if len(begins) * len(ends) > _MOST_PAIRS:
        result.truncated = True
        return result
    for before, begin in begins:
        for after, end in ends:
            days = day_number(end) - day_number(begin)
            if days >= 0:
                number = days if step.stretch is Stretch.DAYS else whole_years(begin, end)
                came = ((first, before), (last, after))
                _add(result, QuantityValue(Decimal(number)), came, ())
    return result


def extreme_size(parents: Sequence[NodeSet], step: ExtremeSize) -> NodeSet:
    """Give the values whose sets are largest or smallest."""
    result = Derived(truncated=any(parent.truncated for parent in parents))
    sizes = [len(parent.nodes) for parent in parents]
    best = (max if step.largest else min)(sizes)
    for value, parent, size in zip(step.values, parents, sizes, strict=True):
        if size == best:
            _add(result, value, tuple((parent, key) for key in parent.nodes), ())
    return result


def _add(
    result: Derived,
    value: Value,
    came: tuple[tuple[NodeSet, Key], ...],
    why: tuple[Statement, ...],
) -> None:
    key = key_of(value)
    if key not in result.nodes:
        result.nodes[key], result.came[key], result.why[key] = value, came, why


def _together(amounts: Sequence[Decimal], function: Function) -> Decimal:
    with localcontext() as context:
        context.prec = _DIGITS
        total = sum(amounts, Decimal(0))
        if function is Function.SUM:
            return total
        if function is Function.RANGE:
            return max(amounts) - min(amounts)
        scale = Decimal(10) ** PLACES
        # Halves go up, as ROUND in SPARQL does.
        shifted = total * scale / len(amounts) + Decimal("0.5")
        return shifted.to_integral_value(rounding="ROUND_FLOOR") / scale


def _instants(nodes: NodeSet) -> list[tuple[Key, Instant]]:
    return [
        (key, instant_of(value))
        for key, value in nodes.nodes.items()
        if isinstance(value, TimeValue)
    ]
