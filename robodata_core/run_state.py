"""A run as seen so far: one frozen value, folded from its events by one pure function.

``apply`` is the only reducer: terminal UI, ROS feedback, reports, statistics and replay all
read what it makes. It never looks at a clock, a store or a policy, and it takes any sequence of
events, also one that a journal lost its end of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from robodata_core._run_views import (
    CallView,
    EvidenceMap,
    RequestView,
    RunState,
    ToolUse,
    TurnView,
    VisitCount,
)
from robodata_core.events import (
    AnswerReady,
    ClaimValidated,
    DecisionRejected,
    GraphChanged,
    ModelCall,
    Noticed,
    ObservationMade,
    PolicyDecided,
    QuestionUnderstood,
    ReadingsRanked,
    RequestTold,
    RunEnded,
    RunEvent,
    RunStarted,
    StateEntered,
    ToolCalled,
    ToolReturned,
    UrgencyChanged,
)
from robodata_core.model import Spending, TokenCount
from robodata_core.text import estimate_tokens

__all__ = [
    "CallView",
    "EvidenceMap",
    "RequestView",
    "RunState",
    "ToolUse",
    "TurnView",
    "VisitCount",
    "add_spending",
    "apply",
    "fold",
    "spending_of",
]

_MOST_NOTICES: Final = 200
_MOST_REQUESTS: Final = 500


def fold(events: Iterable[RunEvent]) -> RunState:
    """Apply ``events`` one after the other to an empty state."""
    state = RunState()
    for event in events:
        state = apply(state, event)
    return state


def apply(state: RunState, event: RunEvent) -> RunState:
    """Return what is known after ``event``; one that was applied before changes nothing.

    The start of another run (questions taken apart have several) begins anew.
    """
    if isinstance(event, RunStarted) and event.header.run_id != state.run_id:
        state = RunState()
    if event.header.seq <= state.seq:
        return state
    return _REDUCERS[type(event)](state, event)


def _after(state: RunState, event: RunEvent, **changes: Any) -> RunState:
    """Return what is known after an event that changes some fields, all in one go."""
    return replace(state, seq=event.header.seq, time=event.header.time, **changes)


def _run_started(state: RunState, event: RunStarted) -> RunState:
    return _after(
        state,
        event,
        run_id=event.header.run_id,
        question=event.question,
        policy=event.policy,
        source=event.source,
        max_turns=event.max_turns,
        settings=event.settings,
        started=event.header.time,
        status="running",
    )


def _question_understood(state: RunState, event: QuestionUnderstood) -> RunState:
    calls = event.rewriting.model_calls
    spending = add_spending((*state.spending, *map(spending_of, calls)))
    tokens = sum((call.tokens for call in calls), state.tokens)
    return _after(state, event, rewriting=event.rewriting, tokens=tokens, spending=spending)


def _state_entered(state: RunState, event: StateEntered) -> RunState:
    state = _leave(state, event.header.time)
    left = state.turn
    if left is not None and left.decided and not left.next_state and not event.forced:
        # A choice beside calls holds once they succeeded: where it led is told by going there.
        state = replace(state, turn=replace(left, next_state=event.state))
    seen = state.visits.get(event.state, VisitCount())
    return _after(
        state,
        event,
        past=state.timeline,
        turn=TurnView(
            number=event.turn,
            state=event.state,
            started=event.header.time,
            urgency=event.urgency,
            forced=event.forced,
        ),
        visits={**state.visits, event.state: replace(seen, visits=seen.visits + 1)},
        urgency=event.urgency,
    )


def _leave(state: RunState, time: datetime) -> RunState:
    """Write down how long the current visit took."""
    turn = state.turn
    if turn is None:
        return state
    seconds = max(0.0, (time - turn.started).total_seconds())
    seen = state.visits[turn.state]
    return replace(
        state,
        turn=replace(turn, seconds=seconds),
        visits={**state.visits, turn.state: replace(seen, seconds=seen.seconds + seconds)},
    )


def add_spending(rows: Iterable[Spending]) -> tuple[Spending, ...]:
    """Add up the rows that agree in role, state and model; the order of the first ones stays."""
    found: dict[tuple[str, str, str], Spending] = {}
    for row in rows:
        key = (row.role, row.state, row.model)
        before = found.get(key)
        found[key] = row if before is None else _sum(before, row)
    return tuple(found.values())


def _sum(one: Spending, other: Spending) -> Spending:
    cost = other.cost if one.cost is None else one.cost + (other.cost or 0.0)
    return replace(
        one,
        calls=one.calls + other.calls,
        uncounted=one.uncounted + other.uncounted,
        tokens=one.tokens + other.tokens,
        cost=cost,
    )


def spending_of(call: ModelCall) -> Spending:
    """Return one call as a line of the ledger."""
    uncounted = int(call.estimated or call.tokens == TokenCount())
    return Spending(call.role, call.state, call.model, 1, uncounted, call.tokens, call.cost)


def _policy_decided(state: RunState, event: PolicyDecided) -> RunState:
    spending = add_spending((*state.spending, *map(spending_of, event.model_calls)))
    told: dict[str, Any] = {"tokens": state.tokens + event.tokens, "spending": spending}
    turn = state.turn
    if turn is None:
        return _after(state, event, **told)
    first = turn.decided == 0
    turn = replace(
        turn,
        decided=turn.decided + 1,
        next_state=event.next_state,
        reflection=event.reflection or turn.reflection,
        reason=event.reason or turn.reason,
        thinking=turn.thinking + event.seconds,
        tokens=turn.tokens + event.tokens,
        model_calls=turn.model_calls + event.model_calls,
    )
    return _after(state, event, turn=turn, turns=state.turns + first, **told)


def _decision_rejected(state: RunState, event: DecisionRejected) -> RunState:
    if state.turn is None:
        return _after(state, event)
    text = event.problem
    if event.default:
        text = f"{text} {event.default} applies."
    turn = replace(state.turn, rejections=(*state.turn.rejections, text), next_state="")
    return _after(state, event, turn=turn)


def _tool_called(state: RunState, event: ToolCalled) -> RunState:
    counts = {**state.calls_by_tool, event.tool: state.calls_by_tool.get(event.tool, 0) + 1}
    turn = state.turn
    if turn is not None:
        call = CallView(event.call_id, event.tool, event.arguments, event.header.time)
        turn = replace(turn, calls=(*turn.calls, call))
    return _after(state, event, turn=turn, tool_calls=state.tool_calls + 1, calls_by_tool=counts)


def _tool_returned(state: RunState, event: ToolReturned) -> RunState:
    used = state.tools.get(event.tool, ToolUse())
    used = ToolUse(
        used.calls + 1,
        used.failed + (not event.ok),
        used.seconds + event.seconds,
        used.tokens + estimate_tokens(event.text),
    )
    return _after(
        state,
        event,
        turn=_with_result(state.turn, event) if state.turn is not None else None,
        tools={**state.tools, event.tool: used},
        failed_calls=state.failed_calls + (not event.ok),
        repeated_calls=state.repeated_calls + event.repeated,
    )


def _with_result(turn: TurnView, event: ToolReturned) -> TurnView:
    """Return a visit with what one of its calls gave."""
    calls = turn.calls
    # From the end: what returns is among the last that began.
    index = next((i for i in reversed(range(len(calls))) if calls[i].id == event.call_id), None)
    if index is None:
        return turn
    call = replace(
        calls[index],
        ok=event.ok,
        text=event.text,
        total=event.total,
        shown=event.shown,
        repeated=event.repeated,
        seconds=event.seconds,
    )
    return replace(turn, calls=(*calls[:index], call, *calls[index + 1 :]))


def _request_told(state: RunState, event: RequestTold) -> RunState:
    told: dict[str, Any] = {
        "phase": event.phase,
        "attempt": event.attempt,
        "wait": event.wait,
        "text": event.text,
    }
    items = state.requests
    # From the end: what ends is among the last that began.
    index = next((i for i in reversed(range(len(items))) if items[i].id == event.request), None)
    if index is None:
        number = state.turn.number if state.turn is not None else 0
        made = RequestView(event.request, event.target, event.what, event.header.time, number)
        return _after(state, event, requests=(*items, replace(made, **told))[-_MOST_REQUESTS:])
    item = replace(items[index], **told)
    if not item.goes_on:
        item = replace(item, seconds=max(0.0, (event.header.time - item.started).total_seconds()))
    return _after(state, event, requests=(*items[:index], item, *items[index + 1 :]))


def _graph_changed(state: RunState, event: GraphChanged) -> RunState:
    own = bool(event.call_id)  # without a call: what stood there before the run
    turn = state.turn
    if turn is not None:
        handles = tuple(item.handle for item in event.added)
        turn = replace(turn, added=turn.added + handles, removed=turn.removed + event.removed)
    return _after(
        state,
        event,
        turn=turn,
        graph=state.graph.changed(event.added, event.removed),
        nodes=event.nodes,
        edges=event.edges,
        nodes_added=state.nodes_added + (max(0, event.nodes - state.nodes) if own else 0),
        edges_added=state.edges_added + (max(0, event.edges - state.edges) if own else 0),
    )


def _observation_made(state: RunState, event: ObservationMade) -> RunState:
    turn = replace(state.turn, observation=event) if state.turn else None
    spending = add_spending((*state.spending, *map(spending_of, event.model_calls)))
    tokens = state.tokens + event.tokens
    return _after(state, event, turn=turn, tokens=tokens, spending=spending)


def _claim_validated(state: RunState, event: ClaimValidated) -> RunState:
    # A repaired draft is validated again: the later verdict on a claim counts.
    kept = tuple(claim for claim in state.claims if claim.id != event.claim.id)
    return _after(state, event, claims=(*kept, event.claim))


def _noticed(state: RunState, event: Noticed) -> RunState:
    return _after(state, event, notices=(*state.notices, event)[-_MOST_NOTICES:])


def _run_ended(state: RunState, event: RunEnded) -> RunState:
    state = _leave(state, event.header.time)
    return _after(state, event, status=event.status, error=event.error, seconds=event.seconds)


_REDUCERS: Final[Mapping[type, Callable[[RunState, Any], RunState]]] = {
    RunStarted: _run_started,
    QuestionUnderstood: _question_understood,
    StateEntered: _state_entered,
    PolicyDecided: _policy_decided,
    DecisionRejected: _decision_rejected,
    ToolCalled: _tool_called,
    ToolReturned: _tool_returned,
    RequestTold: _request_told,
    ReadingsRanked: lambda state, event: _after(state, event, readings=event.readings),
    GraphChanged: _graph_changed,
    UrgencyChanged: lambda state, event: _after(state, event, urgency=event.urgency),
    ObservationMade: _observation_made,
    ClaimValidated: _claim_validated,
    AnswerReady: lambda state, event: _after(
        state, event, answer=event.answer, claims=event.answer.claims
    ),
    Noticed: _noticed,
    RunEnded: _run_ended,
}
