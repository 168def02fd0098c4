"""The planner's client inside another node, and a terminal's watch, against a real node."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest
import rclpy
from rclpy.executors import Executor, MultiThreadedExecutor, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.task import Future

from robodata_core.errors import InvalidRequestError
from robodata_core.events import RunEnded, RunEvent, RunStarted
from robodata_core.model import AnswerStatus, EntityValue, Triple
from robodata_msgs import msg as m
from robodata_ros import qos
from robodata_ros.client import Progress, RoboDataClient
from robodata_ros.codes import Code
from robodata_ros.watch import watch
from tests.ros.harness import NodeProcess, Peer, eventually, running, wait


@pytest.fixture(scope="module")
def node(peer: Peer) -> Iterator[NodeProcess]:
    with running("/client", peer) as made:
        yield made


@pytest.fixture(scope="module")
def client(peer: Peer, node: NodeProcess) -> Iterator[RoboDataClient]:
    made = RoboDataClient(peer.node, node.name, facts=True)
    eventually(made.ready)
    yield made
    made.destroy()


def test_the_codes_are_those_of_the_message() -> None:
    constants = {code.name: getattr(m.ErrorCode, code.name) for code in Code}
    assert constants == {code.name: code.value for code in Code}


def test_a_client_may_be_made_while_its_node_is_spun(
    peer: Peer, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Any] = []
    add = peer.node.add_waitable

    def add_and_look(waitable: Any) -> None:
        # What an executor in another thread does as soon as it sees the client.
        seen.append(waitable.get_num_entities())
        add(waitable)

    monkeypatch.setattr(peer.node, "add_waitable", add_and_look)
    RoboDataClient(peer.node, "/nobody").destroy()
    assert seen


def test_asking(client: RoboDataClient) -> None:
    reply = client.wait(client.ask("What is a knife made of?"), 60.0)
    assert reply.ok
    assert reply.answer.status is AnswerStatus.ANSWERED
    assert [item.label for item in reply.answer.results] == ["steel"]
    refused = client.wait(client.ask(""), 60.0)
    assert (refused.ok, refused.code, refused.answer) == (False, Code.INVALID_REQUEST, None)


def test_answering_with_progress(client: RoboDataClient) -> None:
    heard: list[Progress] = []
    goal = client.answer("What is a knife made of?", heard.append)
    reply = client.wait(goal.future, 60.0)
    assert reply.ok and reply.answer.results[0].label == "steel"
    # The last reports may come after the result.
    eventually(lambda: heard and heard[-1].state == "PRODUCE_ANSWER")


@pytest.mark.parametrize("budget", [-1.0, float("nan"), float("-inf")])
def test_a_time_budget_that_is_none_is_refused_at_once(
    client: RoboDataClient, budget: float
) -> None:
    with pytest.raises(InvalidRequestError):
        client.ask("What is a knife made of?", time_budget=budget)
    with pytest.raises(InvalidRequestError):
        client.answer("What is a knife made of?", time_budget=budget)
    with pytest.raises(InvalidRequestError):
        client.verify([], time_budget=budget)


@pytest.mark.parametrize("budget", [1e9, float("inf")])
def test_a_huge_time_budget_is_bounded(client: RoboDataClient, budget: float) -> None:
    assert client.wait(client.ask("What is a knife made of?", time_budget=budget), 60.0).ok


def test_a_tiny_time_budget_is_honoured(client: RoboDataClient) -> None:
    reply = client.wait(client.ask("What is a knife made of?", time_budget=1e-9), 60.0)
    assert (reply.ok, reply.code) == (False, Code.TIMEOUT)


def test_verifying(client: RoboDataClient) -> None:
    triples = [
        Triple("Q32489", "P186", EntityValue("Q11427")),
        Triple("Q32489", "P186", EntityValue("Q287")),
    ]
    verdicts = client.wait(client.verify(triples), 60.0)
    assert verdicts.ok
    assert [claim.supported for claim in verdicts.claims] == [True, False]
    evidence = verdicts.claims[0].support.evidence[0]
    assert evidence.triple == triples[0]
    assert all(one.run_id and one.call_id for one in evidence.provenance)


@pytest.mark.parametrize("kind", [SingleThreadedExecutor, MultiThreadedExecutor])
def test_awaiting_in_a_callback(node: NodeProcess, kind: type[Executor]) -> None:
    """The place where blocking clients deadlock."""
    planner = Node("planner")
    client = RoboDataClient(planner, node.name)
    executor = kind()
    executor.add_node(planner)
    done: Any = Future(executor=executor)  # Executor.create_future is Kilted's alone.

    async def plan() -> None:
        timer.cancel()
        first = await client.ask("What is a knife made of?")
        second = await client.answer("What is the capital of Canada?").future
        done.set_result((first.answer.results[0].label, second.answer.results[0].label))

    timer = planner.create_timer(0.1, plan)
    try:
        eventually(client.ready)
        executor.spin_until_future_complete(done, timeout_sec=60.0)
        assert done.result() == ("steel", "Ottawa")
    finally:
        client.destroy()
        executor.shutdown()
        planner.destroy_node()


def test_facts_about_an_object(peer: Peer, node: NodeProcess, client: RoboDataClient) -> None:
    publisher = peer.node.create_publisher(
        m.SemanticObjectArray, f"{node.name}/objects", qos.OBJECTS
    )
    array = m.SemanticObjectArray(objects=[m.SemanticObject(id="cup_1", class_id="cup")])

    def known() -> dict[str, str]:
        publisher.publish(array)
        return {fact.predicate: fact.value for fact in client.facts_about("cup_1")}

    facts = eventually(known)
    assert facts == {"P279": "container", "P186": "ceramic", "P276": "kitchen"}
    assert "cup_1" in client.objects
    assert all(fact.claim.support for fact in client.facts_about("cup_1"))
    eventually(lambda: not client.facts_about("cup_1"))
    peer.node.destroy_publisher(publisher)


def test_nobody_there_ends_in_an_error(peer: Peer) -> None:
    client = RoboDataClient(peer.node, "/nobody")
    try:
        reply = wait(client.ask("What is a knife made of?", timeout=0.5))
        assert (reply.code, reply.answer) == (Code.UNKNOWN, None)
        assert "gone away" in reply.problem
        assert not client.ready()
        with pytest.raises(TimeoutError, match="await"):
            client.wait(client.ask("anything", timeout=5.0), 0.1)
    finally:
        client.destroy()


def test_what_is_sent_before_the_node_is_there_waits_for_it(peer: Peer) -> None:
    client = RoboDataClient(peer.node, "/later/robodata")
    try:
        asked = client.ask("What is a knife made of?", timeout=300.0)
        assert not client.ready()
        with running("/later", peer):
            reply = wait(asked)
            assert reply.ok, reply.problem
    finally:
        client.destroy()
    other = RoboDataClient(peer.node, "/nobody")
    pending = other.ask("What is a knife made of?", timeout=300.0), other.answer("Why?").future
    other.destroy()
    assert [wait(future).code for future in pending] == [Code.UNKNOWN] * 2


def test_watching_runs(client: RoboDataClient, node: NodeProcess) -> None:
    events: list[RunEvent] = []
    over = threading.Event()

    def follow() -> None:
        for event in watch(f"{node.name}/events", over.is_set):
            # Who comes in the middle of a run waits for the next one.
            if events or isinstance(event, RunStarted):
                events.append(event)
            if events and isinstance(event, RunEnded):
                return

    thread = threading.Thread(target=follow)
    thread.start()
    try:

        def followed() -> bool:
            client.wait(client.ask("What is a knife made of?"), 60.0)
            thread.join(0.3)
            return not thread.is_alive()

        eventually(followed)
    finally:
        over.set()
        thread.join()
    assert isinstance(events[-1], RunEnded)
    assert events[0].question == "What is a knife made of?"
    assert len({event.header.run_id for event in events}) == 1
    assert rclpy.ok()
