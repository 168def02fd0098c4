"""The map as ``visualization_msgs/MarkerArray`` for RViz, where that package is installed."""

from __future__ import annotations

from typing import Any, Final

from geometry_msgs.msg import Vector3

from robodata_core.belief import BeliefMap, MapObject, ObjectState, Region
from robodata_ros import convert

try:
    from visualization_msgs.msg import Marker, MarkerArray
except ImportError:  # an environment set up without it
    Marker = MarkerArray = None

__all__ = ["MarkerArray", "markers_of"]

_SMALL: Final = 0.05
_COLOURS: Final = {
    ObjectState.SEEN: (0.2, 0.7, 0.3, 0.9),
    ObjectState.LOST: (0.8, 0.6, 0.1, 0.5),
    ObjectState.GONE: (0.5, 0.5, 0.5, 0.2),
}
_REGION: Final = (0.3, 0.4, 0.8, 0.15)


def markers_of(belief: BeliefMap, stamp: Any) -> Any:
    """Return everything in the map as markers: a box and a name each, what was there first deleted.

    Args:
        belief: The map.
        stamp: Time of the markers' headers.
    """
    array = MarkerArray()
    clear = Marker()
    clear.action = Marker.DELETEALL
    array.markers.append(clear)
    number = 0
    for thing in belief.things().values():
        if isinstance(thing, MapObject) and not thing.has_place:
            continue
        number += 1
        array.markers.append(_box(thing, number, stamp))
        array.markers.append(_name(thing, number, stamp))
    return array


def _box(thing: MapObject | Region, number: int, stamp: Any) -> Any:
    marker = _begun(thing, number, stamp)
    marker.ns, marker.type = "boxes", Marker.CUBE
    x, y, z = (max(side, _SMALL) for side in thing.size)
    marker.scale = Vector3(x=x, y=y, z=z)
    colour = _REGION if isinstance(thing, Region) else _COLOURS[thing.state]
    marker.color.r, marker.color.g, marker.color.b, marker.color.a = colour
    return marker


def _name(thing: MapObject | Region, number: int, stamp: Any) -> Any:
    marker = _begun(thing, number, stamp)
    marker.ns, marker.type = "names", Marker.TEXT_VIEW_FACING
    marker.pose.position.z += max(thing.size[2] / 2, _SMALL) + _SMALL
    marker.scale = Vector3(x=0.0, y=0.0, z=0.1)
    marker.color.r = marker.color.g = marker.color.b = marker.color.a = 1.0
    lost = isinstance(thing, MapObject) and thing.state is ObjectState.LOST
    marker.text = convert.clean(f"{thing.name} (lost)" if lost else thing.name)
    return marker


def _begun(thing: MapObject | Region, number: int, stamp: Any) -> Any:
    marker = Marker()
    marker.header.frame_id = convert.clean(thing.frame)
    marker.header.stamp = stamp
    marker.id = number
    marker.action = Marker.ADD
    marker.pose = convert.pose_to_msg(thing.pose)
    return marker
