"""A person in the loop, and questions taken apart."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from robodata_core import RoboData
from robodata_core.cli import run
from robodata_core.errors import ConfigurationError
from robodata_core.model import AnswerStatus
from tests.core.policy.llm.scripts import CAPITAL, answer, capital_script, go, state_of
from tests.core.policy.llm.server import Reply, model_server


def talk(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], typed: str
) -> tuple[int, str, str]:
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    code = run(["ask", "--interactive", CAPITAL])
    out, err = capsys.readouterr()
    return code, out, err


def test_accepting_gives_the_answer_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = talk(monkeypatch, capsys, "\n")
    assert code == 0
    assert out.startswith("Ottawa")
    assert "accept" in err


def test_the_end_of_input_accepts(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = talk(monkeypatch, capsys, "")
    assert (code, out.startswith("Ottawa")) == (0, True)


def test_another_question_goes_on_with_the_same_graph(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed = "nonsense\nq\nq Who is the father of Douglas Adams?\n\n"
    code, out, err = talk(monkeypatch, capsys, typed)
    assert code == 0
    assert "Ottawa" not in out
    assert out.startswith("Christopher Douglas Adams")
    assert "T2" in out  # T1 is the capital, found before
    assert err.count("[Enter] accept") >= 4


def test_a_hint_asks_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = talk(monkeypatch, capsys, "m in North America\n\n")
    assert code in (0, 1)
    assert err.count("turns") >= 2


def test_a_model_sees_the_hint_and_the_graph_of_the_round_before(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("m name its country too\n\n"))
    with model_server(capital_script()) as server:
        code = run(
            ["ask", "--interactive", "--policy", "llm", "--model", "m",
             "--base-url", server.url, CAPITAL]
        )  # fmt: skip
        prompts = [request["messages"][1]["content"] for request in server.requests]
    out, _ = capsys.readouterr()
    assert (code, out.startswith("Ottawa")) == (0, True)
    hinted = [text for text in prompts if text.startswith(f"Question: {CAPITAL} name its country")]
    assert hinted and "T1 Ottawa (Q1930)" in hinted[0]


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
