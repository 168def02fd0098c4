"""What a watcher needs to show a run: the visits of states, the calls, and all of it together.

Values only; ``run_state`` folds events into them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from robodata_core.events import ModelCall, Noticed, ObservationMade, RankedReading, Rewriting
from robodata_core.model import Answer, Claim, Evidence, Spending, TokenCount


class EvidenceMap(Mapping[str, Evidence]):
    """Triples by handle; never changed, cheap to derive a changed one from.

    A few layers, each at most half as large as the one below: a change costs as much as it
    brings, times the logarithm of what is there, instead of a copy of the whole graph.
    """

    __slots__ = ("_layers", "_size")

    def __init__(self, layers: tuple[dict[str, Evidence | None], ...] = (), size: int = 0) -> None:
        self._layers = layers
        self._size = size

    def changed(self, added: tuple[Evidence, ...], removed: tuple[str, ...]) -> EvidenceMap:
        """Return this map with ``removed`` taken out and then ``added`` put in."""
        top: dict[str, Evidence | None] = {}
        size = self._size
        for handle in dict.fromkeys(removed):
            if handle in self:
                top[handle] = None
                size -= 1
        for item in added:
            if top.get(item.handle) is None and (item.handle in top or item.handle not in self):
                size += 1
            top[item.handle] = item
        if not top:
            return self
        layers = self._layers
        while layers and len(layers[-1]) < 2 * len(top):
            top = {**layers[-1], **top}
            layers = layers[:-1]
        return EvidenceMap((*layers, top), size)

    def __getitem__(self, handle: str) -> Evidence:
        for layer in reversed(self._layers):
            if handle in layer:
                item = layer[handle]
                if item is None:
                    break
                return item
        raise KeyError(handle)

    def __iter__(self) -> Iterator[str]:
        merged: dict[str, Evidence | None] = {}
        for layer in self._layers:
            merged.update(layer)
        return (handle for handle, item in merged.items() if item is not None)

    def __len__(self) -> int:
        return self._size

    def __repr__(self) -> str:
        return f"EvidenceMap({self._size} triples)"


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
class RequestView:
    """One request to a service, as far as it is known.

    Attributes:
        id: Its number.
        target: The service: a host, or the name of a model.
        what: What it was asked.
        started: When it started.
        turn: Turn in which it started; 0 before the first.
        phase: ``started``, ``waiting``, ``ended`` or ``failed``.
        attempt: Which try it is, from 1.
        wait: Seconds until the next try, while it waits.
        text: What came of it, or why it is tried again.
        seconds: How long it took; 0 while it goes on.
    """

    id: int
    target: str
    what: str
    started: datetime
    turn: int = 0
    phase: str = "started"
    attempt: int = 1
    wait: float = 0.0
    text: str = ""
    seconds: float = 0.0

    @property
    def goes_on(self) -> bool:
        """Whether it has not ended."""
        return self.phase in ("started", "waiting")


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
        requests: The latest requests to services, in the order they started.
        readings: How the question was read, the likeliest first.
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
    requests: tuple[RequestView, ...] = ()
    readings: tuple[RankedReading, ...] = ()
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
