"""Several sources as one: who is asked for what, and what is said when they disagree."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pyoxigraph as ox
import pytest

from robodata_core.errors import ConfigurationError, NotFoundError, SourceRefusedError
from robodata_core.model import Direction, EntityValue, MatchKind, QuantityValue, Statement
from robodata_core.serve.server import WikibaseServer
from robodata_core.sources._loader import write_snapshot
from robodata_core.sources.base import KnowledgeSource
from robodata_core.sources.chained import ChainedSource, find_conflicts
from robodata_core.sources.snapshot import SnapshotSource, open_snapshot
from tests.core.fixtures import tiny_snapshot
from tests.core.sources.live import serving, wikidata_at

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
def server(world: SnapshotSource) -> Iterator[WikibaseServer]:
    with serving(world) as running:
        yield running


@pytest.fixture
def chain(own: SnapshotSource, server: WikibaseServer) -> ChainedSource:
    return ChainedSource([own, wikidata_at(server)])


@pytest.fixture
def merging(own: SnapshotSource, server: WikibaseServer) -> ChainedSource:
    return ChainedSource([own, wikidata_at(server)], merge=True)


def population(statements: tuple[Statement, ...]) -> dict[str, Decimal]:
    return {s.source: s.value.amount for s in statements if isinstance(s.value, QuantityValue)}


def test_it_is_a_knowledge_source(chain: ChainedSource) -> None:
    assert isinstance(chain, KnowledgeSource)
    assert chain.name == "snapshot:own+wikidata"
    with pytest.raises(ConfigurationError):
        ChainedSource([])


def test_what_the_first_knows_needs_no_request(
    chain: ChainedSource, server: WikibaseServer
) -> None:
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


def test_many_are_split_by_who_knows_them(chain: ChainedSource, server: WikibaseServer) -> None:
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


def test_names_are_looked_up_where_they_are(chain: ChainedSource) -> None:
    found = chain.lookup_names(["Canada", "Douglas Adams", "Nobody"])
    assert found.keys() == {"Canada", "Douglas Adams"}
    assert {item.id for item in chain.all_properties()} >= {"P1082", "P36", "P31"}


class Heard(logging.Handler):
    """Keeps messages; works whether or not the logger propagates."""

    def __init__(self) -> None:
        super().__init__()
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())


def test_with_merge_both_are_quoted_and_the_conflict_is_kept(merging: ChainedSource) -> None:
    heard = Heard()
    logging.getLogger("robodata.chained").addHandler(heard)
    try:
        page = merging.statements("Q16", property="P1082")
    finally:
        logging.getLogger("robodata.chained").removeHandler(heard)
    assert population(page.statements) == {
        "snapshot:own": Decimal(41_000_000),
        "wikidata": Decimal(40_000_000),
    }
    assert page.total == 2
    (conflict,) = merging.conflicts
    assert (conflict.subject, conflict.property) == ("Q16", "P1082")
    assert {item.source for item in conflict.statements} == {"snapshot:own", "wikidata"}
    assert heard.messages == ["snapshot:own and wikidata disagree about P1082 of Q16"]


def test_agreement_is_listed_once_and_is_no_conflict(merging: ChainedSource) -> None:
    page = merging.statements("Q16", property="P36")
    assert [(s.value, s.source) for s in page.statements] == [
        (EntityValue("Q1930"), "snapshot:own")
    ]
    assert merging.conflicts == ()


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
