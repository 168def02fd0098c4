"""Finding what is counted: "the most artists", "the largest number of different instruments".

Purely on the words, and on which phrases name relations; ``tallying`` carries it out. A *tally*
asks for what has most others ("plays the most instruments") or, of a relation's values, for the
one that is stated most often ("the most common cause of death").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from robodata_core.policy.offline.finding import ORDINALS
from robodata_core.policy.offline.question import Request
from robodata_core.policy.offline.relations import Match
from robodata_core.policy.offline.tables import ANY_NOUN, rows_of, superlatives
from robodata_core.policy.offline.words import (
    ARTICLES,
    AUXILIARIES,
    COPULAS,
    FUNCTION_WORDS,
    GENERIC_NOUNS,
    NUMBERS,
    WH_WORDS,
    Token,
    said,
    singular,
)
from robodata_core.text import whole_number

__all__ = ["Tally", "behind", "find_tally", "noun_end", "relations_from"]

#: Between the superlative and what is counted; they add nothing, all is counted once.
_EACH_ONCE: Final = said("counted once")
_COMMON: Final = said("common")
_BE: Final = COPULAS | {"s"}
_COMMONEST: Final = frozenset(["commonest"])
_AFTER: Final = said("behind tally")
_LONGEST: Final = 4
_MOST_PICKED: Final = 20


@dataclass(frozen=True, slots=True)
class Tally:
    """What a request counts.

    Attributes:
        span: Tokens of the superlative, with its article and number.
        counted: First token of the noun phrase that is counted, and the one after it; for a
            most common value these are the tokens of the noun that names the relation.
        high: Whether the most are asked for.
        rank: 2 for "the second most".
        many: 3 for "the three most common".
        common: Whether the most common value is asked for.
    """

    span: frozenset[int]
    counted: tuple[int, int]
    high: bool
    rank: int = 1
    many: int = 1
    common: bool = False


def find_tally(
    tokens: Sequence[Token], request: Request, matches: Sequence[Match], *, rated: bool = False
) -> Tally | None:
    """Return what a request counts, or None where it counts nothing.

    Args:
        tokens: The question.
        request: The request within it.
        matches: The phrases for relations.
        rated: Whether the graph has a property of its own for how popular things are.
    """
    for at in range(request.start, request.end):
        limit = at > request.start and tokens[at - 1].norm == "at"  # "at least 95 minutes"
        found = None if limit else _superlative(tokens, at, request.end)
        if found is None:
            continue
        high, after, common = found
        if common and rated and tokens[after - 1].norm == "popular":
            return None
        start, rank, many = _before(tokens, request.start, at)
        common = common or _has_no_owner(tokens, request, start, after, matches)
        span = frozenset(range(start, after))
        if common:
            noun = _common_noun(tokens, request, matches, after, start)
        else:
            after = _skip(tokens, after, request.end, _EACH_ONCE)
            span = frozenset(range(start, after))
            noun = (after, noun_end(tokens, after, request.end, matches))
        if noun is None or noun[0] >= noun[1] or tokens[noun[0]].norm[:1].isdigit():
            return None
        return Tally(span, noun, high, rank, many, common)
    return None


def _superlative(tokens: Sequence[Token], at: int, end: int) -> tuple[bool, int, bool] | None:
    """Return whether the high end is meant, where it ends, and whether how common is asked."""
    if tokens[at].norm in _COMMONEST:
        return True, at + 1, True
    for length in range(min(_LONGEST, end - at), 0, -1):
        key = tuple(token.norm for token in tokens[at : at + length])
        degrees = superlatives().get(key)
        if degrees is None:
            continue
        counts = [degree for degree in degrees if ANY_NOUN in degree.relations]
        after = at + length
        following = tokens[after].norm if after < end else ""
        if key in (("most",), ("least",)) and following in _COMMON:
            return key == ("most",), after + 1, True
        if key == ("most", "popular"):
            return True, after, True
        if not counts or following in ("of", "", "?", "!", "."):
            return None
        return counts[0].high, after, False
    return None


def _has_no_owner(
    tokens: Sequence[Token], request: Request, start: int, after: int, matches: Sequence[Match]
) -> bool:
    """Tell whether nothing has the counted: "what is the most spoken language"."""
    if start > request.start and tokens[start - 1].norm not in _BE:
        return False
    after = _skip(tokens, after, request.end, _EACH_ONCE)
    end = noun_end(tokens, after, request.end, matches)
    ends = end >= request.end or not tokens[end].word or tokens[end].norm in _AFTER
    return ends and end - after > 1


def _before(tokens: Sequence[Token], first: int, at: int) -> tuple[int, int, int]:
    """Return where the superlative's own words begin, which rank and how many it asks for."""
    start, rank, many = at, 1, 1
    if start > first:
        word = tokens[start - 1].norm
        number = NUMBERS.get(word, whole_number(word, _MOST_PICKED + 1) or 0)
        if word in ORDINALS:
            start, rank = start - 1, ORDINALS[word]
        elif 1 < number <= _MOST_PICKED:
            start, many = start - 1, number
    while start > first and tokens[start - 1].norm in ARTICLES:
        start -= 1
    return start, rank, many


def _skip(tokens: Sequence[Token], at: int, end: int, words: frozenset[str]) -> int:
    while at < end and tokens[at].norm in words:
        at += 1
    return at


def noun_end(tokens: Sequence[Token], at: int, end: int, matches: Sequence[Match]) -> int:
    """Return where the noun phrase ends that begins at ``at``."""
    whole = max((m.end for m in matches if m.start == at and m.reading.kind == "noun"), default=at)
    while whole < end and tokens[whole].norm not in FUNCTION_WORDS and tokens[whole].word:
        verb = any(m.start == whole and m.reading.kind == "verb" for m in matches)
        if verb and whole > at:
            break
        whole += 1
    while at < whole and tokens[whole - 1].norm in AUXILIARIES:
        whole -= 1
    return whole


def _common_noun(
    tokens: Sequence[Token], request: Request, matches: Sequence[Match], after: int, start: int
) -> tuple[int, int] | None:
    """Return the noun that is said to be common: behind the word, or in focus before it."""
    if after < request.end and tokens[after].word and tokens[after].norm not in _AFTER:
        end = noun_end(tokens, after, request.end, matches)
        return (after, end) if end > after else None
    focus = sorted(i for i in request.focus if i < start)
    if not focus:
        return None
    nouns = [m.end for m in matches if m.start == focus[0] and m.reading.kind == "noun"]
    return focus[0], max((end for end in nouns if end < start), default=focus[-1] + 1)


def behind(tokens: Sequence[Token], request: Request, at: int) -> tuple[int, int] | None:
    """Return the noun phrase that limits whose values count: "among philosophers"."""
    if at >= request.end or tokens[at].norm not in _AFTER:
        return None
    end = request.end
    while end > at + 1 and not tokens[end - 1].word:
        end -= 1
    content = [i for i in range(at + 1, end) if _content(tokens[i])]
    return (at + 1, end) if content else None


def _content(token: Token) -> bool:
    return token.word and token.norm not in FUNCTION_WORDS | GENERIC_NOUNS | WH_WORDS


@lru_cache(maxsize=1)
def _table() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for words, relations in rows_of("counted.tsv"):
        for word in words.split("|"):
            for form in {word, singular(word)}:
                found[form] = (*found.get(form, ()), *relations.split("|"))
    return found


def relations_from(noun: str) -> tuple[str, ...]:
    """Return labels of the relations that lead from what a noun names ("artists")."""
    return _table().get(noun.lower(), ())
