"""Numbers, years and dates in a text, as literals. Words for months stand in a table."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from typing import Final

from robodata_core.language.lexicon.lexicon import Lexicon
from robodata_core.language.text import Text
from robodata_core.language.types import Candidate, Mention, MentionKind, NameMatch
from robodata_core.model import QuantityValue, TimeValue, Value

__all__ = ["literal_mentions"]

_DAY: Final = 11
_MONTH: Final = 10
_YEAR: Final = 9
_DECADE: Final = 8
_CENTURY: Final = 7
_TENS: Final = re.compile(r"([1-9][0-9]{1,2}0)s")
_RANKED: Final = re.compile(r"([1-9][0-9]?)([a-z]+)")
_LEAST_POWER: Final = 100
_LATEST: Final = 2200


def literal_mentions(text: Text, lexicon: Lexicon) -> Iterator[Mention]:
    """Yield the numbers, years and dates of a text, each with everything it may be."""
    tokens = text.tokens
    for start, token in enumerate(tokens):
        found: dict[int, list[Value]] = {}
        number = _word_number(token.norm, lexicon)
        if number is not None:
            values: list[Value] = [QuantityValue(number)]
            if len(token.norm) in (3, 4) and token.norm.isdigit() and number <= _LATEST:
                values.insert(0, TimeValue(int(number), precision=_YEAR))
            found[start + 1] = values
            end, whole = _multiplied(text, start + 1, number, lexicon)
            if end > start + 1:
                found[end] = [QuantityValue(whole)]
        for end, period in _periods(text, start, lexicon):
            found[end] = [period]
        for end, date in _dates(text, start, lexicon):
            found[end] = [date]
        for end, options in found.items():
            yield Mention(
                start,
                end,
                tuple(Candidate(v, MentionKind.LITERAL, NameMatch.LABEL) for v in options),
            )


def _word_number(word: str, lexicon: Lexicon) -> Decimal | None:
    number = lexicon.number(word)
    return _number(word) if number is None else number


def _multiplied(text: Text, at: int, number: Decimal, lexicon: Lexicon) -> tuple[int, Decimal]:
    """Read what a number is multiplied by ("two million"); return the token after it, too."""
    while at < len(text.tokens):
        power = lexicon.number(text.tokens[at].norm)
        if power is None or power < _LEAST_POWER:
            break
        number *= power
        at += 1
    return at, number


def _periods(text: Text, start: int, lexicon: Lexicon) -> Iterator[tuple[int, TimeValue]]:
    """Yield the decade or century that begins at a token: 1970s, the 19th century."""
    norm = text.tokens[start].norm
    decade = _TENS.fullmatch(norm)
    if decade:
        yield start + 1, TimeValue(int(decade[1]), precision=_DECADE)
    ranked = _RANKED.fullmatch(norm)
    number = int(ranked[1]) if ranked and ranked[2] in lexicon.ordinal else lexicon.rank(norm)
    after = text.tokens[start + 1].norm if start + 1 < len(text.tokens) else ""
    if number and lexicon.is_century(after):
        yield start + 2, TimeValue((number - 1) * 100 + 1, precision=_CENTURY)


def _number(word: str) -> Decimal | None:
    if not word[:1].isdigit():
        return None
    try:
        return Decimal(word.replace(",", ""))
    except InvalidOperation:
        return None


def _dates(text: Text, start: int, lexicon: Lexicon) -> Iterator[tuple[int, TimeValue]]:
    """Yield dates that begin at a token: 11 May 1952, May 11, 1952, May 1952, 1952-05-11."""
    words = [(i, text.tokens[i].norm) for i in range(start, min(len(text.tokens), start + 6))]
    plain = [(i, w) for i, w in words if w not in (",", "-", "/", ".") and w not in lexicon.ordinal]
    if not plain or plain[0][0] != start:
        return
    parts = [(i, lexicon.month(w), _small(w)) for i, w in plain[:3]]
    values = [month or number for _, month, number in parts]
    named = [bool(month) for _, month, _ in parts]
    if len(parts) >= 3 and None not in values:
        first, second, third = (int(v or 0) for v in values[:3])
        if named == [False, True, False] and first <= 31 < third:
            yield parts[2][0] + 1, TimeValue(third, second, first, precision=_DAY)
        elif named == [True, False, False] and second <= 31 < third:
            yield parts[2][0] + 1, TimeValue(third, first, second, precision=_DAY)
        elif not any(named) and first > 31 and 1 <= second <= 12 and 1 <= third <= 31:
            yield parts[2][0] + 1, TimeValue(first, second, third, precision=_DAY)
    if len(parts) >= 2 and named[:2] == [True, False] and (values[1] or 0) > 31:
        yield parts[1][0] + 1, TimeValue(int(values[1] or 0), int(values[0] or 0), precision=_MONTH)


def _small(word: str) -> int | None:
    digits = word if word.isdigit() else word[:-2] if word[:-2].isdigit() else ""
    return int(digits) if digits and len(digits) <= 4 else None
