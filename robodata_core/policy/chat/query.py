"""A candidate query, and how queries are put together, told apart and written as steps."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from robodata_core.language.types import Edge
from robodata_core.model import EntityValue, Value
from robodata_core.policy.base import AnswerKind

__all__ = ["Query", "Step", "anded", "best", "ids_in", "merged", "set_of"]

#: A step as the tool ``run_program`` and drafts take it.
Step: TypeAlias = dict[str, Any]
_LEAST: Final = 0.01


@dataclass(frozen=True, slots=True)
class Query:
    """A candidate query.

    Attributes:
        steps: In the form of the tool ``run_program``; the last one takes the name ``out``.
        out: Name of the set it ends with.
        edges: The predicates in it, in order.
        told: Its triples in words.
        score: How well the question's words name its predicates, from 0 to 1.
        passed: How many of its conditions samples are known to meet.
        ends: Some of what it finds; empty where nobody looked.
        is_whole: Whether that is all it finds.
        judged: What a yes/no query looks for in its set; empty where any member will do.
    """

    steps: tuple[Step, ...]
    out: str
    edges: tuple[Edge, ...] = ()
    told: tuple[str, ...] = ()
    score: float = 1.0
    passed: int = 0
    ends: tuple[Value, ...] = ()
    is_whole: bool = False
    judged: str = ""

    @property
    def rank(self) -> tuple[int, float]:
        """Sorts queries, the likeliest last."""
        return self.passed, self.score


def merged(queries: Sequence[Query], kind: AnswerKind) -> list[Step]:
    """Return the steps of one query that finds what any of several find.

    Args:
        queries: At least one, all of the same question.
        kind: What is to be given; a yes or no gets its judgement here.
    """
    if kind is AnswerKind.YES_OR_NO:  # one judgement: the same thing is looked for in all sets
        likeliest = best(queries, 1)[0]
        queries = [query for query in queries if query.judged == likeliest.judged]
    steps = [step for query in queries for step in query.steps]
    out = queries[0].out
    if len(queries) > 1:
        out = "$all"
        steps.append({"or": [query.out for query in queries], "as": out})
    if kind is AnswerKind.YES_OR_NO:
        judged: Step = {"judge": out}
        steps.append({**judged, "contains": queries[0].judged} if queries[0].judged else judged)
    return steps


def set_of(query: Query) -> str | list[str]:
    """Return what steps call the set of a query: its name, or the ids that are given."""
    return query.out or ids_in(query)


def ids_in(query: Query) -> list[str]:
    """Return the things among what a query finds, as far as is known."""
    return [value.id for value in query.ends if isinstance(value, EntityValue)]


def best(queries: Iterable[Query], most: int) -> list[Query]:
    """Return so many queries at most, the likeliest first."""
    return sorted(queries, key=lambda query: query.rank, reverse=True)[:most]


def anded(query: Query, score: float, edges: tuple[Edge, ...]) -> Query:
    """Return a query with more predicates; its score is their geometric mean."""
    many, score = len(query.edges), max(score, _LEAST)
    mean = math.exp((many * math.log(query.score) + math.log(score)) / (many + 1))
    return replace(query, edges=(*query.edges, *edges), score=mean)
