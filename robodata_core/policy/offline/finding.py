"""Finding the operators of a request, from left to right; see ``operators`` for what they are.

Words are data (``tables``); what they compare by are the graph's own properties, named by the words
beside them (``aspects``). The tokens that belong to an operator are taken away by whoever carries
it out, so that a plain question is left.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from robodata_core.policy.offline.aspects import LEADING
from robodata_core.policy.offline.limits import Limits
from robodata_core.policy.offline.mentions import Mention
from robodata_core.policy.offline.operators import (
    Aspect,
    Denial,
    Found,
    Pick,
)
from robodata_core.policy.offline.question import Request
from robodata_core.policy.offline.relation_index import RelationIndex
from robodata_core.policy.offline.relations import Match
from robodata_core.policy.offline.tables import (
    ANY_NOUN,
    ANY_TIME,
    Degree,
    operators,
    superlatives,
    triggers,
)
from robodata_core.policy.offline.words import (
    ARTICLES,
    BE,
    FUNCTION_WORDS,
    GENERIC_NOUNS,
    NUMBERS,
    Token,
    said,
)

__all__ = ["ORDINALS", "find", "unread"]

_OWNERS: Final = said("before compared")
_CLAUSES: Final = said("clause") | {",", ";"}
ORDINALS: Final = {
    "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8,
    "ninth": 9, "tenth": 10, "2nd": 2, "3rd": 3, "4th": 4, "5th": 5, "6th": 6, "7th": 7,
    "8th": 8, "9th": 9, "10th": 10,
}  # fmt: skip
_HOW_OFTEN: Final = said("how often")
_MOST_PICKED: Final = 100
_MOST_OPERATORS: Final = 6
_STRICT: Final = (("older",), ("younger",), ("taller",), ("larger",), ("bigger",), ("smaller",))
_ALSO_PLAIN: Final = said("plain degree")


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
        than = i not in taken and tokens[i].norm in ("more", "fewer", "less")
        if than and any(tokens[k].norm == "than" for k in range(i + 1, request.end)):
            return tokens[i].text
        if than and i + 1 < request.end and tokens[i + 1].norm in _HOW_OFTEN:
            return tokens[i].text
    return ""


class _Finder(Limits):
    """Goes through a request from left to right."""

    def run(self) -> Found:
        """Return what was found."""
        readers = (self._range, self._than, self._limited, self._extreme, self._denied)
        at = self._request.start
        while at < self._request.end:
            end = 0
            if at not in self._taken and self._tokens[at].word:
                end = next((after for reader in readers if (after := reader(at))), 0)
            at = max(end, at + 1)
        if self._pick is not None and self._pick.single:  # "larger by area, Chile or Peru"
            told, behind = self._behind(max(self._pick.span) + 1, self._pick.aspect)
            self._pick = replace(self._pick, aspect=told, span=self._pick.span | behind)
        most = _MOST_OPERATORS
        return Found(tuple(self._limits[:most]), self._pick, tuple(self._denials[:most]))

    # -- extremes -----------------------------------------------------------------------------

    def _extreme(self, at: int) -> int:
        """Read "the oldest", "the second largest population", "born first"."""
        rank, many, first = self._ordinal(at)
        found = self._superlative(first)
        if found is None or self._pick is not None:
            return 0
        degrees, after = found
        if (
            (self._in_relation(first, after) and self._has_subject(first))
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
        told, everywhere = self._behind(end, aspect)
        span = frozenset(range(lead, end)) | everywhere
        self._pick = Pick(span, told, high, rank, many)
        return end

    def _has_subject(self, first: int) -> bool:
        """Tell whether something is named that a relation whose phrase begins here could be of."""
        phrase = max((m.end for m in self._matches if m.start == first), default=first)
        everywhere = self._behind(phrase, Aspect((), ""))[1]
        return any(
            not mention.span <= everywhere | frozenset(range(first, phrase))
            for mention in self._mentions
        )

    def _behind(self, end: int, aspect: Aspect) -> tuple[Aspect, frozenset[int]]:
        """Read what says by what things are compared, and that all there are are meant.

        The latter may stand anywhere, the former behind the extreme, which ends at ``end``, or
        before everything else ("by area, which is larger").
        """
        taken: set[int] = set()
        for at in range(self._request.start, self._request.end):
            found = self._longest(operators(), at) if at not in taken else None
            kinds = {operator.kind for operator in found[0]} if found else set()
            if found is not None and "everywhere" in kinds:
                taken |= set(range(at, found[1]))
            by = (at >= end or at == self._request.start) and "measure" in kinds
            named = self._aspect_after(found[1]) if by and found else None
            if named is not None and not aspect.given and self._ends_phrase(named[1]):
                aspect = named[0]
                taken |= set(range(at, named[1]))
        return aspect, frozenset(taken)

    def _ends_phrase(self, end: int) -> bool:
        """Tell whether a phrase ends at a place: with the question, or at a sign that parts it."""
        parted = end < self._request.end and self._tokens[end].norm in (",", ":")
        return parted or self._is_last(end)

    def _is_last(self, end: int) -> bool:
        """Tell whether nothing but signs and what means all there are stands from a place on."""
        while end < self._request.end:
            found = self._longest(operators(), end)
            if found and any(operator.kind == "everywhere" for operator in found[0]):
                end = found[1]
            elif self._tokens[end].word:
                return False
            else:
                end += 1
        return True

    def _superlative(self, first: int) -> tuple[tuple[Degree, ...], int] | None:
        words = [k for k, (_, i) in enumerate(self._words) if i == first]
        inside = [k for k in words if self._words[k][0] not in ORDINALS]
        return self._phrase(superlatives(), inside[0]) if inside else None

    def _ordinal(self, at: int) -> tuple[int, int, int]:
        """Return rank and number asked for at ``at``, and where the superlative begins."""
        parts = self._norm(at).split()
        if parts and parts[0] in ORDINALS:
            return ORDINALS[parts[0]], 1, at if len(parts) > 1 else at + 1
        number = NUMBERS.get(self._norm(at), 0)
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
            while self._norm(at) in ARTICLES:
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
        is_kind = any(m.end == names and not m.proper for m in self._mentions)
        if names and not (is_kind and self._norm(names) in _CLAUSES):
            return names
        end, content = names or at, False
        while end < self._request.end:
            norm = self._norm(end)
            if self._stops(end):
                break
            if content and norm in _CLAUSES:
                break
            if content and norm == "and" and self._goes_on(end + 1):
                break
            if content and kind == "exclusion" and norm in BE | {"does", "do", "did", "has"}:
                break
            content = content or norm not in FUNCTION_WORDS | GENERIC_NOUNS
            end += 1
        return end if content else at

    def _goes_on(self, at: int) -> bool:
        """Tell whether "and" begins another clause."""
        return self._norm(at) in LEADING - ARTICLES or any(
            m.start == at and m.reading.kind == "verb" for m in self._matches
        )
