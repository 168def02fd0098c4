"""The node's diagnostics: what is wrong now, and what went wrong within the last seconds.

A counter that has grown warns for ``RECENT`` seconds and then recovers: what was lost an hour ago
is history, which the values still tell.
"""

from __future__ import annotations

import time
from typing import Any, Final

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue

from robodata_ros import convert

__all__ = ["RECENT", "Health"]

RECENT: Final = 10.0
"""Seconds for which something lost is worth a warning."""


class Health:
    """Makes reports.

    Args:
        node: The node that is reported on.
    """

    def __init__(self, node: Any) -> None:
        self._node = node
        self._last: dict[str, int] = {}
        self._grown: dict[str, float] = {}
        self._warned = ""

    def report(self, state: str, values: dict[str, Any], lost: dict[str, int], wrong: str) -> Any:
        """Return a report.

        Args:
            state: State of the life cycle.
            values: What is worth telling.
            lost: Counters that should not grow, by what they count.
            wrong: What is wrong right now, or empty.
        """
        recent = self._recently(lost)
        level, message = DiagnosticStatus.OK, state
        if wrong:
            level, message = DiagnosticStatus.ERROR, wrong
        elif recent:
            level, message = DiagnosticStatus.WARN, f"lately: {', '.join(recent)}"
        twins = self._twins()
        if twins and not wrong:
            level = DiagnosticStatus.WARN
            message = f"{twins + 1} nodes have this name: give each one a name of its own."
        warning = message if level == DiagnosticStatus.WARN else ""
        if warning and warning != self._warned:  # who looks at the log alone hears of it, too
            self._node.get_logger().warning(warning)
        self._warned = warning
        told = {"state": state, **values, **lost}
        status = DiagnosticStatus(
            level=level,
            name=f"{self._node.get_fully_qualified_name().lstrip('/')}: status",
            message=convert.clean(message),
            hardware_id="robodata",
            values=[
                KeyValue(key=key, value=convert.clean(str(value))) for key, value in told.items()
            ],
        )
        report = DiagnosticArray(status=[status])
        report.header.stamp = self._node.get_clock().now().to_msg()
        return report

    def _recently(self, lost: dict[str, int]) -> list[str]:
        now = time.monotonic()
        for name, count in lost.items():
            if count > self._last.get(name, 0):
                self._grown[name] = now
            self._last[name] = count
        return [name for name, at in self._grown.items() if now - at < RECENT and name in lost]

    def _twins(self) -> int:
        """Return how many other nodes of the same full name there are."""
        own = (self._node.get_name(), self._node.get_namespace())
        names: list[tuple[str, str]] = self._node.get_node_names_and_namespaces()
        return max(0, names.count(own) - 1)
