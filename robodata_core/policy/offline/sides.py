"""The sides of a comparison of numbers: "the violin or the accordion", "X than Y".

Purely on words and names; ``versus`` compares. A side is a name, or a noun with its preposition.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from robodata_core.policy.base import AnswerKind
from robodata_core.policy.offline.mentions import Mention
from robodata_core.policy.offline.question import Request
from robodata_core.policy.offline.words import ARTICLES, FUNCTION_WORDS, PREPOSITIONS, Token, said

__all__ = ["Contest", "find_contest"]

_MORE: Final = frozenset(["more"])
_FEWER: Final = said("fewer")
_BIGGER: Final = said("bigger")
_SMALLER: Final = said("smaller")
_SIZES: Final = said("size")
_EACH_ONCE: Final = said("each once")
_BEFORE_NAMES: Final = ARTICLES | PREPOSITIONS | said("there are")
_MOST_SIDES: Final = 6


@dataclass(frozen=True, slots=True)
class Contest:
    """A comparison of how many.

    Attributes:
        word: Tokens of the word of comparison, with its article and "number of".
        noun: First token of what is counted.
        high: Whether more is asked for.
        sides: The names compared.
        joint: ``or``, ``than`` or ``as``.
        spans: The tokens of each side, with its preposition.
        joints: The tokens between the sides.
        sized: Whether an adjective of size says it, which is often about a number of its own.
    """

    word: frozenset[int]
    noun: int
    high: bool
    sides: tuple[Mention, ...]
    joint: str
    spans: tuple[frozenset[int], ...]
    joints: frozenset[int]
    sized: bool = False

    @property
    def all_sides(self) -> frozenset[int]:
        """All tokens of the sides and between them."""
        return self.joints.union(*self.spans)


def find_contest(
    tokens: Sequence[Token], request: Request, mentions: Sequence[Mention]
) -> Contest | None:
    """Return the comparison of a request, or None where it is none between named sides."""
    for at in range(request.start, request.end):
        found = _word(tokens, at, request.end)
        if found is None:
            continue
        word, noun, high, joints, sized = found
        for joint in joints:
            sides = _sides(tokens, request, mentions, joint, word, noun)
            if sides is not None:
                spans, names, between = sides
                if joint == "as" and request.kind is not AnswerKind.YES_OR_NO:
                    return None
                return Contest(word, noun, high, names, joint, spans, between, sized)
        return None
    return None


def _word(
    tokens: Sequence[Token], at: int, end: int
) -> tuple[frozenset[int], int, bool, tuple[str, ...], bool] | None:
    norm = tokens[at].norm
    following = tokens[at + 1].norm if at + 1 < end else ""
    first = at - 1 if at and tokens[at - 1].norm in ARTICLES else at
    if norm == "as" and following in ("many", "much"):
        return frozenset((at, at + 1)), _noun(tokens, at + 2, end), True, ("as",), False
    if norm in _MORE | _FEWER and following not in ("than", "or", ""):
        span = frozenset(range(first, at + 1))
        return span, _noun(tokens, at + 1, end), norm in _MORE, ("or", "than"), False
    if norm not in _BIGGER | _SMALLER or following in ("than", ",", "or", "?", ""):
        return None
    after = at + 1
    counted = following in _SIZES and after + 1 < end and tokens[after + 1].norm == "of"
    after += 2 * counted
    span = frozenset(range(first, after))
    return span, _noun(tokens, after, end), norm in _BIGGER, ("or", "than"), not counted


def _noun(tokens: Sequence[Token], at: int, end: int) -> int:
    while at < end and tokens[at].norm in _EACH_ONCE:
        at += 1
    return at


def _sides(
    tokens: Sequence[Token],
    request: Request,
    mentions: Sequence[Mention],
    joint: str,
    word: frozenset[int],
    noun: int,
) -> tuple[tuple[frozenset[int], ...], tuple[Mention, ...], frozenset[int]] | None:
    named = [m for m in mentions if m.entities and not m.demonym and m.start < m.end]
    inside = {i for m in named if m.exact for i in range(m.start + 1, m.end - 1)}
    for at in range(request.start, request.end):
        if tokens[at].norm != joint or at in word or at in inside:
            continue
        right = _right(tokens, request, named, at)
        phrase = _phrase(tokens, noun, at)
        others = [m for m in named if noun not in m.span and (m.proper or not m.span & phrase)]
        left = _left(tokens, request, others, at)
        if left is None and joint != "or":
            left = _far_left(others, at, word)
        left = left or _left(tokens, request, named, at)
        if right is None or left is None:
            continue
        spans, names, joints = [left[1], right[1]], [left[0], right[0]], {at}
        while joint == "or":
            comma = min(spans[0]) - 1
            if comma < request.start or tokens[comma].norm != "," or len(names) >= _MOST_SIDES:
                break
            more = _left(tokens, request, named, comma)
            joints.add(comma)
            if more is None or not _is_listed(tokens, request, more[1]):
                break
            spans.insert(0, more[1])
            names.insert(0, more[0])
        if tokens[at - 1].norm == ",":
            joints.add(at - 1)
        return tuple(spans), tuple(names), frozenset(joints)
    return None


def _phrase(tokens: Sequence[Token], at: int, end: int) -> frozenset[int]:
    """Return the words of the noun phrase that begins at ``at``, and what follows at once."""
    after = at
    while after < end and tokens[after].word and tokens[after].norm not in FUNCTION_WORDS:
        after += 1
    return frozenset(range(at, after))


def _is_listed(tokens: Sequence[Token], request: Request, span: frozenset[int]) -> bool:
    """Tell whether a name before a comma is one of a list, which begins behind another sign."""
    before = min(span) - 1
    return before >= request.start and tokens[before].norm in (",", ":", "–", "-")


def _right(
    tokens: Sequence[Token], request: Request, named: Sequence[Mention], at: int
) -> tuple[Mention, frozenset[int]] | None:
    start = at + 1
    while start < request.end:
        best = max((m for m in named if m.start == start), key=lambda m: m.end, default=None)
        if best is not None:
            return best, frozenset(range(at + 1, best.end))
        if tokens[start].norm not in _BEFORE_NAMES:
            return None
        start += 1
    return None


def _left(
    tokens: Sequence[Token], request: Request, named: Sequence[Mention], at: int
) -> tuple[Mention, frozenset[int]] | None:
    end = at - 1 if at and tokens[at - 1].norm == "," else at
    best = min((m for m in named if m.end == end), key=lambda m: m.start, default=None)
    return (best, _widened(tokens, request, best)) if best else None


def _far_left(
    named: Sequence[Mention], at: int, word: frozenset[int]
) -> tuple[Mention, frozenset[int]] | None:
    """Return the name before "than" that is not beside it: "does X have more children than Y"."""
    fitting = [m for m in named if m.end <= at and not m.span & word]
    fitting = [m for m in fitting if m.proper] or fitting
    if len({(m.start, m.end) for m in fitting}) != 1:
        return None
    return fitting[0], fitting[0].span


def _widened(tokens: Sequence[Token], request: Request, mention: Mention) -> frozenset[int]:
    """Take the article before a name to it."""
    start = mention.start
    while start > request.start and tokens[start - 1].norm in ARTICLES:
        start -= 1
    return frozenset(range(start, mention.end))
