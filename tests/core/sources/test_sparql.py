"""The SPARQL source over two servers by other people, and its failures over our own."""

from __future__ import annotations

import base64
from collections.abc import Iterator

import pytest

from robodata_core.errors import (
    NotFoundError,
    QueryRefusedError,
    QuerySyntaxError,
    SourceRefusedError,
)
from robodata_core.model import Direction, EntityKind, EntityValue, MatchKind, StringValue
from robodata_core.outgoing import listening
from robodata_core.sources.base import KnowledgeSource, QueryLimits
from robodata_core.sources.http import HttpClient
from robodata_core.sources.snapshot import SnapshotSource, open_snapshot
from robodata_core.sources.sparql import (
    Remembering,
    SparqlEndpoint,
    SparqlSource,
    Vocabulary,
)
from tests.core.fixtures import tiny_snapshot
from tests.core.sources.live import quick_client, serving
from tests.core.sources.servers import SERVERS, serve_tiny

HOME = "http://example.org/home#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SnapshotSource]:
    with open_snapshot(tiny_snapshot(tmp_path_factory.mktemp("sparql"))) as source:
        yield source


@pytest.fixture(scope="module", params=SERVERS)
def url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serve_tiny(request.param, tmp_path_factory.mktemp("server")) as address:
        yield address


def source_at(url: str, client: HttpClient | None = None, **more: object) -> SparqlSource:
    client = client or HttpClient()
    return SparqlSource(client, SparqlEndpoint(client, url), name="sparql:test", **more)  # type: ignore[arg-type]


@pytest.fixture
def source(url: str) -> Iterator[SparqlSource]:
    opened = source_at(url)
    yield opened
    opened.close()


def test_it_is_a_knowledge_source(source: SparqlSource) -> None:
    assert isinstance(source, KnowledgeSource)


def test_a_request_tells_what_is_asked_and_not_how_names_are_shortened(
    snapshot: SnapshotSource,
) -> None:
    told: list[str] = []
    with serving(snapshot) as server:
        endpoint = SparqlEndpoint(quick_client(), server.sparql_url)
        query = "BASE <http://e.org/>\nprefix ex: <http://e.org/a>\nASK {\n  ?s ex:b ?o }"
        with listening(lambda now: told.append(now.what)):
            endpoint.query(query)
    assert set(told) == {"POST /sparql ASK { ?s ex:b ?o }"}


@pytest.mark.parametrize(
    ("text", "id_", "match"),
    [
        ("Canada", "Q16", MatchKind.LABEL),
        ("canada", "Q16", MatchKind.LABEL),
        ("DNA", "Q42", MatchKind.ALIAS),
        ("canad", "Q16", MatchKind.PREFIX),
        ("kitchen table", HOME + "table_1", MatchKind.LABEL),
        ("table", HOME + "table_1", MatchKind.WORDS),
        ("designed container", HOME + "DesignedContainer", MatchKind.LABEL),
        ("Q42", "Q42", MatchKind.ID),
        (HOME + "Cup", HOME + "Cup", MatchKind.ID),
    ],
)
def test_search(source: SparqlSource, text: str, id_: str, match: MatchKind) -> None:
    hit = source.search(text)[0]
    assert (hit.id, hit.match) == (id_, match)


def test_search_for_properties_and_for_nothing(source: SparqlSource) -> None:
    hits = source.search("capital", kind=EntityKind.PROPERTY)
    assert [hit.id for hit in hits] == ["P36"]
    assert "P36" not in [hit.id for hit in source.search("capital")]
    assert source.search('no "such" \\ thing') == ()
    assert source.search("") == ()
    assert [hit.id for hit in source.search("Douglas Adams", limit=1)] in (["Q42"], ["Q21454969"])


@pytest.mark.parametrize("id_", ["Q16", "Q42", "Q1930", HOME + "cup_1"])
def test_statements_are_the_triples_of_the_snapshot(
    source: SparqlSource, snapshot: SnapshotSource, id_: str
) -> None:
    def plain(from_: KnowledgeSource, direction: Direction) -> set[tuple[str, str, str]]:
        found = from_.statements(id_, direction=direction).statements
        return {(s.subject, s.property, type(s.value).__name__) for s in found if s.value}

    theirs, ours = (plain(one, Direction.IN) for one in (snapshot, source))
    assert ours == theirs
    kinds = ("UrlValue", "ExternalIdValue", "EntityValue", "StringValue")
    there = {item[:2] for item in plain(snapshot, Direction.OUT)}
    assert {item[:2] for item in plain(source, Direction.OUT)} == there
    assert {item[2] for item in plain(source, Direction.OUT)} - set(kinds) == {
        item[2] for item in plain(snapshot, Direction.OUT)
    } - set(kinds)


def test_paging_is_stable(source: SparqlSource) -> None:
    whole = source.statements("Q42")
    pages = [source.statements("Q42", limit=2, offset=at) for at in range(0, whole.total, 2)]
    assert [s for page in pages for s in page.statements] == list(whole.statements)
    assert {page.total for page in pages} == {whole.total}


def test_more_than_a_page_is_read_in_pages(url: str) -> None:
    source = source_at(url, page=4)
    pages = source.statements_many(["Q42", "Q16", "Q1930", "Q172"], limit=3)
    full = source_at(url).statements_many(["Q42", "Q16", "Q1930", "Q172"], limit=3)
    assert {id_: page.total for id_, page in pages.items()} == {
        id_: page.total for id_, page in full.items()
    }
    assert {len(page.statements) for page in pages.values()} <= {2, 3}


def test_entities(source: SparqlSource) -> None:
    adams = source.entity("Q42")
    assert adams.label == "Douglas Adams"
    assert set(adams.aliases) == {"DNA", "Douglas Noël Adams"}
    assert adams.types == ("Q5",)
    container = source.entity(HOME + "DesignedContainer")
    assert container.label == "Designed Container"
    assert container.description == "Something made to hold things."
    assert set(source.entities(["Q16", "Q999", HOME + "Cup"])) == {"Q16", HOME + "Cup"}
    with pytest.raises(NotFoundError):
        source.entity("Q999")


def test_properties(source: SparqlSource) -> None:
    assert source.property("P36").aliases == ("capital city",)
    assert source.property(HOME + "hasColor").label == "has Color"
    with pytest.raises(NotFoundError):
        source.property("P999")
    uses = {item.id: item.uses for item in source.all_properties()}
    assert uses["P31"] == 7
    assert RDFS + "label" not in uses


def test_relations(source: SparqlSource) -> None:
    counts = {(r.property, r.direction): r.count for r in source.relations(["Q16"])}
    assert counts["P17", Direction.IN] == 2
    assert counts["P36", Direction.OUT] == 1
    assert not any(name.startswith(RDFS) for name, _ in counts)
    assert all(
        r.direction is Direction.IN for r in source.relations(["Q5"], direction=Direction.IN)
    )


def test_queries(source: SparqlSource) -> None:
    assert source.sparql("ASK { wd:Q16 wdt:P36 wd:Q1930 }").boolean is True
    limited = source.sparql("SELECT * WHERE { ?s ?p ?o }", limits=QueryLimits(rows=3))
    assert len(limited.rows) == 3
    assert limited.truncated
    (triple,) = source.sparql("CONSTRUCT WHERE { wd:Q16 wdt:P36 ?x }").triples
    assert triple.object == EntityValue("Q1930")
    with pytest.raises(QueryRefusedError):
        source.sparql("DELETE WHERE { ?s ?p ?o }")
    with pytest.raises(QuerySyntaxError):
        source.sparql("SELECT nonsense")


def test_other_predicates_for_names(url: str) -> None:
    vocabulary = Vocabulary(
        labels=(HOME + "hasColor",), descriptions=(RDFS + "label",), aliases=(), types=()
    )
    source = source_at(url, vocabulary=vocabulary)
    cup = source.entity(HOME + "cup_1")
    assert (cup.label, cup.description, cup.types) == ("blue", "blue cup", ())
    assert source.search("blue")[0].id == HOME + "cup_1"


def test_named_graphs_are_asked_for(snapshot: SnapshotSource) -> None:
    with serving(snapshot) as server:
        client = quick_client()
        graphs = ("http://example.org/a", "http://example.org/b")
        endpoint = SparqlEndpoint(client, server.sparql_url, default_graphs=graphs)
        endpoint.query("ASK { ?s ?p ?o }")
        assert server.bodies[-1].count("default-graph-uri=") == 2


# -- credentials ------------------------------------------------------------------------------


def test_credentials(snapshot: SnapshotSource) -> None:
    basic = "Basic " + base64.b64encode(b"me:secret").decode()
    for wanted in (basic, "Bearer t0k3n"):
        with serving(snapshot, authorization=wanted) as server:
            with pytest.raises(SourceRefusedError, match="denies access"):
                source_at(server.sparql_url, quick_client()).entity("Q42")
            client = quick_client(headers={"Authorization": wanted})
            assert source_at(server.sparql_url, client).entity("Q42").label == "Douglas Adams"


def test_values_are_plain_where_the_graph_is_plain(source: SparqlSource) -> None:
    (color,) = source.statements(HOME + "cup_1", property=HOME + "hasColor").statements
    assert color.value == StringValue("blue")
    assert color.source == "sparql:test"


def test_the_same_query_is_asked_once_until_its_answer_is_old(snapshot: SnapshotSource) -> None:
    now = [0.0]
    with serving(snapshot) as server:
        endpoint = SparqlEndpoint(quick_client(), server.sparql_url)
        kept = Remembering(endpoint, seconds=60.0, now=lambda: now[0])
        for moment, asked in ((0.0, 1), (59.0, 1), (61.0, 2), (62.0, 2)):
            now[0] = moment
            assert kept.query("ASK { ?s ?p ?o }").boolean is True
            assert len(server.requests) == asked
        kept.query("ASK { ?s ?p ?o }", limits=QueryLimits(rows=7))
        assert len(server.requests) == 3


def test_failures_are_not_remembered(snapshot: SnapshotSource) -> None:
    with serving(snapshot, "403:1") as server:
        kept = Remembering(SparqlEndpoint(quick_client(), server.sparql_url))
        with pytest.raises(SourceRefusedError):
            kept.query("ASK { ?s ?p ?o }")
        assert kept.query("ASK { ?s ?p ?o }").boolean is True
