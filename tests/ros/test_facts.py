"""Objects in, facts out, on the real node with the embedded snapshot."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from robodata_msgs import msg as m
from robodata_ros import convert, qos
from tests.ros.harness import Collector, NodeProcess, Peer, eventually, running
from tests.ros.household import COCO_NAMES, SOMA, SOMA_CLASSES, WITHOUT_FACTS, soma_snapshot


@pytest.fixture(scope="module")
def node(peer: Peer) -> Iterator[NodeProcess]:
    with running("/facts", peer, "lost_after:=4.0", "snapshot_period:=0.2") as made:
        yield made


class World:
    """What a detector publishes, and what comes back."""

    def __init__(self, peer: Peer, node: NodeProcess) -> None:
        self.peer, self.node = peer, node
        self.publisher = peer.node.create_publisher(
            m.SemanticObjectArray, f"{node.name}/objects", 10
        )
        self.updates = Collector(peer, m.FactArray, f"{node.name}/fact_updates", qos.FACT_UPDATES)
        self.until_heard()

    def until_heard(self) -> None:
        """Wait until objects reach the node and facts come back: discovery is not symmetric."""
        probe = f"probe_{time.monotonic_ns()}"

        def heard() -> list[Any]:
            # A new object each time: facts are told once, and may go to nobody.
            self.show(**{f"{probe}_{time.monotonic_ns()}": "cup"})
            time.sleep(0.05)
            updates = list(self.updates.messages)
            return [f for one in updates for f in one.facts if f.object_id.startswith(probe)]

        eventually(heard)

    def show(self, **objects: str) -> None:
        """Publish objects by id and class."""
        self.send([m.SemanticObject(id=id_, class_id=kind) for id_, kind in objects.items()])

    def send(self, objects: list[Any]) -> None:
        array = m.SemanticObjectArray(objects=objects)
        array.header.frame_id = "map"
        array.header.stamp.sec = 12
        self.publisher.publish(array)

    def facts(self, object_id: str) -> list[Any]:
        """Everything said so far about an object."""
        updates = list(self.updates.messages)
        return [f for update in updates for f in update.facts if f.object_id == object_id]

    def close(self) -> None:
        self.updates.close()
        self.peer.node.destroy_publisher(self.publisher)


@pytest.fixture
def world(peer: Peer, node: NodeProcess) -> Iterator[World]:
    made = World(peer, node)
    yield made
    made.close()


def test_all_household_classes_under_the_names_detectors_use(world: World) -> None:
    objects = {f"all_{index}": label for index, label in enumerate(COCO_NAMES)}

    def all_told() -> bool:
        world.show(**objects)
        time.sleep(0.2)
        return all(world.facts(object_id) for object_id in objects)

    eventually(all_told)
    for object_id, label in objects.items():
        facts = world.facts(object_id)
        assert {fact.entity.value for fact in facts} == {
            convert.term_of_entity(COCO_NAMES[label]).value
        }
        for fact in facts:
            assert (fact.operation, fact.class_id) == (m.Fact.ADD, label)
            assert fact.header.frame_id == "map" and fact.header.stamp.sec == 12
            if label in WITHOUT_FACTS:
                assert fact.claim.verdict == m.Claim.NOT_FOUND
                assert not fact.claim.support
                continue
            assert fact.claim.verdict == m.Claim.SUPPORTED
            evidence = fact.claim.support[0].evidence[-1]
            assert evidence.origin and evidence.source == "snapshot:wikidata-sample"


def test_facts_of_the_sample_and_of_soma_each_with_its_origin(
    peer: Peer, shared_dir: Path, tmp_path: Path
) -> None:
    folder = soma_snapshot(shared_dir, tmp_path)
    objects = {f"soma_{index}": label for index, label in enumerate(COCO_NAMES)}
    with running("/soma", peer, f'enrichment_sources:=["snapshot:{folder}"]') as node:
        world = World(peer, node)

        def all_told() -> bool:
            world.show(**objects)
            time.sleep(0.2)
            return all(world.facts(object_id) for object_id in objects)

        try:
            eventually(all_told)
            for object_id, label in objects.items():
                sources: dict[str, set[str]] = {}
                for fact in world.facts(object_id):
                    for evidence in fact.claim.support[0].evidence if fact.claim.support else ():
                        subject = fact.claim.support[0].evidence[0].triple.subject.value
                        sources.setdefault(evidence.source, set()).add(subject)
                        assert evidence.origin or evidence.source == "snapshot:soma"
                expected = {}
                if label not in WITHOUT_FACTS:
                    ours = convert.term_of_entity(COCO_NAMES[label]).value
                    expected["snapshot:wikidata-sample"] = {ours}
                if label in SOMA_CLASSES:
                    expected["snapshot:soma"] = {SOMA + SOMA_CLASSES[label]}
                assert sources == expected, label
            texts = {fact.claim.text for fact in world.facts(f"soma_{[*COCO_NAMES].index('cup')}")}
            assert "Cup: has physical component (some) Designed handle." in texts
            assert "cup: material used ceramic." in texts
        finally:
            world.close()


def test_an_unknown_label_gives_an_empty_fact_with_near_matches(world: World) -> None:
    def told() -> list[Any]:
        world.show(odd_1="cupp", odd_2="xyzzyqwv")
        time.sleep(0.1)
        return world.facts("odd_1") and world.facts("odd_2")

    eventually(told)
    (close,), (far,) = world.facts("odd_1"), world.facts("odd_2")
    for fact in (close, far):
        assert fact.claim.verdict == m.Claim.NOT_FOUND
        assert not fact.claim.support and not fact.entity.value
    assert "cup" in [near.entity.label for near in close.near_matches]
    assert not far.near_matches


def test_what_vanishes_is_deleted_and_flapping_is_not_told(world: World) -> None:
    def flapped(number: int) -> str:
        """Show an object now and then; return its id if no pause was long."""
        longest, last = 0.0, time.monotonic()
        for _ in range(8):  # seen, not seen, seen: shorter than lost_after
            world.show(**{f"flap{number}": "knife"})
            longest, last = max(longest, time.monotonic() - last), time.monotonic()
            time.sleep(0.1)
            world.show(other="fork")
            time.sleep(0.1)
        return f"flap{number}" if longest < 1.5 else ""

    # On a busy machine a pause may be long by itself.
    flap = next(name for number in range(20) if (name := flapped(number)))
    added = list(eventually(lambda: world.facts(flap)))
    assert {fact.operation for fact in added} == {m.Fact.ADD}, "it was told to have vanished"
    assert len({fact.id for fact in added}) == len(added), "a fact was told twice"
    eventually(lambda: any(fact.operation == m.Fact.DELETE for fact in world.facts(flap)))
    deleted = {f.id for f in world.facts(flap) if f.operation == m.Fact.DELETE}
    assert deleted == {fact.id for fact in added}


def test_another_class_replaces_the_facts(world: World) -> None:
    eventually(lambda: world.show(thing="cup") or world.facts("thing"))

    def is_a_knife() -> bool:
        world.show(thing="knife")
        told = [(fact.class_id, fact.operation) for fact in world.facts("thing")]
        return ("knife", m.Fact.ADD) in told

    eventually(is_a_knife)
    told = [(fact.class_id, fact.operation) for fact in world.facts("thing")]
    before = told[: told.index(("knife", m.Fact.ADD))]
    assert ("cup", m.Fact.DELETE) in before and ("knife", m.Fact.DELETE) not in before


def test_who_comes_late_gets_what_holds(peer: Peer, world: World) -> None:
    eventually(lambda: world.show(late="cup") or world.facts("late"))

    def held(arrays: list[Any]) -> bool:
        world.show(late="cup")
        return any(fact.object_id == "late" for array in arrays for fact in array.facts)

    late = Collector(peer, m.FactArray, f"{world.node.name}/facts", qos.FACTS)
    try:
        eventually(lambda: held(late.messages))
        assert {fact.operation for fact in late.messages[-1].facts} == {m.Fact.ADD}
    finally:
        late.close()


def test_a_thousand_objects_in_one_array(world: World) -> None:
    labels = list(COCO_NAMES)
    objects = [
        m.SemanticObject(id=f"many_{index}", class_id=labels[index % len(labels)])
        for index in range(1_000)
    ]

    def told() -> bool:
        world.send(objects)
        time.sleep(0.5)
        updates = list(world.updates.messages)
        ids = {fact.object_id for update in updates for fact in update.facts}
        # Others may still be remembered, and max_objects counts all of them.
        return len([id_ for id_ in ids if id_.startswith("many_")]) > 900

    eventually(told)


def test_malformed_objects_are_left_out(world: World) -> None:
    bad = [
        m.SemanticObject(id="", class_id="cup"),
        m.SemanticObject(id="no_class"),
        m.SemanticObject(id="x" * 300, class_id="cup"),
        m.SemanticObject(id="too_sure", class_id="cup", score=5.0),
    ]
    good = m.SemanticObject(id="good", class_id="cup", score=float("nan"))
    eventually(lambda: world.send([*bad, good]) or world.facts("good"))
    assert not any(map(world.facts, ("", "no_class", "too_sure")))
