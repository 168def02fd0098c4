"""Comparatives and superlatives in questions: whether one stands there, among what, and another.

What a degree compares is the offline policy's business (its tables are used); what a follow-up
of one word means is said here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from robodata_core.dialogue._words import BACK, ORDINALS
from robodata_core.dialogue.names import Read
from robodata_core.language.grammar import ANY, Degree, open_grammar
from robodata_core.language.lexicon import open_lexicon
from robodata_core.policy.base import AnswerKind
from robodata_core.policy.offline.tables import comparatives, superlatives
from robodata_core.policy.offline.words import (
    ARTICLES,
    AUXILIARIES,
    FUNCTION_WORDS,
    GENERIC_NOUNS,
    PREPOSITIONS,
)

__all__ = ["choice_in", "compares", "counts_most", "degree_of", "picks", "ranged", "swapped_degree"]

_THAN: Final = "than"


def compares(read: Read) -> bool:
    """Tell whether a comparative stands in a text: "is X older than Y"."""
    return bool(_places(read, comparatives()))


def counts_most(read: Read) -> bool:
    """Tell whether it is compared how many of something there are: "which has more people"."""
    return any(ANY in degree.relations for degree in degrees_in(read)[0])


def degrees_in(read: Read) -> tuple[tuple[Degree, ...], Read]:
    """Return what the comparatives and superlatives of a text may mean, and the text without."""
    found: list[Degree] = []
    tokens = read.tokens
    for table in (comparatives(), superlatives()):
        for start, end in _places(
            replace(read, question=replace(read.question, tokens=tokens)), table
        ):
            said = tuple(token.norm for token in tokens if start <= token.start < end)
            found += table[said]
            tokens = tuple(token for token in tokens if not start <= token.start < end)
    return tuple(found), replace(read, question=replace(read.question, tokens=tokens))


def degree_of(read: Read) -> str:
    """Return the comparative or superlative a text consists of: "taller", "the oldest one"."""
    said = [token.norm for token in read.tokens if token.word and token.norm not in ARTICLES]
    if said[-1:] == ["one"]:
        said.pop()
    alone = any(tuple(said) in table for table in (comparatives(), superlatives()))
    return " ".join(said) if alone else ""


def swapped_degree(read: Read, base: Read) -> tuple[str, str, str] | None:
    """Return a question with its one degree replaced by what a text consists of.

    Returns:
        The question, what stood there, and what stands there now.
    """
    new = degree_of(read)
    if not new:
        return None
    table = superlatives() if tuple(new.split()) in superlatives() else comparatives()
    places = _places(base, table)
    if len(places) != 1:
        return None
    (start, end), text = places[0], base.text
    return f"{text[:start]}{new}{text[end:]}", text[start:end], new


def picks(read: Read) -> bool:
    """Tell whether a superlative stands in a text."""
    return bool(_most(read))


def ranged(read: Read) -> range:
    """Return the noun among whose things a superlative picks, if it stands before that.

    "Which country has the largest population" picks a country; "the population of the largest
    city" picks no population.
    """
    tokens = read.tokens
    for start, _ in _most(read):
        at = next(i for i, token in enumerate(tokens) if token.start == start)
        before = [token.norm for token in tokens[:at] if token.norm not in ARTICLES]
        for request in read.question.requests:
            noun = [i for i in sorted(request.focus) if i < at]
            noun = [i for i in noun if tokens[i].norm not in GENERIC_NOUNS]
            if noun and at not in request.focus and before[-1:] != ["of"]:
                return range(noun[0], noun[-1] + 1)
    return range(0)


def choice_in(read: Read) -> bool:
    """Tell whether a question offers what to choose from: "which is larger, X or Y".

    That stands apart, behind a comma, or right behind what compares it. "Which are in X or Y" and
    "which are larger than X or Y" offer nothing.
    """
    tokens = read.tokens
    if any(request.kind is AnswerKind.YES_OR_NO for request in read.question.requests):
        return False
    grammar = open_grammar(open_lexicon("en"))
    for at, token in enumerate(tokens):
        last = _offered(read, at)
        if grammar.is_a("union", token.norm) and last is not None:
            first = last
            while (more := _offered(read, first - 1)) is not None and tokens[first - 1].text == ",":
                first = more
            if first and not tokens[first - 1].word:
                return True
            parted = first < last or not tokens[last - 1].word
            than = _THAN in {one.norm for one in tokens[:at]}
            beside = tokens[first - 1].norm in PREPOSITIONS and not parted
            if first and compares(read) and not than and not beside:
                return True
    return False


def _offered(read: Read, end: int) -> int | None:
    """Return where what is named right before a token begins, with its article."""
    tokens = read.tokens
    if end < 1 or not tokens[end - 1].word:
        return None
    names = [n for n in read.names if n.start < tokens[end - 1].end <= n.end]
    start = next((i for i, t in enumerate(tokens) if names and t.start == names[0].start), end - 1)
    small = tokens[start].norm in FUNCTION_WORDS | AUXILIARIES
    if not names and small and tokens[start].norm not in BACK:
        return None
    return start - (start > 0 and tokens[start - 1].norm in ARTICLES)


def _most(read: Read) -> list[tuple[int, int]]:
    """Return where superlatives stand; "the first" is so only in some row, and of no class."""
    found = _places(read, superlatives())
    return [(start, end) for start, end in found if read.text[start:end].lower() not in ORDINALS]


def _places(read: Read, table: Mapping[tuple[str, ...], object]) -> list[tuple[int, int]]:
    """Return where the entries of a table stand, longest first."""
    found: list[tuple[int, int]] = []
    longest = max(map(len, table))
    for at, token in enumerate(read.tokens):
        if found and token.start < found[-1][1]:
            continue
        for size in range(min(longest, len(read.tokens) - at), 0, -1):
            part = read.tokens[at : at + size]
            if tuple(one.norm for one in part) in table:
                found.append((token.start, part[-1].end))
                break
    return found
