"""Regions from a YAML file.

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
from pathlib import Path
from typing import Any, Final

from robodata_core.belief.model import MOST_REGIONS, Pose, Region, RegionKind, Vector, checked_size
from robodata_core.errors import ConfigurationError, InvalidRequestError
from robodata_core.text import clean_text, parse_yaml
from robodata_core.whole_files import read_text

__all__ = ["read_regions"]

_MOST_BYTES: Final = 1_000_000
_WRONG: Final = (KeyError, TypeError, ValueError, OverflowError, AttributeError)


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
    if len(listed) > MOST_REGIONS:
        raise ConfigurationError(f"{path} has over {MOST_REGIONS:,} regions.")
    frame = clean_text(str(plain.get("frame", "map")))
    return tuple(_region(item, frame, path, n) for n, item in enumerate(listed, 1))


def _region(plain: Any, frame: str, path: Path, number: int) -> Region:
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
