"""Programs survive JSON, and nothing else becomes a program."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robodata_core.errors import ProgramError
from robodata_core.model import EntityValue
from robodata_core.programs.check import check
from robodata_core.programs.codec import from_json, from_object, to_json, to_object
from robodata_core.programs.steps import End, Follow, Program, Start
from tests.core.programs.strategies import programs

PROGRAM = Program((Start("a", (EntityValue("Q42"),)), Follow("b", "a", ("P50",)), End("b")))

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(programs())
def test_round_trip(program: Program) -> None:
    assert from_json(to_json(program)) == program
    assert from_object(json.loads(to_json(program))) == program
    assert "\n" not in to_json(program)


def test_bytes_are_read_too() -> None:
    assert from_json(to_json(PROGRAM).encode()) == PROGRAM


def test_defaults_may_be_left_out() -> None:
    data = to_object(PROGRAM)
    del data["exclude_start"], data["steps"][1]["direction"]
    assert from_object(data) == PROGRAM


def _changed(*path: object, to: object) -> dict[str, Any]:
    data = to_object(PROGRAM)
    place: Any = data
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = to
    return data


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ([], "not an object"),
        (None, "not an object"),
        ({}, "'format'"),
        (_changed("format", to=2), "'format'"),
        (_changed("format", to=True), "'format'"),
        (_changed("format", to=1.0), "'format'"),
        (_changed("type", to="Program"), "not an object of its own format"),
        (_changed("comment", to="x"), "unknown field 'comment'"),
        (_changed("steps", to={}), "steps"),
        (_changed("steps", 0, "type", to="Stop"), "'Stop'"),
        (_changed("steps", 0, "type", to="Statement"), "'Statement'"),
        (_changed("steps", 0, "values", to=["Q42"]), "steps[0].values[0]"),
        (_changed("steps", 0, "values", to=[{"type": "EntityValue"}]), "missing field 'id'"),
        (_changed("steps", 1, "direction", to="sideways"), "steps[1].direction"),
        (_changed("steps", 1, "properties", to="P50"), "steps[1].properties"),
        (_changed("steps", 1, "properties", to=["Q50"]), "Step 2 (Follow)"),
        (_changed("steps", 1, "source", to="z"), "no earlier step"),
        (_changed("steps", 1, "limit", to=3), "unknown field 'limit'"),
        (_changed("exclude_start", to=1), "exclude_start"),
        (_changed("steps", 0, "values", to=[{"type": "NoValue"}]), "NoValue"),
    ],
)
def test_anything_else_is_refused(data: object, reason: str) -> None:
    with pytest.raises(ProgramError) as caught:
        from_object(data)
    assert reason in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "\x00",
        b"\xff\xfe",
        '{"format": 1, "format": 1, "steps": []}',
        "[" * 100_000,
        "1" * 5_000,
        " " * 5_000_000,
        '{"format": 1, "steps": NaN}',
    ],
)
def test_what_is_not_json_is_refused(text: str | bytes) -> None:
    with pytest.raises(ProgramError):
        from_json(text)


@given(json_values, st.lists(st.sampled_from(["format", "steps", "exclude_start"])))
def test_nothing_but_a_program_or_an_error_comes_out(value: object, keys: list[str]) -> None:
    for data in (value, {**dict.fromkeys(keys, value), "format": 1}):
        try:
            program = from_object(data)
        except ProgramError:
            continue
        check(program)


def test_what_is_malformed_is_not_written() -> None:
    with pytest.raises(ProgramError):
        to_json(Program((End("a"),)))
