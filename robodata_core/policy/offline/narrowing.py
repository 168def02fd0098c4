"""Words that say more than the relation a graph has for them: "daughters" where it has children.

A lexicon marks such relations as broader and may say what narrows them ("sex or gender" being
"female"). Where the graph states that, it becomes a step of the program; what is not stated is
left out and told. Where nothing is stated, an answer says which part of the question it rests on
the broader relation for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from robodata_core.model import Direction, EntityValue, MatchKind, Value
from robodata_core.policy.offline.broader import Broader
from robodata_core.policy.offline.candidate import Candidate, EdgeUse, Narrowed
from robodata_core.policy.offline.reading import Reader
from robodata_core.policy.offline.relation_index import RelationIndex
from robodata_core.policy.offline.relations import Edge, Hop, Match, reverse
from robodata_core.policy.offline.stated import Stated, ids_of, others_of
from robodata_core.policy.offline.words import Token, singular
from robodata_core.programs.describe import listed
from robodata_core.programs.executor import Executor, ProgramResult
from robodata_core.programs.steps import (
    Comparison,
    Difference,
    End,
    FilterByConstraint,
    FilterByCount,
    Judge,
    JudgeKind,
    Program,
    Step,
    Union,
)
from robodata_core.text import normalise_name
from robodata_core.values import format_value

__all__ = ["Narrower"]

_FOUND: Final = 5
_NAMED: Final = 4


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a program follows a broader relation.

    Attributes:
        name: The set of those that the word is to fit; empty where it cannot be told apart.
        use: The hop.
        broader: What is known of the word.
        word: The word as it is written.
    """

    name: str
    use: EdgeUse
    broader: Broader
    word: str


class Narrower:
    """Narrows candidates of one question to what its words say."""

    def __init__(
        self,
        reader: Reader,
        index: RelationIndex,
        tokens: Sequence[Token],
        executor: Executor,
    ) -> None:
        self._reader = reader
        self._index = index
        self._tokens = tokens
        self._executor = executor

    def narrow(self, candidate: Candidate, matches: Sequence[Match]) -> Candidate:
        """Return a candidate with the steps that narrow it, and with what remains open."""
        for place in _together(self._places(candidate, matches)):
            candidate = self._at(candidate, place)
        return candidate

    # -- where --------------------------------------------------------------------------------

    def _places(self, candidate: Candidate, matches: Sequence[Match]) -> Iterator[_Place]:
        spans = {(match.start, match.end) for match in matches}
        for start, end in sorted(spans):
            key = tuple(token.stem for token in self._tokens[start:end])
            known = self._index.broader.get(key) or self._index.broader.get(
                key[:-1] if key[-1:] == ("of",) else key, ()
            )
            uses = [use for use in candidate.edges if use.span >= set(range(start, end))]
            for row in known:
                places = [self._place(candidate, uses, one, (start, end)) for one in row]
                found = [place for place in places if place is not None]
                if found and (len(found) == len(row) or row[0].of == 1):
                    yield from found
                    break

    def _place(
        self,
        candidate: Candidate,
        uses: Sequence[EdgeUse],
        broader: Broader,
        span: tuple[int, int],
    ) -> _Place | None:
        if broader.of > 1:
            uses = uses[len(uses) - 1 - broader.after :][:1] if len(uses) >= broader.of else ()
        onwards = [use for use in uses if broader.edges & set(use.hop)]
        back = [use for use in uses if broader.edges & set(_turned(use.hop))]
        turned = bool(back) and (not onwards or self._is_named_before(candidate, span))
        if not onwards and not back:
            return None
        use = back[0] if turned else onwards[-1]
        last = span[1] - (self._tokens[span[1] - 1].norm == "of")
        word = " ".join(token.text for token in self._tokens[span[0] : last])
        path = candidate.path
        if use.constraint or len(candidate.history) != len(path) + 1:
            return _Place("", use, broader, word)
        at = next(i for i, item in enumerate(path) if item is use)
        return _Place(candidate.history[at if turned else at + 1], use, broader, word)

    def _is_named_before(self, candidate: Candidate, span: tuple[int, int]) -> bool:
        """Tell whether a word is about what it starts from: "who is X the wife of"."""
        at, end = span
        if at and self._tokens[at - 1].norm == "whose":
            return True  # "whose husband is X", "whose wife was born in X"
        joint = self._tokens[end - 1].norm == "of" or (
            end < len(self._tokens) and self._tokens[end].norm == "of"
        )
        return joint and bool(candidate.links) and candidate.links[0].mention.end <= at

    # -- how ----------------------------------------------------------------------------------

    def _at(self, candidate: Candidate, place: _Place) -> Candidate:
        if candidate.final == "no":
            return candidate  # not even the broader relation is stated
        if not place.name:
            return _noted(candidate, Narrowed(vague=(self._vague(place, 2),)))
        cut = next(i for i, step in enumerate(candidate.steps) if step.out == place.name)
        broad = self._executor.run(Program((*candidate.steps[: cut + 1], End(place.name))))
        ids = ids_of(broad.members)
        judged = _judged(candidate, place.name)
        if judged is not None:
            ids = [id_ for id_ in ids if EntityValue(id_) == judged]
        if not ids:
            return candidate
        name, stated = self._stated(place.broader, ids)
        if not stated and candidate.final != "yes":
            shown = self._shown(candidate, cut, place, ids)
            if shown is not None:
                return shown
        if not stated and place.broader.must:
            nobody = _put(candidate, cut, _having(candidate, cut, ()))
            return _noted(nobody, Narrowed(failure=self._only(place, ids)))
        if not stated:
            return _noted(candidate, Narrowed(vague=(self._vague(place, len(ids)),)))
        narrowed = self._filtered(candidate, cut, name, self._wanted(place.broader, stated))
        if candidate.final == "yes":
            return self._judge_again(narrowed, place, broad, stated, len(ids))
        return _noted(narrowed, self._told(place, name, stated, len(ids)))

    def _shown(
        self, candidate: Candidate, cut: int, place: _Place, ids: Sequence[str]
    ) -> Candidate | None:
        """Narrow by what shows of each who is meant; or take the only one that can be."""
        evidence = place.broader.evidence
        fitting = others_of(self._reader.source, ids, evidence.shown) if evidence.shown else {}
        others = others_of(self._reader.source, ids, evidence.against) if evidence.against else {}
        told = set(fitting) | set(others)
        if told >= set(ids) and not set(fitting) & set(others):
            edges = {edge for edge in evidence.shown if self._reader.any_of(
                [EntityValue(id_) for id_ in ids], (edge,), nodes=len(ids))}  # fmt: skip
            ordered = sorted(edges)
            steps = _having(candidate, cut, ordered)
            narrowed = _put(candidate, cut, steps, tuple(ordered))
            text = (
                f"Of those found by “{self._relation(place)}” none is known in the graph as a"
                f" “{place.word}”."
            )
            return _noted(narrowed, Narrowed(failure=text))
        last = candidate.steps[-1]
        leads_on = place.name != last.out and place.use is not candidate.path[-1]
        single = len(ids) == 1 and singular(place.word.lower()) == place.word.lower()
        if not leads_on or not single or others or candidate.final != "set":
            return None
        if place.broader.must:
            return None  # whose child X is stated to be may be the other of two
        text = (
            f"“{place.word}” was taken for the only one that the graph gives by"
            f" “{self._relation(place)}”, {self._reader.label(ids[0])}."
        )
        return _noted(candidate, Narrowed(notes=(text,)))

    def _stated(self, broader: Broader, ids: Sequence[str]) -> tuple[str, Stated]:
        for name in broader.relations:
            stated = others_of(self._reader.source, ids, ((name, Direction.OUT),))
            if stated:
                return name, stated
        return "", {}

    def _wanted(self, broader: Broader, stated: Stated) -> tuple[Value, ...]:
        """Return the values that narrow to the word: those stated, else one that is called so."""
        given = dict.fromkeys(one.value for found in stated.values() for one in found)
        fitting = [value for value in given if self._names(value) & broader.values]
        if fitting:
            return tuple(fitting)
        return tuple(
            EntityValue(hit.id)
            for label in sorted(broader.values)
            for hit in self._reader.source.search(label, limit=_FOUND)
            if hit.match is MatchKind.LABEL
        )[:1]

    def _names(self, value: Value) -> set[str]:
        if not isinstance(value, EntityValue):
            return {normalise_name(format_value(value))}
        return {normalise_name(self._reader.label(value.id))}

    @staticmethod
    def _filtered(
        candidate: Candidate, cut: int, property_: str, values: Sequence[Value]
    ) -> Candidate:
        """Put filters behind a step, and let what follows go on from them."""
        old = candidate.steps[cut].out
        base = f"m{len(candidate.steps)}"
        added: list[Step] = [
            FilterByConstraint(f"{base}v{i}", old, property_, Comparison.EQ, value)
            for i, value in enumerate(values)
        ] or [Difference(f"{base}v0", old, old)]
        return _put(candidate, cut, added, ((property_, Direction.OUT),))

    def _judge_again(
        self, candidate: Candidate, place: _Place, broad: ProgramResult, stated: Stated, number: int
    ) -> Candidate:
        """Judge with what was narrowed: what was a "yes" may become a "no", or open."""
        if self._executor.run(candidate.program()).boolean:
            return candidate
        if len(stated) < number:
            return _noted(candidate, Narrowed(vague=(self._vague(place, number),)))
        against = tuple(
            dict.fromkeys(
                one
                for id_, found in stated.items()
                for one in (*broad.support(EntityValue(id_)), *found)
            )
        )
        candidate = replace(candidate, final="no", bonus=0.0)
        return _noted(candidate, Narrowed(against=against))

    # -- what is said -------------------------------------------------------------------------

    def _relation(self, place: _Place) -> str:
        edges = place.broader.edges | set(_turned(tuple(place.broader.edges)))
        return self._index.name_of(
            next(name for name, way in place.use.hop if (name, way) in edges)
        )

    def _vague(self, place: _Place, number: int) -> str:
        which = "for which of them" if number > 1 else "whether"
        return (
            f"The graph states the relation “{self._relation(place)}” here,"
            f" not {which} the word “{place.word}” holds."
        )

    def _only(self, place: _Place, ids: Sequence[str]) -> str:
        """Say who it may be where nobody is shown to be meant."""
        names = listed(self._reader.label(id_) for id_ in ids[:_NAMED])
        more = f" and {len(ids) - _NAMED:,} more" if len(ids) > _NAMED else ""
        return f"{self._vague(place, len(ids))} By that relation alone it would be {names}{more}."

    def _told(self, place: _Place, name: str, stated: Stated, number: int) -> Narrowed:
        relation, condition = self._relation(place), self._index.name_of(name)
        failure = (
            f"Of those found by “{relation}” the graph tells of none that it is a “{place.word}”"
            f" ({condition} is stated for {len(stated):,} of {number:,})."
        )
        if len(stated) == number:
            return Narrowed(failure=failure)
        lacking = (
            f"The graph states the {condition} of only {len(stated):,} of the {number:,} found by"
            f" “{relation}”; the others are left out, so there may be more."
        )
        return Narrowed(lacking=(lacking,), failure=failure)


def _having(candidate: Candidate, cut: int, edges: Sequence[Edge]) -> list[Step]:
    """Return steps that keep what one of some relations joins to anything."""
    old, base = candidate.steps[cut].out, f"m{len(candidate.steps)}"
    steps: list[Step] = [
        FilterByCount(f"{base}v{i}", old, (name,), way, Comparison.GE, 1)
        for i, (name, way) in enumerate(edges)
    ]
    return steps or [Difference(f"{base}v0", old, old)]


def _put(candidate: Candidate, cut: int, added: list[Step], told: Hop = ()) -> Candidate:
    """Put steps behind one, their union in place of its set, and let the rest go on from it."""
    if len(added) > 1:
        added = [*added, Union(f"m{len(candidate.steps)}", tuple(step.out for step in added))]
    use = (EdgeUse(told, constraint=True),) if told else ()
    return replace(candidate.put(cut, added), edges=(*candidate.edges, *use))


def _together(places: Iterable[_Place]) -> tuple[_Place, ...]:
    """Put words about one set together: "sons and daughters" are either."""
    found: dict[tuple[str, Hop], _Place] = {}
    for place in places:
        key = (place.name, place.use.hop)
        known = found.get(key)
        if known is not None and place.word != known.word:
            one, other = known.broader, place.broader
            both = replace(
                one,
                edges=one.edges | other.edges,
                relations=tuple(dict.fromkeys((*one.relations, *other.relations))),
                values=one.values | other.values,
            )
            place = replace(known, broader=both, word=f"{known.word}” or “{place.word}")
        found[key] = place
    return tuple(found.values())


def _turned(hop: Hop) -> Hop:
    return reverse((hop,))[0]


def _noted(candidate: Candidate, more: Narrowed) -> Candidate:
    return replace(candidate, narrowed=candidate.narrowed.plus(more))


def _judged(candidate: Candidate, name: str) -> Value | None:
    """Return what is judged to be in a set, if that is what the program ends with."""
    last = candidate.steps[-1]
    if isinstance(last, Judge) and last.kind is JudgeKind.CONTAINS and last.source == name:
        return last.value
    return None
