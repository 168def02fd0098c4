"""A candidate query: a meaning with how likely it is the one asked for, and some of its results."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from robodata_core.language.meaning import AnyOf, Given, Holds, Meaning, lower, parts_of
from robodata_core.language.types import Edge
from robodata_core.model import EntityValue, Value
from robodata_core.policy.base import AnswerKind
from robodata_core.tools.written import write_steps

__all__ = ["NAMED", "Query", "anded", "best", "distinct", "ids_in", "merged", "set_of", "within"]

NAMED: Final = 0.1
"""From this score on words of a question name a relation."""

_WELL: Final = 0.8
_LEAST: Final = 0.01


@dataclass(frozen=True, slots=True)
class Query:
    """A candidate query.

    Attributes:
        meaning: What it finds; nothing where it only stands for given things (``ends``).
        edges: The predicates in it, in order.
        told: Its triples in words.
        score: How well the question's words name its predicates, from 0 to 1.
        least: How well they name the one that they name least.
        passed: How many of its conditions samples are known to meet.
        ends: Some of what it finds; empty where nobody looked.
        is_whole: Whether that is all it finds.
        judged: What a yes/no query looks for in its set; empty where any member will do.
    """

    meaning: Meaning | None = None
    edges: tuple[Edge, ...] = ()
    told: tuple[str, ...] = ()
    score: float = 1.0
    least: float = 1.0
    passed: int = 0
    ends: tuple[Value, ...] = ()
    is_whole: bool = False
    judged: str = ""

    @property
    def rank(self) -> tuple[int, float]:
        """Sorts queries, the likeliest last."""
        return self.passed, self.score


def merged(queries: Sequence[Query], kind: AnswerKind) -> list[dict[str, Any]]:
    """Return the steps of one query that finds what any of several find, as they are handed in.

    Args:
        queries: At least one, all of the same question.
        kind: What is to be given; a yes or no gets its judgement here.

    Raises:
        ProgramError: If one cannot be written as steps.
    """
    if kind is AnswerKind.YES_OR_NO:  # one judgement: the same thing is looked for in all sets
        likeliest = best(queries, 1)[0]
        queries = [query for query in queries if query.judged == likeliest.judged]
    else:
        queries = _adding(queries)
    sets = tuple(dict.fromkeys(map(set_of, queries)))
    meaning: Meaning = sets[0] if len(sets) == 1 else AnyOf(sets)
    if kind is AnswerKind.YES_OR_NO:
        judged = queries[0].judged
        meaning = Holds(meaning, EntityValue(judged) if judged else None)
    return write_steps(lower(meaning))


def _adding(queries: Sequence[Query]) -> list[Query]:
    """Return queries without those that are known to find nothing that one before does not."""
    kept: list[Query] = []
    found: set[Value] = set()
    for query in queries:
        if query.is_whole and query.ends and found.issuperset(query.ends):
            continue
        kept.append(query)
        found.update(query.ends if query.is_whole else ())
    return kept


def set_of(query: Query) -> Meaning:
    """Return what a query means: its meaning, or the things that are given."""
    if query.meaning is not None:
        return query.meaning
    return Given(tuple(value for value in query.ends if isinstance(value, EntityValue)))


def within(query: Query) -> Iterator[Meaning]:
    """Yield all that the meaning of a query is made of, the outermost first."""
    left = [set_of(query)]
    while left:
        meaning = left.pop(0)
        yield meaning
        left.extend(parts_of(meaning))


def ids_in(query: Query) -> list[str]:
    """Return the things among what a query finds, as far as is known."""
    return [value.id for value in query.ends if isinstance(value, EntityValue)]


def best(queries: Iterable[Query], most: int) -> list[Query]:
    """Return so many queries at most, the likeliest first."""
    return sorted(queries, key=lambda query: query.rank, reverse=True)[:most]


def distinct(queries: Iterable[Query]) -> list[Query]:
    """Return queries, the likelier one alone of those that are known to find the same.

    These are relations turned round, and relations that words name well, all of them; of others
    it is for whoever chooses to say which is meant.
    """
    kept: dict[Hashable, Query] = {}
    for number, query in enumerate(queries):
        known = query.is_whole and query.ends
        relations = None if query.least >= _WELL else tuple(sorted(name for name, _ in query.edges))
        kept.setdefault((relations, frozenset(query.ends)) if known else number, query)
    return [*kept.values()]


def anded(query: Query, score: float, edges: tuple[Edge, ...]) -> Query:
    """Return a query with more predicates; its score is their geometric mean."""
    many, score = len(query.edges), max(score, _LEAST)
    mean = math.exp((many * math.log(query.score) + math.log(score)) / (many + 1))
    least = min(query.least, score)
    return replace(query, edges=(*query.edges, *edges), score=mean, least=least)
