"""Making the parts of a prompt that are not the graph fit: tools, and the exchange of one turn.

What is oldest and what explains most verbosely gives way first. Nothing is dropped silently: what
is cut says so, and what was left out is named.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from robodata_core.text import estimate_tokens

__all__ = ["fit_exchange", "fit_tools", "size_of_message", "size_of_tools"]

_LIMITS: Final = (4_000, 2_000, 1_000, 400, 100, 0)
_LEFT_OUT: Final = "(What was said earlier in this turn is left out: there is no room for it.)"

# In this order tools are given up when there is no room for all: conveniences first.
_LEAST_NEEDED: Final = (
    *("disambiguate_entity", "cypher_query", "retrieve_relation", "get_entity_info"),
    *("explore_entity_neighbors", "sparql_query", "run_program", "remove_node"),
    *("sparql_query_local", "fetch_node", "get_edge"),
)


def size_of_message(message: Mapping[str, Any]) -> int:
    """Estimate the tokens of a message."""
    text = str(message.get("content") or "")
    calls = message.get("tool_calls")
    return estimate_tokens(text + (json.dumps(calls) if calls else "")) + 4


def size_of_tools(tools: Sequence[Mapping[str, Any]]) -> int:
    """Estimate the tokens of tool definitions."""
    return estimate_tokens(json.dumps(tools)) if tools else 0


def fit_tools(
    tools: Sequence[dict[str, Any]],
    tokens: int,
    size: Callable[[Sequence[Mapping[str, Any]]], int],
) -> list[dict[str, Any]]:
    """Return definitions that fit, as far as they can: shorter first, then fewer.

    The descriptions of arguments go first; then whole tools, those that others can stand in for
    before those that nothing can.

    Args:
        tools: Definitions.
        tokens: Most tokens that they may take.
        size: Says how many they take, as they are going to be shown.
    """
    kept = list(tools)
    if size(kept) <= tokens:
        return kept
    kept = [_short(tool) for tool in kept]
    for name in _LEAST_NEEDED:
        if size(kept) <= tokens:
            break
        kept = [tool for tool in kept if tool["function"]["name"] != name]
    return kept


def _short(tool: dict[str, Any]) -> dict[str, Any]:
    function = tool["function"]
    described = str(function["description"])
    end = described.find(". ")
    first = described if end < 0 else described[: end + 1]
    parameters = _bare(function["parameters"])
    return {**tool, "function": {**function, "description": first, "parameters": parameters}}


def _bare(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema without the words in it."""
    properties = schema.get("properties")
    kept = {key: value for key, value in schema.items() if key != "description"}
    if isinstance(properties, Mapping):
        kept["properties"] = {name: _bare(field) for name, field in properties.items()}
    items = schema.get("items")
    if isinstance(items, Mapping):
        kept["items"] = _bare(items)
    return kept


def fit_exchange(thread: Sequence[Mapping[str, Any]], tokens: int) -> list[Mapping[str, Any]]:
    """Shorten the exchange of one turn until it fits; its order stays.

    Older rounds are cut before the latest one, and dropped if cutting is not enough: a round is a
    reply with everything that follows until the next one, because servers refuse results without
    their calls.
    """
    rounds = _rounds(thread)
    for older in (True, False):
        for limit in _LIMITS:
            if _size(rounds) <= tokens:
                return [message for one in rounds for message in one]
            last = len(rounds) - 1
            rounds = [
                one if (index == last) is older else [_cut(message, limit) for message in one]
                for index, one in enumerate(rounds)
            ]
    note = {"role": "user", "content": _LEFT_OUT}
    while rounds and _size([*rounds, [note]]) > tokens:
        rounds.pop(0)
    kept = [message for one in rounds for message in one]
    return [note, *kept] if len(kept) < len(thread) and size_of_message(note) <= tokens else kept


def _rounds(thread: Sequence[Mapping[str, Any]]) -> list[list[Mapping[str, Any]]]:
    rounds: list[list[Mapping[str, Any]]] = []
    for message in thread:
        if message.get("role") == "assistant" or not rounds:
            rounds.append([])
        rounds[-1].append(message)
    return rounds


def _size(rounds: Sequence[Sequence[Mapping[str, Any]]]) -> int:
    return sum(size_of_message(message) for one in rounds for message in one)


def _cut(message: Mapping[str, Any], limit: int) -> Mapping[str, Any]:
    content = str(message.get("content") or "")
    if len(content) <= limit:
        return message
    return {**message, "content": content[:limit].removesuffix(" … (cut)") + " … (cut)"}
