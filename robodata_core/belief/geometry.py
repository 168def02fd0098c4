"""Spatial relations between things of a map: in, on, near, in front of, and distance.

Everything is a box (centre, orientation, extent); a thing whose size is not known is a point.
Relations hold between things of the same frame only: who knows how to transform frames does so
before the map hears of a pose. Orientation matters for the box that something is in or on; the
thing itself is taken as upright. The definitions are those common in robot knowledge bases
(KnowRob's computables): a thing is *on* another one if its underside is close above the other's
top and its centre is over it; *in* it if its centre is inside; *near* it if the centres are
within a distance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from robodata_core.belief.model import MapObject, MapSettings, Pose, Region, RegionKind, Vector

__all__ = ["Box", "box_of", "distance", "facing", "in_front_of", "is_in", "is_near", "is_on"]


_NOWHERE = "\0"
"""Frame of what has no known place: nothing else is in it."""


@dataclass(frozen=True, slots=True)
class Box:
    """A thing's place and extent; ``holds_in`` and ``holds_on`` say what others can be to it."""

    id: str
    frame: str
    pose: Pose
    size: Vector
    holds_in: bool
    holds_on: bool

    @property
    def has_size(self) -> bool:
        """Whether its extent is known."""
        return self.size[0] > 0 and self.size[1] > 0


def box_of(thing: MapObject | Region) -> Box:
    """Return the box of an object or a region.

    A region is what its kind says. An object with a size may hold others on top, and, as nobody
    says which ones are hollow, also inside.
    """
    if isinstance(thing, Region):
        inside = thing.kind is RegionKind.VOLUME
        return Box(thing.id, thing.frame, thing.pose, thing.size, inside, not inside)
    frame = thing.frame if thing.has_place else _NOWHERE + thing.id
    return Box(thing.id, frame, thing.pose, thing.size, True, True)


def is_in(inner: Box, outer: Box, settings: MapSettings) -> bool:
    """Tell whether ``inner``'s centre is inside ``outer``, which must be the larger one."""
    if not (outer.holds_in and outer.has_size and _comparable(inner, outer)):
        return False
    if not _larger(outer, inner):
        return False
    x, y, z = _seen_from(outer.pose, inner.pose.position)
    # A volume without a height is one of a floor plan: it reaches from the floor to the ceiling.
    return _over(x, y, outer, 0.0) and (not outer.size[2] or abs(z) <= outer.size[2] / 2)


def is_on(upper: Box, lower: Box, settings: MapSettings) -> bool:
    """Tell whether ``upper`` rests on ``lower``: its underside close above the other's top."""
    if not (lower.holds_on and lower.has_size and _comparable(upper, lower)):
        return False
    x, y, z = _seen_from(lower.pose, upper.pose.position)
    if not _over(x, y, lower, settings.edge):
        return False
    gap = z - upper.size[2] / 2 - lower.size[2] / 2
    # The centre of a thing of unknown size is above its underside by an unknown part of it.
    most = settings.on_gap if upper.size[2] > 0 else 2 * settings.on_gap
    return -settings.on_gap / 2 <= gap <= most


def is_near(one: Box, other: Box, settings: MapSettings) -> bool:
    """Tell whether two centres are within ``settings.near``."""
    return _comparable(one, other) and (distance(one, other) or 0.0) <= settings.near


def in_front_of(thing: Box, other: Box, settings: MapSettings) -> bool:
    """Tell whether ``thing`` is in front of ``other``, as ``other`` faces (REP 103: along x).

    In front is within ``settings.cone`` of that direction and within ``settings.in_front``, and
    not in, on or under it.
    """
    if not _comparable(thing, other):
        return False
    x, y, _ = _seen_from(other.pose, thing.pose.position)
    return other.size[0] / 2 < x <= settings.in_front and abs(y) <= x * math.tan(
        math.radians(settings.cone)
    )


def facing(pose: Pose) -> tuple[float, float]:
    """Return the level part of where a pose faces: its x axis (REP 103)."""
    x, y, z, w = pose.orientation
    return 1 - 2 * (y * y + z * z), 2 * (x * y + w * z)


def distance(one: Box, other: Box) -> float | None:
    """Return the distance of two centres in metres; None where their frames differ."""
    if one.frame != other.frame:
        return None
    return math.dist(one.pose.position, other.pose.position)


def _comparable(one: Box, other: Box) -> bool:
    return one.frame == other.frame and one.id != other.id


def _larger(outer: Box, inner: Box) -> bool:
    return outer.size[0] * outer.size[1] > inner.size[0] * inner.size[1]


def _over(x: float, y: float, box: Box, edge: float) -> bool:
    return abs(x) <= box.size[0] / 2 + edge and abs(y) <= box.size[1] / 2 + edge


def _seen_from(pose: Pose, point: Vector) -> Vector:
    """Return a point in the axes of ``pose``: the inverse rotation of the difference."""
    dx, dy, dz = (b - a for a, b in zip(pose.position, point, strict=True))
    x, y, z, w = pose.orientation
    if x == y == z == 0.0:
        return (dx, dy, dz)
    # v' = v + 2 u x (u x v + s v), with u = -(x, y, z) for the inverse, s = w
    ux, uy, uz = -x, -y, -z
    tx = 2 * (uy * dz - uz * dy)
    ty = 2 * (uz * dx - ux * dz)
    tz = 2 * (ux * dy - uy * dx)
    return (
        dx + w * tx + (uy * tz - uz * ty),
        dy + w * ty + (uz * tx - ux * tz),
        dz + w * tz + (ux * ty - uy * tx),
    )
