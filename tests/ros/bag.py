"""A rosbag2 recording of the kitchen script, read with the standard library alone.

``python -m tests.ros.bag`` makes it anew where a message has changed: it shows the script to a real
node and keeps, as they came over DDS, the regions, what the detector said, and the last map. Only
making needs the package ``rosbags`` (rosbag2 itself comes with ROS installations alone).
"""

from __future__ import annotations

import importlib.util
import shutil
import sqlite3
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

BAG = Path(__file__).parent / "data" / "kitchen_bag"
PARAMETERS = ("snapshot_period:=0.05", "lost_after:=600.0")
"""Nothing is lost because a machine is slow: the map depends on what was seen alone."""
SECONDS = 6


@dataclass(frozen=True)
class Recorded:
    """A message as it was recorded: the end of its topic's name, and its CDR bytes."""

    topic: str
    data: bytes


def read(folder: Path) -> list[Recorded]:
    """Return the messages of a recording in rosbag2's sqlite3 form, in order of time."""
    (path,) = folder.glob("*.db3")
    store = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
    try:
        rows = store.execute(
            "SELECT topics.name, messages.data FROM messages JOIN topics "
            "ON topics.id = messages.topic_id ORDER BY messages.timestamp, messages.id"
        ).fetchall()
    finally:
        store.close()
    return [Recorded(name.rpartition("/")[2], bytes(data)) for name, data in rows]


def record(folder: Path) -> None:
    """Show the script to a node, and write what went over its topics."""
    from robodata_msgs import msg as m
    from robodata_ros import qos
    from tests.ros.harness import Peer, running

    spec = importlib.util.spec_from_file_location("kitchen", "examples/kitchen.py")
    assert spec is not None and spec.loader is not None
    kitchen = importlib.util.module_from_spec(spec)
    sys.modules["kitchen"] = kitchen
    spec.loader.exec_module(kitchen)
    kitchen.MINUTES = SECONDS / 60
    looks = kitchen.looks
    kitchen.looks = lambda: looks(minutes=SECONDS / 60)
    taken: list[tuple[str, Any, int, bytes]] = []
    peer = Peer("recorder")
    try:
        with running("", peer, *PARAMETERS) as node:
            for topic, kind, profile in (
                ("regions", m.RegionArray, qos.REGIONS),
                ("objects", m.SemanticObjectArray, 100),
                ("map", m.Map, qos.MAP),
            ):
                name = f"{node.name}/{topic}"

                def take(data: bytes, name: str = name, kind: Any = kind) -> None:
                    taken.append((name, kind, time.time_ns(), data))

                peer.node.create_subscription(kind, name, take, profile, raw=True)
            kitchen._show(peer.node, node.name)
            time.sleep(3.0)
            kept = list(taken)  # a node that ends tells once more, that nothing is in sight
    finally:
        peer.close()
    last = [one for one in kept if one[0].endswith("/map")][-1]
    _write(folder, [one for one in kept if not one[0].endswith("/map")] + [last])


def _write(folder: Path, taken: list[tuple[str, Any, int, bytes]]) -> None:
    from rosbags.rosbag2 import Writer
    from rosbags.typesys import Stores, get_types_from_msg, get_typestore

    types = get_typestore(Stores.LATEST)
    for path in Path("robodata_msgs/msg").glob("*.msg"):
        types.register(get_types_from_msg(path.read_text(), f"robodata_msgs/msg/{path.stem}"))
    shutil.rmtree(folder, ignore_errors=True)
    with Writer(folder, version=9) as bag:
        topics: dict[str, Any] = {}
        for name, kind, at, data in taken:
            if name not in topics:
                full = f"robodata_msgs/msg/{kind.__name__}"
                topics[name] = bag.add_connection(name, full, typestore=types)
            bag.write(topics[name], at, data)


if __name__ == "__main__":
    import rclpy

    rclpy.init()
    record(BAG)
    rclpy.try_shutdown()
