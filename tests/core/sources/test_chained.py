"""Several sources as one: who is asked for what, and what is said when they disagree."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timezone
from decimal import Decimal
from pathlib import Path

import pyoxigraph as ox
import pytest

from robodata_core.answers.json import answer_to_json
from robodata_core.answers.text import answer_lines
from robodata_core.api import RoboData
from robodata_core.config import load_settings
from robodata_core.errors import ConfigurationError, NotFoundError, SourceRefusedError
from robodata_core.model import (
    AnswerStatus,
    Direction,
    EntityValue,
    MatchKind,
    MonolingualTextValue,
    QuantityValue,
    Statement,
    StringValue,
    TimeValue,
    Value,
)
from robodata_core.sources.base import KnowledgeSource
from robodata_core.sources.chained import ChainedSource, agree, find_conflicts
from robodata_core.sources.snapshot import SnapshotSource, open_snapshot
from robodata_core.sources.snapshot.loading import write_snapshot
from robodata_core.store.graph import Fetch, LocalGraph
from tests.core.fixtures import tiny_snapshot
from tests.core.sources.live import serving, wikidata_at
from tests.faults import FaultyServer

OWN = """
@prefix wd: <http://www.wikidata.org/entity/> .
@prefix wdt: <http://www.wikidata.org/prop/direct/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
wd:Q16 rdfs:label "Canada"@en ; wdt:P1082 "41000000"^^xsd:decimal ; wdt:P36 wd:Q1930 .
wd:Q7 rdfs:label "my own thing"@en ; wdt:P17 wd:Q16 ; wdt:P31 wd:Q515 .
wd:P1082 rdfs:label "population"@en .
"""


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SnapshotSource]:
    folder: Path = tmp_path_factory.mktemp("own") / "own"
    write_snapshot(ox.parse(OWN.encode(), format=ox.RdfFormat.TURTLE), folder, name="own")
    with open_snapshot(folder) as source:
        yield source


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SnapshotSource]:
    with open_snapshot(tiny_snapshot(tmp_path_factory.mktemp("world"))) as source:
        yield source


@pytest.fixture
def server(world: SnapshotSource) -> Iterator[FaultyServer]:
    with serving(world) as running:
        yield running


@pytest.fixture
def chain(own: SnapshotSource, server: FaultyServer) -> ChainedSource:
    return ChainedSource([own, wikidata_at(server)])


@pytest.fixture
def merging(own: SnapshotSource, server: FaultyServer) -> ChainedSource:
    return ChainedSource([own, wikidata_at(server)], merge=True)


def population(statements: tuple[Statement, ...]) -> dict[str, Decimal]:
    return {s.source: s.value.amount for s in statements if isinstance(s.value, QuantityValue)}


def test_it_is_a_knowledge_source(chain: ChainedSource) -> None:
    assert isinstance(chain, KnowledgeSource)
    assert chain.name == "snapshot:own+wikidata"
    with pytest.raises(ConfigurationError):
        ChainedSource([])


def test_what_the_first_knows_needs_no_request(chain: ChainedSource, server: FaultyServer) -> None:
    assert chain.entity("Q7").label == "my own thing"
    assert chain.search("my own thing")[0].id == "Q7"
    assert population(chain.statements("Q16", property="P1082").statements) == {
        "snapshot:own": Decimal(41_000_000)
    }
    assert chain.relations(["Q7"], direction=Direction.OUT)
    assert chain.sparql("ASK { wd:Q7 wdt:P17 wd:Q16 }").boolean is True
    assert server.requests == []


def test_what_the_first_lacks_comes_from_the_next(chain: ChainedSource) -> None:
    assert chain.entity("Q42").label == "Douglas Adams"
    assert chain.search("Douglas Adams")[0].match is MatchKind.LABEL
    assert chain.property("P26").label == "spouse"
    page = chain.statements("Q42", property="P31")
    assert [(s.value, s.source) for s in page.statements] == [(EntityValue("Q5"), "wikidata")]
    assert chain.sparql("SELECT ?x WHERE { wd:Q42 wdt:P26 ?x }").rows
    assert chain.sparql("SELECT (COUNT(*) AS ?n) WHERE { wd:Q42 wdt:P26 ?x }").rows != ()
    with pytest.raises(NotFoundError):
        chain.entity("Q123456789")
    with pytest.raises(NotFoundError):
        chain.property("P123456789")


def test_many_are_split_by_who_knows_them(chain: ChainedSource, server: FaultyServer) -> None:
    found = chain.entities(["Q7", "Q42", "Q16", "Q99999"])
    assert {id_: item.label for id_, item in found.items()} == {
        "Q7": "my own thing",
        "Q42": "Douglas Adams",
        "Q16": "Canada",
    }
    pages = chain.statements_many(["Q7", "Q42"], property="P31")
    assert [pages[id_].statements[0].source for id_ in ("Q7", "Q42")] == [
        "snapshot:own",
        "wikidata",
    ]
    assert all("Q7%7C" not in request for request in server.requests)


def test_a_name_is_taken_from_where_there_is_one(chain: ChainedSource) -> None:
    assert chain.property("P36").label == "capital"
    assert {item.id: item.label for item in chain.all_properties()}["P36"] == "capital"
    with LocalGraph.in_memory() as graph:
        answer = RoboData(load_settings(), chain, graph).ask("What is the capital of Canada?")
    assert answer.status is AnswerStatus.ANSWERED
    assert answer.claims[0].support.evidence[0].provenance[0].source == "snapshot:own"


def test_names_are_looked_up_where_they_are(chain: ChainedSource) -> None:
    found = chain.lookup_names(["Canada", "Douglas Adams", "Nobody"])
    assert found.keys() == {"Canada", "Douglas Adams"}
    assert {item.id for item in chain.all_properties()} >= {"P1082", "P36", "P31"}


def test_with_merge_both_are_quoted_and_the_conflict_is_kept(merging: ChainedSource) -> None:
    page = merging.statements("Q16", property="P1082")
    assert population(page.statements) == {
        "snapshot:own": Decimal(41_000_000),
        "wikidata": Decimal(40_000_000),
    }
    assert page.total == 2
    (conflict,) = find_conflicts(merging.heard_about("Q16", "P1082"))
    assert (conflict.subject, conflict.property) == ("Q16", "P1082")
    assert {item.source for item in conflict.statements} == {"snapshot:own", "wikidata"}


def test_agreement_is_listed_once_and_is_no_conflict(merging: ChainedSource) -> None:
    page = merging.statements("Q16", property="P36")
    assert [(s.value, s.source) for s in page.statements] == [
        (EntityValue("Q1930"), "snapshot:own")
    ]
    assert find_conflicts(merging.heard_about("Q16", "P36")) == ()


def test_incoming_statements_of_both(merging: ChainedSource) -> None:
    page = merging.statements("Q16", direction=Direction.IN, property="P17")
    assert {s.subject for s in page.statements} == {"Q7", "Q1930", "Q172"}
    few = merging.statements("Q16", direction=Direction.IN, property="P17", limit=1, offset=1)
    assert (len(few.statements), few.total) == (1, 3)


def test_a_remote_that_fails_is_passed_over_where_the_first_answers(
    own: SnapshotSource, world: SnapshotSource
) -> None:
    with serving(world, "500") as broken:
        for merge in (False, True):
            chain = ChainedSource([own, wikidata_at(broken)], merge=merge)
            assert population(chain.statements("Q16", property="P1082").statements) == {
                "snapshot:own": Decimal(41_000_000)
            }
            assert chain.entity("Q7").label == "my own thing"


def test_nothing_found_is_not_said_while_a_source_was_not_heard(
    own: SnapshotSource, world: SnapshotSource
) -> None:
    with serving(world, "500") as broken:
        chain = ChainedSource([own, wikidata_at(broken)])
        for ask in (
            lambda: chain.entity("Q42"),
            lambda: chain.search("Douglas Adams"),
            lambda: chain.statements("Q42"),
            lambda: chain.statements_many(["Q42"]),
            lambda: chain.relations(["Q42"]),
            lambda: chain.sparql("ASK { wd:Q42 ?p ?o }"),
        ):
            with pytest.raises(SourceRefusedError):
                ask()


def test_conflicts_need_two_sources_and_nothing_in_common() -> None:
    def said(source: str, *values: str) -> list[Statement]:
        return [Statement("Q1", "P1", EntityValue(v), source=source) for v in values]

    assert find_conflicts(said("a", "Q2", "Q3")) == ()
    assert find_conflicts(said("a", "Q2") + said("b", "Q2", "Q3")) == ()
    (conflict,) = find_conflicts(said("a", "Q2") + said("b", "Q3"))
    assert len(conflict.statements) == 2


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (TimeValue(1952, precision=9), TimeValue(1952, 3, 11, precision=11), True),
        (TimeValue(1952, 3, precision=10), TimeValue(1952, 4, 1, precision=11), False),
        (TimeValue(1950, precision=8), TimeValue(1952, precision=9), True),
        (TimeValue(1952, precision=9), TimeValue(1953, precision=9), False),
        (QuantityValue(Decimal(5), "Q11573"), QuantityValue(Decimal("5.0")), True),
        (QuantityValue(Decimal(5), "Q11573"), QuantityValue(Decimal(5), "Q174728"), False),
        (MonolingualTextValue("Ottawa", "en"), StringValue("ottawa"), True),
        (StringValue(""), StringValue(" "), False),
        (EntityValue("Q1"), StringValue("Q1"), False),
    ],
)
def test_values_agree_as_far_as_both_say_anything(one: Value, other: Value, same: bool) -> None:
    assert agree(one, other) is agree(other, one) is same
    said = [Statement("Q1", "P1", v, source=s) for v, s in ((one, "a"), (other, "b"))]
    assert bool(find_conflicts(said)) is not same


def test_a_part_of_a_list_contradicts_nothing(chain: ChainedSource, world: SnapshotSource) -> None:
    chain = ChainedSource([world, world], merge=True)
    chain.statements("Q42", limit=1)
    chain.statements("Q16", direction=Direction.IN)
    assert find_conflicts(chain.heard_about("Q42", "P19")) == ()


POPULATION = "What is the population of Canada?"
DIFFERENCE = "Sources differ about population of Canada: "


def test_the_answer_shows_that_sources_differ(merging: ChainedSource) -> None:
    with LocalGraph.in_memory() as graph:
        answer = RoboData(load_settings(), merging, graph).ask(POPULATION)
    (note,) = (note for note in answer.notes if note.startswith(DIFFERENCE))
    assert "snapshot:own says 41,000,000; wikidata says 40,000,000" in note
    assert note in answer_to_json(answer)["notes"]
    assert note in [line for _, line in answer_lines(answer)]
    assert {(one.source, one.text) for one in answer.said if one.text} == {
        ("snapshot:own", "41,000,000"),
        ("wikidata", "40,000,000"),
    }


def test_a_graph_that_two_sources_filled_shows_it_too(
    own: SnapshotSource, world: SnapshotSource
) -> None:
    with LocalGraph.in_memory() as graph:
        first = RoboData(load_settings(), own, graph).ask(POPULATION)
        assert not any(note.startswith(DIFFERENCE) for note in first.notes)
        statement = Statement("Q16", "P1082", QuantityValue(Decimal(40_000_000)), source="other")
        graph.add([statement], Fetch("r", "k", "t", datetime(2026, 1, 2, tzinfo=timezone.utc)))
        second = RoboData(load_settings(), own, graph).ask(POPULATION)
    assert any(note.startswith(DIFFERENCE) for note in second.notes)


def test_snapshots_are_asked_whether_they_differ(
    own: SnapshotSource, world: SnapshotSource
) -> None:
    with LocalGraph.in_memory() as graph:
        answer = RoboData(load_settings(), ChainedSource([own, world]), graph).ask(POPULATION)
    (note,) = (note for note in answer.notes if note.startswith(DIFFERENCE))
    assert "snapshot:own says 41,000,000;" in note and "says 40,000,000" in note


def test_agreeing_sources_are_not_mentioned(merging: ChainedSource) -> None:
    with LocalGraph.in_memory() as graph:
        answer = RoboData(load_settings(), merging, graph).ask("What is the capital of Canada?")
    assert answer.status is AnswerStatus.ANSWERED
    assert not any("differ" in note for note in answer.notes)


@pytest.fixture(scope="module")
def home() -> Iterator[ChainedSource]:
    with ChainedSource([open_snapshot("world"), open_snapshot("household")]) as source:
        yield source


def test_snapshots_are_all_asked_for_a_name(home: ChainedSource) -> None:
    names = [hit.id for hit in home.lookup_names(["milk"])["milk"]]
    assert names[0] == "Q8495"
    assert "urn:robodata:household:milk.n.01" in names
    assert set(names) <= {hit.id for hit in home.search("milk", limit=20)}


def test_snapshots_are_all_asked_for_relations(home: ChainedSource) -> None:
    both = {(item.property, item.direction) for item in home.relations(["Q57216"])}
    each = [
        {(item.property, item.direction) for item in source.relations(["Q57216"])}
        for source in home.sources
    ]
    assert both == each[0] | each[1]


@pytest.mark.parametrize("names", [("world", "household"), ("household", "world")])
def test_snapshots_are_all_asked_for_facts_in_either_order(names: tuple[str, str]) -> None:
    plate = "Q57216"
    with ChainedSource([open_snapshot(name) for name in names]) as chain:
        each = [source.relations([plate]) for source in chain.sources]
        both = {(item.property, item.direction) for counts in each for item in counts}
        (around,) = chain.relations_each([plate]).values()
        assert {(item.property, item.direction) for item in around} == both
        for edge in both:
            name, way = edge
            pages = [
                source.statements(plate, property=name, direction=way, limit=1_000)
                for source in chain.sources
            ]
            facts = {item.triple for page in pages for item in page.statements}
            page = chain.statements(plate, property=name, direction=way, limit=1_000)
            assert {item.triple for item in page.statements} == facts
            assert page.total == len(facts)
            along = chain.statements_along([plate], [edge], limit=1_000)
            assert along[edge][plate].statements == page.statements
            many = chain.statements_many([plate], property=name, direction=way, limit=1_000)
            assert many[plate].statements == page.statements


def test_where_each_snapshot_has_one_value_the_first_ones_stands(
    own: SnapshotSource, world: SnapshotSource
) -> None:
    for first, second in ((own, world), (world, own)):
        chain = ChainedSource([first, second])
        mine = first.statements("Q16", property="P1082")
        assert mine.total == second.statements("Q16", property="P1082").total == 1
        assert chain.statements("Q16", property="P1082") == mine
        assert len(chain.heard_about("Q16", "P1082")) == 2


def test_relations_go_by_the_names_they_have_in_any_snapshot(home: ChainedSource) -> None:
    known = {item.id: item for item in home.all_properties()}
    assert known["P276"].label == "location"
    assert {"stands in", "where it goes"} <= set(known["P276"].aliases)


def test_what_only_the_second_snapshot_states_is_answered() -> None:
    with RoboData.open(source="snapshot:world,snapshot:household") as robodata:
        answer = robodata.ask("Where does milk belong?")
        breaks = robodata.ask("Is a wine glass breakable?")
    assert answer.status is AnswerStatus.ANSWERED
    assert [item.value for item in breaks.results] == [True]
