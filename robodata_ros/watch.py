"""A robot's runs as the core's events, for whoever watches: a terminal, a journal, a test.

``watch`` needs no node of the caller's and no spinning: it makes both, in a context of its own.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Final

import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from robodata_core.errors import InvalidRequestError
from robodata_core.events import RunEvent
from robodata_msgs import msg as m
from robodata_ros import convert, qos

__all__ = ["watch"]

_POLL: Final = 0.2


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
    context = Context()
    rclpy.init(args=[], context=context, signal_handler_options=SignalHandlerOptions.NO)
    node = Node(
        "robodata_watch",
        context=context,
        use_global_arguments=False,
        start_parameter_services=False,
    )
    events: queue.SimpleQueue[RunEvent] = queue.SimpleQueue()

    def take(message: object) -> None:
        with suppress(InvalidRequestError):
            events.put(convert.event_from_msg(message))

    node.create_subscription(m.RunEvent, topic, take, qos.EVENTS)
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


def _spin(executor: SingleThreadedExecutor, over: threading.Event) -> None:
    while not over.is_set():
        with suppress(Exception):
            executor.spin_once(timeout_sec=1.0)
