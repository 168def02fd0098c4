"""Ranking: features of a reading, learned weights, and a calibrated probability."""

from __future__ import annotations

from robodata_core.language.ranking.ranker import Ranked, Ranker

__all__ = ["Ranked", "Ranker"]
