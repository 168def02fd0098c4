"""Scores of features: a weighted sum, and small trees that add what no sum can tell."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

from robodata_core.errors import ConfigurationError
from robodata_core.text import parse_json
from robodata_core.whole_files import read_whole

__all__ = ["Scorer", "Trees", "dot", "read_scorers", "write_scorers"]

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

    def chance(self, values: Mapping[str, float]) -> float:
        """Return what features come to, taken as log-odds, as a probability."""
        return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, self.score(values)))))

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Scorer:
        """Return a scorer from JSON; raises what ``Trees.of`` raises."""
        weights = {str(name): float(value) for name, value in data["weights"].items()}
        return cls(weights, Trees.of(data["trees"]))

    def to_json(self) -> dict[str, Any]:
        """Return the scorer as JSON."""
        weights = {name: round(self.weights[name], 4) for name in sorted(self.weights)}
        return {"weights": weights, "trees": self.trees.to_json()}


def read_scorers(path: Path, form: str, names: Iterable[str], what: str) -> list[Scorer]:
    """Read scorers that training found.

    Args:
        path: The file.
        form: Which form it has.
        names: Of the scorers, in the order wanted.
        what: What they are, for messages ("weights").

    Raises:
        ConfigurationError: If the file holds none of this form.
    """
    text = read_whole(path, what=f"The {what}")
    try:
        data: dict[str, Any] = parse_json(text)
        if data["form"] != form:
            raise ValueError(data["form"])
        return [Scorer.of(data[name]) for name in names]
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise ConfigurationError(f"{path} holds no {what} of this version.") from error


def write_scorers(path: Path, form: str, scorers: Mapping[str, Scorer]) -> None:
    """Write scorers by name, packed; the same ones give the same bytes."""
    data = {"form": form} | {name: scorer.to_json() for name, scorer in scorers.items()}
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    with path.open("wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as file:
        file.write(text.encode())


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
