"""What a model's reply asks for: calls, a next state, or an answer. Never trusted, never guessed.

A reply may use native tool calls (the state's tools and the two that stand for decisions,
``choose_next_state`` and ``submit_answer``) or the JSON form of `the prompt `json_protocol``.
Words in prose decide nothing.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from robodata_core.orchestrator.machine import State
from robodata_core.policy.llm.client import Completion
from robodata_core.policy.llm.handing_in import ANSWER_SCHEMA
from robodata_core.text import clean_text, parse_json
from robodata_core.tools.base import ToolCall

__all__ = [
    "ANSWER_TOOL",
    "STATE_TOOL",
    "Reply",
    "decision_tools",
    "may_answer",
    "objects_in",
    "read_reply",
    "reply_schema",
]

STATE_TOOL: Final = "choose_next_state"
ANSWER_TOOL: Final = "submit_answer"
_MOST_OBJECTS: Final = 32
_ARGUMENTS: Final = frozenset({"arguments", "parameters", "args"})
#: What tells a call that stands alone from another object.
_CALLED: Final = _ARGUMENTS | {"function"}
_MAX_REFLECTION: Final = 2_000
_MOST_CODE: Final = 20_000
_CUT_OFF: Final = "The reply was cut off because it was too long; do less at a time."
_CODE: Final = re.compile(r"^[ \t`]*[a-z_]{3,40}\([^\n]{1,2000}\)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's reply, understood as far as it can be.

    Attributes:
        calls: Tool calls with well-formed arguments.
        next_state: The state it chose, if it chose one.
        reflection: Its reflection.
        answer: The raw answer object, if it handed one in.
        problem: What is wrong with the reply, as a sentence for the model, or empty.
    """

    calls: tuple[ToolCall, ...] = ()
    next_state: State | None = None
    reflection: str = ""
    answer: Mapping[str, Any] | None = None
    problem: str = ""


def decision_tools(state: State, legal: Sequence[State]) -> list[dict[str, Any]]:
    """Return the tool definitions that stand for decisions in ``state``."""
    answer = [_function(ANSWER_TOOL, "Hand in the answer.", ANSWER_SCHEMA)]
    if not legal:
        return answer if may_answer(state) else []
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {
            "next_state": {"type": "string"},
            "reflection": {
                "type": "string",
                "description": "What your later self has to know.",
            },
        },
        "required": ["next_state"],
    }
    # Where an answer can be handed in, choosing to answer would be a reply without anything in it.
    tools = answer if may_answer(state) else []
    others = [choice.value for choice in legal if choice is not State.PRODUCE_ANSWER or not tools]
    schema["properties"]["next_state"]["enum"] = others
    return tools + [_function(STATE_TOOL, "End this turn and go to another state.", schema)]


def reply_schema(tools: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the JSON schema of a reply in the JSON protocol.

    Args:
        tools: Definitions of the tools and decisions there are.
    """
    functions = [tool["function"] for tool in tools]
    forms: list[dict[str, Any]] = []
    calls = [
        _object({"tool": {"enum": [one["name"]]}, "arguments": one["parameters"]})
        for one in functions
        if one["name"] not in (STATE_TOOL, ANSWER_TOOL)
    ]
    state = next((one["parameters"] for one in functions if one["name"] == STATE_TOOL), None)
    if calls:
        # An empty list would be the shortest reply, and small models give it.
        listed = {"calls": {"type": "array", "minItems": 1, "items": {"anyOf": calls}}}
        forms.append(_object(listed))
        if state is not None:
            both = {**listed, "next_state": state["properties"]["next_state"]}
            forms.append(_object(both))
    if state is not None:
        forms.append(state)
    answer = next((one["parameters"] for one in functions if one["name"] == ANSWER_TOOL), None)
    if answer is not None:
        forms.append(_object({"answer": answer}))
    return forms[0] if len(forms) == 1 else {"anyOf": forms}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


def may_answer(state: State) -> bool:
    """Tell whether an answer may be handed in from ``state``."""
    return state in (State.LOCAL_DATA_EVALUATION, State.PRODUCE_ANSWER)


def _function(name: str, description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "function",
        "function": {"name": name, "description": description, "parameters": schema},
    }


def read_reply(completion: Completion) -> Reply:
    """Understand a completion: native calls first, else a JSON object in its text."""
    if completion.finish == "content_filter":
        return Reply(problem="The reply was withheld by a content filter.")
    if completion.calls:
        return _from_calls(completion)
    found = list(islice(objects_in(completion.text), _MOST_OBJECTS))
    if not found:
        found = calls_in_code(completion.text)
    if not found:
        if completion.finish == "length":
            return Reply(problem=_CUT_OFF)
        if not completion.text.strip():
            return Reply(problem="The reply was empty. Use a tool.")
        return Reply(
            problem="The reply was only text. Act or decide by a tool call, or by the JSON object"
            " described in the instructions."
        )
    bare = [item for item in found if _CALLED & set(item) and _call_in(item)[0]]
    # Calls that stand alone, or in a list, mean what they would mean under "calls".
    return _from_object({"calls": bare} if found[0] in bare else found[0])


def _from_calls(completion: Completion) -> Reply:
    calls: list[ToolCall] = []
    next_state, reflection, answer, problems = None, "", None, []
    for raw in completion.calls:
        arguments = _arguments(raw.arguments)
        if arguments is None:
            problems.append(
                f"The arguments of {clean_text(raw.name, limit=60)} are not JSON: call it again."
            )
        elif raw.name == STATE_TOOL:
            next_state = _state(arguments.get("next_state"))
            reflection = _reflection(arguments.get("reflection"))
            if next_state is None:
                problems.append("next_state names no state.")
        elif raw.name == ANSWER_TOOL:
            answer = arguments
        else:
            calls.append(ToolCall(raw.name, arguments))
    if completion.finish == "length" and problems:
        problems = [_CUT_OFF]
    return Reply(tuple(calls), next_state, reflection, answer, " ".join(problems))


def _from_object(found: Mapping[str, Any]) -> Reply:
    answer, next_state = found.get("answer"), found.get("next_state")
    reflection = found.get("reflection")
    calls, problems = [], []
    raw_calls = found.get("calls") or found.get("tool_calls") or ()
    for raw in raw_calls if isinstance(raw_calls, list) else ():
        name, arguments = _call_in(raw)
        if arguments is None:
            problems.append("A call needs a tool and an arguments object.")
        elif name == STATE_TOOL:  # said the way native calls say it
            next_state = arguments.get("next_state")
            reflection = arguments.get("reflection")
        elif name == ANSWER_TOOL:
            answer = arguments
        else:
            calls.append(ToolCall(name, arguments))
    said = _reflection(reflection)
    if isinstance(answer, Mapping):
        return Reply(answer=answer, reflection=said)
    chosen = _state(next_state)
    if not calls and chosen is None and not problems:
        problems.append(
            'Reply with one JSON object that holds "calls", "next_state" or "answer", as described.'
        )
    return Reply(tuple(calls), chosen, said, None, " ".join(problems))


def _call_in(raw: Any) -> tuple[str, Mapping[str, Any] | None]:
    if not isinstance(raw, Mapping):
        return "", None
    inner = raw.get("function")
    if isinstance(inner, Mapping):
        return _call_in(inner)
    name = raw.get("tool") or raw.get("name") or inner
    arguments: Any = next((raw[key] for key in _ARGUMENTS if key in raw), {})
    if isinstance(arguments, str):
        arguments = _arguments(arguments)
    if not isinstance(name, str) or not isinstance(arguments, Mapping):
        return "", None
    return name.removeprefix("functions."), arguments


def calls_in_code(text: str) -> list[Mapping[str, Any]]:
    """Return calls that are written as code: ``search_entities(text="Canada")``, one a line."""
    found: list[Mapping[str, Any]] = []
    for match in islice(_CODE.finditer(text[:_MOST_CODE]), _MOST_OBJECTS):
        try:
            call = ast.parse(match[0].strip(), mode="eval").body
            if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
                continue
            arguments = {str(one.arg): ast.literal_eval(one.value) for one in call.keywords}
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            continue
        if not call.args and arguments:
            found.append({"name": call.func.id, "arguments": arguments})
    return found


def _arguments(text: str) -> Mapping[str, Any] | None:
    if not text.strip():
        return {}
    try:
        data = parse_json(text)
    except ValueError:
        return None
    return data if isinstance(data, dict) else None


def _state(value: Any) -> State | None:
    try:
        return State(str(value).strip().upper())
    except ValueError:
        return None


def _reflection(value: Any) -> str:
    return clean_text(value, limit=_MAX_REFLECTION) if isinstance(value, str) else ""


def objects_in(text: str) -> Iterator[Mapping[str, Any]]:
    """Yield the JSON objects that stand in ``text``, outermost first."""
    decoder = json.JSONDecoder()
    start, tries = text.find("{"), 0
    while start != -1 and tries < 50:
        tries += 1
        try:
            data, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            start = text.find("{", start + 1)
            continue
        if isinstance(data, dict):
            yield data
        start = text.find("{", end)
