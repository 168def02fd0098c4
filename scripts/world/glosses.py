"""Reads years, birthplaces, nationalities, heights and lengths out of WordNet's glosses.

A gloss is prose, but its brackets are regular: "(1867-1934)", "(384-322 BC)", "(born in 1918)",
"(born in Poland)", "(26,660 feet high)". Only what stands so is read, and only where its sense
follows from what the thing is: the last bracket of a person's gloss is a life; a battle's only year
is its own. A year that is guessed at ("?", "circa") is passed over.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

from wikidata_sample.facts import calendar_of

from robodata_core.model import QuantityValue, TimeValue

__all__ = ["at", "birthplace", "life", "measure", "nationality", "short", "years", "year_value"]

METRE, KILOMETRE = "Q11573", "Q828224"
LATEST: Final = 2006
#: How long people live.
LIFE: Final = range(4, 112)
LONGEST: Final = 200

_NUMBER: Final = r"([1-9]\d{0,3})"
_SPAN: Final = re.compile(rf"\((AD )?{_NUMBER}( BC)?-(AD )?{_NUMBER}?( BC)?\)$")
_BORN: Final = re.compile(rf"\(born(?: in)? {_NUMBER}\)$")
_DIED: Final = re.compile(rf"\(died(?: in)? {_NUMBER}( BC)?\)$")
_PLACE: Final = re.compile(r"\(born in ((?:the )?[A-Z][A-Za-z. ]+)\)")
_YEAR: Final = re.compile(r"(?<![\d,-])(1\d{3}|20\d\d)(?![\d,]|s\b)")
_EARLY: Final = re.compile(r"\b(?:BC|AD|century)\b")
_PERIOD: Final = re.compile(r"(?:\(|; |from )(1\d{3})(?:-| to )(1\d{3})(?=\)|$| )")
_HIGH: Final = re.compile(r"\(([\d,]+) feet high\)")
_LONG: Final = re.compile(r"\(([\d,]+) miles long\)")
_ADJECTIVE: Final = re.compile(r"^(?:an? |the )?((?:[A-Z][a-z]+[ -]?)+)")


def year_value(year: int) -> TimeValue:
    """Return a year; years before the first one are counted as RDF does (1 BC is 0)."""
    return TimeValue(year, precision=9, calendar=calendar_of(year))


def life(gloss: str) -> tuple[int | None, int | None]:
    """Return the years of a birth and a death, as far as a person's gloss says them."""
    if found := _SPAN.search(gloss):
        late, start, early, _, end, before = found.groups()
        if end is None:
            return (None, None) if early or before else (int(start), None)
        # "(384-322 BC)": both; "(63 BC - AD 14)" has its own marks.
        born = 1 - int(start) if early or before else int(start)
        died = 1 - int(end) if before else int(end)
        if late and before:
            return None, None
        return (born, died) if died - born in LIFE and died <= LATEST else (None, None)
    if found := _BORN.search(gloss):
        return (int(found[1]), None) if int(found[1]) > LATEST - LONGEST else (None, None)
    if found := _DIED.search(gloss):
        return None, 1 - int(found[1]) if found[2] else int(found[1])
    return None, None


def birthplace(gloss: str) -> str:
    """Return the name of a country that a person is said to be born in, or empty."""
    found = _PLACE.search(gloss)
    return found[1] if found else ""


def nationality(gloss: str) -> str:
    """Return the capitalised words a gloss begins with ("United States physicist"), or empty."""
    found = _ADJECTIVE.match(gloss)
    return found[1].strip(" -") if found else ""


def at(gloss: str) -> int | None:
    """Return the year of an event, if its gloss names one year alone."""
    found = set(_YEAR.findall(gloss))
    return int(found.pop()) if len(found) == 1 and not _EARLY.search(gloss) else None


def years(gloss: str) -> tuple[int, int] | None:
    """Return the years between which a war was, if its gloss names no others."""
    found = _PERIOD.findall(gloss)
    if len(found) != 1 or len(set(_YEAR.findall(_PERIOD.sub("", gloss)))) > 0:
        return None
    start, end = (int(text) for text in found[0])
    return (start, end) if start <= end else None


def measure(gloss: str) -> tuple[str, QuantityValue] | None:
    """Return a height or a length in metres or kilometres, rounded as its figure is."""
    for form, prop, unit, factor in (
        (_HIGH, "P2044", METRE, Decimal("0.3048")),
        (_LONG, "P2043", KILOMETRE, Decimal("1.609344")),
    ):
        if found := form.search(gloss):
            amount = Decimal(found[1].replace(",", "")) * factor
            return prop, QuantityValue(amount.quantize(Decimal(1)), unit)
    return None


def short(gloss: str, limit: int = 160) -> str:
    """Return a gloss as a description: its parts up to a limit, without a subject in front."""
    parts = re.sub(r"^\([^()]*\) ", "", gloss).split("; ")
    text = parts[0]
    for part in parts[1:]:
        if len(text) + len(part) + 2 > limit:
            break
        text += f"; {part}"
    if len(text) <= limit:
        return text
    return text[:limit].rpartition(" ")[0].rstrip(" ,;(") + "…"
