"""Watching a robot: its runs come from a node's ``~/events``, what it sees from its ``~/map``.

No core of our own is opened. The robot side is loaded by its name when it is asked for; nothing
here imports it. What comes in is shown like a run of this session; asking and cancelling are the
robot's own services.
"""

from __future__ import annotations

import importlib
import logging
import re
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from robodata_core.errors import ConfigurationError, InvalidRequestError, RoboDataError
from robodata_core.events import RunEvent
from robodata_tui.bridge import Bridge, CoreFailed, CoreOpened, Happened, Surveyed

if TYPE_CHECKING:
    from robodata_core.belief import MapSeen

__all__ = ["DEFAULT_TOPIC", "RobotBridge", "Watch", "check_topic", "load_watch"]

DEFAULT_TOPIC: Final = "robodata/events"
_TOPIC: Final = re.compile(r"/?[A-Za-z_][A-Za-z0-9_]*(/[A-Za-z_][A-Za-z0-9_]*)*")
_log = logging.getLogger("robodata.tui")

Watch: TypeAlias = Callable[[str, Callable[[], bool]], "Iterator[RunEvent | MapSeen]"]


def check_topic(topic: str) -> str:
    """Return the topic if ROS could know one of that name.

    Raises:
        ConfigurationError: If it could not.
    """
    if len(topic) > 200 or not _TOPIC.fullmatch(topic):
        raise ConfigurationError(
            f"{topic[:60]!r} is no name of a topic.",
            hint="Name a node's events, for example /robodata/events.",
        )
    return topic


def load_watch() -> Watch:
    """Load what listens to a robot.

    Raises:
        ConfigurationError: If ROS 2's Python packages are not there.
    """
    try:
        module: Any = importlib.import_module("robodata_ros.watch")
        ros_logging: Any = importlib.import_module("rclpy.logging")
    except ImportError as error:
        raise ConfigurationError(
            "Watching a robot needs ROS 2's Python packages, and"
            f" {error.name} is not installed here.",
            hint="Source a ROS 2 installation, or see docs/ROS.md for the way without one.",
        ) from error
    # ROS writes its log over the screen otherwise.
    ros_logging.set_logger_level("", ros_logging.LoggingSeverity.FATAL)
    watch: Watch = module.watch_with_map
    return watch


class RobotBridge(Bridge):
    """Listens in a daemon thread; opens no core.

    Args:
        watch: Yields the events of a topic, and the robot's map, until it is told to stop.
        topic: The topic.
    """

    asks = False

    def __init__(self, watch: Watch, topic: str) -> None:
        super().__init__(self._no_core)
        self._watch = watch
        self._topic = topic
        self._over = threading.Event()

    def start(self) -> None:
        """Start listening; does nothing while it listens."""
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._listen, name="robodata-watch", daemon=True)
            self._thread.start()

    def reopen(self, open_core: object = None, *, going_on: bool = False) -> None:
        """Listen again after it failed."""
        self.start()

    def ask(self, question: str, time_budget: float | None = None) -> int:
        """Refuse.

        Raises:
            InvalidRequestError: Always.
        """
        raise InvalidRequestError("This screen watches a robot; it does not ask.")

    def close(self) -> None:
        """Stop listening and wait until ROS is shut down: it must not outlive the interpreter."""
        self._over.set()
        if self._thread is not None:
            self._thread.join(timeout=10.0)

    def _no_core(self) -> Any:
        raise InvalidRequestError("This screen watches a robot; it opens no source.")

    def _listen(self) -> None:
        self.problem = None
        self._put(CoreOpened(self._topic, "watching", (), f"{self._topic}. F9 shows its map."))
        try:
            for event in self._watch(self._topic, self._over.is_set):
                if isinstance(event, RunEvent):
                    self._put(Happened(None, event))
                else:
                    self._survey(event)
        except Exception as error:
            if not isinstance(error, RoboDataError):
                _log.exception("Watching %s failed", self._topic)
            self.problem = error
            self._put(CoreFailed(error))

    def _survey(self, seen: MapSeen) -> None:
        """Tell of the map in place of one that nobody has looked at: robots tell of it often."""
        with self._lock:
            if self._updates and isinstance(self._updates[-1], Surveyed):
                self._updates.pop()
            self._updates.append(Surveyed(seen))
