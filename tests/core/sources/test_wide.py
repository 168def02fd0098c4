"""Many relations asked about at once: the same answers as one by one, in fewer requests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyoxigraph as ox
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from robodata_core.api import RoboData
from robodata_core.config import load_settings
from robodata_core.events import ToolCalled, ToolReturned
from robodata_core.metacognition.observer import read_signals
from robodata_core.model import Direction, Statement, StatementPage
from robodata_core.policy.offline.reading import Reader
from robodata_core.run_state import RunState, apply
from robodata_core.sources.base import KnowledgeSource
from robodata_core.sources.capabilities import WideSource, wide_form
from robodata_core.sources.chained import ChainedSource
from robodata_core.sources.open import open_source
from robodata_core.sources.snapshot import SnapshotSource, open_snapshot
from robodata_core.sources.snapshot.loading import write_snapshot
from robodata_core.sources.sparql import SparqlEndpoint, SparqlSource
from robodata_core.store.graph import LocalGraph
from tests.core.sources.live import quick_client, serving, wikidata_at
from tests.faults import FaultyServer

CLASSES = ("Q1", "Q2", "Q3", "Q4")  # each a subclass of the next; Q4 and Q5 of one another
THINGS = tuple(f"Q{number}" for number in range(10, 40))
HUB = "Q900"  # more point to it than are read with others
CROWD = 700
PROPERTIES = ("P31", "P279", "P17", "P569", "P7")
EDGES = tuple((name, way) for name in PROPERTIES for way in Direction)
KINDS = ("wikidata", "sparql", "chain")


def _lines() -> Iterator[str]:
    for prefix, space in (
        ("wd", "http://www.wikidata.org/entity/"),
        ("wdt", "http://www.wikidata.org/prop/direct/"),
        ("wikibase", "http://wikiba.se/ontology#"),
        ("rdfs", "http://www.w3.org/2000/01/rdf-schema#"),
        ("xsd", "http://www.w3.org/2001/XMLSchema#"),
    ):
        yield f"@prefix {prefix}: <{space}> ."
    for name in PROPERTIES:
        kind = "Time" if name == "P569" else "WikibaseItem"
        yield (
            f'wd:{name} a wikibase:Property ; rdfs:label "relation {name}"@en ; '
            f"wikibase:propertyType wikibase:{kind} ."
        )
    for low, high in zip((*CLASSES, "Q5"), (*CLASSES[1:], "Q5", "Q4"), strict=True):
        yield f'wd:{low} rdfs:label "class {low}"@en ; wdt:P279 wd:{high} .'
    for number, id_ in enumerate(THINGS):
        yield f'wd:{id_} rdfs:label "thing {number}"@en ; wdt:P31 wd:{CLASSES[number % 4]} .'
        yield f"wd:{id_} wdt:P7 wd:{THINGS[number // 2]} , wd:{THINGS[number // 3]} ."
        if number % 3 == 0:
            yield f'wd:{id_} wdt:P569 "19{10 + number}-01-01T00:00:00Z"^^xsd:dateTime .'
    yield f'wd:{HUB} rdfs:label "hub"@en .'
    for number in range(CROWD):
        yield f'wd:Q{5_000 + number} rdfs:label "one of many"@en ; wdt:P17 wd:{HUB} .'


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SnapshotSource]:
    folder: Path = tmp_path_factory.mktemp("wide") / "wide"
    triples = ox.parse("\n".join(_lines()).encode(), format=ox.RdfFormat.TURTLE)
    write_snapshot(triples, folder, name="wide")
    with open_snapshot(folder) as source:
        yield source


@pytest.fixture(scope="module")
def part(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SnapshotSource]:
    """A few of the same things, with a fact of their own."""
    folder: Path = tmp_path_factory.mktemp("part") / "part"
    lines = [line for line in _lines() if line.startswith("@prefix")]
    lines += ["wd:Q10 wdt:P31 wd:Q3 .", "wd:Q700 wdt:P7 wd:Q11 .", "wd:Q11 wdt:P17 wd:Q12 ."]
    triples = ox.parse("\n".join(lines).encode(), format=ox.RdfFormat.TURTLE)
    write_snapshot(triples, folder, name="part")
    with open_snapshot(folder) as source:
        yield source


@pytest.fixture(scope="module")
def server(snapshot: SnapshotSource) -> Iterator[FaultyServer]:
    with serving(snapshot) as running:
        yield running


@contextmanager
def source_of(
    kind: str, server: FaultyServer, part: SnapshotSource
) -> Iterator[tuple[KnowledgeSource, WideSource]]:
    """Yield a source that has read nothing yet, in both its forms."""
    client = quick_client()
    source: KnowledgeSource = wikidata_at(server, client=client)
    if kind == "sparql":
        source = SparqlSource(client, SparqlEndpoint(client, server.sparql_url), name="sparql:x")
    elif kind == "chain":
        source = ChainedSource([part, source])
    wide = wide_form(source)
    assert wide is not None
    yield source, wide
    client.close()


def facts(page: StatementPage) -> tuple[set[object], int]:
    """What a page says, whatever is known of how it came about."""
    return {statement.triple for statement in page.statements}, page.total


def test_what_is_close_at_hand_is_not_asked_ahead(snapshot: SnapshotSource) -> None:
    assert wide_form(snapshot) is None
    assert wide_form(ChainedSource([snapshot, snapshot])) is None


def test_a_chain_that_merges_is_asked_one_by_one(
    server: FaultyServer, part: SnapshotSource
) -> None:
    assert wide_form(ChainedSource([part, wikidata_at(server)], merge=True)) is None


@pytest.mark.parametrize("kind", KINDS)
@settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    ids=st.lists(st.sampled_from((*THINGS, *CLASSES, HUB, "Q404", "P31")), max_size=12),
    edges=st.lists(st.sampled_from(EDGES), max_size=6),
)
def test_many_edges_give_what_each_gives(
    server: FaultyServer,
    part: SnapshotSource,
    kind: str,
    ids: Sequence[str],
    edges: Sequence[tuple[str, Direction]],
) -> None:
    with source_of(kind, server, part) as (_, wide), source_of(kind, server, part) as (single, _):
        together = wide.statements_along(ids, edges, limit=400)
        assert set(together) <= set(edges)
        for (name, way), pages in together.items():
            alone = single.statements_many(ids, direction=way, property=name, limit=400)
            assert set(pages) <= set(ids)
            for id_, page in pages.items():
                assert facts(page) == facts(alone[id_]), (name, way, id_)
        for id_, counts in wide.relations_each(ids).items():
            assert set(counts) == set(single.relations([id_])), id_


@pytest.mark.parametrize("kind", KINDS)
def test_all_relations_of_things_come_in_two_requests(
    server: FaultyServer, part: SnapshotSource, kind: str
) -> None:
    with source_of(kind, server, part) as (source, wide):
        source.properties(PROPERTIES)
        before = len(server.requests)
        found = wide.statements_along(THINGS[:20], EDGES, limit=400)
        # Documents tell what leads away, and one query what leads there.
        assert len(server.requests) - before <= 2, server.requests[before:]
        assert {edge for edge, pages in found.items() if len(pages) == 20} == set(EDGES)


@pytest.mark.parametrize("kind", ["wikidata", "sparql"])
def test_too_much_is_left_out_and_spoils_nothing_else(
    server: FaultyServer, part: SnapshotSource, kind: str
) -> None:
    with source_of(kind, server, part) as (source, wide):
        edges = (("P17", Direction.IN), ("P7", Direction.IN))
        found = wide.statements_along([HUB, "Q10"], edges, limit=400)
        assert HUB not in found[edges[0]] and set(found[edges[1]]) == {HUB, "Q10"}
        page = source.statements(HUB, direction=Direction.IN, property="P17", limit=400)
        assert (len(page.statements), page.total) == (400, CROWD)


@pytest.mark.parametrize("kind", ["wikidata", "sparql"])
def test_what_was_counted_is_not_asked_again(
    server: FaultyServer, part: SnapshotSource, kind: str
) -> None:
    with source_of(kind, server, part) as (source, wide):
        wide.relations_each([HUB, "Q10"])
        before = len(server.requests)
        assert source.relations([HUB]) == source.relations([HUB])
        found = wide.statements_along([HUB], [("P7", Direction.IN), ("P31", Direction.IN)])
        assert [page.total for pages in found.values() for page in pages.values()] == [0, 0]
        assert len(server.requests) == before
        # How many point to the hub is known, so only the first of them are read.
        page = source.statements(HUB, direction=Direction.IN, property="P17", limit=10)
        assert (page.total, len(server.requests) - before) == (CROWD, 1)


@pytest.mark.parametrize("kind", ["wikidata", "sparql"])
def test_all_that_is_above_a_class(server: FaultyServer, part: SnapshotSource, kind: str) -> None:
    with source_of(kind, server, part) as (source, wide):
        before = len(server.requests)
        found = wide.statements_above(["Q1", "Q10"], "P279")
        assert len(server.requests) - before == 1
        assert set(found) == {*CLASSES, "Q5", "Q10"}
        for id_, page in found.items():
            assert facts(page) == facts(source.statements(id_, property="P279"))


def test_chained_facts_keep_the_order_of_preference(
    server: FaultyServer, part: SnapshotSource
) -> None:
    with source_of("chain", server, part) as (_, wide):
        found = wide.statements_along(["Q10", "Q11"], [("P31", Direction.OUT)])
        statements: list[Statement] = [
            statement
            for page in found["P31", Direction.OUT].values()
            for statement in page.statements
        ]
        assert [(s.subject, s.source) for s in statements] == [
            ("Q10", part.name),
            ("Q11", "wikidata"),
        ]


@pytest.mark.parametrize("kind", KINDS)
def test_a_hierarchy_is_climbed_by_all_classes_together(
    server: FaultyServer, part: SnapshotSource, kind: str
) -> None:
    with source_of(kind, server, part) as (source, _):
        reader = Reader(source, ("P279",))
        before = len(server.requests)
        reader.superclasses_ahead(CLASSES)
        assert reader.superclasses("Q1") == {*CLASSES, "Q5"}
        assert reader.superclasses("Q3") == {"Q3", "Q4", "Q5"}
        # One query at one source; in a chain one request for the four and one for what is above.
        assert len(server.requests) - before <= (2 if kind == "chain" else 1)


# -- whole runs ---------------------------------------------------------------------------------

QUESTIONS = (
    "Who wrote The Hitchhiker's Guide to the Galaxy?",
    "Who is the grandmother of Christopher Lawford?",
    "How many children does Constantine the Great have?",
    "Is Ottawa the capital of Canada?",
    "Who influenced Friedrich Nietzsche except Plato?",
    "Who is older, Olof Palme or Douglas Adams?",
    "When was Douglas Adams born?",
)
#: Two of them where kin is told by its sex, which is looked up.
MOST_REQUESTS = 12


@pytest.fixture(scope="module")
def sample() -> Iterator[tuple[KnowledgeSource, FaultyServer]]:
    source = open_source(load_settings())
    with serving(source) as running:
        yield source, running
    source.close()


@pytest.mark.parametrize("question", QUESTIONS)
def test_ordinary_questions_need_few_requests(
    sample: tuple[KnowledgeSource, FaultyServer], question: str
) -> None:
    near, running = sample
    before = len(running.requests)
    with LocalGraph.in_memory() as graph:
        live = RoboData(load_settings(), wikidata_at(running), graph).ask(question)
    assert len(running.requests) - before <= MOST_REQUESTS, running.requests[before:]
    with LocalGraph.in_memory() as graph:
        same = RoboData(load_settings(), near, graph).ask(question)
    assert live.status is same.status
    assert set(live.results) == set(same.results)


def test_a_search_for_a_name_looked_up_before_is_told_to_be_from_memory(
    sample: tuple[KnowledgeSource, FaultyServer],
) -> None:
    _, running = sample
    before = len(running.requests)
    with LocalGraph.in_memory() as graph:
        robo = RoboData(load_settings(), wikidata_at(running), graph)
        events = list(robo.stream("Is Ottawa the capital of Canada?"))
    calls = {e.call_id: e for e in events if isinstance(e, ToolCalled)}
    searched = {
        calls[e.call_id].arguments["text"]: e
        for e in events
        if isinstance(e, ToolReturned) and e.tool == "search_entities"
    }
    assert set(searched) >= {"Ottawa", "Canada"}
    for event in searched.values():
        assert event.ok and event.repeated and "looked up before" in event.text
    assert "Canada (Q16)" in searched["Canada"].text
    # None of them was made before in this run: nothing goes round in circles.
    state = RunState()
    for told in events:
        state = apply(state, told)
    with LocalGraph.in_memory() as graph:
        assert state.repeated_calls >= len(searched)
        assert read_signals(state, graph).repeated_calls == 0
    assert not any("wbsearchentities" in request for request in running.requests[before:])
