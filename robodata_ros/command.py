"""``robodata node``: the node from the command line of the core, where rclpy is installed."""

from __future__ import annotations

import click

from robodata_core.errors import ConfigurationError

__all__ = ["node"]


@click.command(context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def node(arguments: tuple[str, ...]) -> int:
    """Run the ROS 2 node; ARGUMENTS are ROS's own (--ros-args -p autostart:=true)."""
    try:
        from robodata_ros.process import main
    except ImportError as error:
        raise ConfigurationError(
            f"The node needs ROS 2's Python packages, and {error.name} is not installed here.",
            hint="Source a ROS 2 installation, or see docs/ROS.md for the way without one.",
        ) from error
    return main(["robodata", *arguments])
