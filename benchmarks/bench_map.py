"""A robot's map under load: 200 objects at 20 Hz, queries meanwhile, an hour of simulated time.

The first part is the map alone, in processor time. The second is the real node in its own process
with a detector in this one; it needs rclpy and robodata_msgs (``make ros-env``) and is left out
without them.
"""

from __future__ import annotations

import gc
import importlib.util
import os
import random
import resource
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from benchmarks._common import Result, main, percentile
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
from robodata_core.model import Direction, Entity
from robodata_core.sources.snapshot import open_snapshot
from robodata_core.store.graph import LocalGraph

OBJECTS, RATE = 200, 20
CLASSES = {"cup": "Q81727", "knife": "Q32489", "bowl": "Q153988", "chair": "Q15026"}
NAMES = tuple(CLASSES)
REGIONS = tuple(
    Region(
        f"room_{n}",
        "kitchen",
        RegionKind.VOLUME,
        "map",
        Pose((5.0 * n + 2.5, 2.5, 1.25)),
        (5, 5, 2.5),
    )
    for n in range(4)
) + tuple(
    Region(
        f"table_{n}",
        "table",
        RegionKind.SURFACE,
        "map",
        Pose((5.0 * n + 2.5, 2.5, 0.75)),
        (2, 1, 0),
    )
    for n in range(4)
)


class _Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class _Scene:
    """Objects that stand about, are seen with noise, and move now and then."""

    def __init__(self, seed: int, *, with_ids: bool) -> None:
        self._chance = random.Random(seed)
        self._with_ids = with_ids
        self.places = [self._anywhere() for _ in range(OBJECTS)]

    def _anywhere(self) -> tuple[float, float, float]:
        return (self._chance.uniform(0.1, 19.9), self._chance.uniform(0.1, 4.9), 0.8)

    def look(self) -> list[Sighting]:
        chance = self._chance
        moved = chance.randrange(OBJECTS * 10)
        if moved < OBJECTS:
            self.places[moved] = self._anywhere()
        return [
            Sighting(
                NAMES[n % len(NAMES)],
                Pose((x + chance.gauss(0, 0.01), y + chance.gauss(0, 0.01), z)),
                0.8,
                f"{NAMES[n % len(NAMES)]}_{n}" if self._with_ids else "",
            )
            for n, (x, y, z) in enumerate(self.places)
        ]


def _see(belief: BeliefMap, scene: _Scene, clock: _Clock) -> float:
    """Let the map see one array; return the processor time it took, in seconds."""
    sightings = scene.look()
    clock.now += 1 / RATE
    start = time.process_time()
    belief.see(sightings, frame="map", stamp=1.7e9 + clock.now, source="bench")
    belief.tick()
    return time.process_time() - start


def _load(looks: int) -> list[Result]:
    results = []
    for with_ids in (True, False):
        clock = _Clock()
        belief = BeliefMap(MapSettings(), clock, (), REGIONS)
        scene = _Scene(1, with_ids=with_ids)
        spent = [_see(belief, scene, clock) for _ in range(looks)]
        share = 100 * RATE * sum(spent) / looks
        how = "with the detector's ids" if with_ids else "without ids, associated by place"
        results.append(
            Result(f"processor time of the map alone, {how}", share, "% of a core", 50.0)
        )
    return results


def _queries(count: int) -> list[Result]:
    clock = _Clock()
    belief = BeliefMap(MapSettings(), clock, (), REGIONS)
    scene = _Scene(2, with_ids=True)
    source = open_snapshot("wikidata-sample")
    entities = {name: Entity(id_, name) for name, id_ in CLASSES.items()}
    entities |= {"kitchen": Entity("Q43164", "kitchen"), "table": Entity("Q14748", "table")}
    world = WorldSource(MapSource(belief, entities.get), [source])
    planning = Planning(world)
    token, call = CancelToken(), Call("bench")
    queries: dict[str, Callable[[], object]] = {
        "cups near a table": lambda: planning.find(FindQuery("cup", near="table_1"), call, token),
        "containers in a room": lambda: planning.find(
            FindQuery("container", region="room_2"), call, token
        ),
        "where a cup belongs": lambda: planning.places("cup_0", call, token),
        "what is on a table (statements)": lambda: world.statements(
            "urn:robodata:map:table_1", direction=Direction.IN, property="urn:robodata:relation:on"
        ),
        "SPARQL over map and ontology, map changed": lambda: world.sparql(
            "SELECT ?x ?m { ?x wdt:P31 ?c ; wdt:P276 <urn:robodata:map:table_1> . ?c wdt:P186 ?m }"
        ),
    }
    results = []
    for name, query in queries.items():
        _see(belief, scene, clock)
        query()
        spent = []
        for _ in range(count):
            _see(belief, scene, clock)
            start = time.process_time()
            query()
            spent.append(1_000 * (time.process_time() - start))
        results.append(Result(f"{name}, p95", percentile(spent, 0.95), "ms", 20.0))
    world.close()
    return results


#: Nothing of this is on any map, or is said in words that are not read.
_UNREAD: Final = (
    "Which cups that are neither on table 1 nor near the chair were borrowed last week?",
    "Is the blue cup on the left side of the table or behind the bowl and not near the knife?",
    "Could you please tell me whether the cup and the bowl are not too heavy to be carried?",
    "Tell me everything that has changed in room 1 and in room 2 since I left this morning.",
    "Why is the knife in room 1 and not on the table where it belongs?",
    "What colour are the cups that stand on the table next to the bowl and the knife?",
)


def _unread(count: int) -> list[Result]:
    """Questions that are not understood, over 50 things: what is tried before that is told."""
    clock = _Clock()
    belief = BeliefMap(MapSettings(), clock, (), REGIONS)
    belief.see(_Scene(5, with_ids=True).look()[:50], frame="map", stamp=1.7e9, source="bench")
    entities = {name: Entity(id_, name) for name, id_ in CLASSES.items()}
    world = WorldSource(MapSource(belief, entities.get), [open_snapshot("household")])
    spent = []
    with RoboData(settings=Settings(), source=world, store=LocalGraph.in_memory()) as robodata:
        world.warm()  # as a node does
        robodata.ask("Where is the cup?")
        for question in _UNREAD * count:
            start = time.process_time()
            robodata.ask(question)
            spent.append(1_000 * (time.process_time() - start))
    name = "question that is not read, over 50 things, {}"
    return [
        Result(name.format("median"), percentile(spent, 0.5), "ms", 300.0),
        Result(name.format("slowest"), max(spent), "ms"),
    ]


def _hour(minutes: int) -> list[Result]:
    """Memory over simulated time at 2 Hz: what is seen often enough is seen as often at 20."""
    clock = _Clock()
    belief = BeliefMap(MapSettings(), clock, (), REGIONS)
    source = MapSource(belief, {"cup": Entity("Q81727", "cup")}.get)
    scene = _Scene(3, with_ids=False)
    ask = "ASK { ?x wdt:P31 wd:Q81727 ; wdt:P276 <urn:robodata:map:table_1> }"

    def run(seconds: float, *, asking: bool) -> None:
        end = clock.now + seconds
        while clock.now < end:
            _see(belief, scene, clock)
            clock.now += 0.5 - 1 / RATE
            if asking:
                source.sparql(ask)

    run(60.0 * minutes / 6, asking=False)
    tracemalloc.start()
    gc.collect()
    before = tracemalloc.get_traced_memory()[0]
    run(60.0 * minutes * 5 / 6, asking=False)
    gc.collect()
    grown = (tracemalloc.get_traced_memory()[0] - before) / 2**20
    tracemalloc.stop()
    run(60.0 * minutes / 3, asking=True)
    resident = _resident()
    run(60.0 * minutes * 2 / 3, asking=True)
    asked = _resident() - resident
    source.close()
    known = len(belief.objects(gone=True))
    how = f"{minutes} minutes of simulated time, the first {{}} apart; {known} objects"
    return [
        Result("memory the map grew by", grown, "MB", 2.0, note=how.format("sixth")),
        Result(
            "memory of the process with SPARQL after every look, grown by",
            asked,
            "MB",
            8.0,
            note=how.format("third"),
        ),
    ]


def _resident() -> float:
    """Return the memory of this process, with what the graph's engine has: MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def _node(seconds: float, *parameters: str) -> list[Result]:
    """The real node: its processor time at 20 Hz of 200 objects, and queries of it meanwhile.

    Args:
        seconds: How long.
        parameters: The node's; none: as it starts by default.
    """
    import rclpy
    from rclpy.signals import SignalHandlerOptions

    from benchmarks.bench_ros import _cpu_seconds, _memory_mb
    from robodata_msgs import msg as m
    from robodata_msgs import srv
    from tests.ros.harness import Peer, running, wait

    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    peer = Peer("bench_map")
    spent: list[float] = []
    try:
        with running("/bench_map", peer, *parameters) as node:
            publisher = peer.node.create_publisher(
                m.SemanticObjectArray, f"{node.name}/objects", 10
            )
            client = peer.node.create_client(srv.FindObjects, f"{node.name}/find_objects")
            client.wait_for_service(20.0)
            scene = _Scene(4, with_ids=True)
            arrays = [_message(m, scene.look()) for _ in range(100)]
            for array in arrays[:40]:  # warm: classes are linked
                publisher.publish(array)
                time.sleep(1 / RATE)
            memory = _memory_mb(node.process.pid)
            start, cpu = time.perf_counter(), _cpu_seconds(node.process.pid)
            number = 0
            while time.perf_counter() < start + seconds:
                array = arrays[number % len(arrays)]
                array.header.stamp.sec = 1_700_000_000 + number
                publisher.publish(array)
                number += 1
                if number % 10 == 0:
                    asked = time.perf_counter()
                    wait(client.call_async(srv.FindObjects.Request(class_id="cup", limit=5)))
                    spent.append(1_000 * (time.perf_counter() - asked))
                time.sleep(max(0.0, start + number / RATE - time.perf_counter()))
            took = time.perf_counter() - start
            share = 100 * (_cpu_seconds(node.process.pid) - cpu) / took
            grown = _memory_mb(node.process.pid) - memory
            rate = number / took
    finally:
        peer.close()
        rclpy.try_shutdown()
    over = ", ".join(parameters) or "default source"
    how = f"{OBJECTS} objects at {rate:.1f} Hz for {took:.0f} s; {over}"
    return [
        Result(f"processor time of the node, {over}", share, "% of a core", 100.0, note=how),
        Result(
            f"FindObjects meanwhile, p95, with the way there and back, {over}",
            percentile(spent, 0.95),
            "ms",
            note=f"median {percentile(spent, 0.5):.0f} ms of {len(spent)}; load average "
            f"{os.getloadavg()[0]:.0f}",
        ),
        Result(f"memory the node grew by, {over}", grown, "MB", note=how),
    ]


def _message(m: Any, sightings: list[Sighting]) -> Any:
    array = m.SemanticObjectArray()
    array.header.frame_id = "map"
    for sighting in sightings:
        item = m.SemanticObject(id=sighting.id, class_id=sighting.class_id, score=0.8)
        x, y, z = sighting.pose.position
        item.pose.position.x, item.pose.position.y, item.pose.position.z = x, y, z
        array.objects.append(item)
    return array


def results(*, quick: bool) -> list[Result]:
    """Take the figures."""
    figures = _load(40 if quick else 400)
    figures += _queries(20 if quick else 200)
    figures += _unread(1 if quick else 3)
    figures += _hour(2 if quick else 60)
    found = importlib.util.find_spec("robodata_msgs")
    if importlib.util.find_spec("rclpy") is not None and found is not None and found.origin:
        for parameters in ((), ("source:=snapshot:wikidata-sample",)):
            figures += _node(10.0 if quick else 60.0, *parameters)
    return figures


if __name__ == "__main__":
    sys.exit(main(__doc__ or "", results))
