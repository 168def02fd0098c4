"""Growing a snapshot from a Wikibase on loopback: whole, resumed, limited, refreshed, faulty."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from robodata_core.cancellation import CancelToken
from robodata_core.cli import run
from robodata_core.errors import CancelledError, ConfigurationError, LoadError, SourceError
from robodata_core.model import EntityValue
from robodata_core.serve.wikibase import Reply, WikibaseApi
from robodata_core.sources.growing import Growth, Plan, Step
from robodata_core.sources.snapshot import SnapshotSource, open_snapshot
from tests.core.sources.live import serving, wikidata_at
from tests.faults import FaultyServer

CANADA = "Q16"


@pytest.fixture(scope="module")
def sample() -> Iterator[SnapshotSource]:
    with open_snapshot("wikidata-sample") as source:
        yield source


@pytest.fixture
def server(sample: SnapshotSource) -> Iterator[FaultyServer]:
    with serving(sample) as running:
        yield running


def growth(server: FaultyServer, output: Path, *topics: str, **more: object) -> Growth:
    plan = Plan(topics or (CANADA,), **more)  # type: ignore[arg-type]
    sources = {language: wikidata_at(server) for language in plan.languages}
    return Growth(sources, output, plan, pause=0.0)


def grown(server: FaultyServer, output: Path, *topics: str, **more: object) -> Step:
    with growth(server, output, *topics, **more) as crawl:
        step = crawl.run(id_ for id_, _ in crawl.estimate().topics)
        crawl.write()
    return step


def test_what_was_grown_says_what_the_source_says(
    server: FaultyServer, sample: SnapshotSource, tmp_path: Path
) -> None:
    step = grown(server, tmp_path / "canada", depth=0)
    assert step.entities == 1 and step.waiting == 0
    with open_snapshot(tmp_path / "canada") as ours:
        theirs = sample.statements(CANADA, limit=500)
        told = ours.statements(CANADA, limit=500)
        assert {s.triple for s in told.statements} == {s.triple for s in theirs.statements}
        assert {s.rank for s in told.statements} == {s.rank for s in theirs.statements}
        assert all(s.origin.startswith("wikidata-") for s in told.statements)
        ids = [s.value.id for s in told.statements if isinstance(s.value, EntityValue)]
        labels = {e.id: e.label for e in ours.entities(ids).values()}
        assert labels == {e.id: e.label for e in sample.entities(ids).values()}
        assert ours.property("P36").label == sample.property("P36").label


def test_it_goes_down_to_members_and_out_along_statements(
    server: FaultyServer, sample: SnapshotSource, tmp_path: Path
) -> None:
    members = sample.statements("Q5107", direction=_in(), property="P31", limit=50).statements
    grown(server, tmp_path / "continents", "continent", depth=1)
    with open_snapshot(tmp_path / "continents") as ours:
        for statement in members:
            assert ours.statements(statement.subject, property="P31").total >= 1


def _in() -> object:
    from robodata_core.model import Direction

    return Direction.IN


def test_an_interrupted_crawl_goes_on_where_it_was(server: FaultyServer, tmp_path: Path) -> None:
    cancel = CancelToken()
    with (
        growth(server, tmp_path / "x", depth=1) as crawl,
        pytest.raises(CancelledError),
    ):
        crawl.run([CANADA], told=lambda step: cancel.cancel() if step.entities else None,
                  cancel=cancel)  # fmt: skip
    with growth(server, tmp_path / "x", depth=1) as crawl:
        seen: list[Step] = []
        last = crawl.run([CANADA], told=seen.append)
        crawl.write()
    assert seen[0].entities >= 1, "what was read before is not read again"
    with growth(server, tmp_path / "whole", depth=1) as crawl:
        assert crawl.run([CANADA]).entities == last.entities


def test_the_limit_holds_and_more_can_be_asked_for(server: FaultyServer, tmp_path: Path) -> None:
    first = grown(server, tmp_path / "x", depth=2, limit=300)
    assert first.full and first.waiting > 0
    assert first.statements < 300 + 500, "at most one entity goes over the limit"
    second = grown(server, tmp_path / "x", depth=2, limit=900)
    assert first.statements < second.statements < 900 + 500


def test_refreshing_reads_again_what_is_old(server: FaultyServer, tmp_path: Path) -> None:
    clock = [1_000.0]
    plan = Plan((CANADA,), depth=0, update_after=100.0)

    def crawl() -> list[Step]:
        seen: list[Step] = []
        with Growth(
            {"en": wikidata_at(server)}, tmp_path / "x", plan, now=lambda: clock[0], pause=0.0
        ) as made:
            made.run([CANADA], told=seen.append)
        return seen

    crawl()
    clock[0] += 50
    assert crawl()[0].waiting == 0
    clock[0] += 500
    assert crawl()[0].waiting == 1


@pytest.mark.parametrize("fault", ["429=0:2", "503:2", "maxlag:2", "reset:1", "malformed:1@sparql"])
def test_passing_faults_of_the_service_change_nothing(
    sample: SnapshotSource, tmp_path: Path, fault: str
) -> None:
    with serving(sample, fault) as server:
        step = grown(server, tmp_path / "x", depth=0)
    assert step.entities == 1
    with open_snapshot(tmp_path / "x") as ours:
        assert ours.statements(CANADA, property="P36").total == 1


def test_a_service_that_fails_for_good_leaves_what_was_read(
    sample: SnapshotSource, tmp_path: Path
) -> None:
    with serving(sample) as server:
        grown(server, tmp_path / "x", depth=0)
    with serving(sample, "500") as server, growth(server, tmp_path / "x", depth=1) as crawl:
        with pytest.raises(SourceError):
            crawl.run([CANADA, "Q30"])
        crawl.write()
    with open_snapshot(tmp_path / "x") as ours:
        assert ours.statements(CANADA, property="P36").total == 1


def test_what_another_source_has_grown_is_not_mixed_up(
    server: FaultyServer, tmp_path: Path
) -> None:
    grown(server, tmp_path / "x", depth=0)
    with open_snapshot("wikidata-sample") as other, pytest.raises(ConfigurationError):
        Growth({"en": other}, tmp_path / "x", Plan((CANADA,)))


@pytest.mark.parametrize("kind", ["a b<>", "\ud800", "x-" * 9_000, "é"])
def test_what_a_service_says_of_its_properties_spoils_no_crawl(
    sample: SnapshotSource, tmp_path: Path, kind: str
) -> None:
    """The data type of a property becomes part of an IRI."""

    class Odd(WikibaseApi):
        def action(self, parameters: Mapping[str, str]) -> Reply:
            reply = super().action(parameters)
            plain = json.loads(reply.body)
            for entity in plain.get("entities", {}).values():
                if "datatype" in entity:
                    entity["datatype"] = kind
            return replace(reply, body=json.dumps(plain).encode())

    with serving(Odd(sample)) as server:
        grown(server, tmp_path / "canada", depth=0)
    with open_snapshot(tmp_path / "canada") as ours:
        assert ours.property("P36").label == sample.property("P36").label


def test_entities_count_for_the_limit_however_little_is_said_of_them(
    server: FaultyServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a service could go on for ever with members of which it says nothing."""
    monkeypatch.setattr("robodata_core.sources.growing.BATCH", 1)
    with growth(server, tmp_path / "x", depth=2, limit=3) as crawl:
        monkeypatch.setattr(crawl._main, "statements_many", lambda ids, **_: {})
        monkeypatch.setattr(crawl, "_members", lambda id_: [f"{id_}0", f"{id_}1"])
        step = crawl.run([CANADA])
    assert step.full and step.entities == 3


def test_nothing_is_read_for_a_place_that_is_taken(server: FaultyServer, tmp_path: Path) -> None:
    (tmp_path / "x").write_text("mine")
    with pytest.raises(LoadError, match="is not a snapshot, so it is not replaced"):
        growth(server, tmp_path / "x")


@pytest.mark.parametrize("place", ["damaged", "file/x", "none/x"])
def test_a_crawl_that_cannot_be_kept_is_a_sentence(
    server: FaultyServer, tmp_path: Path, place: str
) -> None:
    (tmp_path / "damaged.growing").write_text("no data base, but text\n" * 90)
    (tmp_path / "file").touch()
    (tmp_path / "none").symlink_to("/proc/none")
    with pytest.raises(ConfigurationError, match="cannot be used"):
        growth(server, tmp_path / place)


def test_an_unknown_topic_is_said(server: FaultyServer, tmp_path: Path) -> None:
    with (
        growth(server, tmp_path / "x", "zzyzx") as crawl,
        pytest.raises(ConfigurationError, match="zzyzx"),
    ):
        crawl.estimate()


def test_the_command_estimates_grows_and_says_how_to_ask(
    server: FaultyServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("ROBODATA_WIKIDATA_API", server.api_url)
    monkeypatch.setenv("ROBODATA_WIKIDATA_SPARQL", server.sparql_url)
    output = str(tmp_path / "canada")
    line = ["kg", "grow", output, "--topic", "Canada", "--depth", "0", "--languages", "en,de"]
    assert run([*line, "--estimate"]) == 0
    assert "Canada (Q16)" in capfd.readouterr().err and not (tmp_path / "canada").exists()
    assert run([*line, "--yes"]) == 0
    assert f"--source snapshot:{output}" in capfd.readouterr().err
    with open_snapshot(output) as ours:
        assert ours.entity(CANADA).label == "Canada"
