"""The ``ros2`` commands of the documents, carried out with rclpy on a real node."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from lifecycle_msgs.srv import GetAvailableTransitions
from rcl_interfaces.msg import Parameter, ParameterValue
from rcl_interfaces.srv import SetParameters
from rclpy.parameter import get_parameter_value

from robodata_ros import parameters, qos
from robodata_ros.codes import Code
from robodata_ros.goals import ConcurrentActionClient
from tests.ros.commands import Command, commands
from tests.ros.harness import Collector, NodeProcess, Peer, eventually, running, wait

COMMANDS = commands()
NODE = "/robodata"


def of(*verbs: str) -> list[Any]:
    """Return the commands of some kinds, as parameters of a test."""
    return [pytest.param(one, id=str(one)) for one in COMMANDS if one.verb in verbs]


@pytest.fixture(scope="module")
def node(peer: Peer) -> Iterator[NodeProcess]:
    with running("", peer) as made:
        yield made


def interface(name: str) -> Any:
    """Return the class of ``package/kind/Name``."""
    package, kind, base = name.split("/")
    return getattr(importlib.import_module(f"{package}.{kind}"), base)


def filled(kind: Any, given: dict[str, Any]) -> Any:
    """Return a message with the fields of a YAML mapping, as ``ros2`` makes it."""
    message, types = kind(), kind.get_fields_and_field_types()
    for name, value in given.items():
        assert name in types, f"{kind.__name__} has no field {name}"
        setattr(message, name, _value(types[name], value))
    return message


def _value(type_: str, value: Any) -> Any:
    many = re.fullmatch(r"sequence<([^,>]+)(, \d+)?>", type_)
    if many:
        return [_value(many[1], item) for item in value]
    if "/" in type_:
        return filled(interface(type_.replace("/", "/msg/", 1)), value)
    return float(value) if type_ in ("float", "double") else value


def test_every_kind_of_use_is_shown() -> None:
    verbs = {one.verb for one in COMMANDS}
    assert verbs >= {
        *("service call", "action send_goal", "topic pub", "topic echo", "lifecycle set"),
        *("param set", "param describe", "launch robodata", "run robodata"),
    }


@pytest.mark.parametrize("command", of("service call"))
def test_services(peer: Peer, node: NodeProcess, command: Command) -> None:
    name, kind = command.names
    service = interface(kind)
    response = peer.call(service, name, filled(service.Request, yaml.safe_load(command.message)))
    assert response.success and response.error_code == Code.NONE, response.error_msg


@pytest.mark.parametrize("command", of("action send_goal"))
def test_actions(peer: Peer, node: NodeProcess, command: Command) -> None:
    name, kind = command.names
    action = interface(kind)
    client = ConcurrentActionClient(peer.node, action, name)
    try:
        assert client.wait_for_server(60.0)
        goal = filled(action.Goal, yaml.safe_load(command.message))
        result = wait(wait(client.send_goal_async(goal)).get_result_async()).result
        assert result.error_code == Code.NONE, result.error_msg
        assert result.answer.values
    finally:
        client.destroy()


@pytest.mark.parametrize("command", of("topic pub"))
def test_publishing(peer: Peer, node: NodeProcess, command: Command) -> None:
    name, kind = command.names
    message = filled(interface(kind), yaml.safe_load(command.message))
    publisher = peer.node.create_publisher(interface(kind), name, 10)
    facts = Collector(peer, interface("robodata_msgs/msg/FactArray"), f"{NODE}/facts", qos.FACTS)

    def told() -> bool:
        publisher.publish(message)
        return any(array.facts for array in list(facts.messages))

    try:
        eventually(told)
    finally:
        facts.close()
        peer.node.destroy_publisher(publisher)


@pytest.mark.parametrize("command", of("topic echo"))
def test_topics_exist(peer: Peer, node: NodeProcess, command: Command) -> None:
    eventually(lambda: peer.node.count_publishers(command.names[0]))


def test_transitions_exist(peer: Peer, node: NodeProcess) -> None:
    wanted = {one.names for one in COMMANDS if one.verb == "lifecycle set"}
    request = GetAvailableTransitions.Request()
    graph = peer.call(
        GetAvailableTransitions, f"{NODE}/get_transition_graph", request
    ).available_transitions
    known = {(NODE, item.transition.label) for item in graph}
    assert wanted and wanted <= known


@pytest.mark.parametrize("command", of("param set", "param get", "param describe"))
def test_parameters_exist(peer: Peer, node: NodeProcess, command: Command) -> None:
    name, parameter, *value = command.names
    assert name == NODE
    assert parameter in {item.name for item in parameters.TABLE}
    if value:
        given: ParameterValue = get_parameter_value(string_value=value[0])
        request = SetParameters.Request(parameters=[Parameter(name=parameter, value=given)])
        (result,) = peer.call(SetParameters, f"{NODE}/set_parameters", request).results
        assert result.successful, result.reason
