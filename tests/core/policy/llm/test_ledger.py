"""What a run tells about its model calls: prompts, replies, tokens, costs; and nothing secret."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robodata_core import RoboData, journal
from robodata_core.answers.text import spending_lines
from robodata_core.cli import run as run_command
from robodata_core.events import ModelCall, ObservationMade, PolicyDecided, RunEvent
from robodata_core.model import Answer, RunStatistics, Spending, TokenCount
from robodata_core.policy.llm.client import Completion, RawCall
from robodata_core.policy.llm.ledger import (
    MAX_PROMPT,
    MAX_REPLY,
    Price,
    Prices,
    call_of,
    shown_prompt,
)
from robodata_core.run_state import RunState, fold
from tests.core.policy.llm.scripts import CAPITAL, capital_script
from tests.core.policy.llm.server import ModelServer, Reply, model_server

KEY = "sk-a-secret-that-stays-secret"


@pytest.fixture(autouse=True)
def _own_surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: Any) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def run(tmp_path: Path, **settings: Any) -> tuple[Answer, list[RunEvent], ModelServer]:
    """Answer the capital question with a scripted model; the events come from the journal."""
    good = capital_script()

    def script(request: dict[str, Any]) -> Reply:
        if request["messages"][0]["content"].startswith("You watch an agent"):
            return Reply(text="It goes straight for the answer.")
        return good(request)

    with (
        model_server(script) as server,
        RoboData.open(
            policy="llm", model="m", base_url=server.url, journal=str(tmp_path), **settings
        ) as robodata,
    ):
        answer = robodata.ask(CAPITAL)
    (path,) = tmp_path.iterdir()
    return answer, list(journal.read(path)), server


def calls_in(events: list[RunEvent]) -> list[ModelCall]:
    kinds = (PolicyDecided, ObservationMade)
    return [call for event in events if isinstance(event, kinds) for call in event.model_calls]


def test_every_prompt_stands_in_the_journal_as_it_was_sent(tmp_path: Path) -> None:
    _, events, server = run(tmp_path)
    calls = calls_in(events)
    assert len(calls) == len(server.requests) == 7
    for call, request in zip(calls, server.requests, strict=True):
        assert [message.role for message in call.messages] == [
            message["role"] for message in request["messages"]
        ]
        for shown, sent in zip(call.messages, request["messages"], strict=True):
            assert shown.left_out == 0
            assert shown.text.startswith(sent.get("content") or "")
        assert call.tools == tuple(tool["function"]["name"] for tool in request["tools"])
        assert call.tokens == TokenCount(100, 10)
        assert call.seconds > 0
    assert "search_entities(" in calls[0].reply
    assert calls[0].role == "exploration" and calls[-1].role == "evaluation"


def test_the_fold_keeps_prompts_by_turn_and_adds_up_what_they_cost(tmp_path: Path) -> None:
    answer, events, _ = run(
        tmp_path, models={"exploration": "small"}, prices={"m": (2.0, 10.0)}, metacognition=True
    )
    state = fold(events)
    assert sum(len(turn.model_calls) for turn in state.timeline) == 7
    assert [turn.model_calls[0].state for turn in state.timeline if turn.model_calls] == [
        turn.state for turn in state.timeline if turn.decided
    ]
    rows = {(row.role, row.state): row for row in state.spending}
    exploring = rows["exploration", "REMOTE_GRAPH_EXPLORATION"]
    assert exploring == Spending(
        "exploration", "REMOTE_GRAPH_EXPLORATION", "small", 2, 0, TokenCount(200, 20), None
    )
    final = rows["evaluation", "PRODUCE_ANSWER"]
    assert final.cost == pytest.approx((100 * 2 + 10 * 10) / 1_000_000)
    assert sum(row.calls for row in rows.values() if row.role == "metacognition") == sum(
        len(event.model_calls) for event in events if isinstance(event, ObservationMade)
    )
    assert sum((row.tokens for row in state.spending), TokenCount()) == state.tokens
    assert sum(state.tokens_by_state.values(), TokenCount()) == state.tokens
    assert answer.statistics.spending == state.spending
    assert answer.statistics.cost is None  # "small" has no price


def test_the_sum_is_there_when_every_model_has_a_price(tmp_path: Path) -> None:
    answer, _, _ = run(tmp_path, prices={"m": (2.0, 10.0)})
    assert answer.statistics.cost == pytest.approx(7 * 300 / 1_000_000)


def ask_in_a_shell(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, *arguments: str
) -> tuple[str, str]:
    """Return what ``robodata ask`` writes to stdout and stderr, with a price for the model."""
    config = tmp_path / "robodata.yaml"
    config.write_text("prices: {m: [2.0, 10.0]}\n")
    with model_server(capital_script()) as server:
        code = run_command(
            ["ask", "--config", str(config), "--policy", "llm", "--model", "m",
             "--base-url", server.url, *arguments, CAPITAL]
        )  # fmt: skip
    assert code == 0
    out, err = capsys.readouterr()
    return out, err


def test_the_command_shows_who_spent_what(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out, err = ask_in_a_shell(capsys, tmp_path)
    assert "role" not in out
    assert "770 tokens · cost 0.0021" in err
    lines = err.splitlines()
    table = lines[next(n for n, line in enumerate(lines) if line.startswith("role")) :]
    assert table[0].split() == ["role", "state", "model", "calls", "sent", "received", "cost"]
    assert table[1].split() == [
        *("exploration", "REMOTE_GRAPH_EXPLORATION", "m", "2", "200", "20", "0.0006"),
    ]
    assert table[-1].split() == ["total", "7", "700", "70", "0.0021"]


def test_the_json_form_has_it_too(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out, _ = ask_in_a_shell(capsys, tmp_path, "--json")
    statistics = json.loads(out)["statistics"]
    assert statistics["tokens"] == {"prompt": 700, "completion": 70}
    assert statistics["cost"] == pytest.approx(0.0021)
    assert statistics["spending"][0] == {
        "role": "exploration",
        "state": "REMOTE_GRAPH_EXPLORATION",
        "model": "m",
        "calls": 2,
        "uncounted_calls": 0,
        "tokens": {"prompt": 200, "completion": 20},
        "cost": pytest.approx(0.0006),
    }


def test_a_table_without_prices_has_no_costs_and_names_what_is_not_counted() -> None:
    rows = (
        Spending("update", "LOCAL_GRAPH_UPDATE", "m", 3, 1, TokenCount(1_200, 5)),
        Spending("decomposition", "", "n", 1, 0, TokenCount(10, 1)),
    )
    lines = list(spending_lines(RunStatistics(spending=rows)))
    assert "cost" not in lines[0] and lines[1].split()[-2:] == ["1,200", "5"]
    assert lines[-1] == "The server did not count the tokens of 1 call: those are estimated."
    assert list(spending_lines(RunStatistics())) == []


def test_the_key_is_nowhere_in_the_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    run(tmp_path)
    (path,) = tmp_path.iterdir()
    assert KEY not in path.read_text()


def test_a_journal_from_before_prompts_were_kept_is_still_read(tmp_path: Path) -> None:
    run(tmp_path, metacognition=True)
    (path,) = tmp_path.iterdir()
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines:
        line.pop("model_calls", None)
        if line.get("type") == "AnswerReady":
            line["answer"]["statistics"].pop("spending")
    old = tmp_path / "old.jsonl"
    old.write_text("\n".join(map(json.dumps, lines)) + "\n")
    state = fold(journal.read(old))
    assert state.status == "answered"
    assert state.tokens.prompt > 0
    assert state.spending == ()


def test_tools_are_told_apart_by_time_and_size(tmp_path: Path) -> None:
    _, events, _ = run(tmp_path)
    state = fold(events)
    assert {name: use.calls for name, use in state.tools.items()} == state.calls_by_tool
    assert state.tools["search_entities"].tokens > 0
    assert state.tools["search_entities"].failed == 0


def test_a_server_that_does_not_count_is_named(tmp_path: Path) -> None:
    events = [event for event in run(tmp_path)[1] if isinstance(event, PolicyDecided)]
    uncounted = [
        PolicyDecided(
            event.header, event.turn, event.calls, event.next_state, "", "", 0.0,
            model_calls=(ModelCall("update", "LOCAL_GRAPH_UPDATE", "m"),),
        )
        for event in events[:2]
    ]  # fmt: skip
    (row,) = fold(uncounted).spending
    assert (row.calls, row.uncounted) == (2, 2)


@given(
    st.lists(
        st.tuples(st.sampled_from(["system", "user", "tool"]), st.integers(0, 3 * MAX_PROMPT)),
        max_size=12,
    )
)
def test_a_prompt_is_kept_within_its_bound(parts: list[tuple[str, int]]) -> None:
    messages = [{"role": role, "content": "x" * size} for role, size in parts]
    kept = shown_prompt(messages)
    total = sum(size for _, size in parts)
    assert sum(len(item.text) for item in kept) <= MAX_PROMPT
    assert sum(len(item.text) + item.left_out for item in kept) == total
    assert [item.role for item in kept] == [role for role, _ in parts]
    if total <= MAX_PROMPT:
        assert not any(item.left_out for item in kept)
    else:
        assert sum(len(item.text) for item in kept) > MAX_PROMPT - len(parts)


def test_calls_of_the_model_stand_in_prompt_and_reply() -> None:
    asked = {"id": "c1", "function": {"name": "get_node", "arguments": '{"node": "Q1"}'}}
    (kept,) = shown_prompt([{"role": "assistant", "content": None, "tool_calls": [asked]}])
    assert kept.text == 'get_node({"node": "Q1"})'
    completion = Completion("So be it. " * 1_000, (RawCall("c1", "end", "{}"),))
    made = call_of(
        completion, role="update", state="S", model="m", messages=(), seconds=1.0, prices=Prices()
    )
    assert len(made.reply) == MAX_REPLY + 1
    assert made.cost is None


def test_prices_are_by_million_tokens() -> None:
    prices = Prices({"big": Price(2.0, 10.0)})
    assert prices.cost("big", TokenCount(1_000_000, 100_000)) == pytest.approx(3.0)
    assert prices.cost("small", TokenCount(1, 1)) is None


def test_nothing_was_spent_before_anything_was_asked() -> None:
    assert RunState().spending == () and RunState().tokens_by_state == {}
