"""What docs/EXTENDING.md shows is run as it stands there, and gives right answers."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from robodata_core.api import RoboData
from robodata_core.config import load_settings
from robodata_core.errors import ConfigurationError
from robodata_core.model import AnswerStatus
from robodata_core.orchestrator.machine import State
from robodata_core.policy.base import Decision
from robodata_core.store.graph import LocalGraph
from robodata_core.tools.base import ToolCall
from robodata_core.tools.remote import SearchEntities
from tests.conftest import ROOT

MOST_LINES = 45


@pytest.fixture(scope="module")
def shown() -> list[str]:
    text = (ROOT / "docs" / "EXTENDING.md").read_text(encoding="utf-8")
    return re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)


def made(code: str) -> Any:
    return run(code)["Handful"]()


def run(*code: str) -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(compile("".join(code), "EXTENDING.md", "exec"), names)
    return names


def test_a_source_takes_no_more_lines_than_promised(shown: list[str]) -> None:
    body = shown[0][shown[0].index("class Handful") :]
    assert len([line for line in body.splitlines() if line.strip()]) <= MOST_LINES


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("What is the capital of Canada?", {"Q2"}),
        ("What is the capital of France?", {"Q4"}),
        ("Paris is the capital of what?", {"Q3"}),
    ],
)
def test_the_source_shown_answers(shown: list[str], question: str, found: set[str]) -> None:
    robodata = RoboData(load_settings(), made(shown[0]), LocalGraph.in_memory())
    answer = robodata.ask(question)
    assert answer.status is AnswerStatus.ANSWERED, answer.text
    assert {item.id for item in answer.results} == found
    assert all(claim.supported for claim in answer.claims)


def test_how_it_is_asked_is_shown(shown: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile("".join(shown[:2]), "EXTENDING.md", "exec"), {})
    assert "Q2" in capsys.readouterr().out


def test_the_policy_shown_answers_with_claims(
    shown: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    names = run(*shown[:4])
    assert "Ottawa" in capsys.readouterr().out
    answer = names["asked"].ask('And what of "France"?')
    assert answer.policy == "quoted"
    assert "Paris" in answer.text
    assert answer.claims
    assert all(claim.supported for claim in answer.claims)


def test_the_policy_shown_finds_nothing_of_what_is_not_there(shown: list[str]) -> None:
    answer = run(*shown[:4])["RoboData"](
        load_settings(), made(shown[0]), LocalGraph.in_memory(), policy=run(*shown[:4])["Quoted"]
    ).ask('What do you know of "Atlantis"?')
    assert answer.status is AnswerStatus.UNKNOWN
    assert not answer.claims


def test_the_tool_shown_is_offered_and_called(shown: list[str]) -> None:
    names = run(*shown[:6])
    seen: list[Any] = []

    class Calls(names["Quoted"]):  # type: ignore[misc]
        def decide(self, turn: Any) -> Any:
            if turn.state is State.REMOTE_GRAPH_EXPLORATION and not turn.results:
                return Decision(calls=(ToolCall("names_that_begin", {"letter": "P"}),))
            seen.extend(turn.results)
            return super().decide(turn)

    tools = [names["NamesThatBegin"]()]
    made_with = RoboData(
        load_settings(), made(shown[0]), LocalGraph.in_memory(), policy=Calls, tools=tools
    )
    made_with.ask('"P"?')
    assert seen[0].ok
    assert seen[0].output.data == ["Q4"]


def test_two_tools_of_one_name_are_refused(shown: list[str]) -> None:
    with pytest.raises(ConfigurationError, match="search_entities"):
        RoboData(load_settings(), made(shown[0]), LocalGraph.in_memory(), tools=[SearchEntities()])


def test_the_place_for_a_graph_shown_keeps_a_log(shown: list[str], tmp_path: Path) -> None:
    names = run(shown[0], *shown[6:7])
    path = tmp_path / "changes.log"
    graph = LocalGraph(names["Logged"](path), "en")
    robodata = RoboData(load_settings(), names["Handful"](), graph)
    assert robodata.ask("What is the capital of Canada?").status is AnswerStatus.ANSWERED
    assert "Q2" in path.read_text(encoding="utf-8")


def test_the_format_shown_is_read(shown: list[str], tmp_path: Path) -> None:
    format_ = run(shown[8])["ARROWS"]
    assert format_.recognises("some.arrows", "")
    good, bad = format_.read("Who? => Ann\nWhat?")
    assert (good.text, good.gold) == ("Who?", {"ann"})
    assert bad.problem
