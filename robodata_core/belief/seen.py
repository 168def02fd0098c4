"""A robot's map as somebody else sees it at one moment: for screens, and whoever only looks."""

from __future__ import annotations

from dataclasses import dataclass

from robodata_core.belief.model import MapObject, Region

__all__ = ["MapSeen"]


@dataclass(frozen=True, slots=True)
class MapSeen:
    """Everything in a map but what is gone.

    Attributes:
        stamp: When it was so, seconds since 1970.
        objects: By id.
        regions: By id.
        places: Id of the smallest region that an object is in or on, by its id.
        robot: Where the robot itself is; None: not known.
    """

    stamp: float
    objects: tuple[MapObject, ...]
    regions: tuple[Region, ...]
    places: dict[str, str]
    robot: MapObject | None = None
