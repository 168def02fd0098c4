"""Sightings become objects: identities, states, classes, corrections, history."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robodata_core.belief import (
    BeliefMap,
    MapObject,
    MapSettings,
    ObjectState,
    Pose,
    Region,
    Sighting,
)
from robodata_core.belief.association import associate
from robodata_core.errors import InvalidRequestError, NotFoundError
from tests.core.belief.worlds import START, Clock, at, empty_map, see


def test_a_sighting_becomes_an_object_with_everything_the_detector_said():
    clock = Clock()
    belief = empty_map(clock)
    see(belief, clock, at("cup", 1.9, 2.0, id_="cup_1", score=0.7))
    clock.now = 2.0
    see(belief, clock, at("cup", 1.91, 2.0, id_="cup_1", score=0.8))
    (cup,) = belief.objects()
    assert (cup.id, cup.class_id, cup.frame) == ("cup_1", "cup", "map")
    assert cup.pose.position == (1.91, 2.0, 0.8)
    assert (cup.first_seen, cup.last_seen, cup.sightings) == (START, START + 2, 2)
    assert cup.score == pytest.approx(0.72)
    assert cup.source == "/robodata/objects"
    assert belief.region_of(cup) == "table"


def test_seen_lost_and_gone_are_kept_apart():
    clock = Clock()
    belief = empty_map(clock, lost_after=5.0, gone_after=100.0)
    see(belief, clock, at("cup", 2, 2, id_="a"))
    clock.now = 4.9
    assert belief.tick().vanished == ()
    assert belief.next_tick() == 5.0
    clock.now = 5.0
    assert [item.id for item in belief.tick().vanished] == ["a"]
    assert belief.thing("a").state is ObjectState.LOST
    clock.now = 100.0
    belief.tick()
    assert belief.thing("a").state is ObjectState.GONE
    assert belief.objects() == ()
    assert [item.id for item in belief.objects(gone=True)] == ["a"]
    changes = see(belief, clock, at("cup", 2, 2, id_="a"))
    assert [item.id for item in changes.new] == ["a"]
    assert belief.thing("a").state is ObjectState.SEEN


def test_two_cups_that_move_along_one_line_are_not_swapped():
    clock = Clock()
    belief = empty_map(clock, gate=0.5)
    see(belief, clock, at("cup", 1.0, 2.0), at("cup", 1.3, 2.0))
    first = {item.pose.position[0]: item.id for item in belief.objects()}
    # The nearest object to the detection at 1.3 is the second cup, but then the first is lost.
    see(belief, clock, at("cup", 1.3, 2.0), at("cup", 1.6, 2.0))
    second = {item.pose.position[0]: item.id for item in belief.objects()}
    assert len(belief.objects(gone=True)) == 2
    assert second[1.3] == first[1.0]
    assert second[1.6] == first[1.3]


def test_two_cups_that_are_seen_in_another_order_keep_their_ids():
    clock = Clock()
    belief = empty_map(clock)
    see(belief, clock, at("cup", 1.0, 1.0), at("cup", 3.0, 3.0))
    before = {item.id: item.pose.position for item in belief.objects()}
    for _ in range(5):
        see(belief, clock, at("cup", 3.01, 3.0), at("cup", 1.01, 1.0))
    for item in belief.objects():
        assert item.pose.position[0] == pytest.approx(before[item.id][0], abs=0.1)
    assert len(belief.objects(gone=True)) == 2


def test_a_class_is_what_most_sightings_say_and_one_slip_changes_nothing():
    clock = Clock()
    belief = empty_map(clock)
    for _ in range(10):
        see(belief, clock, at("cup", 2, 2))
    see(belief, clock, at("bowl", 2.02, 2))
    (item,) = belief.objects()
    assert item.class_id == "cup"
    for _ in range(10):
        changes = see(belief, clock, at("bowl", 2, 2))
    (item,) = belief.objects()
    assert item.class_id == "bowl"
    assert item.sightings == 21
    assert changes.seen == (item,)


def test_what_lies_where_something_else_was_lost_is_another_thing():
    clock = Clock()
    belief = empty_map(clock)
    for _ in range(5):
        see(belief, clock, at("fork", 2, 2))
    clock.now = 30.0
    belief.tick()
    for _ in range(5):
        see(belief, clock, at("knife", 2.08, 2))
    known = {item.id: (item.class_id, item.state) for item in belief.objects()}
    assert known == {
        "fork_1": ("fork", ObjectState.LOST),
        "knife_1": ("knife", ObjectState.SEEN),
    }
    see(belief, clock, at("knife", 2.08, 2), at("fork", 2, 2))
    assert [item.state for item in belief.objects()] == [ObjectState.SEEN] * 2


def test_what_has_an_id_of_the_detectors_own_is_no_slip_of_it():
    clock = Clock()
    belief = empty_map(clock)
    see(belief, clock, at("fork", 2, 2, id_="track_7"))
    see(belief, clock, at("knife", 2.05, 2))
    assert {item.id: item.class_id for item in belief.objects()} == {
        "track_7": "fork",
        "knife_1": "knife",
    }


def test_what_is_asserted_was_not_seen_until_it_is():
    clock = Clock()
    belief = empty_map(clock)
    belief.put(MapObject("vase_1", "vase", frame="map", pose=Pose((2, 2, 0.8)), author="ann"))
    (vase,) = belief.objects()
    assert (vase.state, vase.sightings, vase.seen_since_start) == (ObjectState.LOST, 0, False)
    changes = see(belief, clock, at("vase", 2, 2, id_="vase_1"))
    (vase,) = belief.objects()
    assert changes.new == (vase,)
    assert (vase.state, vase.sightings, vase.seen_since_start) == (ObjectState.SEEN, 1, True)
    belief.put(MapObject("vase_1", "vase", frame="map", pose=Pose((2, 2.2, 0.8)), author="ann"))
    assert [item.state for item in belief.objects()] == [ObjectState.SEEN]


def test_one_id_with_two_labels_in_one_array_is_one_object_of_the_surer_label():
    clock = Clock()
    belief = empty_map(clock)
    see(belief, clock, at("cup", 2, 2, id_="d", score=0.6), at("knife", 2, 2, id_="d", score=0.7))
    (item,) = belief.objects()
    assert item.class_id == "knife"


def test_a_tracker_that_begins_anew_does_not_double_what_was_lost_at_the_same_place():
    clock = Clock()
    belief = empty_map(clock)
    see(belief, clock, at("cup", 2, 2, id_="7"))
    clock.now = 6.0
    belief.tick()
    see(belief, clock, at("cup", 2.02, 2, id_="19"))
    (cup,) = belief.objects()
    assert (cup.id, cup.state, cup.sightings) == ("7", ObjectState.SEEN, 2)
    see(belief, clock, at("cup", 2.9, 2, id_="19"))
    assert [item.id for item in belief.objects()] == ["7"]


def test_two_ids_at_once_are_two_objects_however_close():
    clock = Clock()
    belief = empty_map(clock)
    see(belief, clock, at("cup", 2, 2, id_="a"), at("cup", 2, 2, id_="b"))
    see(belief, clock, at("cup", 2, 2, id_="c"))
    assert [item.id for item in belief.objects()] == ["a", "b", "c"]


def test_history_is_bounded_and_old_stays_are_put_together_by_region():
    clock = Clock()
    belief = empty_map(clock, max_stays=6)
    for number in range(60):
        clock.now = float(number)
        place = (1.0, 1.0) if number % 2 else (8.0, 2.0)
        see(belief, clock, at("cup", place[0] + number * 0.01, place[1], id_="cup"))
    (cup,) = belief.objects()
    assert len(cup.history) <= 6
    assert sum(stay.sightings for stay in cup.history) == 60
    summaries = [stay for stay in cup.history if stay.summary]
    assert {stay.region for stay in summaries} == {"kitchen", "bathroom"}
    assert min(stay.since for stay in cup.history) == START


def test_what_people_say_outweighs_the_detector():
    clock = Clock()
    belief = empty_map(clock)
    see(belief, clock, at("cup", 2, 2, id_="x"))
    before = belief.correct("x", {"class_id": "vase", "label": "Ming"}, "ann")
    assert before.class_id == "cup"
    see(belief, clock, at("cup", 2, 2, id_="x"))
    item = belief.thing("x")
    assert (item.class_id, item.label, item.name) == ("vase", "Ming", "Ming")
    with pytest.raises(NotFoundError):
        belief.correct("y", {"label": "z"}, "ann")
    with pytest.raises(InvalidRequestError, match="Fields"):
        belief.correct("x", {"id": "z"}, "ann")
    belief.remove("x")
    assert belief.thing("x").state is ObjectState.GONE
    with pytest.raises(NotFoundError):
        belief.remove("nothing")


def test_what_is_gone_after_a_restart_is_gone_since_somebody_said_so() -> None:
    clock = Clock()
    first = empty_map(clock)
    see(first, clock, at("cup", 2, 2, id_="x"))
    second = empty_map(clock, first.objects())  # it has seen nothing that tells the time
    second.remove("x", "anna", START + 500)
    item = second.thing("x")
    assert isinstance(item, MapObject) and item.gone_at == START + 500


def test_regions_are_so_many_at_most_and_those_that_are_there_can_be_changed():
    belief = BeliefMap(MapSettings(), Clock())
    rooms = [Region(f"r{n}", "room", size=(1, 1, 1)) for n in range(2_001)]
    for room in rooms[:2_000]:  # as messages come, which once took a minute
        belief.add_regions([room])
    with pytest.raises(InvalidRequestError, match="2,000 regions"):
        belief.add_regions(rooms[2_000:])
    larger = Region("r7", "hall", size=(9, 9, 9))
    belief.add_regions([larger])
    assert belief.thing("r7") == larger
    belief.remove("r8")
    belief.add_regions(rooms[2_000:])
    assert len(belief.regions()) == 2_000


def test_asserted_objects_get_an_id_and_regions_are_checked():
    clock = Clock()
    belief = empty_map(clock, max_objects=2)
    id_ = belief.put(MapObject("", "mug", frame="map", pose=Pose((2, 2, 0.8)), author="ann"))
    assert (id_, belief.region_of(belief.thing(id_))) == ("mug_1", "table")
    with pytest.raises(InvalidRequestError, match="extent"):
        belief.add_regions([Region("r", "room")])
    with pytest.raises(InvalidRequestError, match="region"):
        belief.put(MapObject("kitchen", "cup"))
    belief.put(MapObject("", "mug"))
    with pytest.raises(InvalidRequestError, match="full"):
        belief.put(MapObject("", "mug"))


def test_a_full_map_takes_no_new_objects_unless_gone_ones_make_room():
    clock = Clock()
    belief = empty_map(clock, max_objects=2)
    changes = see(belief, clock, *(at("cup", n, 0, id_=f"c{n}") for n in range(3)))
    assert (len(belief.objects(gone=True)), changes.ignored) == (2, 1)
    belief.remove("c0")
    see(belief, clock, at("cup", 2, 0, id_="c2"))
    assert [item.id for item in belief.objects(gone=True)] == ["c1", "c2"]
    clock.now = 6.0
    belief.tick()
    see(belief, clock, at("cup", 2, 0, id_="c2"))
    # Lost ones make room as well, but not one that this very message sees again.
    see(belief, clock, at("cup", 5, 0, id_="c3"), at("cup", 2, 0, id_="c2"))
    assert [item.id for item in belief.objects(gone=True)] == ["c2", "c3"]


def test_what_is_known_from_before_is_lost_and_not_seen_since():
    clock = Clock()
    known = MapObject("cup_1", "cup", frame="map", pose=Pose((2, 2, 0.8)), last_seen=START)
    belief = empty_map(clock, (known,))
    (cup,) = belief.objects()
    assert (cup.state, cup.seen_since_start) == (ObjectState.LOST, False)
    see(belief, clock, at("cup", 2.1, 2))
    (cup,) = belief.objects()
    assert (cup.id, cup.state, cup.seen_since_start) == ("cup_1", ObjectState.SEEN, True)


@settings(max_examples=60, deadline=None)
@given(
    known=st.lists(st.tuples(st.floats(0, 3), st.floats(0, 3)), max_size=5),
    seen=st.lists(st.tuples(st.floats(0, 3), st.floats(0, 3)), max_size=4),
)
def test_association_is_the_best_of_all_pairings(known, seen):
    gate = 1.0
    places = [(x, y, 0.0) for x, y in known]
    found = [(x, y, 0.0) for x, y in seen]

    def cost(pairs):
        total = 0.0
        for i, j in enumerate(pairs):
            if j is not None:
                apart = sum((a - b) ** 2 for a, b in zip(found[i], places[j], strict=True))
                if apart > gate * gate:
                    return None
                total += apart
        return (sum(j is None for j in pairs), total)

    options: list[int | None] = [None, *range(len(places))]
    every = [
        value
        for pairs in itertools.product(options, repeat=len(found))
        if len(taken := [j for j in pairs if j is not None]) == len(set(taken))
        and (value := cost(pairs)) is not None
    ]
    chosen = cost(associate(places, found, gate))
    assert chosen is not None
    best = min(every)
    assert chosen[0] == best[0]
    assert chosen[1] == pytest.approx(best[1], abs=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_identities_hold_through_noise_and_misses(seed):
    """Twelve objects of three classes without ids, 100 looks with noise, misses, other orders."""
    chance = random.Random(seed)
    clock = Clock()
    belief = empty_map(clock)
    truth = [
        (("cup", "plate", "fork")[n % 3], 0.5 + 0.6 * (n % 4), 0.5 + 0.7 * (n // 4))
        for n in range(12)
    ]
    for step in range(100):
        clock.now = step * 0.2
        looks = [
            Sighting(name, Pose((x + chance.gauss(0, 0.03), y + chance.gauss(0, 0.03), 0.8)), 0.8)
            for name, x, y in truth
            if chance.random() > 0.1
        ]
        chance.shuffle(looks)
        see(belief, clock, *looks)
    assert len(belief.objects(gone=True)) == 12
    for item in belief.objects():
        nearest = min(
            truth,
            key=lambda one: (
                (one[1] - item.pose.position[0]) ** 2 + (one[2] - item.pose.position[1]) ** 2
            ),
        )
        assert nearest[0] == item.class_id
        # One stay: it never was anywhere else.
        assert len(item.history) == 1


STEPS = st.lists(
    st.tuples(st.floats(0.0, 3.0), st.dictionaries(st.sampled_from("abc"), st.sampled_from("xy"))),
    max_size=12,
)


@given(STEPS)
def test_what_is_new_and_what_vanishes_always_balance(steps):
    clock = Clock()
    belief = empty_map(clock, lost_after=2.0)
    held: dict[str, str] = {}

    def follow(changes):
        for item in changes.vanished:
            assert held.pop(item.id) == item.class_id
        for item in changes.reclassified:
            assert held.pop(item.id) == item.class_id
            held[item.id] = belief.thing(item.id).class_id
        for item in changes.new:
            assert item.id not in held
            held[item.id] = item.class_id

    for wait, objects in steps:
        clock.now += wait
        follow(belief.tick())
        follow(see(belief, clock, *(at(kind, 0, 0, 0, id_) for id_, kind in objects.items())))
        assert objects.keys() <= held.keys()
        assert all(belief.thing(id_).class_id == kind for id_, kind in held.items())
    follow(belief.lose_all())
    assert held == {}
