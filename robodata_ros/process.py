"""The process around the node: arguments in, spinning, signals, and an orderly end.

On SIGINT and SIGTERM the node first ends what it has accepted, so that every client gets a result,
and only then goes. rclpy's own handlers would end the context at once, and every client would be
left waiting.
"""

from __future__ import annotations

import signal
import socket
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

import rclpy
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions

from robodata_ros.node import RoboDataNode

__all__ = ["main"]

_MOST_WINDING_DOWN: Final = 2.0
_LAST_WORDS: Final = 0.2
"""Seconds to go on spinning after the last request has ended: its result is sent in there."""


class _Signals:
    """Tells whether the process was asked to end, and wakes the executor when it is.

    Python runs signal handlers only between its own instructions, and the main thread waits in
    rclpy; so the signal's number goes through a socket to a thread.
    """

    def __init__(self, executor: SingleThreadedExecutor) -> None:
        self.received = threading.Event()
        self._executor = executor
        self._near, far = socket.socketpair()
        far.setblocking(False)
        self._far = far
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: None)
        signal.set_wakeup_fd(far.fileno(), warn_on_full_buffer=False)
        threading.Thread(target=self._listen, name="robodata-signals", daemon=True).start()

    def _listen(self) -> None:
        with suppress(OSError):
            while self._near.recv(1):
                self.received.set()
                with suppress(Exception):  # the executor may be gone by now
                    self._executor.wake()

    def close(self) -> None:
        signal.set_wakeup_fd(-1)
        self._far.close()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the node until SIGINT or SIGTERM.

    Returns:
        The exit code.
    """
    rclpy.init(
        args=list(arguments if arguments is not None else sys.argv),
        signal_handler_options=SignalHandlerOptions.NO,
    )
    # A run's thread and the executor's share one interpreter: hand over sooner than after 5 ms, so
    # that a run delays no callback by more than that, nor the executor a run.
    sys.setswitchinterval(0.001)
    executor = SingleThreadedExecutor()
    signals = _Signals(executor)
    node = RoboDataNode()
    executor.add_node(node)
    try:
        if node.get_parameter("autostart").value:
            # A node that cannot be configured stays, says why, and can be set right.
            node.start()
        _spin(executor, node, signals.received)
        _wind_down(executor, node)
    finally:
        with suppress(Exception):
            node.destroy_node()
        executor.shutdown()
        rclpy.try_shutdown()
        signals.close()
    return 0


def _spin(executor: SingleThreadedExecutor, node: Any, over: threading.Event) -> None:
    """Spin until a signal comes; what a client that went away causes ends nothing."""
    while rclpy.ok() and not over.is_set():
        _spin_once(executor, node, None)


def _spin_once(executor: SingleThreadedExecutor, node: Any, timeout: float | None) -> None:
    try:
        executor.spin_once(timeout)
    except (ExternalShutdownException, KeyboardInterrupt):
        return
    except Exception as error:
        if rclpy.ok():
            node.get_logger().error(f"A callback failed: {error!r}")


def _wind_down(executor: SingleThreadedExecutor, node: RoboDataNode) -> None:
    """Cancel what is under way and go on until it has ended and its clients have been told."""
    node.wind_down()
    start = time.monotonic()
    last_words = start + _LAST_WORDS
    while rclpy.ok() and time.monotonic() < min(last_words, start + _MOST_WINDING_DOWN):
        _spin_once(executor, node, 0.05)
        if node.busy:
            last_words = time.monotonic() + _LAST_WORDS


if __name__ == "__main__":
    sys.exit(main())
