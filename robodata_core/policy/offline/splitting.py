"""Alternatives: where "or", "both ... and" or a list splits a question into several of one form.

Each alternative is given by the tokens that are taken away to ask for it alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from robodata_core.policy.offline.mentions import Linking, Mention
from robodata_core.policy.offline.operators import Found
from robodata_core.policy.offline.question import Question, Request
from robodata_core.policy.offline.relations import Match
from robodata_core.policy.offline.words import (
    ARTICLES,
    FUNCTION_WORDS,
    PREPOSITIONS,
    WH_WORDS,
    Token,
    said,
)

__all__ = ["Split", "coordinated", "split"]

_SEPARATORS: Final = said("between sides") | set(",:;?!.–-")
_MOST: Final = 8


@dataclass(frozen=True, slots=True)
class Split:
    """Alternatives of one request.

    Attributes:
        removed: For each alternative the tokens of the others.
        every: Whether all must hold ("both"), else any.
        names: For a choice among names: where each stands.
    """

    removed: tuple[frozenset[int], ...] = ()
    every: bool = False
    names: tuple[tuple[int, int], ...] = ()


def split(
    question: Question,
    request: Request,
    linking: Linking,
    matches: Sequence[Match],
    found: Found,
) -> Split | None:
    """Find the alternatives of a request, or None where it has none."""
    tokens = question.tokens
    words = [tokens[i].norm for i in range(request.start, request.end)]
    if "and" in words and found.pick is None and not {"or", "nor", "both"} & set(words):
        joined = _Splitter(tokens, request, linking.mentions, matches).verbs_joined()
        return joined if joined and not found.span else None
    if not words or (not {"or", "nor", "both"} & set(words) and found.pick is None):
        return None
    splitter = _Splitter(tokens, request, linking.mentions, matches)
    if found.pick is not None:
        names = splitter.names(found)
        which_of = words[:2] in (["which", "of"], ["who", "of"]) or words[0] == "of"
        listed = "or" in words or ":" in words or (which_of and "and" in words)
        listed = listed or splitter.all_names(names, found)
        if found.pick.single or (listed and len(names) > 1):
            return Split(names=names if len(names) > 1 else ())
    limits = splitter.limits(found)
    if limits is not None:
        return limits
    return None if found.span else splitter.units()


def coordinated(
    question: Question, request: Request, linking: Linking, *, known: bool = False
) -> Split | None:
    """Find two names that "and" joins, which both may have to hold.

    Args:
        question: The question.
        request: The request.
        linking: Its names.
        known: Whether only names that were linked count.
    """
    if all(question.tokens[i].norm != "and" for i in range(request.start, request.end)):
        return None
    return _Splitter(question.tokens, request, linking.mentions, ()).names_joined(known)


class _Splitter:
    def __init__(
        self,
        tokens: Sequence[Token],
        request: Request,
        mentions: Sequence[Mention],
        matches: Sequence[Match],
    ) -> None:
        self._tokens = tokens
        self._request = request
        self._mentions = [m for m in mentions if m.start < m.end]
        self._verbs = [m for m in matches if m.reading.kind == "verb"]
        self._inside = {
            i for m in mentions if m.exact and m.proper for i in range(m.start + 1, m.end - 1)
        }

    def _norm(self, at: int) -> str:
        return self._tokens[at].norm if self._request.start <= at < self._request.end else ""

    # -- choices ------------------------------------------------------------------------------

    def names(self, found: Found) -> tuple[tuple[int, int], ...]:
        """Return the parts of a list that do not hold the question word."""
        parts: list[tuple[int, int]] = []
        start = self._request.start
        span = found.pick.span if found.pick else frozenset()
        for at in range(self._request.start, self._request.end + 1):
            end = at == self._request.end
            cut = end or (self._norm(at) in _SEPARATORS and at not in self._inside) or at in span
            if not cut:
                continue
            start = self._after_which(start, at)
            if any(self._is_content(i) for i in range(start, at)) and not any(
                self._norm(i) in WH_WORDS for i in range(start, at)
            ):
                parts.append((start, at))
            start = at + 1
        return tuple(parts[:_MOST])

    def all_names(self, names: Sequence[tuple[int, int]], found: Found) -> bool:
        """Tell whether what follows an extreme is a list of names: "the oldest of X, Y and Z"."""
        end = max(found.pick.span) + 1 if found.pick else 0
        return self._norm(end) == "of" and len(names) > 1 and all(
            start >= end and all(
                self._tokens[i].capitalised for i in range(start, stop)
                if self._norm(i) not in FUNCTION_WORDS
            )
            for start, stop in names
        )  # fmt: skip

    def _after_which(self, start: int, end: int) -> int:
        """Return where the name begins in "which of X": the question word is not part of it."""
        asks = self._norm(start) in WH_WORDS and self._norm(start + 1) == "of"
        named = any(self._tokens[i].capitalised for i in range(start + 2, end))
        return start + 2 if asks and named else start

    def _is_content(self, at: int) -> bool:
        token = self._tokens[at]
        return token.word and token.norm not in FUNCTION_WORDS

    # -- alternatives -------------------------------------------------------------------------

    def limits(self, found: Found) -> Split | None:
        """Return two limits that "or" joins: "born before 1900 or died after 1950"."""
        for at in range(self._request.start, self._request.end):
            if self._norm(at) != "or":
                continue
            before = [one.span for one in found.limits if max(one.span) == at - 1]
            behind = [one.span for one in found.limits if min(one.span) == at + 1]
            if before and behind:
                joint = frozenset({at})
                return Split((behind[0] | joint, before[0] | joint))
        return None

    def units(self) -> Split | None:
        """Return the alternatives around the first "or", or around "and" after "both"."""
        both = next((i for i in self._places() if self._norm(i) == "both"), None)
        for at in self._places():
            word = self._norm(at)
            if at in self._inside or word not in ("or", "nor", "and"):
                continue
            if word == "and" and (both is None or at < both):
                continue
            left, right = self._left(at), self._right(at)
            if left is None or right is None:
                continue
            return self._alternatives(left, right, at, word == "and", both)
        return None

    def verbs_joined(self) -> Split | None:
        """Return verbs that "and" joins before what they share: "was born and died in X"."""
        for at in self._places():
            if self._norm(at) != "and" or at in self._inside:
                continue
            units, joints = [at - 1, at + 1], [at]
            while self._norm(units[0] - 1) == ",":
                joints.append(units[0] - 1)
                units.insert(0, units[0] - 2)
            if len(units) > _MOST or not all(self._is_verb(unit) for unit in units):
                continue
            removed = [frozenset({*joints, *units}) - {unit} for unit in units]
            return Split(tuple(removed), True)
        return None

    def _is_verb(self, at: int) -> bool:
        return bool(self._norm(at)) and any(at in m.span for m in self._verbs)

    def names_joined(self, known: bool) -> Split | None:
        """Return two capitalised names that "and" joins."""
        for at in self._places():
            if self._norm(at) != "and" or at in self._inside:
                continue
            behind_article = at + (self._norm(at + 1) in ARTICLES)
            left_name, right_name = self._mention(at, -1), self._mention(behind_article, 1)
            if left_name and right_name and self._alike(left_name, right_name):
                left = (left_name.start, left_name.end)
                return self._alternatives(left, (at + 1, right_name.end), at, True, None)
            if known:
                continue
            before, behind = self._tokens[at - 1], self._norm(at + 1)
            capital = at + 1 < self._request.end and self._tokens[at + 1].capitalised
            if at == self._request.start or not before.capitalised or not capital or not behind:
                continue
            left, right = self._capitals(at, -1), self._capitals(at, 1)
            return self._alternatives(left, right, at, True, None)
        return None

    @staticmethod
    def _alike(one: Mention, other: Mention) -> bool:
        """Tell whether two mentions are of one sort, so that "and" may join them."""
        return one.proper == other.proper

    def _as_first(self, name: Mention, unit: tuple[int, int]) -> bool:
        """Tell whether a name before a comma belongs to the list of a unit."""
        inside = [m for m in self._mentions if unit[0] <= m.start and m.end == unit[1]]
        return any(self._alike(name, m) for m in inside)

    def _places(self) -> range:
        return range(self._request.start, self._request.end)

    def _capitals(self, at: int, way: int) -> tuple[int, int]:
        """Return the run of capitalised words on one side of ``at``."""
        mention = self._mention(at, way)
        if mention is not None and mention.proper:
            return mention.start, mention.end
        place = at + way
        while self._norm(place + way) and (
            self._tokens[place + way].capitalised and place + way > self._request.start
        ):
            place += way
        return (place, at) if way < 0 else (at + 1, place + 1)

    def _mention(self, at: int, way: int) -> Mention | None:
        """Return the longest name that ends before (or begins after) a place."""
        fitting = [m for m in self._mentions if (m.end == at if way < 0 else m.start == at + 1)]
        return max(fitting, key=lambda m: m.end - m.start, default=None)

    def _left(self, at: int) -> tuple[int, int] | None:
        mention = self._mention(at, -1)
        if mention is not None:
            return mention.start, mention.end
        start = at
        while self._is_content(start - 1) if start - 1 >= self._request.start else False:
            start -= 1
        verb = max((m.start for m in self._verbs if m.end == at), default=start)
        start = max(start, verb)
        return (start, at) if start < at else None

    def _right(self, at: int) -> tuple[int, int] | None:
        """Return what follows; a preposition of its own belongs to it ("or in Africa")."""
        start = at + 1
        while self._norm(start) in PREPOSITIONS | ARTICLES:
            start += 1
        mention = self._mention(start - 1, 1)
        if mention is not None:
            return at + 1, mention.end
        verb = max((m.end for m in self._verbs if m.start == start), default=0)
        end = verb or start
        while not verb and end < self._request.end and self._is_content(end):
            end += 1
        return (at + 1, end) if end > start else None

    def _alternatives(
        self,
        left: tuple[int, int],
        right: tuple[int, int],
        at: int,
        every: bool,
        both: int | None,
    ) -> Split | None:
        lead = self._norm(right[0])
        start = left[0]
        if lead in PREPOSITIONS | ARTICLES:
            back = start
            while self._norm(back - 1) in PREPOSITIONS | ARTICLES:
                back -= 1
            if self._norm(back) == lead:
                start = back
        units = [(start, left[1]), right]
        joints = [at]
        while self._norm(units[0][0] - 1) == ",":
            comma = units[0][0] - 1
            name = self._mention(comma, -1)
            if name is None or len(units) >= _MOST or not self._as_first(name, left):
                break
            more = (name.start, name.end)
            units.insert(0, more)
            joints.append(comma)
        if self._norm(at - 1) == ",":
            joints.append(at - 1)
        extra = frozenset(joints) | (frozenset({both}) if both is not None else frozenset())
        whole = [frozenset(range(*unit)) for unit in units]
        if any(any(self._norm(i) in WH_WORDS for i in unit) for unit in whole):
            return None
        removed = tuple(
            frozenset(i for other in whole if other is not unit for i in other) | extra
            for unit in whole
        )
        return Split(removed, every)
