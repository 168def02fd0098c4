"""The robot's map on the real node: seen, asked with types and words, corrected, kept."""

from __future__ import annotations

import math
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from geometry_msgs.msg import PoseStamped

from robodata_core.belief import instance_iri
from robodata_msgs import msg as m
from robodata_msgs import srv
from robodata_ros import qos
from robodata_ros.codes import Code
from tests.ros.harness import Collector, NodeProcess, Peer, eventually, running

REGIONS = """
frame: map
regions:
  - {id: kitchen, class: kitchen, pose: [2, 2, 1.25], size: [4, 4, 2.5]}
  - {id: bathroom, class: bathroom, pose: [8, 2, 1.25], size: [4, 4, 2.5]}
  - {id: kitchen_table, class: table, kind: surface, pose: [2, 2, 0.75], size: [1.2, 0.8, 0]}
"""


@pytest.fixture(scope="module")
def regions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("regions") / "regions.yaml"
    path.write_text(REGIONS)
    return path


@pytest.fixture(scope="module")
def node(peer: Peer, regions: Path) -> Iterator[NodeProcess]:
    more = (f"regions:={regions}", "lost_after:=1.5", "snapshot_period:=0.1")
    with running("/map", peer, *more) as made:
        yield made
        assert "Traceback" not in made.said()


def thing(class_id: str, x: float, y: float, z: float = 0.8, id_: str = "", score: float = 0.9):
    message = m.SemanticObject(id=id_, class_id=class_id, score=score)
    message.pose.position.x, message.pose.position.y, message.pose.position.z = x, y, z
    return message


class Eyes:
    """A detector, and the map that comes of what it says."""

    def __init__(self, peer: Peer, node: NodeProcess) -> None:
        self.peer, self.node = peer, node
        self.publisher = peer.node.create_publisher(
            m.SemanticObjectArray, f"{node.name}/objects", 10
        )
        self.maps = Collector(peer, m.Map, f"{node.name}/map", qos.MAP)
        self.stamp = 1_700_000_000

    def show(self, *things: Any) -> None:
        array = m.SemanticObjectArray(objects=list(things))
        array.header.frame_id = "map"
        self.stamp += 1
        array.header.stamp.sec = self.stamp
        self.publisher.publish(array)

    def until(self, condition: Any, *things: Any) -> Any:
        """Show things again and again until the map satisfies a condition; return the map."""

        def holds() -> Any:
            if things:
                self.show(*things)
            time.sleep(0.1)
            last = self.maps.messages[-1] if self.maps.messages else None
            return last if last is not None and condition(last) else None

        return eventually(holds)

    def call(self, kind: Any, name: str, **fields: Any) -> Any:
        return self.peer.call(kind, f"{self.node.name}/{name}", kind.Request(**fields))

    def close(self) -> None:
        self.maps.close()
        self.peer.node.destroy_publisher(self.publisher)


@pytest.fixture
def at_home(peer: Peer, regions: Path) -> Iterator[Eyes]:
    """Eyes of a node with what is known of households."""
    # What is shown once stays in sight, however long a busy machine takes to ask about it.
    more = (f"regions:={regions}", "snapshot_period:=0.1", "lost_after:=300.0")
    with running("/home", peer, *more, ROBODATA_SOURCE="snapshot:household") as node:
        made = Eyes(peer, node)
        made.until(lambda one: len(one.objects) == 3, *SCENE)
        yield made
        made.close()


@pytest.fixture
def eyes(peer: Peer, node: NodeProcess) -> Iterator[Eyes]:
    made = Eyes(peer, node)
    yield made
    for item in made.call(srv.GetMap, "get_map").map.objects:
        made.call(srv.UpdateMap, "update_map", operation=2, id=item.id)
    made.close()


def by_id(map_: Any) -> dict[str, Any]:
    return {item.id: item for item in map_.objects}


SCENE = (
    thing("cup", 2.0, 2.0, id_="cup_1"),
    thing("knife", 2.3, 2.1, id_="knife_1", score=0.8),
    thing("cup", 8.0, 2.0, id_="cup_2"),
)


def test_everything_the_detector_says_is_in_the_map(eyes: Eyes) -> None:
    map_ = eyes.until(lambda one: len(one.objects) == 3, *SCENE)
    cup = by_id(map_)["cup_1"]
    assert (cup.class_id, cup.frame_id, cup.state) == ("cup", "map", m.MapObject.SEEN)
    assert cup.pose.position.x == 2.0
    assert cup.region == "kitchen_table"
    assert list(cup.on_top_of) == ["kitchen_table"]
    assert cup.score == pytest.approx(0.9)
    assert cup.last_seen.sec >= cup.first_seen.sec > 1_700_000_000
    assert cup.source == "/map/robodata/objects"
    assert cup.iri == instance_iri("cup_1")
    assert {region.id for region in map_.regions} == {"kitchen", "bathroom", "kitchen_table"}
    linked = eyes.until(lambda one: by_id(one)["cup_1"].class_term.value, *SCENE)
    assert by_id(linked)["cup_1"].class_term.value.endswith("Q81727")


def test_evidence_leads_to_the_very_message(eyes: Eyes) -> None:
    """From another process: topic, stamp, frame, sender and its number, by evidence and SPARQL."""
    shown = thing("cup", 2.0, 2.0, id_="told_cup")
    eyes.until(lambda map_: any(item.id == "told_cup" for item in map_.objects), shown)
    found = eyes.call(srv.FindObjects, "find_objects", class_id="cup")
    number = [item.id for item in found.objects].index("told_cup")
    wanted = {
        "topic": f"{eyes.node.name}/objects",
        "stamp": f"{eyes.stamp}.000000000",
        "frame": "map",
        "detector": eyes.peer.node.get_fully_qualified_name(),
    }
    observed = [one for one in found.support[number].evidence if one.source == "map"]
    assert observed
    for one in observed:
        said = {item.property.value.rpartition(":")[2]: item.value for item in one.references}
        assert {name: said[name].value for name in wanted} == wanted
        assert said["message"].value.endswith(f":{said['sequence_number'].value}")
    query = (
        "PREFIX r: <urn:robodata:relation:> SELECT ?topic ?stamp ?frame ?detector WHERE { "
        "<urn:robodata:map:told_cup> r:on ?on ; r:message ?m . ?m r:topic ?topic ; "
        "r:stamp ?stamp ; r:frame ?frame ; r:detector ?detector }"
    )
    (row,) = eyes.call(srv.QueryPattern, "query_pattern", sparql=query).rows
    assert [term.value for term in row.values] == list(wanted.values())
    asked = eyes.call(srv.AskQuestion, "ask", question="Where is told cup?")
    claimed = [one for claim in asked.answer.claims for one in claim.support[0].evidence]
    assert {
        item.value.value
        for one in claimed
        for item in one.references
        if item.property.value.endswith(":stamp")
    } == {wanted["stamp"]}
    triple = m.Triple(
        subject=m.Term(value="urn:robodata:map:told_cup"),
        predicate=m.Term(value="P276"),
        object=m.Term(value="urn:robodata:map:kitchen_table"),
    )
    (verdict,) = eyes.call(srv.VerifyTriples, "verify", triples=[triple]).claims
    assert (verdict.verdict, verdict.kind) == (m.Claim.SUPPORTED, m.Claim.OBSERVED)


def test_rviz_gets_a_box_and_a_name_of_everything(eyes: Eyes) -> None:
    kinds = pytest.importorskip("visualization_msgs.msg", reason="visualization_msgs is missing")
    shown = Collector(eyes.peer, kinds.MarkerArray, f"{eyes.node.name}/markers", qos.MAP)
    try:
        eyes.until(lambda one: len(one.objects) == 3, *SCENE)

        def told() -> dict[str, Any]:
            eyes.show(SCENE[0], SCENE[1])
            markers = shown.messages[-1].markers if shown.messages else []
            names = {one.text: one for one in markers if one.ns == "names"}
            return names if "cup 2 (lost)" in names else {}

        names = eventually(told)
        assert {*names} == {
            "cup 1",
            "knife 1",
            "cup 2 (lost)",
            "kitchen",
            "bathroom",
            "kitchen table",
        }
        first, *markers = shown.messages[-1].markers
        assert first.action == kinds.Marker.DELETEALL
        boxes = {one.id: one for one in markers if one.ns == "boxes"}
        assert {*boxes} == {one.id for one in names.values()}
        cup = boxes[names["cup 1"].id]
        assert (cup.header.frame_id, cup.type, cup.pose.position.x) == (
            "map",
            kinds.Marker.CUBE,
            2.0,
        )
        assert cup.scale.x > 0 and cup.color.a > boxes[names["cup 2 (lost)"].id].color.a
        table = boxes[names["kitchen table"].id]
        assert (table.scale.x, table.scale.y) == (pytest.approx(1.2), pytest.approx(0.8))
    finally:
        shown.close()


def test_who_opens_rviz_late_sees_what_stands_still(peer: Peer, regions: Path) -> None:
    kinds = pytest.importorskip("visualization_msgs.msg", reason="visualization_msgs is missing")
    with running("/still", peer, f"regions:={regions}") as node:
        time.sleep(2.0)
        late = Collector(peer, kinds.MarkerArray, f"{node.name}/markers", qos.MAP)
        try:
            late.until(lambda got: got and len(got[-1].markers) == 7)
        finally:
            late.close()


def test_what_is_not_seen_is_lost_and_not_gone(eyes: Eyes) -> None:
    eyes.until(lambda one: len(one.objects) == 3, *SCENE)
    map_ = eyes.until(lambda one: by_id(one)["cup_2"].state == m.MapObject.LOST, SCENE[0], SCENE[1])
    assert by_id(map_)["cup_1"].state == m.MapObject.SEEN
    assert by_id(map_)["cup_2"].pose.position.x == 8.0


def test_find_objects(eyes: Eyes) -> None:
    eyes.until(lambda one: len(one.objects) == 3, *SCENE)

    def found(**fields: Any) -> list[str]:
        response = eyes.call(srv.FindObjects, "find_objects", **fields)
        assert response.success, response.error_msg
        assert len(response.objects) == len(response.support) == len(response.distances)
        return [item.id for item in response.objects]

    assert found() == ["cup_1", "cup_2", "knife_1"]
    assert found(class_id="cup") == ["cup_1", "cup_2"]
    assert found(class_id="container", region="kitchen") == ["cup_1"]
    assert found(near="cup_1") == ["knife_1"]
    assert found(class_id="cup", limit=1) == ["cup_1"]
    response = eyes.call(srv.FindObjects, "find_objects", class_id="container")
    evidence = response.support[0].evidence
    assert evidence[0].source == "map"
    assert evidence[0].confidence == pytest.approx(0.9)
    assert evidence[0].run_id and evidence[0].call_id
    assert any(item.source == "snapshot:wikidata-sample" for item in evidence)
    nobody = eyes.call(srv.FindObjects, "find_objects", region="attic")
    assert nobody.error_code == Code.INVALID_REQUEST
    assert "attic" in nobody.error_msg
    for name, fields in (
        ("find_objects", {"class_id": "hovercraft"}),
        ("where_should_it_go", {"object": "hovercraft"}),
    ):
        kind = srv.FindObjects if "class_id" in fields else srv.WhereShouldItGo
        unknown = eyes.call(kind, name, **fields)
        assert unknown.error_code == Code.INVALID_REQUEST
        assert "No class is called 'hovercraft'" in unknown.error_msg


def test_nearest_first_from_a_pose(eyes: Eyes) -> None:
    eyes.until(lambda one: len(one.objects) == 3, *SCENE)
    request = srv.FindObjects.Request(class_id="cup", near_pose=True)
    request.pose.header.frame_id = "map"
    request.pose.pose.position.x = 7.0
    request.pose.pose.position.y = 2.0
    request.pose.pose.position.z = 0.8
    response = eyes.peer.call(srv.FindObjects, f"{eyes.node.name}/find_objects", request)
    assert [item.id for item in response.objects] == ["cup_2", "cup_1"]
    assert response.distances[0] == pytest.approx(1.0)
    request.pose.pose.position.x = math.nan
    response = eyes.peer.call(srv.FindObjects, f"{eyes.node.name}/find_objects", request)
    assert response.error_code == Code.INVALID_REQUEST


def test_where_a_thing_belongs(eyes: Eyes) -> None:
    eyes.until(lambda one: len(one.objects) == 3, *SCENE)
    response = eyes.call(srv.WhereShouldItGo, "where_should_it_go", object="cup_2")
    assert response.success, response.error_msg
    place = response.placements[0]
    assert (place.place.label, place.region) == ("kitchen", "kitchen")
    assert place.kind == m.Claim.TYPICAL
    assert place.support[0].evidence and place.reason.endswith(".")


def test_what_an_activity_lacks_and_questions_in_words(at_home: Eyes) -> None:
    activity = {"activity": "setting the table"}
    response = at_home.call(srv.WhatIsMissing, "what_is_missing", **activity)
    assert response.success, response.error_msg
    needed = {one.label for one in response.needed}
    assert {"cup", "knife", "plate", "fork"} <= needed
    assert {one.label for one in response.missing} == needed - {"cup", "knife"}
    assert {item.id for item in response.present} == {"cup_1", "cup_2", "knife_1"}
    assert all(support.evidence[0].run_id for support in response.support)
    there = at_home.call(srv.WhatIsMissing, "what_is_missing", region="bathroom", **activity)
    assert "knife" in {one.label for one in there.missing}
    assert [item.id for item in there.present] == ["cup_2"]

    for question, expected, kind in (
        ("Where is my knife?", {"kitchen table", "kitchen"}, m.Claim.OBSERVED),
        ("Is there a laptop in the kitchen?", {"no"}, m.Claim.ABSENT),
        ("Which things I have seen can cut bread?", {"knife 1"}, m.Claim.TYPICAL),
        ("What in the bathroom belongs in the kitchen?", {"cup 2"}, m.Claim.TYPICAL),
        ("How many cups do you see?", {"2"}, m.Claim.RECKONED),
        ("Where should I put cup 2?", {"kitchen", "cabinet"}, m.Claim.TYPICAL),
    ):
        answered = at_home.call(srv.AskQuestion, "ask", question=question).answer
        assert {one.label or one.value for one in answered.values} == expected, answered.text
        assert answered.claims[0].kind == kind


def test_a_pattern_joins_map_and_ontology(eyes: Eyes) -> None:
    eyes.until(lambda one: len(one.objects) == 3, *SCENE)

    def term(value: str, kind: int = m.Term.IRI) -> Any:
        return m.Term(kind=kind, value=value)

    thing_, class_ = term("thing", m.Term.VARIABLE), term("class", m.Term.VARIABLE)
    pattern = [
        m.Triple(subject=thing_, predicate=term("P31"), object=class_),
        m.Triple(subject=class_, predicate=term("P279"), object=term("Q987767")),
    ]
    response = eyes.call(srv.QueryPattern, "query_pattern", pattern=pattern)
    assert response.success, response.error_msg
    assert list(response.variables) == ["thing", "class"]
    things = {row.values[0].value for row in response.rows}
    assert things == {instance_iri("cup_1"), instance_iri("cup_2")}
    for row in response.rows:
        assert len(row.support.evidence) == 2
    # A query that says the same has the same evidence; one that says more has none.
    same = (
        "SELECT DISTINCT ?thing ?class WHERE { ?thing wdt:P31 ?class . ?class wdt:P279 wd:Q987767 }"
    )
    rows = eyes.call(srv.QueryPattern, "query_pattern", sparql=same).rows
    assert {row.values[0].value for row in rows} == things
    for row in rows:
        assert [one.source for one in row.support.evidence] == ["map", "snapshot:wikidata-sample"]
        assert row.support.evidence[0].triple.subject.value == row.values[0].value
    for more in (
        "SELECT ?thing { ?thing wdt:P31 ?class . ?class wdt:P279 wd:Q987767 }",
        "SELECT * { ?thing wdt:P31 ?class FILTER(?class != wd:Q987767) }",
    ):
        rows = eyes.call(srv.QueryPattern, "query_pattern", sparql=more).rows
        assert rows and not any(row.support.evidence for row in rows)
    asked = eyes.call(
        srv.QueryPattern, "query_pattern", sparql="ASK { <urn:robodata:map:cup_1> ?p ?o }"
    )
    assert asked.asked and asked.answer
    for wrong in (
        {"sparql": "DELETE WHERE { ?a ?b ?c }"},
        {"sparql": "SELECT * WHERE { SERVICE <http://a/> { ?a ?b ?c } }"},
        {"sparql": "nonsense"},
        {"sparql": "CONSTRUCT { ?a ?b ?c } WHERE { ?a ?b ?c } LIMIT 1"},
        {},
        {"pattern": pattern, "sparql": "ASK {}"},
        {"pattern": [m.Triple(subject=term("a b", m.Term.VARIABLE))]},
    ):
        response = eyes.call(srv.QueryPattern, "query_pattern", **wrong)
        assert not response.success and response.error_msg, wrong
        assert response.error_code == Code.INVALID_REQUEST, (wrong, response.error_msg)


def test_people_and_planners_correct_the_map(eyes: Eyes) -> None:
    eyes.until(lambda one: len(one.objects) == 3, *SCENE)
    wanted = m.MapObject(class_id="mug", frame_id="map")
    wanted.pose.position.x, wanted.pose.position.y, wanted.pose.position.z = 2.1, 2.2, 0.8
    put = eyes.call(srv.UpdateMap, "update_map", operation=0, object=wanted, author="ann")
    assert put.success and put.id == "mug_1", put.error_msg
    label = m.MapObject(label="Ann's mug")
    response = eyes.call(
        srv.UpdateMap,
        "update_map",
        operation=1,
        id="mug_1",
        object=label,
        fields=["label"],
        author="ann",
    )
    assert response.success, response.error_msg
    mug = by_id(eyes.call(srv.GetMap, "get_map").map)["mug_1"]
    assert (mug.label, mug.author, mug.region) == ("Ann's mug", "ann", "kitchen_table")
    assert math.isnan(mug.score)  # no detector gave one
    answer = eyes.call(srv.AskQuestion, "ask", question="Where is mug 1?").answer
    assert {one.label for one in answer.values} == {"kitchen table", "kitchen"}, answer.text
    assert answer.claims[0].kind == m.Claim.STATED and math.isnan(answer.claims[0].confidence)
    assert "ann" in answer.claims[0].confidence_reason
    removed = eyes.call(srv.UpdateMap, "update_map", operation=2, id="mug_1")
    assert removed.success
    assert "mug_1" not in by_id(eyes.call(srv.GetMap, "get_map").map)
    assert "mug_1" in by_id(eyes.call(srv.GetMap, "get_map", include_gone=True).map)
    for wrong in (
        {"operation": 2, "id": "nothing"},
        {"operation": 9, "id": "mug_1"},
        {"operation": 1, "id": "cup_1", "fields": ["id"]},
        {"operation": 0, "object": m.MapObject()},
        {"operation": 0, "object": m.MapObject(class_id="mug", state=9)},
        {"operation": 0, "object": m.MapObject(id="robot", class_id="mug")},
        {"operation": 0, "object": m.MapObject(id="kitchen", class_id="mug")},
        {"operation": 0, "id": "one", "object": m.MapObject(id="other", class_id="mug")},
        {"operation": 1, "id": "cup_1", "fields": ["class_id"]},
        {"operation": 1, "id": "kitchen", "object": label, "fields": ["label"]},
        {"operation": 2, "id": "robot"},
    ):
        response = eyes.call(srv.UpdateMap, "update_map", **wrong)
        assert response.error_code == Code.INVALID_REQUEST, wrong


def test_what_a_planner_says_without_a_name_is_its_word_and_not_seen(eyes: Eyes) -> None:
    eyes.until(lambda one: len(one.objects) == 3, *SCENE)
    vase = m.MapObject(class_id="vase")  # without a frame, the map's is meant
    vase.pose.position.x, vase.pose.position.y, vase.pose.position.z = 1.7, 2.2, 0.8
    put = eyes.call(srv.UpdateMap, "update_map", operation=0, id="my_vase", object=vase)
    assert put.success and put.id == "my_vase"
    mine = by_id(eyes.call(srv.GetMap, "get_map").map)["my_vase"]
    assert (mine.author, mine.frame_id) == ("update_map", "map")
    for question, expected in (
        ("Is there a vase?", "yes"),
        ("Is the vase on the table?", "yes"),
        ("Do you see the vase?", "no"),
    ):
        answer = eyes.call(srv.AskQuestion, "ask", question=question).answer
        assert [one.label for one in answer.values] == [expected], answer.text


def test_of_a_region_only_what_fields_name_is_corrected(eyes: Eyes) -> None:
    hall = m.Region(id="hall", class_id="hallway", frame_id="map")
    hall.pose.position.x, hall.size.x, hall.size.y, hall.size.z = 30.0, 2.0, 2.0, 2.5
    assert eyes.call(srv.UpdateMap, "update_map", operation=0, region=[hall]).success
    named = m.Region(label="Entrance")
    fields = {"operation": 1, "id": "hall", "region": [named], "fields": ["label"]}
    response = eyes.call(srv.UpdateMap, "update_map", **fields)
    assert response.success and response.id == "hall", response.error_msg
    regions = {one.id: one for one in eyes.call(srv.GetMap, "get_map").map.regions}
    kept = regions["hall"]
    assert (kept.label, kept.class_id, kept.size.x) == ("Entrance", "hallway", 2.0)
    fields["fields"] = ["state"]
    response = eyes.call(srv.UpdateMap, "update_map", **fields)
    assert response.error_code == Code.INVALID_REQUEST and "state" in response.error_msg
    assert eyes.call(srv.UpdateMap, "update_map", operation=2, id="hall").success


def test_nothing_is_measured_from_nowhere(eyes: Eyes) -> None:
    eyes.until(lambda one: len(one.objects) == 3, *SCENE)
    for wrong in (
        {"max_distance": 1.0},
        {"near_pose": True, "max_distance": 5.0},
        {"near_pose": True, "pose": PoseStamped()},
    ):
        response = eyes.call(srv.FindObjects, "find_objects", **wrong)
        assert response.error_code == Code.INVALID_REQUEST, wrong
        assert "near" in response.error_msg or "'map'" in response.error_msg


def test_no_detection_takes_the_name_of_a_room_or_of_the_robot(eyes: Eyes) -> None:
    map_ = eyes.until(
        lambda one: len(one.objects) == 2,
        thing("cup", 2.0, 2.0, id_="kitchen"),
        thing("knife", 2.3, 2.1, id_="robot"),
    )
    assert {item.id for item in map_.objects}.isdisjoint({"kitchen", "robot"})
    found = eyes.call(srv.FindObjects, "find_objects", region="kitchen")
    assert found.total == 2, found.error_msg


def test_what_does_not_say_when_it_is_from_is_from_now(eyes: Eyes) -> None:
    def shown() -> Any:
        array = m.SemanticObjectArray(objects=[thing("cup", 2.0, 2.0, id_="cup_9")])
        array.header.frame_id = "map"
        eyes.publisher.publish(array)
        time.sleep(0.1)
        return by_id(eyes.call(srv.GetMap, "get_map").map).get("cup_9")

    assert abs(eventually(shown).last_seen.sec - time.time()) < 60


def test_poses_pass_through_to_facts_and_map_as_they_came(eyes: Eyes) -> None:
    tilted = thing("bottle", 1.23456, -2.5, 0.8125, id_="tilted_1")
    way = tilted.pose.orientation
    way.x, way.y, way.z, way.w = 0.5, -0.5, 0.1, 0.7  # a unit quaternion, turned about no axis
    snapshots = Collector(eyes.peer, m.FactArray, f"{eyes.node.name}/facts", qos.FACTS)
    try:

        def told() -> Any:
            eyes.show(tilted)
            time.sleep(0.1)
            newest = snapshots.messages[-1].facts if snapshots.messages else []
            return [fact for fact in newest if fact.object_id == "tilted_1"]

        facts = eventually(told)
        in_map = eyes.until(lambda one: "tilted_1" in by_id(one), tilted)
        for pose in (*(fact.pose for fact in facts), by_id(in_map)["tilted_1"].pose):
            assert _numbers(pose) == pytest.approx(_numbers(tilted.pose), abs=1e-12)
    finally:
        snapshots.close()


def _numbers(pose: Any) -> list[float]:
    place, way = pose.position, pose.orientation
    return [place.x, place.y, place.z, way.x, way.y, way.z, way.w]


def test_facts_carry_the_last_sighting_and_typical_is_said_to_be(eyes: Eyes) -> None:
    snapshots = Collector(eyes.peer, m.FactArray, f"{eyes.node.name}/facts", qos.FACTS)
    try:

        def told(messages: list[Any]) -> Any:
            facts = [f for f in messages[-1].facts if f.object_id == "cup_1"] if messages else []
            return facts if facts and facts[0].header.stamp.sec > 1_700_000_003 else None

        def seen() -> Any:
            eyes.show(*SCENE)
            time.sleep(0.1)
            return told(list(snapshots.messages))

        facts = eventually(seen)
        assert {fact.header.frame_id for fact in facts} == {"map"}
        assert {fact.pose.position.x for fact in facts} == {2.0}
        kinds = {fact.claim.triple.predicate.label: fact.claim.kind for fact in facts}
        assert kinds["location"] == m.Claim.TYPICAL
        for fact in facts:
            assert math.isnan(fact.claim.confidence) and fact.claim.confidence_reason
            for evidence in fact.claim.support[0].evidence:
                assert evidence.run_id.startswith("enrichment-") and evidence.call_id
    finally:
        snapshots.close()


def test_one_id_with_two_labels_leaves_no_ghost(eyes: Eyes) -> None:
    updates = Collector(eyes.peer, m.FactArray, f"{eyes.node.name}/fact_updates", qos.FACT_UPDATES)
    try:
        two = (thing("cup", 2, 2, id_="d", score=0.5), thing("knife", 2, 2, id_="d", score=0.6))
        map_ = eyes.until(lambda one: "d" in by_id(one), *two)
        assert by_id(map_)["d"].class_id == "knife"
        eyes.until(lambda one: by_id(one)["d"].state == m.MapObject.LOST)
        held: set[str] = set()
        for update in list(updates.messages):
            for fact in update.facts:
                if fact.object_id == "d":
                    (held.discard if fact.operation == m.Fact.DELETE else held.add)(fact.id)
        assert held == set()
    finally:
        updates.close()


def test_a_label_nobody_knows_does_not_hold_up_others(peer: Peer) -> None:
    with running("/odd", peer, ROBODATA_TEST_SLOW="0.3") as node:
        eyes = Eyes(peer, node)
        updates = Collector(peer, m.FactArray, f"{node.name}/fact_updates", qos.FACT_UPDATES)
        try:
            eyes.until(lambda one: "c" in by_id(one), thing("cup", 1, 1, id_="c"))
            updates.until(lambda all_: [f for u in all_ for f in u.facts if f.object_id == "c"])
            strange = [thing(f"thing nobody named {n}", 1, 1, id_=f"s{n}") for n in range(40)]
            eyes.until(lambda one: "s39" in by_id(one), *strange)
            start = time.monotonic()
            eyes.until(lambda one: "c2" in by_id(one), thing("cup", 3, 3, id_="c2"))
            updates.until(lambda all_: [f for u in all_ for f in u.facts if f.object_id == "c2"])
            # Forty look-ups of 0.3 s each would be 12 s.
            assert time.monotonic() - start < 6
        finally:
            updates.close()
            eyes.close()


def test_the_map_is_back_after_a_kill_and_not_seen_since(
    peer: Peer, regions: Path, tmp_path: Path
) -> None:
    more = ["autostart:=true", f"regions:={regions}", f"store:={tmp_path / 'graph'}"]
    more += ["snapshot_period:=0.1"]
    node = NodeProcess("/kill", more)
    try:
        peer.until_active(node)
        eyes = Eyes(peer, node)
        anonymous = (thing("cup", 2.0, 2.0), thing("cup", 2.3, 2.0), thing("knife", 8.0, 2.0))
        before = by_id(eyes.until(lambda one: len(one.objects) == 3, *anonymous))
        time.sleep(2.5)  # it is saved once a second
        node.stop(signal.SIGKILL)
        eyes.close()
    finally:
        node.stop(signal.SIGKILL)
    again = NodeProcess("/kill", more)
    try:
        peer.until_active(again)
        eyes = Eyes(peer, again)
        map_ = eyes.call(srv.GetMap, "get_map").map
        after = by_id(map_)
        assert after.keys() == before.keys()
        for item in after.values():
            assert item.state == m.MapObject.LOST
            assert not item.seen_since_start
            assert item.pose.position.x == before[item.id].pose.position.x
        # The same things, seen again, are the same objects.
        shown = (thing("cup", 2.31, 2.0), thing("cup", 2.01, 2.0), thing("knife", 8.0, 2.01))
        seen = by_id(eyes.until(lambda one: all(i.seen_since_start for i in one.objects), *shown))
        assert seen.keys() == before.keys()
        for id_, item in seen.items():
            assert abs(item.pose.position.x - before[id_].pose.position.x) < 0.05
        eyes.close()
    finally:
        said = again.stop()
    assert "Traceback" not in said


def test_the_nearest_is_the_nearest_to_the_robot_once_it_says_where_it_is(
    peer: Peer, regions: Path
) -> None:
    with running("/here", peer, f"regions:={regions}", "snapshot_period:=0.1") as node:
        eyes = Eyes(peer, node)
        eyes.until(lambda one: len(one.objects) == 3, *SCENE)
        where = peer.node.create_publisher(PoseStamped, f"{node.name}/pose", 10)
        pose = PoseStamped()
        pose.header.frame_id = "map"
        for x, nearest in ((7.0, "cup 2"), (3.0, "cup 1")):
            pose.pose.position.x = x

            def told(nearest: str = nearest) -> bool:
                where.publish(pose)
                eyes.show(*SCENE)
                answer = eyes.call(srv.AskQuestion, "ask", question="nearest cup").answer
                return [item.label for item in answer.values] == [nearest]

            eventually(told)
        assert {item.id for item in eyes.maps.messages[-1].objects} == {"cup_1", "cup_2", "knife_1"}
        peer.node.destroy_publisher(where)
        eyes.close()


def test_regions_come_by_topic_and_wrong_ones_are_told(peer: Peer) -> None:
    with running("/rooms", peer, "snapshot_period:=0.1") as node:
        eyes = Eyes(peer, node)
        publisher = peer.node.create_publisher(m.RegionArray, f"{node.name}/regions", qos.REGIONS)
        good = m.Region(id="hall", class_id="hall")
        good.size.x = good.size.y = good.size.z = 3.0
        bad = m.Region(id="flat", class_id="flat")
        array = m.RegionArray(regions=[bad, good])
        array.header.frame_id = "map"
        publisher.publish(array)
        map_ = eyes.until(lambda one: len(one.regions) == 1)
        assert (map_.regions[0].id, map_.regions[0].frame_id) == ("hall", "map")
        assert "'flat' has no extent" in node.said()
        peer.node.destroy_publisher(publisher)
        eyes.close()
