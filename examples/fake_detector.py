#!/usr/bin/env python3
"""Publishes objects as a detector would, twice a second: a cup, a knife, a plant, an odd thing."""

from __future__ import annotations

import sys
from contextlib import suppress

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node

from robodata_msgs.msg import SemanticObject, SemanticObjectArray

SEEN = (("cup_1", "cup"), ("knife_1", "knife"), ("plant_1", "potted plant"), ("odd_1", "cupp"))


def main() -> int:
    """Publish until stopped."""
    rclpy.init()
    node = Node("fake_detector")
    publisher = node.create_publisher(SemanticObjectArray, "robodata/objects", 10)

    def publish() -> None:
        objects = [SemanticObject(id=id_, class_id=kind, score=0.9) for id_, kind in SEEN]
        array = SemanticObjectArray(objects=objects)
        array.header.stamp = node.get_clock().now().to_msg()
        array.header.frame_id = "map"
        publisher.publish(array)

    node.create_timer(0.5, publish)
    node.get_logger().info(f"Telling of {', '.join(id_ for id_, _ in SEEN)} on robodata/objects")
    with suppress(KeyboardInterrupt, ExternalShutdownException):
        rclpy.spin(node)
    node.destroy_node()
    rclpy.try_shutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main())
