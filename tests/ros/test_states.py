"""Goals in every state of the machine: cancelled, out of time, and with a model that falls silent.

The model is scripted, behind a real loopback server, and leads each run through all states.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from robodata_core.orchestrator.machine import TRANSITIONS, State
from robodata_ros.client import Progress, RoboDataClient
from robodata_ros.codes import Code
from robodata_ros.goals import Goal
from tests.core.policy.llm.scripts import CAPITAL
from tests.ros.harness import NodeProcess, Peer, eventually, running, wait
from tests.ros.tour import Tour, touring

pytest.importorskip("openai", reason="the policy llm needs the extra 'llm'")

EVERY = tuple(state.value for state in TRANSITIONS)


@pytest.fixture(scope="module")
def model() -> Iterator[tuple[Tour, str]]:
    with touring() as (tour, server):
        yield tour, server.url


def with_model(url: str, *parameters: str) -> list[str]:
    return ["policy:=llm", "model:=scripted", f"base_url:='{url}'", *parameters]


ENV = {"OPENAI_API_KEY": "none", "ROBODATA_MODEL_TRIES": "1"}


@pytest.fixture(scope="module")
def node(peer: Peer, model: tuple[Tour, str]) -> Iterator[NodeProcess]:
    parameters = with_model(model[1], "time_budget:=300.0")
    with running("/states", peer, *parameters, ROBODATA_MODEL_TIMEOUT="100", **ENV) as made:
        yield made


@pytest.fixture(scope="module")
def client(peer: Peer, node: NodeProcess) -> Iterator[RoboDataClient]:
    made = RoboDataClient(peer.node, node.name)
    eventually(made.ready)
    yield made
    made.destroy()


def until_silent_in(client: RoboDataClient, tour: Tour, state: str, **more: float) -> Goal:
    """Start a goal and wait until its model is silent in ``state`` and the client knows."""
    there = threading.Event()

    def on_progress(progress: Progress) -> None:
        if progress.state == state:
            there.set()

    tour.begin(silent_in=state)
    goal = client.answer(CAPITAL, on_progress, **more)
    eventually(lambda: state in tour.asked_in or goal.future.done())
    assert not goal.future.done(), goal.future.result()
    assert there.wait(60.0), "there was no report of the state"
    return goal


def whole(client: RoboDataClient, tour: Tour) -> None:
    """The node answers as if nothing had been."""

    def answered() -> bool:
        tour.begin()
        reply = wait(client.answer(CAPITAL).future)
        assert reply.code in (Code.NONE, Code.BUSY), reply.problem
        return reply.ok and reply.answer.results[0].label == "Ottawa"

    assert eventually(answered)


def test_the_tour_visits_every_state(client: RoboDataClient, model: tuple[Tour, str]) -> None:
    tour, _ = model
    tour.begin()
    reply = wait(client.answer(CAPITAL).future)
    assert reply.ok, reply.problem
    assert set(reply.answer.trace) == set(EVERY)


@pytest.mark.parametrize("state", EVERY)
def test_a_goal_is_cancelled_in_any_state(
    client: RoboDataClient, model: tuple[Tour, str], state: str
) -> None:
    tour, _ = model
    goal = until_silent_in(client, tour, state)
    goal.cancel()
    reply = wait(goal.future)
    assert reply.code is Code.CANCELED, reply.problem
    assert not goal.future.result().ok
    tour.speak()
    whole(client, tour)


def test_time_runs_out_in_the_middle(client: RoboDataClient, model: tuple[Tour, str]) -> None:
    tour, _ = model
    tour.begin(silent_in=State.LOCAL_GRAPH_UPDATE.value)
    # Too short to get there on a very busy machine, which ends the same; the silence lasts longer.
    reply = wait(client.answer(CAPITAL, time_budget=2.0).future)
    assert reply.code is Code.TIMEOUT, reply.problem
    tour.speak()
    whole(client, tour)


def test_a_model_that_falls_silent_is_said_to_be_unavailable(
    peer: Peer, model: tuple[Tour, str]
) -> None:
    tour, url = model
    state = State.REMOTE_DATA_EVALUATION.value
    parameters = with_model(url, "time_budget:=300.0")
    with running("/silent", peer, *parameters, ROBODATA_MODEL_TIMEOUT="1", **ENV) as node:
        client = RoboDataClient(peer.node, node.name)
        try:
            eventually(client.ready)
            tour.begin(silent_in=state)
            reply = wait(client.answer(CAPITAL).future)
            assert reply.code is Code.MODEL_UNAVAILABLE, reply.problem
            assert reply.problem.endswith(".")
            assert state in tour.asked_in
            tour.speak()
            whole(client, tour)
        finally:
            client.destroy()
    assert "Traceback" not in node.said()


def test_nodes_killed_in_the_middle_leave_no_client_waiting(
    peer: Peer, model: tuple[Tour, str]
) -> None:
    tour, url = model
    node = NodeProcess("/gone", ["autostart:=true", *with_model(url)], **ENV)
    client = RoboDataClient(peer.node, node.name)
    try:
        peer.until_active(node)
        eventually(client.ready)
        goal = until_silent_in(client, tour, State.LOCAL_GRAPH_UPDATE.value)
        asked = client.ask(CAPITAL, timeout=2.0)
        node.process.kill()
        reply = wait(goal.future)
        assert (reply.code, reply.answer) == (Code.UNKNOWN, None)
        assert "gone away" in reply.problem
        assert wait(asked).code in (Code.UNKNOWN, Code.BUSY)
    finally:
        tour.speak()
        client.destroy()
        node.process.kill()
        node.process.wait()
