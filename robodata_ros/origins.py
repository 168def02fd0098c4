"""What tells a message from every other one: its topic, stamp, frame, sender and number."""

from __future__ import annotations

from typing import Any

from robodata_core.belief import Message

__all__ = ["Origins"]


class Origins:
    """Tells of the messages that a node receives where each came from.

    Args:
        node: The node.
    """

    def __init__(self, node: Any) -> None:
        self._node = node
        self._senders: dict[tuple[str, bytes], str] = {}

    def of(self, topic: str, header: Any, info: Any) -> Message:
        """Return what a message is known by; one without a stamp is from when it came.

        Args:
            topic: Where it came, by its full name.
            header: Its header.
            info: What the middleware says of it (rclpy's ``MessageInfo``).
        """
        stamp = header.stamp
        if not (stamp.sec or stamp.nanosec):
            stamp = self._node.get_clock().now().to_msg()
        return Message(
            topic,
            f"{stamp.sec}.{stamp.nanosec:09d}",
            header.frame_id,
            self._sender(topic, (info.get("publisher_gid") or {}).get("data", b"")),
            info.get("publication_sequence_number"),
        )

    def _sender(self, topic: str, gid: bytes) -> str:
        """Return the full name of the node that a message is from; empty where nothing tells it."""
        known = self._senders.get((topic, gid)) if gid else None
        if known is not None:
            return known
        there = self._node.get_publishers_info_by_topic(topic)
        sent = [one for one in there if gid and bytes(one.endpoint_gid)[: len(gid)] == gid]
        # Without an id of its publisher a message is from the only one.
        names = {f"{one.node_namespace.rstrip('/')}/{one.node_name}" for one in sent or there}
        if len(names) != 1:
            return ""
        (name,) = names
        if sent:
            self._senders[topic, gid] = name
        return name
