"""Messages that are too large, malformed or odd: refused with a sentence, and the node goes on."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from robodata_msgs import msg as m
from robodata_msgs.srv import AskQuestion, VerifyTriples
from robodata_ros import qos
from robodata_ros.client import RoboDataClient
from robodata_ros.codes import Code
from tests.ros.harness import Collector, NodeProcess, Peer, eventually, running, wait

KNIFE = "What is a knife made of?"
HONEST = {Code.NONE, Code.INVALID_REQUEST}


@pytest.fixture(scope="module")
def node(peer: Peer) -> Iterator[NodeProcess]:
    with running("/inputs", peer, "lost_after:=1.0", "max_objects:=1000") as made:
        yield made
        assert "Traceback" not in made.said()


@pytest.fixture(scope="module")
def services(peer: Peer, node: NodeProcess) -> Iterator[tuple[Any, Any]]:
    asking = peer.node.create_client(AskQuestion, f"{node.name}/ask")
    verifying = peer.node.create_client(VerifyTriples, f"{node.name}/verify")
    eventually(lambda: asking.service_is_ready() and verifying.service_is_ready())
    yield asking, verifying
    peer.node.destroy_client(asking)
    peer.node.destroy_client(verifying)


def test_a_question_of_ten_megabytes(services: tuple[Any, Any]) -> None:
    response = wait(services[0].call_async(AskQuestion.Request(question="knife " * 1_700_000)))
    assert (response.success, response.error_code) == (False, Code.INVALID_REQUEST)
    assert len(response.error_msg) < 300


def test_a_goal_that_is_malformed_ends_with_the_reason(peer: Peer, node: NodeProcess) -> None:
    client = RoboDataClient(peer.node, node.name)
    try:
        eventually(client.ready)
        for question in ("", "x" * 2_001, "\u202e\x00\x1b[31m"):
            reply = wait(client.answer(question).future)
            assert reply.code is Code.INVALID_REQUEST and reply.problem.endswith(".")
            assert reply.answer is None
    finally:
        client.destroy()


NAUGHTY = st.text(max_size=60) | st.sampled_from(
    ["Q32489", "P186", "http://www.wikidata.org/entity/Q1", "\u202e", "'; DROP", "<>", "a" * 10_001]
)


@settings(max_examples=25, suppress_health_check=list(HealthCheck))
@given(text=st.text(max_size=200))
def test_any_question_gets_an_end(services: tuple[Any, Any], text: str) -> None:
    clean = text.encode("utf-8", "replace").decode().replace("\0", "")
    response = wait(services[0].call_async(AskQuestion.Request(question=clean)))
    assert response.error_code in HONEST, response.error_msg
    assert response.success == (response.error_code == Code.NONE)


@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(
    texts=st.tuples(*[NAUGHTY] * 6),
    kind=st.integers(0, 255),
    precision=st.floats(),
    datatype=st.sampled_from(["decimal", "dateTime", "boolean", "integer", "string", "no"]),
)
def test_any_triple_gets_a_verdict_or_a_reason(
    services: tuple[Any, Any],
    texts: tuple[str, ...],
    kind: int,
    precision: float,
    datatype: str,
) -> None:
    clean = [text.encode("utf-8", "replace").decode().replace("\0", "") for text in texts]
    object_ = m.Term(
        kind=kind % 6,
        value=clean[2],
        datatype=f"http://www.w3.org/2001/XMLSchema#{datatype}",
        language=clean[3],
        unit=clean[4],
        lower=clean[5],
        precision=precision,
    )
    triple = m.Triple(
        subject=m.Term(value=clean[0]), predicate=m.Term(value=clean[1]), object=object_
    )
    response = wait(services[1].call_async(VerifyTriples.Request(triples=[triple])))
    assert response.error_code in HONEST, response.error_msg
    assert len(response.claims) == (1 if response.success else 0)
    assert len(response.error_msg) < 500


def test_triples_with_fields_that_are_too_long_are_named(services: tuple[Any, Any]) -> None:
    for field in ("value", "label", "datatype", "language", "unit", "lower", "reference_system"):
        term = m.Term(kind=m.Term.LITERAL, value="1")
        setattr(term, field, "1" * 10_001)
        triple = m.Triple(subject=m.Term(value="Q1"), predicate=m.Term(value="P31"), object=term)
        response = wait(services[1].call_async(VerifyTriples.Request(triples=[triple])))
        assert response.error_code == Code.INVALID_REQUEST
        assert "Triple 1" in response.error_msg and "10000" in response.error_msg


def test_object_arrays_that_are_too_large_or_odd(peer: Peer, node: NodeProcess) -> None:
    publisher = peer.node.create_publisher(m.SemanticObjectArray, f"{node.name}/objects", 10)
    updates = Collector(peer, m.FactArray, f"{node.name}/fact_updates", qos.FACT_UPDATES)
    named = m.SemanticObjectArray(objects=[m.SemanticObject(id="framed", class_id="cup")])
    named.header.frame_id = "f" * 1_000_000
    many = m.SemanticObjectArray(
        objects=[m.SemanticObject(id=f"m{number}", class_id="fork") for number in range(1_500)]
    )
    odd = m.SemanticObject(id="odd", class_id="\u202e\x1b[31m cup", score=math.nan)
    scored = m.SemanticObject(id="scored", class_id="cup", score=math.inf)
    odd.pose.position.x = math.nan
    lying = m.SemanticObject(id="lying", class_id="cup")
    lying.pose.orientation.w = math.inf
    endless = m.SemanticObject(id="endless", class_id="cup")
    endless.size.x = math.inf
    long = m.SemanticObject(id="long", class_id="c" * 1_000_000)

    def ids() -> set[str]:
        return {fact.object_id for update in list(updates.messages) for fact in update.facts}

    def told(id_: str, *arrays: Any) -> bool:
        for array in arrays:
            publisher.publish(array)
        time.sleep(0.1)
        return id_ in ids()

    try:
        eventually(
            lambda: told(
                "odd", named, m.SemanticObjectArray(objects=[lying, endless, scored, long, odd])
            )
        )
        eventually(lambda: told("m998", named, many))
        assert not {"framed", "lying", "endless", "scored", "long", "m1499"} & ids()
    finally:
        updates.close()
        peer.node.destroy_publisher(publisher)
