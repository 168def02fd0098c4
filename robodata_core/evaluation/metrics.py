"""The measures, each of one question or of one column of figures; nothing here knows of runs.

``docs/EVALUATION.md`` says which figure of a report is which of these.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence, Set
from dataclasses import dataclass
from typing import Final

__all__ = [
    "CUT",
    "Marks",
    "Score",
    "harmonic",
    "marks",
    "mcnemar_exact",
    "percentile",
    "score",
]

CUT: Final = 5
"""Where Hit@5 looks."""
_EXACT: Final = 1_000


@dataclass(frozen=True, slots=True)
class Score:
    """Precision, recall and F1, each 0 to 1."""

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True, slots=True)
class Marks:
    """What one ranked list of results is worth against its gold.

    Attributes:
        hit: 1 if the first result is right, or if nothing was expected and nothing was given.
        reciprocal_rank: 1 over the rank of the first right result, or 0.
        hit_at_5: 1 if a right result is among the first five.
        precision: Share of results that are right.
        recall: Share of gold that was reached.
        f1: Harmonic mean of the two.
        exact: 1 if every result is right and all gold was reached.
    """

    hit: float
    reciprocal_rank: float
    hit_at_5: float
    precision: float
    recall: float
    f1: float
    exact: float


def score(found: Set[Hashable], gold: Set[Hashable]) -> Score:
    """Compare ``found`` with ``gold``; two empty sets agree fully."""
    if not found and not gold:
        return Score(1.0, 1.0, 1.0)
    right = len(found & gold)
    precision = right / len(found) if found else 0.0
    recall = right / len(gold) if gold else 0.0
    return Score(precision, recall, harmonic(precision, recall))


def marks(ranked: Sequence[Set[str]], gold: Set[str]) -> Marks:
    """Compare results, best first, with gold.

    Args:
        ranked: For each result everything it may be called; a result is right if gold holds one
            of its names.
        gold: Names; empty means that the right answer is none.
    """
    if not gold:
        none = float(not ranked)
        return Marks(none, none, none, none, none, none, none)
    right = [bool(names & gold) for names in ranked]
    reached = set().union(*(names & gold for names in ranked)) if ranked else set()
    first = right.index(True) + 1 if any(right) else 0
    precision = sum(right) / len(right) if right else 0.0
    recall = len(reached) / len(gold)
    return Marks(
        hit=float(first == 1),
        reciprocal_rank=1 / first if first else 0.0,
        hit_at_5=float(0 < first <= CUT),
        precision=precision,
        recall=recall,
        f1=harmonic(precision, recall),
        exact=float(bool(right) and all(right) and len(reached) == len(gold)),
    )


def harmonic(one: float, other: float) -> float:
    """Return the harmonic mean of two shares; 0 if both are."""
    return 2 * one * other / (one + other) if one + other else 0.0


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that at least ``share`` of all values do not exceed.

    Raises:
        ValueError: If there are no values.
    """
    if not values:
        raise ValueError("no values")
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def mcnemar_exact(gained: int, lost: int) -> float:
    """Return the two-sided exact p-value of McNemar's test.

    It is the chance that ``gained`` and ``lost`` are at least this far apart if each changed
    question were as likely to have been gained as lost.
    """
    changed, fewer = gained + lost, min(gained, lost)
    if changed <= _EXACT:
        tail = sum(math.comb(changed, k) for k in range(fewer + 1))
        return min(1.0, float(2 * tail / 2**changed))
    # The same sum in logarithms: the whole numbers would have thousands of digits.
    ways = math.lgamma(changed + 1) - changed * math.log(2)
    logs = [ways - math.lgamma(k + 1) - math.lgamma(changed - k + 1) for k in range(fewer + 1)]
    return min(1.0, 2 * math.fsum(map(math.exp, logs)))
