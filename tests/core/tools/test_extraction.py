from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from robodata_core.model import EntityValue, QuantityValue, TimeValue
from robodata_core.tools.variables import MAX_NODES, Variable

from .desk import Desk
from .fakes import FakeSource, statement


@pytest.fixture(autouse=True)
def _known(desk: Desk) -> None:
    relations = ["P36", "P17", "P19", "P26", "P569", "P2048", "P106"]
    desk.known.add([*relations, "Q1930", "Q777", "Q515", "Q5", "Q215627", "Q350"])


def _ids(data: Variable) -> list[str]:
    return [value.id for value in data.values if isinstance(value, EntityValue)]


def test_relations_that_are_there(desk: Desk) -> None:
    result = desk.call("get_relation", entities=["Q16"])
    assert result.output.text.splitlines() == [
        "Relations of Canada (Q16): 3.",
        "in: country (P17), 2 statements",
        "out: instance of (P31), 1 statement",
        "out: capital (P36), 1 statement",
    ]
    only = desk.data("get_relation", entities=["Q16", "Q1930"], direction="in")
    assert {relation.property for relation in only} == {"P17", "P36"}
    assert "Shown: 2 to 2 of 3." in desk.text("get_relation", entities="Q16", limit=1, offset=1)


def test_tails_and_heads_are_stored_in_variables(desk: Desk) -> None:
    result = desk.call("get_tail_entity", entities=["Q16"], relation=["P36"], into="cap")
    assert result.output.text.splitlines() == [
        "capital (P36) of Canada (Q16): 1 node, stored as $cap.",
        "Ottawa (Q1930)",
    ]
    assert desk.variables["$cap"] == result.output.data
    heads = desk.call("get_head_entity", entities=["Q16"], relation="P17")
    assert heads.output.text.startswith("Entities whose country (P17) is Canada (Q16): 2 nodes")
    assert _ids(heads.output.data) == ["Q1930", "Q777"]
    assert heads.output.data.name == "$k2"  # named after the call


def test_a_chain_over_variables(desk: Desk) -> None:
    desk.text("get_tail_entity", entities="Q16", relation="P36", into="$a")
    desk.text("get_head_entity", entities=["$a", "Q42"], relation="P36", into="$b")
    assert _ids(desk.variables["$b"]) == ["Q16"]


def test_without_a_relation_the_neighbours_are_found(desk: Desk) -> None:
    result = desk.call("get_tail_entity", entities="Q42", into="$n")
    assert set(_ids(result.output.data)) == {"Q5", "Q350", "Q1", "Q36180"}
    assert "any relation of Douglas Adams (Q42): 4 nodes" in result.output.text


def test_literals_travel_in_variables_and_back(desk: Desk) -> None:
    born = desk.data("get_tail_entity", entities="Q42", relation="P569", into="$when")
    assert born.values == (TimeValue(1952, 3, 11),)


def test_a_name_is_written_once(desk: Desk) -> None:
    call: dict[str, Any] = {"entities": "Q16", "relation": "P36", "into": "$x"}
    desk.text("get_tail_entity", **call)
    desk.text("get_tail_entity", **call)  # the same again is no harm
    refusal = desk.refusal("get_tail_entity", **(call | {"relation": "P31"}))
    assert refusal == "$x already holds another result. Choose a new name."
    assert "There is no variable $y. There are: $x." in desk.refusal("count", entities="$y")


def test_unknown_ids_are_refused_wherever_they_stand(desk: Desk) -> None:
    for tool, arguments in (
        ("get_relation", {"entities": ["Q4242"]}),
        ("get_tail_entity", {"entities": "Q16", "relation": "P4242"}),
        ("get_head_entity", {"entities": "Q4242", "relation": "P36"}),
        ("get_entity_by_type", {"types": "Q4242"}),
        ("get_entity_by_type", {"types": "Q5", "via": "P4242"}),
        (
            "get_entity_by_constraint",
            {"entities": "Q16", "property": "P36", "comparison": "=", "value": "Q4242"},
        ),
        (
            "get_entity_by_constraint",
            {
                "entities": "Q42",
                "property": "P2048",
                "comparison": "=",
                "value": 1,
                "unit": "Q4242",
            },
        ),
    ):
        assert "4242 has not been shown" in desk.refusal(tool, **arguments)


def test_an_unknown_id_among_known_ones_voids_its_own_part(desk: Desk) -> None:
    text = desk.text("get_relation", entities=["Q16", "Q4242"])
    assert "Left out, because nothing has shown it so far: Q4242." in text
    assert "Relations of Canada (Q16)" in text


def test_types_count_subclasses(desk: Desk) -> None:
    result = desk.call("get_entity_by_type", types="Q215627", entities=["Q42", "Q16"])
    assert _ids(result.output.data) == ["Q42"]
    assert "instance of (P31): person (Q215627), among Douglas Adams (Q42)" in result.output.text
    assert set(_ids(desk.data("get_entity_by_type", types="Q515"))) == {"Q1930", "Q350"}


@pytest.mark.parametrize(
    ("property_", "comparison", "value", "unit", "kept"),
    [
        ("P569", "<", "1953", None, ["Q42"]),
        ("P569", "=", "1952-03", None, ["Q42"]),
        ("P569", "=", "1952-03-12", None, []),
        ("P569", ">=", 1952, None, ["Q42"]),
        ("P569", ">", "-0043", None, ["Q42"]),
        ("P2048", ">", 1.9, "Q11573", ["Q42"]),
        ("P2048", ">", "1.96", "Q11573", []),
        ("P2048", "max", None, None, ["Q42"]),
        ("P569", "min", None, None, ["Q42"]),
        ("P19", "=", "Q350", None, ["Q42"]),
        ("P19", "!=", "Q350", None, []),
    ],
)
def test_constraints(
    desk: Desk, property_: str, comparison: str, value: Any, unit: str | None, kept: list[str]
) -> None:
    desk.known.add(["Q11573"])
    data = desk.data(
        "get_entity_by_constraint",
        entities=["Q42", "Q16"],
        property=property_,
        comparison=comparison,
        value=value,
        unit=unit,
    )
    assert _ids(data) == kept


@pytest.mark.parametrize(
    ("property_", "value", "words"),
    [
        ("P569", "last summer", "are dates"),
        ("P569", "1952-13-01", "are dates"),
        ("P2048", "tall", "are quantities"),
        ("P19", "Cambridge", "search_entities finds the id"),
        ("P569", None, "value is missing"),
    ],
)
def test_constraints_that_make_no_sense(desk: Desk, property_: str, value: Any, words: str) -> None:
    assert words in desk.refusal(
        "get_entity_by_constraint",
        entities="Q42",
        property=property_,
        comparison="=",
        value=value,
    )


def test_a_missing_unit_is_named(desk: Desk) -> None:
    result = desk.call(
        "get_entity_by_constraint", entities="Q42", property="P2048", comparison=">", value=1
    )
    assert "another unit: metre (Q11573). Give it as unit." in result.output.text
    assert "Q11573" in result.output.ids


def test_properties_without_datatype_are_read_by_the_look_of_the_value(
    desk: Desk, source: FakeSource
) -> None:
    del source.relation_by_id["P2048"], source.relation_by_id["P569"], source.relation_by_id["P19"]
    source.held.append(statement("Q42", "P2048", QuantityValue(Decimal(7))))
    for property_, value in (("P2048", "7"), ("P569", "1952-03-11"), ("P19", "Q350")):
        data = desk.data(
            "get_entity_by_constraint",
            entities="Q42",
            property=property_,
            comparison="=",
            value=value,
        )
        assert _ids(data) == ["Q42"]


def test_large_sets_are_cut_with_a_notice(desk: Desk, source: FakeSource) -> None:
    many = MAX_NODES + 500
    source.held += [statement(f"Q{n}", "P17", "Q16") for n in range(10_000, 10_000 + many)]
    result = desk.call("get_head_entity", entities="Q16", relation="P17", into="$all")
    text = result.output.text
    assert "at least" in text and "Not everything was looked at" in text
    assert "call again with offset=20" in text and len(text) < 2_000
    assert len(result.output.data.values) <= MAX_NODES and result.output.data.truncated
    assert "may be more" in desk.text("count", entities="$all")
    assert "not certain" in desk.text("judge", entities="$all", contains="Q42")
    onward = desk.data("get_tail_entity", entities="$all", relation="P17", into="$back")
    assert _ids(onward) == ["Q16"] and onward.truncated


def test_an_empty_set_is_stored_and_leads_nowhere(desk: Desk) -> None:
    text = desk.text("get_tail_entity", entities="Q42", relation="P36", into="$none")
    assert text == (
        "capital (P36) of Douglas Adams (Q42): nothing found; $none is the empty set.\n"
        "This look-up can be cited as N1."
    )
    assert "nothing to go on from" in desk.refusal(
        "get_tail_entity", entities="$none", relation="P36"
    )
    assert "Count of $none: 0" in desk.text("count", entities="$none")
