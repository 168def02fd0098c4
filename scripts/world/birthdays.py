"""Joins days of birth and death with people who are known by name.

A year that differs from a stated one shows that another person is meant, or an error: the row is
left out. Between 1582 and 1752 countries counted days differently and the rows do not say how, so
that only the year is taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from wikidata_sample.facts import GREGORIAN, JULIAN, JULIAN_UNTIL, Fact
from wikidata_sample.names import read_table

from robodata_core.model import TimeValue
from world.glosses import year_value
from world.joining import STAGE, Known

__all__ = ["DATASET", "birthdays"]

DATASET = "calendar-birthdays"
HEADER = ("month", "day", "what", "name", "year")
PROPERTIES = {"born": "P569", "died": "P570"}
DAYS_ALIKE = 1752
DAY_PRECISION = 11
#: A star whose years nobody states may bear the name of somebody who was born before.
STARS_SINCE = 1850
#: Before a name that is complete without it.
TITLE = re.compile(
    r"^(?:(?:Sir|Dr\.|Saint|St\.|Pope|Queen|King|President|Commodore|General|Lord) )+"
)


def birthdays(tables: Path, known: Known) -> Iterator[Fact]:
    """Yield dates that are not stated, or are stated as a year only."""
    told: dict[tuple[str, str], set[TimeValue]] = {}
    for month, day, what, name, year in read_table(tables / "birthdays.tsv", HEADER):
        who = _who(name, known)
        if who is None:
            continue
        prop = PROPERTIES[what]
        number = int(year) + (1 if year.startswith("-") else 0)
        stated = known.year(who, prop)
        if stated is not None and stated != number:
            continue
        if number < STARS_SINCE and known.ids(who, "P106") & STAGE and not _dated(who, known):
            continue
        told.setdefault((who, prop), set()).add(_date(number, int(month), int(day)))
    for (who, prop), dates in told.items():
        # Two rows that differ say nothing.
        if len(dates) == 1:
            date = dates.pop()
            if date.precision == DAY_PRECISION or not known.states(who, prop):
                yield Fact(who, prop, date, (DATASET,))


def _who(name: str, known: Known) -> str | None:
    """Return the one person who bears a full name."""
    plain = re.sub(r'"[^"]*" ?', "", name)
    for form in dict.fromkeys((name, plain, TITLE.sub("", plain))):
        found = [id_ for id_ in known.bearers(form) if known.is_a(id_, "person")]
        if " " in form and len(found) == 1:
            return found[0]
    return None


def _dated(who: str, known: Known) -> bool:
    return any(known.states(who, prop) for prop in PROPERTIES.values())


def _date(year: int, month: int, day: int) -> TimeValue:
    if JULIAN_UNTIL <= year <= DAYS_ALIKE:
        return year_value(year)
    calendar = JULIAN if year < JULIAN_UNTIL else GREGORIAN
    return TimeValue(year, month, day, precision=DAY_PRECISION, calendar=calendar)
