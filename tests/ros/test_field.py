"""What goes wrong in the field: bursts, slips in parameter files, twins, counters that grew."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from lifecycle_msgs.msg import Transition
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters

from robodata_msgs import msg as m
from robodata_msgs import srv
from robodata_ros import qos
from robodata_ros.client import RoboDataClient
from robodata_ros.codes import Code
from tests.ros.harness import Collector, NodeProcess, Peer, eventually, running, wait

KNIFE = "What is a knife made of?"


def status_of(peer: Peer, node: NodeProcess, wanted: Any, timeout: float = 60.0) -> Any:
    """Wait for a report of the node that satisfies a condition."""
    name = f"{node.name.lstrip('/')}: status"
    reports = Collector(peer, DiagnosticArray, "/diagnostics", qos.DIAGNOSTICS)

    def last(messages: list[Any]) -> Any:
        ours = [status for one in messages for status in one.status if status.name == name][-1:]
        return ours[0] if ours and wanted(ours[0]) else None

    try:
        return reports.until(last, timeout)
    finally:
        reports.close()


def test_of_fifty_requests_at_once_none_is_lost(peer: Peer) -> None:
    """Fifty clients of their own, each with one question and one query, all at the same time."""
    with running("/burst", peer) as node:
        asking = [peer.node.create_client(srv.AskQuestion, f"{node.name}/ask") for _ in range(50)]
        finding = peer.node.create_client(
            srv.FindObjects, f"{node.name}/find_objects", qos_profile=qos.SERVICES
        )
        try:
            eventually(lambda: all(client.service_is_ready() for client in (*asking, finding)))
            request = srv.AskQuestion.Request(question=KNIFE)
            request.time_budget.sec = 60
            asked = [client.call_async(request) for client in asking]
            found = [finding.call_async(srv.FindObjects.Request()) for _ in range(50)]
            answers = [wait(future, 120) for future in asked]
            assert [answer.error_code for answer in answers] == [Code.NONE] * 50
            assert all(wait(future).success for future in found)
        finally:
            for client in (*asking, finding):
                peer.node.destroy_client(client)


def test_what_is_too_much_is_busy_at_once_and_everybody_gets_an_answer(peer: Peer) -> None:
    with running("/few", peer, "max_waiting:=3", ROBODATA_TEST_SLOW="0.2") as node:
        client = peer.node.create_client(
            srv.AskQuestion, f"{node.name}/ask", qos_profile=qos.SERVICES
        )
        try:
            eventually(client.service_is_ready)
            request = srv.AskQuestion.Request(question=KNIFE)
            request.time_budget.sec = 60
            futures = [client.call_async(request) for _ in range(50)]
            codes = [wait(future, 120).error_code for future in futures]
        finally:
            peer.node.destroy_client(client)
        assert set(codes) == {Code.NONE, Code.BUSY}
        assert codes.count(Code.NONE) >= 4


def test_an_empty_list_is_one_and_a_misspelt_parameter_is_told(peer: Peer, tmp_path: Path) -> None:
    path = tmp_path / "params.yaml"
    path.write_text(
        "/**:\n  ros__parameters:\n    autostart: true\n    labels: []\n"
        "    enrichment_sources: []\n    source: snapshot:wikidata-sample\n    lost_aftr: 3.0\n"
    )
    node = NodeProcess("/empty", ["autostart:=true"], params_file=str(path))
    try:
        peer.until_active(node)
    finally:
        said = node.stop()
    assert "Traceback" not in said and node.process.returncode == 0
    assert "no parameter lost_aftr" in said and "Is lost_after meant?" in said
    assert "Active: answers on /empty/robodata/ask" in said


@pytest.mark.parametrize(
    ("parameter", "named"),
    [
        ("max_turns:=many", "max_turns"),
        ("max_turns:=0", "max_turns"),
        ("time_budget:=[1, 2]", "time_budget"),
        ("relations:=[no property]", "relations"),
        ("labels:=[nothing]", "label table"),
        ("source:=snapshot:/nowhere/at/all", "/nowhere/at/all"),
        ("regions:=/nowhere.yaml", "/nowhere.yaml"),
    ],
)
def test_a_wrong_parameter_is_told_by_name_and_does_not_end_the_node(
    peer: Peer, parameter: str, named: str
) -> None:
    node = NodeProcess("/wrong", ["autostart:=true", parameter])
    try:
        peer.until_state(node, "unconfigured")
        status = status_of(peer, node, lambda one: named in one.message)
        assert status.level == DiagnosticStatus.ERROR
        assert node.process.poll() is None
    finally:
        said = node.stop()
    assert named in said
    assert "Traceback" not in said and node.process.returncode == 0


def test_a_wrong_parameter_can_be_set_right(peer: Peer) -> None:
    node = NodeProcess("/right", ["autostart:=true", "max_turns:=many"])
    try:
        peer.until_state(node, "unconfigured")
        assert not peer.change(node.name, Transition.TRANSITION_CONFIGURE)
        value = ParameterValue(type=ParameterType.PARAMETER_INTEGER, integer_value=20)
        request = SetParameters.Request(parameters=[Parameter(name="max_turns", value=value)])
        response = peer.call(SetParameters, f"{node.name}/set_parameters", request)
        assert response.results[0].successful
        assert peer.change(node.name, Transition.TRANSITION_CONFIGURE)
        status_of(peer, node, lambda one: one.level == DiagnosticStatus.OK)
    finally:
        node.stop()


def test_two_nodes_of_one_name_are_noticed(peer: Peer) -> None:
    with running("/pair", peer) as node:
        second = NodeProcess("/pair", [])
        try:
            status = status_of(peer, node, lambda one: "have this name" in one.message)
            assert status.level == DiagnosticStatus.WARN
            eventually(lambda: "2 nodes have this name" in node.said())
        finally:
            second.stop()


def test_diagnostics_recover_from_what_is_over(peer: Peer) -> None:
    with running("/heal", peer) as node:
        publisher = peer.node.create_publisher(m.SemanticObjectArray, f"{node.name}/objects", 10)
        eventually(publisher.get_subscription_count)
        bad = m.SemanticObjectArray(objects=[m.SemanticObject(class_id="cup", score=5.0)])

        def warned() -> bool:
            publisher.publish(bad)
            try:
                found = status_of(peer, node, lambda one: one.level == DiagnosticStatus.WARN, 3)
            except AssertionError:
                return False
            return "objects malformed" in found.message

        eventually(warned)
        start = time.monotonic()
        status = status_of(peer, node, lambda one: one.level == DiagnosticStatus.OK)
        assert time.monotonic() - start < 20
        values = {item.key: item.value for item in status.values}
        assert int(values["objects malformed"]) > 0
        assert values["last malformed"].endswith(
            "A score is 0 to 1, or NaN where there is none, not 5."
        )
        peer.node.destroy_publisher(publisher)


def test_a_conversation_through_the_client_and_a_pronoun_without_one(peer: Peer) -> None:
    with running("/talk", peer) as node:
        client = RoboDataClient(peer.node, node.name)
        try:
            eventually(client.ready)
            first = wait(client.ask("What is the capital of Canada?", conversation_id="a"))
            assert first.ok and first.answer is not None
            then = wait(client.ask("How many people live there?", conversation_id="a"))
            alone = wait(client.ask("How many people live there?"))
        finally:
            client.destroy()
        assert then.answer is not None
        assert "Canada" in then.answer.question or "Ottawa" in then.answer.question
        assert alone.answer is not None and not alone.answer.results
