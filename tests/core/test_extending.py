"""What docs/EXTENDING.md shows is run as it stands there, and gives right answers."""

from __future__ import annotations

import re
from typing import Any

import pytest

from robodata_core.api import RoboData
from robodata_core.config import load_settings
from robodata_core.model import AnswerStatus
from robodata_core.store.graph import LocalGraph
from tests.conftest import ROOT

MOST_LINES = 60


@pytest.fixture(scope="module")
def shown() -> list[str]:
    text = (ROOT / "docs" / "EXTENDING.md").read_text(encoding="utf-8")
    return re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)


def made(code: str) -> Any:
    names: dict[str, Any] = {}
    exec(compile(code, "EXTENDING.md", "exec"), names)
    return names["Handful"]()


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
