"""Whatever a policy does, a run ends: within its turns, in an answer, with a clean stream."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robodata_core import journal
from robodata_core.events import RunEvent
from robodata_core.model import AnswerStatus, TruthKind
from robodata_core.orchestrator.budget import MAX_CALLS_PER_ROUND, MAX_REJECTIONS, MAX_ROUNDS
from robodata_core.orchestrator.machine import State
from robodata_core.policy.base import AnswerDraft, AnswerPart, Decision, Turn
from robodata_core.run_state import fold
from robodata_core.tools.base import ToolCall
from tests.core.orchestrator.support import ANSWER, Scripted, filled_graph, run


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


_texts = st.sampled_from(["Q1", "Q1930", "Q30", "$x", "", "bug", "\x1b[2J"])
_tools = st.sampled_from(
    ["look", "peek", "put", "half_put", "drop", "keep", "fail", "unheard", "", "end"]
)
_calls = st.builds(
    ToolCall, _tools, st.fixed_dictionaries({}, optional={"text": _texts, "odd": st.integers()})
)
_parts = st.builds(
    AnswerPart,
    handles=st.lists(st.sampled_from(["T1", "T2", "T99", ""]), max_size=2).map(tuple),
    sparql=st.sampled_from(["", "", "ASK { wd:Q16 wdt:P36 wd:Q1930 }", "no query", "DROP ALL"]),
    chain=st.booleans(),
)
_drafts = st.builds(
    AnswerDraft, st.sampled_from(AnswerStatus), parts=st.lists(_parts, max_size=3).map(tuple)
)
_states = st.none() | st.sampled_from(State) | st.just("nowhere")
_decisions = st.builds(
    Decision,
    calls=st.lists(_calls, max_size=3).map(tuple),
    next_state=_states,
    draft=st.none() | _drafts,
    reflection=st.text(max_size=5),
)
_scripts = st.lists(_decisions, max_size=40)


@given(_scripts, st.integers(1, 12), st.booleans())
def test_every_script_ends_in_an_answer(
    script: list[Decision], max_turns: int, filled: bool
) -> None:
    policy = Scripted(*script)
    graph = filled_graph() if filled else None
    trial = run(policy, graph=graph, max_turns=max_turns, concurrency=2)
    assert trial.answer.trace[-1] == ANSWER.value
    assert trial.answer.statistics.turns <= max_turns
    assert trial.answer.status is not AnswerStatus.FAILED or any(
        decision.draft and decision.draft.status is AnswerStatus.FAILED for decision in script
    )
    for claim in trial.answer.claims:
        if claim.kind is TruthKind.ABSENT:  # it rests on look-ups that found nothing
            assert trial.answer.absences
        else:
            assert claim.supported == bool(claim.support)
    _check_turns(policy, max_turns)


def _check_turns(policy: Scripted, max_turns: int) -> None:
    """The policy was never asked more often than the bounds allow, and in order."""
    most = 2 * (MAX_ROUNDS + MAX_REJECTIONS + 1)
    numbers = [turn.number for turn in policy.turns]
    assert numbers == sorted(numbers) and numbers[-1] <= max_turns
    assert all(numbers.count(number) <= most for number in set(numbers))


@given(st.lists(_calls, max_size=80))
def test_a_policy_that_never_chooses_ends_too(calls: list[ToolCall]) -> None:
    class Never:
        name = "never"

        def decide(self, turn: Turn) -> Decision:
            return Decision(calls=tuple(calls))

    trial = run(Never(), max_turns=3)
    assert trial.answer.status is AnswerStatus.UNKNOWN
    most = 3 * MAX_ROUNDS * MAX_CALLS_PER_ROUND
    assert trial.answer.statistics.tool_calls <= most


@given(_scripts)
def test_a_journal_tells_the_whole_run(
    tmp_path_factory: pytest.TempPathFactory, script: list[Decision]
) -> None:
    path = tmp_path_factory.mktemp("journal") / "run.jsonl"
    with journal.write(path) as sink:
        trial = run(Scripted(*script), sink=sink, max_turns=8, concurrency=1)
    read: list[RunEvent] = list(journal.read(path))
    assert read == trial.events
    assert fold(read) == trial.state


@given(_scripts)
def test_the_same_script_gives_the_same_run(script: list[Decision]) -> None:
    def once() -> list[Any]:
        # One read at a time: which of two returns first is left to the machine.
        return run(Scripted(*script), max_turns=6, concurrency=1).events

    first, second = once(), once()
    assert [_timeless(event) for event in first] == [_timeless(event) for event in second]


def _timeless(event: RunEvent) -> str:
    import re

    return re.sub(r"seconds=[0-9.e-]+", "", repr(event))


def test_paths_of_journals_are_paths(tmp_path: Path) -> None:
    with journal.write(str(tmp_path / "run.jsonl")) as sink:
        run(Scripted(), sink=sink)
    assert fold(journal.read(str(tmp_path / "run.jsonl"))).ended
