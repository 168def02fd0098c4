"""From settings to sources: kinds, chains, credentials, recordings, and whole runs over them."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path

import pyoxigraph as ox
import pytest

from robodata_core import RoboData
from robodata_core.config import Settings, load_settings
from robodata_core.errors import ConfigurationError, SnapshotError, SourceError
from robodata_core.events import GraphChanged, RunEvent
from robodata_core.model import AnswerStatus
from robodata_core.sources.chained import ChainedSource
from robodata_core.sources.open import open_source
from robodata_core.sources.snapshot import SnapshotSource, open_snapshot
from robodata_core.sources.snapshot.loading import write_snapshot
from robodata_core.sources.sparql import SparqlSource
from robodata_core.sources.wikibase import WikidataSource
from tests.core.fixtures import tiny_snapshot
from tests.core.sources.live import serving
from tests.faults import FaultyServer

CAPITAL = "What is the capital of Canada?"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_snapshot(tmp_path_factory.mktemp("open"))


@pytest.fixture(scope="module")
def snapshot(folder: Path) -> Iterator[SnapshotSource]:
    with open_snapshot(folder) as source:
        yield source


@pytest.fixture
def server(snapshot: SnapshotSource) -> Iterator[FaultyServer]:
    with serving(snapshot) as running:
        yield running


def at(server: FaultyServer, **more: object) -> dict[str, object]:
    """Settings that point ``wikidata`` at the server."""
    return {
        "source": "wikidata",
        "wikidata_api": server.api_url,
        "wikidata_sparql": server.sparql_url,
        "cache_days": 0,
        **more,
    }


def opened(**settings: object) -> Settings:
    return load_settings(**settings)


def test_kinds_of_sources(server: FaultyServer, folder: Path) -> None:
    wikidata = open_source(opened(**at(server)))
    assert isinstance(wikidata, WikidataSource)
    assert wikidata.name == f"wikibase:{server.api_url}"
    assert open_source(opened(source="wikidata", cache_days=0)).name == "wikidata"
    sparql = open_source(opened(source=f"sparql:{server.sparql_url}"))
    assert isinstance(sparql, SparqlSource)
    assert sparql.entity("Q42").label == "Douglas Adams"
    chain = open_source(opened(**at(server, source=f"snapshot:{folder}, wikidata")))
    assert isinstance(chain, ChainedSource)
    assert chain.name == f"snapshot:tiny+wikibase:{server.api_url}"
    chain.close()


@pytest.mark.parametrize(
    "source",
    [
        "nonsense",
        "snapshot:",
        "sparql:",
        "sparql:nonsense",
        "sparql:ftp://127.0.0.1/",
        "sparql:|",
        "sparql:https://user:secret@example.org/sparql",
        "wikidata:x",
    ],
)
def test_what_is_no_source_is_said(source: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        open_source(opened(source=source))
    assert "secret" not in str(caught.value)


def test_a_chain_with_a_broken_part_opens_nothing() -> None:
    with pytest.raises(SnapshotError):
        open_source(opened(source="snapshot:wikidata-sample,snapshot:no-such-one"))


@pytest.mark.parametrize(
    "settings",
    [
        {"sparql_labels": "label"},
        {"sparql_labels": ""},
        {"sparql_types": "http://example.org/> } DROP"},
        {"chain": "both"},
        {"maxlag": 0},
    ],
)
def test_settings_that_make_no_sense(settings: dict[str, object]) -> None:
    with pytest.raises(ConfigurationError):
        load_settings(**settings)


def test_the_next_endpoint_answers_where_one_cannot(snapshot: SnapshotSource) -> None:
    with serving(snapshot, "500") as broken, serving(snapshot) as good:
        source = open_source(
            opened(source=f"sparql:{broken.sparql_url},sparql:{good.sparql_url}", http_tries=1)
        )
        assert source.entity("Q42").label == "Douglas Adams"


def test_credentials_come_from_the_environment_and_go_to_the_endpoint_only(
    snapshot: SnapshotSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    basic = "Basic " + base64.b64encode(b"me:geheim").decode()
    for wanted, variables in (
        (basic, {"ROBODATA_SPARQL_USER": "me", "ROBODATA_SPARQL_PASSWORD": "geheim"}),
        ("Bearer t0k3n-t0k3n", {"ROBODATA_SPARQL_TOKEN": "t0k3n-t0k3n"}),
    ):
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        with serving(snapshot, authorization=wanted) as server:
            settings = opened(source=f"sparql:{server.sparql_url}")
            assert open_source(settings).entity("Q42").label == "Douglas Adams"
            assert "geheim" not in settings.model_dump_json()
            with pytest.raises(SourceError, match="denies access"):
                open_source(opened(**at(server))).entity("Q42")


def test_a_question_over_the_interface_of_wikidata(server: FaultyServer) -> None:
    with RoboData.open(**at(server)) as robodata:
        answer = robodata.ask(CAPITAL)
    assert answer.status is AnswerStatus.ANSWERED
    assert [item.label for item in answer.results] == ["Ottawa"]
    (evidence,) = answer.claims[0].support.evidence
    assert {item.source for item in evidence.provenance} == {f"wikibase:{server.api_url}"}


def test_a_question_over_any_endpoint(server: FaultyServer) -> None:
    with RoboData.open(source=f"sparql:{server.sparql_url}") as robodata:
        answer = robodata.ask(CAPITAL)
    assert [item.label for item in answer.results] == ["Ottawa"]


def test_a_run_is_repeated_byte_for_byte(server: FaultyServer, tmp_path: Path) -> None:
    path = str(tmp_path / "traffic.jsonl")
    with RoboData.open(**at(server, record=path)) as robodata:
        first = robodata.ask(CAPITAL)
    asked = len(server.requests)
    with RoboData.open(**at(server, replay_traffic=path)) as robodata:
        second = robodata.ask(CAPITAL)
    assert len(server.requests) == asked, "the replay used the network"
    assert second.text == first.text
    assert second.results == first.results
    assert second.trace == first.trace
    with pytest.raises(ConfigurationError, match="not both"):
        RoboData.open(record=path, replay_traffic=path)


@pytest.mark.parametrize(
    "fault",
    ["401", "404", "429", "429=+1000", "500", "503=1000", "maxlag=1000", "slow=5", "stall=5",
     "truncate", "reset", "malformed", "html", "oversize=60000000", "bomb=60000000"],
)  # fmt: skip
def test_a_run_over_a_failing_source_ends_truthfully(snapshot: SnapshotSource, fault: str) -> None:
    with serving(snapshot, sleep=lambda seconds: None) as server:
        settings = at(server, http_tries=1, http_timeout=5)
        with RoboData.open(**settings) as robodata:
            server.break_with(fault)
            answer = robodata.ask(CAPITAL, time_budget=20.0)
    if fault.startswith(("slow", "stall")):
        assert answer.status is AnswerStatus.ANSWERED  # nobody waited, so nothing was slow
    else:
        assert answer.status in (AnswerStatus.UNKNOWN, AnswerStatus.FAILED)
        assert not answer.results
        assert not [claim for claim in answer.claims if claim.supported]
        assert answer.missing or answer.text


def test_a_source_that_fails_from_the_start_says_so_and_leaves_nothing_open(
    snapshot: SnapshotSource, tmp_path: Path
) -> None:
    store = str(tmp_path / "store")
    with serving(snapshot, "500:1") as server:
        with pytest.raises(SourceError, match="failing") as caught:
            RoboData.open(**at(server, http_tries=1, store=store))
        assert caught.value.exit_code == 3
        with RoboData.open(**at(server, http_tries=1, store=store)) as robodata:
            assert robodata.ask(CAPITAL).status is AnswerStatus.ANSWERED


def test_what_was_gathered_before_a_source_failed_is_kept(snapshot: SnapshotSource) -> None:
    with serving(snapshot) as server, RoboData.open(**at(server, http_tries=1)) as robodata:

        def watch(event: RunEvent) -> None:
            if isinstance(event, GraphChanged) and event.edges:
                server.break_with("500")

        answer = robodata.ask(CAPITAL, on_event=watch)
        assert robodata.store.edge_count == 1
        assert answer.status in (AnswerStatus.ANSWERED, AnswerStatus.PARTIAL)
        (claim,) = [claim for claim in answer.claims if claim.supported]
        assert claim.support.evidence[0].triple.subject == "Q16"
        later = robodata.ask("Who is the spouse of Douglas Adams?")
        assert later.status in (AnswerStatus.UNKNOWN, AnswerStatus.FAILED)
        assert robodata.store.edge_count == 1
        server.break_with()
        assert robodata.ask(CAPITAL).status is AnswerStatus.ANSWERED


def test_sources_that_disagree_are_both_quoted(server: FaultyServer, tmp_path: Path) -> None:
    own = b"""
        @prefix wd: <http://www.wikidata.org/entity/> .
        @prefix wdt: <http://www.wikidata.org/prop/direct/> .
        @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        wd:Q16 rdfs:label "Canada"@en ; wdt:P1082 41000000.0 .
        wd:P1082 rdfs:label "population"@en .
    """
    write_snapshot(ox.parse(own, format=ox.RdfFormat.TURTLE), tmp_path / "own", name="own")
    chain = f"snapshot:{tmp_path / 'own'},wikidata"
    with RoboData.open(**at(server, source=chain, chain="merge")) as robodata:
        answer = robodata.ask("What is the population of Canada?")
    quoted = {
        (evidence.object_label, item.source)
        for claim in answer.claims
        for evidence in claim.support.evidence
        for item in evidence.provenance
    }
    assert quoted == {
        ("41,000,000", "snapshot:own"),
        ("40,000,000", f"wikibase:{server.api_url}"),
    }


def test_auto_goes_on_to_wikidata_for_what_the_default_lacks() -> None:
    with_both = open_source(opened(source="auto"))
    assert with_both.name == "snapshot:world+wikidata"
    with_both.close()
    for names in ("snapshot:world,auto", "snapshot:household,auto"):
        beside = open_source(opened(source=names))
        assert beside.name == names.replace(",auto", "+wikidata"), "for what those lack"
        beside.close()
