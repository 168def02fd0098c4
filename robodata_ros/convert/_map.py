"""Objects and regions of the map as messages, and back."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

from geometry_msgs.msg import Point, Quaternion, Vector3
from geometry_msgs.msg import Pose as PoseMessage

from robodata_core.belief import (
    ROBOT,
    MapObject,
    MapSeen,
    ObjectState,
    Pose,
    Region,
    RegionKind,
    Sighting,
    Stay,
    checked_size,
    instance_iri,
)
from robodata_core.errors import InvalidRequestError
from robodata_core.model import Entity
from robodata_msgs import msg as m
from robodata_ros.convert._basic import NAN, clean, count
from robodata_ros.convert._terms import term_of_entity

__all__ = [
    "map_from_msg",
    "object_from_msg",
    "object_to_msg",
    "pose_from_msg",
    "pose_to_msg",
    "region_from_msg",
    "region_to_msg",
    "robot_from_msg",
    "seconds_of",
    "sighting_from_msg",
    "stamp_of",
]

_STATES: Final = {
    ObjectState.SEEN: m.MapObject.SEEN,
    ObjectState.LOST: m.MapObject.LOST,
    ObjectState.GONE: m.MapObject.GONE,
}
_STATES_BACK: Final = {number: state for state, number in _STATES.items()}
_KINDS: Final = {RegionKind.VOLUME: m.Region.VOLUME, RegionKind.SURFACE: m.Region.SURFACE}
_KINDS_BACK: Final = {number: kind for kind, number in _KINDS.items()}
_LONGEST: Final = 256


def seconds_of(stamp: Any) -> float:
    """Return a message's time in seconds since 1970."""
    return float(stamp.sec) + float(stamp.nanosec) / 1e9


def stamp_of(seconds: float, stamp: Any) -> Any:
    """Set a message's time from seconds since 1970, and return it."""
    whole = math.floor(max(0.0, min(seconds, 2.0**31 - 1)))
    stamp.sec, stamp.nanosec = whole, min(int((seconds - whole) * 1e9), 999_999_999)
    return stamp


def pose_to_msg(pose: Pose) -> Any:
    """Return a pose as a message."""
    x, y, z = pose.position
    qx, qy, qz, qw = pose.orientation
    return PoseMessage(
        position=Point(x=x, y=y, z=z), orientation=Quaternion(x=qx, y=qy, z=qz, w=qw)
    )


def pose_from_msg(message: Any) -> Pose:
    """Return the pose of a message.

    Raises:
        InvalidRequestError: If a number is not finite, or absurdly large.
    """
    p, q = message.position, message.orientation
    return Pose.checked((p.x, p.y, p.z), (q.x, q.y, q.z, q.w))


def _place(message: Any) -> Pose:
    """Return where something is; a detector without depth says NaN, which is "not known"."""
    p = message.position
    return Pose() if math.isnan(p.x + p.y + p.z) else pose_from_msg(message)


def _size(message: Any) -> tuple[float, float, float]:
    return checked_size((message.x, message.y, message.z))


def sighting_from_msg(message: Any) -> Sighting:
    """Return a detection.

    Raises:
        InvalidRequestError: If its class, id, score, pose or size is none.
    """
    if not 0 < len(message.class_id) <= _LONGEST:
        raise InvalidRequestError(f"A class (class_id) of 1 to {_LONGEST} characters is needed.")
    if max(len(message.id), len(message.label)) > _LONGEST:
        raise InvalidRequestError(f"An id or label is longer than {_LONGEST} characters.")
    score = message.score
    if not (0 <= score <= 1 or math.isnan(score)):
        raise InvalidRequestError(f"A score is 0 to 1, or NaN where there is none, not {score:g}.")
    return Sighting(
        message.class_id,
        _place(message.pose),
        None if math.isnan(score) else score,
        message.id,
        message.label,
        _size(message.size),
    )


def object_to_msg(
    item: MapObject,
    class_: Entity | None,
    places: tuple[str, Sequence[str], Sequence[str]] = ("", (), ()),
    *,
    history: bool = False,
) -> Any:
    """Return an object; ``places``: its smallest region, what it is in, what it is on."""
    region, inside, on_top_of = places
    x, y, z = item.size
    message = m.MapObject(
        id=clean(item.id),
        iri=instance_iri(item.id),
        class_id=clean(item.class_id),
        label=clean(item.label),
        score=NAN if item.score is None else float(item.score),
        state=_STATES[item.state],
        seen_since_start=item.seen_since_start,
        frame_id=clean(item.frame),
        pose=pose_to_msg(item.pose),
        size=Vector3(x=x, y=y, z=z),
        region=clean(region),
        inside=[clean(id_) for id_ in inside],
        on_top_of=[clean(id_) for id_ in on_top_of],
        sightings=count(item.sightings),
        source=clean(item.source),
        author=clean(item.author),
        history=[_stay(stay) for stay in item.history] if history else [],
    )
    message.class_term = (
        term_of_entity(class_.id, class_.label) if class_ else m.Term(precision=NAN)
    )
    stamp_of(item.first_seen, message.first_seen)
    stamp_of(item.last_seen, message.last_seen)
    return message


def _stay(stay: Stay) -> Any:
    x, y, z = stay.position
    message = m.Stay(
        region=clean(stay.region),
        frame_id=clean(stay.frame),
        position=Point(x=x, y=y, z=z),
        sightings=count(stay.sightings),
        summary=stay.summary,
    )
    stamp_of(stay.since, message.since)
    stamp_of(stay.until, message.until)
    return message


def object_from_msg(message: Any, now: float, source: str, author: str) -> MapObject:
    """Return the object that a person or planner describes.

    Args:
        message: What holds of it.
        now: Seconds since 1970; its sighting, where the message has none.
        source: Service that took it.
        author: Who says so.

    Raises:
        InvalidRequestError: If something of it is none.
    """
    sighting = sighting_from_msg(message)
    if len(message.frame_id) > _LONGEST:
        raise InvalidRequestError(f"A frame's name is longer than {_LONGEST} characters.")
    if message.state not in _STATES_BACK:
        raise InvalidRequestError(f"{message.state} is no state of an object.")
    seen = seconds_of(message.last_seen) or now
    return MapObject(
        message.id,
        message.class_id,
        message.label,
        # What messages hold that set no score: nobody who asserts a thing has one of 0.
        sighting.score or None,
        message.frame_id,
        sighting.pose,
        sighting.size,
        _STATES_BACK[message.state],
        seconds_of(message.first_seen) or seen,
        seen,
        source=source,
        author=author,
    )


def map_from_msg(message: Any) -> MapSeen:
    """Return the map that a node tells of; what cannot be read of it is left out."""
    stamp = seconds_of(message.header.stamp)
    objects, regions, places = [], [], {}
    for one in message.objects:
        with suppress(InvalidRequestError):
            objects.append(object_from_msg(one, stamp, one.source, one.author))
            places[one.id] = one.region
    for one in message.regions:
        with suppress(InvalidRequestError):
            regions.append(region_from_msg(one, message.header.frame_id, ""))
    return MapSeen(stamp, tuple(objects), tuple(regions), places)


def robot_from_msg(message: Any) -> MapObject:
    """Return the robot where a ``geometry_msgs/PoseStamped`` says that it is.

    Raises:
        InvalidRequestError: If that is no place.
    """
    if len(message.header.frame_id) > _LONGEST:
        raise InvalidRequestError(f"A frame's name is longer than {_LONGEST} characters.")
    pose = pose_from_msg(message.pose)
    return MapObject(ROBOT, ROBOT, frame=message.header.frame_id, pose=pose)


def region_to_msg(region: Region) -> Any:
    """Return a region as a message."""
    x, y, z = region.size
    return m.Region(
        id=clean(region.id),
        label=clean(region.label),
        class_id=clean(region.class_id),
        kind=_KINDS[region.kind],
        frame_id=clean(region.frame),
        pose=pose_to_msg(region.pose),
        size=Vector3(x=x, y=y, z=z),
    )


def region_from_msg(message: Any, frame: str, source: str) -> Region:
    """Return the region of a message.

    Args:
        message: The region.
        frame: Frame of its pose where it does not say.
        source: Who told of it.

    Raises:
        InvalidRequestError: If something of it is none.
    """
    names = (message.id, message.class_id, message.label, message.frame_id)
    if max(map(len, names)) > _LONGEST:
        raise InvalidRequestError(f"A name of a region is longer than {_LONGEST} characters.")
    if message.kind not in _KINDS_BACK:
        raise InvalidRequestError(f"{message.kind} is no kind of region.")
    return Region(
        message.id,
        message.class_id or message.id,
        _KINDS_BACK[message.kind],
        message.frame_id or frame,
        pose_from_msg(message.pose),
        _size(message.size),
        message.label,
        source,
    )
