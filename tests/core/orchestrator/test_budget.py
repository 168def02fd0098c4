"""Urgency: the documented thresholds, and what prompts say."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robodata_core.orchestrator.budget import turns_left, urgency, urgency_text
from robodata_core.policy.base import Urgency

_ORDER = [Urgency.NONE, Urgency.LOW, Urgency.HIGH, Urgency.FINAL]


@pytest.mark.parametrize(
    ("turn", "level"),
    [
        (1, "none"),
        (14, "none"),
        (15, "low"),
        (23, "low"),
        (24, "high"),
        (29, "high"),
        (30, "final"),
    ],
)
def test_thirty_turns(turn: int, level: str) -> None:
    assert urgency(turn, 30).value == level


@given(st.integers(1, 1_000), st.data())
def test_urgency_only_rises_and_ends_final(max_turns: int, data: st.DataObject) -> None:
    turn = data.draw(st.integers(1, max_turns))
    level = urgency(turn, max_turns)
    assert (level is Urgency.FINAL) == (turn == max_turns)
    if turn < max_turns:
        assert _ORDER.index(level) <= _ORDER.index(urgency(turn + 1, max_turns))
    if turn == max_turns - 1:
        assert level is Urgency.HIGH


@given(st.integers(1, 1_000), st.data())
def test_prompts_are_told_what_is_left(max_turns: int, data: st.DataObject) -> None:
    turn = data.draw(st.integers(1, max_turns))
    level = urgency(turn, max_turns)
    text = urgency_text(level, turn, max_turns)
    if level is Urgency.NONE:
        assert text == ""
    elif level is Urgency.FINAL:
        assert "answer now" in text
    else:
        assert str(turns_left(turn, max_turns)) in text
        assert "isolated nodes" in text and "connected" in text
