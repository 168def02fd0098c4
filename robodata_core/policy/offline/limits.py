"""Limits and comparatives of a request: "over 2 million", "before 1900", "older than X".

Each reader looks at one place and says where what it read ends, 0 where it reads nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from robodata_core.model import TimeValue
from robodata_core.policy.offline.aspects import LEADING, Words
from robodata_core.policy.offline.literals import Measure, is_plain_year, read_number, read_time
from robodata_core.policy.offline.mentions import Mention
from robodata_core.policy.offline.operators import (
    PRECISIONS,
    Aspect,
    Denial,
    Limit,
    Pick,
)
from robodata_core.policy.offline.question import Request
from robodata_core.policy.offline.relation_index import RelationIndex
from robodata_core.policy.offline.relations import Match
from robodata_core.policy.offline.tables import (
    ANY_NOUN,
    ANY_TIME,
    Degree,
    Operator,
    comparatives,
    operators,
    plain_forms,
)
from robodata_core.policy.offline.words import ARTICLES, BE, FUNCTION_WORDS, Token, said
from robodata_core.programs.steps import Comparison

__all__ = ["Limits"]

_DETERMINERS: Final = ARTICLES | said("limited by")
_DECADE: Final = 8


class Limits(Words):
    """Reads limits and comparatives; see ``finding`` for who goes from place to place."""

    def __init__(
        self,
        tokens: Sequence[Token],
        request: Request,
        mentions: tuple[Mention, ...],
        matches: Sequence[Match],
        index: RelationIndex,
    ) -> None:
        super().__init__(tokens, request, mentions, matches, index)
        self._limits: list[Limit] = []
        self._denials: list[Denial] = []
        self._pick: Pick | None = None

    # -- limits -------------------------------------------------------------------------------

    def _range(self, at: int) -> int:
        """Read "between 1950 and 1960", "from 1950 to 1960", "in 1950 to 1960"."""
        for operator in operators().get((self._norm(at),), ()):
            if operator.kind != "range":
                continue
            for reader, kind in ((read_time, "time"), (read_number, "number")):
                ends = self._ends(reader, at + 1, operator.joint)
                if ends is None:
                    continue
                low, high, after = ends
                tests = ((Comparison.GE, low), (Comparison.LE, high))
                done = self._limit(at, after, tests, kind)
                if done:
                    return done
        return 0

    def _ends(
        self, reader: object, at: int, joint: str
    ) -> tuple[TimeValue | Measure, TimeValue | Measure, int] | None:
        read = reader
        assert callable(read)
        low = read(self._tokens, at, self._request.end)
        if low is None or self._norm(low[1]) != joint:
            return None
        high = read(self._tokens, low[1] + 1, self._request.end)
        if high is None:
            return None
        first = low[0]
        if isinstance(first, Measure) and not first.unit:
            first = Measure(first.amount, high[0].unit)
        return first, high[0], high[1]

    def _limited(self, at: int) -> int:
        """Read a limit: "before 1900", "over 2 million", "in the 1970s", "before X died"."""
        found = self._longest(operators(), at)
        end = self._request.end
        if found is None:
            bare = read_time(self._tokens, at, end) if self._norm(at)[:1].isalnum() else None
            told = self._norm(at - 1) in BE and self._aspect_before(at, "time") is not None
            if bare and told:  # "whose birthday is 15 May 1964"
                return self._limit(at, bare[1], ((Comparison.EQ, bare[0]),), "time")
            if bare and bare[0].precision <= _DECADE and self._norm(at) not in ("the", "of"):
                return self._limit(at, bare[1], ((Comparison.EQ, bare[0]),), "time")
            return 0
        for operator in found[0]:
            after = self._by_operator(operator, at, found[1])
            if after:
                return after
        return 0

    def _by_operator(self, operator: Operator, at: int, after: int) -> int:
        end = self._request.end
        if operator.kind == "number":
            number = read_number(self._tokens, after, end)
            assert operator.comparison is not None
            if number is None:
                return 0
            return self._limit(at, number[1], ((operator.comparison, number[0]),), "number")
        if operator.kind not in ("time", "within"):
            return 0
        time = read_time(self._tokens, after, end)
        if time is None and operator.kind == "within":
            return self._same_time(at, after)
        if time is None:
            return self._before_other(operator, at, after)
        comparison = operator.comparison or Comparison.EQ
        plain = is_plain_year(self._tokens[time[1] - 1]) and time[1] - after <= 1
        onwards = self._norm(time[1]) in ("on", "onwards", "onward")
        if self._norm(at) == "from" and comparison is Comparison.GE and not onwards:
            return 0
        if operator.kind == "within" and plain and self._norm(at) in ("in", "of", "from", "on"):
            return 0  # "born in 1952" is read without an operator
        return self._limit(at, time[1] + onwards, ((comparison, time[0]),), "time")

    def _limit(
        self,
        at: int,
        after: int,
        tests: tuple[tuple[Comparison, TimeValue | Measure], ...],
        kind: str,
    ) -> int:
        """Take a limit in, with the words beside it that say what is limited."""
        before = self._aspect_before(at, kind)
        behind = self._aspect_after(after, kind) if kind == "number" else None
        plain = self._longest(plain_forms(), after) if kind == "number" else None
        start, aspect = at, None
        if before is not None:
            aspect, start = before
        elif behind is not None:
            aspect, after = behind
        elif plain is not None:
            aspect = next((a for d in plain[0] if (a := self._of_degree(d, kind))), None)
            after = plain[1]
        elif kind == "number":
            counted = self._objects(after, at)
            if counted is not None:
                aspect, after, start = counted
        else:
            aspect = self._any_time()
        if aspect is None:
            return 0
        span = frozenset(range(self._lead(start), after))
        self._limits.append(Limit(span, aspect, tests))
        return after

    def _any_time(self) -> Aspect | None:
        """Return the time that some word of the request names, else the usual ones."""
        found = self._named((m for m in self._matches if m.reading.kind != "prep"), "time")
        if found is not None:
            return found[0]
        return self._of_degree(Degree((ANY_TIME,), True), "time") or Aspect((), "time")

    def _before_other(self, operator: Operator, at: int, after: int) -> int:
        """Read "born before X": another thing, by the same property."""
        before = self._aspect_before(at, "time")
        if operator.comparison is None or before is None or not self._named_at(after):
            return 0
        if any(m.start < at < m.end and m.reading.kind == "verb" for m in self._matches):
            return 0  # "died from X" says of what
        aspect, start = before
        end = self._name_end(after)
        span = frozenset(range(self._lead(start), end))
        self._limits.append(Limit(span, aspect, other=(operator.comparison, after)))
        return end

    def _same_time(self, at: int, after: int) -> int:
        """Read "born in the same year as X": the year of another thing's time."""
        words = [self._norm(after + i) for i in range(4)]
        if words[:2] != ["the", "same"] or words[2] not in PRECISIONS or words[3] != "as":
            return 0
        before = self._aspect_before(at, "time")
        if before is None or not self._named_at(after + 4):
            return 0
        aspect, start = before
        end = self._name_end(after + 4)
        span = frozenset(range(self._lead(start), end))
        other = (Comparison.EQ, after + 4)
        self._limits.append(Limit(span, aspect, other=other, slot=PRECISIONS[words[2]]))
        return end

    def _named_at(self, at: int) -> bool:
        """Tell whether some name may begin at ``at``."""
        while self._norm(at) in _DETERMINERS:
            at += 1
        return bool(self._norm(at)) and self._norm(at) not in FUNCTION_WORDS

    def _name_end(self, at: int) -> int:
        """Return where the clause with another thing's name ends."""
        first = at
        while at < self._request.end and not self._stops(at) and self._norm(at) not in (",", ";"):
            if (
                at > first
                and self._norm(at) in ("and", "but", "who", "which", "that", "or")
                and self._norm(at + 1) in (BE | LEADING)
            ):
                break
            at += 1
        return at

    # -- comparatives -------------------------------------------------------------------------

    def _than(self, at: int) -> int:
        """Read "older than X", "a larger population than X", "taller than 2 metres"."""
        found = self._longest(comparatives(), at)
        if found is None:
            return 0
        degrees, after = found
        noun = self._aspect_after(after) or self._counted(after)
        joint = after
        if self._norm(after) != "than":
            joint = noun[1] if noun and self._norm(noun[1]) == "than" else -1
        if joint < 0:
            return self._bare(degrees, at, after)
        before = self._aspect_before(at)
        start = at
        if joint > after and noun is not None:
            aspect: Aspect | None = noun[0]
        elif before is not None and self._tokens[at].norm not in ("older", "younger"):
            aspect, start = before
        else:
            aspect = next((a for d in degrees if (a := self._of_degree(d))), None)
        if aspect is None:
            return 0
        high = degrees[0].high
        if not aspect.given:
            high = next(d.high for d in degrees if self._of_degree(d))
        comparison = Comparison.GT if high else Comparison.LT
        return self._compared(aspect, comparison, start, joint + 1)

    def _compared(self, aspect: Aspect, comparison: Comparison, start: int, after: int) -> int:
        """Take in what stands after "than": a number, a time, or another thing."""
        end = self._request.end
        kinds = {self._index.object_type(name) for name in aspect.properties}
        number = read_number(self._tokens, after, end)
        time = read_time(self._tokens, after, end) if "time" in kinds else None
        lead = self._lead(start)
        if time is not None or (number is not None and "time" not in kinds):
            value, last = time or number  # type: ignore[misc]
            behind = self._aspect_after(last)
            last = behind[1] if behind and number else last
            self._limits.append(Limit(frozenset(range(lead, last)), aspect, ((comparison, value),)))
            return int(last)
        if number is not None or not self._named_at(after):
            return 0
        last = self._name_end(after)
        limit = Limit(frozenset(range(lead, last)), aspect, other=(comparison, after))
        self._limits.append(limit)
        return last

    def _bare(self, degrees: Sequence[Degree], at: int, after: int) -> int:
        """Read a comparative that asks for a choice: "who is older, X or Y"."""
        words = {self._norm(i) for i in range(self._request.start, self._request.end)}
        if self._pick is not None or not words & {"or", "and"}:
            return 0
        noun = self._aspect_after(after)
        if noun is None and ANY_NOUN in degrees[0].relations:
            noun = self._counted(after)
        aspect = noun[0] if noun else None
        high = degrees[0].high
        verb = self._aspect_before(at, "time") if ANY_TIME in degrees[0].relations else None
        if verb is not None:
            aspect, at = verb
        if aspect is None:
            degree = next((d for d in degrees if self._of_degree(d)), None)
            aspect, high = (self._of_degree(degree), degree.high) if degree else (None, high)
        if aspect is None:
            return 0
        end = noun[1] if noun else after
        span = frozenset(range(self._lead(at), end))
        self._pick = Pick(span, aspect, high, single=True)
        return end

    def _stops(self, at: int) -> bool:
        """Tell whether a sign ends the sentence (a dot within a name does not)."""
        last = at == self._request.end - 1 or self._norm(at + 1) in ("?", "!", ".")
        return self._norm(at) in ("?", "!") or (self._norm(at) == "." and last)
