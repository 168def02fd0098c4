"""The machine in motion: which states a run goes through, and what the policy is shown."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest

from robodata_core.events import (
    DecisionRejected,
    GraphChanged,
    Noticed,
    ObservationMade,
    PolicyDecided,
    RunStarted,
    StateEntered,
    UrgencyChanged,
)
from robodata_core.model import AnswerStatus, TokenCount
from robodata_core.orchestrator.budget import MAX_CALLS_PER_ROUND, MAX_ROUNDS
from robodata_core.orchestrator.machine import TRANSITIONS, State, default_next
from robodata_core.orchestrator.observer import Observation
from robodata_core.orchestrator.statistics import run_statistics
from robodata_core.policy.base import Decision, Turn, Urgency
from robodata_core.run_state import RunState
from robodata_core.tools.base import ToolCall
from tests.core.orchestrator.support import (
    ANSWER,
    EVAL,
    EXPLORE,
    JUDGE,
    LOOK,
    UPDATE,
    Desk,
    Scripted,
    StubSource,
    capital_draft,
    filled_graph,
    go,
    hand_in,
    look,
    parts_with,
    put,
    run,
    use,
)

# -- the way through the states -----------------------------------------------------------------


def test_a_run_goes_through_all_the_states() -> None:
    policy = Scripted(
        go(JUDGE),
        go(UPDATE),
        use(put()),
        go(EVAL),
        go(LOOK),
        go(EVAL),
        go(ANSWER),
        hand_in(capital_draft()),
    )
    trial = run(policy)
    assert trial.answer.status is AnswerStatus.ANSWERED
    assert trial.trace == [
        ("LOCAL_DATA_EVALUATION", False),
        ("REMOTE_GRAPH_EXPLORATION", True),
        ("REMOTE_DATA_EVALUATION", False),
        ("LOCAL_GRAPH_UPDATE", False),
        ("LOCAL_DATA_EVALUATION", False),
        ("LOCAL_GRAPH_EXPLORATION", False),
        ("LOCAL_DATA_EVALUATION", False),
        ("PRODUCE_ANSWER", False),
    ]
    assert trial.answer.statistics.turns == 7, "the visit that was passed through is no turn"
    assert (trial.answer.statistics.nodes, trial.answer.statistics.edges) == (2, 1)
    assert [claim.supported for claim in trial.answer.claims] == [True]
    (changed,) = trial.of(GraphChanged)
    assert [item.handle for item in changed.added] == ["T1"]
    assert changed.added[0].provenance[0].run_id == "run-1"
    assert changed.added[0].provenance[0].call_id == changed.call_id == "k1"


def test_an_empty_graph_leads_to_exploration_without_asking_once() -> None:
    policy = Scripted(go(EVAL), go(ANSWER))
    trial = run(policy)
    assert policy.states == [EXPLORE, EVAL, ANSWER]
    forced = [event.forced for event in trial.of(StateEntered)]
    assert forced == ["", "the local graph is empty", "", ""]
    assert trial.answer.status is AnswerStatus.UNKNOWN


def test_a_graph_from_before_is_evaluated_first() -> None:
    policy = Scripted(go(ANSWER), draft=capital_draft())
    trial = run(policy, graph=filled_graph())
    assert policy.states == [EVAL, ANSWER]
    assert trial.answer.status is AnswerStatus.ANSWERED
    assert trial.answer.statistics.edges == 0, "what stood there before was not added"
    (known,) = trial.of(GraphChanged)
    assert (known.call_id, known.nodes, known.edges) == ("", 2, 1)


def test_a_graph_over_the_budget_is_explored_once_before_answering() -> None:
    policy = Scripted()
    parts = parts_with(overflows=lambda graph, question, budget: budget == 300)
    trial = run(policy, graph=filled_graph(), parts=parts, view_tokens=300)
    assert policy.states == [LOOK, EVAL, ANSWER]
    assert "does not fit into 300 tokens" in trial.of(StateEntered)[1].forced
    trial = run(Scripted(), graph=filled_graph(), parts=parts, view_tokens=400)
    assert [state for state, _ in trial.trace] == ["LOCAL_DATA_EVALUATION", "PRODUCE_ANSWER"]


@pytest.mark.parametrize(
    ("triples", "explored"), [(3, False), (30, False), (90, True), (150, True)]
)
def test_the_budget_is_that_of_the_view(triples: int, explored: bool) -> None:
    puts = [put(f"Q{number}") for number in range(100, 100 + triples)]
    rounds = [use(*puts[start : start + 30]) for start in range(0, triples, 30)]
    policy = Scripted(go(JUDGE), go(UPDATE), *rounds, go(EVAL), go(EVAL))
    trial = run(policy, view_tokens=200)
    assert trial.graph.edge_count == triples
    assert (LOOK in policy.states) == explored


# -- choices ------------------------------------------------------------------------------------


@pytest.mark.parametrize("state", [EVAL, LOOK, EXPLORE, JUDGE, UPDATE])
@pytest.mark.parametrize("choice", [None, "nowhere", "illegal"])
def test_no_legal_choice_is_asked_for_again_and_then_defaulted(state: State, choice: Any) -> None:
    if choice == "illegal":
        choice = next(other for other in TRANSITIONS if other not in TRANSITIONS[state])
    way = {EVAL: [], LOOK: [go(LOOK)], EXPLORE: [go(EXPLORE)]}
    way |= {JUDGE: [go(EXPLORE), go(JUDGE)], UPDATE: [go(EXPLORE), go(JUDGE), go(UPDATE)]}
    before = len(way[state])
    policy = Scripted(*way[state], *[go(choice)] * 3)
    trial = run(policy, graph=filled_graph())
    asked = policy.turns[before : before + 3]
    assert [turn.state for turn in asked] == [state] * 3
    assert asked[0].rejection == ""
    for turn in asked[1:]:
        assert all(legal.value in turn.rejection for legal in TRANSITIONS[state])
    assert policy.turns[before + 3].state is default_next(state)
    rejected = trial.of(DecisionRejected)
    assert [event.default for event in rejected] == ["", "", default_next(state).value]
    entered = [event for event in trial.of(StateEntered) if event.turn == before + 2]
    assert entered[0].forced == "no legal choice was made, so the default applies"


def test_a_state_may_be_chosen_by_its_name() -> None:
    policy = Scripted(go("REMOTE_DATA_EVALUATION"))  # type: ignore[arg-type]
    trial = run(policy)
    assert policy.states[1] is JUDGE
    assert not trial.of(DecisionRejected)


def test_results_are_seen_before_the_next_state_is_chosen() -> None:
    policy = Scripted(
        use(look("a")),
        use(look("b")),
        lambda turn: go(JUDGE, reason=", ".join(r.output.text for r in turn.results)),
    )
    trial = run(policy)
    assert policy.states[:4] == [EXPLORE, EXPLORE, EXPLORE, JUDGE]
    assert [event.reason for event in trial.of(PolicyDecided)][2] == "saw a, saw b"
    assert policy.turns[3].results == (), "another turn begins without results"
    record = policy.turns[3].memory.turns[0]
    assert [result.output.text for result in record.results] == ["saw a", "saw b"]
    assert (record.number, record.state, record.next_state) == (1, EXPLORE, JUDGE)


def test_a_choice_beside_calls_holds_where_all_of_them_succeed() -> None:
    policy = Scripted(
        use(look("a"), ToolCall("fail", {}), next_state=JUDGE),  # a failure has to be seen first
        use(look("b"), next_state=JUDGE),
        go(EVAL),
    )
    trial = run(policy)
    assert policy.states[:4] == [EXPLORE, EXPLORE, JUDGE, EVAL]
    assert [turn.next_state for turn in trial.state.timeline][1:3] == [JUDGE, EVAL]
    assert [result.ok for result in policy.turns[2].memory.turns[0].results] == [True, False, True]


def test_an_illegal_choice_beside_calls_is_refused_after_them() -> None:
    policy = Scripted(use(look("a"), next_state=UPDATE), go(JUDGE))
    trial = run(policy)
    assert policy.states[:3] == [EXPLORE, EXPLORE, JUDGE]
    assert "cannot follow" in policy.turns[1].rejection
    assert len(trial.of(DecisionRejected)) == 1


def test_a_draft_may_come_with_the_choice_to_answer() -> None:
    policy = Scripted(Decision(next_state=ANSWER, draft=capital_draft()))
    trial = run(policy, graph=filled_graph())
    assert policy.states == [EVAL], "it is not asked for again"
    assert trial.answer.status.value == "answered"
    assert trial.answer.trace[-1] == ANSWER.value


def test_rounds_of_calls_are_bounded() -> None:
    desk = Desk()
    policy = Scripted(*[use(look(str(index))) for index in range(MAX_ROUNDS + 3)])
    trial = run(policy, desk=desk)
    assert len(desk.begun) == MAX_ROUNDS
    assert policy.states[: MAX_ROUNDS + 4] == [EXPLORE] * (MAX_ROUNDS + 3) + [JUDGE]
    assert f"No more than {MAX_ROUNDS} rounds" in policy.turns[MAX_ROUNDS + 1].rejection
    assert "REMOTE_DATA_EVALUATION" in policy.turns[MAX_ROUNDS + 1].rejection
    assert trial.of(DecisionRejected)[-1].default == "REMOTE_DATA_EVALUATION"


def test_a_thousand_calls_at_once_are_refused_but_for_the_first() -> None:
    desk = Desk()
    policy = Scripted(use(*[look(str(index)) for index in range(1_000)]))
    trial = run(policy, desk=desk)
    assert len(desk.begun) == MAX_CALLS_PER_ROUND
    results = policy.turns[1].results
    assert len(results) == 1_000
    assert [result.ok for result in results].count(True) == MAX_CALLS_PER_ROUND
    assert f"at most {MAX_CALLS_PER_ROUND} calls" in results[-1].output.text
    assert trial.answer.statistics.tool_calls == MAX_CALLS_PER_ROUND
    assert "968 calls" in trial.of(Noticed)[0].text
    assert len(trial.of(PolicyDecided)[0].calls) == MAX_CALLS_PER_ROUND


# -- turns --------------------------------------------------------------------------------------


@pytest.mark.parametrize("max_turns", [1, 2, 3, 7])
def test_the_last_turn_answers(max_turns: int) -> None:
    policy = Scripted(*[go(EXPLORE)] * (max_turns - 1), draft=capital_draft())
    trial = run(policy, graph=None, max_turns=max_turns)
    assert policy.turns[-1].state is ANSWER
    assert policy.turns[-1].number == max_turns and policy.turns[-1].urgency is Urgency.FINAL
    assert trial.answer.statistics.turns == max_turns
    assert "limit of" in trial.of(StateEntered)[-1].forced
    assert trial.trace[0] == ("LOCAL_DATA_EVALUATION", False)


def test_urgency_rises_and_watchers_are_told() -> None:
    policy = Scripted(*[go(EXPLORE)] * 9)
    trial = run(policy, max_turns=10)
    levels = [turn.urgency.value for turn in policy.turns]
    assert levels == ["none"] * 4 + ["low"] * 3 + ["high"] * 2 + ["final"]
    assert [(event.turn, event.urgency) for event in trial.of(UrgencyChanged)] == [
        (5, "low"),
        (8, "high"),
        (10, "final"),
    ]


@pytest.mark.parametrize("kept", [True, False])
def test_reflections_are_kept_if_wanted(kept: bool) -> None:
    policy = Scripted(go(EXPLORE, reflection="look north"), go(JUDGE))
    trial = run(policy, self_reflection=kept)
    assert policy.turns[1].memory.turns[0].reflection == ("look north" if kept else "")
    assert trial.of(PolicyDecided)[0].reflection == "look north"


# -- the answer ---------------------------------------------------------------------------------


def test_a_claim_that_does_not_hold_goes_back_once_and_is_repaired() -> None:
    policy = Scripted(go(ANSWER), hand_in(capital_draft("T9")), hand_in(capital_draft("T1")))
    trial = run(policy, graph=filled_graph())
    assert trial.answer.status is AnswerStatus.ANSWERED
    assert policy.states == [EVAL, ANSWER, ANSWER]
    assert "T9" in policy.turns[2].problems[0]
    assert "T9" in trial.of(DecisionRejected)[0].problem


def test_what_still_does_not_hold_is_said_and_not_claimed() -> None:
    wrong = capital_draft("T9")
    policy = Scripted(go(ANSWER), hand_in(wrong), hand_in(wrong))
    trial = run(policy, graph=filled_graph())
    assert len(policy.turns) == 3
    assert trial.answer.status is AnswerStatus.UNKNOWN
    assert not trial.answer.claims and "T9 is not in the local graph." in trial.answer.missing


def test_one_wrong_claim_among_right_ones_makes_it_partial() -> None:
    right, wrong = capital_draft(), capital_draft("T9")
    both = right.__class__(AnswerStatus.ANSWERED, parts=(*right.parts, *wrong.parts))
    trial = run(Scripted(go(ANSWER), draft=both), graph=filled_graph())
    assert trial.answer.status is AnswerStatus.PARTIAL
    assert [claim.supported for claim in trial.answer.claims] == [True]
    assert "T9 is not in the local graph." in trial.answer.missing


def test_no_answer_is_asked_for_again_and_then_unknown() -> None:
    policy = Scripted(go(ANSWER), go(None), go(EVAL), use(look("x")), go(None))
    trial = run(policy, graph=filled_graph())
    assert policy.states == [EVAL] + [ANSWER] * 4
    assert "Hand in the answer" in policy.turns[2].rejection
    assert trial.answer.status is AnswerStatus.UNKNOWN
    assert trial.answer.missing == ("No answer was handed in.",)
    assert trial.of(DecisionRejected)[-1].default


def test_without_a_repaired_answer_the_first_one_stands() -> None:
    right, wrong = capital_draft(), capital_draft("T9")
    both = right.__class__(AnswerStatus.ANSWERED, parts=(*right.parts, *wrong.parts))
    policy = Scripted(go(ANSWER), hand_in(both), go(None), go(None), go(None))
    trial = run(policy, graph=filled_graph())
    assert len(policy.turns) == 5
    assert trial.answer.status is AnswerStatus.PARTIAL


# -- what is counted and told -------------------------------------------------------------------


def test_statistics_come_from_the_events() -> None:
    policy = Scripted(
        use(look("a"), ToolCall("fail", {}), tokens=TokenCount(100, 10)),
        use(look("a"), ToolCall("no_such_tool", {})),
        go(JUDGE, tokens=TokenCount(50, 5)),
    )
    trial = run(policy)
    statistics = trial.answer.statistics
    assert statistics.tool_calls == 4
    assert statistics.failed_calls == 2
    assert statistics.repeated_calls == 1
    assert dict(statistics.calls_by_tool) == {"look": 2, "fail": 1, "no_such_tool": 1}
    assert statistics.tokens == TokenCount(150, 15)
    again = run_statistics(trial.state)
    assert (again.turns, again.tool_calls, again.tokens) == (
        statistics.turns,
        statistics.tool_calls,
        statistics.tokens,
    )
    assert set(statistics.seconds_by_state) == set(trial.answer.trace)


def test_the_start_tells_the_settings_without_credentials() -> None:
    source = StubSource()
    source.name = "sparql:https://me:hunter2@example.org/q?key=abc"
    trial = run(
        Scripted(),
        source=source,
        base_url="https://user:hunter2@models.example.org/v1?token=abc#x",
        max_turns=9,
    )
    (started,) = trial.of(RunStarted)
    assert started.source == "sparql:https://example.org/q"
    assert started.settings["base_url"] == "https://models.example.org/v1"
    assert started.settings["max_turns"] == 9
    assert "hunter2" not in json.dumps(dict(started.settings)) and "abc" not in str(started)


# -- the hook for metacognition -----------------------------------------------------------------


def test_an_observer_is_heard_at_evaluations() -> None:
    seen: list[tuple[State, int]] = []

    def observer(turn: Turn, state: RunState) -> Observation | None:
        seen.append((turn.state, len(state.timeline)))
        if turn.state is EVAL:
            return None
        return Observation("direct", "go upwards", ("2 calls",), tokens=TokenCount(7, 1))

    policy = Scripted(go(JUDGE), go(EVAL), go(ANSWER))
    trial = run(policy, observer=observer)
    assert seen == [(JUDGE, 3), (EVAL, 4)], "not where nobody is asked"
    assert [turn.observation for turn in policy.turns] == ["", *["go upwards"] * 3]
    (made,) = trial.of(ObservationMade)
    assert (made.strategy, made.signals) == ("direct", ("2 calls",))
    assert trial.answer.statistics.tokens == TokenCount(7, 1)


def test_a_failing_observer_ends_nothing(caplog: pytest.LogCaptureFixture) -> None:
    def observer(turn: Turn, state: RunState) -> Observation | None:
        raise ValueError("oops")

    with caplog.at_level(logging.CRITICAL, "robodata"):
        trial = run(Scripted(go(JUDGE)), observer=observer)
    assert trial.answer.status is AnswerStatus.UNKNOWN
    assert "Metacognition failed" in trial.of(Noticed)[0].text
    assert "oops" not in trial.of(Noticed)[0].text


def test_the_policy_is_shown_the_question_and_the_limits() -> None:
    policy = Scripted()
    run(policy, max_turns=12, language="de")
    first = policy.turns[0]
    assert (first.question, first.language) == ("What is the capital of Canada?", "de")
    assert (first.number, first.max_turns, first.legal) == (1, 12, TRANSITIONS[EXPLORE])
    assert "look" in first.toolbox and first.cancel is not None
