"""Service calls, goals and detections in turn for a while: nothing fails and nothing grows.

The bounds are wide, because memory settles late and this is short, counted in rounds because their
number is what may grow something; ``BENCH_ROS_SOAK=600`` with
``benchmarks/bench_ros.py`` takes ten minutes and the figure that counts.
"""

from __future__ import annotations

import os
from pathlib import Path

from robodata_msgs import msg as m
from robodata_ros.client import RoboDataClient
from tests.ros.harness import Peer, eventually, running, wait

ROUNDS = 18
WARM_UP = 12
"""Rounds after which every thread runs and every class and question has been seen."""
MOST_GROWTH_MB = 3.5
QUESTIONS = (
    "What is a knife made of?",
    "What is a fork used for?",
    "What is the capital of Canada?",
)
KINDS = ("cup", "knife", "fork", "bowl", "chair", "couch", "bed", "oven", "sink", "xyzzy")


def memory_mb(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def threads(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/task"))


def test_memory_and_threads_stay_flat(peer: Peer) -> None:
    with running("/soak", peer, "lost_after:=0.5", "max_concurrent:=2") as node:
        pid = node.process.pid
        client = RoboDataClient(peer.node, node.name, facts=True)
        publisher = peer.node.create_publisher(m.SemanticObjectArray, f"{node.name}/objects", 10)
        seen: set[str] = set()

        def see(number: int) -> bool:
            objects = [
                m.SemanticObject(
                    id=f"o{(7 * number + index) % 50}", class_id=KINDS[index % len(KINDS)]
                )
                for index in range(20)
            ]
            publisher.publish(m.SemanticObjectArray(objects=objects))
            seen.update(client.objects)
            return bool(seen)

        def one_round(number: int) -> None:
            see(number)
            question = QUESTIONS[number % len(QUESTIONS)]
            asked = client.ask(question) if number % 2 else client.answer(question).future
            reply = wait(asked)
            assert reply.ok, reply.problem

        try:
            eventually(client.ready)
            for number in range(WARM_UP):
                one_round(number)
            before = memory_mb(pid), threads(pid)
            for number in range(WARM_UP, WARM_UP + ROUNDS):
                one_round(number)
            after = memory_mb(pid)
            # Threads of a run that has just ended may take a moment to go.
            eventually(lambda: threads(pid) <= before[1] + 2)
            eventually(lambda: see(0))  # or nothing was said about what was seen
        finally:
            peer.node.destroy_publisher(publisher)
            client.destroy()
    grown = after - before[0]
    assert grown < MOST_GROWTH_MB, f"{grown:.1f} MB in {ROUNDS} rounds"
