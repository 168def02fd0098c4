"""Ranking: features of a reading, learned weights, and a calibrated probability."""

from __future__ import annotations

from robodata_core.language.ranking.features import Features, Signals
from robodata_core.language.ranking.ranker import Ranked, Ranker, Weights
from robodata_core.language.ranking.trees import Scorer, Trees, read_scorers, write_scorers

__all__ = [
    "Features", "Ranked", "Ranker", "Scorer", "Signals", "Trees", "Weights",
    "read_scorers", "write_scorers",
]  # fmt: skip
