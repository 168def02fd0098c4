"""Reckoning in a query: dates, numbers and the sizes of sets, by arithmetic that SPARQL 1.1 has.

The counterpart of ``_reckon``. Lines that bind a reckoned value stand in a SELECT of their own, so
that they can be joined with others that bind the same variable.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from robodata_core.iris import XSD
from robodata_core.programs._conditions import measured, precision_of, time_of
from robodata_core.programs._reckon import MONTH, PLACES
from robodata_core.programs._sparql import Text, extremes, indented
from robodata_core.programs.steps import (
    Aggregate,
    Coarsen,
    Elapsed,
    ExtremeSize,
    ExtremeSpan,
    Function,
    Stretch,
)

__all__ = ["ReckonWriter"]

_YEAR: Final = 9
#: Width of a slot of years, and the first year of the first slot, by precision.
_SLOTS: Final = {8: (10, 0), 7: (100, 1), 6: (1000, 1)}


class ReckonWriter:
    """Writes the sets of steps that reckon.

    Args:
        text: The query.
        nodes: Writes a named set: its name and the variable for its nodes.
    """

    def __init__(self, text: Text, nodes: Callable[[str, str], list[str]]) -> None:
        self._text = text
        self._nodes = nodes

    def coarsen(self, step: Coarsen, node: str) -> list[str]:
        """Write the times of a property at a precision."""
        text = self._text
        owner, raw, found = text.variable(), text.variable("v"), text.variable("t")
        precision, year = text.variable("p"), text.variable("y")
        lines = [
            *self._nodes(step.source, owner),
            *precision_of(text, owner, step.property, raw, precision),
            *time_of(text, step.property, raw, found),
            f"BIND({self._slot_year(found, step.precision)} AS {year})",
            f"FILTER({precision} >= {step.precision})",
        ]
        written = self._instant(year, found, step.precision)
        return self._bound(node, written, lines)

    def elapsed(self, step: Elapsed, node: str) -> list[str]:
        """Write the time between times of two sets."""
        text = self._text
        raws = text.variable("v"), text.variable("v")
        times = text.variable("t"), text.variable("t")
        lines = [*self._nodes(step.source, raws[0]), *self._nodes(step.target, raws[1])]
        for raw, time in zip(raws, times, strict=True):
            lines += time_of(text, "", raw, time)
        days = f"{self._day(times[1])} - {self._day(times[0])}"
        lines.append(f"FILTER({days} >= 0)")
        if step.stretch is Stretch.DAYS:
            return self._bound(node, f"{text.iri(XSD + 'integer')}({days})", lines)
        return self._bound(node, self._years(*times), lines)

    def extreme_span(self, step: ExtremeSpan, node: str) -> list[str]:
        """Write the nodes with the longest or shortest time between two properties."""
        write = partial(self._span, step)
        return extremes(self._text, write, node, largest=step.largest, number="v")

    def _span(self, step: ExtremeSpan, node: str, size: str) -> list[str]:
        text = self._text
        lines = self._nodes(step.source, node)
        days = []
        for property_ in (step.begin, step.end):
            raw, time, day = (text.variable(stem) for stem in "vtd")
            lines += [
                f"{node} {text.predicate(property_)} {raw} .",
                *time_of(text, property_, raw, time),
                f"BIND({self._day(time)} AS {day})",
            ]
            days.append(day)
        return [*lines, f"BIND({days[1]} - {days[0]} AS {size})", f"FILTER({size} >= 0)"]

    def aggregate(self, step: Aggregate, node: str) -> list[str]:
        """Write the sum, average or range of a property's numbers, unit by unit."""
        text = self._text
        owner, raw, size, among = (text.variable(stem) for stem in "xvvk")
        inner = [
            *self._nodes(step.source, owner),
            *measured(text, owner, step.property, raw, among),
            f"FILTER(isNumeric({raw}))",
        ]
        total = f"SUM({size})"
        if step.function is Function.RANGE:
            total = f"MAX({size}) - MIN({size})"
        elif step.function is Function.AVERAGE:
            scale = 10**PLACES
            total = f"ROUND(SUM({size}) / COUNT({size}) * {scale}) / {scale}"
        decimal = text.iri(XSD + "decimal")
        return [
            f"{{ SELECT ({total} AS {node}) WHERE {{",
            f"  {{ SELECT DISTINCT {owner} ({decimal}({raw}) AS {size}) {among} WHERE {{",
            *indented(indented(inner)),
            "  } }",
            f"}} GROUP BY {among} }}",
        ]

    def extreme_size(self, step: ExtremeSize, node: str) -> list[str]:
        """Write the values whose sets are largest or smallest."""
        write = partial(self._sizes, step)
        return extremes(self._text, write, node, largest=step.largest, number="n")

    def _sizes(self, step: ExtremeSize, node: str, number: str) -> list[str]:
        lines: list[str] = []
        for value, name in zip(step.values, step.sources, strict=True):
            counted = self._text.variable()
            lines += [
                "} UNION {" if lines else "{",
                f"  {{ SELECT (COUNT(DISTINCT {counted}) AS {number}) WHERE {{",
                *indented(indented(self._nodes(name, counted))),
                "  } }",
                "  " + self._text.values(node, [self._text.term(value)]),
            ]
        return [*lines, "}"]

    # -- formulas -----------------------------------------------------------------------------

    def _bound(self, node: str, expression: str, lines: Sequence[str]) -> list[str]:
        """Return lines that bind a reckoned value; what cannot be reckoned drops out."""
        return [
            f"{{ SELECT DISTINCT {node} WHERE {{",
            *indented(lines),
            f"  BIND({expression} AS {node})",
            f"  FILTER(BOUND({node}))",
            "} }",
        ]

    @staticmethod
    def _day(time: str) -> str:
        """Return the Julian day number of a date; see ``_reckon.day_number``."""
        early = f"FLOOR((14 - MONTH({time})) / 12)"
        years, months = f"(YEAR({time}) + 4800 - {early})", f"(MONTH({time}) + 12 * {early} - 3)"
        leaps = f"FLOOR({years} / 4) - FLOOR({years} / 100) + FLOOR({years} / 400)"
        whole = f"FLOOR((153 * {months} + 2) / 5) + 365 * {years} + {leaps}"
        return f"(DAY({time}) + {whole} - 32045)"

    @staticmethod
    def _years(first: str, last: str) -> str:
        """Return whole years; see ``_reckon.whole_years``."""
        early = (
            f"MONTH({last}) < MONTH({first}) || "
            f"(MONTH({last}) = MONTH({first}) && DAY({last}) < DAY({first}))"
        )
        return f"YEAR({last}) - YEAR({first}) - IF({early}, 1, 0)"

    def _slot_year(self, time: str, precision: int) -> str:
        """Return the first year of the slot that holds a time."""
        if precision >= _YEAR:
            return f"YEAR({time})"
        width, first = _SLOTS[precision]
        integer = self._text.iri(XSD + "integer")
        return f"{integer}(FLOOR((YEAR({time}) - {first}) / {width}) * {width} + {first})"

    def _instant(self, year: str, time: str, precision: int) -> str:
        """Return the beginning of a slot as xsd:dateTime."""
        size = f"STR(ABS({year}))"
        padded = f'SUBSTR(CONCAT("0000", {size}), STRLEN({size}) + 1)'
        parts = [f'IF({year} < 0, "-", "")', f"IF(ABS({year}) > 9999, {size}, {padded})"]
        for function, least in (("MONTH", MONTH), ("DAY", MONTH + 1)):
            number = f"STR({function}({time}))"
            two = f'"-", IF({function}({time}) < 10, CONCAT("0", {number}), {number})'
            parts.append(two if precision >= least else '"-01"')
        return f'{self._text.iri(XSD + "dateTime")}(CONCAT({", ".join(parts)}, "T00:00:00Z"))'
