"""The household's snapshot: kinds of things, what is typical of them, activities, alignment."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from robodata_core.iris import RDFS, id_from_iri
from robodata_core.model import EntityValue
from robodata_core.sources.snapshot import SnapshotSource, find_snapshot, open_snapshot
from tests.conftest import ROOT
from tests.core.data.detectors import DETECTORS

COCO = """
person, bicycle, car, motorcycle, airplane, bus, train, truck, boat, traffic light, fire
hydrant, stop sign, parking meter, bench, bird, cat, dog, horse, sheep, cow, elephant, bear,
zebra, giraffe, backpack, umbrella, handbag, tie, suitcase, frisbee, skis, snowboard, sports
ball, kite, baseball bat, baseball glove, skateboard, surfboard, tennis racket, bottle, wine
glass, cup, fork, knife, spoon, bowl, banana, apple, sandwich, orange, broccoli, carrot, hot
dog, pizza, donut, cake, chair, couch, potted plant, bed, dining table, toilet, tv, laptop,
mouse, remote, keyboard, cell phone, microwave, oven, toaster, sink, refrigerator, book, clock,
vase, scissors, teddy bear, hair drier, toothbrush
"""
ABILITY = "urn:robodata:household:ability:"
EXACT = "http://www.w3.org/2004/02/skos/core#exactMatch"


@pytest.fixture(scope="module")
def household() -> Iterator[SnapshotSource]:
    with open_snapshot("household") as source:
        yield source


def kind(source: SnapshotSource, name: str) -> str:
    hits = source.lookup_names([name])
    return hits[name][0].id if hits else ""


def values(source: SnapshotSource, name: str, prop: str) -> set[str]:
    page = source.statements(kind(source, name), property=prop, limit=1000)
    ids = [s.value.id for s in page.statements if isinstance(s.value, EntityValue)]
    return {entity.label for entity in source.entities(ids).values()}


def test_every_class_of_coco_is_known_by_its_name_and_described(household: SnapshotSource) -> None:
    names = [" ".join(name.split()) for name in COCO.split(",")]
    assert len(names) == 80
    known = [name for name in names if kind(household, name)]
    told = [name for name in known if household.statements(kind(household, name)).total >= 4]
    assert len(told) >= 75


@pytest.mark.parametrize(
    ("label", "meant"),
    [
        ("ButterKnife", "butter knife"),
        ("RemoteControl", "remote"),
        ("CoffeeMachine", "coffee maker"),
        ("trash_bag", "garbage bag"),
        ("Kitchen knife", "knife"),
        ("traffic_light", "traffic light"),
    ],
)
def test_labels_of_other_detectors_lead_to_the_same_kinds(
    household: SnapshotSource, label: str, meant: str
) -> None:
    assert kind(household, label) == kind(household, meant) != ""


@pytest.mark.parametrize(("style", "share"), [("thor", 0.9), ("open images", 0.8), ("lvis", 0.8)])
def test_names_of_detectors_are_there_as_they_are_written(
    household: SnapshotSource, style: str, share: float
) -> None:
    names = DETECTORS[style]
    assert len(household.lookup_names(names)) >= share * len(names)


@pytest.mark.parametrize(
    ("name", "above"),
    [("wok", "pan"), ("steak knife", "table knife"), ("gas range", "stove"), ("loveseat", "couch")],
)
def test_kinds_that_wordnet_alone_has_are_below_the_others(
    household: SnapshotSource, name: str, above: str
) -> None:
    assert kind(household, above) in {
        s.value.id
        for s in household.statements(kind(household, name), property="P279").statements
        if isinstance(s.value, EntityValue)
    }


def test_a_kind_has_a_name_of_its_own(household: SnapshotSource) -> None:
    kinds: dict[str, set[str]] = {}
    for quad in household.quads():
        iri = quad.subject.value
        if quad.predicate.value == RDFS + "label" and "ability:" not in iri and "/P" not in iri:
            kinds.setdefault(str(getattr(quad.object, "value", "")), set()).add(iri)
    assert len(kinds) > 7_000
    assert [name for name, iris in kinds.items() if len(iris) > 1] == []


def test_abilities_are_there_and_handed_down_apart(household: SnapshotSource) -> None:
    page = household.statements(kind(household, "strawberry"), property="P1552")
    told = {s.value.id for s in page.statements if isinstance(s.value, EntityValue)}
    assert {ABILITY + "sliceable", ABILITY + "perishable"} <= told
    origins: dict[str, set[str]] = {"plain": set(), "also in the tables": set()}
    for names, told_of in (("cruet|goblet|gouda|edam", "plain"),
                           ("strawberry|plate|apple|sofa", "also in the tables")):  # fmt: skip
        for hit in names.split("|"):
            page = household.statements(kind(household, hit), property="P1552")
            origins[told_of] |= {statement.origin for statement in page.statements}
    assert origins["plain"] == {"bddl-2021", "bddl-derived"}
    # What both say names both; what is handed down is not what is stated.
    told_by = {name for one in origins["also in the tables"] for name in one.split("+")}
    assert told_by <= {"bddl-2021", "bddl-derived", "household-things"}
    assert not [one for one in origins["also in the tables"] if one.count("bddl") > 1]


def test_the_questions_it_is_for_have_their_facts(household: SnapshotSource) -> None:
    can_slice = "urn:robodata:household:can-slice"
    assert "strawberry" in values(household, "knife", can_slice)
    assert {"sandwich", "apple"} <= values(household, "pack a lunch", "P2283")
    assert "cabinet" in values(household, "plate", "P276")
    assert {"breakable"} <= values(household, "mug", "P1552")
    assert "kitchen" in values(household, "mug", "P276")


def test_what_is_put_into_a_carton_for_lunch_does_not_belong_there(
    household: SnapshotSource,
) -> None:
    assert "carton" not in values(household, "cookie", "P276")


def test_kinds_are_aligned_by_statements(household: SnapshotSource) -> None:
    page = household.statements(kind(household, "plate"), property=EXACT)
    matched = " ".join(str(statement.value) for statement in page.statements)
    assert "urn:bddl:synset:plate.n.04" in matched
    assert "ease-crc.org/ont/SOMA.owl#" in matched


def test_every_subject_is_a_kind_and_no_single_thing(household: SnapshotSource) -> None:
    assert household.statements(kind(household, "plate"), property="P31").total == 0
    for name in ("plate", "knife", "packing lunches", "kitchen"):
        assert household.statements(kind(household, name), property="P279").total >= 1


def test_conceptnet_stays_in_a_snapshot_of_its_own(household: SnapshotSource) -> None:
    with open_snapshot("conceptnet-kitchen") as kitchen:
        assert kitchen.manifest.licences == ("CC-BY-SA-4.0",)
        assert kind(kitchen, "knife") == kind(household, "knife")
        assert kitchen.statements(kind(kitchen, "knife")).total > 5
    assert not any("CC-BY-SA" in licence for licence in household.manifest.licences)


def test_conceptnet_speaks_of_the_kinds_of_this_household(household: SnapshotSource) -> None:
    with open_snapshot("conceptnet-kitchen") as kitchen:
        ids = {id_from_iri(quad.subject.value) for quad in kitchen.quads()}
        ids -= {property_.id for property_ in kitchen.all_properties()}
    ours = [id_ for id_ in ids if id_.startswith("urn:robodata:household:")]
    known = household.entities(ours)
    assert len(ours) > 250
    assert [id_ for id_ in ours if not known[id_].label] == []


@pytest.mark.parametrize("name", ["household", "conceptnet-kitchen"])
def test_building_again_gives_the_same(shared_dir: Path, tmp_path: Path, name: str) -> None:
    script = ROOT / "scripts" / "build_snapshot.py"
    if not script.is_file():
        pytest.skip("the tests do not run from a checkout")
    command = [sys.executable, str(script), name, "--data", str(shared_dir)]
    subprocess.run([*command, "--output", str(tmp_path / name)], check=True, capture_output=True)
    again, shipped = tmp_path / name, find_snapshot(name)
    assert (again / "manifest.json").read_bytes() == (shipped / "manifest.json").read_bytes()


def test_the_notice_names_every_data_set(household: SnapshotSource) -> None:
    notice = ROOT / "NOTICE"
    if not notice.is_file():
        pytest.skip("the tests do not run from a checkout")
    text = notice.read_text(encoding="utf-8")
    with open_snapshot("conceptnet-kitchen") as kitchen:
        for source in (*household.manifest.sources, *kitchen.manifest.sources):
            assert f"\n  {source['name']} " in text
            assert source["year"] and source["licence"]
