"""The tools over a real snapshot and a real local graph, as a run uses them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robodata_core.model import EntityValue, TimeValue
from robodata_core.sources.snapshot import SnapshotSource, open_snapshot
from robodata_core.store.graph import LocalGraph
from robodata_core.tools.formatting import MAX_TEXT

from .desk import Desk

QUESTION = "Which philosophers influenced by Kant were also mathematicians?"


@pytest.fixture(scope="module")
def sample() -> Iterator[SnapshotSource]:
    with open_snapshot("wikidata-sample") as source:
        yield source


@pytest.fixture
def desk(sample: SnapshotSource) -> Iterator[Desk]:
    with LocalGraph.in_memory() as store:
        yield Desk(sample, store, QUESTION)


def _ids(data: Any) -> set[str]:
    return {value.id for value in data.values if isinstance(value, EntityValue)}


def test_from_a_name_to_handles_knowing_nothing_before(desk: Desk) -> None:
    """The paper's question A6 with nothing but what results have shown."""
    assert "Q9312" in desk.refusal("get_relation", entities="Q9312")
    kant = desk.data("disambiguate_entity", name="Kant", context="philosopher")[0].entity.id
    assert kant == "Q9312"
    desk.text("search_entities", text="mathematician")
    relation = desk.data("retrieve_relation", entities=kant, phrase="influenced by")[0]
    assert relation.property.id == "P737"
    desk.text("get_head_entity", entities=kant, relation="P737", into="influenced")
    desk.text("get_relation", entities="$influenced")
    both = desk.data(
        "get_entity_by_type", entities="$influenced", types="Q170790", via="P106", into="both"
    )
    assert "Q155887" in _ids(both)  # the one the paper's system missed without metacognition
    assert desk.data("count", entities="$both") == len(_ids(both))
    answer = desk.data("end", result="$both")
    fetched = desk.call(
        "fetch_relationship_to_node", nodes=[kant], property="P737", subjects=sorted(_ids(answer))
    )
    assert len(fetched.output.handles) == len(_ids(both))
    for handle in fetched.output.handles:
        evidence = desk.store.evidence(handle)
        assert evidence is not None and desk.store.contains(evidence.triple)
        assert evidence.subject_label and evidence.predicate_label == "influenced by"
        assert evidence.provenance[0].source == "snapshot:wikidata-sample"


def test_dates_and_quantities_can_be_asked_for_backwards(desk: Desk) -> None:
    desk.known.add(["Q42", "P569"])
    desk.text("get_tail_entity", entities="Q42", relation="P569", into="$when")
    assert desk.variables["$when"].values[0].year == 1952
    assert isinstance(desk.variables["$when"].values[0], TimeValue)
    assert "Q42" in _ids(desk.data("get_head_entity", entities="$when", relation="P569"))


def test_sparql_over_the_sample(desk: Desk) -> None:
    desk.known.add(["Q42", "P26"])
    text = desk.text(
        "sparql_query", query="SELECT ?x ?name { wd:Q42 wdt:P26 ?x . ?x rdfs:label ?name }"
    )
    assert text.startswith("1 row, 2 columns: x | name\nJane Belson (Q14623681)")
    assert "Q14623681" in desk.known
    assert desk.refusal("sparql_query", query="SELECT ?x { wd:Q42 wdt:P26 }").startswith(
        "SPARQL syntax error"
    )
    assert desk.refusal("sparql_query", query="INSERT DATA { wd:Q42 wdt:P31 wd:Q42 }").startswith(
        "Refused"
    )


def test_the_class_human_is_shown_in_part(desk: Desk) -> None:
    desk.known.add(["Q5"])
    result = desk.call("get_entity_by_type", types="Q5")
    assert result.output.total is not None and result.output.total > 1_000
    assert len(result.output.text.splitlines()) < 30
    neighbours = desk.call("explore_entity_neighbors", entity="Q5", direction="in", limit=100)
    assert len(neighbours.output.text) <= MAX_TEXT
    assert "For more, call again with offset=" in neighbours.output.text


_entities = st.sampled_from(["Q42", "Q9312", "Q16", "Q5", "Q350", "Q36180", "Q1", "Q99999999"])
_properties = st.sampled_from(["P31", "P279", "P737", "P106", "P36", "P569", "P2048", "P99999"])
_calls = st.one_of(
    st.tuples(st.just("get_entity_info"), st.fixed_dictionaries({"entity": _entities})),
    st.tuples(st.just("get_property_info"), st.fixed_dictionaries({"property": _properties})),
    st.tuples(
        st.just("explore_entity_neighbors"),
        st.fixed_dictionaries(
            {"entity": _entities, "limit": st.integers(1, 100), "offset": st.integers(0, 80)}
        ),
    ),
    st.tuples(
        st.sampled_from(["get_tail_entity", "get_head_entity"]),
        st.fixed_dictionaries({"entities": st.lists(_entities, min_size=1, max_size=3)})
        | st.fixed_dictionaries({"entities": _entities, "relation": _properties}),
    ),
    st.tuples(
        st.sampled_from(["fetch_relationship_from_node", "fetch_relationship_to_node"]),
        st.fixed_dictionaries(
            {"nodes": _entities, "property": _properties, "limit": st.integers(1, 50)}
        ),
    ),
    st.tuples(
        st.just("build_local_graph"),
        st.fixed_dictionaries(
            {"nodes": _entities, "hops": st.integers(1, 3), "limit": st.integers(1, 60)}
        ),
    ),
    st.tuples(st.sampled_from(["get_node", "remove_node"]), st.builds(dict, node=_entities)),
    st.tuples(st.just("retrieve_relation"), st.builds(dict, entities=_entities)),
)
_SHOWN = re.compile(r"\(([QP][1-9][0-9]*)\)")


@settings(max_examples=40)
@given(calls=st.lists(_calls, max_size=8))
def test_any_session_is_bounded_and_shows_only_what_becomes_known(
    sample: SnapshotSource, calls: list[tuple[str, dict[str, Any]]]
) -> None:
    with LocalGraph.in_memory() as store:
        known = tuple(f"P{n}" for n in (737, 106, 36, 569, 2048))
        desk = Desk(sample, store, "Q42 Q9312 Q16 Q5 Q350 Q36180", known)
        for tool, arguments in calls:
            output = (result := desk.call(tool, arguments)).output
            assert len(output.text) <= MAX_TEXT
            assert "internal error" not in output.text
            if result.ok:
                assert set(_SHOWN.findall(output.text)) <= set(output.ids)
                assert all(id_ in desk.known for id_ in output.ids)
                if not tool.startswith("remove"):
                    assert all(store.evidence(handle) for handle in output.handles)
