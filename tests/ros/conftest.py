"""ROS tests run where rclpy and robodata_msgs are installed, and are skipped elsewhere.

``make ros-env`` makes an environment that has them. Everything stays on this machine, in a DDS
domain of its own.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
WITHOUT_ROS = (
    "test_enrichment.py",
    "test_files.py",
    "test_kitchen.py",
    "test_launch.py",
    "test_runtime.py",
    "test_verification.py",
    "test_workers.py",
)


def _is_missing(name: str) -> bool:
    # The folder of the interfaces' sources looks like a package without an __init__.py.
    spec = importlib.util.find_spec(name)
    return spec is None or spec.origin is None


MISSING = [name for name in ("rclpy", "robodata_msgs") if _is_missing(name)]

os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
# Every worker of pytest-xdist has a domain beside that of the process that began (at most 101).
worker = os.environ.get("PYTEST_XDIST_WORKER")
first = int(os.environ.get("ROS_DOMAIN_ID") or 1 + (os.getppid() if worker else os.getpid()) % 90)
os.environ["ROS_DOMAIN_ID"] = str((first + int(worker[2:] if worker else 0)) % 102)

if MISSING:
    # They import rclpy, so they cannot even be collected; test_files.py says so with a skip.
    collect_ignore = [path.name for path in HERE.glob("test_*.py") if path.name not in WITHOUT_ROS]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave time for nodes that start and discover each other on a busy machine."""
    if not config.pluginmanager.hasplugin("timeout"):
        return
    for item in items:
        if item.path.is_relative_to(HERE) and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(400))


@pytest.fixture(scope="session")
def missing_packages() -> list[str]:
    """Packages that ROS tests need and that are not installed."""
    return MISSING


@pytest.fixture(scope="session")
def ros() -> Iterator[None]:
    """An initialized context for the tests' own nodes."""
    import rclpy
    from rclpy.signals import SignalHandlerOptions

    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    yield
    rclpy.try_shutdown()


@pytest.fixture(scope="module")
def peer(ros: None) -> Iterator[Any]:
    """A node to talk from."""
    from tests.ros.harness import Peer

    made = Peer()
    yield made
    made.close()
