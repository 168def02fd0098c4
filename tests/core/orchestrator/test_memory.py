"""What a run remembers, and how much room that takes in a prompt."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from robodata_core.orchestrator.machine import State
from robodata_core.orchestrator.memory import Memory, TurnRecord
from robodata_core.tools.base import ToolCall, ToolOutput, ToolResult
from tests.core.orchestrator.support import EVAL, EXPLORE, JUDGE


def _result(tool: str, text: str = "fine", *, ok: bool = True, **arguments: object) -> ToolResult:
    return ToolResult(ToolCall(tool, arguments), ToolOutput(text), ok=ok)


def _turn(number: int, *results: ToolResult, reflection: str = "") -> TurnRecord:
    return TurnRecord(number, EXPLORE, results, reflection, JUDGE)


def test_turns_and_results_are_kept_in_order() -> None:
    memory = Memory()
    memory.add(_turn(1, _result("a", x=1), _result("b")))
    memory.add(_turn(2, _result("a", x=2)))
    assert [turn.number for turn in memory.turns] == [1, 2]
    assert [result.call.tool for result in memory.results()] == ["a", "b", "a"]
    assert [result.call.arguments for result in memory.results("a")] == [{"x": 1}, {"x": 2}]


def test_a_result_holds_for_the_graph_it_was_read_from() -> None:
    memory = Memory()
    local, remote, failed = _result("local"), _result("remote"), _result("failed", ok=False)
    memory.note(local, reusable=True, version=3)
    memory.note(remote, reusable=True)
    memory.note(failed, reusable=False)
    assert memory.reuse(local.call, 3) is local
    assert memory.reuse(local.call, 4) is None
    assert memory.reuse(remote.call, 99) is remote
    assert memory.reuse(failed.call, 3) is None


def test_arguments_may_come_in_any_order_and_kind() -> None:
    memory = Memory()
    kept = ToolResult(ToolCall("t", {"a": 1, "b": ("x",)}), ToolOutput(""))
    memory.note(kept, reusable=True)
    assert memory.reuse(ToolCall("t", {"b": ["x"], "a": 1}, id="k9"), 0) is kept
    assert memory.reuse(ToolCall("t", {"b": ["x"], "a": True}), 0) is None


def test_a_short_memory_reads_in_full() -> None:
    memory = Memory()
    memory.add(TurnRecord(1, EVAL, (), "", EXPLORE))
    results = (_result("look", "saw\nit", name="Can\x1b[31mada"), _result("count", ok=False, n=[1]))
    memory.add(_turn(2, *results, reflection="go north"))
    assert memory.render(2_000).splitlines() == [
        "Turn 1: LOCAL_DATA_EVALUATION -> REMOTE_GRAPH_EXPLORATION",
        "Turn 2: REMOTE_GRAPH_EXPLORATION -> REMOTE_DATA_EVALUATION",
        '  look(name="Can\\u001b[31mada") [ok] saw | it',
        "  count(n=[1]) [failed] fine",
        "  reflection: go north",
    ]


def test_older_turns_are_summed_up() -> None:
    memory = Memory()
    for number in range(1, 6):
        memory.add(_turn(number, _result("look", "x" * 100), _result("count", ok=False)))
    text = memory.render(600)
    assert text.splitlines()[0] == (
        "Turns 1 to 3, in short: states REMOTE_GRAPH_EXPLORATION x3; calls look x3, count x3;"
        " 3 failed, 0 repeated."
    )
    assert text.splitlines()[1].startswith("Turn 4:")
    assert Memory().render(100) == ""


@given(
    st.lists(
        st.tuples(
            st.sampled_from(State),
            st.lists(st.text(max_size=300), max_size=3),
            st.text(max_size=300),
        ),
        max_size=12,
    ),
    st.integers(0, 2_000),
)
def test_the_bound_holds(turns: list[tuple[State, list[str], str]], bound: int) -> None:
    memory = Memory()
    for number, (state, texts, reflection) in enumerate(turns, 1):
        results = tuple(_result("look", text, name=text) for text in texts)
        memory.add(TurnRecord(number, state, results, reflection, None))
    text = memory.render(bound)
    assert len(text) <= bound
    if turns and bound >= 1_500:
        assert f"Turn {len(turns)}" in text or f"to {len(turns)}" in text
