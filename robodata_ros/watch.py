"""A robot's runs as the core's events, and its map, for whoever watches: a terminal, a journal.

``watch`` needs no node of the caller's and no spinning: it makes both, in a context of its own.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Final

import rclpy
from geometry_msgs.msg import PoseStamped
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from robodata_core.belief import MapObject, MapSeen
from robodata_core.errors import InvalidRequestError
from robodata_core.events import RunEvent
from robodata_msgs import msg as m
from robodata_ros import convert, qos

__all__ = ["watch", "watch_with_map"]

_POLL: Final = 0.2


def watch_with_map(topic: str, stopped: Callable[[], bool]) -> Iterator[RunEvent | MapSeen]:
    """Yield the events of all runs of a node and its map, as they come; see ``watch``.

    Args:
        topic: The node's ``~/events``; its ``~/map`` and ``~/pose`` are beside it.
        stopped: Asked a few times a second whether to end.
    """
    map_topic = f"{topic.rpartition('/')[0]}/map".lstrip("/" if not topic.startswith("/") else "")
    return _watch(topic, map_topic, stopped)


def watch(
    topic: str = "robodata/events", stopped: Callable[[], bool] = lambda: False
) -> Iterator[RunEvent]:
    """Yield the events of all runs of a robodata node, as they come.

    Runs are told apart by ``event.header.run_id``. Arguments of tool calls and settings are text.
    Events that cannot be read are left out.

    Args:
        topic: The node's ``~/events``.
        stopped: Asked a few times a second whether to end; closing the iterator ends it as well.
    """
    for item in _watch(topic, "", stopped):
        assert not isinstance(item, MapSeen)
        yield item


def _watch(topic: str, map_topic: str, stopped: Callable[[], bool]) -> Iterator[RunEvent | MapSeen]:
    context = Context()
    rclpy.init(args=[], context=context, signal_handler_options=SignalHandlerOptions.NO)
    node = Node(
        "robodata_watch",
        context=context,
        use_global_arguments=False,
        start_parameter_services=False,
    )
    events: queue.SimpleQueue[RunEvent | MapSeen] = queue.SimpleQueue()

    def take(message: object) -> None:
        with suppress(InvalidRequestError):
            events.put(convert.event_from_msg(message))

    node.create_subscription(m.RunEvent, topic, take, qos.EVENTS)
    if map_topic:
        seen, pose_topic = _Seen(events.put), f"{map_topic.removesuffix('map')}pose"
        node.create_subscription(m.Map, map_topic, seen.take_map, qos.MAP)
        node.create_subscription(PoseStamped, pose_topic, seen.take_pose, qos.OBJECTS)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    over = threading.Event()
    thread = threading.Thread(target=_spin, args=(executor, over), name="watch", daemon=True)
    thread.start()
    try:
        while not stopped():
            with suppress(queue.Empty):
                yield events.get(timeout=_POLL)
    finally:
        over.set()
        executor.wake()
        thread.join()
        executor.shutdown()
        node.destroy_node()
        context.try_shutdown()


class _Seen:
    """The last map, with where the robot is in it.

    Args:
        tell: Called with the map whenever either is another one.
    """

    def __init__(self, tell: Callable[[MapSeen], None]) -> None:
        self._tell = tell
        self._map: MapSeen | None = None
        self._robot: MapObject | None = None

    def take_map(self, message: object) -> None:
        """Take a map."""
        self._map = replace(convert.map_from_msg(message), robot=self._robot)
        self._tell(self._map)

    def take_pose(self, message: object) -> None:
        """Take where the robot is; what is no pose is left out."""
        with suppress(InvalidRequestError):
            self._robot = convert.robot_from_msg(message)
            if self._map is not None and self._map.robot != self._robot:
                self._map = replace(self._map, robot=self._robot)
                self._tell(self._map)


def _spin(executor: SingleThreadedExecutor, over: threading.Event) -> None:
    while not over.is_set():
        with suppress(Exception):
            executor.spin_once(timeout_sec=1.0)
