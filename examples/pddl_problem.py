#!/usr/bin/env python3
"""Write a PDDL problem of what a running node's map holds, for the words of a domain.

ros2 run robodata node --ros-args -p autostart:=true
python3 pddl_problem.py domain.pddl --init '(free)' --goal '(on cup_1 table)' > problem.pddl
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
from robodata_msgs.srv import GetMap, QueryPattern
from robodata_ros import convert
from robodata_ros.client import RoboDataClient

KINDS = """
SELECT ?class ?kind (COUNT(?between) AS ?far) WHERE {
  { SELECT DISTINCT ?class { ?thing wdt:P31 ?class } }
  ?class wdt:P279* ?between . ?between wdt:P279+ ?above . ?above rdfs:label ?kind
} GROUP BY ?class ?kind ORDER BY ?far"""
"""What each class on the map is a kind of, nearest first."""


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("domain", type=Path, help="PDDL file of the domain")
    parser.add_argument("--goal", default="", help="the goal, as PDDL")
    parser.add_argument("--init", default="", help="what holds besides, as PDDL: of the robot")
    parser.add_argument("--node", default="robodata", help="name of the robodata node")
    options = parser.parse_args()
    rclpy.init()
    node = Node("pddl_problem")
    client = RoboDataClient(node, options.node)
    try:
        domain = read_domain(options.domain.read_text(encoding="utf-8"))
        responses = []
        for request in (GetMap.Request(), QueryPattern.Request(sparql=KINDS, limit=100_000)):
            future = client.call(request, timeout=10.0)
            rclpy.spin_until_future_complete(node, future)
            responses.append(future.result())
            if not responses[-1].success:
                print(responses[-1].error_msg, file=sys.stderr)
                return 1
        response, asked = responses
        kinds: dict[str, list[str]] = {}
        for class_, kind, _ in (row.values for row in asked.rows):
            kinds.setdefault(class_.value, []).append(kind.value)
        classes = {item.class_id: item.class_term.value for item in response.map.objects}
        objects = [
            convert.object_from_msg(message, 0.0, message.source, message.author)
            for message in response.map.objects
        ]
        regions = [convert.region_from_msg(message, "", "") for message in response.map.regions]
        belief = BeliefMap(MapSettings(lost_after=0.0), lambda: 0.0, (), regions)
        for item in objects:
            belief.put(item)
        problem = problem_of(
            belief,
            domain,
            goal=options.goal,
            init=options.init,
            kinds=lambda class_id: kinds.get(classes.get(class_id, ""), ()),
        )
        sys.stdout.write(problem)
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
