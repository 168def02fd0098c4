"""What speaks against a triple without refuting it is shown."""

from __future__ import annotations

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
