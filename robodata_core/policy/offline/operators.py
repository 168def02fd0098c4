"""What turns one set into another: limits, extremes, denials, exceptions. Data only.

A question such as "Which philosophers born before 1800 were not influenced by Kant?" is a plain
question ("Which philosophers") with operators. ``finding`` finds them, ``deep`` carries them out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from robodata_core.model import TimeValue
from robodata_core.policy.offline.literals import Measure
from robodata_core.policy.offline.relations import Match
from robodata_core.programs.steps import Comparison

__all__ = ["PRECISIONS", "Aspect", "Denial", "Found", "Limit", "Pick"]

#: Precisions of times by the word for their stretch.
PRECISIONS: Final = {"day": 11, "month": 10, "year": 9, "decade": 8, "century": 7}


@dataclass(frozen=True, slots=True)
class Aspect:
    """What things are compared by.

    Attributes:
        properties: Properties with numbers or times, the most usual first.
        words: How the question names it.
        noun: Where a noun names a relation between things, which can be counted: its match.
        given: Whether words beside it name it (else the word of comparison alone).
        kind: What alone counts of what the relation leads to, empty for all of it.
        before: Properties that go first where all that is compared is of some classes, and words
            in the names of these.
    """

    properties: tuple[str, ...]
    words: str
    noun: Match | None = None
    given: bool = True
    kind: str = ""
    before: tuple[frozenset[str], frozenset[str]] = (frozenset(), frozenset())


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit of a number or a time.

    Attributes:
        span: Tokens that say it.
        aspect: What is limited.
        tests: Comparisons with what the question writes.
        other: Where it is compared with another thing: how, and the first token of its name.
        slot: Precision to which the other's time counts ("in the same year as X"), else 0.
    """

    span: frozenset[int]
    aspect: Aspect
    tests: tuple[tuple[Comparison, TimeValue | Measure], ...] = ()
    other: tuple[Comparison, int] | None = None
    slot: int = 0


@dataclass(frozen=True, slots=True)
class Pick:
    """An extreme.

    Attributes:
        span: Tokens that say it.
        aspect: What is compared.
        high: Whether the largest is meant.
        rank: 2 for "the second largest".
        many: 3 for "the three largest".
        single: Whether a comparative says it, which asks for a choice ("who is older").
    """

    span: frozenset[int]
    aspect: Aspect
    high: bool
    rank: int = 1
    many: int = 1
    single: bool = False


@dataclass(frozen=True, slots=True)
class Denial:
    """Something denied or left out.

    Attributes:
        span: Tokens of the whole clause.
        words: The tokens that deny ("not", "except for").
        start: First token of what is denied.
        end: After its last token.
        names: Whether things are left out by name ("except X"), not by what is stated of them.
    """

    span: frozenset[int]
    words: frozenset[int]
    start: int
    end: int
    names: bool


@dataclass(frozen=True, slots=True)
class Found:
    """The operators of one request."""

    limits: tuple[Limit, ...] = ()
    pick: Pick | None = None
    denials: tuple[Denial, ...] = ()

    @property
    def span(self) -> frozenset[int]:
        """All their tokens."""
        parts = (*self.limits, *self.denials, *((self.pick,) if self.pick else ()))
        return frozenset(i for part in parts for i in part.span)
