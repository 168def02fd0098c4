"""The Wikidata source over a Wikibase on loopback that serves a snapshot."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path

import pyoxigraph as ox
import pytest

from robodata_core.answers.json import answer_to_json
from robodata_core.api import RoboData
from robodata_core.config import load_settings
from robodata_core.errors import (
    MalformedResponseError,
    NotFoundError,
    QueryRefusedError,
    QuerySyntaxError,
    SourceRefusedError,
)
from robodata_core.model import (
    Direction,
    EntityKind,
    EntityValue,
    MatchKind,
    NoValue,
    QuantityValue,
    Rank,
    SomeValue,
    Statement,
    TimeValue,
)
from robodata_core.serve.wikibase import Reply
from robodata_core.sources.base import KnowledgeSource
from robodata_core.sources.http import ResponseCache
from robodata_core.sources.snapshot import SnapshotSource, open_snapshot
from robodata_core.sources.snapshot.loading import write_snapshot
from robodata_core.sources.wikibase import WikidataSource
from robodata_core.store.graph import LocalGraph
from tests.core.fixtures import tiny_snapshot
from tests.core.sources.live import Canned, serving, wikidata_at
from tests.faults import FaultyServer


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SnapshotSource]:
    with open_snapshot(tiny_snapshot(tmp_path_factory.mktemp("live"))) as source:
        yield source


@pytest.fixture
def server(snapshot: SnapshotSource) -> Iterator[FaultyServer]:
    with serving(snapshot, redirects={"Q900": "Q42", "Q901": "Q902"}) as running:
        yield running


@pytest.fixture
def wikidata(server: FaultyServer) -> Iterator[WikidataSource]:
    source = wikidata_at(server)
    yield source
    source.close()


def bare(statements: tuple[Statement, ...]) -> set[tuple[object, ...]]:
    """What a statement says, without where it came from."""
    return {(s.subject, s.property, s.value, s.rank, s.qualifiers) for s in statements}


def test_it_is_a_knowledge_source(wikidata: WikidataSource) -> None:
    assert isinstance(wikidata, KnowledgeSource)
    assert wikidata.name == "wikidata"


def test_search(wikidata: WikidataSource) -> None:
    first = wikidata.search("Canada")[0]
    assert (first.id, first.label, first.match) == ("Q16", "Canada", MatchKind.LABEL)
    (alias,) = wikidata.search("HHGTTG")
    assert (alias.id, alias.match) == ("Q25169", MatchKind.ALIAS)
    (capital,) = wikidata.search("capital", kind=EntityKind.PROPERTY)
    assert capital.id == "P36"
    namesakes = wikidata.search("Douglas Adams")
    assert [hit.id for hit in namesakes] == ["Q42", "Q21454969"]
    assert namesakes[0].popularity > namesakes[1].popularity
    assert wikidata.search("no such thing at all") == ()
    assert wikidata.search("  ") == ()
    assert len(wikidata.search("Douglas Adams", limit=1)) == 1


def hit(id_: str, text: str, match: str = "label") -> dict[str, object]:
    return {"id": id_, "label": text, "match": {"type": match, "text": text}}


class Homonyms(Canned):
    """Finds three items of one name, the least known one first."""

    def __init__(self, links: dict[str, int], *hits: dict[str, object]) -> None:
        super().__init__()
        self._links, self._hits = links, hits

    def action(self, parameters: Mapping[str, str]) -> Reply:
        if parameters["action"] == "wbsearchentities":
            return Reply(body=json.dumps({"search": self._hits}).encode())
        if not self._links:
            return Reply(403)
        entities = {
            id_: {
                "id": id_,
                "type": "item",
                "sitelinks": {f"x{i}wiki": {} for i in range(self._links[id_])},
            }
            for id_ in parameters["ids"].split("|")
        }
        return Reply(body=json.dumps({"entities": entities}).encode())


FOUND = (hit("Q1", "Paris"), hit("Q2", "Paris", "alias"), hit("Q3", "Paris"), hit("Q4", "Parish"))


def test_of_items_of_one_name_the_best_known_comes_first() -> None:
    with serving(Homonyms({"Q1": 2, "Q2": 300, "Q3": 40}, *FOUND)) as server:
        hits = wikidata_at(server).search("Paris")
        assert [(h.id, h.popularity) for h in hits] == [
            *(("Q2", 300), ("Q3", 40), ("Q1", 2), ("Q4", 0))
        ]
        assert len(server.requests) == 2, "one for the names, one for how well known they are"
        source = wikidata_at(server)
        source.search("Parish")
        source.search("Paris", kind=EntityKind.PROPERTY)
        assert len(server.requests) == 4, "nothing to be told apart"


def test_without_documents_the_order_is_that_of_the_service() -> None:
    with serving(Homonyms({}, *FOUND)) as server:
        hits = wikidata_at(server).search("Paris")
    assert [h.id for h in hits] == ["Q1", "Q2", "Q3", "Q4"]


@pytest.mark.parametrize("id_", ["Q16", "Q42", "Q1930", "Q172", "Q21454969"])
def test_statements_are_those_of_the_snapshot(
    wikidata: WikidataSource, snapshot: SnapshotSource, id_: str
) -> None:
    for ranks in (False, True):
        there = snapshot.statements(id_, all_ranks=ranks)
        here = wikidata.statements(id_, all_ranks=ranks)
        assert bare(here.statements) == bare(there.statements)
        assert here.total == there.total
        assert {item.source for item in here.statements} == {"wikidata"}


def test_ranks_qualifiers_references_and_revisions_survive(wikidata: WikidataSource) -> None:
    page = wikidata.statements("Q16", property="P1082", all_ranks=True)
    ranks = {int(s.value.amount): s for s in page.statements if isinstance(s.value, QuantityValue)}
    assert ranks[40_000_000].rank is Rank.PREFERRED
    assert ranks[7].rank is Rank.DEPRECATED
    newest = ranks[40_000_000]
    assert newest.qualifiers[0].value == TimeValue(2023, precision=9)
    assert newest.references
    assert newest.revision == 1
    assert newest.id
    (only,) = wikidata.statements("Q16", property="P1082").statements
    assert only.rank is Rank.PREFERRED


def test_unknown_and_absent_values_are_kept_apart(wikidata: WikidataSource) -> None:
    painter = wikidata.statements("Q21454969")
    kinds = {item.property: type(item.value) for item in painter.statements}
    assert kinds["P26"] is SomeValue
    assert kinds["P40"] is NoValue


@pytest.mark.parametrize("property_", [None, "P17", "P31"])
@pytest.mark.parametrize("id_", ["Q16", "Q515", "Q5", "Q42"])
def test_incoming_statements_are_those_of_the_snapshot(
    wikidata: WikidataSource, snapshot: SnapshotSource, id_: str, property_: str | None
) -> None:
    there = snapshot.statements(id_, direction=Direction.IN, property=property_)
    here = wikidata.statements(id_, direction=Direction.IN, property=property_)
    assert {s.triple for s in here.statements} == {
        s.triple for s in there.statements if ":" not in s.subject
    }
    assert here.total == there.total


def test_paging_sees_every_statement_once(wikidata: WikidataSource) -> None:
    for direction, id_ in ((Direction.OUT, "Q42"), (Direction.IN, "Q5")):
        whole = wikidata.statements(id_, direction=direction)
        pages = [
            wikidata.statements(id_, direction=direction, limit=2, offset=start)
            for start in range(0, whole.total + 2, 2)
        ]
        assert [s for page in pages for s in page.statements] == list(whole.statements)
        assert {page.total for page in pages} == {whole.total}


def test_many_at_once(wikidata: WikidataSource, server: FaultyServer) -> None:
    before = len(server.requests)
    pages = wikidata.statements_many(["Q42", "Q16", "Q999999"], property="P31")
    assert [s.value for s in pages["Q42"].statements] == [EntityValue("Q5")]
    assert pages["Q999999"].total == 0
    assert len(server.requests) - before == 1
    incoming = wikidata.statements_many(["Q5", "Q515"], direction=Direction.IN, property="P31")
    assert incoming["Q5"].total == 4
    assert incoming["Q515"].total == 2
    assert len(server.requests) - before == 2


def test_each_of_many_gets_its_own_limit(wikidata: WikidataSource) -> None:
    pages = wikidata.statements_many(["Q5", "Q515"], direction=Direction.IN, limit=1)
    assert [len(page.statements) for page in pages.values()] == [1, 1]
    assert [page.total for page in pages.values()] == [4, 2]


def test_relations_are_those_of_the_snapshot(
    wikidata: WikidataSource, snapshot: SnapshotSource
) -> None:
    def counts(source: KnowledgeSource) -> set[tuple[str, Direction, int]]:
        return {(r.property, r.direction, r.count) for r in source.relations(["Q42", "Q16"])}

    assert counts(wikidata) == counts(snapshot)


def test_redirects_missing_and_other_kinds(wikidata: WikidataSource) -> None:
    assert wikidata.entity("Q900").id == "Q42"
    assert wikidata.entities(["Q900", "Q901", "Q16"]).keys() == {"Q900", "Q16"}
    for id_, words in {
        "Q901": "no entity",
        "Q123456789": "no entity",
        "L42": "lexeme",
        "M7": "media file",
        "http://example.org/x": "no entity",
        "Q1; DROP": "no entity",
    }.items():
        with pytest.raises(NotFoundError, match=words):
            wikidata.entity(id_)
    with pytest.raises(NotFoundError, match="no property"):
        wikidata.property("Q42")


def test_ids_of_other_sources_have_no_statements_here(wikidata: WikidataSource) -> None:
    pages = wikidata.statements_many(["http://example.org/x", "nonsense"], direction=Direction.IN)
    assert [page.total for page in pages.values()] == [0, 0]
    assert wikidata.statements("Q42", property="Q5> } DROP").total == 0
    assert wikidata.statements("Q42", property="Q5> }", direction=Direction.IN).total == 0


def test_properties(wikidata: WikidataSource, snapshot: SnapshotSource) -> None:
    capital = wikidata.property("P36")
    assert (capital.label, capital.aliases, capital.datatype) == (
        "capital",
        ("capital city",),
        snapshot.property("P36").datatype,
    )
    listed = {item.id: item.label for item in wikidata.all_properties()}
    assert listed == {"P36": "capital", "P31": "instance of"}  # the only ones declared as such


def test_an_answer_names_the_unit() -> None:
    with (
        open_snapshot("wikidata-sample") as sample,
        serving(sample) as server,
        LocalGraph.in_memory() as graph,
    ):
        source = wikidata_at(server)
        answer = RoboData(load_settings(), source, graph).ask("How tall is Douglas Adams?")
    data = answer_to_json(answer)
    metre = {"id": "Q11573", "label": "metre"}
    assert [(item["value"], item["unit"]) for item in data["results"]] == [(1.96, metre)]
    assert data["claims"][0]["support"][0]["object"]["unit"] == metre


DESCRIBED = """
@prefix wd: <http://www.wikidata.org/entity/> .
@prefix wdt: <http://www.wikidata.org/prop/direct/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix schema: <http://schema.org/> .
@prefix wikibase: <http://wikiba.se/ontology#> .
wd:P36 a wikibase:Property ; wikibase:propertyType wikibase:WikibaseItem ; rdfs:label "capital"@en ;
    schema:description "seat of a government"@en ; skos:altLabel "capital city"@en .
wd:P1082 a wikibase:Property ; wikibase:propertyType wikibase:Quantity ;
    rdfs:label "population"@en .
wd:Q16 wdt:P36 wd:Q1930 ; wdt:P1082 41 .
"""


def test_listed_properties_are_those_of_the_documents(tmp_path: Path) -> None:
    quads = ox.parse(DESCRIBED.encode(), format=ox.RdfFormat.TURTLE)
    write_snapshot(quads, tmp_path / "described", name="described")
    with open_snapshot(tmp_path / "described") as source, serving(source) as server:
        listing = wikidata_at(server)
        listed = {item.id: item for item in listing.all_properties()}
        assert listed["P36"].description == "seat of a government"
        before = len(server.requests)
        assert listing.properties(["P36", "P1082"]) == listed
        assert listing.property("P36") == listed["P36"]
        assert len(server.requests) == before, "they are known"
        assert wikidata_at(server).properties(["P36", "P1082"]) == listed


def test_exact_names_in_one_request(wikidata: WikidataSource, server: FaultyServer) -> None:
    before = len(server.requests)
    found = wikidata.lookup_names(["canada", "douglas adams", "DNA", 'no "such" \\ thing'])
    assert len(server.requests) - before == 1
    assert found["canada"][0].id == "Q16"
    assert {hit.id for hit in found["douglas adams"]} == {"Q42", "Q21454969"}
    assert found["DNA"][0].match is MatchKind.ALIAS
    assert 'no "such" \\ thing' not in found


def test_sparql(wikidata: WikidataSource) -> None:
    rows = wikidata.sparql("SELECT ?x WHERE { wd:Q16 wdt:P36 ?x }").rows
    assert rows == ((EntityValue("Q1930"),),)
    assert wikidata.sparql("ASK { wd:Q16 wdt:P36 wd:Q1930 }").boolean is True
    (triple,) = wikidata.sparql("CONSTRUCT WHERE { wd:Q16 wdt:P36 ?x }").triples
    assert (triple.subject, triple.predicate) == ("Q16", "P36")
    with pytest.raises(QuerySyntaxError):
        wikidata.sparql("SELECT WHERE")
    with pytest.raises(QueryRefusedError):
        wikidata.sparql("SELECT * WHERE { SERVICE <http://127.0.0.1:1/> { ?s ?p ?o } }")


def test_entities_come_fifty_a_request(wikidata: WikidataSource, server: FaultyServer) -> None:
    ids = [f"Q{number}" for number in range(1, 101)]
    before = len(server.requests)
    found = wikidata.entities(ids)
    assert set(found) == {"Q5", "Q16", "Q42"}
    assert len(server.requests) - before == 2
    wikidata.entities(ids)
    assert len(server.requests) - before == 2, "what is known was asked for again"


def test_names_of_hundreds_come_in_one_query(
    wikidata: WikidataSource, server: FaultyServer
) -> None:
    before = len(server.requests)
    found = wikidata.entities([f"Q{number}" for number in range(1, 401)])
    assert len(server.requests) - before == 1
    assert {id_: item.label for id_, item in found.items() if item.label} == {
        "Q5": "human",
        "Q16": "Canada",
        "Q42": "Douglas Adams",
        "Q145": "United Kingdom",
        "Q172": "Toronto",
    }
    assert found["Q42"].types == ("Q5",)


def test_documents_are_kept_on_disk_until_they_expire(
    snapshot: SnapshotSource, tmp_path: Path
) -> None:
    now = [1_000.0]

    def cache() -> ResponseCache:
        return ResponseCache(tmp_path / "cache.sqlite", seconds=60.0, now=lambda: now[0])

    with serving(snapshot) as server:
        for expected, later in ((1, 0.0), (1, 30.0), (2, 90.0)):
            now[0] = 1_000.0 + later
            source = wikidata_at(server, cache=cache())
            assert source.entity("Q42").label == "Douglas Adams"
            source.close()
            assert len(server.requests) == expected


def test_a_cache_that_cannot_be_used_is_no_failure(
    snapshot: SnapshotSource, tmp_path: Path
) -> None:
    (tmp_path / "broken.sqlite").write_bytes(b"this is no database" * 100)
    with serving(snapshot) as server:
        source = wikidata_at(server, cache=ResponseCache(tmp_path / "broken.sqlite"))
        assert source.entity("Q42").label == "Douglas Adams"


def test_kept_answers_are_for_their_owner(tmp_path: Path) -> None:
    cache = ResponseCache(tmp_path / "new" / "cache.sqlite")
    cache.put(b"body", "key")
    cache.close()
    assert [path.stat().st_mode & 0o077 for path in (tmp_path / "new").iterdir()] == [0]


_CLOSED_UNDER_THREADS = """
import sys, threading
from robodata_core.sources.http import ResponseCache

def use(cache, name):
    for number in range(8):
        cache.put(b"x" * 200, name, str(number))
        cache.get(name, str(number))

sys.setswitchinterval(1e-6)
for round in range(1_000):
    cache = ResponseCache(None)
    threads = [threading.Thread(target=use, args=(cache, name), daemon=True) for name in "abc"]
    for thread in threads:
        thread.start()
    for _ in range(round % 50):
        cache.get("a", "0")
    cache.close()
    for thread in threads:
        thread.join()
print("closed")
"""


def test_a_cache_is_not_closed_under_those_who_read_it() -> None:
    """A cancelled run leaves its requests behind, and whoever asked ends the process."""
    done = subprocess.run(
        [sys.executable, "-c", _CLOSED_UNDER_THREADS],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert (done.returncode, done.stdout.strip()) == (0, "closed"), done.stderr


def test_a_cache_is_closed_soon_whoever_is_at_it() -> None:
    inside, go_on = threading.Event(), threading.Event()
    at_it: list[bytes | None] = []

    def now() -> float:
        if threading.current_thread() is not threading.main_thread():
            inside.set()
            go_on.wait(60)
        return 1_000.0

    cache = ResponseCache(None, now=now)
    cache.put(b"body", "key")
    reader = threading.Thread(target=lambda: at_it.append(cache.get("key")), daemon=True)
    reader.start()
    assert inside.wait(60)
    cache.close()
    assert at_it == []  # closing did not wait until the other one had ended
    go_on.set()
    reader.join()
    assert at_it == [b"body"]


# -- real answers ---------------------------------------------------------------------------


def recorded(folder: Path, name: str) -> Reply:
    with gzip.open(folder / "wikidata_api_fixtures" / f"{name}.json.gz") as file:
        return Reply(body=file.read())


def test_a_real_search(shared_dir: Path) -> None:
    with serving(Canned(recorded(shared_dir, "wikidata_toolkit/wbsearchentities-abc"))) as server:
        hits = wikidata_at(server).search("abc")
    first, second = hits[:2]
    assert (first.label, first.match) == ("American Broadcasting Company", MatchKind.ALIAS)
    assert (second.label, second.match) == ("ABC", MatchKind.LABEL)
    assert all(hit.id.startswith("Q") for hit in hits)


def test_a_real_answer_with_a_missing_item(shared_dir: Path) -> None:
    reply = recorded(shared_dir, "wikidata_toolkit/wbgetentities-Q6-Q42-P31")
    with serving(Canned(reply)) as server:
        source = wikidata_at(server)
        assert set(source.entities(["Q6", "Q42", "P31"])) == {"Q42", "P31"}
        assert source.statements("Q42", property="P21").total == 1


def test_a_real_redirect(shared_dir: Path) -> None:
    reply = recorded(shared_dir, "wikidata_toolkit/wbgetentities-Q32063953")
    with serving(Canned(reply)) as server:
        assert wikidata_at(server).entity("Q32063953").id == "Q1040"


@pytest.mark.parametrize("name", ["wbgetentities-bogus", "error"])
def test_a_real_error_of_an_impossible_id(shared_dir: Path, name: str) -> None:
    reply = recorded(shared_dir, f"wikidata_toolkit/{name}")
    with serving(Canned(reply)) as server, pytest.raises(NotFoundError):
        wikidata_at(server).entity("Q42")


@pytest.mark.parametrize("name", ["error-badtoken", "error-spam-filter"])
def test_other_real_errors_are_refusals(shared_dir: Path, name: str) -> None:
    reply = recorded(shared_dir, f"wikidata_toolkit/{name}")
    with serving(Canned(reply)) as server, pytest.raises(SourceRefusedError):
        wikidata_at(server).entity("Q42")


@pytest.mark.parametrize("name", ["single_var", "multi_vars", "no_datatype"])
def test_real_rows(shared_dir: Path, name: str) -> None:
    reply = recorded(shared_dir, f"wikibase_sdk/sparql_json_{name}_sparql_results")
    with serving(Canned(sparql=reply)) as server:
        result = wikidata_at(server).sparql("SELECT * WHERE { ?s ?p ?o }")
    assert len(result.rows) == len(json.loads(reply.body)["results"]["bindings"])


@pytest.mark.parametrize(
    "body",
    [
        b"[]",
        b"null",
        b"7",
        b"{}",
        b'{"entities": []}',
        b'{"entities": {"Q42": 7}}',
        b'{"entities": {"Q1": {"id": "Q1", "missing": ""}}}',
        b'{"entities": {"Q42": {"type": "item"}}}',
    ],
)
def test_answers_of_another_shape_are_malformed(body: bytes) -> None:
    with serving(Canned(Reply(body=body))) as server:
        source = wikidata_at(server)
        with pytest.raises(MalformedResponseError):
            source.entity("Q42")
