"""What goes wrong on robots: nothing of it may deadlock, crash, or lose a goal."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from typing import Any

import pytest
from action_msgs.msg import GoalStatus
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from lifecycle_msgs.msg import Transition
from rosgraph_msgs.msg import Clock

from robodata_msgs import msg as m
from robodata_msgs.action import AnswerQuestion
from robodata_msgs.srv import AskQuestion
from robodata_ros import qos
from robodata_ros.client import RoboDataClient
from robodata_ros.codes import Code
from robodata_ros.goals import ConcurrentActionClient
from tests.ros.harness import PATIENCE, Collector, NodeProcess, Peer, eventually, running, wait

KNIFE = "What is a knife made of?"


@pytest.fixture(scope="module")
def slow(peer: Peer) -> Iterator[NodeProcess]:
    """A node whose source takes its time."""
    with running(
        "/slow", peer, "max_concurrent:=2", "max_waiting:=0", ROBODATA_TEST_SLOW="0.1"
    ) as made:
        yield made


def action(peer: Peer, node: NodeProcess) -> Any:
    client = ConcurrentActionClient(peer.node, AnswerQuestion, f"{node.name}/answer")
    assert client.wait_for_server(PATIENCE)
    return client


def start(client: Any, **goal: Any) -> Any:
    handle = wait(client.send_goal_async(AnswerQuestion.Goal(question=KNIFE, **goal)))
    assert handle.accepted
    return handle


def outcome(handle: Any) -> tuple[int, int]:
    response = wait(handle.get_result_async())
    return response.status, response.result.error_code


def healthy(peer: Peer, node: NodeProcess) -> None:
    """The node still answers."""

    def answered() -> bool:
        request = AskQuestion.Request(question=KNIFE)
        response = peer.call(AskQuestion, f"{node.name}/ask", request)
        assert response.success or response.error_code == Code.BUSY, response.error_msg
        return bool(response.success)

    assert eventually(answered)


@pytest.mark.parametrize("after", [0.0, 0.5])
def test_a_goal_can_be_cancelled_while_a_source_heeds_nothing(
    peer: Peer, slow: NodeProcess, after: float
) -> None:
    client = action(peer, slow)
    try:
        handle = start(client)
        time.sleep(after)
        wait(handle.cancel_goal_async())
        assert outcome(handle) in (
            (GoalStatus.STATUS_CANCELED, Code.CANCELED),
            (GoalStatus.STATUS_SUCCEEDED, Code.NONE),  # it was done before
        )
    finally:
        client.destroy()
    healthy(peer, slow)


def test_a_time_budget_ends_a_run(peer: Peer, slow: NodeProcess) -> None:
    request = AskQuestion.Request(question=KNIFE)
    request.time_budget.nanosec = 50_000_000
    response = peer.call(AskQuestion, f"{slow.name}/ask", request)
    assert (response.success, response.error_code) == (False, Code.TIMEOUT)
    client = action(peer, slow)
    try:
        budget = request.time_budget
        assert outcome(start(client, time_budget=budget)) == (
            GoalStatus.STATUS_ABORTED,
            Code.TIMEOUT,
        )
    finally:
        client.destroy()
    healthy(peer, slow)


def test_more_than_allowed_is_busy_and_no_accepted_goal_is_lost(
    peer: Peer, slow: NodeProcess
) -> None:
    client = action(peer, slow)
    try:
        sent = [client.send_goal_async(AnswerQuestion.Goal(question=KNIFE)) for _ in range(6)]
        handles = [wait(future) for future in sent]
        results = [wait(handle.get_result_async()) for handle in handles]
    finally:
        client.destroy()
    codes = [result.result.error_code for result in results]
    assert set(codes) == {Code.NONE, Code.BUSY}
    assert codes.count(Code.NONE) >= 2
    for result in results:
        ended = result.result.error_code == Code.NONE
        wanted = GoalStatus.STATUS_SUCCEEDED if ended else GoalStatus.STATUS_ABORTED
        assert result.status == wanted
    healthy(peer, slow)


def test_the_node_answers_others_during_a_run(peer: Peer, slow: NodeProcess) -> None:
    client = action(peer, slow)
    try:
        handle = start(client)
        assert peer.state_of(slow.name) == "active"
        handle.cancel_goal_async()
        outcome(handle)
    finally:
        client.destroy()


def test_deactivating_ends_accepted_goals(peer: Peer, slow: NodeProcess) -> None:
    client = action(peer, slow)
    try:
        handle = start(client)
        assert peer.change(slow.name, Transition.TRANSITION_DEACTIVATE)
        status, code = outcome(handle)
        assert (status, code) == (GoalStatus.STATUS_ABORTED, Code.CANCELED)
        assert outcome(start(client)) == (GoalStatus.STATUS_ABORTED, Code.NOT_ACTIVE)
        assert peer.change(slow.name, Transition.TRANSITION_ACTIVATE)
    finally:
        client.destroy()
    healthy(peer, slow)


def test_a_source_that_is_down_is_said_to_be(peer: Peer) -> None:
    with running("/down", peer, ROBODATA_TEST_SLOW="down") as node:
        response = peer.call(AskQuestion, f"{node.name}/ask", AskQuestion.Request(question=KNIFE))
        assert (response.success, response.error_code) == (
            False,
            Code.KNOWLEDGE_SOURCE_UNAVAILABLE,
        )
        assert response.error_msg.endswith(".")
        publisher = peer.node.create_publisher(
            m.SemanticObjectArray, f"{node.name}/objects", qos.OBJECTS
        )
        array = m.SemanticObjectArray(objects=[m.SemanticObject(id="c", class_id="cup")])
        collector = Collector(peer, m.FactArray, f"{node.name}/fact_updates", qos.FACT_UPDATES)
        reports = Collector(peer, DiagnosticArray, "/diagnostics", qos.DIAGNOSTICS)

        def problem_is_reported() -> bool:
            publisher.publish(array)
            told = [status for report in list(reports.messages) for status in report.status]
            return any(
                status.name == "down/robodata: status" and status.level == DiagnosticStatus.ERROR
                for status in told
            )

        eventually(problem_is_reported)
        assert not collector.messages
        assert peer.state_of(node.name) == "active"
        reports.close()
        collector.close()
        peer.node.destroy_publisher(publisher)


def test_an_answer_that_cannot_be_sent_is_an_error_and_no_silence(peer: Peer) -> None:
    """As where robodata_msgs was built for another edition: who asks must not wait for ever."""
    with running("/unsent", peer, ROBODATA_TEST_SLOW="unsent") as node:
        for _ in range(2):
            request = AskQuestion.Request(question=KNIFE)
            response = peer.call(AskQuestion, f"{node.name}/ask", request)
            assert (response.success, response.error_code) == (False, Code.UNKNOWN)
            assert response.error_msg
        client = action(peer, node)
        try:
            assert outcome(start(client)) == (GoalStatus.STATUS_ABORTED, Code.UNKNOWN)
        finally:
            client.destroy()
        assert "no_such_field" in node.said()


def test_arrays_that_come_too_fast_are_dropped_and_counted(peer: Peer) -> None:
    with running("/fast", peer, "queue_size:=1", ROBODATA_TEST_SLOW="0.2") as node:
        publisher = peer.node.create_publisher(m.SemanticObjectArray, f"{node.name}/objects", 10)
        updates = Collector(peer, m.FactArray, f"{node.name}/fact_updates", qos.FACT_UPDATES)
        reports = Collector(peer, DiagnosticArray, "/diagnostics", qos.DIAGNOSTICS)
        kinds = ("cup", "knife", "fork", "bowl", "chair", "couch", "bed", "oven", "sink", "vase")

        def dropped_is_told() -> bool:
            for kind in kinds:
                object_ = m.SemanticObject(id=f"{kind}_{time.monotonic_ns()}", class_id=kind)
                publisher.publish(m.SemanticObjectArray(objects=[object_]))
            time.sleep(0.1)
            return any(update.dropped for update in list(updates.messages))

        def dropped_is_reported() -> bool:
            told = [status for report in list(reports.messages) for status in report.status]
            return any(
                status.name == "fast/robodata: status" and status.level == DiagnosticStatus.WARN
                for status in told
            )

        eventually(dropped_is_told)
        eventually(dropped_is_reported)
        for collector in (updates, reports):
            collector.close()
        peer.node.destroy_publisher(publisher)


def test_a_model_that_is_down_is_said_to_be(peer: Peer) -> None:
    pytest.importorskip("openai", reason="the policy llm needs the extra 'llm'")
    with running(
        "/mute",
        peer,
        "policy:=llm",
        "model:=none",
        "base_url:='http://127.0.0.1:9/v1'",
        "time_budget:=60.0",
        OPENAI_API_KEY="none",
        ROBODATA_MODEL_TRIES="1",
    ) as node:
        response = peer.call(
            AskQuestion, f"{node.name}/ask", AskQuestion.Request(question=KNIFE), 60.0
        )
        assert (response.success, response.error_code) == (False, Code.MODEL_UNAVAILABLE)


def test_shutting_down_by_the_life_cycle_ends_accepted_goals(peer: Peer) -> None:
    node = NodeProcess("/closing", ["autostart:=true"], ROBODATA_TEST_SLOW="0.5")
    client = None
    try:
        peer.until_active(node)
        client = action(peer, node)
        handle = start(client)
        assert peer.change(node.name, Transition.TRANSITION_ACTIVE_SHUTDOWN)
        assert outcome(handle) == (GoalStatus.STATUS_ABORTED, Code.CANCELED)
    finally:
        said = node.stop()
        if client is not None:
            client.destroy()
    assert node.process.returncode == 0, said
    assert "Traceback" not in said


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_during_work_ends_the_node_cleanly_and_tells_its_clients(
    peer: Peer, sent: int
) -> None:
    node = NodeProcess("/ending", ["autostart:=true"], ROBODATA_TEST_SLOW="0.5")
    client = None
    try:
        peer.until_active(node)
        client = action(peer, node)
        result = start(client).get_result_async()
        peer.state_of(node.name)  # by then it knows who waits for the result
        said = node.stop(sent)
        response = wait(result)
        assert response.status == GoalStatus.STATUS_ABORTED
        assert response.result.error_code == Code.CANCELED
    finally:
        said = node.stop(sent)
        if client is not None:
            client.destroy()
    assert node.process.returncode == 0, said
    assert "Traceback" not in said


def test_two_nodes_of_one_name_answer_all_the_same(peer: Peer) -> None:
    with running("/twins", peer) as first:
        second = NodeProcess("/twins", ["autostart:=true"])
        try:
            eventually(lambda: peer.node.count_publishers(f"{first.name}/facts") == 2)
            for _ in range(5):
                healthy(peer, first)
            client = RoboDataClient(peer.node, first.name)
            try:
                reply = wait(client.answer(KNIFE).future)
                assert reply.ok, reply.problem
            finally:
                client.destroy()
        finally:
            said = second.stop()
        assert second.process.returncode == 0, said


def test_clock_jumps_change_nothing(peer: Peer) -> None:
    """Simulated time that jumps ahead and back, then stands still."""
    with running("/jump", peer, "use_sim_time:=true", "lost_after:=60.0") as node:
        clock = peer.node.create_publisher(Clock, "/clock", 10)
        publisher = peer.node.create_publisher(
            m.SemanticObjectArray, f"{node.name}/objects", qos.OBJECTS
        )
        collector = Collector(peer, m.FactArray, f"{node.name}/fact_updates", qos.FACT_UPDATES)
        array = m.SemanticObjectArray(objects=[m.SemanticObject(id="c", class_id="cup")])

        def seen() -> int:
            publisher.publish(array)
            return len(collector.messages)

        eventually(seen)
        for seconds in (1_000, 5, 2_000_000, 1):
            message = Clock()
            message.clock.sec = seconds
            clock.publish(message)
            publisher.publish(array)
            healthy(peer, node)
        operations = {fact.operation for update in collector.messages for fact in update.facts}
        assert operations == {m.Fact.ADD}
        collector.close()
        peer.node.destroy_publisher(publisher)
        peer.node.destroy_publisher(clock)
