"""What a graph states of some things by one property, and which property most of them have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Final

from robodata_core.errors import RoboDataError
from robodata_core.iris import predicate_iri
from robodata_core.model import (
    Direction,
    EntityValue,
    NoValue,
    QuantityValue,
    SomeValue,
    Statement,
    TimeValue,
    Value,
)
from robodata_core.policy.offline.literals import Measure
from robodata_core.policy.offline.relations import Hop
from robodata_core.policy.offline.tables import units
from robodata_core.sources.base import KnowledgeSource, QueryLimits
from robodata_core.text import normalise_name

__all__ = ["MOST_OTHERS", "Stated", "ids_of", "others_of", "quantities", "some_with", "values_of"]

_BATCH: Final = 200
_PER_THING: Final = 50
_SAMPLE: Final = 20
#: Most others that are read of each thing along a relation.
MOST_OTHERS: Final = 1_000

Stated = Mapping[str, tuple[Statement, ...]]


def ids_of(values: Iterable[Value]) -> list[str]:
    """Return the ids of the things among some values."""
    return [value.id for value in values if isinstance(value, EntityValue)]


def values_of(source: KnowledgeSource, ids: Sequence[str], property_: str) -> Stated:
    """Return the numbers and times that are stated of each thing; things without are left out."""
    found: dict[str, tuple[Statement, ...]] = {}
    for start in range(0, len(ids), _BATCH):
        batch = list(ids[start : start + _BATCH])
        pages = source.statements_many(
            batch, direction=Direction.OUT, property=property_, limit=_PER_THING
        )
        for id_ in batch:
            page = pages.get(id_)
            kept = tuple(
                one for one in (page.statements if page else ())
                if isinstance(one.value, (QuantityValue, TimeValue))
            )  # fmt: skip
            if kept:
                found[id_] = kept
    return found


def some_with(source: KnowledgeSource, name: str) -> list[str]:
    """Return a few things that have a property; none where the source does not tell."""
    query = f"SELECT DISTINCT ?s WHERE {{ ?s <{predicate_iri(name)}> ?v }} LIMIT {_SAMPLE}"
    try:
        rows = source.sparql(query, limits=QueryLimits(_SAMPLE, 5.0)).rows
    except RoboDataError:
        return []
    return ids_of(value for row in rows if (value := row[0]) is not None)


def others_of(source: KnowledgeSource, ids: Sequence[str], hop: Hop) -> Stated:
    """Return the statements that join each thing to others along one of some relations.

    Each of the others once; things joined to none are left out.
    """
    found: dict[str, dict[Value, Statement]] = {}
    for name, way in hop:
        for start in range(0, len(ids), _BATCH):
            batch = list(ids[start : start + _BATCH])
            pages = source.statements_many(batch, direction=way, property=name, limit=MOST_OTHERS)
            for id_, page in pages.items():
                for one in page.statements:
                    far = one.value if way is Direction.OUT else EntityValue(one.subject)
                    if not isinstance(far, (SomeValue, NoValue)):
                        found.setdefault(id_, {}).setdefault(far, one)
    return {id_: tuple(found[id_].values()) for id_ in ids if found.get(id_)}


def quantities(
    measure: Measure, values: Iterable[Value], labels: Mapping[str, str]
) -> tuple[QuantityValue | None, str]:
    """Return a measure in the unit of some values, and what is to be said of the conversion.

    Args:
        measure: As the question writes it.
        values: What it is compared with.
        labels: Labels of their units.

    Returns:
        The quantity, or None where the units cannot be compared; and a note, may be empty.
    """
    given = [value for value in values if isinstance(value, QuantityValue)]
    used = {value.unit for value in given}
    unit = sorted(used, key=lambda id_: (id_ is None, id_ or ""))[0] if used else None
    if not measure.unit:
        return QuantityValue(measure.amount, unit), ""
    base, factor = units()[measure.unit]
    if unit is None:
        return _without_unit(measure, base, factor, [value.amount for value in given])
    name = normalise_name(labels.get(unit, ""))
    known = units().get(name)
    if known is None or known[0] != base:
        return None, f"{labels.get(unit, unit)} cannot be compared with {measure.unit}."
    amount = measure.amount * factor / known[1]
    return QuantityValue(_plain(amount), unit), ""


def _without_unit(
    measure: Measure, base: str, factor: Decimal, amounts: Sequence[Decimal]
) -> tuple[QuantityValue, str]:
    """Return a measure for numbers without a unit: in its own or in the base, as fits them.

    Which one is told by size alone: 142 for a film is minutes, 1.8 for a person is metres.
    """
    own, converted = measure.amount, measure.amount * factor
    sizes = sorted(amount for amount in amounts if amount > 0)
    middle = sizes[len(sizes) // 2] if sizes else Decimal(1)
    in_base = own > 0 and abs((converted / middle).log10()) < abs((own / middle).log10())
    name = base if in_base else measure.unit
    note = f"The graph gives no unit; its numbers were read as {name}."
    return QuantityValue(_plain(converted if in_base else own), None), note


def _plain(amount: Decimal) -> Decimal:
    """Return a quotient without needless digits."""
    rounded = amount.quantize(Decimal("1e-12")) if abs(amount) < Decimal("1e15") else amount
    return rounded.normalize() + 0
