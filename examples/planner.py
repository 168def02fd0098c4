#!/usr/bin/env python3
"""A planner that asks where to put the cup, and says what its decision rests on.

Start ``ros2 run robodata node --ros-args -p autostart:=true`` and ``fake_detector.py`` first, or
all of them with ``ros2 launch robodata demo.launch.py``.

It uses what is known about the cup it sees. If no detector tells of a cup within ``patience``
seconds (a parameter), or nothing is known about its place, it asks the question instead. Then it
has the decisive triple verified.
"""

from __future__ import annotations

import sys
import time
from contextlib import suppress

import rclpy
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node

from robodata_core.model import Claim
from robodata_ros.client import Progress, RoboDataClient

LOCATION = "P276"
QUESTION = "Where does a cup belong?"


class Planner(Node):
    """Decides where the cup goes, once, then is done."""

    def __init__(self, object_id: str = "cup_1") -> None:
        super().__init__("planner")
        patience = self.declare_parameter("patience", 10.0).value
        self.robodata = RoboDataClient(self, facts=True)
        self.object_id = object_id
        self.place = ""
        self.done = False
        self._deadline = time.monotonic() + patience
        self._waited = False
        self._timer = self.create_timer(0.5, self.plan)

    async def plan(self) -> None:
        """Look at the facts; ask if they do not come; verify; decide."""
        facts = self.robodata.facts_about(self.object_id)
        known = next((fact for fact in facts if fact.predicate == LOCATION), None)
        if known is None and time.monotonic() < self._deadline:
            return
        if known is None and not self.robodata.ready():
            if not self._waited:
                self._waited = True
                self.get_logger().warning("Still waiting for the node robodata; does it run?")
            return
        self._timer.cancel()
        if known is not None:
            await self.decide(known.value, known.claim)
        else:
            await self.ask()
        self.done = True

    async def ask(self) -> None:
        """Ask the question where no fact came."""
        self.get_logger().info(f"No facts about {self.object_id}; asking: {QUESTION}")
        reply = await self.robodata.answer(QUESTION, self.report).future
        if reply.ok and reply.answer.results:
            claim = next(iter(reply.answer.claims))
            await self.decide(reply.answer.results[0].label, claim)
        else:
            self.get_logger().warning(reply.problem or "Nobody knows where it goes; leaving it.")

    def report(self, progress: Progress) -> None:
        """Say what the robodata node is doing."""
        self.get_logger().info(f"  {progress.message}"[:100])

    async def decide(self, place: str, claim: Claim) -> None:
        """Have the triple verified, then say where the cup goes and why."""
        rests_on = claim.support.evidence
        evidence = next((each for each in rests_on if each.object_label == place), rests_on[-1])
        verdicts = await self.robodata.verify([evidence.triple])
        if not verdicts.ok or not verdicts.claims[0].supported:
            self.get_logger().warning(f"{claim.text!r} could not be verified; leaving the cup.")
            return
        self.place = place
        source = evidence.provenance[0].source
        origin = evidence.provenance[0].origin
        self.get_logger().info(f"The cup goes to the {place}: {claim.text} ({source}, {origin})")


def main() -> int:
    """Plan, and return 0 if there is a plan."""
    rclpy.init()
    planner = Planner()
    executor = SingleThreadedExecutor()
    executor.add_node(planner)
    with suppress(KeyboardInterrupt, ExternalShutdownException):
        while rclpy.ok() and not planner.done:
            executor.spin_once(timeout_sec=0.5)
    place = planner.place
    planner.robodata.destroy()
    planner.destroy_node()
    executor.shutdown()
    rclpy.try_shutdown()
    return 0 if place else 1


if __name__ == "__main__":
    sys.exit(main())
