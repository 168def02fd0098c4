"""What readings are ordered by: sums, trees, and the file they are kept in."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robodata_core.errors import ConfigurationError
from robodata_core.language.ranking import Scorer, Trees, Weights

_STUMP = (0, 0.5, -1.0, 2.0)
_BOTH = Trees(("near", "far"), (_STUMP, (1, 3.0, _STUMP, 0.25)))


@pytest.mark.parametrize(
    ("values", "score"),
    [
        ({}, -2.0),
        ({"near": 0.5}, -2.0),  # up to the threshold is below it
        ({"near": 0.6}, 4.0),
        ({"near": 0.6, "far": 3.1}, 2.25),
        ({"else": 9.0, "far": 3.1}, -0.75),
    ],
)
def test_leaves_are_added_up(values: dict[str, float], score: float) -> None:
    assert _BOTH.score(values) == score


def test_trees_add_to_a_weighted_sum() -> None:
    scorer = Scorer({"": 1.0, "near": 2.0}, _BOTH)
    assert scorer.score({"near": 1.0}) == 1.0 + 2.0 + 4.0


_leaves = st.floats(-9, 9).map(lambda leaf: round(leaf, 4))
_roots = st.recursive(
    _leaves,
    lambda deeper: st.tuples(st.integers(0, 2), st.floats(-9, 9), deeper, deeper),
    max_leaves=20,
)


@given(roots=st.lists(_roots, max_size=5), values=st.lists(st.floats(-9, 9), min_size=3))
def test_what_is_written_scores_like_what_was_learned(
    roots: list[object], values: list[float], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("weights") / "ranker.gz"
    names = ("a", "b", "c")
    trees = Trees(names, tuple(roots))  # type: ignore[arg-type]
    Weights(Scorer({"a": 0.5}, trees), Scorer({}), Scorer({"": -1.0})).write(path)
    known = dict(zip(names, values, strict=False))
    again = Weights.read(path)
    assert again.order.score(known) == pytest.approx(trees.score(known) + 0.5 * known["a"])
    assert again.chance({"rules": 1.0}) == pytest.approx(0.2689, abs=1e-4)


def test_the_same_weights_give_the_same_bytes(tmp_path: Path) -> None:
    weights = Weights(Scorer({"b": 1.0, "a": 0.5}, _BOTH), Scorer({}), Scorer({}))
    weights.write(tmp_path / "one.gz")
    weights.write(tmp_path / "two.gz")
    assert (tmp_path / "one.gz").read_bytes() == (tmp_path / "two.gz").read_bytes()


@pytest.mark.parametrize(
    "trees",
    [
        {"features": ["near"], "trees": [[1, 0.5, 0.0, 0.0]]},  # no such feature
        {"features": ["near"], "trees": [[-1, 0.5, 0.0, 0.0]]},
        {"features": ["near"], "trees": [[0, 0.5, 0.0]]},
        {"features": ["near"], "trees": ["leaf"]},
        {"features": ["near"], "trees": [None]},
        {"features": ["near"]},
        {"trees": []},
        [],
        7,
    ],
)
def test_a_file_that_holds_no_trees_is_refused_in_a_sentence(tmp_path: Path, trees: object) -> None:
    none = {"features": [], "trees": []}
    parts = {name: {"weights": {}, "trees": none} for name in ("sure", "structured")}
    data = {"form": "robodata-ranker-3", "order": {"weights": {}, "trees": trees}, **parts}
    path = tmp_path / "ranker.gz"
    path.write_bytes(gzip.compress(json.dumps(data).encode()))
    with pytest.raises(ConfigurationError, match="holds no weights of this version"):
        Weights.read(path)


def test_trees_too_deep_to_be_true_are_refused(tmp_path: Path) -> None:
    deep: object = 0.0
    for _ in range(80):
        deep = [0, 0.5, deep, 0.0]
    none = {"weights": {}, "trees": {"features": [], "trees": []}}
    order = {"weights": {}, "trees": {"features": ["near"], "trees": [deep]}}
    data = {"form": "robodata-ranker-3", "order": order, "sure": none, "structured": none}
    path = tmp_path / "ranker.gz"
    path.write_bytes(gzip.compress(json.dumps(data).encode()))
    with pytest.raises(ConfigurationError):
        Weights.read(path)
