"""Questions taken apart."""

from __future__ import annotations

import json
from typing import Any

import pytest

from robodata_core import RoboData
from robodata_core.errors import ConfigurationError
from robodata_core.model import AnswerStatus
from tests.core.policy.llm.scripts import answer, capital_script, go, state_of
from tests.core.policy.llm.server import Reply, model_server


def test_a_question_is_taken_apart_and_put_together_again() -> None:
    good = capital_script()
    asked: list[str] = []

    def script(request: dict[str, Any]) -> Reply:
        system = request["messages"][0]["content"]
        if system.startswith("You take a question apart"):
            parts = ["What is the capital of Canada?", "Is Ottawa in Canada?"]
            return Reply(text=json.dumps({"questions": parts}))
        user = request["messages"][1]["content"]
        question = user.split("\n")[0].removeprefix("Question: ")
        if question not in asked:
            asked.append(question)
        if question == "What is the capital of Canada?":
            return good(request)
        if state_of(request) == "PRODUCE_ANSWER":
            return answer(("Ottawa is the capital of Canada.", ["T1"]), results=["Q1930"])
        return go("PRODUCE_ANSWER")

    whole = "What is the capital of Canada and is it in Canada?"
    with (
        model_server(script) as server,
        RoboData.open(policy="llm", model="m", base_url=server.url, decompose=True) as robodata,
    ):
        found = robodata.ask(whole)
        calls = len(server.requests)
    assert asked == ["What is the capital of Canada?", "Is Ottawa in Canada?", whole]
    assert found.question == whole
    assert found.status is AnswerStatus.ANSWERED
    assert found.claims[0].supported
    assert found.statistics.turns > 5
    assert found.statistics.tokens.prompt == 100 * calls
    taking_apart = found.statistics.spending[0]
    assert (taking_apart.role, taking_apart.calls) == ("decomposition", 1)
    assert sum(row.calls for row in found.statistics.spending) == calls


def test_taking_apart_needs_a_model() -> None:
    with pytest.raises(ConfigurationError):
        RoboData.open(decompose=True)
