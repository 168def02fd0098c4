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
    Answer,
    AnswerStatus,
    Claim,
    Entity,
    EntityValue,
    Property,
    QuantityValue,
    Snak,
    SomeValue,
    Statement,
    StringValue,
    SupportSet,
    TimeValue,
)
from robodata_core.store._backend import Embedded
from robodata_core.store.export import FORMATS, answer_to_nanopub
from robodata_core.store.graph import Fetch, LocalGraph
from robodata_core.store.queries import PREFIXES

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


def answered(graph: LocalGraph) -> Answer:
    evidence = graph.match("Q16")[0]
    return Answer(
        "What is the capital of Canada?",
        AnswerStatus.ANSWERED,
        claims=(
            Claim("c1", "The capital of Canada is Ottawa.", True, SupportSet(evidence[:1])),
            Claim("c2", "Canada has 40,000,000 people.", True, SupportSet(evidence[1:2])),
            Claim("c3", "Canada is on Mars.", False, problem="no support"),
        ),
        run_id="run 1",
    )


def test_an_answer_becomes_a_nanopublication(graph: LocalGraph) -> None:
    data = answer_to_nanopub(answered(graph), graph, created=WHEN)
    assert data == answer_to_nanopub(answered(graph), graph, created=WHEN)
    store = ox.Store()
    store.load(data, ox.RdfFormat.TRIG)
    assert b"Mars" not in data
    head = """
        PREFIX np: <http://www.nanopub.org/nschema#>
        SELECT ?np ?a ?p ?i { GRAPH ?h { ?np a np:Nanopublication ; np:hasAssertion ?a ;
          np:hasProvenance ?p ; np:hasPublicationInfo ?i } }
    """
    (row,) = list(store.query(head))  # type: ignore[arg-type]
    assert {str(name) for name in store.named_graphs()} >= {str(row[n]) for n in (1, 2, 3)}
    assert len(list(store.named_graphs())) == 4
    questions = [
        "GRAPH ASSERTION { wd:Q16 wdt:P36 wd:Q1930 }",
        'GRAPH ASSERTION { ?c <http://schema.org/text> "The capital of Canada is Ottawa." }',
        "GRAPH PROVENANCE { ASSERTION prov:wasDerivedFrom ?s . ?s rdf:object wd:Q1930 ; "
        "  wikibase:rank wikibase:NormalRank ; prov:wasAttributedTo/rd:name 'snapshot:x' ; "
        "  prov:wasGeneratedBy/rd:tool 'fetch_node' }",
        "GRAPH PROVENANCE { ?s pq:P585 ?t ; pqv:P585/wikibase:timePrecision 9 }",
        "GRAPH PROVENANCE { ?c prov:wasDerivedFrom ?s } GRAPH ASSERTION { ?c ?p ?text }",
        "GRAPH INFO { NANOPUB prov:wasAttributedTo ?agent ; dcterms:created ?t }",
    ]
    prefixes = {**PREFIXES, "dcterms": "http://purl.org/dc/terms/"}
    for question in questions:
        for name, term in zip(("NANOPUB", "ASSERTION", "PROVENANCE", "INFO"), row, strict=True):
            question = question.replace(name, str(term))
        assert store.query(f"ASK {{ {question} }}", prefixes=prefixes), question


def test_an_answer_without_support_is_not_published(graph: LocalGraph) -> None:
    answer = Answer("?", AnswerStatus.UNKNOWN, claims=(Claim("c1", "x", False),))
    with pytest.raises(InvalidRequestError, match="no supported claim"):
        answer_to_nanopub(answer, graph)
