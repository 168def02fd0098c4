"""What things are compared by: which words of a question name a property with numbers or times.

"Population" in "a larger population than X", "born" in "born before 1900", and nothing but the word
of comparison itself in "the tallest". Finding operators (``finding``) builds on this.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeVar

from robodata_core.language.lexicon import open_lexicon
from robodata_core.model import Direction
from robodata_core.policy.base import AnswerKind
from robodata_core.policy.offline.mentions import Mention
from robodata_core.policy.offline.operators import Aspect
from robodata_core.policy.offline.question import Request
from robodata_core.policy.offline.relation_index import RelationIndex
from robodata_core.policy.offline.relations import Match
from robodata_core.policy.offline.tables import (
    ANY_TIME,
    Degree,
    comparatives,
    plain_forms,
    superlatives,
)
from robodata_core.policy.offline.words import (
    BE,
    FUNCTION_WORDS,
    GENERIC_NOUNS,
    WH_WORDS,
    Token,
    said,
)

__all__ = ["LEADING", "Words"]

_T = TypeVar("_T")
#: What may be taken away in front of an operator without a loss.
LEADING: Final = BE | said("leading")
_USUAL_TIMES: Final = open_lexicon("en").role("times")


class Words:
    """The words of one request, and what those beside a place say things are compared by."""

    def __init__(
        self,
        tokens: Sequence[Token],
        request: Request,
        mentions: tuple[Mention, ...],
        matches: Sequence[Match],
        index: RelationIndex,
    ) -> None:
        self._tokens = tokens
        self._request = request
        self._matches = matches
        self._mentions = mentions
        self._index = index
        self._scalars = index.scalars
        self._taken: set[int] = {
            i for m in mentions if m.proper and m.exact and m.end - m.start > 1 for i in m.span
        }
        self._words: list[tuple[str, int]] = [
            (word, i)
            for i in range(request.start, request.end)
            for word in (tokens[i].norm.split() if tokens[i].word else [tokens[i].norm])
        ]

    # -- words --------------------------------------------------------------------------------

    def _longest(self, table: Mapping[tuple[str, ...], _T], at: int) -> tuple[_T, int] | None:
        """Return the entry of the longest phrase at token ``at``, and the token after it."""
        first = next((k for k, (_, i) in enumerate(self._words) if i == at), None)
        if first is None:
            return None
        return self._phrase(table, first)

    def _phrase(self, table: Mapping[tuple[str, ...], _T], first: int) -> tuple[_T, int] | None:
        for length in range(4, 0, -1):
            part = self._words[first : first + length]
            key = tuple(word for word, _ in part)
            if len(part) == length and key in table:
                last = part[-1][1]
                whole = not self._words[first + length : first + length + 1] or (
                    self._words[first + length][1] != last
                )
                if whole and not any(i in self._taken for _, i in part):
                    return table[key], last + 1
        return None

    def _norm(self, at: int) -> str:
        return self._tokens[at].norm if self._request.start <= at < self._request.end else ""

    def _raw(self, start: int, end: int) -> str:
        return " ".join(token.text for token in self._tokens[start:end])

    def _in_relation(self, start: int, end: int) -> bool:
        """Tell whether words are part of a longer phrase for a relation ("first name")."""
        return any(
            m.start <= start and end <= m.end and m.end - m.start > end - start
            and any(self._tokens[i].norm not in FUNCTION_WORDS
                    for i in range(m.start, m.end) if not start <= i < end)
            and not self._edges(m)
            and m.reading.strength > 0.8
            for m in self._matches
        )  # fmt: skip

    # -- aspects ------------------------------------------------------------------------------

    def _edges(self, match: Match) -> tuple[str, ...]:
        """Return the properties with numbers or times that a phrase names."""
        if len(match.reading.hops) != 1:
            return ()
        hop = match.reading.hops[0]
        return tuple(name for name, way in hop if way is Direction.OUT and name in self._scalars)

    def _with_verb(
        self, counted: tuple[Aspect, int] | None, after: int, at: int
    ) -> tuple[Aspect, int, int] | None:
        """Return what is counted with the verb that says the same: "plays the most instruments".

        Where the noun is general ("people"), the verb alone names the relation.
        """
        verbs = self._verbs_before(at)
        verb = max(verbs, key=lambda m: (m.end - m.start, m.reading.strength), default=None)
        if counted is None:
            if verb is None or self._norm(after) not in GENERIC_NOUNS:
                return None
            words = self._raw(after, after + 1)
            return Aspect((), words, verb), after + 1, verb.start
        noun = counted[0].noun
        assert noun is not None
        names = {name for name, _ in noun.reading.hops[0]}
        for one in verbs:
            if names & {name for name, _ in one.reading.hops[0]}:
                return counted[0], counted[1], one.start
        return counted[0], counted[1], at

    def _verbs_before(self, at: int) -> list[Match]:
        """Return the verbs whose object begins at ``at`` and that name relations to things."""
        end = at
        while self._norm(end - 1) in ("the", "a"):
            end -= 1
        return [
            m for m in self._matches
            if m.end in (end, at) and m.reading.kind == "verb" and len(m.reading.hops) == 1
            and m.reading.hops[0] and not self._edges(m)
        ]  # fmt: skip

    def _objects(self, after: int, at: int) -> tuple[Aspect, int, int] | None:
        """Return what is counted of the objects of a verb: "borders at least eight countries".

        What stands between the verb and the noun is a number, so the noun says of which kind they
        have to be, whatever relation it names elsewhere.
        """
        verbs = self._verbs_before(at)
        counted = self._counted(after)
        if not verbs or counted is None:
            return self._with_verb(counted, after, at)
        told = self._with_verb(counted, after, at)
        assert told is not None
        if told[2] != at:
            return told
        verb = max(verbs, key=lambda m: (m.end - m.start, m.reading.strength))
        kind = counted[0].words.lower()
        return Aspect((), kind, verb, kind=kind), counted[1], verb.start

    def _of_kind(self, names: Iterable[str], kind: str) -> tuple[str, ...]:
        found = dict.fromkeys(names)
        return tuple(n for n in found if not kind or self._index.object_type(n) == kind)

    def _named(self, fitting: Iterable[Match], kind: str) -> tuple[Aspect, int, int] | None:
        """Return what the best of some phrases names, with its place."""
        best: list[Match] = []
        for match in fitting:
            if not self._of_kind(self._edges(match), kind):
                continue
            longer = not best or match.end - match.start > best[0].end - best[0].start
            if longer:
                best = [match]
            elif match.end - match.start == best[0].end - best[0].start:
                best.append(match)
        if not best:
            return None
        best.sort(key=lambda match: -match.reading.strength)
        names = [name for match in best for name in self._of_kind(self._edges(match), kind)]
        start, end = best[0].start, best[0].end
        return Aspect(tuple(dict.fromkeys(names)), self._raw(start, end)), start, end

    def _aspect_before(self, at: int, kind: str = "") -> tuple[Aspect, int] | None:
        """Return what the words that end at ``at`` name, and where they begin."""
        end = at
        while self._norm(end - 1) in BE | {"of", "at", "in", "on"}:
            end -= 1
        ends = {at, end}
        if self._norm(at) in ("on", "in", "at"):  # "born on" may be a phrase of its own
            ends.add(at + 1)
        found = self._named((m for m in self._matches if m.end in ends), kind)
        return (found[0], found[1]) if found else None

    def _aspect_after(self, at: int, kind: str = "") -> tuple[Aspect, int] | None:
        """Return what the words at ``at`` name, and where they end."""
        start = at
        while self._norm(start) in ("the", "to", "be", "in", "number", "of", "a"):
            start += 1
        found = self._named((m for m in self._matches if m.start in (at, start)), kind)
        return (found[0], found[2]) if found else None

    def _counted(self, at: int) -> tuple[Aspect, int] | None:
        """Return a noun at ``at`` that names a relation between things, to be counted."""
        fitting = [
            m for m in self._matches
            if m.start == at and m.reading.kind in ("noun", "verb") and len(m.reading.hops) == 1
            and m.reading.hops[0] and not self._edges(m)
        ]  # fmt: skip
        if not fitting:
            return None
        match = max(fitting, key=lambda m: (m.end - m.start, m.reading.strength))
        return Aspect((), self._raw(match.start, match.end), match), match.end

    def _of_degree(self, degree: Degree, kind: str = "") -> Aspect | None:
        """Return what a word of comparison is about by itself."""
        labels = _USUAL_TIMES if ANY_TIME in degree.relations else degree.relations
        names = [name for label in labels for name in sorted(self._index.named(label))]
        kept = tuple(n for n in self._of_kind(names, kind) if n in self._scalars)
        nouns = (m for m in self._matches if m.reading.kind == "noun" and not self._compares(m))
        said = {name for match in nouns for name in match.reading.relations}
        label, classes = degree.before if said.isdisjoint(kept) else ("", frozenset())
        before = (frozenset(self._index.named(label)) if label else frozenset(), classes)
        return Aspect(kept, labels[0], given=False, before=before) if kept else None

    def _compares(self, match: Match) -> bool:
        """Tell whether a phrase is a word of comparison itself."""
        words = tuple(self._norm(i) for i in sorted(match.span))
        return any(words in table for table in (comparatives(), superlatives(), plain_forms()))

    def _lead(self, at: int) -> int:
        """Return where the words begin that lead to an operator and say nothing else."""
        first = self._request.start
        if self._norm(first) in WH_WORDS or self._request.kind is AnswerKind.YES_OR_NO:
            first += 1
        while at > first and self._norm(at - 1) in LEADING:
            at -= 1
        return at
