"""The map in RDF: kept up to date by what changed, and the same as if it was made anew."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path

import pytest

from robodata_core.belief import (
    BeliefMap,
    MapSettings,
    MapSource,
    Message,
    ObjectState,
    Pose,
    Region,
    RegionKind,
    Sighting,
    WorldSource,
    _rdf,
    vocabulary,
)
from robodata_core.belief._rdf import MapGraph
from robodata_core.model import Direction, Entity
from robodata_core.sources.base import QueryLimits
from robodata_core.sources.snapshot import open_snapshot
from robodata_core.store.graph import Fetch, LocalGraph
from robodata_core.values import format_value
from tests.conftest import ROOT
from tests.core.belief.worlds import REGIONS, Clock, at, empty_map, see

CLASSES = {"cup": Entity("Q81727", "cup"), "table": Entity("Q14748", "table")}
NAMES = ("cup", "knife", "table", "box")
PATH = "SELECT ?x WHERE { ?x <urn:robodata:relation:on>/<urn:robodata:relation:in> ?room }"
"""A path is never judged cheap, so a process of its own answers it."""


def anything(chance: random.Random, number: int) -> Sighting:
    turn = chance.choice([(0.0, 0.0, 0.0, 1.0), (0.0, 0.0, 0.6, 0.8)])
    size = chance.choice([(0.0, 0.0, 0.0), (0.1, 0.1, 0.2), (1.0, 0.8, 0.7)])
    place = (chance.uniform(-1, 11), chance.uniform(-1, 5), chance.uniform(0, 1.5))
    return Sighting(
        chance.choice(NAMES), Pose(place, turn), chance.random(), f"o{number}", "", size
    )


def crowd(seed: int) -> tuple[BeliefMap, Clock, random.Random]:
    chance, clock = random.Random(seed), Clock()
    belief = BeliefMap(MapSettings(lost_after=2.0, gone_after=6.0), clock, (), REGIONS)
    return belief, clock, chance


@pytest.mark.parametrize("seed", range(8))
def test_what_changed_leads_to_the_same_graph_as_all_of_it_anew(seed: int) -> None:
    belief, clock, chance = crowd(seed)
    classes = dict(CLASSES)
    source = MapSource(belief, classes.get)
    graph, held = MapGraph(source), set()
    for step in range(12):
        clock.now += 1.0
        seen = [anything(chance, n) for n in range(40) if chance.random() < 0.3]
        see(belief, clock, *seen)
        belief.tick()
        if step == 5:
            belief.add_regions(
                [Region("nook", "nook", RegionKind.VOLUME, "map", Pose(), (2, 2, 2))]
            )
        if step == 8:
            belief.remove("nook")
            classes["box"] = Entity("urn:x:box", "box")  # a class that is linked late
        removed, added = graph.changes()
        assert held.issuperset(removed)
        held.difference_update(removed)
        assert held.isdisjoint(added)
        held.update(added)
        assert held == set(source.quads())
        assert graph.changes() == ([], [])
    assert any(item.state is ObjectState.GONE for item in belief.objects(gone=True))


@pytest.mark.parametrize("seed", range(8))
def test_all_relations_at_once_are_those_of_each_thing(seed: int) -> None:
    belief, clock, chance = crowd(seed)
    see(belief, clock, *(anything(chance, number) for number in range(60)))
    names = tuple(vocabulary.SPATIAL.values())
    lies = belief.layout().lies()
    found = 0
    for id_, thing in belief.things().items():
        one_by_one = {(item.name, item.target) for item in belief.relations(thing, names)}
        assert lies[id_] == one_by_one
        found += len(one_by_one)
        for name in names:
            from_there = {item.target for item in belief.layout().related(thing, name)}
            assert from_there == {other for other in lies if (name, id_) in lies[other]}
    assert found > 60


def test_statements_and_graph_say_the_same() -> None:
    belief, clock, chance = crowd(3)
    see(belief, clock, *(anything(chance, number) for number in range(30)))
    source = MapSource(belief, CLASSES.get)
    said = {
        (item.subject, item.property)
        for id_ in belief.things()
        for item in source.statements(
            vocabulary.instance_iri(id_), direction=Direction.OUT, limit=1_000
        ).statements
    }
    predicates = {node: id_ for id_, node in _rdf._PREDICATES.items()}
    written = {
        (quad.subject.value, predicates[quad.predicate])
        for quad in source.quads()
        if quad.predicate in predicates and vocabulary.id_of(quad.subject.value)
    }
    assert {name for _, name in written - said} == {vocabulary.MESSAGE}
    assert said <= written


MESSAGE = """
  ?thing r:message ?message . ?message r:topic ?topic ; r:stamp ?stamp ; r:frame ?frame ;
    r:detector ?detector ; r:sequence_number ?number }"""
REFERENCE = """PREFIX r: <urn:robodata:reference:urn%%3Arobodata%%3Arelation%%3A>
SELECT ?topic ?stamp ?frame ?detector ?number WHERE {
  ?statement rdf:subject ?s ; rdf:predicate ?p ; rdf:object ?o ; prov:wasDerivedFrom ?from .
  ?from r:topic ?topic ; r:stamp ?stamp ; r:frame ?frame ; r:detector ?detector ;
    r:sequence_number ?number . VALUES (?s ?p ?o) { (%s %s %s) } }"""


def test_one_query_leads_from_what_was_observed_to_the_message_that_told_it(
    world: tuple[WorldSource, BeliefMap, Clock],
) -> None:
    source, belief, clock = world
    told = Message("/camera/objects", "1700000001.123456789", "camera", "/detector", 41)
    cup, chair = at("cup", 2.0, 2.0, id_="a"), at("chair", 8.0, 2.0, id_="b")
    belief.see((cup, chair), frame="map", stamp=1.7e9, source="", message=told)
    later = replace(told, stamp="1700000002.000000001", sequence=42)
    belief.see((cup,), frame="map", stamp=1.7e9 + 1, source="", message=later)
    wanted = {
        "a": ["/camera/objects", "1700000002.000000001", "camera", "/detector", "42"],
        "b": ["/camera/objects", "1700000001.123456789", "camera", "/detector", "41"],
    }
    observed = [quad for quad in source.map.quads() if vocabulary.id_of(quad.subject.value)]
    seen = [quad for quad in observed if vocabulary.id_of(quad.subject.value) in wanted]
    assert len(seen) > 15
    for quad in seen:
        found = source.sparql(
            "PREFIX r: <urn:robodata:relation:> SELECT ?topic ?stamp ?frame ?detector ?number "
            f"WHERE {{ VALUES ?thing {{ {quad.subject} }} ?thing {quad.predicate} {quad.object} ."
            + MESSAGE
        )
        (row,) = found.rows
        texts = [format_value(value) for value in row if value is not None]
        assert texts == wanted[str(vocabulary.id_of(quad.subject.value))]
    graph = LocalGraph.in_memory()
    stated = source.statements("urn:robodata:map:a", direction=Direction.OUT).statements
    graph.add(stated, Fetch("run", "c1", "fetch_node", datetime.now(timezone.utc)))
    kept = [quad for quad in seen if vocabulary.id_of(quad.subject.value) == "a"]
    kept = [quad for quad in kept if quad.predicate.value in {p.id for p in vocabulary.PROPERTIES}]
    for quad in kept:
        (row,) = graph.query(REFERENCE % (quad.subject, quad.predicate, quad.object)).rows
        assert [format_value(value) for value in row if value is not None] == wanted["a"]


def test_the_noise_of_looks_is_no_news_and_a_move_is() -> None:
    clock, chance = Clock(), random.Random(5)
    belief = empty_map(clock)
    source = MapSource(belief, CLASSES.get)
    graph = MapGraph(source)

    def look(x: float, noise: float = 0.0) -> float:
        clock.now += 1 / 20
        see(belief, clock, at("cup", x + chance.gauss(0, noise), 2.0, id_="a"))
        (said,) = source.statements(
            "urn:robodata:map:a", direction=Direction.OUT, property=vocabulary.AXES[0]
        ).statements
        return float(said.value.amount)  # type: ignore[union-attr]

    for _ in range(20):
        assert abs(look(2.0, 0.01) - 2.0) <= 0.03
    graph.changes()
    placed = {_rdf._PREDICATES[id_] for id_ in (vocabulary.POSITION, *vocabulary.AXES)}
    news = 0
    for _ in range(50):
        look(2.0, 0.01)
        news += any(quad.predicate in placed for quad in graph.changes()[1])
    assert news < 15
    assert look(2.06) == 2.06  # less than the object must move to have moved, and told all the same
    belief.correct("a", {"pose": Pose((2.01, 2.0, 0.8)), "frame": "map"}, "somebody")
    assert "2.01" in str(source.plain_value(belief.things()["a"], vocabulary.POSITION))


@pytest.fixture
def world() -> Iterator[tuple[WorldSource, BeliefMap, Clock]]:
    clock = Clock()
    belief = empty_map(clock)
    source = WorldSource(MapSource(belief, CLASSES.get), [open_snapshot("wikidata-sample")])
    yield source, belief, clock
    source.close()


def on_what_is_in_a_room(source: WorldSource) -> set[str]:
    result = source.sparql(PATH, limits=QueryLimits(seconds=60.0))
    return {str(vocabulary.id_of(row[0].id)) for row in result.rows}  # type: ignore[union-attr]


def test_a_process_hears_of_every_change(
    world: tuple[WorldSource, BeliefMap, Clock], monkeypatch: pytest.MonkeyPatch
) -> None:
    source, belief, clock = world
    see(belief, clock, at("cup", 2.0, 2.0, id_="a"), at("cup", 2.2, 2.0, id_="b"))
    dumped: list[bytes] = []
    processes = source._store._processes
    dump = processes._data
    monkeypatch.setattr(processes, "_data", lambda: dumped.append(dump()) or dumped[-1])
    assert on_what_is_in_a_room(source) == {"a", "b"}
    belief.remove("a")
    assert on_what_is_in_a_room(source) == {"b"}
    for number in range(3):  # several changes between two queries
        clock.now += 1.0
        see(belief, clock, at("cup", 2.0 + number, 2.0, id_="b"), at("cup", 1.9, 2.0, id_="c"))
        source.sparql("ASK { <urn:robodata:map:c> ?p ?o }")
    assert on_what_is_in_a_room(source) == {"c"}
    assert on_what_is_in_a_room(source) == {"c"}
    assert len(dumped) == 1
    monkeypatch.setattr(_rdf, "_MOST_BEHIND", 3)
    clock.now += 1.0
    see(belief, clock, at("cup", 2.1, 2.0, id_="b"), at("cup", 7.9, 2.0, id_="c"))
    assert on_what_is_in_a_room(source) == {"b"}
    assert len(dumped) == 2


def test_a_process_that_was_ended_is_replaced(
    world: tuple[WorldSource, BeliefMap, Clock],
) -> None:
    source, belief, clock = world
    see(belief, clock, at("cup", 2.0, 2.0, id_="a"))
    assert on_what_is_in_a_room(source) == {"a"}
    source._store._processes._idle[0].end()
    see(belief, clock, at("cup", 8.0, 2.0, id_="a"), at("cup", 2.0, 2.0, id_="b"))
    assert on_what_is_in_a_room(source) == {"b"}


def test_a_graph_that_is_made_anew_says_what_it_said(
    world: tuple[WorldSource, BeliefMap, Clock], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_rdf, "_MOST_REMOVED", 5)
    source, belief, clock = world
    for number in range(6):
        clock.now += 1.0
        x = 8.0 if number % 2 else 2.0
        see(belief, clock, at("cup", x, 2.0, id_="a"), at("cup", 10.0 - x, 2.0, id_="b"))
        assert on_what_is_in_a_room(source) == ({"b"} if number % 2 else {"a"})
        rows = source.sparql("SELECT ?c { <urn:robodata:map:a> wdt:P31 ?c . ?c wdt:P186 ?m }").rows
        assert rows  # what the ontology says is there as well


_GROWTH = """
from tests.core.belief.test_graph import CLASSES, MapSource, at, empty_map, see
from tests.core.belief.worlds import Clock

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096 / 2**20

clock = Clock()
belief = empty_map(clock)
source = MapSource(belief, CLASSES.get)

def ask(times):
    for number in range(times):
        clock.now += 1.0
        x = clock.now / 1e3
        see(belief, clock, *(at("cup", x + n, 2.0, id_=f"cup_{n}") for n in range(50)))
        assert source.sparql("ASK { <urn:robodata:map:cup_7> wdt:P31 wd:Q81727 }").boolean

ask(300)
before = resident()
ask(600)
print(resident() - before)
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is read from /proc")
def test_queries_of_a_map_that_changes_leave_nothing_behind(tmp_path: Path) -> None:
    script = tmp_path / "growth.py"
    script.write_text(
        "from robodata_core.belief import _rdf\n_rdf._MOST_REMOVED = 5_000\n" + _GROWTH
    )
    done = subprocess.run(
        [sys.executable, str(script)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 4.0
