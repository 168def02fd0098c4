"""What speaks against a triple without refuting it is shown."""

from __future__ import annotations

import math

import pytest

from robodata_core import RoboData


def test_another_value_is_shown_where_too_few_were_counted_to_refute() -> None:
    with RoboData.open() as robodata:
        verdict = robodata.verify("Canada", "capital", "Toronto")
    assert verdict.judgement.value == "unknown"
    assert [claim.text for claim in verdict.against] == ["The capital of Canada is Ottawa."]
    assert verdict.objections[0].confidence < 0.9
    assert "too little" in verdict.explanation


def test_it_leaves_a_forced_decision_to_what_is_measured() -> None:
    with RoboData.open() as robodata:
        verdict = robodata.verify("Canada", "capital", "Toronto", decide=True)
    assert verdict.judgement.value == "refuted"
    assert verdict.forced


def test_it_counts_by_its_odds_against_what_rules_imply() -> None:
    """Of those with two official languages few have a third, whatever is spoken there."""
    with RoboData.open() as robodata:
        verdict = robodata.verify("Canada", "official language", "German")
    path = max(one.confidence for one in verdict.reasons if one.kind == "path")
    patterns = [one.confidence for one in verdict.reasons if one.kind == "pattern"]
    implied = 1 - (1 - path) * math.prod(1 - one for one in patterns)
    again = 1 - verdict.objections[0].confidence
    assert implied > 0.5 and 0.1 < again < 0.5
    assert verdict.judgement.value == "unknown" and verdict.probability < implied
    odds = implied / (1 - implied) * again / (1 - again)
    assert verdict.probability == pytest.approx(odds / (1 + odds), abs=0.01)
