"""Quality of service, topic by topic: the one place where it is chosen."""

from __future__ import annotations

from typing import Final

from rclpy.qos import (
    DurabilityPolicy,
    HistoryPolicy,
    QoSProfile,
    ReliabilityPolicy,
)

__all__ = [
    "DIAGNOSTICS",
    "EVENTS",
    "FACTS",
    "FACT_UPDATES",
    "FEEDBACK",
    "MAP",
    "OBJECTS",
    "REGIONS",
    "SERVICES",
]


def _reliable(depth: int, durability: DurabilityPolicy = DurabilityPolicy.VOLATILE) -> QoSProfile:
    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST,
        depth=depth,
        reliability=ReliabilityPolicy.RELIABLE,
        durability=durability,
    )


FACTS: Final = _reliable(1, DurabilityPolicy.TRANSIENT_LOCAL)
"""``~/facts``: who comes late gets the last snapshot."""

FACT_UPDATES: Final = _reliable(100)
"""``~/fact_updates``: every change, in order."""

EVENTS: Final = _reliable(1_000)
"""``~/events``: a run is watched as a whole or not at all."""

OBJECTS: Final = QoSProfile(
    history=HistoryPolicy.KEEP_LAST,
    depth=10,
    reliability=ReliabilityPolicy.BEST_EFFORT,
    durability=DurabilityPolicy.VOLATILE,
)
"""``~/objects`` and detections: best effort takes publishers of either kind."""

MAP: Final = _reliable(1, DurabilityPolicy.TRANSIENT_LOCAL)
"""``~/map`` and ``~/markers``: who comes late gets the last one."""

REGIONS: Final = _reliable(10, DurabilityPolicy.TRANSIENT_LOCAL)
"""``~/regions``: a publisher may tell them once, before the node is there."""

FEEDBACK: Final = _reliable(100)
"""Feedback of ``~/answer``: a run may pass through many states within a moment."""

DIAGNOSTICS: Final = _reliable(10)
"""``/diagnostics``."""

SERVICES: Final = _reliable(1_000)
"""Services and the services of the action: rclpy's default of 10 loses requests of a burst."""
