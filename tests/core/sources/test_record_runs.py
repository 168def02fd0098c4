"""A whole run with a model, recorded to one file and repeated without its server."""

from __future__ import annotations

from pathlib import Path

import pytest

from robodata_core import RoboData
from robodata_core.model import AnswerStatus
from tests.core.policy.llm.scripts import CAPITAL, capital_script
from tests.core.policy.llm.server import model_server

pytest.importorskip("openai", reason="the openai package is not installed (extra 'llm')")

KEY = "sk-test-0123456789abcdef"


def test_a_run_is_repeated_without_its_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    path = tmp_path / "traffic.jsonl"
    with (
        model_server(capital_script()) as server,
        RoboData.open(policy="llm", model="m", base_url=server.url, record=str(path)) as robodata,
    ):
        first = robodata.ask(CAPITAL)
        url = server.url
    assert first.status is AnswerStatus.ANSWERED
    assert KEY not in path.read_text(encoding="utf-8")
    with RoboData.open(policy="llm", model="m", base_url=url, replay_traffic=str(path)) as robodata:
        again = robodata.ask(CAPITAL)
    assert (again.text, again.results, again.trace) == (first.text, first.results, first.trace)
    assert again.statistics.tokens == first.statistics.tokens
