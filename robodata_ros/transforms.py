"""Poses brought into one frame by tf2, where that is installed; else they stay as they came."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from robodata_core.belief import Pose

try:
    from tf2_ros import Buffer, TransformListener
except ImportError:  # not in the wheels
    Buffer = None

__all__ = ["make_transform"]


def make_transform(
    node: Any, target: str, warn: Callable[[str], None]
) -> Callable[[Pose, str, float], tuple[Pose, str]]:
    """Return what brings a pose of a frame, at a time, into ``target``.

    A pose whose frame cannot be transformed right now keeps it: nothing is guessed. Each frame is
    told once.

    Args:
        node: Listens to ``/tf``.
        target: The frame wanted; empty leaves every pose as it is.
        warn: Takes a sentence.
    """
    if Buffer is None or not target:
        return lambda pose, frame, stamp: (pose, frame or target)
    from rclpy.time import Time

    buffer = Buffer()
    listener = TransformListener(buffer, node)
    told: set[str] = set()

    def transform(pose: Pose, frame: str, stamp: float) -> tuple[Pose, str]:
        assert listener is not None  # it lives as long as this function
        if not frame or frame == target:
            return pose, frame or target
        try:
            at = Time(nanoseconds=int(stamp * 1e9))
            found = buffer.lookup_transform(target, frame, at).transform
        except Exception as error:  # whatever tf2 raises means "not now"
            if frame not in told and len(told) < 100:
                told.add(frame)
                warn(f"Poses in {frame!r} stay there, no transform to {target!r}: {error}")
            return pose, frame
        told.discard(frame)
        move, turn = found.translation, found.rotation
        return _moved(pose, (move.x, move.y, move.z), (turn.x, turn.y, turn.z, turn.w)), target

    return transform


def _moved(
    pose: Pose, move: tuple[float, float, float], turn: tuple[float, float, float, float]
) -> Pose:
    """Return a pose after a rotation and a translation."""
    x, y, z = pose.position
    rotated = _product(_product(turn, (x, y, z, 0.0)), (-turn[0], -turn[1], -turn[2], turn[3]))
    place = (rotated[0] + move[0], rotated[1] + move[1], rotated[2] + move[2])
    return Pose.checked(place, _product(turn, pose.orientation))


def _product(
    a: tuple[float, float, float, float], b: tuple[float, float, float, float]
) -> tuple[float, float, float, float]:
    """Return the product of two quaternions x, y, z, w."""
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return (
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    )
