"""RViz on the map's markers, beside a node that runs.

ros2 launch robodata visualization.launch.py namespace:=robot frame:=map
"""

from __future__ import annotations

import os

from ament_index_python.packages import get_package_share_directory
from launch.actions import DeclareLaunchArgument
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from launch import LaunchDescription


def generate_launch_description() -> LaunchDescription:
    """Return what to launch."""
    share = get_package_share_directory("robodata")
    arguments = [
        DeclareLaunchArgument("namespace", default_value="", description="Name space of the node."),
        DeclareLaunchArgument("frame", default_value="map", description="RViz' fixed frame."),
    ]
    markers = [LaunchConfiguration("namespace"), "/robodata/markers"]
    rviz = Node(
        package="rviz2",
        executable="rviz2",
        name="rviz2",
        arguments=[
            *("-d", os.path.join(share, "config", "map.rviz")),
            *("--fixed-frame", LaunchConfiguration("frame")),
        ],
        remappings=[("/robodata/markers", markers)],
        output="screen",
    )
    return LaunchDescription([*arguments, rviz])
