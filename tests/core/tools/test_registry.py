from __future__ import annotations

import json
import logging
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robodata_core.errors import (
    CancelledError,
    DeadlineExceededError,
    MalformedResponseError,
    RateLimitedError,
    SourceTimeoutError,
    UnknownToolError,
)
from robodata_core.orchestrator.machine import State
from robodata_core.store.graph import LocalGraph
from robodata_core.tools.base import ToolCall
from robodata_core.tools.formatting import MAX_TEXT
from robodata_core.tools.registry import ALL_TOOLS, Toolbox, toolboxes

from .._strategies import json_values
from .desk import Desk
from .fakes import FakeSource

PAPER_NAMES = {
    "local": "get_node get_edge sparql_query_local cypher_query",
    "remote": "get_entity_info get_property_info search_entities sparql_query"
    " explore_entity_neighbors build_local_graph",
    "update": "fetch_node fetch_relationship_from_node fetch_relationship_to_node remove_node",
    "extraction": "get_relation get_head_entity get_tail_entity get_entity_by_type"
    " get_entity_by_constraint",
    "logic": "count intersect union judge end",
    "semantic": "retrieve_relation disambiguate_entity",
}
#: Not of the papers: a whole program in one call.
OURS = {"run_program"}


def test_the_tools_are_the_papers() -> None:
    for family, names in PAPER_NAMES.items():
        there = {tool.name for tool in ALL_TOOLS if tool.family.value == family}
        assert there - OURS == set(names.split())
    writers = {tool.name for tool in ALL_TOOLS if tool.writes}
    assert writers == {*PAPER_NAMES["update"].split(), "build_local_graph", *OURS}


def test_only_exploring_and_updating_states_have_tools() -> None:
    for state in (
        State.LOCAL_DATA_EVALUATION,
        State.REMOTE_DATA_EVALUATION,
        State.PRODUCE_ANSWER,
    ):
        assert toolboxes()[state].names == ()
    local = set(toolboxes()[State.LOCAL_GRAPH_EXPLORATION].names)
    assert local == set(PAPER_NAMES["local"].split())
    remote = set(toolboxes()[State.REMOTE_GRAPH_EXPLORATION].names)
    wanted = (PAPER_NAMES[f].split() for f in ("remote", "extraction", "logic", "semantic"))
    assert remote == {name for names in wanted for name in names} | OURS
    update = set(toolboxes()[State.LOCAL_GRAPH_UPDATE].names)
    assert update == {*PAPER_NAMES["update"].split(), "build_local_graph", *OURS}


def test_a_model_is_told_of_few_tools_in_any_state() -> None:
    for state in State:
        told = toolboxes()[state].specs(told=True)
        assert len(told) <= 12
        assert {spec.name for spec in told} <= set(toolboxes()[state].names)


def test_schemas_are_plain_json() -> None:
    for spec in Toolbox(ALL_TOOLS).specs():
        schema = json.loads(json.dumps(spec.parameters))
        assert schema["type"] == "object" and schema["additionalProperties"] is False
        assert spec.description.endswith(".") and len(spec.description) < 500
        for field in schema["properties"].values():
            assert "title" not in field and "$ref" not in json.dumps(field)
        assert set(schema["required"]) <= set(schema["properties"])


def test_a_tool_of_another_state_is_refused_with_those_there_are(desk: Desk) -> None:
    box = toolboxes()[State.LOCAL_GRAPH_UPDATE]
    result = box.execute(ToolCall("sparql_query", {"query": "ASK {}"}), desk.context())
    assert not result.ok
    assert "There is no tool sparql_query here" in result.output.text
    assert "fetch_node" in result.output.text
    with pytest.raises(UnknownToolError, match="none in this state"):
        toolboxes()[State.PRODUCE_ANSWER].get("end")


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("get_entity_info", {}, ["entity is missing", "Arguments: entity, limit (optional)"]),
        ("get_entity_info", {"entity": "Q42", "x\x1b[1m": 1}, ["x is not an argument"]),
        ("get_entity_info", {"entity": "forty-two"}, ["must be an id such as Q42"]),
        ("get_entity_info", {"entity": "Q42", "limit": 0}, ["limit should be greater"]),
        ("get_entity_info", {"entity": "Q42", "offset": "many"}, ["offset should be a valid int"]),
        ("get_entity_info", {"entity": None}, ["entity should be a valid string"]),
        ("search_entities", {"text": " \x07 "}, ["text must not be empty"]),
        ("search_entities", {"text": "x", "kind": "thing"}, ["kind should be 'item' or 'prop"]),
        ("search_entities", {"text": "x" * 501}, ["text should have at most 500"]),
        ("get_tail_entity", {"entities": [], "relation": "P36"}, ["entities should have at lea"]),
        ("get_tail_entity", {"entities": ["Q42"], "relation": "Q5"}, ["a property id such as"]),
        ("fetch_node", {"nodes": ["Q42"] * 501}, ["nodes should have at most 500 items"]),
        ("get_edge", {"edge": "17"}, ["edge should match pattern"]),
        ("sparql_query", {"query": "ASK {}" + " " * 10_000}, ["query should have at most 10000"]),
        ("sparql_query", {"query": "ASK {\ud800}"}, ["query should be a valid string"]),
        ("count", {"entities": ["Q42", "$0"]}, ["entities[1] must be a name of letters"]),
        (
            "get_entity_by_constraint",
            {"entities": "Q42", "property": "P569", "comparison": "=", "value": [1]},
            ["value should be a valid string, value should be a valid integer"],
        ),
        ("intersect", {"sets": ["Q42"]}, ["sets should have at least 2 items"]),
    ],
)
def test_wrong_arguments_end_in_one_sentence(
    desk: Desk, tool: str, arguments: dict[str, Any], words: list[str]
) -> None:
    text = desk.refusal(tool, **arguments)
    for word in words:
        assert word in text
    assert "\n" not in text and "pydantic" not in text and len(text) < 800


def test_arguments_that_are_no_object(desk: Desk) -> None:
    result = desk.box.execute(ToolCall("count", ["Q42"]), desk.context())  # type: ignore[arg-type]
    assert not result.ok and result.output.text == "The arguments of count must be an object."


def test_ids_are_taken_as_models_write_them(desk: Desk) -> None:
    for written in ("Q42", " wd:Q42 ", "<http://www.wikidata.org/entity/Q42>"):
        assert desk.data("get_entity_info", entity=written).entity.id == "Q42"
    assert desk.data("get_relation", entities="Q42")


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (SourceTimeoutError("No answer in 10 seconds.", hint="Try again."), "No answer"),
        (RateLimitedError("Asked to slow down."), "Asked to slow down."),
        (MalformedResponseError("Not JSON:\x1b[2J\x07."), "Not JSON:."),
    ],
)
def test_failures_of_a_source_become_sentences(
    desk: Desk, source: FakeSource, error: Exception, words: str
) -> None:
    source.failing = error
    assert words in desk.refusal("search_entities", text="Canada")


def test_an_unexpected_failure_is_logged_and_told_without_traceback(
    desk: Desk, source: FakeSource, caplog: pytest.LogCaptureFixture
) -> None:
    source.failing = ZeroDivisionError("secret")
    with caplog.at_level(logging.ERROR, "robodata.tools"):
        text = desk.refusal("search_entities", text="Canada")
    assert text == "search_entities failed with an internal error; try another way."
    assert "ZeroDivisionError" in caplog.text


def test_cancelling_and_deadlines_are_not_results(desk: Desk, source: FakeSource) -> None:
    for error in (CancelledError("Cancelled."), DeadlineExceededError("Over.")):
        source.failing = error
        with pytest.raises(type(error)):
            desk.call("search_entities", text="Canada")
    source.failing = None
    desk.cancel.cancel()
    with pytest.raises(CancelledError):
        desk.call("search_entities", text="Canada")


def test_the_clock_of_a_toolbox_measures_calls(desk: Desk) -> None:
    ticks = iter([1.0, 3.5, 10.0, 10.25])
    box = Toolbox(ALL_TOOLS, clock=lambda: next(ticks))
    assert box.execute(ToolCall("nope"), desk.context()).seconds == 2.5
    call = ToolCall("search_entities", {"text": "Canada"})
    assert box.execute(call, desk.context()).seconds == 0.25


def test_results_make_ids_known_and_refusals_do_not(desk: Desk) -> None:
    assert "Q1930" in desk.refusal("get_entity_info", entity="Q1930")
    assert "Q1930" not in desk.known
    desk.text("search_entities", text="Ottawa")
    assert "Q1930" in desk.known
    desk.text("get_entity_info", entity="Q1930")


# -- whatever comes in ------------------------------------------------------------------------

_words = st.sampled_from(
    ["Q42", "Q16", "P36", "P31", "Q999", "wd:Q5", "$x", "$y", "T1", "out", "both", "in", "item"]
    + ["=", "max", "<", "1952", "1.5", "property", "Ottawa", "", "a:b", "SELECT * { ?s ?p ?o }"]
)
_scalars = _words | st.text(max_size=20) | st.integers(-5, 600) | json_values
_values = _scalars | st.lists(_scalars, max_size=4)


@st.composite
def _calls(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    tool = draw(st.sampled_from(ALL_TOOLS))
    fields = list(tool.arguments.model_fields)
    required = [name for name in fields if tool.arguments.model_fields[name].is_required()]
    keys = st.sampled_from([*fields, *required, "other"])
    arguments = draw(st.dictionaries(keys, _values, max_size=len(fields) + 1))
    for name in required:
        arguments.setdefault(name, draw(_values))
    return tool.name, arguments


_SHOWN = re.compile(r"\(([QP][1-9][0-9]*)\)")


@settings(max_examples=150)
@given(st.lists(_calls(), min_size=1, max_size=6), st.sampled_from([1, 3, 100]))
def test_no_arguments_make_a_call_raise_or_grow(
    calls: list[tuple[str, dict[str, Any]]], max_items: int
) -> None:
    with LocalGraph.in_memory() as store:
        desk = Desk(FakeSource(), store)
        desk.max_items = max_items
        for tool, arguments in calls:
            result = desk.call(tool, arguments)
            output = result.output
            assert len(output.text) <= MAX_TEXT
            assert "Traceback" not in output.text and "\x1b" not in output.text
            assert "internal error" not in output.text
            if result.ok:
                assert set(_SHOWN.findall(output.text)) <= set(output.ids)
                assert set(output.ids) <= set(filter(desk.known.__contains__, output.ids))
            else:
                assert output.ids == () and output.text.strip()


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("get_entity_info", {"entity": "Q1"}),
        ("explore_entity_neighbors", {"entity": "Q42"}),
        ("get_tail_entity", {"entities": "Q42", "relation": "P26"}),
        ("fetch_relationship_from_node", {"nodes": "Q42", "property": "P26"}),
        ("build_local_graph", {"nodes": "Q42"}),
        ("fetch_node", {"nodes": "Q1"}),
        ("end", {"result": "Q1"}),
        ("disambiguate_entity", {"name": "wife", "candidates": "Q1"}),
    ],
)
def test_a_hostile_label_stays_on_its_line(
    desk: Desk, tool: str, arguments: dict[str, Any]
) -> None:
    desk.known.add(["Q1", "P26"])
    text = desk.text(tool, **arguments)
    assert "Jane Belson (Q1)" in text
    assert "\x1b" not in text and "previous\n" not in text
