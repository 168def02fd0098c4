"""On, in, near, in front of."""

from __future__ import annotations

import math

from robodata_core.belief import MapObject, MapSettings, Pose, Region, RegionKind
from robodata_core.belief.geometry import box_of, distance, in_front_of, is_in, is_near, is_on

SETTINGS = MapSettings()


def thing(x: float, y: float, z: float, size=(0.0, 0.0, 0.0), frame: str = "map", yaw: float = 0):
    # Exactly 0, 0, 0 is what detectors without a pose send.
    pose = Pose((x, y, z or 1e-6), (0.0, 0.0, math.sin(yaw / 2), math.cos(yaw / 2)))
    return box_of(MapObject(f"o{x}{y}{z}{size}", "thing", frame=frame, pose=pose, size=size))


def surface(yaw: float = 0.0):
    pose = Pose((1.0, 1.0, 0.75), (0.0, 0.0, math.sin(yaw / 2), math.cos(yaw / 2)))
    return box_of(Region("table", "table", RegionKind.SURFACE, "map", pose, (2.0, 0.5, 0.0)))


def test_a_thing_is_on_what_its_underside_is_close_above():
    table = surface()
    assert is_on(thing(1.0, 1.0, 0.80, (0.1, 0.1, 0.1)), table, SETTINGS)
    assert is_on(thing(1.0, 1.0, 0.95), table, SETTINGS)  # size unknown: a taller thing
    assert not is_on(thing(1.0, 1.0, 1.30, (0.1, 0.1, 0.1)), table, SETTINGS)
    assert not is_on(thing(1.0, 1.0, 0.40, (0.1, 0.1, 0.1)), table, SETTINGS)  # under it
    assert not is_on(thing(1.0, 1.5, 0.80, (0.1, 0.1, 0.1)), table, SETTINGS)  # beside it
    assert not is_on(thing(1.0, 1.0, 0.80, frame="base_link"), table, SETTINGS)


def test_a_turned_table_holds_along_its_own_axes():
    along_y = surface(yaw=math.pi / 2)
    assert is_on(thing(1.0, 1.9, 0.8), along_y, SETTINGS)
    assert not is_on(thing(1.9, 1.0, 0.8), along_y, SETTINGS)


def test_a_thing_is_in_what_its_centre_is_inside_of():
    room = box_of(Region("r", "room", RegionKind.VOLUME, "map", Pose((2, 2, 1.25)), (4, 4, 2.5)))
    plan = box_of(Region("r", "room", RegionKind.VOLUME, "map", Pose((2, 2, 0)), (4, 4, 0)))
    assert is_in(thing(0.1, 3.9, 0.2), room, SETTINGS)
    assert not is_in(thing(-0.1, 3.9, 0.2), room, SETTINGS)
    assert not is_in(thing(1, 1, 3.0), room, SETTINGS)
    assert is_in(thing(1, 1, 3.0), plan, SETTINGS)
    drawer, spoon = thing(5, 5, 0.5, (0.4, 0.4, 0.2)), thing(5.1, 5, 0.5, (0.02, 0.2, 0.02))
    assert is_in(spoon, drawer, SETTINGS)
    assert not is_in(drawer, spoon, SETTINGS)


def test_near_and_distance_need_one_frame():
    one, other, far = thing(0, 0, 0), thing(0.6, 0.6, 0), thing(2, 0, 0)
    assert is_near(one, other, SETTINGS)
    assert is_near(other, one, SETTINGS)
    assert not is_near(one, far, SETTINGS)
    assert math.isclose(distance(one, far) or 0, 2.0)
    elsewhere = thing(0.1, 0, 0, frame="base_link")
    assert distance(one, elsewhere) is None
    assert not is_near(one, elsewhere, SETTINGS)


def test_what_has_no_known_place_is_nowhere():
    room = box_of(Region("r", "room", RegionKind.VOLUME, "map", Pose((0, 0, 0)), (4, 4, 2.5)))
    lost, other = box_of(MapObject("a", "cup", frame="map")), box_of(MapObject("b", "cup"))
    assert not is_in(lost, room, SETTINGS)
    assert not is_near(lost, other, SETTINGS)
    assert distance(lost, room) is None


def test_in_front_is_where_a_thing_faces():
    robot = thing(0, 0, 0, yaw=math.pi / 2)  # faces along y
    assert in_front_of(thing(0.2, 1.0, 0), robot, SETTINGS)
    assert not in_front_of(thing(1.0, 0.2, 0), robot, SETTINGS)
    assert not in_front_of(thing(0.0, -1.0, 0), robot, SETTINGS)
    assert not in_front_of(thing(0.0, 9.0, 0), robot, SETTINGS)
