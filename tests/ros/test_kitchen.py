"""The scripted flat of ``examples/kitchen.py``: the map finds what is true in it, by type."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from robodata_core.api import RoboData
from robodata_core.belief import (
    BeliefMap,
    Call,
    FindQuery,
    MapSettings,
    MapSource,
    Planning,
    Pose,
    Region,
    RegionKind,
    Sighting,
    WorldSource,
)
from robodata_core.cancellation import CancelToken
from robodata_core.config import Settings
from robodata_core.sources.snapshot import open_snapshot
from robodata_core.store.graph import LocalGraph
from robodata_ros.enrichment import ClassLookup, LabelTable
from robodata_ros.links import ClassLinks

ROOT = Path(__file__).resolve().parent.parent.parent


def load() -> Any:
    spec = importlib.util.spec_from_file_location("kitchen", ROOT / "examples" / "kitchen.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["kitchen"] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("seed", [7, 11, 2026])
def test_the_map_holds_what_is_true_after_noise_misses_and_slips(seed: int) -> None:
    kitchen = load()
    now = [0.0]
    regions = [
        Region(id_, class_id, RegionKind(kind), "map", Pose(place), size)
        for id_, class_id, kind, place, size in kitchen.REGIONS
    ]
    belief = BeliefMap(MapSettings(), lambda: now[0], (), regions)
    for seconds, seen in kitchen.looks(seed=seed, minutes=2):
        now[0] = seconds
        sightings = [Sighting(label, Pose(place), score) for label, place, score in seen]
        belief.see(sightings, frame="map", stamp=1.7e9 + seconds, source="/objects")
        belief.tick()
    assert len(belief.objects(gone=True)) == len(kitchen.things()) == 30
    source = open_snapshot("household")
    links = ClassLinks(ClassLookup([source], LabelTable.read(), ("P279",)))
    world = WorldSource(MapSource(belief, links.entity), [source])
    try:
        for thing in belief.things().values():
            links.entity(thing.class_id)
        assert links.settle(30)
        planning = Planning(world)
        wrong = []
        checks = kitchen.typed_checks()
        for class_id, region, _, number in checks:
            query = FindQuery(class_id, region=region, seen_only=True)
            found = planning.find(query, Call("test"), CancelToken())
            if len(found) != number:
                wrong.append((class_id, region, [one.item.id for one in found], number))
        assert len(checks) == 125
        assert wrong == []
    finally:
        links.stop()
        world.close()


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is read from /proc")
def test_memory_is_flat_over_an_hour() -> None:
    # In a process of its own: here, memory that other tests have freed would hide what grows.
    script = "from tests.ros.test_kitchen import watch; watch(60)"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    after_ten_minutes, after_an_hour = map(float, done.stdout.split())
    assert after_an_hour - after_ten_minutes < 1.0


def watch(minutes: float) -> None:
    """Show the script to a map; print the megabytes held after ten minutes, and at the end."""
    kitchen = load()
    now = [0.0]
    belief = BeliefMap(MapSettings(), lambda: now[0], (), ())
    for seconds, seen in kitchen.looks(minutes=minutes):
        now[0] = seconds
        sightings = [Sighting(label, Pose(place), score) for label, place, score in seen]
        belief.see(sightings, frame="map", stamp=1.7e9 + seconds, source="/objects")
        belief.tick()
        if seconds == 600.0:
            print(_held())
    print(_held())


def _held() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


@pytest.fixture(scope="module")
def asked() -> Iterator[tuple[Any, RoboData]]:
    """The script, and a RoboData over the map it has been shown to."""
    kitchen = load()
    now = [0.0]
    regions = [
        Region(id_, class_id, RegionKind(kind), "map", Pose(place), size)
        for id_, class_id, kind, place, size in kitchen.REGIONS
    ]
    belief = BeliefMap(MapSettings(), lambda: now[0], (), regions)
    for seconds, seen in kitchen.looks(minutes=1):
        now[0] = seconds
        sightings = [Sighting(label, Pose(place), score) for label, place, score in seen]
        belief.see(sightings, frame="map", stamp=1.7e9 + seconds, source="/objects")
        belief.tick()
    source = open_snapshot("household")
    links = ClassLinks(ClassLookup([source], LabelTable.read(), ("P279",)))
    world = WorldSource(MapSource(belief, links.entity), [source])
    for thing in belief.things().values():
        links.entity(thing.class_id)
    assert links.settle(30)
    yield kitchen, RoboData(Settings(policy="offline"), world, LocalGraph.in_memory())
    links.stop()
    world.close()


@pytest.mark.parametrize("part", range(3))
def test_questions_in_words_are_answered_and_none_wrongly(
    asked: tuple[Any, RoboData], part: int
) -> None:
    kitchen, robodata = asked
    marks: dict[str, list[str]] = {"right": [], "wrong": [], "none": []}
    for question in kitchen.questions()[part::3]:
        answer = robodata.ask(question.text)
        results = [
            {True: "yes", False: "no"}[item.value]
            if isinstance(item.value, bool)
            else item.label or str(item.value)
            for item in answer.results
        ]
        marks[kitchen.mark(question, results)].append(question.text)
    assert marks["wrong"] == []
    assert len(marks["right"]) >= 19, marks["none"]


def test_the_script_asks_sixty_questions() -> None:
    kitchen = load()
    asked = kitchen.questions()
    assert len({question.text for question in asked}) == len(asked) == 60
    cup = kitchen.Question("How many?", frozenset({"3"}))
    assert [kitchen.mark(cup, given) for given in ([], ["3"], ["4"])] == ["none", "right", "wrong"]
