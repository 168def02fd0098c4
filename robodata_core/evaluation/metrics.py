"""Precision, recall and F1 of a set of results against a gold set."""

from __future__ import annotations

from collections.abc import Hashable, Set
from dataclasses import dataclass

__all__ = ["Score", "score"]


@dataclass(frozen=True, slots=True)
class Score:
    """Precision, recall and F1, each 0 to 1."""

    precision: float
    recall: float
    f1: float


def score(found: Set[Hashable], gold: Set[Hashable]) -> Score:
    """Compare ``found`` with ``gold``; two empty sets agree fully."""
    if not found and not gold:
        return Score(1.0, 1.0, 1.0)
    right = len(found & gold)
    precision = right / len(found) if found else 0.0
    recall = right / len(gold) if gold else 0.0
    f1 = 2 * precision * recall / (precision + recall) if right else 0.0
    return Score(precision, recall, f1)
