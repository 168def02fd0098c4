"""Events as JSON: the same back, and nothing accepted that is not an event."""

from __future__ import annotations

import dataclasses
import json
import pickle
from datetime import datetime, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robodata_core._codec import CodecError, decode, encode, plain
from robodata_core.events import Header, Noticed, RunEvent, ToolCalled, ToolReturned
from robodata_core.model import Answer, AnswerStatus, ResultItem, Statement
from tests.core._strategies import EVENT_CLASSES, instances, json_values

HEADER = Header("r1", 1, datetime(2025, 1, 2, tzinfo=timezone.utc))
NOTICE = Noticed(HEADER, "info", "hello")


def _through_text(value: Any) -> Any:
    return json.loads(json.dumps(encode(value), allow_nan=False))


@pytest.mark.parametrize("kind", EVENT_CLASSES, ids=lambda kind: kind.__name__)
@given(data=st.data())
def test_every_event_comes_back_exactly(kind: type, data: st.DataObject) -> None:
    event = data.draw(instances(kind))
    back = decode(_through_text(event), RunEvent)
    assert back == event
    assert type(back) is kind


@given(instances(Answer), instances(Statement))
def test_the_model_comes_back_exactly(answer: Answer, statement: Statement) -> None:
    assert decode(_through_text(answer), Answer) == answer
    assert decode(_through_text(statement), Statement) == statement


@pytest.mark.parametrize("value", [True, False, 0, 1, 7])
def test_booleans_and_counts_stay_apart(value: bool | int) -> None:
    back = decode(_through_text(ResultItem(value)), ResultItem)
    assert back.value is value or (type(back.value) is type(value) and back.value == value)


@given(json_values)
def test_arbitrary_json_is_no_event_and_says_so(data: Any) -> None:
    with pytest.raises(CodecError):
        decode(data, RunEvent)


@pytest.mark.parametrize("kind", EVENT_CLASSES, ids=lambda kind: kind.__name__)
@given(data=st.data())
def test_a_damaged_event_is_refused_or_still_one(kind: type, data: st.DataObject) -> None:
    encoded = encode(data.draw(instances(kind)))
    _replace_somewhere(encoded, data)
    try:
        event = decode(json.loads(json.dumps(encoded)), RunEvent)
    except CodecError:
        return
    assert type(event) in EVENT_CLASSES


def _replace_somewhere(node: Any, data: st.DataObject) -> None:
    """Put something else in the place of one value, at any depth."""
    while True:
        keys = list(node) if isinstance(node, dict) else list(range(len(node)))
        key = data.draw(st.sampled_from(keys))
        child = node[key]
        if isinstance(child, (dict, list)) and child and data.draw(st.booleans()):
            node = child
            continue
        node[key] = data.draw(json_values)
        return


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"type": "Nothing"}, "unknown type 'Nothing'"),
        ({"type": ["Noticed"]}, "unknown type"),
        ({"surplus": 1}, "unknown field 'surplus'"),
        ({"level": None}, "level: expected a string, found None"),
        ({"header": {"type": "Noticed"}}, "header: expected an object of type 'Header'"),
        ({"header": "h"}, "header: expected an object of type 'Header', found 'h'"),
    ],
)
def test_the_error_names_place_and_reason(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(CodecError) as caught:
        decode({**encode(NOTICE), **change}, RunEvent)
    assert sentence in str(caught.value)


def test_a_missing_field_is_named() -> None:
    data = encode(NOTICE)
    del data["text"]
    with pytest.raises(CodecError, match="missing field 'text'"):
        decode(data, RunEvent)


def test_fields_with_a_default_may_be_missing() -> None:
    data = encode(Answer("q", AnswerStatus.UNKNOWN))
    assert decode({key: data[key] for key in ("type", "question", "status")}, Answer) == Answer(
        "q", AnswerStatus.UNKNOWN
    )


def test_what_the_model_does_not_hold_cannot_be_written() -> None:
    with pytest.raises(CodecError):
        encode(ToolCalled(HEADER, 1, "k1", "look", {"when": object()}))
    with pytest.raises(CodecError):
        encode({1: "a"})


@given(
    st.recursive(
        st.none() | st.binary(max_size=3) | st.floats() | st.sampled_from(AnswerStatus),
        lambda inner: st.tuples(inner, inner) | st.dictionaries(st.integers(), inner, max_size=2),
        max_leaves=5,
    )
)
def test_plain_makes_json_of_anything(value: Any) -> None:
    made = plain(value)
    assert json.loads(json.dumps(made, allow_nan=False)) == made
    assert plain(made) == made


def test_plain_ends_on_what_holds_itself() -> None:
    loop: list[Any] = []
    loop.append(loop)
    json.dumps(plain(loop))


@pytest.mark.parametrize("kind", EVENT_CLASSES, ids=lambda kind: kind.__name__)
def test_events_are_frozen_and_have_a_header(kind: type) -> None:
    assert dataclasses.fields(kind)[0].name == "header"
    assert kind.__dataclass_params__.frozen  # type: ignore[attr-defined]
    assert "__slots__" in vars(kind)


def test_events_can_cross_processes() -> None:
    assert pickle.loads(pickle.dumps(NOTICE)) == NOTICE


def test_a_number_too_large_for_its_field_is_refused() -> None:
    event = ToolReturned(HEADER, 1, "k1", "look", True, "", None, None, False, 0.5)
    with pytest.raises(CodecError, match="seconds: expected a number"):
        decode({**encode(event), "seconds": 10**400}, RunEvent)
