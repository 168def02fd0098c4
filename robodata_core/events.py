"""What a run tells its watchers: frozen events, in order, with a JSON round trip.

Terminal UI, journal, ROS feedback, statistics and tests all read the same stream.
``robodata_core.journal`` writes and reads it as JSON Lines; ``run_state.apply`` folds it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeAlias

from robodata_core.model import Answer, Claim, Evidence, TokenCount

__all__ = [
    "AnswerReady",
    "ClaimValidated",
    "DecisionRejected",
    "GraphChanged",
    "Header",
    "ModelCall",
    "Noticed",
    "ObservationMade",
    "PolicyDecided",
    "PromptMessage",
    "QuestionUnderstood",
    "RankedReading",
    "ReadingsRanked",
    "RequestTold",
    "Rewriting",
    "RunEnded",
    "RunEvent",
    "RunStarted",
    "StateEntered",
    "ToolCalled",
    "ToolReturned",
    "UrgencyChanged",
]


@dataclass(frozen=True, slots=True)
class Header:
    """What every event carries.

    Attributes:
        run_id: Id of the run.
        seq: 1, 2, ... without gaps within the run.
        time: When it happened (UTC).
    """

    run_id: str
    seq: int
    time: datetime


@dataclass(frozen=True, slots=True)
class PromptMessage:
    """One message of a prompt, as sent.

    Attributes:
        role: ``system``, ``user``, ``assistant`` or ``tool``.
        text: Its text; what stands beyond the bound is cut off.
        left_out: How many characters were cut off.
    """

    role: str
    text: str
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One call to a language model that was answered.

    Attributes:
        role: ``exploration``, ``evaluation``, ``update``, ``metacognition``, ``conversation``.
        state: The state it was made in.
        model: Name of the model.
        messages: The prompt; bounded (``policy.llm.ledger`` says how).
        tools: Names of the tools that were offered with it.
        reply: What came back, in short: text, and calls as ``name(arguments)``.
        finish: Why the model stopped, as the server says.
        tokens: As the server counts them, or else our estimate.
        seconds: How long it took.
        cost: In the currency of the prices set; None where the model has no price.
        estimated: Whether the tokens are our estimate, because the server counted none.
    """

    role: str
    state: str
    model: str
    messages: tuple[PromptMessage, ...] = ()
    tools: tuple[str, ...] = ()
    reply: str = ""
    finish: str = ""
    tokens: TokenCount = TokenCount()
    seconds: float = 0.0
    cost: float | None = None
    estimated: bool = False


@dataclass(frozen=True, slots=True)
class Rewriting:
    """How a question of a conversation was understood.

    Attributes:
        question: As typed.
        understood_as: The question asked in its place, which stands alone; empty where it is
            asked as it is.
        reasons: What was put in for what, one phrase each.
        by: ``rules`` or ``model``.
        note: What the person who asks has to know, may be empty: a rewriting that was given up.
        seconds: How long it took.
        model_calls: What a language model was asked meanwhile.
    """

    question: str
    understood_as: str = ""
    reasons: tuple[str, ...] = ()
    by: str = "rules"
    note: str = ""
    seconds: float = 0.0
    model_calls: tuple[ModelCall, ...] = ()


@dataclass(frozen=True, slots=True)
class RunStarted:
    """A question was taken; ``settings`` are the ones that shape the run, never secrets."""

    header: Header
    question: str
    policy: str
    source: str
    max_turns: int
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class QuestionUnderstood:
    """A question was read in the light of earlier ones; comes right after the start."""

    header: Header
    rewriting: Rewriting


@dataclass(frozen=True, slots=True)
class StateEntered:
    """The machine entered ``state``; ``forced`` says why if nobody chose it."""

    header: Header
    state: str
    turn: int
    urgency: str
    forced: str = ""


@dataclass(frozen=True, slots=True)
class PolicyDecided:
    """The policy asked for calls or chose a state.

    ``model_calls`` are what it asked a language model meanwhile: usually one call, none without a
    model. ``tokens`` is their sum, ``role`` the role that was played.
    """

    header: Header
    turn: int
    calls: tuple[str, ...]
    next_state: str
    reflection: str
    reason: str
    seconds: float
    tokens: TokenCount = TokenCount()
    role: str = ""
    model_calls: tuple[ModelCall, ...] = ()


@dataclass(frozen=True, slots=True)
class DecisionRejected:
    """A choice was illegal or missing; ``default`` is set when the documented default applies."""

    header: Header
    turn: int
    problem: str
    default: str = ""


@dataclass(frozen=True, slots=True)
class ToolCalled:
    """A tool call begins."""

    header: Header
    turn: int
    call_id: str
    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolReturned:
    """A tool call ended."""

    header: Header
    turn: int
    call_id: str
    tool: str
    ok: bool
    text: str
    total: int | None
    shown: int | None
    repeated: bool
    seconds: float


@dataclass(frozen=True, slots=True)
class RequestTold:
    """A request to a service starts, waits for another try, or ended.

    Attributes:
        header: As every event has it.
        request: The same for all that is told of one request.
        target: The service: a host, or the name of a model.
        what: What it is asked, in few words.
        phase: ``started``, ``waiting``, ``ended`` or ``failed``.
        attempt: Which try it is, from 1.
        wait: Seconds until the next try, while it waits.
        text: What came of it, or why it is tried again.
    """

    header: Header
    request: int
    target: str
    what: str
    phase: str
    attempt: int = 1
    wait: float = 0.0
    text: str = ""


@dataclass(frozen=True, slots=True)
class RankedReading:
    """One way to read a question.

    Attributes:
        text: What it asks, in words.
        probability: How likely it is the one meant, from 0 to 1.
        lost: Why it was not taken; empty for the one that was.
    """

    text: str
    probability: float
    lost: str = ""


@dataclass(frozen=True, slots=True)
class ReadingsRanked:
    """The question was read, in one or more ways; the likeliest first."""

    header: Header
    readings: tuple[RankedReading, ...]


@dataclass(frozen=True, slots=True)
class GraphChanged:
    """Triples were added to or removed from the local graph.

    ``nodes`` and ``edges`` are what the graph holds afterwards. Without a ``call_id`` (once, at
    the start) they are what it held before the run.
    """

    header: Header
    turn: int
    call_id: str
    added: tuple[Evidence, ...]
    removed: tuple[str, ...]
    nodes: int
    edges: int


@dataclass(frozen=True, slots=True)
class UrgencyChanged:
    """Turns are running out."""

    header: Header
    turn: int
    urgency: str


@dataclass(frozen=True, slots=True)
class ObservationMade:
    """Metacognition spoke; ``changed`` says what became different because of it, or is empty."""

    header: Header
    turn: int
    strategy: str
    observation: str
    signals: tuple[str, ...]
    changed: str = ""
    tokens: TokenCount = TokenCount()
    model_calls: tuple[ModelCall, ...] = ()


@dataclass(frozen=True, slots=True)
class ClaimValidated:
    """A claim was checked against the local graph."""

    header: Header
    claim: Claim


@dataclass(frozen=True, slots=True)
class AnswerReady:
    """The answer stands."""

    header: Header
    answer: Answer


@dataclass(frozen=True, slots=True)
class Noticed:
    """Something a watcher should see that fits nowhere else (a fallback, a dropped item)."""

    header: Header
    level: str
    text: str


@dataclass(frozen=True, slots=True)
class RunEnded:
    """The last event of a run; ``error`` is the sentence shown to the user, or empty."""

    header: Header
    status: str
    seconds: float
    error: str = ""


RunEvent: TypeAlias = (
    RunStarted
    | QuestionUnderstood
    | StateEntered
    | PolicyDecided
    | DecisionRejected
    | ToolCalled
    | ToolReturned
    | RequestTold
    | ReadingsRanked
    | GraphChanged
    | UrgencyChanged
    | ObservationMade
    | ClaimValidated
    | AnswerReady
    | Noticed
    | RunEnded
)
