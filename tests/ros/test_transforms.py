"""Poses brought into the map's frame by tf2, which no wheel has: a stand-in has its two classes.

The stand-in behaves as tf2's do where it matters here: a transform later than the newest one is
refused, waiting for it takes a time-out, and time 0 means any.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from geometry_msgs.msg import TransformStamped

from robodata_msgs import msg as m
from robodata_ros import qos
from tests.ros.harness import Collector, Peer, eventually, running

STAND_IN = """
import time

from geometry_msgs.msg import TransformStamped
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.duration import Duration


class Buffer:
    def __init__(self):
        self.newest = {}

    def can_transform(self, target, source, at, timeout=Duration()):
        end = time.monotonic() + timeout.nanoseconds / 1e9
        while not self.knows(target, source, at) and time.monotonic() < end:
            time.sleep(0.02)
        return self.knows(target, source, at)

    def knows(self, target, source, at):
        one = self.newest.get((target, source))
        stamp = one and one.header.stamp
        return bool(one) and at.nanoseconds <= stamp.sec * 10**9 + stamp.nanosec

    def lookup_transform(self, target, source, at, timeout=Duration()):
        if not self.can_transform(target, source, at, timeout):
            raise LookupError("extrapolation into the future")
        return self.newest[target, source]


class TransformListener:
    def __init__(self, buffer, node):
        self.buffer = buffer
        self.made = node.create_subscription(
            TransformStamped, "/tf_stand_in", self.take, 10, callback_group=ReentrantCallbackGroup()
        )

    def take(self, one):
        self.buffer.newest[one.header.frame_id, one.child_frame_id] = one
"""
START = 1_700_000_000


class Head:
    """A camera a metre up, turned a quarter to the left, and what it sees."""

    def __init__(self, peer: Peer, name: str) -> None:
        node = peer.node
        self._frames = node.create_publisher(TransformStamped, "/tf_stand_in", 10)
        self._seen = node.create_publisher(m.SemanticObjectArray, f"{name}/objects", 10)
        eventually(
            lambda: self._frames.get_subscription_count() and self._seen.get_subscription_count()
        )

    def turn(self, stamp: int) -> None:
        way = TransformStamped(child_frame_id="camera")
        way.header.frame_id, way.header.stamp.sec = "map", stamp
        # Not a whole number of microseconds: the time asked for must not be later than this.
        way.header.stamp.nanosec = 123_456_789
        way.transform.translation.x, way.transform.translation.z = 5.0, 1.0
        way.transform.rotation.z = way.transform.rotation.w = 0.5**0.5
        self._frames.publish(way)

    def see(self, id_: str, frame: str, stamp: int, *place: float) -> None:
        item = m.SemanticObject(id=id_, class_id="cup", score=0.9)
        item.pose.position.x, item.pose.position.y, item.pose.position.z = place
        array = m.SemanticObjectArray(objects=[item])
        array.header.frame_id, array.header.stamp.sec = frame, stamp
        array.header.stamp.nanosec = 123_456_789
        self._seen.publish(array)


def test_poses_come_into_the_frame_of_the_map_when_their_transform_does(
    peer: Peer, tmp_path: Path
) -> None:
    package = tmp_path / "tf2_ros"
    package.mkdir()
    (package / "__init__.py").write_text(STAND_IN, encoding="utf-8")
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    with running("/head", peer, "snapshot_period:=0.1", PYTHONPATH=path) as node:
        maps = Collector(peer, m.Map, f"{node.name}/map", qos.MAP)
        head = Head(peer, node.name)

        def known(id_: str) -> Any:
            found = [one for one in (maps.messages or [m.Map()])[-1].objects if one.id == id_]
            return found[0] if found else None

        def sees_far() -> Any:
            # What is sent first may be lost: the node may not have found the publisher yet.
            head.see("far", "elsewhere", START, 1.0, 2.0, 3.0)
            time.sleep(0.1)
            return known("far")

        # A frame that nothing leads to the map from: told once, and waited for never.
        far = eventually(sees_far)
        assert (far.frame_id, far.pose.position.x) == ("elsewhere", 1.0)
        assert "'elsewhere' stay there" in node.said()
        head.turn(START)
        # What is seen now comes before its transform does.
        for number in range(1, 4):
            head.see(f"cup_{number}", "camera", START + number, 2.0, 0.5, 0.0)
            time.sleep(0.03)
            head.turn(START + number)
            cup = eventually(lambda id_=f"cup_{number}": known(id_))
            assert cup.frame_id == "map"
            place = cup.pose.position
            assert [round(n, 9) for n in (place.x, place.y, place.z)] == [4.5, 2.0, 1.0]
            assert round(cup.pose.orientation.z, 6) == 0.707107
        # A detector that knows no place leaves 0, 0, 0 there, which is not where the camera is.
        head.see("unplaced", "camera", START + 3, 0.0, 0.0, 0.0)
        place = eventually(lambda: known("unplaced")).pose.position
        assert (place.x, place.y, place.z) == (0.0, 0.0, 0.0)
        maps.close()
