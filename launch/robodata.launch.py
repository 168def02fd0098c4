"""The node alone.

ros2 launch robodata robodata.launch.py namespace:=robot params_file:=my.yaml autostart:=true
With respawn:=true a node that ends, however, is started again; a map kept in a store is back then.
"""

from __future__ import annotations

import os

from ament_index_python.packages import get_package_share_directory
from launch.actions import DeclareLaunchArgument
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import LifecycleNode
from launch_ros.parameter_descriptions import ParameterValue

from launch import LaunchDescription


def generate_launch_description() -> LaunchDescription:
    """Return what to launch."""
    share = get_package_share_directory("robodata")
    arguments = [
        DeclareLaunchArgument("namespace", default_value="", description="Name space of the node."),
        DeclareLaunchArgument(
            "params_file",
            default_value=os.path.join(share, "config", "robodata.yaml"),
            description="Parameters.",
        ),
        DeclareLaunchArgument("log_level", default_value="info", description="Log level."),
        DeclareLaunchArgument(
            "autostart",
            default_value="true",
            choices=["true", "false"],
            description="Whether the node configures and activates itself.",
        ),
        DeclareLaunchArgument(
            "respawn",
            default_value="false",
            choices=["true", "false"],
            description="Whether a node that ends is started again, after two seconds.",
        ),
    ]
    autostart = ParameterValue(LaunchConfiguration("autostart"), value_type=bool)
    node = LifecycleNode(
        package="robodata",
        executable="node",
        name="robodata",
        namespace=LaunchConfiguration("namespace"),
        parameters=[LaunchConfiguration("params_file"), {"autostart": autostart}],
        arguments=["--ros-args", "--log-level", LaunchConfiguration("log_level")],
        output="screen",
        respawn=LaunchConfiguration("respawn"),
        respawn_delay=2.0,
    )
    return LaunchDescription([*arguments, node])
