"""A run as seen so far: one frozen value, folded from its events by one pure function.

``apply`` is the only reducer: terminal UI, ROS feedback, reports, statistics and replay all
read what it makes. It never looks at a clock, a store or a policy, and it takes any sequence of
events, also one that a journal lost its end of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final

from robodata_core._evidence_map import EvidenceMap
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
    Rewriting,
    RunEnded,
    RunEvent,
    RunStarted,
    StateEntered,
    ToolCalled,
    ToolReturned,
    UrgencyChanged,
)
from robodata_core.model import Answer, Claim, Spending, TokenCount
from robodata_core.text import estimate_tokens

__all__ = [
    "CallView",
    "EvidenceMap",
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


@dataclass(frozen=True, slots=True)
class CallView:
    """One tool call of a turn; ``ok`` is None while it runs."""

    id: str
    tool: str
    arguments: Mapping[str, Any]
    started: datetime
    ok: bool | None = None
    text: str = ""
    total: int | None = None
    shown: int | None = None
    repeated: bool = False
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class TurnView:
    """One visit of a state.

    Attributes:
        number: Turn number. A visit nobody was asked in shares it with the one after.
        state: The state's name.
        started: When it was entered.
        urgency: How few turns were left.
        forced: Why it was entered if nobody chose it.
        seconds: How long it took; 0 while it lasts.
        decided: How often the policy was asked and answered.
        calls: Tool calls in the order they began.
        next_state: What the policy chose, or empty.
        reflection: The last reflection of the turn.
        reason: The policy's last phrase for watchers.
        thinking: Seconds spent in the policy.
        tokens: What the policy's decisions cost.
        model_calls: What the policy asked a language model, with prompts and replies.
        rejections: Why decisions were refused; the default that applied stands in them too.
        added: Handles of triples that came into the local graph.
        removed: Handles that left it.
        observation: What metacognition said, if it did.
    """

    number: int
    state: str
    started: datetime
    urgency: str = ""
    forced: str = ""
    seconds: float = 0.0
    decided: int = 0
    calls: tuple[CallView, ...] = ()
    next_state: str = ""
    reflection: str = ""
    reason: str = ""
    thinking: float = 0.0
    tokens: TokenCount = TokenCount()
    model_calls: tuple[ModelCall, ...] = ()
    rejections: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    observation: ObservationMade | None = None


@dataclass(frozen=True, slots=True)
class VisitCount:
    """How often a state was visited and how long in all (the current visit not counted)."""

    visits: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class ToolUse:
    """What one tool took (calls that have returned).

    Attributes:
        calls: Calls that returned.
        failed: Those that ended in an error.
        seconds: Their time, each call's own: calls that ran together count in full.
        tokens: What their results take in a prompt, estimated; a model reads them at least once.
    """

    calls: int = 0
    failed: int = 0
    seconds: float = 0.0
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class RunState:
    """Everything a watcher needs to show a run.

    Attributes:
        run_id: Id of the run; empty before it starts.
        seq: Number of the last event.
        question: What was asked.
        rewriting: How a conversation understood it.
        policy: Who decides.
        source: Where knowledge comes from.
        max_turns: The turn limit.
        settings: The settings that shape the run.
        started: When it started.
        time: When the last event happened.
        status: ``""`` before the run, ``running``, then the answer's status.
        error: The sentence a failed run ended with.
        past: Visits that are over, oldest first.
        turn: The visit that lasts, or the last one.
        visits: Visits by state.
        urgency: How few turns are left.
        graph: Triples that this run brought into the local graph, by handle.
        nodes: Nodes in the local graph.
        edges: Triples in the local graph, those from before the run included.
        nodes_added: Nodes this run added.
        edges_added: Triples this run added.
        claims: Claims checked so far.
        answer: The answer, once it stands.
        tokens: Sum over all model calls.
        spending: The same by role, state and model, with costs, in the order first met.
        turns: Turns in which the policy was asked.
        tool_calls: Tool calls that began.
        failed_calls: Those that ended in an error.
        repeated_calls: Those answered from memory.
        calls_by_tool: Number of calls by tool.
        tools: Time and size of results by tool.
        notices: The latest notices.
        seconds: How long the run took in all; 0 while it lasts.
    """

    run_id: str = ""
    seq: int = 0
    question: str = ""
    rewriting: Rewriting | None = None
    policy: str = ""
    source: str = ""
    max_turns: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict)
    started: datetime | None = None
    time: datetime | None = None
    status: str = ""
    error: str = ""
    past: tuple[TurnView, ...] = ()
    turn: TurnView | None = None
    visits: Mapping[str, VisitCount] = field(default_factory=dict)
    urgency: str = ""
    graph: EvidenceMap = field(default_factory=EvidenceMap)
    nodes: int = 0
    edges: int = 0
    nodes_added: int = 0
    edges_added: int = 0
    claims: tuple[Claim, ...] = ()
    answer: Answer | None = None
    tokens: TokenCount = TokenCount()
    spending: tuple[Spending, ...] = ()
    turns: int = 0
    tool_calls: int = 0
    failed_calls: int = 0
    repeated_calls: int = 0
    calls_by_tool: Mapping[str, int] = field(default_factory=dict)
    tools: Mapping[str, ToolUse] = field(default_factory=dict)
    notices: tuple[Noticed, ...] = ()
    seconds: float = 0.0

    @property
    def understood_as(self) -> str:
        """What was asked in place of the question, where a conversation made it stand alone."""
        return self.rewriting.understood_as if self.rewriting else ""

    @property
    def running(self) -> bool:
        """Whether the run has started and not ended."""
        return self.status == "running"

    @property
    def ended(self) -> bool:
        """Whether the last event of the run was seen."""
        return self.status not in ("", "running")

    @property
    def state(self) -> str:
        """Name of the current (or last) state."""
        return self.turn.state if self.turn else ""

    @property
    def timeline(self) -> tuple[TurnView, ...]:
        """All visits, oldest first, the current one included."""
        return (*self.past, self.turn) if self.turn else self.past

    @property
    def trace(self) -> tuple[str, ...]:
        """Names of the states in the order they were visited."""
        return tuple(turn.state for turn in self.timeline)

    @property
    def elapsed(self) -> float:
        """Seconds from the start to the last event."""
        if self.started is None or self.time is None:
            return 0.0
        return (self.time - self.started).total_seconds()

    @property
    def tokens_by_state(self) -> Mapping[str, TokenCount]:
        """What model calls took by the state they were made in."""
        found: dict[str, TokenCount] = {}
        for row in self.spending:
            found[row.state] = found.get(row.state, TokenCount()) + row.tokens
        return found

    @property
    def new_handles(self) -> tuple[str, ...]:
        """Handles that came into the graph during the current visit and still stand."""
        return tuple(item for item in self.turn.added if item in self.graph) if self.turn else ()


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
    base = replace(state, seq=event.header.seq, time=event.header.time)
    return _REDUCERS[type(event)](base, event)


def _run_started(state: RunState, event: RunStarted) -> RunState:
    return replace(
        state,
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
    return replace(state, rewriting=event.rewriting, tokens=tokens, spending=spending)


def _state_entered(state: RunState, event: StateEntered) -> RunState:
    state = _leave(state, event.header.time)
    seen = state.visits.get(event.state, VisitCount())
    return replace(
        state,
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
    uncounted = int(call.tokens == TokenCount())
    return Spending(call.role, call.state, call.model, 1, uncounted, call.tokens, call.cost)


def _policy_decided(state: RunState, event: PolicyDecided) -> RunState:
    spending = add_spending((*state.spending, *map(spending_of, event.model_calls)))
    state = replace(state, tokens=state.tokens + event.tokens, spending=spending)
    turn = state.turn
    if turn is None:
        return state
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
    return replace(state, turn=turn, turns=state.turns + first)


def _decision_rejected(state: RunState, event: DecisionRejected) -> RunState:
    if state.turn is None:
        return state
    text = event.problem
    if event.default:
        text = f"{text} {event.default} applies."
    return replace(
        state, turn=replace(state.turn, rejections=(*state.turn.rejections, text), next_state="")
    )


def _tool_called(state: RunState, event: ToolCalled) -> RunState:
    counts = {**state.calls_by_tool, event.tool: state.calls_by_tool.get(event.tool, 0) + 1}
    state = replace(state, tool_calls=state.tool_calls + 1, calls_by_tool=counts)
    if state.turn is None:
        return state
    call = CallView(event.call_id, event.tool, event.arguments, event.header.time)
    return replace(state, turn=replace(state.turn, calls=(*state.turn.calls, call)))


def _tool_returned(state: RunState, event: ToolReturned) -> RunState:
    used = state.tools.get(event.tool, ToolUse())
    used = ToolUse(
        used.calls + 1,
        used.failed + (not event.ok),
        used.seconds + event.seconds,
        used.tokens + estimate_tokens(event.text),
    )
    state = replace(
        state,
        tools={**state.tools, event.tool: used},
        failed_calls=state.failed_calls + (not event.ok),
        repeated_calls=state.repeated_calls + event.repeated,
    )
    if state.turn is None:
        return state
    calls = state.turn.calls
    # From the end: what returns is among the last that began.
    index = next((i for i in reversed(range(len(calls))) if calls[i].id == event.call_id), None)
    if index is None:
        return state
    call = replace(
        calls[index],
        ok=event.ok,
        text=event.text,
        total=event.total,
        shown=event.shown,
        repeated=event.repeated,
        seconds=event.seconds,
    )
    calls = (*calls[:index], call, *calls[index + 1 :])
    return replace(state, turn=replace(state.turn, calls=calls))


def _graph_changed(state: RunState, event: GraphChanged) -> RunState:
    own = bool(event.call_id)  # without a call: what stood there before the run
    turn = state.turn
    if turn is not None:
        handles = tuple(item.handle for item in event.added)
        turn = replace(turn, added=turn.added + handles, removed=turn.removed + event.removed)
    return replace(
        state,
        turn=turn,
        graph=state.graph.changed(event.added, event.removed),
        nodes=event.nodes,
        edges=event.edges,
        nodes_added=state.nodes_added + (max(0, event.nodes - state.nodes) if own else 0),
        edges_added=state.edges_added + (max(0, event.edges - state.edges) if own else 0),
    )


def _urgency_changed(state: RunState, event: UrgencyChanged) -> RunState:
    return replace(state, urgency=event.urgency)


def _observation_made(state: RunState, event: ObservationMade) -> RunState:
    turn = replace(state.turn, observation=event) if state.turn else None
    spending = add_spending((*state.spending, *map(spending_of, event.model_calls)))
    return replace(state, turn=turn, tokens=state.tokens + event.tokens, spending=spending)


def _claim_validated(state: RunState, event: ClaimValidated) -> RunState:
    # A repaired draft is validated again: the later verdict on a claim counts.
    kept = tuple(claim for claim in state.claims if claim.id != event.claim.id)
    return replace(state, claims=(*kept, event.claim))


def _answer_ready(state: RunState, event: AnswerReady) -> RunState:
    return replace(state, answer=event.answer, claims=event.answer.claims)


def _noticed(state: RunState, event: Noticed) -> RunState:
    return replace(state, notices=(*state.notices, event)[-_MOST_NOTICES:])


def _run_ended(state: RunState, event: RunEnded) -> RunState:
    state = _leave(state, event.header.time)
    return replace(state, status=event.status, error=event.error, seconds=event.seconds)


_REDUCERS: Final[Mapping[type, Callable[[RunState, Any], RunState]]] = {
    RunStarted: _run_started,
    QuestionUnderstood: _question_understood,
    StateEntered: _state_entered,
    PolicyDecided: _policy_decided,
    DecisionRejected: _decision_rejected,
    ToolCalled: _tool_called,
    ToolReturned: _tool_returned,
    GraphChanged: _graph_changed,
    UrgencyChanged: _urgency_changed,
    ObservationMade: _observation_made,
    ClaimValidated: _claim_validated,
    AnswerReady: _answer_ready,
    Noticed: _noticed,
    RunEnded: _run_ended,
}
