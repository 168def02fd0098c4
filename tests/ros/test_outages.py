"""Sources and nodes that go away in the middle and come back.

The source is Wikidata's interface over the embedded sample, served on loopback and broken on
purpose; see ``robodata_core.serve``.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from robodata_core.model import AnswerStatus
from robodata_core.serve.wikibase import WikibaseApi
from robodata_core.sources.snapshot import SnapshotSource, open_snapshot
from robodata_msgs import msg as m
from robodata_ros import qos
from robodata_ros.client import RoboDataClient
from robodata_ros.codes import Code
from tests.faults import FaultyServer
from tests.ros.harness import NodeProcess, Peer, eventually, running, wait

QUESTIONS = (
    "What is a knife made of?",
    "What is a fork used for?",
    "What is the capital of Canada?",
    "Is Ottawa the capital of Canada?",
)
DOWN = (("reset",), ("503",), ("malformed",), ("truncate",))


@pytest.fixture(scope="module")
def sample() -> Iterator[SnapshotSource]:
    with open_snapshot("wikidata-sample") as opened:
        yield opened


class Breaking(FaultyServer):
    """A server that breaks after so many further requests."""

    def __init__(self, api: WikibaseApi) -> None:
        super().__init__(api)
        self._after: tuple[int, tuple[str, ...]] | None = None
        self.broke = threading.Event()

    def break_after(self, requests: int, *faults: str) -> None:
        """Go on for so many requests, then have these faults."""
        self.broke.clear()
        self._after = (len(self.requests) + requests, faults)

    def repair(self) -> None:
        """Be whole."""
        self._after = None
        self.break_with()

    def answer(self, method: str, target: str, body: bytes, authorization: str) -> Any:
        after = self._after
        if after is not None and len(self.requests) >= after[0]:
            self.break_with(*after[1])
            self.broke.set()
        return super().answer(method, target, body, authorization)


@pytest.fixture
def server(sample: SnapshotSource) -> Iterator[Breaking]:
    with Breaking(WikibaseApi(sample)) as made:
        yield made


def environment(server: FaultyServer, home: Path) -> dict[str, str]:
    """An empty cache each time: what is remembered would be no outage.

    A source that is down is given up after two tries, not after a time: on a busy machine one that
    is there could take as long, and what it was asked for would be unknown.
    """
    return {
        "ROBODATA_WIKIDATA_API": server.api_url,
        "ROBODATA_WIKIDATA_SPARQL": server.sparql_url,
        "ROBODATA_HTTP_TIMEOUT": "300",
        "ROBODATA_HTTP_TRIES": "2",
        "XDG_CACHE_HOME": str(home),
    }


def test_a_source_that_goes_down_in_the_middle_of_runs(
    peer: Peer, server: Breaking, tmp_path: Path
) -> None:
    with running("/out", peer, "source:=wikidata", **environment(server, tmp_path)) as node:
        client = RoboDataClient(peer.node, node.name)
        try:
            eventually(client.ready)
            replies = []
            for number, (question, faults) in enumerate(zip(QUESTIONS, DOWN, strict=True)):
                server.break_after(1 + number, *faults)
                replies.append(reply := wait(client.answer(question).future))
                if not server.broke.is_set():  # so little was asked for that nothing broke
                    assert reply.ok and number, (faults, reply)
                elif reply.ok:  # tools failed, and the run went on: nothing must be made up
                    assert reply.answer.status is AnswerStatus.UNKNOWN, (faults, reply)
                    assert reply.answer.statistics.failed_calls and not reply.answer.results
                else:
                    assert reply.code is Code.KNOWLEDGE_SOURCE_UNAVAILABLE, (faults, reply)
                    assert reply.problem.endswith((".", "?"))
                server.repair()
                # What could not be read is not remembered as absent.
                again = wait(client.answer(question).future)
                assert again.ok and again.answer.results, (question, again)
            assert not replies[0].ok
        finally:
            client.destroy()
    assert "Traceback" not in node.said()


def test_a_source_that_falls_silent_ends_with_the_time(
    peer: Peer, server: Breaking, tmp_path: Path
) -> None:
    env = environment(server, tmp_path)
    with running("/mum", peer, "source:=wikidata", **env) as node:
        client = RoboDataClient(peer.node, node.name)
        try:
            eventually(client.ready)
            server.break_after(3, "slow=3")
            goal = client.answer(QUESTIONS[0], time_budget=0.5)
            assert wait(goal.future).code is Code.TIMEOUT
            goal = client.answer(QUESTIONS[1])
            eventually(lambda: goal.future.done() or goal.accepted)
            goal.cancel()
            assert wait(goal.future).code in (Code.CANCELED, Code.BUSY)
            server.repair()
            # The thread that waits for the silent source keeps its place until it hears.
            eventually(lambda: wait(client.answer(QUESTIONS[2]).future).ok)
        finally:
            client.destroy()


def test_facts_come_when_the_source_is_back(peer: Peer, server: Breaking, tmp_path: Path) -> None:
    env = environment(server, tmp_path)
    with running("/back", peer, "source:=wikidata", **env) as node:
        client = RoboDataClient(peer.node, node.name, facts=True)
        publisher = peer.node.create_publisher(
            m.SemanticObjectArray, f"{node.name}/objects", qos.OBJECTS
        )
        array = m.SemanticObjectArray(objects=[m.SemanticObject(id="cup_1", class_id="cup")])
        try:
            eventually(client.ready)
            server.break_with("reset")
            before = len(server.requests)

            def tried() -> bool:
                publisher.publish(array)
                return len(server.requests) > before

            eventually(tried)
            assert not client.facts_about("cup_1")
            server.repair()

            def known() -> bool:
                publisher.publish(array)
                return any(fact.value == "kitchen" for fact in client.facts_about("cup_1"))

            eventually(known)
        finally:
            peer.node.destroy_publisher(publisher)
            client.destroy()


def told(client: RoboDataClient, see: Callable[[], None]) -> Callable[[], bool]:
    def known() -> bool:
        see()
        return bool(client.facts_about("cup_1"))

    return known


def test_clients_follow_a_node_that_starts_anew(peer: Peer) -> None:
    client = RoboDataClient(peer.node, "/again/robodata", facts=True)
    publisher = peer.node.create_publisher(
        m.SemanticObjectArray, "/again/robodata/objects", qos.OBJECTS
    )
    array = m.SemanticObjectArray(objects=[m.SemanticObject(id="cup_1", class_id="cup")])
    busy = m.SemanticObjectArray(
        objects=[m.SemanticObject(id=f"o{number}", class_id="cup") for number in range(50)]
    )
    node: NodeProcess | None = None
    try:
        for life in range(2):
            node = NodeProcess("/again", ["autostart:=true", "lost_after:=0.0"])
            peer.until_active(node)
            eventually(told(client, lambda: publisher.publish(array)))
            if life == 0:
                for one in (busy, array, busy, array):  # its counting gets far ahead
                    publisher.publish(one)
                node.stop(signal.SIGKILL)
                # The facts of a node that is gone stay what was last known; a new one tells all.
                assert client.facts_about("cup_1")
            else:
                assert peer.change(node.name, 4)  # deactivate
                eventually(lambda: not client.facts_about("cup_1"))
                assert peer.change(node.name, 3)  # activate
                eventually(told(client, lambda: publisher.publish(array)))
    finally:
        if node is not None:
            said = node.stop()
        peer.node.destroy_publisher(publisher)
        client.destroy()
    assert node is not None and node.process.returncode == 0, said
