"""Which way a question compares: limits and extremes of a program, held against its words.

"More than 5" and "fewer than 5" are the same words but one, and the answers are each other's
contrary. So every step that compares with a value, or takes the largest or smallest, has to have
words of the tables of comparison behind it that say this value and this way. A limit is told by
its bounds, so that "after 1960" and "from 1961 on" are the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, TypeAlias

from robodata_core.language.grammar import open_grammar
from robodata_core.language.grammar.operators import ANY, Degree, Limited
from robodata_core.language.text import Text
from robodata_core.language.types import Mention, MentionKind
from robodata_core.language.understanding import Understanding
from robodata_core.model import EntityValue, QuantityValue, TimeValue, Value
from robodata_core.programs import english
from robodata_core.programs.comparison import Comparison
from robodata_core.programs.instants import instant_of, slot_end, slot_start
from robodata_core.programs.steps import (
    Extreme,
    ExtremeCount,
    ExtremeSpan,
    FilterByConstraint,
    FilterByCount,
    JudgeSize,
    Nearest,
    Program,
    Step,
)

__all__ = ["Directions"]

#: An end of an interval: whether it is the upper one, where, and whether that itself is outside.
_Bound: TypeAlias = tuple[bool, object, bool]
_Compares: TypeAlias = FilterByConstraint | FilterByCount | JudgeSize
_Picks: TypeAlias = Extreme | ExtremeCount | ExtremeSpan | Nearest

#: Operators that leave a set as it is, or are held against a program elsewhere.
_IDLE: Final = frozenset(
    {"jointly", "option", "entire", "distinct", "stress", "sharing", "often", "exists", "part",
     "count", "lasted", "measure", "everywhere"}
)  # fmt: skip
_LONGEST: Final = 5
_MOST_FACTS: Final = 500


@dataclass(frozen=True, slots=True)
class _Said:
    """A limit that a question names: its words, and the bounds it sets."""

    places: frozenset[int]
    bounds: frozenset[_Bound]


class Directions:
    """The comparisons of one question.

    Args:
        language: Knows the tables and the source.
        text: The question.
        mentions: What its words name.
    """

    def __init__(self, language: Understanding, text: Text, mentions: Sequence[Mention]) -> None:
        self._view, self._lexicon = language.view, language.lexicon
        self._grammar = open_grammar(language.lexicon)
        self._norms = [token.norm for token in text.tokens]
        self._mentions = mentions
        literals = [
            one for one in mentions if any(c.kind is MentionKind.LITERAL for c in one.candidates)
        ]
        self._found = self._grammar.find(text, literals)

    def objections(self, program: Program, used: frozenset[int]) -> Iterator[str]:
        """Yield why a program compares otherwise than the question.

        Args:
            program: What was run.
            used: Places of the names that it uses, which are not read as words.
        """
        for step in program.steps:
            if isinstance(step, FilterByConstraint | FilterByCount):
                if self._limits(step, program) is False:
                    yield f"The question does not say “{self._told(step)}”."
            elif isinstance(step, _Picks) and (told := self._picked(step, used)):
                yield told

    def says(self, step: Step, program: Program) -> bool | None:
        """Tell whether words set the limit that a judgement holds a number to.

        Returns:
            None where no words set a limit.
        """
        return self._limits(step, program) if isinstance(step, JudgeSize) else None

    def read(self, program: Program) -> frozenset[int]:
        """Return the places of words for limits that a program has.

        "Born before Ann" is read by the date of her birth.
        """
        limits = frozenset(
            place
            for step in program.steps
            if isinstance(step, _Compares)
            for said in self._said(step)
            if self._fits(step, said, program)
            for place in said.places
        )
        picked = any(isinstance(step, _Picks) for step in program.steps)
        extremes = self._found.extremes if picked else ()
        return limits.union(*(range(one.start, one.end) for one in extremes))

    @property
    def superlatives(self) -> frozenset[int]:
        """The places of words that pick the first or last."""
        return frozenset(i for one in self._found.extremes for i in range(one.start, one.end))

    @property
    def picks(self) -> frozenset[int]:
        """Those of them that are no part of a limit ("at most")."""
        limits = {i for one in self._found.limits for i in range(one.start, one.end)}
        return self.superlatives - limits

    def idle(self, program: Program) -> frozenset[int]:
        """Return the places of words that say nothing beside what sets say ("in the world").

        Those that deny, or leave something out, are such where a program has a step for them.
        """
        found: set[int] = set()
        if any("denial" in step.carries for step in program.steps):
            found.update(i for one in self._found.denials for i in range(one.start, one.end))
        for start in range(len(self._norms)):
            for end in range(start + 1, start + _LONGEST + 1):
                kinds = {kind for kind, _ in self._grammar.operators(tuple(self._norms[start:end]))}
                if kinds & _IDLE:
                    found.update(range(start, end))
        return frozenset(found)

    # -- limits ---------------------------------------------------------------------------------

    def _limits(self, step: _Compares, program: Program) -> bool | None:
        """Tell whether some words set the limit of a step; None where none is set, or needed."""
        if isinstance(step, FilterByCount) and _is_any(step):
            return None
        said = list(self._said(step))
        if any(self._fits(step, one, program) for one in said):
            return True
        if isinstance(step, JudgeSize):
            return False if said else None
        if not isinstance(step, FilterByConstraint) or _is_ordered(step.value):
            return False
        denied = self._found.denials or step.comparison is Comparison.EQ
        return None if denied and step.comparison in (Comparison.EQ, Comparison.NE) else False

    def _fits(self, step: _Compares, said: _Said, program: Program) -> bool:
        """Tell whether a step sets bounds that words set, and the program all of these."""
        own = _bounds(step.comparison, _value(step), whole=_is_whole(step))
        alike = [one for one in program.steps if isinstance(one, _Compares) and _same(one, step)]
        bounds = {
            bound
            for one in alike
            for bound in _bounds(one.comparison, _value(one), whole=_is_whole(one))
        }
        return bool(own) and own <= said.bounds <= bounds

    def _said(self, step: _Compares) -> Iterator[_Said]:
        """Yield limits of the question that are of the kind of a step."""
        whole, kind = _is_whole(step), type(_value(step))
        for limit in (*self._found.limits, *self._bare(kind)):
            sides = self._sides(limit, step)
            if limit.other >= 0:
                yield from self._looked_up(limit, sides, step)
                continue
            tests = [(one, self._read_as(kind, v, limit)) for one, v in limit.tests]
            tests = [(one, tests[0][1]) for one in sides] or tests
            tests = [(one.contrary if self._is_denied(limit) else one, v) for one, v in tests]
            # A unit stands behind the number.
            unit = getattr(_value(step), "unit", None) is not None
            words = frozenset(range(limit.start - self._is_denied(limit), limit.end + unit))
            if all(isinstance(value, kind) for _, value in tests):
                bounds = [bound for one, v in tests for bound in _bounds(one, v, whole=whole)]
                yield _Said(words, frozenset(bounds))
                if len(limit.tests) > 1:  # whether the ends of a range are in it, nobody says
                    inner = [(Comparison.GT if one.grows else Comparison.LT, v) for one, v in tests]
                    bounds = [bound for one, v in inner for bound in _bounds(one, v, whole=whole)]
                    yield _Said(words, frozenset(bounds))

    def _read_as(self, kind: type, value: Value, limit: Limited) -> Value:
        for mention in self._mentions:
            values = [candidate.value for candidate in mention.candidates]
            if limit.start <= mention.start and mention.end <= limit.end and value in values:
                return next((one for one in values if isinstance(one, kind)), value)
        return value

    def _bare(self, kind: type) -> Iterator[Limited]:
        ends = {(one.start, one.end) for one in self._found.bare}
        for mention in self._mentions:
            for candidate in mention.candidates:
                if (mention.start, mention.end) in ends and isinstance(candidate.value, kind):
                    tests = ((Comparison.EQ, candidate.value),)
                    yield Limited(mention.start, mention.end, tests)

    def _looked_up(
        self, limit: Limited, sides: frozenset[Comparison], step: _Compares
    ) -> Iterator[_Said]:
        """Yield the limit that a value of another thing sets ("born before Ann")."""
        value = _value(step)
        comparisons = sides or {limit.comparison}
        if isinstance(step, JudgeSize):
            if step.minus and not step.number:
                bounds = [b for one in comparisons for b in _bounds(one, value, whole=True)]
                yield _Said(frozenset(range(limit.start, limit.end)), frozenset(bounds))
            return
        for mention in self._mentions:
            ids = [c.value.id for c in mention.candidates if isinstance(c.value, EntityValue)]
            if mention.start == limit.other and any(self._has(id_, value) for id_ in ids):
                bounds = [b for one in comparisons for b in _bounds(one, value)]
                places = range(limit.start, mention.end)
                yield _Said(frozenset(places), frozenset(bounds))

    def _has(self, id_: str, value: Value) -> bool:
        """Tell whether a value is stated of a thing."""
        wanted = _bounds(Comparison.EQ, value)
        page = self._view.source.statements(id_, limit=_MOST_FACTS)
        return any(
            _bounds(Comparison.EQ, one.value) == wanted
            for one in page.statements
            if isinstance(one.value, type(value))
        )

    def _sides(self, limit: Limited, step: _Compares) -> frozenset[Comparison]:
        """Return what a comparative ("older") makes of what a step looks at."""
        degrees = self._comparative(limit.start)
        ends = _ends(degrees, self._names(step)) if limit.degrees else ()
        sides = {Comparison.GT if high else Comparison.LT for high in ends}
        if limit.other >= 0 and self._is_denied(limit):
            sides = {one.contrary for one in sides or {limit.comparison}}
        return frozenset(sides)

    def _comparative(self, start: int) -> Sequence[Degree]:
        for end in range(start + _LONGEST, start, -1):
            if found := self._grammar.degrees("comparative", tuple(self._norms[start:end])):
                return found
        return ()

    def _is_denied(self, limit: Limited) -> bool:
        """Tell whether a limit is denied right before it ("no older than")."""
        before = self._norms[limit.start - 1] if limit.start else ""
        return self._lexicon.operator(before) == "denial"

    def _told(self, step: FilterByConstraint | FilterByCount) -> str:
        found = self._view.properties(step.relations).values()
        name = "/".join(one.name for one in found)
        if isinstance(step, FilterByCount):
            return f"{english.NUMBER_COMPARISONS[step.comparison]} {step.number:,} of “{name}”"
        times = isinstance(step.value, TimeValue)
        told = (english.TIME_COMPARISONS if times else english.COMPARISONS)[step.comparison]
        return f"{name} {told} that"

    # -- extremes -------------------------------------------------------------------------------

    def _picked(self, step: _Picks, used: frozenset[int]) -> str:
        """Return what is wrong with the end that a step takes; nothing where words say it."""
        names, counts = self._names(step), isinstance(step, ExtremeCount)
        own = [one for one in self._degrees(used) if one]
        ends = {high for degrees in own for high in _ends(degrees, names, counts=counts)}
        if isinstance(step, ExtremeSpan):  # an age counts up from the day of birth
            births = set(self._lexicon.role("births"))
            spans = [d for some in own for d in some if births.isdisjoint(d.relations)]
            ends = set(_ends(spans, frozenset()))
        ends |= {one.comparison.grows for one in self._found.limits if _is_bare(one)}
        high = step.farthest if isinstance(step, Nearest) else step.largest
        if not ends and isinstance(step, Nearest):
            return ""
        size = "largest" if high else "smallest"
        return "" if high in ends else f"The question does not ask for what is {size}."

    def _degrees(self, used: frozenset[int]) -> Iterable[Sequence[Degree]]:
        """Yield what words of extremes, and comparatives with another thing, are about."""
        for limit in self._found.limits:
            if limit.other >= 0 and limit.degrees:
                yield [
                    Degree(one.relations, one.high is not self._is_denied(limit), one.before)
                    for one in limit.degrees
                ]
        for extreme in self._found.extremes:
            at = set(range(extreme.start, extreme.end))
            within = any(at <= set(range(one.start, one.end)) for one in self._found.limits)
            if not (within or at <= used):
                yield extreme.degrees

    def _names(self, step: Step) -> frozenset[str]:
        found = self._view.properties(step.relations).values()
        return frozenset(name.casefold() for one in found for name in (one.name, *one.aliases))


def _ends(
    degrees: Sequence[Degree], names: frozenset[str], *, counts: bool = False
) -> tuple[bool, ...]:
    """Return which ends words of comparison mean: of a relation, if they are about it at all."""
    about = [one for one in degrees if not names.isdisjoint(one.relations)]
    if counts:
        about = [one for one in degrees if ANY in one.relations]
    return tuple({one.high for one in about or degrees})


def _is_bare(limit: Limited) -> bool:
    """Tell whether a limit is another thing's, without a word of comparison ("before Ann")."""
    return limit.other >= 0 and not limit.degrees


def _is_any(step: FilterByCount) -> bool:
    return _bounds(step.comparison, _value(step), whole=True) == {(False, Decimal(1), False)}


def _is_whole(step: _Compares) -> bool:
    return not isinstance(step, FilterByConstraint)


def _is_ordered(value: Value) -> bool:
    return isinstance(value, QuantityValue | TimeValue)


def _value(step: _Compares) -> Value:
    if isinstance(step, FilterByConstraint):
        return step.value
    return QuantityValue(Decimal(step.number))


def _same(one: _Compares, other: _Compares) -> bool:
    return type(one) is type(other) and one.relations == other.relations


def _bounds(comparison: Comparison, value: Value, *, whole: bool = False) -> frozenset[_Bound]:
    """Return where what compares so with a value begins and ends: of half-open intervals."""
    first: object
    last: object
    if isinstance(value, TimeValue):
        instant = instant_of(value)
        first, last = slot_start(instant, value.precision), slot_end(instant, value.precision)
        open_ = False
    elif isinstance(value, QuantityValue):
        first, last = value.amount, value.amount + 1 if whole else value.amount
        open_ = not whole
    else:
        return frozenset()
    low, high = (False, first, False), (True, last, False)
    return {
        Comparison.EQ: frozenset({low, high}),
        Comparison.NE: frozenset[_Bound](),
        Comparison.LT: frozenset({(True, first, open_)}),
        Comparison.LE: frozenset({high}),
        Comparison.GT: frozenset({(False, last, open_)}),
        Comparison.GE: frozenset({low}),
    }[comparison]
