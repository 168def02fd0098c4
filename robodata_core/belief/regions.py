"""Regions of a map: kept by id, and read from a YAML file.

```yaml
frame: map
regions:
  - {id: kitchen, class: kitchen, pose: [2, 1, 1.25], size: [4, 3, 2.5]}
  - {id: kitchen_table, class: table, kind: surface, pose: [2, 1, 0.75, 0.785], size: [1.2, 0.8, 0]}
```

A pose is x, y, z in metres and, where it is turned, the yaw in radians.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from robodata_core.belief.geometry import Box, box_of, is_in, is_on
from robodata_core.belief.model import (
    MapSettings,
    Pose,
    Region,
    RegionKind,
    Vector,
    checked_size,
)
from robodata_core.errors import ConfigurationError, InvalidRequestError
from robodata_core.text import clean_text, parse_yaml
from robodata_core.whole_files import read_text

__all__ = ["Regions", "read_regions"]

_MOST_REGIONS: Final = 2_000
"""Of one map: each sighting is compared with all of them."""
_MOST_BYTES: Final = 1_000_000
_KEYS: Final = ("frame", "regions")
_REGION_KEYS: Final = ("id", "class", "kind", "frame", "pose", "size", "label")
_WRONG: Final = (KeyError, TypeError, ValueError, OverflowError, AttributeError)


class Regions:
    """The regions of a map, by id.

    Args:
        settings: The map's tolerances.
    """

    def __init__(self, settings: MapSettings) -> None:
        self._settings = settings
        self._held: dict[str, tuple[Region, Box]] = {}

    def ids(self) -> Collection[str]:
        """Return the ids as they are at any time."""
        return self._held.keys()

    def all(self) -> tuple[Region, ...]:
        """Return all regions by id."""
        return tuple(self._held[id_][0] for id_ in sorted(self._held))

    def get(self, id_: str) -> Region | None:
        """Return the region of an id."""
        held = self._held.get(id_)
        return held[0] if held else None

    def add(self, regions: Sequence[Region]) -> None:
        """Add regions, or change them by their ids: all of them or none.

        Raises:
            InvalidRequestError: If one has no extent, or they are too many.
        """
        for region in regions:
            if not (region.size[0] > 0 and region.size[1] > 0 and region.size[2] >= 0):
                raise InvalidRequestError(f"The region {region.id!r} has no extent.")
        if len(self._held.keys() | {region.id for region in regions}) > _MOST_REGIONS:
            raise InvalidRequestError(
                f"The map holds {_MOST_REGIONS:,} regions at most, and takes no more."
            )
        self._held.update({region.id: (region, box_of(region)) for region in regions})

    def pop(self, id_: str) -> Region | None:
        """Forget a region, and return it; None if there is none."""
        held = self._held.pop(id_, None)
        return held[0] if held else None

    def smallest(self, box: Box) -> str:
        """Return the id of the smallest region that a box is in or on; empty for none."""
        held = [
            region
            for region, other in self._held.values()
            if is_in(box, other, self._settings) or is_on(box, other, self._settings)
        ]
        return min(held, key=lambda region: region.volume).id if held else ""


def read_regions(path: Path) -> tuple[Region, ...]:
    """Return the regions of a file.

    Raises:
        ConfigurationError: If it cannot be read, or a region is not spelt like that.
    """
    try:
        plain = parse_yaml(read_text(path, most=_MOST_BYTES, what="The file of regions"))
    except ValueError as error:
        raise ConfigurationError(f"The file of regions {path} cannot be read: {error}.") from error
    listed = plain.get("regions") if isinstance(plain, dict) else None
    if not isinstance(listed, list):
        raise ConfigurationError(f"{path} has no list 'regions'.", hint="See docs/ROS.md.")
    if len(listed) > _MOST_REGIONS:
        raise ConfigurationError(f"{path} has over {_MOST_REGIONS:,} regions.")
    frame = clean_text(str(plain.get("frame", "map")))
    _check_keys(plain, _KEYS, f"{path}")
    regions = tuple(_region(item, frame, path, n) for n, item in enumerate(listed, 1))
    for id_, times in Counter(region.id for region in regions).items():
        if times > 1:
            raise ConfigurationError(f"{path} has {times} regions with the id {id_!r}.")
    return regions


def _check_keys(plain: Mapping[Any, Any], known: Collection[str], where: str) -> None:
    unknown = [str(key) for key in plain if key not in known]
    if unknown:
        raise ConfigurationError(
            f"{where} has the unknown key {clean_text(unknown[0], limit=60)!r}.",
            hint=f"Known are: {', '.join(known)}.",
        )


def _region(plain: Any, frame: str, path: Path, number: int) -> Region:
    if isinstance(plain, dict):
        _check_keys(plain, _REGION_KEYS, f"Region {number} of {path}")
    try:
        pose = [float(n) for n in plain["pose"]]
        size = [float(n) for n in plain["size"]]
        yaw = pose[3] if len(pose) == 4 else 0.0
        if len(pose) not in (3, 4) or len(size) != 3:
            raise ValueError("pose takes 3 or 4 numbers, size 3")
        turned = (0.0, 0.0, math.sin(yaw / 2), math.cos(yaw / 2))
        place: Vector = (pose[0], pose[1], pose[2])
        id_ = clean_text(str(plain["id"]))
        return Region(
            id_,
            clean_text(str(plain.get("class", id_))),
            RegionKind(plain.get("kind", "volume")),
            clean_text(str(plain.get("frame", frame))),
            Pose.checked(place, turned),
            checked_size((size[0], size[1], size[2])),
            clean_text(str(plain.get("label", ""))),
            path.name,
        )
    except (*_WRONG, InvalidRequestError) as error:
        why = clean_text(str(error), limit=200).rstrip(".")
        raise ConfigurationError(
            f"Region {number} of {path} cannot be read: {why}.",
            hint="See docs/ROS.md.",
        ) from error
