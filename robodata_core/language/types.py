"""What the rooms of ``language`` hand to each other: frozen data without behaviour.

Tokens are named by their index in the text; a set of token indices says which words something
accounts for.
"""

from __future__ import annotations

import enum
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from robodata_core.model import Direction, SearchHit, Value
from robodata_core.programs.steps import Program

__all__ = [
    "Candidate",
    "Edge",
    "Hop",
    "Mention",
    "MentionKind",
    "NameMatch",
    "NotUnderstood",
    "Reading",
    "Reason",
    "Understood",
    "denotation",
]

_COMPARED: Final = 12

#: A relation with the way it is followed.
Edge: TypeAlias = tuple[str, Direction]


class MentionKind(str, enum.Enum):
    """What the words of a mention stand for."""

    THING = "thing"
    CLASS = "class"
    LITERAL = "literal"


class NameMatch(str, enum.Enum):
    """How the words of a mention agree with a name, the surest first."""

    BOUND = "bound"
    LABEL = "label"
    ALIAS = "alias"
    VARIANT = "variant"
    PLURAL = "plural"
    ORIGIN = "origin"
    PART = "part"
    SLIP = "slip"


@dataclass(frozen=True, slots=True)
class Candidate:
    """One thing, class or literal that a mention may stand for.

    Attributes:
        value: An entity by its id, or a literal.
        kind: What it stands for here; the same entity may be offered as thing and as class.
        match: How its name agrees with the words.
        similarity: 0 to 1, of the words and the name; 1 where they agree.
        popularity: How often the graph mentions it.
        label: Its label, for the reading in words.
    """

    value: Value
    kind: MentionKind
    match: NameMatch
    similarity: float = 1.0
    popularity: int = 0
    label: str = ""


@dataclass(frozen=True, slots=True)
class Mention:
    """Words that name something, with everything that they may name.

    Attributes:
        start: First token.
        end: First token after it.
        candidates: The likeliest first; never empty.
        marked: Whether quotes or brackets mark it as a name.
    """

    start: int
    end: int
    candidates: tuple[Candidate, ...]
    marked: bool = False

    @property
    def span(self) -> frozenset[int]:
        """The tokens of the mention."""
        return frozenset(range(self.start, self.end))


@dataclass(frozen=True, slots=True)
class Hop:
    """One step along relations in a reading.

    Attributes:
        edges: Relations that are all meant (their union), each with the way it is followed.
        words: Tokens the hop is read from; empty where nobody named it.
        start: The tokens it starts from, first and first after; None for those of the mention.
        span: The tokens from first to last that it and what it starts from are read from.
    """

    edges: tuple[Edge, ...]
    words: frozenset[int] = frozenset()
    start: tuple[int, int] | None = None
    span: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """A possible meaning of a text, as a chart proposes it to the ranker.

    Attributes:
        program: What it means.
        mentions: The mentions used, each with the candidate chosen.
        hops: The hops of the program, in its order.
        structure: Tokens that grammar rules account for: operators, question words, classes.
        rules: Names of the grammar rules used.
        asked: Tokens of the noun that says what is asked for ("which *river*").
        sample: Some of the values it leads to, for a yes/no question those that make it a yes.
        size: How many there are (as far as was counted).
        words: The reading in words.
        features: What the chart knows that speaks for or against it.
        denotation: Equal for readings that lead to the same.
        judged: Whether it says yes or no.
    """

    program: Program
    mentions: tuple[tuple[Mention, Candidate], ...]
    hops: tuple[Hop, ...] = ()
    structure: frozenset[int] = frozenset()
    rules: tuple[str, ...] = ()
    asked: frozenset[int] = frozenset()
    sample: tuple[Value, ...] = ()
    size: int = 0
    words: str = ""
    features: tuple[tuple[str, float], ...] = ()
    denotation: Hashable = None
    judged: bool = False


def denotation(values: Sequence[Value], size: int) -> Hashable:
    """Return what is equal for sets that are equal, by their size and some of their members."""
    return size, frozenset(values[:_COMPARED])


@dataclass(frozen=True, slots=True)
class Understood:
    """A reading with the probability that it is what was asked.

    Attributes:
        program: What to run.
        probability: 0 to 1, calibrated.
        reading: The reading in words.
        mentions: Id or literal of each mention, by its words.
        unexplained: Words that the reading does not account for.
        unread: Words that change what is asked ("only"), of which the reading says nothing.
        broader: Words that say more than the relation that is followed ("sister" for sibling).
    """

    program: Program
    probability: float
    reading: str = ""
    mentions: tuple[tuple[str, Value], ...] = ()
    unexplained: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    broader: tuple[str, ...] = ()


class Reason(str, enum.Enum):
    """Why a text has no reading."""

    NOTHING_NAMED = "nothing_named"
    UNKNOWN_NAME = "unknown_name"
    NO_RELATION = "no_relation"


@dataclass(frozen=True, slots=True)
class NotUnderstood:
    """What keeps a text from being understood.

    Attributes:
        reason: The kind of obstacle.
        missing: What is missing, as it stands in the text or as the graph calls it.
        suggestions: Things with similar names, where a name was not found.
    """

    reason: Reason
    missing: str = ""
    suggestions: tuple[SearchHit, ...] = ()
