"""The transition table: the paper's, and everything derived from it."""

from __future__ import annotations

import pytest

from robodata_core.orchestrator.machine import (
    INVESTIGATION,
    TRANSITIONS,
    State,
    Table,
    default_next,
    is_legal,
    mermaid,
    start_of,
    table_of,
)


def test_the_table_is_the_documented_one() -> None:
    table = {state.value: {choice.value for choice in TRANSITIONS[state]} for state in TRANSITIONS}
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
    assert start_of(TRANSITIONS) is State.LOCAL_DATA_EVALUATION


def test_the_table_of_investigations_is_the_documented_one() -> None:
    table = {
        state.value: {choice.value for choice in choices}
        for state, choices in INVESTIGATION.items()
    }
    assert table == {
        "PLANNING": {"INVESTIGATING"},
        "INVESTIGATING": {"INVESTIGATING", "JUDGEMENT"},
        "JUDGEMENT": {"PRODUCE_ANSWER"},
        "PRODUCE_ANSWER": set(),
    }
    assert start_of(INVESTIGATION) is State.PLANNING


@pytest.mark.parametrize("table", [TRANSITIONS, INVESTIGATION])
def test_defaults_alone_lead_to_an_answer(table: Table) -> None:
    for state in table:
        seen = [state]
        while table[seen[-1]]:
            assert is_legal(seen[-1], default_next(seen[-1], table), table)
            seen.append(default_next(seen[-1], table))
            assert len(seen) <= len(table)
        assert seen[-1] is State.PRODUCE_ANSWER


def test_what_was_visited_tells_the_table() -> None:
    assert table_of(()) is TRANSITIONS
    for table in (TRANSITIONS, INVESTIGATION):
        assert table_of((start_of(table).value,)) is table
        assert table_of(state.value for state in table) is table


def test_the_end_has_no_default() -> None:
    with pytest.raises(ValueError, match="final"):
        default_next(State.PRODUCE_ANSWER)


@pytest.mark.parametrize("table", [TRANSITIONS, INVESTIGATION])
def test_the_diagram_shows_every_transition(table: Table) -> None:
    lines = [line.strip() for line in mermaid(table).splitlines()]
    arrows = {tuple(line.split(" --> ")) for line in lines if " --> " in line}
    wanted = {(a.value, b.value) for a, choices in table.items() for b in choices}
    assert arrows == wanted | {("[*]", start_of(table).value), ("PRODUCE_ANSWER", "[*]")}
