"""The node, a detector that makes things up, and a planner that listens.

ros2 launch robodata demo.launch.py
"""

from __future__ import annotations

import os
import sys

from ament_index_python.packages import get_package_share_directory
from launch.actions import ExecuteProcess, IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource

from launch import LaunchDescription


def generate_launch_description() -> LaunchDescription:
    """Return what to launch."""
    share = get_package_share_directory("robodata")
    examples = os.path.join(share, "examples")
    node = IncludeLaunchDescription(
        PythonLaunchDescriptionSource(os.path.join(share, "launch", "robodata.launch.py"))
    )
    detector = ExecuteProcess(
        cmd=[sys.executable, os.path.join(examples, "fake_detector.py")], output="screen"
    )
    planner = ExecuteProcess(
        cmd=[sys.executable, os.path.join(examples, "planner.py")], output="screen"
    )
    return LaunchDescription([node, detector, planner])
