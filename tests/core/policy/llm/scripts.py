"""Scripted models: they look at the prompt like a model would, and reply from a plan."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from tests.core.policy.llm.server import Reply

CAPITAL = "What is the capital of Canada?"


def state_of(request: dict[str, Any]) -> str:
    """Return the state that the prompt names."""
    found = re.search(r"^State: (\w+)\.", request["messages"][0]["content"], re.MULTILINE)
    assert found, request["messages"][0]["content"]
    return found.group(1)


def results_seen(request: dict[str, Any]) -> bool:
    """Tell whether this turn's calls have been answered."""
    return any(
        message["role"] == "tool" or str(message.get("content", "")).startswith("Results of")
        for message in request["messages"][2:]
    )


def shown(request: dict[str, Any], text: str) -> bool:
    """Tell whether a result of this turn holds ``text``."""
    return any(text in str(message.get("content")) for message in request["messages"][2:])


def go(state: str, reflection: str = "") -> Reply:
    arguments = {"next_state": state, "reflection": reflection}
    return Reply(calls=(("choose_next_state", arguments),))


def answer(*claims: tuple[str, list[str]], results: list[Any], status: str = "answered") -> Reply:
    """Hand in handles; what a model would say besides goes into the comment."""
    handles = [handle for _, listed in claims for handle in listed]
    kind = "unknown" if status == "unknown" else "list"
    arguments = {"kind": kind, "handles": handles, "comment": " ".join(text for text, _ in claims)}
    return submit(**arguments)


def submit(**arguments: Any) -> Reply:
    """Hand in an answer as it is."""
    return Reply(calls=(("submit_answer", arguments),))


def capital_script(
    final: Reply | None = None, *, change: Callable[[str, Reply], Reply] | None = None
) -> Callable[[dict[str, Any]], Reply]:
    """A model that answers the capital question properly, step by step."""
    final = final or answer(("Ottawa is the capital of Canada.", ["T1"]), results=["Q1930"])

    def reply(request: dict[str, Any]) -> Reply:
        state, seen = state_of(request), results_seen(request)
        if state == "REMOTE_GRAPH_EXPLORATION":
            chosen = (
                go("REMOTE_DATA_EVALUATION")
                if shown(request, "(Q16)") and shown(request, "(P36)")
                else Reply(
                    calls=(
                        ("search_entities", {"text": "Canada"}),
                        ("search_entities", {"text": "capital", "kind": "property"}),
                    )
                )
            )
        elif state == "REMOTE_DATA_EVALUATION":
            chosen = go("LOCAL_GRAPH_UPDATE", "add Q16 P36")
        elif state == "LOCAL_GRAPH_UPDATE":
            call = ("fetch_relationship_from_node", {"nodes": ["Q16"], "property": "P36"})
            chosen = go("LOCAL_DATA_EVALUATION") if seen else Reply(calls=(call,))
        elif state == "LOCAL_DATA_EVALUATION":
            chosen = go("PRODUCE_ANSWER")
        else:
            chosen = final
        return change(state, chosen) if change else chosen

    return reply
