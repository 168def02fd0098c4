#!/usr/bin/env python3
"""Write a PDDL problem of what a running node's map holds, for the words of a domain.

ros2 run robodata node --ros-args -p autostart:=true
python3 pddl_problem.py domain.pddl --goal '(on cup_1 table)' > problem.pddl
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import rclpy
from rclpy.node import Node

from robodata_core.belief import BeliefMap, MapSettings
from robodata_core.belief.pddl import problem_of, read_domain
from robodata_core.errors import RoboDataError
from robodata_msgs.srv import GetMap
from robodata_ros import convert
from robodata_ros.client import RoboDataClient


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("domain", type=Path, help="PDDL file of the domain")
    parser.add_argument("--goal", default="", help="the goal, as PDDL")
    parser.add_argument("--node", default="robodata", help="name of the robodata node")
    options = parser.parse_args()
    rclpy.init()
    node = Node("pddl_problem")
    client = RoboDataClient(node, options.node)
    try:
        domain = read_domain(options.domain.read_text(encoding="utf-8"))
        future = client.call(GetMap.Request(), timeout=10.0)
        rclpy.spin_until_future_complete(node, future)
        response = future.result()
        if not response.success:
            print(response.error_msg, file=sys.stderr)
            return 1
        objects = [
            convert.object_from_msg(message, 0.0, message.source, message.author)
            for message in response.map.objects
        ]
        regions = [convert.region_from_msg(message, "", "") for message in response.map.regions]
        belief = BeliefMap(MapSettings(lost_after=0.0), lambda: 0.0, (), regions)
        for item in objects:
            belief.put(item)
        sys.stdout.write(problem_of(belief, domain, goal=options.goal))
    except (RoboDataError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    finally:
        client.destroy()
        node.destroy_node()
        rclpy.try_shutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main())
