"""The node as others see it: its own process, real messages."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from action_msgs.msg import GoalStatus
from diagnostic_msgs.msg import DiagnosticArray
from lifecycle_msgs.msg import Transition
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import DescribeParameters, SetParameters

from robodata_core.iris import WD
from robodata_core.model import EntityValue, Triple
from robodata_core.run_state import fold
from robodata_msgs import msg as m
from robodata_msgs.action import AnswerQuestion
from robodata_msgs.srv import AskQuestion, VerifyTriples
from robodata_ros import convert, parameters, qos
from robodata_ros.codes import Code
from robodata_ros.goals import ConcurrentActionClient
from tests.ros.harness import Collector, NodeProcess, Peer, eventually, running, wait

KNIFE = "What is a knife made of?"


@pytest.fixture(scope="module")
def node(peer: Peer) -> Iterator[NodeProcess]:
    with running("/node", peer) as made:
        yield made


def ask(peer: Peer, node: NodeProcess, question: str, **more: Any) -> Any:
    request = AskQuestion.Request(question=question, **more)
    return peer.call(AskQuestion, f"{node.name}/ask", request)


def test_a_question_is_answered_with_evidence(peer: Peer, node: NodeProcess) -> None:
    response = ask(peer, node, KNIFE)
    assert (response.success, response.error_code) == (True, Code.NONE)
    answer = response.answer
    assert answer.status == m.Answer.ANSWERED
    assert [term.label for term in answer.values] == ["steel"]
    assert answer.values[0].value.startswith(WD)
    (claim,) = answer.claims
    assert claim.verdict == m.Claim.SUPPORTED
    (evidence,) = claim.support[0].evidence
    assert evidence.source == "snapshot:wikidata-sample"
    assert evidence.triple.object.value == answer.values[0].value
    assert abs(evidence.stamp.sec - time.time()) < 600
    assert convert.triple_from_msg(claim.triple) == convert.triple_from_msg(evidence.triple)
    assert answer.states[-1] == "PRODUCE_ANSWER"


def test_what_is_not_known_is_no_error(peer: Peer, node: NodeProcess) -> None:
    response = ask(peer, node, "What is the colour of the Frobnicator?")
    assert response.success
    assert response.answer.status == m.Answer.ABSTAINED
    assert not response.answer.claims


def test_questions_of_one_conversation_point_back(peer: Peer, node: NodeProcess) -> None:
    def asked(question: str, conversation: str) -> Any:
        request = AskQuestion.Request(question=question, conversation_id=conversation)
        response = peer.call(AskQuestion, f"{node.name}/ask", request)
        assert response.success
        return response.answer

    asked("What is the capital of Canada?", "c1")
    answer = asked("Who is its head of state?", "c1")
    assert [term.label for term in answer.values] == ["Elizabeth II"]
    assert answer.question == "Who is the head of state of Canada (Q16)?"
    other = asked("Who is its head of state?", "c2")
    assert other.status == m.Answer.ABSTAINED
    assert "“its”" in other.text


@pytest.mark.parametrize(
    ("request_", "word"),
    [
        ({"question": ""}, "empty"),
        ({"question": "?" * 10}, "empty"),
        ({"question": "x" * 2_001}, "2000"),
        ({"question": KNIFE, "language": "fr"}, "'en'"),
        ({"question": KNIFE, "language": "e" * 1_000_000}, "'en'"),
        ({"question": KNIFE, "conversation_id": "c" * 201}, "conversation"),
    ],
    ids=["empty", "no words", "long", "language", "very long language", "conversation"],
)
def test_malformed_questions_are_refused(
    peer: Peer, node: NodeProcess, request_: dict[str, str], word: str
) -> None:
    response = peer.call(AskQuestion, f"{node.name}/ask", AskQuestion.Request(**request_))
    assert not response.success
    assert response.error_code == Code.INVALID_REQUEST
    assert word in response.error_msg


def test_a_negative_time_budget_is_refused(peer: Peer, node: NodeProcess) -> None:
    request = AskQuestion.Request(question=KNIFE)
    request.time_budget.sec = -5
    response = peer.call(AskQuestion, f"{node.name}/ask", request)
    assert response.error_code == Code.INVALID_REQUEST


def test_triples_are_verified_in_request_order(peer: Peer, node: NodeProcess) -> None:
    true = Triple("Q32489", "P186", EntityValue("Q11427"))
    false = Triple("Q32489", "P186", EntityValue("Q287"))
    asked = [convert.triple_to_msg(triple) for triple in (false, true, false)]
    request = VerifyTriples.Request(triples=asked)
    response = peer.call(VerifyTriples, f"{node.name}/verify", request)
    assert response.success
    verdicts = [claim.verdict for claim in response.claims]
    assert verdicts == [m.Claim.NOT_FOUND, m.Claim.SUPPORTED, m.Claim.NOT_FOUND]
    supported = response.claims[1]
    assert convert.triple_from_msg(supported.triple) == true
    assert convert.evidence_from_msg(supported.support[0].evidence[0]).triple == true
    assert supported.support[-1].evidence[0].origin
    assert not response.claims[0].support
    assert response.claims[0].problem


def test_malformed_triples_are_refused_and_named(peer: Peer, node: NodeProcess) -> None:
    good = convert.triple_to_msg(Triple("Q32489", "P186", EntityValue("Q11427")))
    bad = m.Triple(subject=m.Term(kind=m.Term.LITERAL, value="knife"))
    for triples, word in (([], "1 to"), ([good, bad], "Triple 2"), ([good] * 101, "100")):
        request = VerifyTriples.Request(triples=triples)
        response = peer.call(VerifyTriples, f"{node.name}/verify", request)
        assert not response.success
        assert response.error_code == Code.INVALID_REQUEST
        assert word in response.error_msg


def test_the_action_reports_every_state_and_tool(peer: Peer, node: NodeProcess) -> None:
    client = ConcurrentActionClient(
        peer.node, AnswerQuestion, f"{node.name}/answer", feedback_sub_qos_profile=qos.FEEDBACK
    )
    try:
        assert client.wait_for_server(10.0)
        heard: list[Any] = []
        sent = client.send_goal_async(
            AnswerQuestion.Goal(question=KNIFE),
            feedback_callback=lambda message: heard.append(message.feedback),
        )
        handle = wait(sent)
        assert handle.accepted
        response = wait(handle.get_result_async())
        assert response.status == GoalStatus.STATUS_SUCCEEDED
        result = response.result
        assert result.error_code == Code.NONE
        assert result.answer.values[0].label == "steel"
        # The result may overtake the last reports: they travel on a topic of their own.
        eventually(lambda: heard and heard[-1].claims)
        # A sign of life may come before the run has entered its first state.
        states = [feedback.state for feedback in list(heard) if feedback.state]
        assert list(dict.fromkeys(states)) == list(dict.fromkeys(result.answer.states))
        assert {feedback.tool for feedback in heard} - {""}
        assert heard[-1].claims[0].verdict == m.Claim.SUPPORTED
        assert heard[-1].edges >= 1
        assert all(feedback.max_turns == 30 for feedback in heard)
    finally:
        client.destroy()


def test_a_run_can_be_watched(peer: Peer, node: NodeProcess) -> None:
    collector = Collector(peer, m.RunEvent, f"{node.name}/events", qos.EVENTS)
    try:
        first, last = m.RunEvent.RUN_STARTED, m.RunEvent.RUN_ENDED
        peer.until_watched(node)
        response = ask(peer, node, KNIFE)
        run_id = response.answer.trace_id

        def is_whole(heard: list[Any]) -> bool:
            return {first, last} <= {e.kind for e in heard if e.run_id == run_id}

        collector.until(is_whole)
        events = [convert.event_from_msg(e) for e in collector.messages if e.run_id == run_id]
        assert [event.header.seq for event in events] == list(range(1, len(events) + 1))
        state = fold(events)
        assert state.status == "answered"
        assert state.question == KNIFE
        assert state.trace == tuple(response.answer.states)
        assert state.answer is not None and state.answer.text == response.answer.text
    finally:
        collector.close()


def test_diagnostics_come_every_second(peer: Peer, node: NodeProcess) -> None:
    collector = Collector(peer, DiagnosticArray, "/diagnostics", qos.DIAGNOSTICS)
    try:

        def ours(heard: list[Any]) -> list[Any]:
            name = "node/robodata: status"
            return [status for array in heard for status in array.status if status.name == name]

        collector.until(lambda heard: len(ours(heard)) >= 2)
        status = ours(collector.messages)[-1]
        values = {item.key: item.value for item in status.values}
        assert values["state"] == "active"
        assert values["source"] == "map+snapshot:wikidata-sample"
    finally:
        collector.close()


def _set(peer: Peer, node: NodeProcess, name: str, value: ParameterValue) -> Any:
    request = SetParameters.Request(parameters=[Parameter(name=name, value=value)])
    return peer.call(SetParameters, f"{node.name}/set_parameters", request).results[0]


def test_parameters_are_described_and_guarded(peer: Peer, node: NodeProcess) -> None:
    names = [item.name for item in parameters.TABLE]
    request = DescribeParameters.Request(names=names)
    described = peer.call(DescribeParameters, f"{node.name}/describe_parameters", request)
    assert all(item.description for item in described.descriptors)
    double, integer, text = (
        ParameterType.PARAMETER_DOUBLE,
        ParameterType.PARAMETER_INTEGER,
        ParameterType.PARAMETER_STRING,
    )
    assert _set(
        peer, node, "time_budget", ParameterValue(type=double, double_value=20.0)
    ).successful
    for name, value in (
        ("time_budget", ParameterValue(type=double, double_value=-1.0)),
        ("time_budget", ParameterValue(type=text, string_value="long")),
        ("max_turns", ParameterValue(type=integer, integer_value=5)),
        ("autostart", ParameterValue(type=ParameterType.PARAMETER_BOOL, bool_value=False)),
    ):
        refused = _set(peer, node, name, value)
        assert not refused.successful
        assert refused.reason


def test_the_life_cycle_gates_requests(peer: Peer) -> None:
    node = NodeProcess("/cycle")
    try:
        peer.until_state(node, "unconfigured")
        assert ask(peer, node, KNIFE).error_code == Code.NOT_ACTIVE
        assert peer.change(node.name, Transition.TRANSITION_CONFIGURE)
        inactive = ask(peer, node, KNIFE)
        assert (inactive.success, inactive.error_code) == (False, Code.NOT_ACTIVE)
        for _ in range(2):
            assert peer.change(node.name, Transition.TRANSITION_ACTIVATE)
            assert ask(peer, node, KNIFE).success
            assert peer.change(node.name, Transition.TRANSITION_DEACTIVATE)
        assert peer.change(node.name, Transition.TRANSITION_CLEANUP)
        text = ParameterValue(type=ParameterType.PARAMETER_STRING, string_value="snapshot:/nowhere")
        assert _set(peer, node, "source", text).successful
        assert not peer.change(node.name, Transition.TRANSITION_CONFIGURE)
        text.string_value = "snapshot:wikidata-sample"
        assert _set(peer, node, "source", text).successful
        assert peer.change(node.name, Transition.TRANSITION_CONFIGURE)
        assert peer.change(node.name, Transition.TRANSITION_ACTIVATE)
        assert ask(peer, node, KNIFE).success
        assert peer.change(node.name, Transition.TRANSITION_ACTIVE_SHUTDOWN)
        assert ask(peer, node, KNIFE).error_code == Code.NOT_ACTIVE
    finally:
        said = node.stop()
    assert node.process.returncode == 0, said
