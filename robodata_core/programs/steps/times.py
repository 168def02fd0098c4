"""Times: told to a precision, and the time between them."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import ClassVar, Final

from robodata_core.errors import ProgramError
from robodata_core.iris import XSD
from robodata_core.model import QuantityValue, Statement, TimeValue
from robodata_core.programs import english
from robodata_core.programs._conditions import precision_of, time_of
from robodata_core.programs._sparql import extremes, indented
from robodata_core.programs.calendar import (
    MONTH,
    day_number,
    day_of,
    instant_at,
    slot_year,
    whole_years,
    years_between,
)
from robodata_core.programs.fields import PropertyId, SetName
from robodata_core.programs.instants import Instant, instant_of, slot_start
from robodata_core.programs.keys import Key
from robodata_core.programs.nodes import Derived, Kept, NodeSet, entity_ids
from robodata_core.programs.phrases import Phrase, Reader
from robodata_core.programs.query import QueryWriter
from robodata_core.programs.step import Step
from robodata_core.programs.world import World

__all__ = ["Coarsen", "Elapsed", "ExtremeSpan", "Stretch"]

_MOST_PAIRS: Final = 200_000
#: Millennia to days.
_COARSEST: Final = 6
_FINEST: Final = 11


def _bound(node: str, expression: str, lines: Sequence[str]) -> list[str]:
    """Return lines that bind a reckoned value; what cannot be reckoned drops out.

    They stand in a SELECT of their own, so that they can be joined with others that bind the
    same variable.
    """
    return [
        f"{{ SELECT DISTINCT {node} WHERE {{",
        *indented(lines),
        f"  BIND({expression} AS {node})",
        f"  FILTER(BOUND({node}))",
        "} }",
    ]


@dataclass(frozen=True, slots=True)
class Coarsen(Step):
    """The times of a property, told to a precision alone ("in which year", "which century").

    Times that are known less precisely than that drop out.
    """

    reckoned: ClassVar[bool] = True
    out: str
    source: SetName
    property: PropertyId
    precision: int

    def check(self) -> None:
        """Refuse precisions that nothing is told in."""
        if not _COARSEST <= self.precision <= _FINEST:
            raise ProgramError(f"{self.precision!r} is not a precision of times to be told in.")

    def run(self, sets: tuple[NodeSet, ...], world: World) -> NodeSet:
        """Give the beginnings of the slots that hold the times."""
        parent = sets[0]
        result = Derived(truncated=parent.truncated)
        for id_, one in world.statements(entity_ids(parent), (self.property,), result):
            time = one.value
            if not isinstance(time, TimeValue) or time.precision < self.precision:
                continue
            start = slot_start(instant_of(time), self.precision)
            month = start[1] if self.precision >= MONTH else 0
            day = start[2] if self.precision > MONTH else 0
            told = TimeValue(start[0], month, day, precision=self.precision)
            result.add(told, ((parent, id_),), (one,))
        return result

    def pattern(self, query: QueryWriter, node: str) -> list[str]:
        """Write the slot of each time."""
        text = query.text
        owner, raw, found = text.variable(), text.variable("v"), text.variable("t")
        precision, year = text.variable("p"), text.variable("y")
        lines = [
            *query.set(self.source, owner),
            *precision_of(text, owner, self.property, raw, precision),
            *time_of(text, self.property, raw, found),
            f"BIND({slot_year(text, found, self.precision)} AS {year})",
            f"FILTER({precision} >= {self.precision})",
        ]
        return _bound(node, instant_at(text, year, found, self.precision), lines)

    def phrase(self, reader: Reader) -> Phrase:
        """Write "year of the date of birth of Ann"."""
        relation, source = reader.relation((self.property,)), reader.of(self.source)
        text = f"{english.PRECISIONS[self.precision]} of the {relation} of {source.inner}"
        return Phrase(text, source.plain)


class Stretch(str, enum.Enum):
    """What stretches of time are counted in."""

    DAYS = "days"
    YEARS = "years"


@dataclass(frozen=True, slots=True)
class Elapsed(Step):
    """How many whole years or days lie between times of ``source`` and later ones of ``target``.

    By the dates alone; unknown months and days count as the first.
    """

    reckoned: ClassVar[bool] = True
    carries: ClassVar[frozenset[str]] = frozenset({"measure"})
    out: str
    source: SetName
    target: SetName
    stretch: Stretch

    def run(self, sets: tuple[NodeSet, ...], world: World) -> NodeSet:
        """Give the time from each to each later one."""
        first, last = sets
        result = Derived(truncated=first.truncated or last.truncated)
        begins, ends = _instants(first), _instants(last)
        if len(begins) * len(ends) > _MOST_PAIRS:
            result.truncated = True
            return result
        for before, begin in begins:
            for after, end in ends:
                days = day_number(end) - day_number(begin)
                if days >= 0:
                    in_days = self.stretch is Stretch.DAYS
                    number = days if in_days else whole_years(begin, end)
                    came = ((first, before), (last, after))
                    result.add(QuantityValue(Decimal(number)), came, ())
        return result

    def pattern(self, query: QueryWriter, node: str) -> list[str]:
        """Write the difference of both times."""
        text = query.text
        raws = text.variable("v"), text.variable("v")
        times = text.variable("t"), text.variable("t")
        lines = [*query.set(self.source, raws[0]), *query.set(self.target, raws[1])]
        for raw, time in zip(raws, times, strict=True):
            lines += time_of(text, "", raw, time)
        days = f"{day_of(times[1])} - {day_of(times[0])}"
        lines.append(f"FILTER({days} >= 0)")
        if self.stretch is Stretch.DAYS:
            return _bound(node, f"{text.iri(XSD + 'integer')}({days})", lines)
        return _bound(node, years_between(*times), lines)

    def phrase(self, reader: Reader) -> Phrase:
        """Write "years from the date of birth of Ann to 1990"."""
        source, target = reader.of(self.source), reader.of(self.target)
        return Phrase(f"{self.stretch.value} from {source.inner} to {target.inner}", counts=True)


def _instants(nodes: NodeSet) -> list[tuple[Key, Instant]]:
    return [
        (key, instant_of(value))
        for key, value in nodes.nodes.items()
        if isinstance(value, TimeValue)
    ]


@dataclass(frozen=True, slots=True)
class ExtremeSpan(Step):
    """Nodes with the longest or shortest time from one property to another ("lived longest").

    ``begin`` and ``end`` are properties with times; nodes without both drop out, ties are all
    kept.
    """

    reckoned: ClassVar[bool] = True
    carries: ClassVar[frozenset[str]] = frozenset({"order", "measure", "choice"})
    hangs_on_all: ClassVar[bool] = True
    out: str
    source: SetName
    begin: PropertyId
    end: PropertyId
    largest: bool

    def run(self, sets: tuple[NodeSet, ...], world: World) -> NodeSet:
        """Keep what has the longest time between both."""
        parent = sets[0]
        result = Kept(truncated=parent.truncated, parent=parent)
        ids = entity_ids(parent)
        begins = self._times(world, ids, self.begin, result)
        ends = self._times(world, ids, self.end, result)
        spans: dict[str, tuple[int, tuple[Statement, Statement]]] = {}
        for id_ in ids:
            for day, first in begins.get(id_, ()):
                for later, last in ends.get(id_, ()):
                    span, known = later - day, spans.get(id_)
                    if span < 0:
                        continue
                    if known is None or (span > known[0] if self.largest else span < known[0]):
                        spans[id_] = span, (first, last)
        if spans:
            best = (max if self.largest else min)(span for span, _ in spans.values())
            for id_, (span, why) in spans.items():
                if span == best:
                    result.nodes[id_], result.why[id_] = parent.nodes[id_], why
        return result

    @staticmethod
    def _times(
        world: World, ids: Sequence[str], property_: str, result: NodeSet
    ) -> dict[str, list[tuple[int, Statement]]]:
        found: dict[str, list[tuple[int, Statement]]] = {}
        for id_, one in world.statements(ids, (property_,), result):
            if isinstance(one.value, TimeValue):
                found.setdefault(id_, []).append((day_number(instant_of(one.value)), one))
        return found

    def pattern(self, query: QueryWriter, node: str) -> list[str]:
        """Write the spans, and the best of them."""
        write = partial(self._span, query)
        return extremes(query.text, write, node, largest=self.largest, number="v")

    def _span(self, query: QueryWriter, node: str, size: str) -> list[str]:
        text = query.text
        lines = query.set(self.source, node)
        days = []
        for property_ in (self.begin, self.end):
            raw, time, day = (text.variable(stem) for stem in "vtd")
            lines += [
                f"{node} {text.predicate(property_)} {raw} .",
                *time_of(text, property_, raw, time),
                f"BIND({day_of(time)} AS {day})",
            ]
            days.append(day)
        return [*lines, f"BIND({days[1]} - {days[0]} AS {size})", f"FILTER({size} >= 0)"]

    def phrase(self, reader: Reader) -> Phrase:
        """Write "one with the longest time from date of birth to date of death of (...)"."""
        size = "longest" if self.largest else "shortest"
        begin, end = reader.relation((self.begin,)), reader.relation((self.end,))
        source = reader.of(self.source).whole
        return Phrase(f"one with the {size} time from {begin} to {end} of ({source})")
