"""Poses brought into the map's frame by tf2, or, as no wheel has it, by a stand-in of two classes.

The stand-in behaves as tf2's do where it matters here: a transform later than the newest one is
refused, waiting for it takes a time-out, and time 0 means any.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from geometry_msgs.msg import TransformStamped

from robodata_msgs import msg as m
from robodata_ros import qos
from tests.ros.harness import Collector, NodeProcess, Peer, eventually, running

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
REAL = importlib.util.find_spec("tf2_ros") is not None
STATIC = """
import rclpy
from geometry_msgs.msg import TransformStamped
from tf2_ros import StaticTransformBroadcaster

rclpy.init()
node = rclpy.create_node("mount")
way = TransformStamped(child_frame_id="lens")
way.header.frame_id = "camera"
way.transform.translation.z = 0.5
way.transform.rotation.w = 1.0
broadcaster = StaticTransformBroadcaster(node)
broadcaster.sendTransform(way)
rclpy.spin(node)
"""


class Head:
    """A camera a metre up, turned a quarter to the left, and what it sees."""

    def __init__(self, peer: Peer, process: NodeProcess) -> None:
        node, name = peer.node, process.name
        self.node = process
        topic = "/tf" if REAL else "/tf_stand_in"
        if REAL:
            from tf2_ros import TransformBroadcaster

            self._tell = TransformBroadcaster(node).sendTransform
        else:
            self._tell = node.create_publisher(TransformStamped, topic, 10).publish
        self._seen = node.create_publisher(m.SemanticObjectArray, f"{name}/objects", 10)
        self._maps = Collector(peer, m.Map, f"{name}/map", qos.MAP)
        eventually(lambda: node.count_subscribers(topic) and self._seen.get_subscription_count())

    def known(self, id_: str) -> Any:
        found = [one for one in (self._maps.messages or [m.Map()])[-1].objects if one.id == id_]
        return found[0] if found else None

    def close(self) -> None:
        self._maps.close()

    def turn(self, stamp: int) -> None:
        way = TransformStamped(child_frame_id="camera")
        way.header.frame_id, way.header.stamp.sec = "map", stamp
        # Not a whole number of microseconds: the time asked for must not be later than this.
        way.header.stamp.nanosec = 123_456_789
        way.transform.translation.x, way.transform.translation.z = 5.0, 1.0
        way.transform.rotation.z = way.transform.rotation.w = 0.5**0.5
        self._tell(way)

    def see(self, id_: str, frame: str, stamp: int, *place: float) -> None:
        item = m.SemanticObject(id=id_, class_id="cup", score=0.9)
        item.pose.position.x, item.pose.position.y, item.pose.position.z = place
        array = m.SemanticObjectArray(objects=[item])
        array.header.frame_id, array.header.stamp.sec = frame, stamp
        array.header.stamp.nanosec = 123_456_789
        self._seen.publish(array)


@pytest.fixture
def head(peer: Peer, tmp_path: Path) -> Iterator[Head]:
    path = os.environ.get("PYTHONPATH", "")
    if not REAL:
        package = tmp_path / "tf2_ros"
        package.mkdir()
        (package / "__init__.py").write_text(STAND_IN, encoding="utf-8")
        path = os.pathsep.join([str(tmp_path), path])
    with running("/head", peer, "snapshot_period:=0.1", PYTHONPATH=path) as node:
        made = Head(peer, node)
        yield made
        made.close()


def test_poses_come_into_the_frame_of_the_map_when_their_transform_does(head: Head) -> None:
    def sees_far() -> Any:
        # What is sent first may be lost: the node may not have found the publisher yet.
        head.see("far", "elsewhere", START, 1.0, 2.0, 3.0)
        time.sleep(0.1)
        return head.known("far")

    # A frame that nothing leads to the map from: told once, and waited for never.
    far = eventually(sees_far)
    assert (far.frame_id, far.pose.position.x) == ("elsewhere", 1.0)
    assert "'elsewhere' stay there" in head.node.said()
    head.turn(START)
    # What is seen now comes before its transform does.
    for number in range(1, 4):
        head.see(f"cup_{number}", "camera", START + number, 2.0, 0.5, 0.0)
        time.sleep(0.03)
        head.turn(START + number)
        cup = eventually(lambda id_=f"cup_{number}": head.known(id_))
        assert cup.frame_id == "map"
        place = cup.pose.position
        assert [round(n, 9) for n in (place.x, place.y, place.z)] == [4.5, 2.0, 1.0]
        assert round(cup.pose.orientation.z, 6) == 0.707107
    # A detector that knows no place leaves 0, 0, 0 there, which is not where the camera is.
    head.see("unplaced", "camera", START + 3, 0.0, 0.0, 0.0)
    place = eventually(lambda: head.known("unplaced")).pose.position
    assert (place.x, place.y, place.z) == (0.0, 0.0, 0.0)


@pytest.mark.skipif(not REAL, reason="tf2_ros not installed: it comes with ROS")
def test_a_camera_that_another_process_mounts_is_followed(head: Head) -> None:
    """A fixed mount, told once and by somebody else, at the end of a head that moves."""
    mount = subprocess.Popen([sys.executable, "-c", STATIC])
    try:
        numbers = iter(range(1, 1_000))

        def brought() -> Any:
            number = next(numbers)
            head.turn(START + number)
            head.see("cup_1", "lens", START + number, 2.0, 0.5, 0.0)
            time.sleep(0.1)
            cup = head.known("cup_1")
            return cup if cup is not None and cup.frame_id == "map" else None

        place = eventually(brought).pose.position
        assert [round(n, 6) for n in (place.x, place.y, place.z)] == [4.5, 2.0, 1.5]
    finally:
        mount.terminate()
        mount.wait()
