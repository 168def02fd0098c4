"""Exports: read back by parsers that know nothing of RoboData."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from datetime import datetime, timezone
from decimal import Decimal
from pathlib import Path
from xml.etree import ElementTree

import pyoxigraph as ox
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robodata_core.errors import InvalidRequestError, StoreError
from robodata_core.model import (
    Entity,
    EntityValue,
    Property,
    QuantityValue,
    Snak,
    SomeValue,
    Statement,
    StringValue,
    TimeValue,
)
from robodata_core.store._backend import Embedded
from robodata_core.store.export import FORMATS
from robodata_core.store.graph import Fetch, LocalGraph

from .strategies import entities, statements

WHEN = datetime(2026, 1, 2, tzinfo=timezone.utc)
NAMESPACE = "{http://graphml.graphdrawing.org/xmlns}"
PARSERS = {
    "turtle": ox.RdfFormat.TURTLE,
    "trig": ox.RdfFormat.TRIG,
    "nquads": ox.RdfFormat.N_QUADS,
    "jsonld": ox.RdfFormat.JSON_LD,
}


@pytest.fixture
def graph() -> Iterator[LocalGraph]:
    with LocalGraph.in_memory() as graph:
        graph.add(
            [
                Statement("Q16", "P36", EntityValue("Q1930"), source="snapshot:x"),
                Statement(
                    "Q16",
                    "P1082",
                    QuantityValue(Decimal(40_000_000), "Q5"),
                    qualifiers=(Snak("P585", TimeValue(2023, precision=9)),),
                    source="wikidata",
                ),
                Statement("Q16", "P40", SomeValue()),
                Statement("http://soma/Knife", "http://soma/madeOf", StringValue("steel")),
            ],
            Fetch("run 1", "k1", "fetch_node", WHEN),
            entities=[Entity("Q16", "Canada", "country"), Entity("Q1930", "Ottawa")],
            properties=[Property("P36", "capital")],
        )
        yield graph


def exported(graph: LocalGraph, format_: str) -> bytes:
    buffer = io.BytesIO()
    graph.export(format_, buffer)
    return buffer.getvalue()


@pytest.mark.parametrize("format_", ["trig", "nquads", "jsonld"])
def test_data_set_formats_hold_everything(graph: LocalGraph, format_: str) -> None:
    again = ox.Store()
    again.load(exported(graph, format_), PARSERS[format_])
    assert set(again) == set(graph.quads())
    with LocalGraph(Embedded(store=again), "en") as copy:
        assert copy.match() == graph.match()


def test_turtle_holds_the_union_of_all_graphs(graph: LocalGraph) -> None:
    parsed = ox.parse(exported(graph, "turtle"), format=ox.RdfFormat.TURTLE)
    triples = {(quad.subject, quad.predicate, quad.object) for quad in parsed}
    assert triples == {(quad.subject, quad.predicate, quad.object) for quad in graph.quads()}
    assert b"wd:Q16" in exported(graph, "ttl")


def test_json_ld_is_json(graph: LocalGraph) -> None:
    assert json.loads(exported(graph, "json-ld"))


def test_graphml_has_nodes_and_edges_with_labels_and_handles(graph: LocalGraph) -> None:
    root = ElementTree.fromstring(exported(graph, "graphml"))

    def data(element: ElementTree.Element) -> dict[str, str]:
        found = element.findall(f"{NAMESPACE}data")
        return {item.attrib["key"]: item.text or "" for item in found}

    nodes = {item.attrib["id"]: data(item) for item in root.iter(f"{NAMESPACE}node")}
    edges = {item.attrib["id"]: item for item in root.iter(f"{NAMESPACE}edge")}
    assert nodes["Q16"] == {
        "node-label": "Canada",
        "node-description": "country",
        "node-kind": "entity",
        "node-datatype": "item",
    }
    assert set(edges) == {"T1", "T2", "T3", "T4"}
    assert (edges["T1"].attrib["source"], edges["T1"].attrib["target"]) == ("Q16", "Q1930")
    assert data(edges["T1"])["edge-label"] == "capital"
    assert data(edges["T1"])["edge-source"] == "snapshot:x"
    assert nodes[edges["T2"].attrib["target"]]["node-datatype"] == "quantity"
    keys = {key.attrib["id"] for key in root.iter(f"{NAMESPACE}key")}
    for element in root.iter(f"{NAMESPACE}data"):
        assert element.attrib["key"] in keys


@given(st.lists(statements, max_size=4), st.lists(entities, max_size=4), st.characters())
def test_any_content_can_be_exported(
    given_statements: list[Statement], given_entities: list[Entity], char: str
) -> None:
    with LocalGraph.in_memory() as graph:
        hostile = Entity("Q7", f"<&>\"']]>{char}<script>", f"\x00\x1b{char}")
        graph.add(given_statements, Fetch("r", "k", "t", WHEN), entities=[*given_entities, hostile])
        root = ElementTree.fromstring(exported(graph, "graphml"))
        ids = {item.attrib["id"] for item in root.iter(f"{NAMESPACE}node")}
        for edge in root.iter(f"{NAMESPACE}edge"):
            assert {edge.attrib["source"], edge.attrib["target"]} <= ids
        assert len(ids) == len(list(root.iter(f"{NAMESPACE}node")))
        for format_ in ("trig", "nquads"):
            again = ox.Store()
            again.load(exported(graph, format_), PARSERS[format_])
            assert set(again) == set(graph.quads())


def test_files_appear_when_they_are_complete(graph: LocalGraph, tmp_path: Path) -> None:
    for format_ in FORMATS:
        graph.export(format_, tmp_path / f"graph.{format_}")
        assert (tmp_path / f"graph.{format_}").read_bytes() == exported(graph, format_)
    graph.export("turtle", str(tmp_path / "graph.turtle"))
    assert len(list(tmp_path.iterdir())) == len(FORMATS)


def test_what_cannot_be_exported_is_said(graph: LocalGraph, tmp_path: Path) -> None:
    with pytest.raises(InvalidRequestError, match="no export format 'docx'"):
        graph.export("docx", tmp_path / "x")
    with pytest.raises(StoreError, match="cannot be written"):
        graph.export("turtle", tmp_path / "missing" / "graph.ttl")
    assert not list(tmp_path.iterdir())
