"""A floating chart: every reading that the words of a text and the relations really there allow."""

from __future__ import annotations

from robodata_core.language.chart.proposing import Proposer, asks_truth

__all__ = ["Proposer", "asks_truth"]
