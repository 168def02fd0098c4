"""A run told in lines: one clean line an event, whatever stands in it."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robodata_core.events import AnswerReady, Noticed, ToolReturned
from robodata_core.narrate import narrate
from tests.core._runs import number, sample_run
from tests.core._strategies import EVENT_CLASSES, instances


def test_the_sample_run_reads_like_this() -> None:
    assert [line for event in sample_run() if (line := narrate(event))] == [
        "run run-1: What is the capital of Canada?"
        " (policy offline, source snapshot:sample, at most 5 turns)",
        "[1] LOCAL_DATA_EVALUATION",
        "[1] REMOTE_GRAPH_EXPLORATION (not chosen: the local graph is empty)",
        "    look up",
        '    k1 search_entities(text="Canada")',
        '    k2 search_entities(text="capital")',
        "    k2 failed, 0.100 s: No.",
        "    k1 ok, 1 of 9, 0.200 s: Q16",
        "    refused: No next state was chosen.",
        "    -> LOCAL_GRAPH_UPDATE: found it",
        "    urgency: high",
        "[2] LOCAL_GRAPH_UPDATE",
        '    k3 fetch_node(nodes=["Q16"])',
        "    k3 ok, 1 of 1, 0.300 s: T1",
        "    local graph: +1 triple (2 nodes, 1 triple)",
        "    metacognition: go on",
        "    info: Nothing to see.",
        "[3] PRODUCE_ANSWER (not chosen: the limit of 3 turns is reached)",
        "    done",
        "    c1 supported by T1: The capital of Canada is Ottawa.",
        "run ended: answered after 21.50 s",
    ]


@pytest.mark.parametrize("kind", EVENT_CLASSES, ids=lambda kind: kind.__name__)
@given(data=st.data())
def test_whatever_an_event_holds_its_line_is_clean(kind: type, data: st.DataObject) -> None:
    line = narrate(data.draw(instances(kind)))
    if kind is AnswerReady:
        assert line is None
    if line is not None:
        assert not any(unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") for char in line)
        assert len(line) < 3_000


def test_escapes_do_not_reach_the_terminal() -> None:
    (event,) = number(lambda h: Noticed(h, "info", "\x1b[2Jred\x1b]0;title\x07\r\nnext"))
    assert narrate(event) == "    info: red next"


def test_of_a_long_result_the_first_line_is_told() -> None:
    text = "\n2 items:\nCanada (Q16)\nOttawa (Q1930)"
    (event,) = number(lambda h: ToolReturned(h, 1, "k1", "look", True, text, 2, None, True, 0.0))
    assert narrate(event) == "    k1 ok from memory, 2 of 2, 0.000 s: 2 items:"
