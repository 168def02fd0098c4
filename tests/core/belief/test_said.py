"""What people and planners say of things: it is their word, and it holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from robodata_core.api import RoboData
from robodata_core.belief import (
    Call,
    FindQuery,
    MapFile,
    MapObject,
    Planning,
    Pose,
    WorldSource,
    kind_of,
)
from robodata_core.belief import vocabulary as v
from robodata_core.belief.model import from_plain
from robodata_core.cancellation import CancelToken
from robodata_core.model import Answer, StringValue, TruthKind
from tests.core.belief.asked_flat import opened
from tests.core.belief.worlds import START, Clock, at, empty_map, see


@pytest.fixture
def flat():
    with opened() as robodata:
        yield robodata


def world(robodata: RoboData) -> WorldSource:
    assert isinstance(robodata.source, WorldSource)
    return robodata.source


def authors(answer: Answer) -> set[str]:
    return {
        snak.value.text
        for claim in answer.claims
        for item in claim.support.evidence
        for record in item.provenance
        for snak in record.qualifiers
        if snak.property == v.AUTHOR and isinstance(snak.value, StringValue)
    }


def put_vase(robodata: RoboData) -> None:
    world(robodata).map.belief.put(
        MapObject(
            "vase_1", "vase", frame="map", pose=Pose((1.2, 2.2, 0.8)), author="anna",
            source="update_map", first_seen=START + 600, last_seen=START + 600,
        )
    )  # fmt: skip


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Where is the vase?", {"table", "kitchen"}),
        ("Is the vase on the table?", {"yes"}),
        ("Is there a vase?", {"yes"}),
    ],
)
def test_what_somebody_said_is_stated_and_not_seen(
    flat: RoboData, question: str, expected: set[str]
) -> None:
    put_vase(flat)
    answer = flat.ask(question)
    assert {item.label for item in answer.results} == expected
    claim = answer.claims[0]
    assert claim.kind is TruthKind.STATED and claim.text.startswith("Said by anna: ")
    assert authors(answer) == {"anna"}
    told = {snak.property for item in claim.support.evidence for record in item.provenance
            if record.origin == "anna" for snak in record.qualifiers}  # fmt: skip
    assert v.SCORE not in told and v.STATE not in told


def test_what_is_seen_again_is_observed(flat: RoboData) -> None:
    put_vase(flat)
    belief = world(flat).map.belief
    belief.see([at("vase", 1.2, 2.2, 0.8, "vase_1")], frame="map", stamp=START + 601, source="/o")
    assert flat.ask("Where is the vase?").claims[0].kind is TruthKind.OBSERVED


def test_a_planner_hears_the_same(flat: RoboData) -> None:
    put_vase(flat)
    found = Planning(world(flat)).find(FindQuery(class_id="vase"), Call("x", "r"), CancelToken())
    assert [kind_of(one.support.evidence) for one in found] == [TruthKind.STATED]
    cups = Planning(world(flat)).find(FindQuery(class_id="cup"), Call("x", "r"), CancelToken())
    assert {kind_of(one.support.evidence) for one in cups} == {TruthKind.OBSERVED}


def test_a_corrected_class_holds_until_somebody_says_otherwise() -> None:
    clock = Clock()
    belief = empty_map(clock)
    see(belief, clock, at("cup", 2, 2, id_="x"))
    belief.correct("x", {"class_id": "bowl", "label": "Anna's bowl"}, "anna")
    for clock.now in range(1, 40):
        see(belief, clock, at("cup", 2, 2, id_="x"))
    item = belief.thing("x")
    assert isinstance(item, MapObject)
    assert (item.class_id, item.label, item.detected) == ("bowl", "Anna's bowl", "cup")
    assert item.score is None and item.said_by("class_id") == "anna" and not item.said_by("pose")
    belief.correct("x", {"class_id": "mug"}, "planner")
    see(belief, clock, at("cup", 2, 2, id_="x"))
    item = belief.thing("x")
    assert isinstance(item, MapObject)
    assert (item.class_id, item.said_by("class_id")) == ("mug", "planner")
    belief.correct("x", {"class_id": "cup"}, "anna")
    see(belief, clock, at("cup", 2, 2, id_="x", score=0.7))
    item = belief.thing("x")
    assert isinstance(item, MapObject)
    assert item.class_id == "cup" and not item.detected and item.score is not None


def test_a_corrected_thing_without_an_id_stays_the_same_thing() -> None:
    clock = Clock()
    belief = empty_map(clock)
    see(belief, clock, at("cup", 2, 2))
    belief.correct("cup_1", {"class_id": "bowl"}, "anna")
    for step in range(1, 5):
        clock.now = step
        see(belief, clock, at("cup", 2 + 0.3 * step, 2))
    assert [(item.id, item.class_id) for item in belief.objects()] == [("cup_1", "bowl")]


def test_a_correction_survives_a_restart(tmp_path: Path) -> None:
    clock = Clock()
    belief = empty_map(clock)
    see(belief, clock, at("cup", 2, 2, id_="x"))
    belief.correct("x", {"class_id": "bowl"}, "anna")
    file = MapFile(tmp_path / "map.sqlite")
    file.save(belief.take_dirty())
    objects, _ = file.load()
    file.close()
    again = empty_map(clock, objects)
    for clock.now in range(1, 10):
        see(again, clock, at("cup", 2, 2, id_="x"))
    item = again.thing("x")
    assert isinstance(item, MapObject)
    assert (item.class_id, item.said_by("class_id")) == ("bowl", "anna")


def test_what_was_seen_of_a_corrected_thing_is_observed_and_its_class_is_stated(
    flat: RoboData,
) -> None:
    belief = world(flat).map.belief
    belief.correct("cup_1", {"class_id": "bowl"}, "anna")
    belief.see([at("cup", 1.0, 1.6, 0.8, "cup_1")], frame="map", stamp=START + 601, source="/o")
    where = flat.ask("Where is cup 1?")
    assert where.claims[0].kind is TruthKind.OBSERVED
    what = flat.ask("Is cup 1 a bowl?")
    assert [item.label for item in what.results] == ["yes"]
    assert what.claims[0].kind is TruthKind.STATED and authors(what) == {"anna"}


def test_older_files_hold_nobodys_word() -> None:
    assert from_plain(MapObject, {"id": "x", "class_id": "cup"}).settled == ()


def test_what_somebody_took_away_is_told_with_who_and_when(flat: RoboData) -> None:
    world(flat).map.belief.remove("towel_1", "anna")
    for question in ("Where is the towel?", "When did you last see the towel?"):
        answer = flat.ask(question)
        assert not answer.results and "anna said 2023-11-14 22:23:20 UTC" in answer.text
        assert "seen last 2023-11-14 22:18:40 UTC" in answer.text
    assert "anna" not in flat.ask("Where is the fork?").text
