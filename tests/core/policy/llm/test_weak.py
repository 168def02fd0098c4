"""Weak and odd models: what carries them on, over a real socket."""

from __future__ import annotations

import json
from typing import Any

import pytest

from robodata_core import RoboData
from robodata_core.model import AnswerStatus
from tests.core.policy.llm.scripts import CAPITAL, capital_script, state_of
from tests.core.policy.llm.server import ModelServer, Reply, Script, model_server


def run(script: Script, **settings: Any) -> tuple[Any, ModelServer]:
    with (
        model_server(script) as server,
        RoboData.open(model="m", base_url=server.url, model_tries=1, **settings) as robodata,
    ):
        return robodata.ask(CAPITAL), server


def as_json(reply: Reply) -> Reply:
    """Return a reply of the JSON protocol for one with native calls."""
    calls = [(name, arguments) for name, arguments in reply.calls]
    for name, arguments in calls:
        if name == "choose_next_state":
            return Reply(text=json.dumps(arguments))
        if name == "submit_answer":
            return Reply(text=json.dumps({"answer": arguments}))
    told = [{"tool": name, "arguments": arguments} for name, arguments in calls]
    return Reply(text=json.dumps({"calls": told}))


def refusing(status: int, *formats: str) -> Script:
    """A server that takes none of these formats of a reply."""

    def script(request: dict[str, Any]) -> Reply:
        asked = request.get("response_format", {}).get("type", "")
        if asked in formats:
            told = {"message": f"response_format: '{asked}' is not supported", "type": "invalid"}
            return Reply(status=status, body=json.dumps({"error": told}).encode())
        return as_json(capital_script()(request))

    return script


@pytest.mark.parametrize("status", [400, 422, 500])
@pytest.mark.parametrize(
    ("refused", "kept"),
    [((), "json_schema"), (("json_schema",), "json_object"), (("json_schema", "json_object"), "")],
)
def test_replies_are_held_to_a_schema_as_far_as_the_server_can(
    status: int, refused: tuple[str, ...], kept: str
) -> None:
    found, server = run(refusing(status, *refused), tool_calls="json")
    assert found.status is AnswerStatus.ANSWERED
    formats = [request.get("response_format", {}).get("type", "") for request in server.requests]
    assert formats[: len(refused) + 1] == [*refused, kept]
    assert set(formats[len(refused) :]) == {kept}, "it is asked once, and remembered"


def test_the_schema_allows_what_the_state_allows() -> None:
    _, server = run(refusing(400), tool_calls="json")
    by_state: dict[str, str] = {}
    for request in server.requests:
        schema = request["response_format"]["json_schema"]["schema"]
        by_state.setdefault(state_of(request), json.dumps(schema))
    assert "next_state" not in by_state["REMOTE_GRAPH_EXPLORATION"], (
        "nothing but exploring at first"
    )
    assert "search_entities" in by_state["REMOTE_GRAPH_EXPLORATION"]
    assert '"answer"' in by_state["LOCAL_DATA_EVALUATION"]
    assert "calls" not in by_state["LOCAL_DATA_EVALUATION"]


@pytest.mark.parametrize("native", [True, False])
def test_with_an_empty_graph_nothing_but_exploring_is_offered(native: bool) -> None:
    script = capital_script() if native else refusing(400)
    _, server = run(script, tool_calls="native" if native else "json")
    first, later = server.requests[0], server.requests[1]
    names = {tool["function"]["name"] for tool in first.get("tools", ())}
    assert "choose_next_state" not in names
    assert "From here you may go to" not in first["messages"][1]["content"]
    told = later["messages"][1]["content"]
    offered = {tool["function"]["name"] for tool in later.get("tools", ())}
    assert "choose_next_state" in offered or "From here you may go to" in told


def test_a_second_identical_reply_changes_something() -> None:
    same = Reply(calls=(("search_entities", {"text": "Zzyzx"}),))
    good = capital_script()
    left = [same, same, same]
    _, server = run(lambda request: left.pop() if left else good(request))
    warmth = [request["temperature"] for request in server.requests[:4]]
    assert warmth == [0.0, 0.0, 0.7, 0.7]
    notes = [str(request["messages"][-1]["content"]) for request in server.requests[:4]]
    assert "Do something else" not in notes[1] and "Do something else" in notes[2]


@pytest.mark.parametrize(
    "text",
    [
        '{{"name": "search_entities", "arguments": {"text": "Canada"}}}',
        '<tool_call>\n{"name": "search_entities", "arguments": {"text": "Canada"}}\n</tool_call>',
        '{"name": "search_entities", "parameters": {"text": "Canada"}}',
        '[TOOL_CALLS] [{"name": "search_entities", "arguments": {"text": "Canada"}}]',
        '{"type": "function", "function": {"name": "search_entities",'
        ' "arguments": "{\\"text\\": \\"Canada\\"}"}}',
        '{"name": "functions.search_entities", "arguments": {"text": "Canada"}}',
        '```python\nsearch_entities(text="Canada")\n```',
        'I search.\nsearch_entities(text="Canada", kind="item")',
    ],
)
@pytest.mark.parametrize("mode", ["native", "json"])
def test_calls_that_arrive_as_text_are_understood(text: str, mode: str) -> None:
    left = [Reply(text=text)]
    good = capital_script() if mode == "native" else refusing(400)
    _, server = run(lambda request: left.pop() if left else good(request), tool_calls=mode)
    assert "Canada (Q16)" in str(server.requests[1]["messages"][2:])


@pytest.mark.parametrize("text", ["print(open('/etc/passwd').read())", "f(x)", "a_b(" * 500])
def test_code_is_read_and_never_run(text: str) -> None:
    left = [Reply(text=text)]
    good = capital_script()
    found, server = run(lambda request: left.pop() if left else good(request))
    assert found.status is AnswerStatus.ANSWERED
    assert "root:" not in str(server.requests[1])


def test_tokens_that_no_server_counted_are_estimated() -> None:
    good = capital_script()

    def uncounted(request: dict[str, Any]) -> Reply:
        return Reply(calls=good(request).calls, usage=None)

    found, server = run(uncounted)
    sent = sum(len(json.dumps(request)) for request in server.requests) / 4
    assert 0.5 * sent < found.statistics.tokens.prompt < 2 * sent
    assert sum(row.uncounted for row in found.statistics.spending) == len(server.requests)
