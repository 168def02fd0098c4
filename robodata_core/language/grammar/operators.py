"""Operators among the words of a text: limits, extremes, denials, lists, as tables name them.

Only which words they are and what is written beside them is found here; what they are said of, the
chart tries out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, TypeAlias

from robodata_core.language.lexicon.lexicon import Lexicon, read_table
from robodata_core.language.text import Text
from robodata_core.language.types import Mention
from robodata_core.model import QuantityValue, TimeValue, Value
from robodata_core.programs.steps import Comparison, Stretch

__all__ = [
    "ANY",
    "TIME",
    "Degree",
    "Denied",
    "Extreme",
    "Grammar",
    "Limited",
    "Operators",
    "open_grammar",
]

_PACKAGE: Final = "robodata_core.language.grammar"
#: Instead of a property: what a noun names is counted; the time that a verb names.
ANY: Final = "@any"
TIME: Final = "@time"
_LONGEST: Final = 5
_APART: Final = 3
_JOINTS: Final = (
    "union", "option", "intersection", "sharing", "jointly", "entire", "rest", "truth", "count",
    "exists", "distinct", "stress",
)  # fmt: skip
_Words: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Degree:
    """What a word of comparison is about.

    Attributes:
        relations: Labels of properties, the most usual first, or ``@time`` or ``@any``.
        high: Whether it means the high end.
        before: Which of them goes first for things of some classes, and words of these.
    """

    relations: tuple[str, ...]
    high: bool
    before: tuple[str, frozenset[str]] = ("", frozenset())


@dataclass(frozen=True, slots=True)
class Limited:
    """A limit: what is written, or the place of the name that it compares with.

    Attributes:
        start: First token.
        end: First token after it.
        tests: Comparisons with numbers or times as written.
        other: Where the name of what it compares with begins, -1 where a value is written.
        comparison: How it is compared with that.
        degrees: Words of comparison within it ("older").
    """

    start: int
    end: int
    tests: tuple[tuple[Comparison, Value], ...] = ()
    other: int = -1
    comparison: Comparison = Comparison.EQ
    degrees: tuple[Degree, ...] = ()


@dataclass(frozen=True, slots=True)
class Extreme:
    """A superlative, or a comparative that chooses: its tokens and what it may mean."""

    start: int
    end: int
    degrees: tuple[Degree, ...]
    often: bool = False


@dataclass(frozen=True, slots=True)
class Denied:
    """A denial: its words, the words it may be said of, and whether it only leaves things out."""

    start: int
    end: int
    until: int
    leaves_out: bool


@dataclass(frozen=True, slots=True)
class Operators:
    """What was found in a text; ``joints`` are places of tokens by what they do.

    ``bare`` are values that nothing compares with: what is asked for has just them.
    """

    limits: tuple[Limited, ...] = ()
    bare: tuple[Limited, ...] = ()
    extremes: tuple[Extreme, ...] = ()
    denials: tuple[Denied, ...] = ()
    joints: Mapping[str, frozenset[int]] = field(default_factory=dict)
    parts: tuple[tuple[int, int], ...] = ()
    lasted: tuple[tuple[frozenset[int], Stretch], ...] = ()


class Grammar:
    """The operator words of one language.

    Args:
        lexicon: Of the language.
    """

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        self._operators: dict[_Words, list[tuple[str, str]]] = defaultdict(list)
        for row in read_table(lexicon.language, "operators", _PACKAGE):
            for words in row["words"].split("|"):
                self._operators[tuple(words.split())].append((row["operator"], row["detail"]))
        self._degrees: dict[str, dict[_Words, list[Degree]]] = {
            column: defaultdict(list) for column in ("superlative", "comparative", "plain")
        }
        for row in read_table(lexicon.language, "comparisons", _PACKAGE):
            relations = tuple(row["relations"].split("|"))
            label, _, classes = row["ahead"].partition(":")
            before = (label, frozenset(filter(None, classes.split("|"))))
            for column, table in self._degrees.items():
                degree = Degree(relations, row["end"] == "high", before)
                for words in filter(None, row[column].split("|")):
                    table[tuple(words.split())].append(degree)
            # "The most small": learners say it so, and so it is said of longer words.
            for words in filter(None, row["plain"].split("|")):
                named = ("most", *words.split())
                self._degrees["superlative"][named].append(degree)

    def find(self, text: Text, literals: Sequence[Mention]) -> Operators:
        """Return the operators of a text.

        Args:
            text: The text.
            literals: The numbers and times that are written in it.
        """
        return _Finder(self, text, literals).run()

    def operators(self, words: _Words) -> Sequence[tuple[str, str]]:
        """Return what some words may be: kinds of operators with their details."""
        return self._operators.get(words, ())

    def is_a(self, kind: str, word: str) -> bool:
        """Tell whether one word may be an operator of a kind."""
        return any(known == kind for known, _ in self.operators((word,)))

    def degrees(self, column: str, words: _Words) -> tuple[Degree, ...]:
        """Return what a superlative, comparative or plain form compares by."""
        return tuple(self._degrees[column].get(words, ()))

    def degrees_of(self, column: str) -> Mapping[_Words, Sequence[Degree]]:
        """Return what all words of one form compare by."""
        return self._degrees[column]


@lru_cache(maxsize=8)
def open_grammar(lexicon: Lexicon) -> Grammar:
    """Return the grammar of a language; one without tables knows no operators."""
    return Grammar(lexicon)


class _Finder:
    """Reads the words of one text; contractions ("isn't") are one word."""

    def __init__(self, grammar: Grammar, text: Text, literals: Sequence[Mention]) -> None:
        self._grammar = grammar
        self._end = len(text.tokens)
        self._written: dict[int, list[Mention]] = defaultdict(list)
        self._ending: dict[int, list[Mention]] = defaultdict(list)
        for literal in literals:
            self._written[literal.start].append(literal)
            self._ending[literal.end].append(literal)
        self._words: list[tuple[str, int, int]] = []
        marked = {i for mark in text.marked for i in range(mark.start, mark.end)}
        at = 0
        while at < self._end:
            norm, after = text.tokens[at].norm, at + 1
            follow = [token.norm for token in text.tokens[after : after + 2]]
            short = norm + follow[1] if follow[:1] == ["'"] and len(follow) > 1 else ""
            if grammar.operators((short,)):
                norm, after = short, after + 2
            self._words.append(("" if at in marked else norm, at, after))
            at = after
        self._limits: list[Limited] = []
        self._denials: list[Denied] = []
        self._joints: dict[str, set[int]] = defaultdict(set)
        self._parts: list[tuple[int, int]] = []
        self._lasted: list[tuple[frozenset[int], Stretch]] = []

    def _at(self, place: int) -> int:
        return self._words[place][1] if place < len(self._words) else self._end

    def run(self) -> Operators:
        """Return what was found."""
        extremes: list[Extreme] = []
        taken: set[int] = set()
        for first in range(len(self._words)):
            for last in range(min(len(self._words), first + _LONGEST), first, -1):
                words = tuple(word for word, _, _ in self._words[first:last])
                if first in taken:
                    continue
                extreme = self._extreme(first, last, words)
                if extreme is not None:
                    extremes.append(extreme)
                    taken.update(range(first, last))
                    self._than(first, last, words)
                elif self._operate(first, last, words):
                    taken.update(range(first, last))
        longest: dict[int, Limited] = {}
        for limit in self._limits:
            key = limit.end if limit.other < 0 else -limit.other
            known = longest.get(key)
            if known is None or (limit.start, not limit.degrees) < (known.start, not known.degrees):
                longest[key] = limit
        joints = {kind: frozenset(self._joints[kind]) for kind in _JOINTS}
        return Operators(
            tuple(longest.values()), tuple(self._bare(longest.values())), tuple(extremes),
            tuple(self._denials), joints, tuple(self._parts), tuple(self._lasted),
        )  # fmt: skip

    def _bare(self, limits: Iterable[Limited]) -> Iterator[Limited]:
        """Yield the longest values that stand in no limit, each as what is just so."""
        taken = {i for limit in limits for i in range(limit.start, limit.end)}
        for start in sorted(self._written):
            for literal in sorted(self._written[start], key=lambda m: -m.end):
                if taken.isdisjoint(literal.span):
                    value = literal.candidates[0].value
                    yield Limited(start, literal.end, ((Comparison.EQ, value),))
                    taken |= literal.span

    def _operate(self, first: int, last: int, words: _Words) -> bool:
        """Note what some words do; return whether they do nothing else."""
        alone = False
        for kind, detail in self._grammar.operators(words):
            self._limit(kind, detail, first, last)
            if kind == "onwards":
                alone = self._onwards(Comparison(detail), first, last) or alone
            elif kind in ("negation", "none", "exclusion"):
                self._denials.append(self._denial(kind, first, last))
                alone = True
            elif kind in _JOINTS:
                self._joints[kind].update(range(self._at(first), self._at(last)))
                alone = alone or kind == "count"
            elif kind == "part":
                self._parts.append((self._at(first), int(detail)))
            elif kind == "lasted":
                words_at = frozenset(range(self._at(first), self._at(last)))
                self._lasted.append((words_at, Stretch(detail)))
        return alone

    # -- comparisons ----------------------------------------------------------------------------

    def _extreme(self, first: int, last: int, words: _Words) -> Extreme | None:
        grammar = self._grammar
        degrees = grammar.degrees("superlative", words) + grammar.degrees("comparative", words)
        if not degrees:
            return None
        follow = self._words[last][0] if last < len(self._words) else ""
        often = grammar.is_a("often", follow)
        before = self._words[first - 1][0] if first else ""
        lead = first - 1 if grammar.lexicon.kind(before) == "article" else first
        return Extreme(self._at(lead), self._at(last + often), degrees, often)

    def _than(self, first: int, last: int, words: _Words) -> None:
        """Read "older than X", "taller than 2 metres", "more than five"."""
        degrees = self._grammar.degrees("comparative", words)
        near = range(last, min(last + _APART + 1, len(self._words)))
        place = next((i for i in near if self._grammar.is_a("than", self._words[i][0])), None)
        if place is None or not degrees:
            return
        start, at = self._at(first), self._at(place + 1)
        how = Comparison.GT if degrees[0].high else Comparison.LT
        for end, number in self._literals(at, QuantityValue):
            self._limits.append(Limited(start, end, ((how, number),), degrees=degrees))
            return
        self._limits.append(Limited(start, at, (), self._skip(at), how, degrees))

    def _skip(self, at: int) -> int:
        """Pass over articles."""
        starts = {start: word for word, start, _ in self._words}
        while self._grammar.lexicon.kind(starts.get(at, "")) == "article":
            at += 1
        return at

    # -- limits -----------------------------------------------------------------------------------

    def _literals(self, at: int, kind: type) -> Iterator[tuple[int, Value]]:
        """Yield what is written at a place, the longest first, with the token after it."""
        for literal in sorted(self._written[self._skip(at)], key=lambda m: -m.end):
            for candidate in literal.candidates:
                if isinstance(candidate.value, kind):
                    yield literal.end, candidate.value

    def _limit(self, kind: str, detail: str, first: int, last: int) -> None:
        start, at = self._at(first), self._at(last)
        if kind == "number":
            for end, number in self._literals(at, QuantityValue):
                after = next((word for word, begin, _ in self._words if begin == end), "")
                degrees = self._grammar.degrees("plain", (after,))
                tests = ((Comparison(detail), number),)
                self._limits.append(Limited(start, end + bool(degrees), tests, degrees=degrees))
                return
        elif kind in ("time", "date", "within"):
            how = Comparison.EQ if kind == "within" else Comparison(detail)
            for end, time in self._literals(at, TimeValue):
                self._limits.append(Limited(start, end, ((how, time),)))
                return
            if kind == "time" and at < self._end:
                self._limits.append(Limited(start, at, (), self._skip(at), how))
        elif kind == "range":
            self._range(detail, start, at)

    def _onwards(self, how: Comparison, first: int, last: int) -> bool:
        """Read "two or more": the limit stands behind its number."""
        at, end = self._at(first), self._at(last)
        for literal in sorted(self._ending[at], key=lambda m: m.end - m.start, reverse=True):
            for candidate in literal.candidates:
                if isinstance(candidate.value, QuantityValue):
                    self._limits.append(Limited(literal.start, end, ((how, candidate.value),)))
                    return True
        return False

    def _range(self, joint: str, start: int, at: int) -> None:
        joints = {begin: after for word, begin, after in self._words if word == joint}
        for kind in (TimeValue, QuantityValue):
            for end, low in self._literals(at, kind):
                for last, high in self._literals(joints.get(end, -1), kind):
                    tests = ((Comparison.GE, low), (Comparison.LE, high))
                    self._limits.append(Limited(start, last, tests))
                    return

    # -- denials ----------------------------------------------------------------------------------

    def _denial(self, kind: str, first: int, last: int) -> Denied:
        end, content = last, False
        while end < len(self._words):
            word = self._words[end][0]
            if content and (not word.isalnum() or self._grammar.is_a("bound", word)):
                break
            content = content or not self._grammar.lexicon.is_small(word)
            end += 1
        return Denied(self._at(first), self._at(last), self._at(end), kind == "exclusion")
