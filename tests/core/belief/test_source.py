"""The map as knowledge: instances beside the ontology, for look-ups, programs, SPARQL."""

from __future__ import annotations

from decimal import Decimal

import pytest

from robodata_core.belief import (
    FindQuery,
    MapSource,
    Planning,
    Pose,
    Sighting,
    WorldSource,
    instance_iri,
    vocabulary,
)
from robodata_core.belief.evidence import Call
from robodata_core.cancellation import CancelToken
from robodata_core.errors import NotFoundError
from robodata_core.model import Direction, Entity, EntityValue, MatchKind, QuantityValue, TruthKind
from robodata_core.programs.compiler import compile_sparql
from robodata_core.programs.executor import execute
from robodata_core.programs.steps import Distance, End, Nearest, Program, Start
from robodata_core.sources.capabilities import generation
from robodata_core.sources.snapshot import open_snapshot
from tests.core.belief.worlds import Clock, at, empty_map, see

CLASSES = {
    "cup": Entity("Q81727", "cup"),
    "knife": Entity("Q32489", "knife"),
    "table": Entity("Q14748", "table"),
    "kitchen": Entity("Q43164", "kitchen"),
    "bathroom": Entity("Q190771", "bathroom"),
}


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def world(clock: Clock):
    belief = empty_map(clock)
    see(
        belief,
        clock,
        at("cup", 2.0, 2.0, id_="cup_1"),
        at("cup", 8.0, 2.0, id_="cup_2"),
        at("knife", 2.2, 2.1, id_="knife_1"),
        at("gizmo", 3.5, 3.5, id_="gizmo_1"),
    )
    source = WorldSource(MapSource(belief, CLASSES.get), [open_snapshot("wikidata-sample")])
    yield source
    source.close()


def ends(source, id_, property_, direction=Direction.OUT):
    page = source.statements(id_, property=property_, direction=direction)
    if direction is Direction.IN:
        return [item.subject for item in page.statements]
    return [item.value.id for item in page.statements if isinstance(item.value, EntityValue)]


def test_an_instance_has_a_class_of_the_ontology_and_a_place(world):
    cup = instance_iri("cup_1")
    assert ends(world, cup, "P31") == ["Q81727"]
    assert ends(world, cup, "P276") == [instance_iri("table"), instance_iri("kitchen")]
    assert ends(world, instance_iri("table"), vocabulary.ON, Direction.IN) == [
        cup,
        instance_iri("knife_1"),
    ]
    assert set(ends(world, "Q81727", "P31", Direction.IN)) == {cup, instance_iri("cup_2")}
    assert "Q987767" in ends(world, "Q81727", "P279")  # the ontology goes on from there


def test_statements_say_when_where_how_sure_and_who(world):
    (statement, _) = world.statements(instance_iri("cup_1"), property="P276").statements
    said = {snak.property: snak.value for snak in statement.qualifiers}
    assert said["P585"].year == 2023
    assert said[vocabulary.STATE].text == "seen"
    assert said[vocabulary.FRAME].text == "map"
    assert str(said[vocabulary.SCORE].amount) == "0.900"
    assert statement.source == "map"
    assert statement.references[0].snaks[0].value.text == "/robodata/objects"


def test_names_of_instances_and_of_classes_are_found_apart(world):
    hits = world.lookup_names(["cup", "cup 1", "gizmo"])
    # What is asked of cups is asked of the kind; which cups there are, their kind tells.
    assert [hit.id for hit in hits["cup"]] == ["Q81727"]
    assert [hit.id for hit in hits["cup 1"]] == [instance_iri("cup_1")]
    assert vocabulary.class_iri("gizmo") in {hit.id for hit in hits["gizmo"]}
    assert world.search("cup_1")[0].match in (MatchKind.LABEL, MatchKind.ALIAS)


def test_a_class_that_is_not_linked_is_one_of_the_map(world):
    own = vocabulary.class_iri("gizmo")
    assert ends(world, instance_iri("gizmo_1"), "P31") == [own]
    assert world.entity(own).label == "gizmo"


def test_one_sparql_query_goes_from_the_map_into_the_ontology(world, clock):
    query = (
        "SELECT ?thing ?material WHERE { ?thing wdt:P31 ?class ; "
        "<urn:robodata:relation:on> <urn:robodata:map:table> . ?class wdt:P186 ?material }"
    )
    rows = {(row[0].id, row[1].id) for row in world.sparql(query).rows}
    assert (instance_iri("cup_1"), "Q45621") in rows
    before = generation(world)
    clock.now = 1.0
    see(world.map.belief, clock, at("cup", 8.0, 2.5, id_="cup_1"))
    assert generation(world) > before
    rows = {row[0].id for row in world.sparql(query).rows}
    assert instance_iri("cup_1") not in rows


def test_what_is_gone_is_no_knowledge_any_more(world):
    world.map.belief.remove("cup_1")
    assert ends(world, instance_iri("cup_1"), "P276") == []
    assert ends(world, "Q81727", "P31", Direction.IN) == [instance_iri("cup_2")]
    with pytest.raises(NotFoundError):
        world.map.entity(instance_iri("cup_1"))


def test_in_and_out_agree_for_every_spatial_relation(world):
    things = list(world.map.belief.things())
    for name in vocabulary.SPATIAL:
        out = {
            (id_, target) for id_ in things for target in ends(world.map, instance_iri(id_), name)
        }
        back = {
            (vocabulary.id_of(subject), instance_iri(id_))
            for id_ in things
            for subject in ends(world.map, instance_iri(id_), name, Direction.IN)
        }
        assert out == back


def test_find_narrows_down_by_every_field(world):
    planning = Planning(world)
    call, token = Call("find_objects", "run-1"), CancelToken()

    def found(**fields):
        return [one.item.id for one in planning.find(FindQuery(**fields), call, token)]

    assert found(class_id="cup") == ["cup_1", "cup_2"]
    assert found(class_id="container") == ["cup_1", "cup_2"]
    assert found(class_id="cup", region="kitchen") == ["cup_1"]
    assert found(region="table") == ["cup_1", "knife_1"]
    assert found(near="cup_1") == ["knife_1"]
    (first, *_) = planning.find(FindQuery("container"), call, token)
    relations = [item.triple.predicate for item in first.support.evidence]
    assert relations == ["P31", "P279", "P276"]
    assert first.support.evidence[0].provenance[0].run_id == "run-1"
    with pytest.raises(NotFoundError, match="nothing called"):
        found(region="attic")
    with pytest.raises(NotFoundError, match="'hovercraft'"):
        found(class_id="hovercraft")


def test_where_a_thing_belongs_is_told_with_a_reason_and_the_place_that_is_there(world):
    planning = Planning(world)
    (place, *_) = planning.places("cup_1", Call("where"), CancelToken())
    assert place.kind.name == "kitchen"
    assert [thing.id for thing in place.things] == ["kitchen"]
    assert place.reason == "cup: usual location kitchen."
    predicates = [item.triple.predicate for item in place.support[0].evidence]
    assert predicates == ["P31", vocabulary.USUAL_PLACE.id]
    assert 0 < place.score <= 1


def test_kinds_of_truth(world):
    from robodata_core.belief.evidence import evidence_for, kind_of

    call = Call("test")
    seen = evidence_for(
        world.statements(instance_iri("cup_1"), property="P276").statements, world, call
    )
    said = evidence_for(world.plain.statements("Q81727", property="P276").statements, world, call)
    assert kind_of(seen) is TruthKind.OBSERVED
    assert kind_of(said) is TruthKind.STATED
    assert kind_of(said, of_class=True) is TruthKind.TYPICAL
    assert seen[0].object_label == "table"


def test_where_things_of_a_kind_are_kept_is_not_where_one_is(world):
    usual = vocabulary.USUAL_PLACE.id
    assert ends(world, "Q81727", "P276") == []
    assert ends(world, "Q81727", usual) == ["Q43164"]
    assert ends(world.plain, "Q81727", "P276") == ["Q43164"]
    assert "Q81727" in ends(world, "Q43164", usual, Direction.IN)
    assert "Q81727" not in ends(world, "Q43164", "P276", Direction.IN)
    around = {item.property for item in world.relations(["Q81727"], direction=Direction.OUT)}
    assert usual in around and "P276" not in around
    everything = world.statements("Q81727").statements
    assert {item.property for item in everything} >= {usual, "P279"}
    assert world.property(usual).label == "usual location"
    # A single thing of the ontology is where it is.
    rows = world.sparql(
        "SELECT ?a ?b { ?a wdt:P276 ?b . FILTER NOT EXISTS { ?a wdt:P279 ?c } }"
    ).rows
    for thing, place in rows[:5]:
        if not thing.id.startswith("urn:"):
            assert place.id in ends(world, thing.id, "P276")


def test_what_stands_before_something_that_faces_it(clock):
    belief = empty_map(clock)
    quarter = Pose((8.0, 1.0, 0.8), (0.0, 0.0, 0.7071068, 0.7071068))  # faces along y
    see(
        belief,
        clock,
        at("cup", 8.2, 2.0, id_="ahead"),
        at("cup", 9.5, 1.2, id_="beside"),
        at("cup", 8.0, 0.5, id_="behind"),
        at("cup", 8.0, 4.5, id_="far"),
        Sighting("oven", quarter, 0.9, "oven_1"),
        Sighting("shelf", Pose((8.0, 1.9, 0.8)), 0.9, "unturned"),
    )
    source = MapSource(belief, CLASSES.get)
    relation = vocabulary.IN_FRONT_OF
    assert ends(source, "urn:robodata:map:oven_1", relation, Direction.IN) == [
        "urn:robodata:map:unturned",
        "urn:robodata:map:ahead",
    ]
    assert ends(source, "urn:robodata:map:ahead", relation) == ["urn:robodata:map:oven_1"]


def test_programs_reckon_with_distances(world):
    cups = Start("cups", tuple(EntityValue(instance_iri(id_)) for id_ in ("cup_1", "cup_2")))
    gizmo = Start("gizmo", (EntityValue(instance_iri("gizmo_1")),))
    place, metres = (vocabulary.AXES, vocabulary.FRAME), ("2.12", "4.74")
    for step, expected in (
        (Nearest("n", "cups", "gizmo", *place), [cups.values[0]]),
        (Distance("n", "cups", "gizmo", *place), [QuantityValue(Decimal(d)) for d in metres]),
    ):
        program = Program((cups, gizmo, step, End("n")))
        result = execute(program, world)
        assert sorted(result.values, key=str) == sorted(expected, key=str)
        assert {one.property for one in result.evidence} == {*vocabulary.AXES, vocabulary.FRAME}
        assert program.is_reckoned
        rows = world.sparql(compile_sparql(program)).rows
        assert sorted((row[0] for row in rows), key=str) == sorted(expected, key=str)
