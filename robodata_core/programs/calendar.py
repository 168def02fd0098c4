"""Reckoning with dates, in Python and, by the same formulas, in SPARQL 1.1.

Days are numbered as Julian days of the proleptic Gregorian calendar, from the date a time's direct
triple writes.
"""

from __future__ import annotations

from typing import Final

from robodata_core.iris import XSD
from robodata_core.programs._sparql import Text
from robodata_core.programs.instants import Instant

__all__ = [
    "MONTH",
    "day_number",
    "day_of",
    "instant_at",
    "slot_year",
    "whole_years",
    "years_between",
]

#: Precision of times from which they name a month.
MONTH: Final = 10
_YEAR: Final = 9
#: Width of a slot of years, and the first year of the first slot, by precision.
_SLOTS: Final = {8: (10, 0), 7: (100, 1), 6: (1000, 1)}


def day_number(instant: Instant) -> int:
    """Return the Julian day number of a date."""
    year, month, day = instant[:3]
    before_march = (14 - month) // 12
    years, months = year + 4800 - before_march, month + 12 * before_march - 3
    leaps = years // 4 - years // 100 + years // 400
    return day + (153 * months + 2) // 5 + 365 * years + leaps - 32045


def day_of(time: str) -> str:
    """Return ``day_number`` of an xsd:dateTime as an expression."""
    early = f"FLOOR((14 - MONTH({time})) / 12)"
    years, months = f"(YEAR({time}) + 4800 - {early})", f"(MONTH({time}) + 12 * {early} - 3)"
    leaps = f"FLOOR({years} / 4) - FLOOR({years} / 100) + FLOOR({years} / 400)"
    whole = f"FLOOR((153 * {months} + 2) / 5) + 365 * {years} + {leaps}"
    return f"(DAY({time}) + {whole} - 32045)"


def whole_years(first: Instant, last: Instant) -> int:
    """Return how many times the anniversary of ``first`` was reached by ``last``."""
    return last[0] - first[0] - (last[1:3] < first[1:3])


def years_between(first: str, last: str) -> str:
    """Return ``whole_years`` of two times as an expression."""
    early = (
        f"MONTH({last}) < MONTH({first}) || "
        f"(MONTH({last}) = MONTH({first}) && DAY({last}) < DAY({first}))"
    )
    return f"YEAR({last}) - YEAR({first}) - IF({early}, 1, 0)"


def slot_year(text: Text, time: str, precision: int) -> str:
    """Return the first year of the slot that holds a time, as an expression."""
    if precision >= _YEAR:
        return f"YEAR({time})"
    width, first = _SLOTS[precision]
    integer = text.iri(XSD + "integer")
    return f"{integer}(FLOOR((YEAR({time}) - {first}) / {width}) * {width} + {first})"


def instant_at(text: Text, year: str, time: str, precision: int) -> str:
    """Return the beginning of a slot as xsd:dateTime, as an expression."""
    size = f"STR(ABS({year}))"
    padded = f'SUBSTR(CONCAT("0000", {size}), STRLEN({size}) + 1)'
    parts = [f'IF({year} < 0, "-", "")', f"IF(ABS({year}) > 9999, {size}, {padded})"]
    for function, least in (("MONTH", MONTH), ("DAY", MONTH + 1)):
        number = f"STR({function}({time}))"
        two = f'"-", IF({function}({time}) < 10, CONCAT("0", {number}), {number})'
        parts.append(two if precision >= least else '"-01"')
    return f'{text.iri(XSD + "dateTime")}(CONCAT({", ".join(parts)}, "T00:00:00Z"))'
