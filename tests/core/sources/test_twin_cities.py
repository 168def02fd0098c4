"""Big sets in few requests: a question over 500 cities, asked with the agent's own tools."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyoxigraph as ox
import pytest

from robodata_core.api import RoboData
from robodata_core.config import load_settings
from robodata_core.model import AnswerStatus, Direction, EntityValue
from robodata_core.programs.executor import execute
from robodata_core.programs.steps import End, Follow, Intersect, Program, Start
from robodata_core.sources.snapshot import open_snapshot
from robodata_core.sources.snapshot.loading import write_snapshot
from robodata_core.sources.sparql import SparqlEndpoint, TripleReader
from robodata_core.store.graph import LocalGraph
from tests.core.sources.live import quick_client, serving, wikidata_at
from tests.core.tools.desk import Desk
from tests.faults import FaultyServer

CITIES = 250  # on each side
MOST_REQUESTS = 10
TWINNED = """
SELECT DISTINCT ?city ?twin WHERE {
  ?city wdt:P31 wd:Q515 ; wdt:P17 wd:Q38 ; wdt:P190 ?twin .
  ?twin wdt:P17 wd:Q17 .
}
"""


def _turtle() -> bytes:
    lines = [
        "@prefix wd: <http://www.wikidata.org/entity/> .",
        "@prefix wdt: <http://www.wikidata.org/prop/direct/> .",
        "@prefix wikibase: <http://wikiba.se/ontology#> .",
        "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .",
        'wd:Q38 rdfs:label "Italy"@en . wd:Q17 rdfs:label "Japan"@en .',
        'wd:Q515 rdfs:label "city"@en .',
    ]
    for id_, label in (("P17", "country"), ("P31", "instance of"), ("P190", "twinned with")):
        lines.append(
            f'wd:{id_} a wikibase:Property ; rdfs:label "{label}"@en ; '
            "wikibase:propertyType wikibase:WikibaseItem ."
        )
    for number in range(CITIES):
        italian, japanese = f"Q{10_000 + number}", f"Q{20_000 + number}"
        lines += [
            f'wd:{italian} rdfs:label "Città {number}"@en ; wdt:P31 wd:Q515 ; wdt:P17 wd:Q38 ; '
            f"wdt:P190 wd:{japanese} .",
            f'wd:{japanese} rdfs:label "Toshi {number}"@en ; wdt:P31 wd:Q515 ; wdt:P17 wd:Q17 .',
        ]
    return "\n".join(lines).encode()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FaultyServer]:
    folder: Path = tmp_path_factory.mktemp("twins") / "twins"
    write_snapshot(ox.parse(_turtle(), format=ox.RdfFormat.TURTLE), folder, name="twins")
    with open_snapshot(folder) as source, serving(source) as running:
        yield running


@pytest.mark.parametrize("way", ["sparql", "following relations"])
def test_twin_cities_need_at_most_ten_requests(server: FaultyServer, way: str) -> None:
    before = len(server.requests)
    source, graph = wikidata_at(server), LocalGraph.in_memory()
    desk = Desk(source, graph, "Which Italian cities are twinned with Japanese cities?")
    # Linking: the three names of the question, and the classes and relations between them.
    desk.data("search_entities", text="Italy")
    desk.data("search_entities", text="Japan")
    desk.data("search_entities", text="twinned with", kind="property")
    if way == "sparql":
        desk.known.add(("P31", "P17", "Q515"))
        found = desk.data("sparql_query", query=TWINNED)
        cities = sorted({row[0].id for row in found.rows})
        desk.known.add(cities)
    else:
        desk.known.add(("P17",))
        pages = source.statements("Q38", direction=Direction.IN, property="P17", limit=500)
        cities = sorted({statement.subject for statement in pages.statements})
        desk.known.add(cities)
    assert len(cities) == CITIES
    desk.data("fetch_relationship_from_node", nodes=cities, property="P190")
    assert graph.edge_count == CITIES
    assert graph.node_count == 2 * CITIES
    assert graph.label("Q20007") == "Toshi 7"
    assert graph.label("P190") == "twinned with"
    assert len(server.requests) - before <= MOST_REQUESTS, server.requests[before:]


def test_the_same_as_a_reasoning_program(server: FaultyServer) -> None:
    before = len(server.requests)
    program = Program(
        (
            Start("italy", (EntityValue("Q38"),)),
            Follow("cities", "italy", ("P17",), Direction.IN),
            Follow("twins", "cities", ("P190",), Direction.OUT),
            Start("japan", (EntityValue("Q17"),)),
            Follow("japanese", "japan", ("P17",), Direction.IN),
            Intersect("both", ("twins", "japanese")),
            End("both"),
        )
    )
    result = execute(program, wikidata_at(server))
    assert len(result.values) == CITIES
    assert len(server.requests) - before <= MOST_REQUESTS, server.requests[before:]


def test_a_list_of_hundreds_is_read_once(server: FaultyServer) -> None:
    source, before = wikidata_at(server), len(server.requests)
    few = source.statements("Q38", direction=Direction.IN, property="P17", limit=10)
    assert (len(few.statements), few.total) == (10, CITIES)
    all_of_them = source.statements("Q38", direction=Direction.IN, property="P17", limit=500)
    assert len(all_of_them.statements) == CITIES
    assert all_of_them.statements[:10] == few.statements
    rest = source.statements("Q38", direction=Direction.IN, property="P17", limit=100, offset=200)
    assert rest.statements == all_of_them.statements[200:300]
    assert len(server.requests) - before == 1


def test_what_came_together_is_asked_about_together(server: FaultyServer) -> None:
    source = wikidata_at(server)
    source.all_properties()
    page = source.statements("Q38", direction=Direction.IN, property="P17", limit=500)
    cities = [statement.subject for statement in page.statements]
    before = len(server.requests)
    for start in range(0, CITIES, 50):
        some = source.statements_many(cities[start : start + 50], property="P190")
        assert all(page.total == 1 for page in some.values())
    assert source.entities(cities[:30])[cities[7]].label
    assert source.entities(cities[30:90])[cities[80]].label
    assert len(server.requests) - before == 2, server.requests[before:]
    # A few are worth what only their documents know.
    (statement,) = source.statements_many(cities[:2], property="P190")[cities[0]].statements
    assert statement.value == EntityValue("Q2" + cities[0][2:])


def test_what_was_read_grows_old(server: FaultyServer) -> None:
    now = [0.0]
    endpoint = SparqlEndpoint(quick_client(), server.sparql_url)
    reader = TripleReader(endpoint, "test", now=lambda: now[0])
    before = len(server.requests)
    for moment, asked in ((0.0, 1), (599.0, 1), (601.0, 2)):
        now[0] = moment
        assert reader.page("Q38", Direction.IN, "P17", 5, 0).total == CITIES
        assert len(server.requests) - before == asked


@pytest.mark.parametrize(
    "question",
    [
        "Which Italian cities are twinned with Japanese cities?",
        "Which cities in Italy are twinned with cities in Japan?",
    ],
)
def test_the_offline_policy(server: FaultyServer, question: str) -> None:
    before = len(server.requests)
    with LocalGraph.in_memory() as graph:
        answer = RoboData(load_settings(), wikidata_at(server), graph).ask(question)
    assert answer.status is AnswerStatus.ANSWERED
    assert len(answer.results) == CITIES
    assert len(server.requests) - before <= MOST_REQUESTS, server.requests[before:]
