"""``vision_msgs/Detection3DArray`` as objects, where that package is installed.

The best hypothesis of a detection is its class. A detection without a tracking id gets the place
in its array as id, so two of a class in one array stay two.
"""

from __future__ import annotations

import math
from typing import Any

from robodata_msgs import msg as m

try:
    from vision_msgs.msg import Detection3DArray
except ImportError:  # not in the wheels; tests hand in messages of the same shape
    Detection3DArray = None

__all__ = ["Detection3DArray", "to_objects"]


def to_objects(array: Any) -> Any:
    """Return the detections of an array as objects; those without a hypothesis are left out."""
    objects = []
    for detection in array.detections:
        best = max(
            detection.results,
            key=lambda result: (
                -math.inf if math.isnan(result.hypothesis.score) else result.hypothesis.score
            ),
            default=None,
        )
        if best is None:
            continue
        objects.append(
            m.SemanticObject(
                id=detection.id,
                class_id=best.hypothesis.class_id,
                score=float(best.hypothesis.score),
                pose=detection.bbox.center,
                size=detection.bbox.size,
            )
        )
    return m.SemanticObjectArray(header=array.header, objects=objects)
