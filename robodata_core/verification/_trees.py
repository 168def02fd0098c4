"""Boosted regression trees over a few figures, small and in plain Python.

Newton steps on the logistic loss over binned figures, as gradient boosting machines do. A tree is
a flat tuple of nodes, so that it can be written to a file and checked when it is read.
"""

from __future__ import annotations

import math
import random
from bisect import bisect_left
from collections.abc import Sequence
from typing import Final, TypeAlias

__all__ = ["Node", "Tree", "grow", "leaf_of"]

Node: TypeAlias = tuple[int, float, int, int]
"""Figure, threshold, places of the nodes up to it and above; or -1 and the value of a leaf."""

Tree: TypeAlias = tuple[Node, ...]

_DEPTH: Final = 4
_BINS: Final = 24
_RATE: Final = 0.05
_SHARE: Final = 0.2
"""Share of the figures, drawn anew, that one tree may ask for."""
_LEAST: Final = 40
_DAMP: Final = 1.0
_STEEP: Final = 30.0


def leaf_of(tree: Tree, figures: Sequence[float]) -> float:
    """Return what a tree says of some figures."""
    figure, value, low, high = tree[0]
    while figure >= 0:
        figure, value, low, high = tree[low if figures[figure] <= value else high]
    return value


def grow(
    rows: Sequence[Sequence[float]], labels: Sequence[float], starts: Sequence[float], count: int
) -> tuple[Tree, ...]:
    """Grow trees, each on what the starts and the trees before leave unexplained.

    Args:
        rows: Figures of each example.
        labels: 1.0 or 0.0.
        starts: Log odds of each example before any tree.
        count: How many trees.
    """
    return _Grower(rows, labels, starts).grow(count)


class _Grower:
    def __init__(
        self, rows: Sequence[Sequence[float]], labels: Sequence[float], starts: Sequence[float]
    ) -> None:
        self._labels = labels
        self._scores = list(starts)
        self._chance = random.Random(0)
        self._cuts = [_cuts([row[j] for row in rows]) for j in range(len(rows[0]))]
        self._bins = [
            [bisect_left(cuts, row[j]) for row in rows] for j, cuts in enumerate(self._cuts)
        ]
        self._slopes: list[float] = []
        self._curves: list[float] = []
        self._asked: list[int] = []

    def grow(self, count: int) -> tuple[Tree, ...]:
        """Return so many trees, each grown on what those before it left over."""
        trees = []
        for _ in range(count):
            shares = [1.0 / (1.0 + math.exp(-max(-_STEEP, min(_STEEP, s)))) for s in self._scores]
            self._slopes = [y - p for y, p in zip(self._labels, shares, strict=True)]
            self._curves = [max(1e-6, p * (1 - p)) for p in shares]
            figures = range(len(self._bins))
            self._asked = self._chance.sample(figures, math.ceil(_SHARE * len(figures)))
            nodes: list[Node] = []
            self._split(list(range(len(self._labels))), _DEPTH, nodes)
            trees.append(tuple(nodes))
        return tuple(trees)

    def _split(self, places: list[int], depth: int, nodes: list[Node]) -> int:
        """Add the nodes of some examples; returns where the first of them stands."""
        here = len(nodes)
        nodes.append((-1, 0.0, 0, 0))
        cut = self._best_cut(places) if depth and len(places) >= 2 * _LEAST else None
        if cut is None:
            top = math.fsum(self._slopes[i] for i in places)
            value = _RATE * top / (math.fsum(self._curves[i] for i in places) + _DAMP)
            for i in places:
                self._scores[i] += value
            nodes[here] = (-1, value, 0, 0)
            return here
        figure, bin_ = cut
        bins = self._bins[figure]
        low = self._split([i for i in places if bins[i] <= bin_], depth - 1, nodes)
        high = self._split([i for i in places if bins[i] > bin_], depth - 1, nodes)
        nodes[here] = (figure, self._cuts[figure][bin_], low, high)
        return here

    def _best_cut(self, places: list[int]) -> tuple[int, int] | None:
        slope = sum(self._slopes[i] for i in places)
        curve = sum(self._curves[i] for i in places)
        best, found = 1e-3, None
        for figure in self._asked:
            bins = self._bins[figure]
            sums = self._sums(places, bins, len(self._cuts[figure]) + 1)
            left_slope = left_curve = 0.0
            left = 0
            for bin_, (bin_slope, bin_curve, size) in enumerate(sums[:-1]):
                left_slope += bin_slope
                left_curve += bin_curve
                left += size
                if left < _LEAST or len(places) - left < _LEAST:
                    continue
                gain = (
                    left_slope**2 / (left_curve + _DAMP)
                    + (slope - left_slope) ** 2 / (curve - left_curve + _DAMP)
                    - slope**2 / (curve + _DAMP)
                )
                if gain > best:
                    best, found = gain, (figure, bin_)
        return found

    def _sums(
        self, places: list[int], bins: list[int], count: int
    ) -> list[tuple[float, float, int]]:
        slopes, curves, sizes = [0.0] * count, [0.0] * count, [0] * count
        for i in places:
            bin_ = bins[i]
            slopes[bin_] += self._slopes[i]
            curves[bin_] += self._curves[i]
            sizes[bin_] += 1
        return list(zip(slopes, curves, sizes, strict=True))


def _cuts(values: list[float]) -> list[float]:
    ordered = sorted(values)
    return sorted({ordered[int(index * len(ordered) / _BINS)] for index in range(1, _BINS)})
