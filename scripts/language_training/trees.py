"""Grows the small trees that add to weighted sums what these cannot tell, by LightGBM."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import lightgbm
import numpy as np
from numpy.typing import NDArray

from language_training.examples import Example
from robodata_core.language.ranking import Trees

__all__ = ["grow_decision", "grow_order", "grow_sure", "matrix"]

_Array = NDArray[np.float64]

#: The same for every use: results do not depend on the number of processors.
_ALIKE: Final[dict[str, Any]] = {
    "deterministic": True, "force_row_wise": True, "num_threads": 2, "seed": 1, "verbose": -1,
    "feature_fraction": 0.5, "bagging_freq": 1, "zero_as_missing": False, "use_missing": False,
}  # fmt: skip
#: Trees that order readings: many readings, much to tell apart.
_ORDER: Final[dict[str, Any]] = _ALIKE | {
    "num_leaves": 31, "learning_rate": 0.05, "min_data_in_leaf": 50, "lambda_l2": 5.0,
    "bagging_fraction": 0.8,
}  # fmt: skip
_ORDER_ROUNDS: Final = 150
#: Trees that tell sure readings from doubtful ones: one row a question.
_SURE: Final[dict[str, Any]] = _ALIKE | {
    "objective": "binary", "num_leaves": 10, "learning_rate": 0.04, "min_data_in_leaf": 30,
    "lambda_l2": 8.0, "bagging_fraction": 0.7,
}  # fmt: skip
_SURE_ROUNDS: Final = 250
#: Trees that tell who is right: fewer features, each question read twice.
_DECISION: Final[dict[str, Any]] = _ALIKE | {
    "objective": "binary", "num_leaves": 8, "learning_rate": 0.04, "min_data_in_leaf": 25,
    "lambda_l2": 6.0, "feature_fraction": 0.6, "bagging_fraction": 0.7,
}  # fmt: skip
_DECISION_ROUNDS: Final = 200
_LEAST: Final = 1e-3
_DIGITS: Final = 5


def grow_order(
    examples: Sequence[Example], weights: Mapping[str, float], shares: Mapping[str, float]
) -> Trees:
    """Return trees under which, with a weighted sum, what was meant comes first.

    The objective is that of the weights: the conditional likelihood of what was meant.

    Args:
        examples: Those without a reading that was meant are passed over.
        weights: The weighted sum.
        shares: How much an example of each form counts.
    """
    useful = [example for example in examples if any(example.meant)]
    found = [item.values for example in useful for item in example.found]
    names = sorted({name for values in found for name in values})
    rows = matrix(found, names)
    wanted = np.array([m for example in useful for m in example.meant], dtype=float)
    sizes = np.array([len(example.found) for example in useful])
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    counts = np.repeat([shares[example.form] for example in useful], sizes)

    def push(scores: _Array, _: lightgbm.Dataset) -> tuple[_Array, _Array]:
        powers = np.exp(scores - np.repeat(np.maximum.reduceat(scores, starts), sizes))
        chance = powers / np.repeat(np.add.reduceat(powers, starts), sizes)
        hit = np.repeat(np.add.reduceat(chance * wanted, starts) + 1e-12, sizes)
        steepness = np.maximum(chance * (1 - chance), _LEAST)
        return counts * (chance - chance * wanted / hit), counts * steepness

    begin = rows @ np.array([weights.get(name, 0.0) for name in names])
    data = lightgbm.Dataset(rows, wanted, init_score=begin, feature_name=_places(names))
    return _trees(lightgbm.train(_ORDER | {"objective": push}, data, _ORDER_ROUNDS), names)


def grow_sure(
    cases: Sequence[tuple[Mapping[str, float], bool, float]], sign: Callable[[str], int]
) -> Trees:
    """Return trees whose sum is the log-odds that the best reading is right.

    Args:
        cases: What tells it, whether it was right, and how much the case counts.
        sign: Tells of a feature whether it can only speak for a reading (1) or against it (-1).
    """
    return _grown(cases, sign, _SURE, _SURE_ROUNDS)


def grow_decision(
    cases: Sequence[tuple[Mapping[str, float], bool, float]], sign: Callable[[str], int]
) -> Trees:
    """Return trees whose sum is the log-odds that one of two readings of a question is right.

    Args:
        cases: As for ``grow_sure``.
        sign: Likewise.
    """
    return _grown(cases, sign, _DECISION, _DECISION_ROUNDS)


def _grown(
    cases: Sequence[tuple[Mapping[str, float], bool, float]],
    sign: Callable[[str], int],
    settings: Mapping[str, Any],
    rounds: int,
) -> Trees:
    names = sorted({name for values, _, _ in cases for name in values})
    rows = matrix([values for values, _, _ in cases], names)
    right = np.array([float(right) for _, right, _ in cases])
    counts = np.array([count for *_, count in cases])
    data = lightgbm.Dataset(rows, right, weight=counts, feature_name=_places(names))
    signs = {
        "monotone_constraints": [sign(name) for name in names],
        "monotone_constraints_method": "advanced",
    }
    return _trees(lightgbm.train({**settings, **signs}, data, rounds), names)


def matrix(rows: Sequence[Mapping[str, float]], names: Sequence[str]) -> _Array:
    """Return features as a matrix: a row for each reading, a column for each name, 0 for none."""
    place = {name: i for i, name in enumerate(names)}
    found = np.zeros((len(rows), len(names)))
    for i, values in enumerate(rows):
        for name, value in values.items():
            found[i, place[name]] = value
    return found


def _places(names: Sequence[str]) -> list[str]:
    # LightGBM allows no ":" in a name.
    return [f"f{i}" for i in range(len(names))]


def _trees(model: lightgbm.Booster, names: Sequence[str]) -> Trees:
    """Return what was grown, over the features that it looks at."""
    grown = [tree["tree_structure"] for tree in model.dump_model()["tree_info"]]
    used = sorted({place for tree in grown for place in _looked_at(tree)})
    at = {place: i for i, place in enumerate(used)}
    return Trees(tuple(names[place] for place in used), tuple(_node(tree, at) for tree in grown))


def _looked_at(node: Mapping[str, Any]) -> set[int]:
    if "split_feature" not in node:
        return set()
    below = _looked_at(node["left_child"]) | _looked_at(node["right_child"])
    return below | {int(node["split_feature"])}


def _node(node: Mapping[str, Any], at: Mapping[int, int]) -> Any:
    if "split_feature" not in node:
        return float(node["leaf_value"])
    threshold = float(f"{node['threshold']:.{_DIGITS}g}")
    low, high = (_node(node[side], at) for side in ("left_child", "right_child"))
    return at[int(node["split_feature"])], threshold, low, high
