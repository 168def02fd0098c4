"""Which relation joins what is asked for with what is counted, and which way.

"Who plays the most instruments": from the asked along "instrument". "In which cemetery are the most
people buried": from the asked back along "place of burial". Told by the grammar: what stands before
an active verb is its subject, what stands behind it its object.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from robodata_core.model import Direction
from robodata_core.policy.offline.question import Request
from robodata_core.policy.offline.relation_index import RelationIndex
from robodata_core.policy.offline.relations import Edge, Hop, Match, reverse
from robodata_core.policy.offline.tallies import Tally, relations_from
from robodata_core.policy.offline.words import (
    ARTICLES,
    AUXILIARIES,
    BE,
    FUNCTION_WORDS,
    GENERIC_NOUNS,
    HAVING,
    LIGHT_VERBS,
    WH_WORDS,
    Token,
    stems,
)

__all__ = ["Walk", "Walks"]

_SURE: Final = 0.7
_BY_TABLE: Final = 0.85


@dataclass(frozen=True, slots=True)
class Walk:
    """How the asked are joined with the counted.

    Attributes:
        properties: The relations.
        direction: Which way, seen from the asked.
        strength: How surely the words say so.
        span: The words that say so.
        typed: Whether the counted noun still says what kind of things count.
        ends: Whether the noun asked for names the relation itself, so that its values are meant.
    """

    properties: tuple[str, ...]
    direction: Direction
    strength: float
    span: frozenset[int]
    typed: bool = False
    ends: bool = False


class Walks:
    """Finds the walks of one request.

    Args:
        tokens: The question.
        request: The request.
        matches: Its phrases.
        index: The relations of the graph.
        tally: What is counted.
    """

    def __init__(
        self,
        tokens: Sequence[Token],
        request: Request,
        matches: Sequence[Match],
        index: RelationIndex,
        tally: Tally,
    ) -> None:
        self._tokens = tokens
        self._request = request
        self._index = index
        self._tally = tally
        first, last = tally.counted
        plain = [m for m in map(self._between_things, matches) if self._is_plain(m)]
        self._inside = [m for m in plain if first <= m.start and m.end <= last]
        self._nouns = [
            m for m in plain
            if m.end == last and m.reading.kind in ("noun", "verb")
            and (m.start >= first or m.span <= tally.span | m.span & set(range(first, last)))
        ]  # fmt: skip
        if not tally.common:
            # "Most members" are counted by the noun itself, not by a verb of the same spelling.
            self._nouns = [m for m in self._nouns if m.reading.kind == "noun"]
        taken = tally.span | frozenset(range(first, last))
        self._verbs = [
            m for m in plain
            if not m.span - tally.span <= taken
            and not frozenset(range(first, last)) & m.span
            and (m.reading.kind in ("verb", "adj") or self._is_said_of(m))
        ]  # fmt: skip
        # Behind the noun asked for, what may be a verb is one: "which task uses".
        acting = [m.span for m in self._verbs if m.start > min(request.focus, default=m.start)]
        self._focus = [
            m for m in plain
            if m.reading.kind == "noun" and m.span <= request.focus and not m.span & taken
            and m.span not in acting
        ]  # fmt: skip

    @property
    def focus_head(self) -> frozenset[int]:
        """The noun asked for: what stands behind "which", up to the verb."""
        at = next(
            (i for i in range(self._request.start, self._request.end)
             if self._tokens[i].norm in ("which", "what")),
            None,
        )  # fmt: skip
        if at is None:
            return frozenset()
        found: list[int] = []
        verbs = {m.start for m in self._verbs if m.reading.kind != "noun"}
        for i in range(at + 1, self._request.end):
            word = self._tokens[i].norm
            general = word in GENERIC_NOUNS
            if i in self._tally.span or i in self._counted or not self._tokens[i].word:
                break
            if (word in FUNCTION_WORDS and not general) or (found and i in verbs):
                break
            found.append(i)
        return frozenset(found)

    @property
    def _counted(self) -> frozenset[int]:
        return frozenset(range(*self._tally.counted))

    def _between_things(self, match: Match) -> Match:
        """Leave out the relations to numbers and times: what they lead to is not counted."""
        hops = tuple(
            tuple(edge for edge in hop if edge[0] not in self._index.scalars)
            for hop in match.reading.hops
        )
        return replace(match, reading=replace(match.reading, hops=hops))

    @staticmethod
    def _is_plain(match: Match) -> bool:
        hops = match.reading.hops
        return len(hops) == 1 and bool(hops[0]) and match.reading.strength >= _SURE

    def _is_said_of(self, match: Match) -> bool:
        """Tell whether a noun is said of the asked: "is head of state of the most countries"."""
        if match.reading.kind != "noun" or match.start == self._request.start:
            return False
        behind = self._tokens[match.end].norm if match.end < self._request.end else ""
        before = self._tokens[match.start - 1].norm
        return behind in ("of", "for", "to") and before in BE | ARTICLES

    # -- walks --------------------------------------------------------------------------------

    def all(self) -> Iterator[Walk]:
        """Give the walks, the surest first."""
        found = [*self._common()] if self._tally.common else [*self._plain()]
        kept: dict[tuple[tuple[str, ...], Direction], Walk] = {}
        for walk in sorted(found, key=lambda one: -one.strength):
            kept.setdefault((walk.properties, walk.direction), walk)
        yield from kept.values()

    def _common(self) -> Iterator[Walk]:
        """Give walks to the values of a relation: "the most common cause of death"."""
        for noun in self._nouns:
            said = _owner_to_noun(noun) if noun.reading.kind == "noun" else _from_subject(noun)
            for verb in self._verbs:
                shared = _shared(said, _from_subject(verb))
                span = noun.span | verb.span
                yield from self._each(reverse((shared,))[0], noun, span, True)
            if not self._verbs_open:
                whole = noun.start == self._tally.counted[0]
                weight = 1.0 if whole else 0.8
                yield from self._each(reverse((said,))[0], noun, noun.span, True, weight)
        for verb in () if self._nouns else self._verbs:
            yield from self._each(reverse((_from_subject(verb),))[0], verb, verb.span, False, 0.95)

    @property
    def _verbs_open(self) -> bool:
        """Whether a verb stands apart from the noun, which then has to agree with it."""
        named = {name for noun in self._nouns for name, _ in noun.reading.hops[0]}
        return bool(self._verbs) and any(
            {name for name, _ in verb.reading.hops[0]} & named for verb in self._verbs
        )

    def _plain(self) -> Iterator[Walk]:
        """Give walks to what is counted: "plays the most instruments"."""
        head = self._tokens[self._tally.counted[1] - 1].norm
        general = head in GENERIC_NOUNS
        for verb in self._verbs:
            yield from self._with_verb(verb, head, general)
        if any(not self._is_light(verb) for verb in self._verbs):
            return
        for noun in self._nouns:
            yield from self._each(_owner_to_noun(noun), noun, noun.span, False)
        for noun in self._focus:
            back = reverse((_owner_to_noun(noun),))[0]
            if general or self._names_subjects(head, back):
                yield from self._each(back, noun, noun.span, True, 1.05)
        names = {n for label in relations_from(head) for n in self._index.named(label)}
        for name in sorted(names - self._index.scalars):
            yield Walk((name,), Direction.IN, _BY_TABLE, frozenset())

    def _with_verb(self, verb: Match, head: str, general: bool) -> Iterator[Walk]:
        """Give walks along a verb, by what the counted noun adds to it."""
        hop = self._by_verb(verb)
        for noun in self._nouns:
            there = _owner_to_noun(noun)
            shared = _shared(hop, there) or _shared(hop, reverse((there,))[0])
            yield from self._each(shared, verb, verb.span | noun.span, False, 1.1)
        if general or self._names_subjects(head, hop):
            yield from self._each(hop, verb, verb.span, False)
        elif not self._is_light(verb):
            yield from self._each(hop, verb, verb.span, False, 0.95, typed=True)
        if general and self._tokens[verb.end - 1].norm == "by":  # "spoken by the most people"
            yield from self._each(reverse((hop,))[0], verb, verb.span, False, 0.9)

    def _names_subjects(self, noun: str, hop: Hop) -> bool:
        """Tell whether a noun says no more than that the relation leads from the counted."""
        names = {n for label in relations_from(noun) for n in self._index.named(label)}
        return bool(hop) and all(way is Direction.IN and name in names for name, way in hop)

    def _is_light(self, match: Match) -> bool:
        words = {self._tokens[i].norm for i in match.span}
        return words <= LIGHT_VERBS | AUXILIARIES | HAVING | FUNCTION_WORDS

    def _by_verb(self, verb: Match) -> Hop:
        """Return the walk from the asked along a verb, by where the counted stands."""
        walk = _owner_to_noun(verb) if verb.reading.kind == "noun" else _from_subject(verb)
        if verb.reading.kind == "noun":
            return reverse((walk,))[0]  # the asked is what the noun names
        start = min(self._tally.span)
        counted_follows = verb.start < start
        gap = [self._tokens[i].norm for i in range(verb.end, start)] if counted_follows else []
        passive = "by" in gap
        return walk if counted_follows != passive else reverse((walk,))[0]

    def _each(
        self,
        hop: Hop,
        match: Match,
        span: frozenset[int],
        ends: bool,
        weight: float = 1.0,
        *,
        typed: bool = False,
    ) -> Iterator[Walk]:
        """Give a walk for each direction of a hop."""
        for way in Direction:
            names = tuple(name for name, direction in hop if direction is way)
            if names:
                strength = match.reading.strength * weight
                yield Walk(names, way, strength, span, typed, ends)

    def names_ends(self, walk: Walk) -> bool:
        """Tell whether the noun asked for names the relation's own values ("instrument").

        A noun with a word before it ("international organisation") says more than that.
        """
        more = len(self.focus_head) > 1 and not self.focus_head <= walk.span
        return (walk.ends and not more) or any(
            set(walk.properties) <= {name for name, _ in noun.reading.hops[0]}
            and noun.start == min(self.focus_head, default=-1)
            and any(way is walk.direction for _, way in reverse((_owner_to_noun(noun),))[0])
            for noun in self._focus
        )

    # -- words --------------------------------------------------------------------------------

    def left_over(self, walk: Walk, more: frozenset[int]) -> list[int]:
        """Return the words that nothing accounts for.

        Args:
            walk: The walk taken.
            more: Tokens that something else accounts for.
        """
        said = walk.span | self._tally.span | self.focus_head | more
        said |= self._counted if walk.typed else frozenset({self._tally.counted[1] - 1})
        names = set(walk.properties)
        for match in (*self._verbs, *self._nouns, *self._inside, *self._focus):
            if names & {name for name, _ in match.reading.hops[0]}:
                said |= match.span
        labels = {
            word
            for name in names
            if name in self._index.properties
            for word in stems(self._index.properties[name].label)
        }
        return [
            i for i in range(self._request.start, self._request.end)
            if self._tokens[i].word and i not in said and self._tokens[i].stem not in labels
            and self._tokens[i].norm not in FUNCTION_WORDS | GENERIC_NOUNS | WH_WORDS | LIGHT_VERBS
        ]  # fmt: skip


def _owner_to_noun(match: Match) -> Hop:
    """Return the walk from an owner to what a noun names: "X's children"."""
    hop = match.reading.hops[0]
    return reverse((hop,))[0] if match.reading.facing == "in" else hop


def _from_subject(match: Match) -> Hop:
    """Return the walk from the subject of an active sentence to its object."""
    hop = match.reading.hops[0]
    return reverse((hop,))[0] if match.reading.facing == "out" else hop


def _shared(one: Hop, other: Hop) -> Hop:
    """Return the edges that two phrases both name."""
    edges: set[Edge] = set(other)
    return tuple(edge for edge in one if edge in edges)
