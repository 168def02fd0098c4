"""What a robot's map is made of: poses, sightings, objects, regions, and the map's settings.

Lengths are metres, times are seconds since 1970 on the clock of the messages (ROS time), angles
are unit quaternions. Nothing here knows ROS or a knowledge graph.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Final, TypeAlias

from robodata_core.errors import InvalidRequestError

__all__ = [
    "NO_PLACE",
    "ROBOT",
    "MapObject",
    "MapSettings",
    "Message",
    "ObjectState",
    "Pose",
    "Region",
    "RegionKind",
    "Sighting",
    "Stay",
    "Vector",
    "checked_size",
]

Vector: TypeAlias = tuple[float, float, float]
NO_PLACE: Vector = (0.0, 0.0, 0.0)
"""Detectors that know no pose leave the default of messages there: it counts as not known."""

ROBOT: Final = "robot"
"""Id of the robot itself."""
_FARTHEST = 1e6
"""Coordinates beyond a thousand kilometres are a fault of whoever sent them."""
_LARGEST = 1e5


class ObjectState(str, enum.Enum):
    """Whether an object is in sight."""

    SEEN = "seen"
    LOST = "lost"
    """Not seen for a while; it may still be where it was."""
    GONE = "gone"
    """Somebody said so, or it was not seen for very long."""


class RegionKind(str, enum.Enum):
    """How things are with a region: in it, or on it."""

    VOLUME = "volume"
    SURFACE = "surface"


@dataclass(frozen=True, slots=True)
class Pose:
    """A position and an orientation in some frame.

    Attributes:
        position: x, y, z in metres.
        orientation: Unit quaternion x, y, z, w.
    """

    position: Vector = (0.0, 0.0, 0.0)
    orientation: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 1.0)

    @classmethod
    def checked(cls, position: Vector, orientation: tuple[float, float, float, float]) -> Pose:
        """Return a pose from untrusted numbers; a zero quaternion means "no rotation".

        Raises:
            InvalidRequestError: If a number is not finite, or absurdly large.
        """
        if not all(math.isfinite(n) and abs(n) < _FARTHEST for n in (*position, *orientation)):
            raise InvalidRequestError("A pose holds a number that is infinite or none.")
        length = math.sqrt(sum(n * n for n in orientation))
        if length < 1e-9:
            return cls(position)
        x, y, z, w = (n / length for n in orientation)
        return cls(position, (x, y, z, w))

    @property
    def is_turned(self) -> bool:
        """Whether it is turned against the axes of its frame."""
        return any(self.orientation[:3])


def checked_size(size: Vector) -> Vector:
    """Return an extent from untrusted numbers.

    Raises:
        InvalidRequestError: If a number is negative, not finite, or absurdly large.
    """
    if not all(math.isfinite(n) and 0 <= n < _LARGEST for n in size):
        raise InvalidRequestError("A size is negative, infinite or none.")
    return size


@dataclass(frozen=True, slots=True)
class Message:
    """What told of a thing: one message on a topic.

    Attributes:
        topic: Where it came.
        stamp: When its sender says it holds: seconds since 1970, with all digits.
        frame: What its poses refer to.
        detector: The node that sent it, where that is known.
        sequence: Its number among those of its sender, where that is known.
    """

    topic: str
    stamp: str
    frame: str = ""
    detector: str = ""
    sequence: int | None = None

    @classmethod
    def plain(cls, topic: str, stamp: float, frame: str) -> Message:
        """Return one of which no more is known; ``stamp`` in seconds since 1970."""
        return cls(topic, f"{stamp:.9f}", frame)

    @property
    def id(self) -> str:
        """What tells it from every other message."""
        number = "" if self.sequence is None else f":{self.sequence}"
        return f"{self.topic}@{self.stamp}{self.detector}{number}"


@dataclass(frozen=True, slots=True)
class Sighting:
    """One detection of one object.

    Attributes:
        class_id: Its class, as the detector calls it.
        pose: Where it is, in the frame of the message.
        score: 0 to 1, or None where the detector gives none.
        id: The detector's own id, or empty where it does not track.
        label: A name of its own, or empty.
        size: Extent along its own axes; zeros where it is not known.
    """

    class_id: str
    pose: Pose = Pose()
    score: float | None = None
    id: str = ""
    label: str = ""
    size: Vector = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Stay:
    """Where an object was for a while.

    Attributes:
        region: Id of the smallest region it was in or on, or empty.
        frame: Frame of the position.
        position: Mean of what was seen.
        since: First sighting there.
        until: Last sighting there.
        sightings: How many.
        summary: Whether several stays in one region were put together.
        gap: Longest time between two sightings of it there, seconds.
        message: What told of it there last.
    """

    region: str
    frame: str
    position: Vector
    since: float
    until: float
    sightings: int = 1
    summary: bool = False
    gap: float = 0.0
    message: Message | None = None


@dataclass(frozen=True, slots=True)
class MapObject:
    """One object of the map, as it is known now.

    Attributes:
        id: Stable id.
        class_id: The detector's label that most of its sightings speak for.
        label: A name of its own, or empty.
        score: Running mean of the scores of that class; None where none was given.
        frame: Frame of the pose.
        pose: Where it was last seen.
        size: Extent along its own axes; zeros where it is not known.
        state: Whether it is in sight.
        first_seen: Stamp of the first sighting.
        last_seen: Stamp of the last one.
        sightings: How many there were.
        source: Topic or service that told of it last.
        author: Person or planner who said so, or empty.
        seen_since_start: Whether it was seen since the map was opened.
        history: Where it was, oldest first; the last one is where it is.
        settled: What a person or planner said of it (class_id, label, size, pose), and who: a
            detector does not change that, but it sees anew where a thing is.
        detected: What the detector takes it for, where its class was settled otherwise.
        gone_at: When somebody said that it is gone, on the clock of the messages; 0: nobody did.
        message: What told of it last; None where no detector did.
    """

    id: str
    class_id: str
    label: str = ""
    score: float | None = None
    frame: str = ""
    pose: Pose = Pose()
    size: Vector = (0.0, 0.0, 0.0)
    state: ObjectState = ObjectState.SEEN
    first_seen: float = 0.0
    last_seen: float = 0.0
    sightings: int = 1
    source: str = ""
    author: str = ""
    seen_since_start: bool = True
    history: tuple[Stay, ...] = ()
    settled: tuple[tuple[str, str], ...] = ()
    detected: str = ""
    gone_at: float = 0.0
    message: Message | None = None

    def said_by(self, field: str) -> str:
        """Return who settled a field; empty where a detector tells it."""
        return dict(self.settled).get(field, "")

    @property
    def has_place(self) -> bool:
        """Whether it is known where it is, or was."""
        return self.pose.position != NO_PLACE

    @property
    def faces(self) -> bool:
        """Whether it is known where it faces: most detectors tell no orientation, a robot does."""
        return self.pose.is_turned or self.id == ROBOT

    @property
    def name(self) -> str:
        """What people call it: its own name, else its id in words."""
        return self.label or self.id.replace("_", " ")


@dataclass(frozen=True, slots=True)
class Region:
    """A part of space with a name: a room, a table top, a shelf.

    Attributes:
        id: Stable id.
        class_id: What it is ("kitchen", "table").
        kind: Whether things are in it or on it.
        frame: Frame of the pose.
        pose: Of its centre.
        size: Extent along its own axes.
        label: How people call it; empty: its id in words.
        source: Topic, service or file it comes from.
        message: The message it comes from, if it does.
    """

    id: str
    class_id: str
    kind: RegionKind = RegionKind.VOLUME
    frame: str = ""
    pose: Pose = Pose()
    size: Vector = (0.0, 0.0, 0.0)
    label: str = ""
    source: str = ""
    message: Message | None = None

    @property
    def name(self) -> str:
        """What people call it."""
        return self.label or self.id.replace("_", " ")

    @property
    def volume(self) -> float:
        """A measure to tell the smaller one of two regions, cubic metres."""
        x, y, z = self.size
        return x * y * max(z, 0.01)


@dataclass(frozen=True, slots=True)
class MapSettings:
    """Tolerances and bounds of the map.

    Attributes:
        lost_after: Seconds without a sighting after which an object is lost; 0: never.
        gone_after: Seconds after which a lost one is taken for gone; 0: never.
        max_objects: Most objects; beyond it those gone, then those lost longest make room;
            where all are in sight, new ones are not taken.
        max_stays: Most stays remembered of one object; older ones are put together by region.
        gate: Farthest an object may have moved between two sightings without an id, metres.
        same_place: Distance below which a sighting of another class is the same object, metres.
        moved: Distance after which an object counts as moved, metres.
        near: Distance of centres up to which things are near each other, metres.
        on_gap: Most height between a thing's underside and what it is on, metres.
        edge: How far a thing may stand over the edge of what it is in or on, metres.
        in_front: Farthest a thing in front of another, behind or beside it may be, metres.
        cone: How far off that direction it may be, degrees.
    """

    lost_after: float = 5.0
    gone_after: float = 86_400.0
    max_objects: int = 1_000
    max_stays: int = 20
    gate: float = 0.5
    same_place: float = 0.1
    moved: float = 0.15
    near: float = 1.0
    on_gap: float = 0.15
    edge: float = 0.1
    in_front: float = 3.0
    cone: float = 45.0


def _message_of(plain: Mapping[str, Any] | None) -> Message | None:
    return None if plain is None else Message(**plain)


def from_plain(kind: type[Any], plain: Mapping[str, Any]) -> Any:
    """Return one of the dataclasses above from what ``dataclasses.asdict`` made and JSON kept.

    Raises:
        KeyError, TypeError, ValueError: If it is none.
    """
    known = {field.name for field in fields(kind)}
    given = {name: value for name, value in plain.items() if name in known}
    if "pose" in given:
        pose = given["pose"]
        given["pose"] = Pose.checked(tuple(pose["position"]), tuple(pose["orientation"]))
    made = (("state", ObjectState), ("kind", RegionKind), ("message", _message_of))
    for name, make in made:
        if name in given:
            given[name] = make(given[name])
    for name in ("size", "position"):
        if name in given:
            x, y, z = map(float, given[name])
            given[name] = (x, y, z)
    if kind is Stay and "since" in given and "until" in given:
        given.setdefault("gap", given["until"] - given["since"])  # when it was seen is not known
    if "size" in given:
        checked_size(given["size"])
    if "settled" in given:
        given["settled"] = tuple((str(name), str(who)) for name, who in given["settled"])
    if "history" in given:
        given["history"] = tuple(from_plain(Stay, stay) for stay in given["history"])
    return kind(**given)
