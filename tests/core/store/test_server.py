"""The local graph at a SPARQL server: two servers by other people, and one of ours that fails."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path

import pyoxigraph as ox
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from robodata_core.api import RoboData
from robodata_core.config import load_settings
from robodata_core.errors import ConfigurationError, QueryRefusedError, StoreError
from robodata_core.model import (
    AnswerStatus,
    Entity,
    EntityValue,
    Property,
    QuantityValue,
    Rank,
    Snak,
    Statement,
    TimeValue,
)
from robodata_core.sources.http import HttpClient
from robodata_core.sources.snapshot import open_snapshot
from robodata_core.store._server import Server
from robodata_core.store.graph import Fetch, LocalGraph
from robodata_core.store.open import open_graph
from tests.core.fixtures import tiny_snapshot
from tests.core.sources.live import QUICK
from tests.core.sources.servers import SERVERS, serve_empty

from .endpoint import Endpoint
from .strategies import entities, statements

WHEN = datetime(2026, 1, 2, 3, 4, 5, 678900, tzinfo=timezone.utc)
CAPITAL = Statement("Q16", "P36", EntityValue("Q1930"), source="snapshot:x")
HEIGHT = Statement(
    "Q42",
    "P2048",
    QuantityValue(Decimal("1.96"), "Q11573"),
    id="Q42$0A1B2C3D-0000-1111-2222-333344445555",
    rank=Rank.PREFERRED,
    qualifiers=(Snak("P585", TimeValue(1990, precision=9)),),
    source="wikidata",
)
CANADA = Entity("Q16", "Canada", 'a "country"\n', aliases=("Dominion of Canada",))


def fetch(call: str = "k1", run: str = "r1", minutes: int = 0) -> Fetch:
    return Fetch(run, call, "fetch_node", WHEN + timedelta(minutes=minutes))


def graph_at(url: str, *, tries: int = 2, seconds: float = 30.0) -> LocalGraph:
    """Open the graph at a server.

    Args:
        url: Address for queries.
        tries: Most attempts of a request.
        seconds: How long an answer is waited for.
    """
    limits = replace(QUICK, tries=tries, read_seconds=seconds, total_seconds=tries * seconds)
    client = HttpClient(replace(limits, bytes=50_000_000), jitter=lambda: 0.0)
    update = url.replace("/query", "/update")
    # A clock that jumps: what a server said is never good enough for the next question.
    ticks = iter(range(0, 10**9, 10))
    return LocalGraph(Server(client, url, update, clock=lambda: float(next(ticks))), "en")


@pytest.fixture(scope="module", params=SERVERS)
def url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serve_empty(request.param, tmp_path_factory.mktemp("server")) as address:
        yield address


@pytest.fixture
def empty(url: str) -> str:
    """The same server without any data."""
    update(url, "DROP ALL")
    return url


def update(url: str, text: str) -> None:
    client = HttpClient()
    kind = {"Content-Type": "application/sparql-update"}
    place = url.replace("/query", "/update")
    response = client.request("POST", place, data=text.encode(), headers=kind)
    client.close()
    assert response.status < 300, response.body


def whole(graph: LocalGraph) -> object:
    names = {node: (graph.entity(node), graph.property(node)) for node in graph.nodes()}
    found = graph.match(limit=10_000)[0]
    return found, names, set(graph.isolated()), graph.components()


# -- what a local graph promises --------------------------------------------------------------


def test_it_is_the_same_graph_there(empty: str, tmp_path: Path) -> None:
    with LocalGraph.in_memory() as here, graph_at(empty) as there:
        for graph in (here, there):
            added = graph.add(
                [CAPITAL, HEIGHT],
                fetch(),
                entities=[CANADA],
                properties=[Property("P36", "capital")],
            )
            assert (added.edges, added.nodes) == (2, 3)
            graph.add([HEIGHT], fetch("k2", "r2"), entities=[Entity("Q16", "Kanada")])
            assert graph.contains(HEIGHT.triple) and graph.contains(CAPITAL.triple)
            other = replace(HEIGHT, value=QuantityValue(Decimal("1.96"), "Q174728"))
            assert not graph.contains(other.triple)
        assert whole(there) == whole(here)
        assert set(there.quads()) == set(here.quads())
        query = "SELECT ?o WHERE { wd:Q16 wdt:P36 ?o }"
        assert there.query(query).rows == ((EntityValue("Q1930"),),)
        with pytest.raises(QueryRefusedError):
            there.query("SELECT * WHERE { SERVICE <http://127.0.0.1:9/> { ?s ?p ?o } }")
        for form in ("trig", "graphml"):
            there.export(form, tmp_path / f"there.{form}")
            here.export(form, tmp_path / f"here.{form}")
            assert (tmp_path / f"there.{form}").read_bytes() == (
                tmp_path / f"here.{form}"
            ).read_bytes()
        with graph_at(empty) as again:
            assert whole(again) == whole(here)
            assert set(again.quads()) == set(here.quads())
        assert there.remove_node("Q16") == here.remove_node("Q16") == ("T1",)
        assert not there.contains(CAPITAL.triple)
        assert whole(there) == whole(here)
        with graph_at(empty) as again:
            assert whole(again) == whole(here)
            assert again.add([CAPITAL], fetch("k9")).evidence[0].handle == "T3"


@settings(
    max_examples=12,
    deadline=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(statements, max_size=5), st.lists(entities, max_size=3))
def test_everything_comes_back(
    url: str, given_statements: list[Statement], given_entities: list[Entity]
) -> None:
    nodes = {statement.subject for statement in given_statements}
    update(url, "DROP ALL")
    with LocalGraph.in_memory() as here, graph_at(url) as there:
        for graph in (here, there):
            graph.add(given_statements, fetch(), entities=given_entities)
        with graph_at(url) as again:
            facts = [item.triple for item in again.match(limit=10_000)[0]]
            assert facts == [item.triple for item in here.match(limit=10_000)[0]]
            assert all(again.contains(fact) == here.contains(fact) for fact in facts)
            assert [again.entity(node) for node in nodes] == [here.entity(node) for node in nodes]
            for one, other in zip(again.match()[0], here.match()[0], strict=True):
                assert one.provenance == other.provenance


def test_one_call_is_one_update() -> None:
    many = [Statement(f"Q{n}", "P1", EntityValue(f"Q{n + 1}")) for n in range(1, 400)]
    with Endpoint() as server, graph_at(server.url) as graph:
        server.updates.clear()
        assert graph.add(many, fetch()).edges == 399
        assert sum("Q399" in text for text in server.updates) == 1
        assert len(server.updates) <= 3, "one to say so, one to write, one to be done"
        server.updates.clear()
        graph.add(many, fetch())
        assert not server.updates, "there was nothing new"


def test_whether_triples_stand_is_asked_in_bulk() -> None:
    many = [Statement(f"Q{n}", "P1", EntityValue(f"Q{n + 1}")) for n in range(1, 301)]
    with Endpoint() as server:
        client = HttpClient()
        update = server.url.replace("/query", "/update")
        with LocalGraph(Server(client, server.url, update, clock=lambda: 0.0), "en") as graph:
            graph.add(many, fetch())
            before = len(server.queries)
            assert all(graph.contains(statement.triple) for statement in many)
            assert len(server.queries) - before <= 8


def test_other_data_at_the_server_is_left_alone(empty: str) -> None:
    foreign = "<http://example.org/s> <http://example.org/p> 1"
    update(empty, f"INSERT DATA {{ GRAPH <http://example.org/g> {{ {foreign} }} }}")
    with graph_at(empty) as graph:
        graph.add([CAPITAL], fetch())
        graph.remove_node("Q16")
        assert "example.org" not in str(graph.quads())
    ask = f"ASK {{ GRAPH <http://example.org/g> {{ {foreign} }} }}"
    headers = {
        "Content-Type": "application/sparql-query",
        "Accept": "application/sparql-results+json",
    }
    client = HttpClient()
    answer = client.request("POST", empty, data=ask.encode(), headers=headers).json()
    client.close()
    assert answer["boolean"] is True


# -- several processes ------------------------------------------------------------------------

WRITER = """
import sys
import time
from datetime import datetime, timezone
from robodata_core.config import load_settings
from robodata_core.model import EntityValue, Statement
from robodata_core.store.graph import Fetch
from robodata_core.store.open import open_graph

who, url = sys.argv[1:]
with open_graph(load_settings(store="sparql:" + url)) as graph:
    print("ready", flush=True)
    sys.stdin.readline()
    for number in range(6):
        fetch = Fetch(who, f"k{number}", "t", datetime(2026, 1, 2, tzinfo=timezone.utc))
        facts = [Statement(f"Q{who}{number}{n}", "P1", EntityValue("Q5")) for n in range(1, 4)]
        for item in graph.add(facts, fetch).evidence:
            print(item.handle, item.triple.subject, flush=True)
"""


def test_processes_that_write_at_the_same_time_share_one_graph(empty: str) -> None:
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, who, empty],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for who in ("1", "2")
    ]
    with graph_at(empty) as watching:
        for writer in writers:
            assert writer.stdout is not None and writer.stdout.readline() == "ready\n"
        replies = []
        for writer in writers:
            assert writer.stdin is not None
            writer.stdin.write("go\n")
            writer.stdin.flush()
        for writer in writers:
            replies += writer.communicate(timeout=120)[0].splitlines()
            assert writer.returncode == 0
        told = dict(reply.split() for reply in replies)
        assert len(told) == len(replies) == 36, "every handle was given once"
        seen = {item.handle: item.triple.subject for item in watching.match(limit=1_000)[0]}
        assert seen == told
        runs = {item.provenance[0].run_id for item in watching.match(limit=1_000)[0]}
        assert runs == {"1", "2"}
    with graph_at(empty) as later:
        assert {item.handle: item.triple.subject for item in later.match(limit=1_000)[0]} == told


def test_two_processes_answer_from_one_graph(empty: str) -> None:
    question = "What is the capital of Canada?"
    command = [sys.executable, "-m", "robodata_core.cli", "ask", question, "--json"]
    with RoboData.open(store=f"sparql:{empty}") as robodata:
        other = subprocess.run(
            [*command, "--store", f"sparql:{empty}"], capture_output=True, text=True, timeout=120
        )
        assert other.returncode == 0, other.stderr
        first = json.loads(other.stdout)
        assert first["results"] == [{"id": "Q1930", "label": "Ottawa"}]
        end = time.monotonic() + 60
        while not robodata.store.edge_count and time.monotonic() < end:
            time.sleep(0.05)  # what the server said is good enough for a second
        mine = robodata.ask(question)
        assert [item.value for item in mine.results] == [EntityValue("Q1930")]
        assert mine.statistics.edges == 0, "the other process had brought it"
        (claim,) = mine.claims
        handles = [item.handle for item in claim.support.evidence]
        assert handles == [item["handle"] for item in first["claims"][0]["support"]]
        assert robodata.ask("Who is the father of Douglas Adams?").statistics.edges > 0
        with graph_at(empty) as watching:
            assert watching.edge_count == robodata.store.edge_count >= 2


def test_what_others_removed_is_gone_here(empty: str) -> None:
    with graph_at(empty) as one, graph_at(empty) as other:
        one.add([CAPITAL, HEIGHT], fetch())
        assert other.edge_count == 2
        other.remove_node("Q1930")
        assert one.match("Q16")[1] == 0 and not one.contains(CAPITAL.triple)
        assert one.add([CAPITAL], fetch("k2")).evidence[0].handle == "T3"
        assert other.evidence("T1") is None


# -- addresses and credentials ----------------------------------------------------------------


def test_credentials_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("USER", "PASSWORD", "TOKEN"):
        monkeypatch.delenv(f"ROBODATA_STORE_{name}", raising=False)
    with Endpoint() as server:
        server.demand("me", "s3cret:word")
        wanted = load_settings(store=f"sparql:{server.url}", http_tries=1)
        with pytest.raises(StoreError, match=r"denies access.*ROBODATA_STORE_USER"):
            open_graph(wanted)
        monkeypatch.setenv("ROBODATA_STORE_USER", "me")
        monkeypatch.setenv("ROBODATA_STORE_PASSWORD", "s3cret:word")
        with open_graph(wanted) as graph:
            graph.add([CAPITAL], fetch())
        server.authorization = "Bearer t0ken"
        monkeypatch.setenv("ROBODATA_STORE_TOKEN", "t0ken")
        with open_graph(wanted) as graph:
            assert graph.edge_count == 1


def test_where_updates_go() -> None:
    with Endpoint() as server:
        base = f"http://127.0.0.1:{server.port}"
        with pytest.raises(StoreError, match="store_update"):
            open_graph(load_settings(store=f"sparql:{server.url}", store_update=f"{base}/other"))
        settings_ = load_settings(store=f"sparql:{server.url}", store_update=f"{base}/update")
        with open_graph(settings_) as graph:
            assert graph.add([CAPITAL], fetch()).edges == 1


@pytest.mark.parametrize("store", ["sparql:", "sparql:ftp://x/", "sparql:http://me:word@x/query"])
def test_what_is_no_address(store: str) -> None:
    with pytest.raises(ConfigurationError):
        open_graph(load_settings(store=store))


# -- faults -----------------------------------------------------------------------------------


def on(kind: str, fault: int | str, times: int = 10**9) -> object:
    left = [times]

    def strike(what: str, text: str) -> int | str:
        if what != kind or not left[0]:
            return ""
        left[0] -= 1
        return fault

    return strike


def test_nobody_there() -> None:
    with Endpoint() as server:
        url = server.url
    with pytest.raises(StoreError, match="cannot be reached"):
        graph_at(url)


@pytest.mark.parametrize("fault", [401, 403, 404, 405, 429, 500, 503, "cut", "silent", "lost"])
@pytest.mark.parametrize("kind", ["query", "update"])
def test_a_server_that_fails_cannot_be_opened(kind: str, fault: int | str) -> None:
    with Endpoint() as server:
        server.fault = on(kind, fault)  # type: ignore[assignment]
        with pytest.raises(StoreError) as caught:
            graph_at(server.url, tries=1, seconds=0.5 if fault == "silent" else 30.0)
        assert str(caught.value).count("\n") == 0
        server.patience.set()


def test_a_server_that_answers_nonsense() -> None:
    with Endpoint() as server:
        server.query = lambda text: b"<html>hello</html>"  # type: ignore[method-assign]
        with pytest.raises(StoreError, match="no SPARQL result"):
            graph_at(server.url)


def test_a_server_that_leaves_rows_out() -> None:
    with Endpoint() as server:
        with graph_at(server.url) as graph:
            graph.add([CAPITAL, HEIGHT], fetch())
        server.most_rows = 10
        with pytest.raises(StoreError, match="10 of the"):
            graph_at(server.url)


@pytest.mark.parametrize("fault", [401, 403, 404, 413, 429, 500, 503, "silent"])
def test_nothing_is_reported_as_stored_that_is_not(fault: int | str) -> None:
    seconds, times = (5.0, 1) if fault == "silent" else (30.0, 10**9)
    with Endpoint() as server, graph_at(server.url, tries=1, seconds=seconds) as graph:
        graph.add([CAPITAL], fetch())
        held = whole(graph)
        server.fault = on("update", fault, times)  # type: ignore[assignment]
        with pytest.raises(StoreError):
            graph.add([HEIGHT], fetch("k2"))
        server.fault = on("update", fault, times)  # type: ignore[assignment]
        with pytest.raises(StoreError):
            graph.remove_node("Q16")
        assert whole(graph) == held
        assert not graph.contains(HEIGHT.triple) and graph.contains(CAPITAL.triple)
        server.fault = lambda kind, text: ""
        server.patience.set()
        assert graph.add([HEIGHT], fetch("k2")).evidence[0].handle == "T2"
        assert graph.remove_node("Q16") == ("T1",)


@pytest.mark.parametrize("fault", ["lost", "cut"])
def test_an_update_whose_answer_is_lost_is_not_lost(fault: str) -> None:
    with Endpoint() as server, graph_at(server.url) as graph:
        server.fault = on("update", fault)  # type: ignore[assignment]
        assert graph.add([CAPITAL], fetch()).edges == 1
        assert graph.contains(CAPITAL.triple)
        server.fault = lambda kind, text: ""
        with graph_at(server.url) as again:
            assert whole(again) == whole(graph)


def test_a_passing_fault_is_outlived() -> None:
    with Endpoint() as server, graph_at(server.url) as graph:
        server.fault = on("update", 503, times=1)  # type: ignore[assignment]
        assert graph.add([CAPITAL], fetch()).edges == 1
        server.fault = on("query", 500, times=1)  # type: ignore[assignment]
        assert graph.contains(CAPITAL.triple)


def test_what_was_read_is_still_there_when_the_server_goes(tmp_path: Path) -> None:
    with Endpoint() as server:
        graph = graph_at(server.url)
        graph.add([CAPITAL], fetch(), entities=[CANADA])
        port = server.port
        kept = server.store
    assert graph.edge_count == 1 and graph.label("Q16") == "Canada"
    assert graph.evidence("T1") is not None
    graph.export("turtle", tmp_path / "graph.ttl")
    with pytest.raises(StoreError, match="cannot be reached"):
        graph.add([HEIGHT], fetch("k2"))
    with pytest.raises(StoreError, match="cannot be reached"):
        graph.contains(CAPITAL.triple)
    assert graph.edge_count == 1
    with Endpoint(port) as server:
        server.store = kept
        assert graph.contains(CAPITAL.triple)
        assert graph.add([HEIGHT], fetch("k2")).evidence[0].handle == "T2"
    graph.close()


def test_a_server_that_comes_back_empty_is_noticed() -> None:
    with Endpoint() as server, graph_at(server.url) as graph:
        graph.add([CAPITAL], fetch())
        server.store = ox.Store()
        with pytest.raises(StoreError, match="is gone"):
            graph.add([HEIGHT], fetch("k2"))
        assert not graph.contains(CAPITAL.triple), "memory alone is not believed"
        assert graph.edge_count == 1, "but what was read can still be seen and exported"
        assert len(server.store) == 0


def test_the_server_is_restarted_between_two_calls(tmp_path: Path) -> None:
    with serve_empty("oxigraph", tmp_path) as url:
        graph = graph_at(url)
        graph.add([CAPITAL], fetch())
    port = int(url.rsplit(":", 1)[1].split("/")[0])
    with serve_empty("oxigraph", tmp_path, port=port):
        assert graph.contains(CAPITAL.triple)
        assert graph.add([HEIGHT], fetch("k2")).evidence[0].handle == "T2"
    graph.close()


def test_a_store_of_another_version() -> None:
    with Endpoint() as server:
        with graph_at(server.url):
            pass
        server.store.update(
            "DELETE { GRAPH ?g { ?s <urn:robodata:term:format> ?o } } "
            "INSERT { GRAPH ?g { ?s <urn:robodata:term:format> '99' } } "
            "WHERE { GRAPH ?g { ?s <urn:robodata:term:format> ?o } }"
        )
        with pytest.raises(StoreError, match="format 99"):
            graph_at(server.url)


# -- whole runs -------------------------------------------------------------------------------


def test_a_run_whose_store_fails_says_so(tmp_path: Path) -> None:
    with Endpoint() as server:
        robodata = RoboData.open(store=f"sparql:{server.url}", http_tries=1)
        with robodata:
            assert robodata.ask("What is the capital of Canada?").status is AnswerStatus.ANSWERED
            server.fault = on("update", 500)  # type: ignore[assignment]
            answer = robodata.ask("Who is the father of Douglas Adams?")
            assert answer.status in (AnswerStatus.UNKNOWN, AnswerStatus.FAILED)
            assert "Facts could not be stored in the local graph. The server" in answer.text
            assert "The 1 triple it held before can still be read." in answer.text
            assert robodata.store.edge_count == 1
            server.fault = lambda kind, text: ""
            again = robodata.ask("Who is the father of Douglas Adams?")
            assert again.status is AnswerStatus.ANSWERED


def test_a_run_is_not_answered_from_what_cannot_be_confirmed(tmp_path: Path) -> None:
    with (
        open_snapshot(tiny_snapshot(tmp_path / "tiny")) as source,
        Endpoint() as server,
        graph_at(server.url, tries=1) as graph,
    ):
        robodata = RoboData(load_settings(), source, graph)
        question = "What is the capital of Canada?"
        assert robodata.ask(question).status is AnswerStatus.ANSWERED
        server.fault = lambda kind, text: 500
        answer = robodata.ask(question)
        assert answer.status is AnswerStatus.FAILED
        assert "The server of the local graph cannot be used" in answer.text
        assert robodata.failure is not None and not answer.claims
