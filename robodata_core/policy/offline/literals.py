"""Numbers, measures and times as a question writes them.

"1970s", "the 19th century", "11 March 1952", "44 BC"; "10 million", "1,500", "two", "2.5 km".
Each reader looks at the words from one place on and says where the literal ends.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Final

from robodata_core.model import TimeValue
from robodata_core.policy.offline.tables import units
from robodata_core.policy.offline.words import Token, said
from robodata_core.programs.instants import days_in_month
from robodata_core.text import whole_number
from robodata_core.values import MONTHS

__all__ = ["Measure", "is_plain_year", "read_number", "read_time"]

_LAST_DAY: Final = 31
_YEAR: Final = re.compile(r"[1-9][0-9]{0,3}\Z")
_LIKELY_YEAR: Final = re.compile(r"[1-9][0-9]{2,3}\Z")
_DECADE: Final = re.compile(r"([1-9][0-9]{1,2}0)s\Z")
_ORDINAL: Final = re.compile(r"([1-9][0-9]?)(st|nd|rd|th)\Z")
_ISO: Final = re.compile(r"([0-9]{4})-([0-9]{2})(?:-([0-9]{2}))?\Z")
_DIGITS: Final = re.compile(r"[0-9]+(?:\.[0-9]+)?\Z")
_GROUP: Final = re.compile(r"[0-9]{3}(?:\.[0-9]+)?\Z")
_WITH_UNIT: Final = re.compile(r"([0-9]+(?:\.[0-9]+)?)([a-z]+[23]?)\Z")
_CENTURY, _DECADE_PRECISION, _YEAR_PRECISION, _MONTH, _DAY = 7, 8, 9, 10, 11
_SKIPPED: Final = said("before number")
_BEFORE_CHRIST: Final = (("bc",), ("bce",), ("b", "c"), ("before", "christ"))
_MOST_DIGITS: Final = 30

_MONTH_NAMES: Final = {
    name: number
    for number, month in enumerate(MONTHS, 1)
    for name in (month.lower(), month[:3].lower())
} | {"sept": 9}
_SMALL: Final = {
    word: number
    for number, word in enumerate(
        (
            "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
            "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen",
            "eighteen", "nineteen", "twenty",
        )
    )
} | {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "hundred": 100}  # fmt: skip
_POWERS: Final = {
    "hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12,
    "mio": 10**6, "bn": 10**9, "k": 10**3,
}  # fmt: skip
_ORDINAL_WORDS: Final = {
    word: number
    for number, word in enumerate(
        (
            "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth",
            "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth",
            "seventeenth", "eighteenth", "nineteenth", "twentieth", "twenty-first",
        ),
        1,
    )
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Measure:
    """A number of the question, with the word for its unit where one follows."""

    amount: Decimal
    unit: str = ""


def is_plain_year(token: Token) -> bool:
    """Tell whether a word is a year of three or four digits and nothing else."""
    return bool(_LIKELY_YEAR.match(token.norm))


def read_time(tokens: Sequence[Token], at: int, end: int) -> tuple[TimeValue, int] | None:
    """Read a time from token ``at`` on.

    Returns:
        The time with its precision, and the token after it; None where none is written.
    """
    while at < end and tokens[at].norm in _SKIPPED:
        at += 1
    for reader in (_iso, _day_first, _month_first, _century, _decade, _year):
        found = reader(tokens, at, end)
        if found is not None:
            time, after = found
            era = _era(tokens, after, end)
            if era > after or time.year <= 0:
                return _before_christ(time), era
            after += after < end and tokens[after].norm in ("ad", "ce")
            return time, after
    return None


def _iso(tokens: Sequence[Token], at: int, end: int) -> tuple[TimeValue, int] | None:
    match = _ISO.match(tokens[at].text) if at < end else None
    if match is None:
        return None
    year, month, day = (int(part or 0) for part in match.groups())
    time = _dated(year, month, day)
    return (time, at + 1) if time else None


def _dated(year: int, month: int, day: int) -> TimeValue | None:
    if not 1 <= month <= 12 or day > days_in_month(year, month):
        return None
    return TimeValue(year, month, day, precision=_DAY if day else _MONTH)


def _day_first(tokens: Sequence[Token], at: int, end: int) -> tuple[TimeValue, int] | None:
    """Read "11 March 1952", "11th of March, 1952"."""
    day = _day(tokens, at, end)
    after = at + 1
    while after < end and tokens[after].norm == "of":
        after += 1
    if not day or after + 1 >= end or tokens[after].norm not in _MONTH_NAMES:
        return None
    return _with_year(tokens, after + 1, end, _MONTH_NAMES[tokens[after].norm], day)


def _month_first(tokens: Sequence[Token], at: int, end: int) -> tuple[TimeValue, int] | None:
    """Read "March 1952", "March 11, 1952"."""
    if at + 1 >= end or tokens[at].norm not in _MONTH_NAMES:
        return None
    month, after = _MONTH_NAMES[tokens[at].norm], at + 1
    whole = _with_year(tokens, after, end, month, 0)
    if whole is not None:
        return whole
    day = _day(tokens, after, end)
    return _with_year(tokens, after + 1, end, month, day) if day else None


def _day(tokens: Sequence[Token], at: int, end: int) -> int:
    text = tokens[at].norm if at < end else ""
    ordinal = _ORDINAL.match(text)
    text = ordinal.group(1) if ordinal else text
    number = whole_number(text, _LAST_DAY + 1) or 0
    return number if number <= _LAST_DAY else 0


def _with_year(
    tokens: Sequence[Token], at: int, end: int, month: int, day: int
) -> tuple[TimeValue, int] | None:
    at += at < end and tokens[at].norm == ","
    if at >= end or not _LIKELY_YEAR.match(tokens[at].norm):
        return None
    time = _dated(int(tokens[at].norm), month, day)
    return (time, at + 1) if time else None


def _century(tokens: Sequence[Token], at: int, end: int) -> tuple[TimeValue, int] | None:
    if at >= end:
        return None
    first = tokens[at].norm.split(" ")[0]
    joined = tokens[at].norm in (f"{first} century", f"{first} centuries")
    if not joined and (at + 1 >= end or tokens[at + 1].norm not in ("century", "centuries")):
        return None
    ordinal = _ORDINAL.match(first)
    number = int(ordinal.group(1)) if ordinal else _ORDINAL_WORDS.get(tokens[at].text.lower(), 0)
    if not number:
        return None
    return TimeValue((number - 1) * 100 + 1, precision=_CENTURY), at + (1 if joined else 2)


def _decade(tokens: Sequence[Token], at: int, end: int) -> tuple[TimeValue, int] | None:
    match = _DECADE.match(tokens[at].norm) if at < end else None
    if match is not None:
        return TimeValue(int(match.group(1)), precision=_DECADE_PRECISION), at + 1
    spelled = at + 1 < end and tokens[at + 1].text in ("'s", "’s")
    if spelled and _LIKELY_YEAR.match(tokens[at].norm) and tokens[at].norm.endswith("0"):
        return TimeValue(int(tokens[at].norm), precision=_DECADE_PRECISION), at + 2
    return None


def _year(tokens: Sequence[Token], at: int, end: int) -> tuple[TimeValue, int] | None:
    if at >= end:
        return None
    told = at > 0 and tokens[at - 1].norm == "year" or _era(tokens, at + 1, end) > at + 1
    pattern = _YEAR if told else _LIKELY_YEAR
    if not pattern.match(tokens[at].norm):
        return None
    return TimeValue(int(tokens[at].norm), precision=_YEAR_PRECISION), at + 1


def _era(tokens: Sequence[Token], at: int, end: int) -> int:
    """Return the token after "BC", or ``at`` where it does not stand there."""
    for words in _BEFORE_CHRIST:
        if tuple(token.norm for token in tokens[at : min(end, at + len(words))]) == words:
            return at + len(words)
    return at


def _before_christ(time: TimeValue) -> TimeValue:
    """Return a time counted back: 1 BC is the year 0."""
    if time.precision == _CENTURY:
        return TimeValue(1 - time.year - 99, precision=_CENTURY)
    year = 1 - time.year
    return TimeValue(year, time.month, time.day, precision=time.precision)


# -- numbers --------------------------------------------------------------------------------------


def read_number(tokens: Sequence[Token], at: int, end: int) -> tuple[Measure, int] | None:
    """Read a number from token ``at`` on, with its unit; None where none is written."""
    if at >= end or not tokens[at].word:
        return None
    with_unit = _WITH_UNIT.match(tokens[at].text.lower())
    if with_unit and with_unit.group(2) in units():
        return Measure(Decimal(with_unit.group(1)), with_unit.group(2)), at + 1
    amount, after = _amount(tokens, at, end)
    if amount is None:
        return None
    while after < end and tokens[after].norm in _POWERS:
        amount *= _POWERS[tokens[after].norm]
        after += 1
    unit, after = _unit(tokens, after, end)
    return Measure(amount, unit), after


def _amount(tokens: Sequence[Token], at: int, end: int) -> tuple[Decimal | None, int]:
    word = tokens[at].text.lower()
    if word in _SMALL:
        return Decimal(_SMALL[word]), at + 1
    if not _DIGITS.match(word) or len(word) > _MOST_DIGITS:
        return None, at
    digits, after = word, at + 1
    while after + 1 < end and tokens[after].text == "," and _GROUP.match(tokens[after + 1].text):
        digits += tokens[after + 1].text
        after += 2
        if len(digits) > _MOST_DIGITS:
            return None, at
    try:
        return Decimal(digits), after
    except InvalidOperation:
        return None, at


def _unit(tokens: Sequence[Token], at: int, end: int) -> tuple[str, int]:
    """Return the longest word for a unit that stands at ``at``, and the token after it."""
    for length in (3, 2, 1):
        words = " ".join(token.text.lower() for token in tokens[at : min(end, at + length)])
        if at + length <= end and words in units():
            return words, at + length
    return "", at
