"""Relations as a question's words name them: edges, readings of a phrase, matches in a question.

Data and the few questions that can be asked of it; finding readings is ``relation_index``'s.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, field
from typing import Final

from robodata_core.model import Direction
from robodata_core.policy.offline.question import Request
from robodata_core.policy.offline.words import (
    ARTICLES,
    AUXILIARIES,
    BE,
    FUNCTION_WORDS,
    HAVING,
    PREPOSITIONS,
    STANDS_FOR,
    WH_WORDS,
    Token,
    said,
)

__all__ = [
    "Edge",
    "Hop",
    "Match",
    "Reading",
    "as_nouns",
    "as_verbs",
    "flip",
    "for_manner",
    "focus_names",
    "names_works",
    "reverse",
    "walked",
    "without_any",
    "without_having",
    "without_kinds",
    "without_relatives",
]

_NOUN_BEFORE: Final = 2
_WITHIN: Final = PREPOSITIONS - {"of"}
_DOES: Final = said("doing")
_ASKS_HOW: Final = said("asks how")
_OWNERS: Final = said("before owned") | {":", "-"}
_DETERMINERS: Final = ARTICLES | said("before relation")

Edge = tuple[str, Direction]
Hop = tuple[Edge, ...]  # a union of edges; empty means any relation


def reverse(hops: Sequence[Hop]) -> tuple[Hop, ...]:
    """Return the walk the other way round."""
    return tuple(tuple((name, flip(way)) for name, way in hop) for hop in reversed(hops))


def flip(way: Direction) -> Direction:
    """Return the other direction."""
    return Direction.IN if way is Direction.OUT else Direction.OUT


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a phrase on this graph.

    Attributes:
        hops: The walk from the subject to the object of the relation.
        facing: ``out``, ``in`` or ``either``, as in the lexicon's header.
        kind: noun, verb, adj or prep.
        answer: What the object end is (person, place, time, number, thing, "").
        strength: 0 to 1, how surely the phrase names the relation.
        nominal: Whether the phrase ends in a noun, which a participle does not match.
        without: Walks from the same start whose ends are taken away; an empty one is the start.
        having: What must be stated of those found.
        group: A name that readings share which are meant all together.
        passive: Whether the phrase ends in "by" behind a participle, which a noun does not match.
    """

    hops: tuple[Hop, ...]
    facing: str
    kind: str
    answer: str
    strength: float
    nominal: bool = False
    without: tuple[tuple[Hop, ...], ...] = ()
    having: tuple[Hop, ...] = ()
    group: str = ""
    passive: bool = False

    @property
    def relations(self) -> frozenset[str]:
        """The relations of the walk, whichever way they are followed."""
        return frozenset(name for hop in self.hops for name, _ in hop)


@dataclass(frozen=True, slots=True)
class Match:
    """A phrase of the question (tokens ``start`` to ``end``) and one reading of it.

    Attributes:
        start: First token.
        end: After the last.
        reading: The reading.
        span: The tokens of the phrase.
    """

    start: int
    end: int
    reading: Reading
    span: frozenset[int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # Asked for thousands of times in a question.
        object.__setattr__(self, "span", frozenset(range(self.start, self.end)))


def walked(match: Match) -> Hop:
    """Return how a phrase leads on from what stands before it ("who never married")."""
    reading = match.reading
    hop = reading.hops[0]
    outward = reading.kind == "noun" or reading.facing != "out"
    return hop if outward else reverse((hop,))[0]


def names_works(match: Match) -> bool:
    """Tell whether a noun names what is made ("films"): subjects of relations to makers."""
    reading = match.reading
    if reading.kind != "noun" or reading.answer not in ("thing", "") or len(reading.hops) != 1:
        return False
    edges = match.reading.hops[0]
    return bool(edges) and sum(way is Direction.IN for _, way in edges) * 2 > len(edges)


def focus_names(hop: Hop, focus: frozenset[int], matches: Iterable[Match]) -> bool:
    """Tell whether a noun in focus names the relation of ``hop``."""
    edges = set(hop)
    return any(
        match.span & focus and match.reading.kind == "noun" and edges & set(match.reading.hops[-1])
        for match in matches
    )


def without_relatives(matches: Sequence[Match], tokens: Sequence[Token]) -> tuple[Match, ...]:
    """Drop readings of "where" and "when" as relations where something else tells the place.

    "In the city where X was born" does not ask where anything is, nor "where was X born" where X
    lives.
    """
    placed = [
        set(m.reading.hops[-1])
        for m in matches
        if m.reading.kind == "verb" and m.reading.answer == "place"
    ]

    def _is_relative(match: Match) -> bool:
        at = match.start
        if match.end != at + 1 or tokens[at].norm not in ("where", "when"):
            return False
        asked = set(match.reading.hops[0])
        if tokens[at].norm == "where" and any(not asked & edges for edges in placed):
            return True
        if at < _NOUN_BEFORE:
            return False
        noun, before = tokens[at - 1], tokens[at - 2]
        plain = noun.word and not noun.capitalised and noun.norm not in FUNCTION_WORDS
        return plain and before.norm in _DETERMINERS

    return tuple(match for match in matches if not _is_relative(match))


def without_any(matches: Sequence[Match]) -> tuple[Match, ...]:
    """Drop any relation as a reading of words that a relation of the graph goes by: "neighbour".

    Only who writes ids speaks of the graph itself, where neighbours are what anything joins.
    """
    named = {match.span for match in matches if all(match.reading.hops)}
    return tuple(m for m in matches if all(m.reading.hops) or m.span not in named)


def _says_kind(match: Match, types: Set[str]) -> bool:
    """Tell whether a phrase names nothing but relations that lead from something to its class."""
    return match.reading.relations <= types


def without_having(
    matches: Sequence[Match], tokens: Sequence[Token], request: Request, via: Iterable[str]
) -> tuple[Match, ...]:
    """Drop "have" as a relation where the noun asked for names one: "which colours has X".

    Args:
        matches: Readings of the phrases of a question.
        tokens: The question.
        request: What is asked.
        via: The relations that lead from something to its class: a kind of things may have some.
    """
    types = frozenset(via)
    named = any(
        m.reading.kind == "noun" and not request.focus.isdisjoint(m.span)
        and not _says_kind(m, types)
        for m in matches
    )  # fmt: skip
    return tuple(
        m for m in matches
        if not (named and m.end == m.start + 1 and tokens[m.start].norm in HAVING)
    )  # fmt: skip


def without_kinds(
    matches: Sequence[Match], tokens: Sequence[Token], via: Iterable[str]
) -> tuple[Match, ...]:
    """Drop "kind of" as a relation before a noun that names one: "what kind of government".

    The kind of government that a country has is its government, and no instance of that.

    Args:
        matches: Readings of the phrases of a question.
        tokens: The question.
        via: The relations that lead from something to its class.
    """
    types = frozenset(via)

    others = [m for m in matches if m.reading.kind in ("noun", "verb") and not _says_kind(m, types)]
    # "What kind of state is X" asks what X is.
    nouns = {m.start for m in others if m.end == len(tokens) or tokens[m.end].norm not in BE}
    verbs = [m.start for m in others if m.reading.kind == "verb"]

    def _is_idle(match: Match) -> bool:
        asked = match.start > 0 and tokens[match.start - 1].norm in WH_WORDS
        below = match.reading.facing == "in"
        set_ = match.end < len(tokens) and tokens[match.end].norm == STANDS_FOR
        done = below and (set_ or any(start > match.end for start in verbs))
        return asked and _says_kind(match, types) and (match.end in nouns or done)

    return tuple(match for match in matches if not _is_idle(match))


def as_nouns(matches: Sequence[Match], tokens: Sequence[Token]) -> tuple[Match, ...]:
    """Drop readings as verbs of what is a noun by the word before: "who were X's influences".

    So is the last word where nothing is asked by a verb: "Quentin Tarantino films".
    """
    nouns = {(m.start, m.end) for m in matches if m.reading.kind == "noun"}
    words = [token.norm for token in tokens if token.word]
    bare = AUXILIARIES.isdisjoint(words) and WH_WORDS.isdisjoint(words)

    def _is_noun(match: Match) -> bool:
        before = tokens[match.start - 1].norm if match.start else ""
        last = bare and match.start > 0 and not any(t.word for t in tokens[match.end :])
        return (before in _OWNERS or last) and (match.start, match.end) in nouns

    return tuple(m for m in matches if m.reading.kind != "verb" or not _is_noun(m))


def for_manner(
    matches: Sequence[Match], tokens: Sequence[Token], request: Request
) -> tuple[Match, ...]:
    """Drop times and places where it is asked how or why, and something else is named so too."""
    asks = [tokens[i].norm for i in range(request.start, min(request.start + 2, request.end))]
    if asks[:1] not in (["how"], ["why"]) or not set(asks[1:]) & _ASKS_HOW:
        return tuple(matches)
    things = {(m.start, m.end) for m in matches if m.reading.answer == "thing"}
    return tuple(
        match
        for match in matches
        if match.reading.answer not in ("time", "place") or (match.start, match.end) not in things
    )


def as_verbs(
    matches: Sequence[Match], tokens: Sequence[Token], request: Request
) -> tuple[Match, ...]:
    """Drop readings as nouns of what is a verb: "influence" in "did X influence Y".

    So is "kept in" behind "is": a noun would have an article.
    """
    does = [i for i in range(request.start, request.end) if tokens[i].norm in _DOES]
    verbs = {(m.start, m.end) for m in matches if m.reading.kind == "verb"}

    def _is_noun(match: Match) -> bool:
        before = tokens[match.start - 1].norm if match.start else ""
        behind = tokens[match.end].norm if match.end < len(tokens) else ""
        verb = (match.start, match.end) in verbs
        done = bool(does) and does[0] < match.start
        single = match.end - match.start == 1 and verb and done
        if match.reading.kind == "noun" and verb and not single:
            last = tokens[match.end - 1].norm
            return before in BE and match.end - match.start > 1 and last in _WITHIN
        return (
            match.reading.kind == "noun"
            and single
            and (before not in ARTICLES | {"s", "any", "have"} and behind != "of")
        )

    return tuple(match for match in matches if not _is_noun(match))
