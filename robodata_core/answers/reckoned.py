"""What follows from cited triples by arithmetic: ages, spans, sums, how many more.

A number that no triple holds may still be right: 59 years lie between the two dates that a claim
cites. Only what can be reckoned from the claim's own triples counts, with a few fixed formulas;
the dates and numbers themselves stand in the claim's support.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from decimal import Decimal
from itertools import combinations
from typing import Final

from robodata_core.model import Evidence, QuantityValue, TimeValue, Value
from robodata_core.programs._reckon import PLACES, day_number, whole_years
from robodata_core.programs._times import days_in_month, instant_of, slot_start
from robodata_core.values import MONTHS

__all__ = ["follows", "reckoned_numbers"]

_MOST_TIMES: Final = 8
_MOST_GROUPS: Final = 24
_MOST_AMOUNTS: Final = 2_000
_CENTURY: Final = 100
_NAMES: Final = "|".join(MONTHS)
_DATE: Final = re.compile(
    rf"\b(?:(?P<day>[0-9]{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<month>{_NAMES})"
    rf"|(?P<month2>{_NAMES}) (?P<day2>[0-9]{{1,2}})(?:st|nd|rd|th)?,?) (?P<year>[0-9]{{3,4}})\b",
    re.IGNORECASE,
)
_ISO: Final = re.compile(r"\b([0-9]{4})-([0-9]{2})-([0-9]{2})\b")
_YEARS: Final = re.compile(r"\b[1-9][0-9]{2,3}\b")


def reckoned_numbers(evidence: Sequence[Evidence], question: str = "") -> set[Decimal]:
    """Return the numbers that follow from some triples, and from dates that the question gives."""
    times = [*_times(evidence), *_given(question)]
    numbers = {Decimal((time.year - 1) // _CENTURY + 1) for time in times if time.year > 0}
    if len(times) <= 2 * _MOST_TIMES:
        numbers |= _spans(times)
    return numbers | _sizes(evidence) | _totals(evidence)


def follows(value: Value, evidence: Sequence[Evidence], question: str = "") -> bool:
    """Tell whether a value was reckoned from some triples: a span, a sum, the year of a date."""
    if isinstance(value, QuantityValue):
        return value.amount in reckoned_numbers(evidence, question)
    if not isinstance(value, TimeValue):
        return False
    return any(
        time.precision >= value.precision
        and slot_start(instant_of(time), value.precision) == instant_of(value)
        for time in _times(evidence)
    )


def _times(evidence: Iterable[Evidence]) -> list[TimeValue]:
    objects = (item.triple.object for item in evidence)
    return list(dict.fromkeys(one for one in objects if isinstance(one, TimeValue)))


def _given(question: str) -> list[TimeValue]:
    """Return the dates that a question gives: a whole date, or the ends of a year."""
    found: list[TimeValue] = []
    for match in _DATE.finditer(question):
        name, year = match["month"] or match["month2"], match["year"]
        day = match["day"] or match["day2"]
        month = next((n for n, full in enumerate(MONTHS, 1) if full.lower() == name.lower()), 0)
        if 1 <= int(day) <= days_in_month(int(year), month):
            found.append(TimeValue(int(year), month, int(day)))
    for match in _ISO.finditer(question):
        year, month, day = (int(part) for part in match.groups())
        if 1 <= month <= 12 and 1 <= day <= days_in_month(year, month):
            found.append(TimeValue(year, month, day))
    if not (_DATE.search(question) or _ISO.search(question)):
        for raw in _YEARS.findall(question)[:_MOST_TIMES]:
            found += [TimeValue(int(raw), 1, 1), TimeValue(int(raw), 12, 31)]
    return found[:_MOST_TIMES]


def _spans(times: Sequence[TimeValue]) -> set[Decimal]:
    """Return whole years and days between times."""
    found: set[Decimal] = set()
    for one, other in combinations([instant_of(time) for time in times], 2):
        first, last = sorted((one, other))
        found |= {
            Decimal(whole_years(first, last)),
            Decimal(day_number(last) - day_number(first)),
        }
    return found


def _sizes(evidence: Iterable[Evidence]) -> set[Decimal]:
    """Return how many triples share an end and a relation, and how many more one such group has."""
    groups: Counter[tuple[object, ...]] = Counter()
    for item in {item.triple: item for item in evidence}.values():
        triple = item.triple
        groups[("subject", triple.subject, triple.predicate)] += 1
        groups[("object", triple.object, triple.predicate)] += 1
    sizes = sorted(set(groups.values()))[-_MOST_GROUPS:]
    differences = {Decimal(b - a) for a, b in combinations(sizes, 2)}
    return {Decimal(size) for size in sizes} | differences


def _totals(evidence: Iterable[Evidence]) -> set[Decimal]:
    """Return sums, averages and differences of the amounts of one property and unit."""
    amounts: dict[tuple[str, str | None], dict[tuple[str, Decimal], None]] = defaultdict(dict)
    for item in evidence:
        value = item.triple.object
        if isinstance(value, QuantityValue):
            place = (item.triple.predicate, value.unit)
            amounts[place][(item.triple.subject, value.amount)] = None
    found: set[Decimal] = set()
    for stated in amounts.values():
        if 1 < len(stated) <= _MOST_AMOUNTS:
            sizes = [amount for _, amount in stated]
            total = sum(sizes, Decimal(0))
            average = total / len(sizes)
            found |= {total, average, max(sizes) - min(sizes)}
            found |= {round(average, places) for places in range(PLACES + 1)}
    return found
