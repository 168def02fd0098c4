"""A goal under way, as its client sees it: what it reports, its end, and that it always ends."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any, Final

from rclpy.action import ActionClient
from rclpy.task import Future

from robodata_ros.codes import Code
from robodata_ros.replies import Progress, Reply, progress_of, reply_of

__all__ = ["NOBODY", "ConcurrentActionClient", "Goal", "complete"]

NOBODY: Final = "The robodata node does not answer; it may have gone away."


class ConcurrentActionClient(ActionClient):
    """An action client that may be made while another thread spins its node.

    ``ActionClient`` of rclpy (Jazzy, Kilted) shows itself to the executor before it makes the lock
    that the executor asks for, so an executor that looks in between ends with AttributeError.
    """

    # Stands in until the instance has its own.
    _lock = threading.Lock()


class Goal:
    """A goal under way.

    Attributes:
        future: Completes with a ``Reply``, whatever happens.
        heard: When its node was last heard of, on the monotonic clock.
    """

    def __init__(self, node: Any, on_progress: Callable[[Progress], None] | None) -> None:
        self._node = node
        self._on_progress = on_progress
        self._handle: Any = None
        self._cancelled = False
        self._lock = threading.Lock()
        self._over = False
        self.future: Future[Any] = Future(executor=node.executor)
        self.heard = time.monotonic()

    @property
    def accepted(self) -> bool:
        """Whether the node has taken the goal."""
        return self._handle is not None and bool(self._handle.accepted)

    def cancel(self) -> None:
        """Ask the node to stop; the future completes soon after with what was found."""
        self._cancelled = True
        if self._handle is not None:
            self._handle.cancel_goal_async()

    def send(self, client: Any, request: Any) -> None:
        """Send the goal, unless it was given up."""
        if self._over:
            return
        sent = client.send_goal_async(request, feedback_callback=self._on_feedback)
        sent.add_done_callback(self._on_accepted)

    def lose(self) -> None:
        """End without the node."""
        self._complete(Reply(Code.UNKNOWN, NOBODY))

    def _on_feedback(self, message: Any) -> None:
        self.heard = time.monotonic()
        if self._on_progress is not None:
            self._on_progress(progress_of(message.feedback))

    def _on_accepted(self, sent: Future[Any]) -> None:
        self.heard = time.monotonic()
        self._handle = handle = sent.result()
        if handle is None or not handle.accepted:
            self._complete(Reply(Code.UNKNOWN, "The node did not accept the goal."))
            return
        handle.get_result_async().add_done_callback(self._on_result)
        if self._cancelled:
            handle.cancel_goal_async()

    def _on_result(self, got: Future[Any]) -> None:
        result = got.result().result
        self._complete(reply_of(result))

    def _complete(self, reply: Reply) -> None:
        with self._lock:
            if self._over:
                return
            self._over = True
        complete(self._node, self.future, reply)


def complete(node: Any, future: Future[Any], value: Any) -> None:
    """Complete a future, and wake the executor that spins its node."""
    future.set_result(value)
    if node.executor is not None:
        node.executor.wake()
