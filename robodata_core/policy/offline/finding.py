"""Finding the operators of a request, from left to right; see ``operators`` for what they are.

Words are data (``tables``); what they compare by are the graph's own properties, named by the words
beside them (``aspects``). The tokens that belong to an operator are taken away by whoever carries
it out, so that a plain question is left.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from robodata_core.model import TimeValue
from robodata_core.policy.offline.aspects import COPULAS, LEADING, Words
from robodata_core.policy.offline.literals import Measure, is_plain_year, read_number, read_time
from robodata_core.policy.offline.mentions import Mention
from robodata_core.policy.offline.operators import (
    PRECISIONS,
    Aspect,
    Denial,
    Found,
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
    superlatives,
    triggers,
)
from robodata_core.policy.offline.words import FUNCTION_WORDS, Token
from robodata_core.programs.steps import Comparison

__all__ = ["find", "unread"]

_DETERMINERS: Final = frozenset(["the", "a", "an", "that", "those", "of", "its", "his", "her"])
_OWNERS: Final = frozenset(["the", "s", "his", "her", "its", "their", "which"])
_CLAUSES: Final = frozenset([",", ";", "but", "who", "which", "that"])
_ORDINALS: Final = {
    "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8,
    "ninth": 9, "tenth": 10, "2nd": 2, "3rd": 3, "4th": 4, "5th": 5, "6th": 6, "7th": 7,
    "8th": 8, "9th": 9, "10th": 10,
}  # fmt: skip
_NUMBERS: Final = {
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10,
}  # fmt: skip
_MOST_PICKED: Final = 100
_MOST_OPERATORS: Final = 6
_DECADE: Final = 8
_STRICT: Final = (("older",), ("younger",), ("taller",), ("larger",), ("bigger",), ("smaller",))
_ALSO_PLAIN: Final = frozenset(["first", "last", "best", "latest", "newest", "greatest", "top"])


def find(
    tokens: Sequence[Token],
    request: Request,
    mentions: Iterable[Mention],
    matches: Sequence[Match],
    index: RelationIndex,
) -> Found:
    """Find the operators of a request; an empty result where it has none."""
    words = {w for i in range(request.start, request.end) for w in tokens[i].norm.split()}
    timed = any(word[:1].isdigit() or word == "century" for word in words)
    if not timed and not words & triggers():
        return Found()
    return _Finder(tokens, request, tuple(mentions), matches, index).run()


def unread(
    tokens: Sequence[Token],
    request: Request,
    mentions: Iterable[Mention],
    matches: Iterable[Match],
) -> str:
    """Return a word of comparison that nothing accounts for, or an empty string.

    A plain answer to "which instrument do most of them play" would be to another question.
    """
    taken = {i for m in mentions if m.proper for i in m.span}
    taken |= {i for m in matches if m.end - m.start > 1 for i in m.span}
    words = {key[0] for key in (*superlatives(), *_STRICT) if len(key) == 1} - _ALSO_PLAIN
    for i in range(request.start, request.end):
        if tokens[i].norm in words and i not in taken:
            return tokens[i].text
        than = i + 1 < request.end and tokens[i].norm in ("more", "fewer", "less")
        if than and any(tokens[k].norm == "than" for k in range(i + 1, request.end)):
            return tokens[i].text
    return ""


class _Finder(Words):
    """Goes through a request from left to right."""

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

    def run(self) -> Found:
        """Return what was found."""
        readers = (self._range, self._than, self._limited, self._extreme, self._denied)
        at = self._request.start
        while at < self._request.end:
            end = 0
            if at not in self._taken and self._tokens[at].word:
                end = next((after for reader in readers if (after := reader(at))), 0)
            at = max(end, at + 1)
        most = _MOST_OPERATORS
        return Found(tuple(self._limits[:most]), self._pick, tuple(self._denials[:most]))

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
            told = self._norm(at - 1) in COPULAS and self._aspect_before(at, "time") is not None
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
            counted = self._with_verb(self._counted(after), after, at)
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
                and self._norm(at + 1) in (COPULAS | LEADING)
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

    # -- extremes -----------------------------------------------------------------------------

    def _extreme(self, at: int) -> int:
        """Read "the oldest", "the second largest population", "born first"."""
        rank, many, first = self._ordinal(at)
        found = self._superlative(at, first)
        if found is None or self._pick is not None:
            return 0
        degrees, after = found
        if (
            self._in_relation(first, after)
            or self._norm(after) == "of"
            and first == after - 1
            and (self._norm(first) in ("most", "least"))
        ):
            return 0
        named = self._compared_by(degrees, first, after)
        if named is None:
            return 0
        aspect, high, start, end = named
        lead = self._lead(min(start, at)) if aspect.given else min(start, at)
        if self._norm(lead - 1) == "top":
            lead -= 1
        self._pick = Pick(frozenset(range(lead, end)), aspect, high, rank, many)
        return end

    def _superlative(self, at: int, first: int) -> tuple[tuple[Degree, ...], int] | None:
        words = [k for k, (_, i) in enumerate(self._words) if i == first]
        inside = [k for k in words if self._words[k][0] not in _ORDINALS]
        return self._phrase(superlatives(), inside[0]) if inside else None

    def _ordinal(self, at: int) -> tuple[int, int, int]:
        """Return rank and number asked for at ``at``, and where the superlative begins."""
        parts = self._norm(at).split()
        if parts and parts[0] in _ORDINALS:
            return _ORDINALS[parts[0]], 1, at if len(parts) > 1 else at + 1
        number = _NUMBERS.get(self._norm(at), 0)
        if not number and self._norm(at).isascii() and self._norm(at).isdigit():
            number = int(self._norm(at)[:4])
        if 1 < number <= _MOST_PICKED:
            return 1, number, at + 1
        return 1, 1, at

    def _compared_by(
        self, degrees: Sequence[Degree], first: int, after: int
    ) -> tuple[Aspect, bool, int, int] | None:
        """Return aspect, end, and the words they take, of a superlative."""
        high = degrees[0].high
        counts = any(ANY_NOUN in d.relations for d in degrees)
        noun = self._aspect_after(after)
        if noun is not None and self._fits_noun(degrees, noun[0]):
            return noun[0], high, first, noun[1]
        verbs = any(ANY_TIME in d.relations for d in degrees) or "recent" in self._norm(after - 1)
        if verbs:
            before = self._aspect_before(first, "time")
            if before is not None:
                return before[0], high, before[1], after
            if degrees[0].relations == (ANY_TIME,) and self._norm(first - 1) not in _OWNERS:
                return None  # "films last two hours", "who first climbed X"
        if counts:
            counted = self._with_verb(self._counted(after), after, first)
            return (counted[0], high, counted[2], counted[1]) if counted else None
        degree = next((d for d in degrees if self._of_degree(d)), None)
        aspect = self._of_degree(degree) if degree else None
        if degree is None or aspect is None:
            return (Aspect((), degrees[0].relations[0], given=False), high, first, after)
        return aspect, degree.high, first, after

    def _fits_noun(self, degrees: Sequence[Degree], aspect: Aspect) -> bool:
        """Tell whether a noun behind a superlative is what is compared ("largest area")."""
        own = {n for d in degrees if (a := self._of_degree(d)) for n in a.properties}
        return not own or bool(set(aspect.properties))

    # -- denials ------------------------------------------------------------------------------

    def _denied(self, at: int) -> int:
        """Read "not ...", "without ...", "except ...": the clause that is denied."""
        found = self._longest(operators(), at)
        if found is None:
            return 0
        kind = next((o.kind for o in found[0] if o.kind in ("negation", "exclusion")), "")
        after = found[1]
        if not kind or self._relation_of_lack(at, after):
            return 0
        if kind == "negation" and at == self._request.start:
            return 0  # "Isn't X a Y?" only asks
        if self._norm(after) == "only":
            return 0
        end = self._clause_end(after, kind)
        if end <= after:
            return 0
        lead = self._lead(at)
        if self._norm(at) in ("neither", "no"):  # "plays neither X nor Y": the verb is denied
            verbs = [m.start for m in self._matches if m.end == at and m.reading.kind == "verb"]
            lead = min([lead, *verbs])
        words = frozenset(range(at, after))
        denial = Denial(frozenset(range(lead, end)), words, after, end, kind == "exclusion")
        self._denials.append(denial)
        return end

    def _relation_of_lack(self, start: int, end: int) -> bool:
        """Tell whether the graph itself states what is lacking ("does not have part")."""
        return any(
            m.start <= start and end <= m.end and m.reading.kind == "verb"
            and any("not" in self._index.properties[name].label.lower().split()
                    or "lacks" in self._index.properties[name].label.lower()
                    for hop in m.reading.hops for name, _ in hop if name in self._index.properties)
            for m in self._matches
        )  # fmt: skip

    def _names_end(self, at: int) -> int:
        """Return where a list of names ends that begins at ``at``, or 0 where none does."""
        end = 0
        while True:
            while self._norm(at) in ("the", "a", "an"):
                at += 1
            name = max((m.end for m in self._mentions if m.start == at), default=0)
            if not name:
                return end
            end = name
            if self._norm(end) not in ("and", "or", ",") or self._goes_on(end + 1):
                return end
            at = end + 1

    def _clause_end(self, at: int, kind: str) -> int:
        names = self._names_end(at) if kind == "exclusion" else 0
        if names:
            return names
        end, content = at, False
        while end < self._request.end:
            norm = self._norm(end)
            if self._stops(end):
                break
            if content and norm in _CLAUSES:
                break
            if content and norm == "and" and self._goes_on(end + 1):
                break
            if content and kind == "exclusion" and norm in COPULAS | {"does", "do", "did", "has"}:
                break
            content = content or norm not in FUNCTION_WORDS
            end += 1
        return end if content else at

    def _stops(self, at: int) -> bool:
        """Tell whether a sign ends the sentence (a dot within a name does not)."""
        last = at == self._request.end - 1 or self._norm(at + 1) in ("?", "!", ".")
        return self._norm(at) in ("?", "!") or (self._norm(at) == "." and last)

    def _goes_on(self, at: int) -> bool:
        """Tell whether "and" begins another clause."""
        return self._norm(at) in LEADING - {"the", "a", "an"} or any(
            m.start == at and m.reading.kind == "verb" for m in self._matches
        )
