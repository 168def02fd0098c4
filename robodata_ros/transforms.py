"""Poses brought into one frame by tf2, where that is installed; else they stay as they came."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from rclpy.duration import Duration
from rclpy.time import Time

from robodata_core.belief import Pose
from robodata_core.belief.model import NO_PLACE

try:
    from tf2_ros import Buffer, TransformListener
except ImportError:  # not in the wheels
    Buffer = None

__all__ = ["Transforms"]

_PATIENCE: Final = 0.1
"""Seconds to wait for the transform of a moment: detections mostly come before it."""
_MOST_TOLD: Final = 100
_Way: TypeAlias = "tuple[tuple[float, float, float], tuple[float, float, float, float]]"


class Transforms:
    """Brings poses into one frame.

    A pose whose frame cannot be transformed right now keeps it: nothing is guessed. Each frame is
    told once.

    Args:
        node: Listens to ``/tf``.
        target: The frame wanted; empty leaves every pose as it is.
        warn: Takes a sentence.
    """

    def __init__(self, node: Any, target: str, warn: Callable[[str], None]) -> None:
        self._target = target
        self._warn = warn
        self._told: set[str] = set()
        self._latest: tuple[str, float, _Way] | None = None
        self._buffer = Buffer() if Buffer is not None and target else None
        self._listener = TransformListener(self._buffer, node) if self._buffer is not None else None

    def wait(self, frame: str, stamp: float) -> None:
        """Give the transform of a moment a short while to come; at once where none can come.

        Not for the thread that ``/tf`` is read in.
        """
        if self._buffer is None or frame in ("", self._target):
            return
        if self._buffer.can_transform(self._target, frame, Time()):  # at whatever time
            self._buffer.can_transform(
                self._target, frame, _time(stamp), Duration(seconds=_PATIENCE)
            )

    def bring(self, pose: Pose, frame: str, stamp: float) -> tuple[Pose, str]:
        """Return a pose of a frame, at a time, in the frame wanted, or as it is; and its frame."""
        if self._buffer is None or frame in ("", self._target):
            return pose, frame or self._target
        if pose.position == NO_PLACE:
            return pose, self._target  # not known, and in another frame no better known
        way = self._way(frame, stamp)
        return (pose, frame) if way is None else (_moved(pose, *way), self._target)

    def _way(self, frame: str, stamp: float) -> _Way | None:
        """Return the move and the turn into the frame wanted; one array asks for the same ones."""
        assert self._buffer is not None
        if self._latest is not None and self._latest[:2] == (frame, stamp):
            return self._latest[2]
        try:
            found = self._buffer.lookup_transform(self._target, frame, _time(stamp)).transform
        except Exception as error:  # whatever tf2 raises means "not now"
            if frame not in self._told and len(self._told) < _MOST_TOLD:
                self._told.add(frame)
                self._warn(
                    f"Poses in {frame!r} stay there, no transform to {self._target!r}: {error}"
                )
            return None
        self._told.discard(frame)
        move, turn = found.translation, found.rotation
        way = ((move.x, move.y, move.z), (turn.x, turn.y, turn.z, turn.w))
        self._latest = (frame, stamp, way)
        return way


def _time(stamp: float) -> Time:
    """Return a time, a microsecond early: a float is inexact, and tf2 knows no future."""
    return Time(nanoseconds=max(0, int(stamp * 1e6 - 0.5)) * 1_000)


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
