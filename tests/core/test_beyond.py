"""``auto``: what the snapshot answers stays here, the rest is asked of Wikidata, if it is there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyoxigraph as ox
import pytest

from robodata_core import RoboData
from robodata_core.beyond import ends_here
from robodata_core.cli import run
from robodata_core.config import load_settings
from robodata_core.events import AnswerReady, RunEvent
from robodata_core.model import Answer, AnswerStatus
from robodata_core.sources.snapshot import open_snapshot
from robodata_core.sources.snapshot.loading import write_snapshot
from tests.core.sources.live import serving
from tests.faults import FaultyServer

_ELSEWHERE = b"""
    @prefix wd: <http://www.wikidata.org/entity/> .
    @prefix wdt: <http://www.wikidata.org/prop/direct/> .
    @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    wd:Q990001 rdfs:label "Ann Lowmere"@en ; wdt:P31 wd:Q5 ; wdt:P26 wd:Q990002 .
    wd:Q990002 rdfs:label "Ben Mereby"@en ; wdt:P31 wd:Q5 .
    wd:Q5 rdfs:label "human"@en .
    wd:P26 rdfs:label "spouse"@en .
    wd:P31 rdfs:label "instance of"@en .
"""
_KNOWN = "What is the capital of Canada?"
_UNKNOWN = "Who is the spouse of Ann Lowmere?"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[FaultyServer]:
    write_snapshot(ox.parse(_ELSEWHERE, format=ox.RdfFormat.TURTLE), tmp_path / "far", name="far")
    with open_snapshot(tmp_path / "far") as source, serving(source) as running:
        yield running


def _open(api: str, sparql: str) -> RoboData:
    return RoboData.open(
        source="auto", wikidata_api=api, wikidata_sparql=sparql, cache_days=0, http_tries=1
    )


def test_what_the_snapshot_answers_is_asked_of_nobody_else() -> None:
    # Nothing listens there: a request would be noted.
    with _open("http://127.0.0.1:9/w/api.php", "http://127.0.0.1:9/sparql") as robodata:
        answer = robodata.ask(_KNOWN)
    assert answer.status is AnswerStatus.ANSWERED
    assert not any("Wikidata" in note for note in answer.notes)


@pytest.mark.parametrize(
    "command",
    [
        ["ask", _KNOWN],
        ["verify", "Canada", "P36", "Ottawa"],
        ["kg", "search", "Canada"],
    ],
)
def test_what_leaves_the_machine_is_said_first(
    command: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("API", "SPARQL"):
        monkeypatch.setenv(f"ROBODATA_WIKIDATA_{name}", "http://127.0.0.1:9/")
    monkeypatch.setenv("ROBODATA_HTTP_TRIES", "1")
    run([*command, "--source", "auto"])
    assert capsys.readouterr().err.startswith("robodata: What snapshot:world does not answer is")
    run([*command, "--source", "snapshot:world"])
    assert "are sent there" not in capsys.readouterr().err.partition("Live Wikidata")[0]


def test_without_a_network_the_rest_is_unknown_and_that_is_said() -> None:
    with _open("http://127.0.0.1:9/w/api.php", "http://127.0.0.1:9/sparql") as robodata:
        answer = robodata.ask(_UNKNOWN)
        assert answer.status is AnswerStatus.UNKNOWN
        assert any("Wikidata could not be asked" in note for note in answer.notes)
        assert robodata.ask(_KNOWN).status is AnswerStatus.ANSWERED


def test_what_the_snapshot_does_not_answer_is_asked_of_wikidata(server: FaultyServer) -> None:
    events: list[RunEvent] = []
    with _open(server.api_url, server.sparql_url) as robodata:
        answer = robodata.ask(_UNKNOWN, on_event=events.append)
    assert answer.status is AnswerStatus.ANSWERED
    assert [item.label for item in answer.results] == ["Ben Mereby"]
    (cited,) = answer.claims[0].support.evidence
    assert all(one.source.startswith("wikibase:") for one in cited.provenance)
    told = [event.answer for event in events if isinstance(event, AnswerReady)]
    assert told[-1].results == answer.results


def test_an_unknown_answer_says_what_was_asked_and_what_else_may_know() -> None:
    settings = load_settings(source="snapshot:world,snapshot:household")
    unknown = ends_here(settings, Answer("Who?", AnswerStatus.UNKNOWN))
    assert "snapshot:world and snapshot:household" in unknown.notes[0]
    assert "grow" in unknown.notes[0]
    known = Answer("Who?", AnswerStatus.ANSWERED)
    assert ends_here(settings, known) is known
    live = load_settings(source="snapshot:world,wikidata")
    assert ends_here(live, Answer("Who?", AnswerStatus.UNKNOWN)).notes == ()
