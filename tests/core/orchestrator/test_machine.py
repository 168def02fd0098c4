"""The transition table: the paper's, and everything derived from it."""

from __future__ import annotations

import pytest

from robodata_core.orchestrator.machine import (
    START,
    TRANSITIONS,
    State,
    default_next,
    is_legal,
    mermaid,
)


def test_the_table_is_the_documented_one() -> None:
    table = {state.value: {choice.value for choice in TRANSITIONS[state]} for state in State}
    assert table == {
        "LOCAL_DATA_EVALUATION": {
            "PRODUCE_ANSWER",
            "REMOTE_GRAPH_EXPLORATION",
            "LOCAL_GRAPH_EXPLORATION",
        },
        "LOCAL_GRAPH_EXPLORATION": {"LOCAL_GRAPH_EXPLORATION", "LOCAL_DATA_EVALUATION"},
        "REMOTE_GRAPH_EXPLORATION": {
            "REMOTE_GRAPH_EXPLORATION",
            "REMOTE_DATA_EVALUATION",
            "LOCAL_DATA_EVALUATION",
        },
        "REMOTE_DATA_EVALUATION": {
            "LOCAL_GRAPH_UPDATE",
            "REMOTE_GRAPH_EXPLORATION",
            "LOCAL_DATA_EVALUATION",
        },
        "LOCAL_GRAPH_UPDATE": {"LOCAL_DATA_EVALUATION"},
        "PRODUCE_ANSWER": set(),
    }
    assert START is State.LOCAL_DATA_EVALUATION


def test_defaults_alone_lead_to_an_answer() -> None:
    for state in State:
        seen = [state]
        while TRANSITIONS[seen[-1]]:
            assert is_legal(seen[-1], default_next(seen[-1]))
            seen.append(default_next(seen[-1]))
            assert len(seen) <= len(State)
        assert seen[-1] is State.PRODUCE_ANSWER


def test_the_end_has_no_default() -> None:
    with pytest.raises(ValueError, match="final"):
        default_next(State.PRODUCE_ANSWER)


def test_the_diagram_shows_every_transition() -> None:
    lines = [line.strip() for line in mermaid().splitlines()]
    arrows = {tuple(line.split(" --> ")) for line in lines if " --> " in line}
    table = {(a.value, b.value) for a, choices in TRANSITIONS.items() for b in choices}
    assert arrows == table | {("[*]", START.value), ("PRODUCE_ANSWER", "[*]")}
