"""A recorded session (rosbag2), played to a fresh node, gives the map it gave when recorded."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from rclpy.serialization import deserialize_message

from robodata_msgs import msg as m
from robodata_ros import qos
from tests.ros.bag import BAG, PARAMETERS, read
from tests.ros.harness import Collector, Peer, eventually, running


def stamp(time: Any) -> tuple[int, int]:
    return time.sec, time.nanosec


def known(map_: Any) -> dict[str, Any]:
    """Return what a map says of its objects, without places and times."""
    return {
        item.id: (
            *(item.class_id, item.state, item.frame_id, item.region, item.sightings),
            *(sorted(item.inside), sorted(item.on_top_of), stamp(item.last_seen)),
        )
        for item in map_.objects
    }


def place(item: Any) -> tuple[float, float, float]:
    return item.pose.position.x, item.pose.position.y, item.pose.position.z


def test_a_recorded_session_replays_into_the_same_map(peer: Peer) -> None:
    recorded = read(BAG)
    (expected,) = (deserialize_message(one.data, m.Map) for one in recorded if one.topic == "map")
    assert len(expected.objects) == 30
    with running("/replay", peer, *PARAMETERS) as node:
        maps = Collector(peer, m.Map, f"{node.name}/map", qos.MAP)
        regions = peer.node.create_publisher(m.RegionArray, f"{node.name}/regions", qos.REGIONS)
        objects = peer.node.create_publisher(m.SemanticObjectArray, f"{node.name}/objects", 10)
        try:
            eventually(objects.get_subscription_count)
            for one in recorded:
                if one.topic == "regions":
                    regions.publish(one.data)
                    maps.until(lambda got: len(got[-1].regions) == 4 if got else False)
                elif one.topic == "objects":
                    objects.publish(one.data)
                    sent = stamp(deserialize_message(one.data, m.SemanticObjectArray).header.stamp)
                    # One at a time, or a slow machine's queue would drop some.
                    maps.until(
                        lambda got, sent=sent: any(
                            stamp(item.last_seen) == sent for item in got[-1].objects
                        )
                    )
            given = maps.until(lambda got: known(got[-1]) == known(expected) and got[-1])
            pairs = zip(given.objects, expected.objects, strict=True)
            for ours, theirs in pairs:
                assert place(ours) == pytest.approx(place(theirs), abs=1e-6)
        finally:
            maps.close()
            peer.node.destroy_publisher(regions)
            peer.node.destroy_publisher(objects)


def test_the_recording_says_what_rosbag2_wants_to_know() -> None:
    about = yaml.safe_load((BAG / "metadata.yaml").read_text())["rosbag2_bagfile_information"]
    topics = {
        one["topic_metadata"]["name"].rpartition("/")[2]: one["message_count"]
        for one in about["topics_with_message_count"]
    }
    recorded = read(BAG)
    assert about["storage_identifier"] == "sqlite3"
    assert about["message_count"] == len(recorded)
    assert topics == {
        name: sum(one.topic == name for one in recorded) for name in ("regions", "objects", "map")
    }
