"""The local graph through its public door: handles, provenance, names, what is new."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path

import pyoxigraph as ox
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from robodata_core.errors import StoreError
from robodata_core.model import (
    Entity,
    EntityValue,
    ExternalIdValue,
    NoValue,
    Property,
    Provenance,
    QuantityValue,
    Rank,
    Reference,
    Snak,
    SomeValue,
    Statement,
    StringValue,
    TimeValue,
    Triple,
    UrlValue,
)
from robodata_core.store import graph as graph_module
from robodata_core.store._backend import Embedded
from robodata_core.store._statements import canonical_triple
from robodata_core.store.graph import Fetch, LocalGraph
from robodata_core.store.terms import triple_to_terms

from .strategies import entities, statements

WHEN = datetime(2026, 1, 2, 3, 4, 5, 678900, tzinfo=timezone.utc)
GUID = "Q42$0A1B2C3D-0000-1111-2222-333344445555"
STATEMENTS = "http://www.wikidata.org/entity/statement/"
CAPITAL = Statement("Q16", "P36", EntityValue("Q1930"), source="snapshot:x")
HEIGHT = Statement(
    "Q42",
    "P2048",
    QuantityValue(Decimal("1.96"), "Q11573"),
    id=GUID,
    rank=Rank.PREFERRED,
    qualifiers=(Snak("P585", TimeValue(1990, precision=9)), Snak("P459", EntityValue("Q745072"))),
    references=(Reference((Snak("P854", UrlValue("https://example.org/")),), "a" * 40),),
    source="wikidata",
    origin="urn:robodata:dataset:paper",
    revision=2_156_000_000,
)


def fetch(call: str = "k1", run: str = "r1", minutes: int = 0) -> Fetch:
    return Fetch(run, call, "fetch_node", WHEN + timedelta(minutes=minutes))


@pytest.fixture
def graph() -> Iterator[LocalGraph]:
    with LocalGraph.in_memory() as graph:
        yield graph


def test_a_triple_gets_a_handle_and_its_provenance(graph: LocalGraph) -> None:
    added = graph.add(
        [HEIGHT],
        fetch(),
        entities=[Entity("Q42", "Douglas Adams"), Entity("Q11573", "metre")],
        properties=[Property("P2048", "height")],
    )
    (evidence,) = added.evidence
    assert (added.nodes, added.edges) == (1, 1)  # a unit is no node
    assert evidence.handle == "T1"
    assert evidence.triple == HEIGHT.triple
    assert evidence.statement == "http://www.wikidata.org/entity/statement/" + GUID.replace(
        "$", "-"
    )
    assert (evidence.subject_label, evidence.predicate_label) == ("Douglas Adams", "height")
    assert (evidence.object_label, evidence.unit_label) == ("1.96 metre", "metre")
    (provenance,) = evidence.provenance
    assert provenance.source == "wikidata"
    assert (provenance.run_id, provenance.call_id, provenance.tool) == ("r1", "k1", "fetch_node")
    assert provenance.retrieved == WHEN
    assert (provenance.statement_id, provenance.rank) == (GUID, Rank.PREFERRED)
    assert set(provenance.qualifiers) == set(HEIGHT.qualifiers)
    assert provenance.references == HEIGHT.references
    assert (provenance.origin, provenance.revision) == (HEIGHT.origin, HEIGHT.revision)


def provenance_query(statement: Statement) -> str:
    """Return the query that the module's docstring shows, for one statement."""
    shown = (
        str(graph_module.__doc__).partition("to all of this::")[2].partition("\n\nAt a server")[0]
    )
    terms = map(str, triple_to_terms(canonical_triple(statement.triple)))
    return shown.replace("wd:Q42 wdt:P2048 1.96", " ".join(terms))


def test_one_query_leads_from_a_triple_to_all_of_its_provenance(graph: LocalGraph) -> None:
    foreign = Statement(
        "http://soma/Knife",
        "http://soma/madeOf",
        EntityValue("http://soma/Steel"),
        source="snapshot:soma",
        qualifiers=(Snak("http://soma/since", TimeValue(2000, precision=9)),),
    )
    graph.add([HEIGHT, foreign], fetch())
    graph.add([HEIGHT], fetch("k2", minutes=1))
    for statement, calls in ((HEIGHT, {"k1", "k2"}), (foreign, {"k1"})):
        result = graph.query(provenance_query(statement))
        rows = [dict(zip(result.variables, row, strict=True)) for row in result.rows]
        seen = {name: {row[name] for row in rows} for name in result.variables}
        assert seen["call"] == {StringValue(call) for call in calls}
        assert seen["source"] == {StringValue(statement.source)}
        assert seen["tool"] == {StringValue("fetch_node")}
        assert seen["run"] == {StringValue("r1")}
        assert TimeValue(2026, 1, 2, 3, 4, 5, 14) in seen["retrieved"]
        rank = statement.rank.value.capitalize() + "Rank"
        assert seen["rank"] == {EntityValue("http://wikiba.se/ontology#" + rank)}
        assert len(seen["qualifier"]) == len(statement.qualifiers) + 1  # one has a value node
    result = graph.query(provenance_query(HEIGHT))
    seen = {
        name: set(column)
        for name, column in zip(result.variables, zip(*result.rows, strict=True), strict=True)
    }
    assert seen["statementId"] == {StringValue(GUID)}
    assert seen["origin"] == {EntityValue(HEIGHT.origin)}
    assert seen["revision"] == {QuantityValue(Decimal(2_156_000_000))}
    assert seen["referenceValue"] == {EntityValue("https://example.org/")}


def test_direct_triples_are_simply_queried(graph: LocalGraph) -> None:
    graph.add([CAPITAL], fetch(), entities=[Entity("Q1930", "Ottawa")])
    graph.add([CAPITAL], fetch("k2", "r2"))
    assert graph.query("SELECT ?o { wd:Q16 wdt:P36 ?o }").rows == ((EntityValue("Q1930"),),)
    count = graph.query("SELECT (COUNT(*) AS ?n) { wd:Q16 wdt:P36 ?o }")
    assert count.rows == ((QuantityValue(Decimal(1)),),)
    label = graph.query('SELECT ?o { ?o rdfs:label "Ottawa"@en . wd:Q16 wdt:P36 ?o }')
    assert label.rows == ((EntityValue("Q1930"),),)


def test_the_same_triple_is_one_fact_with_two_origins(graph: LocalGraph) -> None:
    first = graph.add([CAPITAL], fetch())
    again = graph.add([CAPITAL, CAPITAL], fetch("k2", minutes=1))
    other = graph.add(
        [Statement("Q16", "P36", EntityValue("Q1930"), source="wikidata")], fetch("k3", minutes=2)
    )
    assert [evidence.handle for evidence in first.evidence] == ["T1"]
    assert again.evidence == other.evidence == ()
    assert (again.nodes, again.edges) == (0, 0)
    evidence = graph.evidence("T1")
    assert evidence is not None
    origins = [(provenance.call_id, provenance.source) for provenance in evidence.provenance]
    assert origins == [("k1", "snapshot:x"), ("k2", "snapshot:x"), ("k3", "wikidata")]
    assert graph.edge_count == 1


def test_a_changed_statement_keeps_both_of_its_faces(graph: LocalGraph) -> None:
    graph.add([HEIGHT], fetch())
    changed = Statement("Q42", "P2048", HEIGHT.value, id=GUID, source="wikidata", revision=3)
    graph.add([changed], fetch("k2", minutes=1))
    evidence = graph.evidence("T1")
    assert evidence is not None
    assert [provenance.revision for provenance in evidence.provenance] == [HEIGHT.revision, 3]
    assert [provenance.rank for provenance in evidence.provenance] == [Rank.PREFERRED, Rank.NORMAL]
    assert {provenance.statement_id for provenance in evidence.provenance} == {GUID}


def test_units_and_precision_make_different_facts(graph: LocalGraph) -> None:
    values = [
        QuantityValue(Decimal(5), "Q11573"),
        QuantityValue(Decimal(5), "Q11570"),
        QuantityValue(Decimal(5)),
        TimeValue(1952, 1, 1),
        TimeValue(1952, precision=9),
    ]
    added = graph.add([Statement("Q1", "P1", value) for value in values], fetch())
    assert len(added.evidence) == len(values)
    for value in values:
        assert graph.contains(Triple("Q1", "P1", value))
    assert not graph.contains(Triple("Q1", "P1", QuantityValue(Decimal(5), "Q1")))
    assert not graph.contains(Triple("Q1", "P1", QuantityValue(Decimal(6))))


def test_a_bare_number_finds_the_fact_with_its_unit(graph: LocalGraph) -> None:
    graph.add([HEIGHT], fetch())
    (row,) = graph.query("SELECT ?h { wd:Q42 wdt:P2048 ?h }").rows
    assert row[0] is not None
    found = graph.find(Triple("Q42", "P2048", row[0]))
    assert found is not None and found.triple == HEIGHT.triple


def test_unknown_and_absent_values_are_kept_apart(graph: LocalGraph) -> None:
    some, none = Triple("Q1", "P40", SomeValue()), Triple("Q2", "P40", NoValue())
    graph.add([Statement("Q1", "P40", SomeValue()), Statement("Q2", "P40", NoValue())], fetch())
    assert graph.contains(some) and graph.contains(none)
    assert not graph.contains(Triple("Q2", "P40", SomeValue()))
    assert not graph.contains(Triple("Q1", "P40", NoValue()))
    assert graph.query("SELECT ?s { ?s wdt:P40 ?o }").rows == ((EntityValue("Q1"),),)
    assert graph.query("SELECT ?s { ?s a wdno:P40 . ?s p:P40 ?x }").rows == ((EntityValue("Q2"),),)
    assert graph.nodes() == ("Q1", "Q2")


def test_deprecated_statements_are_known_but_not_asserted(graph: LocalGraph) -> None:
    wrong = Statement("Q1", "P36", EntityValue("Q2"), rank=Rank.DEPRECATED)
    graph.add([wrong], fetch())
    assert not graph.contains(wrong.triple)
    evidence = graph.find(wrong.triple)
    assert evidence is not None and evidence.provenance[0].rank is Rank.DEPRECATED
    right = graph.add([Statement("Q1", "P36", EntityValue("Q2"))], fetch("k2"))
    assert right.evidence == () and graph.contains(wrong.triple)


def test_handles_are_not_used_again(graph: LocalGraph) -> None:
    graph.add([Statement("Q1", "P1", EntityValue(f"Q{n}")) for n in (2, 3)], fetch())
    graph.add([Statement("Q5", "P1", EntityValue("Q2"))], fetch())
    assert graph.remove_node("Q3") == ("T2",)
    assert graph.remove_node("Q3") == ()
    assert graph.evidence("T2") is None
    graph.add([Statement("Q1", "P1", EntityValue("Q3"))], fetch("k2"))
    assert graph.match(object=EntityValue("Q3"))[0][0].handle == "T4"
    assert graph.remove_node("Q2") == ("T1", "T3")


def test_removing_a_node_leaves_nothing_of_it(graph: LocalGraph) -> None:
    before = len(graph.quads())
    other = Statement("Q7", "P2048", QuantityValue(Decimal(2), "Q11573"), source="wikidata")
    graph.add([HEIGHT, other], fetch(), entities=[Entity("Q42", "Douglas Adams")])
    assert graph.remove_node("Q42") == ("T1",)
    assert graph.entity("Q42") is None and graph.label("Q42") == ""
    assert graph.query("ASK { wd:Q42 ?p ?o }").boolean is False
    assert graph.query("ASK { ?s pr:P854 ?o }").boolean is False
    assert graph.query("ASK { ?s wikibase:quantityUnit wd:Q11573 }").boolean is True
    assert graph.nodes() == ("Q7",)
    assert graph.remove_node("Q7") == ("T2",)
    assert graph.query("ASK { ?s wikibase:quantityUnit ?o }").boolean is False
    # What stays: the run, the call, the source, and the highest handle.
    assert graph.node_count == graph.edge_count == 0
    assert len(graph.quads()) < before + 15


def test_a_removed_triple_can_come_back(graph: LocalGraph) -> None:
    for _ in range(3):
        graph.add([HEIGHT, CAPITAL], fetch())
        assert graph.contains(HEIGHT.triple)
        graph.remove_node("Q42")
        assert not graph.contains(HEIGHT.triple)
        assert graph.contains(CAPITAL.triple)


def test_external_ids_and_links_are_what_they_are_in_rdf(graph: LocalGraph) -> None:
    graph.add(
        [
            Statement("Q42", "P345", ExternalIdValue("nm0010930")),
            Statement("Q42", "P856", UrlValue("https://douglasadams.com/")),
        ],
        fetch(),
    )
    assert graph.query('ASK { wd:Q42 wdt:P345 "nm0010930" }').boolean is True
    assert graph.query("ASK { wd:Q42 wdt:P856 <https://douglasadams.com/> }").boolean is True
    assert graph.nodes() == ("Q42",)  # a page is no node
    found = graph.find(Triple("Q42", "P345", StringValue("nm0010930")))
    assert found is not None and found.triple.object == ExternalIdValue("nm0010930")


def test_names_are_merged_and_replaced(graph: LocalGraph) -> None:
    graph.add([CAPITAL], fetch(), entities=[Entity("Q16", "Canadaa", "country", ("CA",))])
    graph.add([], fetch("k2"), entities=[Entity("Q16", "Canada"), Entity("Q16")])
    assert graph.entity("Q16") == Entity("Q16", "Canada", "country", ("CA",))
    labels = graph.query("SELECT ?l { wd:Q16 rdfs:label ?l }")
    assert [str(getattr(row[0], "text", "")) for row in labels.rows] == ["Canada"]
    assert graph.property("Q16") is None and graph.entity("P36") is None
    assert graph.label("Q99") == ""


def test_a_label_is_shared_while_two_items_bear_it(graph: LocalGraph) -> None:
    graph.add([CAPITAL], fetch(), entities=[Entity("Q1", "Paris"), Entity("Q2", "Paris")])
    graph.add([], fetch("k2"), properties=[Property("P3", "Lyon")], entities=[Entity("Q4", "Lyon")])
    assert graph.is_shared("Q1") and graph.is_shared("Q2")
    assert not graph.is_shared("Q4") and not graph.is_shared("Q99")
    graph.add([], fetch("k3"), entities=[Entity("Q2", "Lyon")])
    assert graph.is_shared("Q4") and not graph.is_shared("Q1")
    graph.remove_node("Q2")
    assert not graph.is_shared("Q4")


def test_the_label_of_a_later_call_reaches_earlier_evidence(graph: LocalGraph) -> None:
    graph.add([CAPITAL], fetch())
    graph.add([], fetch("k2"), entities=[Entity("Q1930", "Ottawa")])
    evidence = graph.evidence("T1")
    assert evidence is not None and evidence.object_label == "Ottawa"


def test_nodes_isolated_and_components(graph: LocalGraph) -> None:
    graph.add([], fetch(), entities=[Entity("Q9", "nine"), Entity("Q8")])
    assert graph.isolated() == ("Q9", "Q8")
    graph.add(
        [
            Statement("Q1", "P1", EntityValue("Q2")),
            Statement("Q3", "P1", EntityValue("Q4")),
            Statement("Q8", "P2", StringValue("eight")),
        ],
        fetch("k2"),
    )
    assert graph.isolated() == ("Q9",)
    assert set(graph.nodes()) == {"Q1", "Q2", "Q3", "Q4", "Q8", "Q9"}
    assert (graph.node_count, graph.components()) == (6, 4)
    graph.add([Statement("Q4", "P1", EntityValue("Q1"))], fetch("k3"))
    assert graph.components() == 3


def test_match_pages(graph: LocalGraph) -> None:
    graph.add([Statement("Q1", "P1", EntityValue(f"Q{n}")) for n in range(2, 12)], fetch())
    graph.add([Statement("Q2", "P2", EntityValue("Q1"))], fetch("k2"))
    page, total = graph.match("Q1", limit=3, offset=8)
    assert (total, [evidence.handle for evidence in page]) == (10, ["T9", "T10"])
    assert graph.match()[1] == 11
    assert graph.match(predicate="P2")[1] == graph.match(object=EntityValue("Q1"))[1] == 1
    assert graph.match("Q1", "P2") == ((), 0)
    assert graph.match(object=EntityValue("not an id"))[1] == 0


@pytest.mark.parametrize(
    "handle", ["", "T", "T0", "T01", "T-1", "t1", "T1 ", "T" + "9" * 5000, "T²"]
)
def test_odd_handles_are_nobodys(graph: LocalGraph, handle: str) -> None:
    graph.add([CAPITAL], fetch())
    assert graph.evidence(handle) is None


@pytest.mark.parametrize(
    "bad",
    [
        Statement("42", "P36", EntityValue("Q1")),
        Statement("Q42", "Q36", EntityValue("Q1")),
        Statement("Q42", "P36", EntityValue("a b")),
        Statement("Q42", "P36", EntityValue("Q1"), qualifiers=(Snak("x y", SomeValue()),)),
    ],
)
def test_a_malformed_statement_stores_nothing_of_its_call(
    graph: LocalGraph, bad: Statement
) -> None:
    before = set(graph.quads())
    with pytest.raises(StoreError, match="cannot be stored"):
        graph.add([CAPITAL, bad], fetch(), entities=[Entity("Q16", "Canada")])
    assert set(graph.quads()) == before
    assert graph.node_count == graph.edge_count == 0
    assert not graph.contains(bad.triple) and graph.find(bad.triple) is None


def test_a_closed_graph_says_so() -> None:
    graph = LocalGraph.in_memory()
    graph.close()
    with pytest.raises(StoreError, match="closed"):
        graph.add([CAPITAL], fetch())
    with pytest.raises(StoreError, match="closed"):
        graph.query("ASK {}")
    graph.close()


def test_two_calls_of_one_name_are_two_calls(graph: LocalGraph) -> None:
    graph.add([CAPITAL], fetch())
    graph.add([CAPITAL], fetch(minutes=5))
    evidence = graph.evidence("T1")
    assert evidence is not None
    assert [item.retrieved.minute for item in evidence.provenance] == [4, 9]


@given(st.lists(statements, max_size=6), st.lists(entities, max_size=4))
def test_memory_says_what_the_rdf_says(
    given_statements: list[Statement], given_entities: list[Entity]
) -> None:
    with LocalGraph.in_memory() as graph:
        for number, statement in enumerate(given_statements):
            graph.add([statement, *given_statements], fetch(f"k{number}"), entities=given_entities)
        copy = ox.Store()
        copy.extend(graph.quads())
        with LocalGraph(Embedded(store=copy), "en") as again:
            assert snapshot_of(again) == snapshot_of(graph)
        for statement in given_statements:
            found = graph.find(statement.triple)
            assert found is not None


@given(st.lists(statements, min_size=1, max_size=5), st.lists(entities, max_size=3), st.data())
def test_rdf_that_waited_until_it_was_read_is_the_same(
    given_statements: list[Statement], given_entities: list[Entity], data: st.DataObject
) -> None:
    backend = Embedded()
    with LocalGraph(backend, "en") as waiting, LocalGraph.in_memory() as read:
        for number, statement in enumerate(given_statements):
            for graph in (waiting, read):
                graph.add([statement], fetch(f"k{number}"), entities=given_entities[number:])
            whole = read.quads()
            for fact in waiting.triples():
                assert waiting.contains(fact.triple) == read.contains(fact.triple)
        copy = ox.Store()
        copy.load(backend.dump(), format=ox.RdfFormat.N_QUADS)
        assert set(copy) == set(whole)
        removed = data.draw(st.sampled_from([s.subject for s in given_statements]))
        if data.draw(st.booleans()):
            assert waiting.remove_node(removed) == read.remove_node(removed)
            whole = read.quads()
        assert set(waiting.quads()) == set(whole)


def test_programs_read_facts_and_nothing_that_waits() -> None:
    backend = Embedded()
    with LocalGraph(backend, "en") as graph:
        graph.add([CAPITAL, HEIGHT], fetch(), entities=[Entity("Q16", "Canada")])
        assert b'"Canada"@en' in backend.dump(), "what waits goes on waiting"
        capital = graph.query("ASK { wd:Q16 wdt:P36 wd:Q1930 }", facts=True)
        height = graph.query(
            "ASK { wd:Q42 p:P2048 ?s . ?s psv:P2048 ?v ; wikibase:rank ?r ."
            " ?v wikibase:quantityUnit wd:Q11573 }",
            facts=True,
        )
        assert capital.boolean and height.boolean
        names = "SELECT ?n { wd:Q16 rdfs:label ?n }"
        assert not graph.query(names, facts=True).rows
        assert graph.query(names).rows and graph.query(names, facts=True).rows


def test_handles_and_provenance_survive_reopening(tmp_path: Path) -> None:
    with LocalGraph.open(tmp_path) as graph:
        graph.add([CAPITAL, HEIGHT], fetch(), entities=[Entity("Q16", "Canada")])
        graph.add([HEIGHT], fetch("k2", minutes=1))
        graph.remove_node("Q16")
        before = snapshot_of(graph)
    with LocalGraph.open(tmp_path) as graph:
        assert snapshot_of(graph) == before
        assert graph.add([CAPITAL], fetch("k3", minutes=2)).evidence[0].handle == "T3"


def test_a_call_that_adds_again_what_was_removed(tmp_path: Path) -> None:
    with LocalGraph.open(tmp_path) as graph:
        graph.add([HEIGHT], fetch("k0"))
        graph.add([CAPITAL], fetch())
        graph.remove_node("Q16")
        assert graph.add([CAPITAL], fetch()).evidence[0].provenance[0].call_id == "k1"
        before = snapshot_of(graph)
    with LocalGraph.open(tmp_path) as graph:
        assert snapshot_of(graph) == before


def snapshot_of(graph: LocalGraph) -> object:
    evidence = graph.match(limit=10_000)[0]
    names = {node: (graph.entity(node), graph.property(node)) for node in graph.nodes()}
    return evidence, names, set(graph.isolated()), graph.components(), set(graph.nodes())


IDS = st.sampled_from(["Q1", "Q2", "Q3", "http://x/a"])
VALUES = st.sampled_from(
    [
        *map(EntityValue, ("Q1", "Q2", "http://x/a")),
        StringValue("x"),
        ExternalIdValue("x"),
        QuantityValue(Decimal(5), "Q11573"),
        QuantityValue(Decimal(5)),
        NoValue(),
        SomeValue(),
    ]
)


class GraphMachine(RuleBasedStateMachine):
    """Random additions and removals against a plain Python model of what must be there."""

    @initialize()
    def start(self) -> None:
        self.graph = LocalGraph.in_memory()
        self.calls = 0
        self.expected: dict[str, list[tuple[str, Rank]]] = {}
        self.gone: set[str] = set()

    @rule(
        subject=IDS,
        predicate=st.sampled_from(["P1", "P2"]),
        value=VALUES,
        rank=st.sampled_from(Rank),
        source=st.sampled_from(["a", "b"]),
    )
    def add(
        self, subject: str, predicate: str, value: EntityValue, rank: Rank, source: str
    ) -> None:
        self.calls += 1
        call = f"k{self.calls}"
        statement = Statement(subject, predicate, value, rank=rank, source=source)
        added = self.graph.add([statement], fetch(call))
        evidence = self.graph.find(statement.triple)
        assert evidence is not None and evidence.handle not in self.gone
        assert bool(added.evidence) == (evidence.handle not in self.expected)
        self.expected.setdefault(evidence.handle, []).append((call, rank))

    @rule(node=IDS)
    def remove(self, node: str) -> None:
        touching = {
            evidence.handle
            for evidence in self.graph.match(limit=1_000)[0]
            if node in (evidence.triple.subject, getattr(evidence.triple.object, "id", ""))
        }
        removed = set(self.graph.remove_node(node))
        assert removed == touching
        self.gone |= removed
        for handle in removed:
            del self.expected[handle]

    @invariant()
    def the_graph_holds_what_it_was_given(self) -> None:
        if not hasattr(self, "graph"):
            return
        evidence = {item.handle: item for item in self.graph.match(limit=1_000)[0]}
        assert set(evidence) == set(self.expected)
        for handle, item in evidence.items():
            origins = [(origin.call_id, origin.rank) for origin in item.provenance]
            assert origins == self.expected[handle]
            asserted = any(rank is not Rank.DEPRECATED for _, rank in self.expected[handle])
            if item.triple.object != QuantityValue(Decimal(5)):  # said by 5 metres as well
                assert self.graph.contains(item.triple) == asserted
        triples = [(quad.subject, quad.predicate, quad.object) for quad in self.graph.quads()]
        assert len(triples) == len(set(triples)), "a triple stands in two graphs"

    def teardown(self) -> None:
        if hasattr(self, "graph"):
            self.graph.close()


TestGraphMachine = GraphMachine.TestCase
TestGraphMachine.settings = settings(max_examples=25, stateful_step_count=15, deadline=None)


def test_provenance_is_only_what_was_said(graph: LocalGraph) -> None:
    graph.add([CAPITAL], fetch())
    evidence = graph.evidence("T1")
    assert evidence is not None
    assert evidence.provenance == (Provenance("snapshot:x", WHEN, "r1", "k1", "fetch_node"),)


def test_a_kept_fact_takes_little_memory() -> None:
    """A session keeps thousands; what they take beside the RDF is what Python counts."""
    number, taken = 1_000, datetime(2026, 1, 1, tzinfo=timezone.utc)
    with LocalGraph.in_memory() as graph:
        born = [TimeValue(1800 + n % 200, 1 + n % 12, 1 + n % 28) for n in range(number)]
        statements = [
            Statement(f"Q{10_000 + n}", "P569", value, source="snapshot:x", origin="urn:x")
            for n, value in enumerate(born)
        ]
        names = [Entity(f"Q{10_000 + n}", f"Somebody {n}", "a writer") for n in range(number)]
        graph.add(statements[:1], Fetch("r", "c0", "fetch_node", taken), entities=names[:1])
        tracemalloc.start()
        try:
            graph.add(statements, Fetch("r", "c1", "fetch_node", taken), entities=names)
            gc.collect()
            held = tracemalloc.get_traced_memory()[0]
        finally:
            tracemalloc.stop()
        assert graph.edge_count == number
    assert held / number < 2_800
