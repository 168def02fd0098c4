"""The fold of a run: what watchers read off it, and that no event sequence breaks it."""

from __future__ import annotations

import dataclasses
import itertools
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robodata_core.events import GraphChanged, RunEvent
from robodata_core.model import EntityValue, Evidence, TokenCount, Triple
from robodata_core.run_state import EvidenceMap, RunState, VisitCount, apply, fold
from tests.core._runs import CAPITAL, START, number, sample_run
from tests.core._strategies import EVENT_CLASSES, instances


def _until(count: int) -> RunState:
    return fold(iter(sample_run()[:count]))


def test_before_anything_happened() -> None:
    state = RunState()
    assert not state.running and not state.ended
    assert state.state == "" and state.elapsed == 0.0 and state.trace == ()


def test_a_whole_run() -> None:
    state = _until(99)
    assert state.ended and not state.running and state.status == "answered"
    assert (state.question, state.policy) == ("What is the capital of Canada?", "offline")
    assert state.trace == (
        "LOCAL_DATA_EVALUATION",
        "REMOTE_GRAPH_EXPLORATION",
        "LOCAL_GRAPH_UPDATE",
        "PRODUCE_ANSWER",
    )
    assert dict(state.visits) == {
        "LOCAL_DATA_EVALUATION": VisitCount(1, 1.0),
        "REMOTE_GRAPH_EXPLORATION": VisitCount(1, 9.0),
        "LOCAL_GRAPH_UPDATE": VisitCount(1, 7.0),
        "PRODUCE_ANSWER": VisitCount(1, 4.0),
    }
    assert state.turns == 3, "the visit that nobody was asked in is no turn"
    assert (state.tool_calls, state.failed_calls, state.repeated_calls) == (3, 1, 0)
    assert dict(state.calls_by_tool) == {"search_entities": 2, "fetch_node": 1}
    assert state.tokens == TokenCount(30, 6), "metacognition's tokens count"
    assert dict(state.graph) == {"T1": CAPITAL}
    assert (state.nodes, state.edges, state.nodes_added, state.edges_added) == (2, 1, 2, 1)
    assert state.answer is not None and state.claims == state.answer.claims
    assert state.seconds == 21.5 and state.elapsed == 22.0
    assert [notice.text for notice in state.notices] == ["Nothing to see."]


def test_the_middle_of_a_run() -> None:
    state = _until(7)
    assert state.running and state.state == "REMOTE_GRAPH_EXPLORATION"
    assert state.turn is not None and state.turn.forced == "the local graph is empty"
    assert [(call.id, call.ok) for call in state.turn.calls] == [("k1", None), ("k2", False)]
    state = _until(10)
    assert state.turn is not None
    assert [(call.id, call.ok, call.total) for call in state.turn.calls] == [
        ("k1", True, 9),
        ("k2", False, None),
    ]
    assert state.turn.rejections == ("No next state was chosen.",)
    assert (state.turn.next_state, state.turn.reflection) == ("LOCAL_GRAPH_UPDATE", "go on")
    assert (state.turn.thinking, state.turn.tokens) == (0.75, TokenCount(20, 4))
    assert _until(11).urgency == "high"


def test_another_run_begins_anew() -> None:
    first, second = sample_run(), [
        dataclasses.replace(event, header=dataclasses.replace(event.header, run_id="run-2"))
        for event in sample_run()
    ]  # fmt: skip
    assert fold([*first, *second]) == fold(second)


def test_triples_are_new_for_one_visit() -> None:
    assert _until(16).new_handles == ("T1",)
    assert _until(19).new_handles == ()
    assert "T1" in _until(19).graph


def test_a_triple_that_left_again_is_not_new() -> None:
    events = sample_run()[:16]
    gone = GraphChanged(dataclasses.replace(events[-1].header, seq=17), 2, "k4", (), ("T1",), 1, 0)
    state = fold(iter([*events, gone]))
    assert state.new_handles == () and len(state.graph) == 0
    assert (state.edges, state.edges_added) == (0, 1)


def test_what_stood_in_the_graph_before_does_not_count_as_added() -> None:
    before = number(lambda h: GraphChanged(h, 0, "", (), (), 100, 90))[0]
    state = apply(RunState(), before)
    assert (state.nodes, state.edges, state.nodes_added, state.edges_added) == (100, 90, 0, 0)


def test_an_event_seen_twice_changes_nothing() -> None:
    state = RunState()
    for event in sample_run():
        state = apply(state, event)
        assert apply(state, event) is state


def test_states_are_values() -> None:
    events = sample_run()
    states = list(itertools.accumulate(events, apply, initial=RunState()))
    assert states == list(itertools.accumulate(events, apply, initial=RunState()))
    assert states[5].turn != states[9].turn, "an earlier state is untouched by later events"
    with pytest.raises(dataclasses.FrozenInstanceError):
        states[0].status = "x"  # type: ignore[misc]


@given(st.lists(st.sampled_from(EVENT_CLASSES).flatmap(instances), max_size=20))
def test_any_sequence_of_events_folds(events: list[RunEvent]) -> None:
    state = RunState()
    for seq, event in enumerate(events, 1):
        header = dataclasses.replace(
            event.header, seq=seq, time=START + timedelta(seconds=seq), run_id="r"
        )
        state = apply(state, dataclasses.replace(event, header=header))
    assert state.seq == len(events)
    assert len(state.trace) == len(state.timeline)
    assert len(state.graph) == len(list(state.graph))


def _evidence(handle: str, text: str) -> Evidence:
    return Evidence(handle, Triple("Q1", "P1", EntityValue(text)))


_handles = st.sampled_from([f"T{index}" for index in range(12)])
_changes = st.lists(
    st.tuples(
        st.lists(st.tuples(_handles, st.sampled_from(["Q2", "Q3"])), max_size=4),
        st.lists(_handles, max_size=3),
    ),
    max_size=25,
)


@given(_changes)
def test_the_evidence_map_is_a_dictionary_that_never_changes(
    changes: list[tuple[list[tuple[str, str]], list[str]]],
) -> None:
    model: dict[str, Evidence] = {}
    made = EvidenceMap()
    history = [(made, dict(model))]
    for added, removed in changes:
        for handle in removed:
            model.pop(handle, None)
        items = tuple(_evidence(handle, text) for handle, text in added)
        model.update({item.handle: item for item in items})
        made = made.changed(items, tuple(removed))
        history.append((made, dict(model)))
    for there, expected in history:
        assert dict(there) == expected
        assert len(there) == len(expected)
        assert "T99" not in there
    assert repr(made) == f"EvidenceMap({len(model)} triples)"
