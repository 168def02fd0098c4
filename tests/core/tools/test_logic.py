from __future__ import annotations

from typing import Any

import pytest

from robodata_core.model import EntityValue, StringValue, TimeValue
from robodata_core.tools.variables import Variable

from .desk import Desk


@pytest.fixture(autouse=True)
def _sets(desk: Desk) -> None:
    def entities(*ids: str) -> tuple[EntityValue, ...]:
        return tuple(map(EntityValue, ids))

    for name, values in {
        "$a": entities("Q16", "Q42", "Q5"),
        "$b": entities("Q42", "Q1930"),
        "$c": (*entities("Q42"), StringValue("x"), TimeValue(1952, precision=9)),
        "$none": (),
    }.items():
        desk.variables[name] = Variable(name, values)


@pytest.mark.parametrize(
    ("tool", "sets", "expected"),
    [
        ("intersect", ["$a", "$b"], ["Q42"]),
        ("intersect", ["$a", "$b", "$c"], ["Q42"]),
        ("intersect", ["$a", "$none"], []),
        ("intersect", [["Q16", "Q42"], "$a"], ["Q16", "Q42"]),
        ("union", ["$a", "$b"], ["Q16", "Q42", "Q5", "Q1930"]),
        ("union", ["$none", "$b"], ["Q42", "Q1930"]),
        ("union", ["$none", "$none"], []),
        ("union", [["$b", "Q16"], ["$none"]], ["Q42", "Q1930", "Q16"]),
    ],
)
def test_set_operations(desk: Desk, tool: str, sets: Any, expected: list[str]) -> None:
    data = desk.data(tool, sets=sets, into="$out")
    assert [value.id for value in data.values] == expected
    assert desk.variables["$out"] == data


def test_many_large_sets(desk: Desk) -> None:
    for number in range(20):
        first = number * 400 + 1
        values = tuple(EntityValue(f"Q{n}") for n in range(first, first + 1_500))
        desk.variables[f"$s{number}"] = Variable(f"$s{number}", values)
    names = [f"$s{number}" for number in range(20)]
    assert len(desk.data("union", sets=names).values) == 19 * 400 + 1_500
    common = desk.data("intersect", sets=names[:3]).values
    assert common == tuple(EntityValue(f"Q{n}") for n in range(801, 1_501))


def test_literals_are_nodes_too(desk: Desk) -> None:
    text = desk.text("union", sets=["$b", "$c"])
    assert '"x"' in text and "1952" in text
    assert desk.data("count", entities=["$c", "$b"]) == 4


def test_counting(desk: Desk) -> None:
    result = desk.call("count", entities=["$a", "Q42"], into="$n")
    assert result.output.data == 3
    assert result.output.text == "Count of $a, Douglas Adams (Q42): 3, stored as $n."
    assert desk.text("end", result="$n") == "The result is the number 3."
    assert "$n is not a set of nodes" in desk.refusal("count", entities="$n")


@pytest.mark.parametrize(
    ("arguments", "verdict"),
    [
        ({"entities": "$a"}, True),
        ({"entities": "$none"}, False),
        ({"entities": "$a", "contains": "Q42"}, True),
        ({"entities": "$a", "contains": "$b"}, False),
        ({"entities": "$a", "contains": ["Q16", "Q42"]}, True),
        ({"entities": "$none", "contains": "Q42"}, False),
    ],
)
def test_judging(desk: Desk, arguments: dict[str, Any], verdict: bool) -> None:
    result = desk.call("judge", arguments)
    assert result.output.data is verdict
    assert (": yes" if verdict else ": no") in result.output.text
    if not verdict:
        assert "what the source states" in result.output.text


def test_judging_by_an_empty_set_is_refused(desk: Desk) -> None:
    assert "nothing to look for" in desk.refusal("judge", entities="$a", contains="$none")


def test_ending(desk: Desk) -> None:
    result = desk.call("end", result="$a")
    assert result.output.data is desk.variables["$a"]
    assert result.output.text.startswith("The result: 3 nodes, stored as $a.\nCanada (Q16)")
    desk.text("judge", entities="$a", into="$yes")
    assert desk.text("end", result="$yes") == "The result is yes."
    assert [value.id for value in desk.data("end", result=["Q42", "$b"]).values] == [
        "Q42",
        "Q1930",
    ]


def test_a_long_result_is_paged(desk: Desk) -> None:
    values = tuple(EntityValue(f"Q{n}") for n in range(100, 200))
    desk.variables["$long"] = Variable("$long", values)
    result = desk.call("end", result="$long", offset=95)
    assert "Shown: 96 to 100 of 100." in result.output.text
    assert "Nothing at offset 200" in desk.text("end", result="$long", offset=200)
