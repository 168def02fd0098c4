"""Scores of features: a weighted sum, and small trees that add what no sum can tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

__all__ = ["Scorer", "Trees", "dot"]

#: A leaf, or the place of a feature, a threshold, and what is below (up to it) and above.
Node: TypeAlias = "float | tuple[int, float, Node, Node]"
_DEEPEST: Final = 64


@dataclass(frozen=True, slots=True)
class Trees:
    """Regression trees (gradient boosting) whose leaves are added up.

    Attributes:
        names: The features that the trees look at; one that a reading lacks is 0.
        roots: The trees.
    """

    names: tuple[str, ...] = ()
    roots: tuple[Node, ...] = ()

    def score(self, values: Mapping[str, float]) -> float:
        """Return the sum of the leaves that features lead to."""
        known = [values.get(name, 0.0) for name in self.names]
        total = 0.0
        for node in self.roots:
            while isinstance(node, tuple):
                place, threshold, low, high = node
                node = low if known[place] <= threshold else high
            total += node
        return total

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Trees:
        """Return trees from JSON.

        Raises:
            ValueError: If it holds none.
            KeyError: Likewise; TypeError and IndexError, too.
        """
        names = tuple(str(name) for name in data["features"])
        return cls(names, tuple(_node(root, len(names)) for root in data["trees"]))

    def to_json(self) -> dict[str, Any]:
        """Return the trees as JSON, numbers rounded to what matters."""
        return {"features": list(self.names), "trees": [_written(root) for root in self.roots]}


@dataclass(frozen=True, slots=True)
class Scorer:
    """What features come to: a weighted sum and what trees add.

    Attributes:
        weights: By feature; "" is a constant.
        trees: Trees, none where a sum is enough.
    """

    weights: Mapping[str, float]
    trees: Trees = Trees()

    def score(self, values: Mapping[str, float]) -> float:
        """Return what features come to."""
        return self.weights.get("", 0.0) + dot(self.weights, values) + self.trees.score(values)

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Scorer:
        """Return a scorer from JSON; raises what ``Trees.of`` raises."""
        weights = {str(name): float(value) for name, value in data["weights"].items()}
        return cls(weights, Trees.of(data["trees"]))

    def to_json(self) -> dict[str, Any]:
        """Return the scorer as JSON."""
        weights = {name: round(self.weights[name], 4) for name in sorted(self.weights)}
        return {"weights": weights, "trees": self.trees.to_json()}


def dot(weights: Mapping[str, float], values: Mapping[str, float]) -> float:
    """Return the weighted sum of features."""
    return sum(weights.get(name, 0.0) * value for name, value in values.items())


def _node(data: Any, places: int, depth: int = 0) -> Node:
    if not isinstance(data, Sequence):
        return float(data)
    place, threshold, low, high = data
    if not 0 <= int(place) < places or depth > _DEEPEST:
        raise ValueError(data)
    return (
        int(place), float(threshold), _node(low, places, depth + 1), _node(high, places, depth + 1)
    )  # fmt: skip


def _written(node: Node) -> Any:
    if not isinstance(node, tuple):
        return round(node, 4)
    place, threshold, low, high = node
    return [place, threshold, _written(low), _written(high)]
