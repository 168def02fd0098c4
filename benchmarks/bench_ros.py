"""What the robot side adds: the node in its own process, asked over real ROS messages.

Both sides run on this machine, limited to loopback. The direct Python call that the service is
compared with runs in this process, on the same snapshot, after the same warm-up. Needs rclpy and
robodata_msgs (``make ros-env``); without them there are no figures.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import threading
import time
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks._common import Result, main, median, percentile

QUESTION = "What is a knife made of?"
SOAK = ("What is a {} made of?", "What is the location of a {}?", "What is a {} used for?")
KINDS = ("cup", "knife", "fork", "bowl", "chair", "couch", "bed", "oven", "sink", "vase")


def _cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _memory_mb(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def _threads(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/task"))


def _told(begun: threading.Event, _: object) -> None:
    begun.set()


def _timed(call: Any, runs: int) -> list[float]:
    call()
    seconds = []
    for _ in range(runs):
        start = time.perf_counter()
        call()
        seconds.append(1_000 * (time.perf_counter() - start))
    return seconds


class _Bench:
    """A client node, and the figures it takes from one robodata node."""

    def __init__(self, node: Any, peer: Any) -> None:
        from robodata_ros.client import RoboDataClient

        self.node, self.peer = node, peer
        self.client = RoboDataClient(peer.node, node.name)
        self.pid = node.process.pid

    def close(self) -> None:
        self.client.destroy()

    def service(self, runs: int) -> list[Result]:
        """Service against direct call against a bare Trigger service, in the same process."""
        from std_srvs.srv import Trigger

        from robodata_core import RoboData
        from robodata_msgs.srv import AskQuestion
        from tests.ros.harness import wait

        ask = self.peer.node.create_client(AskQuestion, f"{self.node.name}/ask")
        ask.wait_for_service(10.0)
        request = AskQuestion.Request(question=QUESTION)
        with RoboData.open() as robodata:
            direct, served = [], []
            for _ in range(3):
                robodata.ask(QUESTION)
                wait(ask.call_async(request))
            # Turn by turn, so that a busy machine slows both alike.
            for _ in range(runs):
                direct += _timed_once(lambda: robodata.ask(QUESTION))
                served += _timed_once(lambda: wait(ask.call_async(request)))
        trigger = _Trigger()
        try:
            bare_client = self.peer.node.create_client(Trigger, "bench_trigger")
            bare_client.wait_for_service(10.0)
            bare = _timed(lambda: wait(bare_client.call_async(Trigger.Request())), runs)
        finally:
            trigger.close()
        how = f"p50 of {runs}, alternating"
        added = median(served) - median(direct)
        return [
            Result("direct Python call", median(direct), "ms", note=how),
            Result("service answer", median(served), "ms", note=how),
            Result("added by the service", added, "ms", 5.0, note="difference of the two"),
            Result("bare rclpy Trigger round trip", median(bare), "ms", note=f"p50 of {runs}"),
            Result("service answer / Trigger round trip", median(served) / median(bare), "times"),
            Result("added / Trigger round trip", added / median(bare), "times"),
        ]

    def cancel(self, runs: int) -> list[Result]:
        """From the cancel to the end of the goal, at random moments of a slow run."""
        from tests.ros.harness import wait

        seconds = []
        for index in range(runs):
            begun = threading.Event()
            goal = self.client.answer(QUESTION, partial(_told, begun))
            begun.wait(10.0)
            time.sleep(0.05 * (index % 5))
            start = time.perf_counter()
            goal.cancel()
            wait(goal.future)
            seconds.append(time.perf_counter() - start)
        how = f"worst of {runs}; the source takes 1 s a call and heeds nothing"
        return [Result("cancel takes effect", max(seconds), "s", 0.5, note=how)]

    def idle(self, seconds: float) -> list[Result]:
        """CPU of the node while nothing happens."""
        before = _cpu_seconds(self.pid)
        time.sleep(seconds)
        share = 100 * (_cpu_seconds(self.pid) - before) / seconds
        return [Result("CPU of an idle node", share, "%", 2.0, note=f"over {seconds:g} s")]

    def enrichment(self, objects: int) -> list[Result]:
        """First sight of classes, then many objects of known classes."""
        from robodata_msgs import msg as m
        from robodata_ros import qos
        from tests.ros.harness import Collector

        publisher = self.peer.node.create_publisher(
            m.SemanticObjectArray, f"{self.node.name}/objects", 10
        )
        updates = Collector(
            self.peer, m.FactArray, f"{self.node.name}/fact_updates", qos.FACT_UPDATES
        )
        time.sleep(1.0)

        def show(ids: list[tuple[str, str]]) -> float:
            """Publish and wait until there is a fact about the last of them."""
            array = m.SemanticObjectArray(
                objects=[m.SemanticObject(id=id_, class_id=kind) for id_, kind in ids]
            )
            start = time.perf_counter()
            publisher.publish(array)
            last = ids[-1][0]
            updates.until(
                lambda heard: heard and any(fact.object_id == last for fact in heard[-1].facts)
            )
            return time.perf_counter() - start

        try:
            first = [1_000 * show([(f"first_{kind}", kind)]) for kind in KINDS]
            many = [(f"many_{index}", KINDS[index % len(KINDS)]) for index in range(objects)]
            took = show(many)
        finally:
            updates.close()
            self.peer.node.destroy_publisher(publisher)
        return [
            Result(
                "first sight of a class",
                percentile(first, 0.95),
                "ms",
                100.0,
                note=f"p95 of {len(KINDS)} classes, from publishing to the fact",
            ),
            Result(
                "objects of known classes",
                objects / took,
                "objects/s",
                500.0,
                higher_is_better=True,
                note=f"{objects} new objects in one array, until the last fact has come",
            ),
        ]

    def soak(self, seconds: float) -> list[Result]:
        """Service calls, goals and detections together; memory and threads from a fifth on."""
        from robodata_msgs import msg as m
        from tests.ros.harness import wait

        publisher = self.peer.node.create_publisher(
            m.SemanticObjectArray, f"{self.node.name}/objects", 10
        )
        start, early, threads, number, bad = time.monotonic(), 0.0, 0, 0, 0
        while (elapsed := time.monotonic() - start) < seconds:
            number += 1
            objects = [
                m.SemanticObject(id=f"o{(number + index) % 50}", class_id=KINDS[index % len(KINDS)])
                for index in range(20)
            ]
            publisher.publish(m.SemanticObjectArray(objects=objects))
            question = SOAK[number % len(SOAK)].format(KINDS[number % len(KINDS)])
            replies = [wait(self.client.ask(question)), wait(self.client.answer(question).future)]
            bad += sum(not reply.ok for reply in replies)
            if not early and elapsed > seconds / 5:
                early, threads = _memory_mb(self.pid), _threads(self.pid)
        self.peer.node.destroy_publisher(publisher)
        grown = _memory_mb(self.pid) - early
        how = f"{number} rounds of service, goal and 20 objects in {seconds:g} s; {bad} failed"
        more = _threads(self.pid) - threads
        return [
            Result("memory of the node", _memory_mb(self.pid), "MB", note="after the soak"),
            Result("growth in the last four fifths of the soak", grown, "MB", note=how),
            Result("further threads in that time", more, "threads", note=f"{threads} before"),
        ]


def _timed_once(call: Any) -> list[float]:
    start = time.perf_counter()
    call()
    return [1_000 * (time.perf_counter() - start)]


class _Trigger:
    """The least a service can be, in a process of its own."""

    _CODE = (
        "import rclpy\n"
        "from std_srvs.srv import Trigger\n"
        "rclpy.init()\n"
        "node = rclpy.create_node('bench_trigger_node')\n"
        "node.create_service(Trigger, 'bench_trigger', lambda request, response: response)\n"
        "rclpy.spin(node)\n"
    )

    def __init__(self) -> None:
        import subprocess

        self._process = subprocess.Popen([sys.executable, "-c", self._CODE])

    def close(self) -> None:
        self._process.kill()
        self._process.wait()


def results(*, quick: bool) -> list[Result]:
    needed = ("rclpy", "robodata_msgs", "std_srvs")
    specs = {name: importlib.util.find_spec(name) for name in needed}
    # The folder of the interfaces' sources looks like a package without an __init__.py.
    missing = [name for name, spec in specs.items() if spec is None or spec.origin is None]
    if missing:
        print(f"no figures: {', '.join(missing)} not installed (make ros-env)", file=sys.stderr)
        return []
    os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    import rclpy

    from tests.ros.harness import Peer, running

    soak = float(os.environ.get("BENCH_ROS_SOAK", "10" if quick else "60"))
    rclpy.init()
    peer = Peer("bench")
    figures: list[Result] = []
    try:
        with running("/bench", peer, "max_objects:=5000") as node:
            bench = _Bench(node, peer)
            figures += bench.idle(3.0 if quick else 10.0)
            figures += bench.service(10 if quick else 50)
            figures += bench.enrichment(500 if quick else 1_000)
            figures += bench.soak(soak)
            bench.close()
        with running("/bench_slow", peer, ROBODATA_TEST_SLOW="1.0") as node:
            bench = _Bench(node, peer)
            figures += bench.cancel(4 if quick else 10)
            bench.close()
    finally:
        peer.close()
        rclpy.try_shutdown()
    return figures


if __name__ == "__main__":
    raise SystemExit(main(__doc__, results))
