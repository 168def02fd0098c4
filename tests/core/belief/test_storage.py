"""The map on disk: what is saved comes back, damage is passed over, regions come from YAML."""

from __future__ import annotations

import sqlite3

import pytest

from robodata_core.belief import MapFile, ObjectState, RegionKind, read_regions
from robodata_core.errors import ConfigurationError, StoreError
from tests.core.belief.worlds import REGIONS, Clock, at, empty_map, see


def test_what_is_saved_comes_back_equal(tmp_path):
    clock = Clock()
    belief = empty_map(clock)
    see(belief, clock, at("cup", 2, 2), at("knife", 2.3, 2, id_="k", score=None))
    belief.add_regions(REGIONS)
    file = MapFile(tmp_path / "deep" / "map.sqlite")
    file.save(belief.take_dirty())
    assert list(belief.take_dirty()) == []
    file.close()
    objects, regions = MapFile(tmp_path / "deep" / "map.sqlite").load()
    assert objects == belief.objects()
    assert regions == belief.regions()
    again = empty_map(clock, objects)
    assert {item.state for item in again.objects()} == {ObjectState.LOST}
    # New objects do not take the ids of old ones.
    see(again, clock, at("cup", 9, 9))
    assert sorted(item.id for item in again.objects()) == ["cup_1", "cup_2", "k"]


def test_what_is_forgotten_leaves_the_file(tmp_path):
    clock = Clock()
    belief = empty_map(clock)
    belief.add_regions(REGIONS)
    file = MapFile(tmp_path / "map.sqlite")
    file.save(belief.take_dirty())
    belief.remove("table")
    file.save(belief.take_dirty())
    assert [item.id for item in file.load()[1]] == ["bathroom", "kitchen"]


def test_a_damaged_row_does_not_keep_the_others_away(tmp_path):
    clock = Clock()
    belief = empty_map(clock)
    see(belief, clock, at("cup", 2, 2, id_="a"), at("cup", 3, 2, id_="b"))
    file = MapFile(tmp_path / "map.sqlite")
    file.save(belief.take_dirty())
    file.close()
    with sqlite3.connect(tmp_path / "map.sqlite") as db:
        db.execute("UPDATE thing SET data = '{\"id\": 3' WHERE id = 'a'")
    assert [item.id for item in MapFile(tmp_path / "map.sqlite").load()[0]] == ["b"]


def test_another_file_is_refused_in_one_sentence(tmp_path):
    (tmp_path / "map.sqlite").write_text("this is no database, but long enough to look at")
    with pytest.raises(StoreError, match="cannot be opened"):
        MapFile(tmp_path / "map.sqlite")


def test_regions_are_read_from_yaml(tmp_path):
    path = tmp_path / "regions.yaml"
    path.write_text(
        "frame: map\nregions:\n"
        "  - {id: kitchen, pose: [2, 1, 1.25], size: [4, 3, 2.5]}\n"
        "  - {id: kt, class: table, label: big table, kind: surface, pose: [2, 1, 0.75, 1.57],"
        " size: [1.2, 0.8, 0]}\n"
    )
    kitchen, table = read_regions(path)
    assert (kitchen.class_id, kitchen.kind, kitchen.frame) == (
        "kitchen",
        RegionKind.VOLUME,
        "map",
    )
    assert (table.name, table.kind) == ("big table", RegionKind.SURFACE)
    assert table.pose.orientation[2] == pytest.approx(0.707, abs=1e-3)


@pytest.mark.parametrize(
    "text",
    [
        "regions: 3",
        "- a",
        "regions: [{id: a}]",
        "regions: [{id: a, pose: [1, .nan, 0], size: [1, 1, 1]}]",
        "regions: [{id: a, pose: [1, 2, 3], size: [1, -1, 1]}]",
        "regions: [{id: a, pose: [1, 2, 3], size: [1, .inf, 1]}]",
        "regions: [{id: a, pose: [1, 2, 3], size: [.nan, 1, 1]}]",
        "regions: [{id: a, pose: [1, 2, 3], size: [1e300, 1, 1]}]",
        "a: [",
        "regions: [7]",
    ],
)
def test_a_wrong_file_of_regions_is_told_by_name(tmp_path, text):
    path = tmp_path / "regions.yaml"
    path.write_text(text)
    with pytest.raises(ConfigurationError, match="regions.yaml"):
        read_regions(path)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("regions: [{id: a, clas: b, pose: [1, 1, 1], size: [1, 1, 1]}]", "'clas'"),
        ("frames: map\nregions: []", "'frames'"),
        ("regions: [" + "{id: a, pose: [1, 1, 1], size: [1, 1, 1]}," * 2 + "]", "the id 'a'"),
        ("regions: [" + "{id: a, pose: [1, 1, 1], size: [1, 1, 1]}," * 2_001 + "]", "over 2,000"),
        ("regions: [" + "{}," * 300_000 + "]", "too many values"),
        ("regions: " + "[" * 900, "nested too deeply"),
        ("a: &a [x, x]\nregions: [*a, *a]", "aliases"),
        ("regions: [{id: a, pose: [" + ":".join(["59"] * 300_000) + "]}]", "too many digits"),
        ("regions: [{id: a, pose: [0x" + "f" * 900_000 + "]}]", "too many digits"),
        ("#" * 1_000_001, "larger than"),
    ],
)
def test_a_file_of_regions_without_measure_is_refused_before_it_takes_long(tmp_path, text, why):
    path = tmp_path / "regions.yaml"
    path.write_text(text)
    with pytest.raises(ConfigurationError, match=why):
        read_regions(path)
