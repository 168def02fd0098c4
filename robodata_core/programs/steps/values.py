"""Values of a property: comparing, ranking, and putting numbers together."""

from __future__ import annotations

import enum
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from typing import Any, ClassVar, Final

from robodata_core.errors import ProgramError
from robodata_core.iris import XSD
from robodata_core.model import (
    EntityValue,
    ExternalIdValue,
    MonolingualTextValue,
    QuantityValue,
    Statement,
    StringValue,
    TimeValue,
    UrlValue,
    Value,
)
from robodata_core.programs import english
from robodata_core.programs._conditions import condition, measured
from robodata_core.programs._sparql import indented
from robodata_core.programs.comparison import Comparison
from robodata_core.programs.fields import OptionalSet, PropertyId, SetName
from robodata_core.programs.matching import matcher, measure
from robodata_core.programs.nodes import Derived, Kept, NodeSet, entity_ids
from robodata_core.programs.phrases import Phrase, Reader
from robodata_core.programs.query import QueryWriter
from robodata_core.programs.step import Step
from robodata_core.programs.world import World

__all__ = ["Aggregate", "Extreme", "FilterByConstraint", "Function"]

_ORDERED = (QuantityValue, TimeValue, StringValue, ExternalIdValue, MonolingualTextValue)
_EQUAL_ONLY = (EntityValue, UrlValue)
#: Precision of times that a month names.
_MONTH: Final = 10
#: Averages are given to so many places.
_PLACES: Final = 6
_DIGITS: Final = 400


@dataclass(frozen=True, slots=True)
class FilterByConstraint(Step):
    """``get_entity_by_constraint``: keep entities with a property value that compares so.

    One value that compares so is enough; ``!=`` means: has a value that is different. Kinds are
    never mixed. Quantities compare within one unit, one without unit with those without. Texts
    compare by code point; a plain string with texts of any language. Times compare when it is
    certain at their precision: 11 March 1952 equals the year 1952, lies before 1953 and not before
    1952; the year 1952 does not equal 11 March 1952. ``<=`` is "over by the end of", ``>=`` "not
    begun before". A time known to 10,000 years or worse is never after one known better. With
    ``source`` empty it starts a set: all entities that pass (looked up with one query).
    """

    carries: ClassVar[frozenset[str]] = frozenset({"order", "measure"})
    out: str
    source: OptionalSet
    property: PropertyId
    comparison: Comparison
    value: Value

    def check(self) -> None:
        """Refuse values that have no order, where one is asked for."""
        if isinstance(self.value, _EQUAL_ONLY):
            if self.comparison not in (Comparison.EQ, Comparison.NE):
                raise ProgramError("entities and links can only be equal or not equal.")
        elif not isinstance(self.value, _ORDERED):
            raise ProgramError(f"a {type(self.value).__name__} cannot be compared.")

    def run(self, sets: tuple[NodeSet, ...], world: World) -> NodeSet:
        """Keep what has a value that passes."""
        result = Kept(parent=sets[0] if sets else None)
        if sets:
            ids, result.truncated = entity_ids(sets[0]), sets[0].truncated
        else:
            found = world.lookup.passing(self.property, self.comparison, self.value)
            ids, result.truncated = found
        passes = matcher(self.comparison, self.value)
        for id_, one in world.statements(ids, (self.property,), result):
            if id_ not in result.nodes and passes(one.value):
                result.nodes[id_] = EntityValue(id_)
                result.why[id_] = (one,)
        return result

    def pattern(self, query: QueryWriter, node: str) -> list[str]:
        """Write the value and its test."""
        properties = (self.property,)
        lines = query.source(self.source, node, properties)
        lines += condition(query.text, node, self.property, self.comparison, self.value)
        return lines + query.started(self.source, node, properties)

    def phrase(self, reader: Reader) -> Phrase:
        """Write "whose population is more than 5"."""
        relation = reader.relation((self.property,))
        verb = english.verb(relation) if self.comparison is Comparison.EQ else None
        if verb and isinstance(self.value, EntityValue):
            return reader.of(self.source).narrowed(f"that {verb} {reader.words.value(self.value)}")
        days = isinstance(self.value, TimeValue) and self.value.precision > _MONTH
        times = isinstance(self.value, TimeValue) and not (
            days and self.comparison in (Comparison.EQ, Comparison.NE)
        )
        compared = (english.TIME_COMPARISONS if times else english.COMPARISONS)[self.comparison]
        told = f"{compared} {reader.words.value(self.value)}"
        has = f"has {english.one(relation)} that {told}"
        return reader.of(self.source).narrowed(f"whose {relation} {told}", verb=has)


@dataclass(frozen=True, slots=True)
class Extreme(Step):
    """Nodes whose value of ``property`` is largest or smallest; ties are all kept.

    Entities without a value drop out. Times rank by when they begin. Quantities rank within one
    unit: a set that mixes units has an extreme in each.
    """

    reckoned: ClassVar[bool] = True
    carries: ClassVar[frozenset[str]] = frozenset({"share", "order", "measure", "choice"})
    hangs_on_all: ClassVar[bool] = True
    out: str
    source: SetName
    property: PropertyId
    largest: bool

    def run(self, sets: tuple[NodeSet, ...], world: World) -> NodeSet:
        """Keep what has the largest value, among values of one kind and unit."""
        parent = sets[0]
        result = Kept(truncated=parent.truncated, parent=parent)
        best: dict[Hashable, Any] = {}
        sizes: list[tuple[str, Statement, Hashable, Any]] = []
        for id_, one in world.statements(entity_ids(parent), (self.property,), result):
            measured_ = measure(one.value)
            if measured_ is None:
                continue
            among, size = measured_
            sizes.append((id_, one, among, size))
            record = best.get(among)
            if record is None or (size > record if self.largest else size < record):
                best[among] = size
        for id_, one, among, size in sizes:
            if size == best[among] and id_ not in result.nodes:
                result.nodes[id_] = parent.nodes[id_]
                result.why[id_] = (one,)
        return result

    def pattern(self, query: QueryWriter, node: str) -> list[str]:
        """Write the value, and the best of its kind beside it."""
        text = query.text
        is_wikidata = query.is_wikidata(self.property)
        other, size, among = text.variable(), text.variable("v"), text.variable("k")
        inner = [
            *query.set(self.source, other, subjects=is_wikidata),
            *measured(text, other, self.property, size, among),
        ]
        best, own = text.variable("m"), text.variable("v")
        function = "MAX" if self.largest else "MIN"
        return [
            *query.set(self.source, node, subjects=is_wikidata),
            *measured(text, node, self.property, own, among),
            f"{{ SELECT {among} ({function}({size}) AS {best}) WHERE {{",
            *indented(inner),
            f"}} GROUP BY {among} }}",
            f"FILTER({own} = {best})",
        ]

    def phrase(self, reader: Reader) -> Phrase:
        """Write "one with the largest population of (any city)"."""
        size = english.superlative(reader.relation((self.property,)), largest=self.largest)
        return reader.of(self.source).ordered(size)


class Function(str, enum.Enum):
    """What numbers are put together to."""

    SUM = "sum"
    AVERAGE = "average"
    RANGE = "range"


_FUNCTIONS: Final = {
    Function.SUM: "sum",
    Function.AVERAGE: "average",
    Function.RANGE: "largest less the smallest",
}


@dataclass(frozen=True, slots=True)
class Aggregate(Step):
    """The sum, average or range of a property's numbers over a set, one for each unit.

    Each number of an entity counts once; averages have six places. The range is the largest less
    the smallest: the difference between two.
    """

    reckoned: ClassVar[bool] = True
    carries: ClassVar[frozenset[str]] = frozenset({"measure"})
    hangs_on_all: ClassVar[bool] = True
    out: str
    source: SetName
    property: PropertyId
    function: Function

    def run(self, sets: tuple[NodeSet, ...], world: World) -> NodeSet:
        """Put the numbers together, unit by unit."""
        parent = sets[0]
        result = Derived(truncated=parent.truncated)
        groups: dict[str | None, dict[tuple[str, Decimal], Statement]] = {}
        for id_, one in world.statements(entity_ids(parent), (self.property,), result):
            if isinstance(one.value, QuantityValue):
                place = (id_, one.value.amount)
                groups.setdefault(one.value.unit, {}).setdefault(place, one)
        for unit, found in groups.items():
            amount = self._together([amount for _, amount in found])
            came = tuple((parent, id_) for id_ in dict.fromkeys(id_ for id_, _ in found))
            result.add(QuantityValue(amount, unit), came, tuple(found.values()))
        return result

    def _together(self, amounts: Sequence[Decimal]) -> Decimal:
        with localcontext() as context:
            context.prec = _DIGITS
            total = sum(amounts, Decimal(0))
            if self.function is Function.SUM:
                return total
            if self.function is Function.RANGE:
                return max(amounts) - min(amounts)
            scale = Decimal(10) ** _PLACES
            # Halves go up, as ROUND in SPARQL does.
            shifted = total * scale / len(amounts) + Decimal("0.5")
            return shifted.to_integral_value(rounding="ROUND_FLOOR") / scale

    def pattern(self, query: QueryWriter, node: str) -> list[str]:
        """Write the sum, average or range, unit by unit."""
        text = query.text
        owner, raw, size, among = (text.variable(stem) for stem in "xvvk")
        inner = [
            *query.set(self.source, owner),
            *measured(text, owner, self.property, raw, among),
            f"FILTER(isNumeric({raw}))",
        ]
        total = f"SUM({size})"
        if self.function is Function.RANGE:
            total = f"MAX({size}) - MIN({size})"
        elif self.function is Function.AVERAGE:
            scale = 10**_PLACES
            total = f"ROUND(SUM({size}) / COUNT({size}) * {scale}) / {scale}"
        decimal = text.iri(XSD + "decimal")
        return [
            f"{{ SELECT ({total} AS {node}) WHERE {{",
            f"  {{ SELECT DISTINCT {owner} ({decimal}({raw}) AS {size}) {among} WHERE {{",
            *indented(indented(inner)),
            "  } }",
            f"}} GROUP BY {among} }}",
        ]

    def phrase(self, reader: Reader) -> Phrase:
        """Write "sum population of (any city)"."""
        relation = reader.relation((self.property,))
        return Phrase(f"{_FUNCTIONS[self.function]} {relation} of ({reader.of(self.source).whole})")
