"""Who decides a turn, as the orchestrator sees it: ``Policy.decide(turn) -> Decision``.

One policy object serves one run. Within a turn the orchestrator asks repeatedly: as long as the
decision holds tool calls they are carried out and shown in the next ask of the same turn, unless
it also chooses the next state and all of them succeed. A decision without calls must choose the
next state (or, in PRODUCE_ANSWER, hand in a draft; a draft may also come with that choice).
"""

from __future__ import annotations

import enum
from abc import ABC, abstractmethod
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from robodata_core.events import ModelCall, RankedReading
from robodata_core.model import (
    Absence,
    AnswerStatus,
    SearchHit,
    TokenCount,
)
from robodata_core.orchestrator.machine import State
from robodata_core.tools.base import ToolCall, ToolResult
from robodata_core.tools.labels import FoundNames

if TYPE_CHECKING:
    from robodata_core.cancellation import CancelToken
    from robodata_core.orchestrator.memory import Memory
    from robodata_core.programs.steps import Program
    from robodata_core.store.graph import LocalGraph
    from robodata_core.tools.registry import Toolbox

__all__ = [
    "AnswerDraft",
    "AnswerKind",
    "AnswerPart",
    "Decision",
    "LooksAgain",
    "Policy",
    "StatePolicy",
    "Turn",
    "Urgency",
    "reads_view",
]


class Urgency(str, enum.Enum):
    """How few turns are left (the paper's "turn urgency")."""

    NONE = "none"
    LOW = "low"
    HIGH = "high"
    FINAL = "final"


class AnswerKind(str, enum.Enum):
    """What a part of an answer is to give."""

    THINGS = "things"
    NUMBER = "number"
    YES_OR_NO = "yes_or_no"


@dataclass(frozen=True, slots=True)
class AnswerPart:
    """One part of an answer: what to run, never what to say. Exactly one of these is given.

    Attributes:
        program: A reasoning program.
        sparql: A SELECT or ASK query that reads as a program.
        handles: Facts of the local graph (``T17``), or look-ups that found nothing (``N7``).
        chain: Whether the facts are one line of argument, told as one claim.
        kind: What it is to give; None for whatever the program ends with, or for things.
        asked: The question that a parser made it of, where that is a part of the whole one.
    """

    program: Program | None = None
    sparql: str = ""
    handles: tuple[str, ...] = ()
    chain: bool = False
    kind: AnswerKind | None = None
    asked: str = ""


@dataclass(frozen=True, slots=True)
class AnswerDraft:
    """What a policy hands in at PRODUCE_ANSWER; what it claims is made by running its parts.

    Attributes:
        status: What the policy takes the outcome for; running it may lower that, never raise it.
        parts: What the answer is made of.
        beside: Handles of facts that are shown beside the answer, and answer nothing.
        absences: Handles (``N7``) of look-ups that found nothing, to be shown.
        missing: What is missing or was looked for in vain.
        suggestions: Near matches for names that could not be linked.
        attempt: Best attempt below the confidence threshold.
        notes: How names were taken, and what was compared.
        probability: How likely the reading is meant, from 0 to 1; None where nobody reckoned it.
        likely: Whether the reading is only likely meant: the answer then begins with it.
        comment: What a model says besides, in its own words; shown apart, never checked.
        asserted: Whether a model chose the parts, so that they are held against the question;
            a parser's parts are made from the question itself.
        verdict: What a judge of a triple made of the parts by rules and statistics; only
            verification sets it, and it stands only beside a supported claim.
        together: Whether its parts are truths that are asked for at once: one yes or no answers.
    """

    status: AnswerStatus
    parts: tuple[AnswerPart, ...] = ()
    beside: tuple[str, ...] = ()
    absences: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    suggestions: tuple[SearchHit, ...] = ()
    attempt: str = ""
    notes: tuple[str, ...] = ()
    probability: float | None = None
    likely: bool = False
    comment: str = ""
    asserted: bool = False
    verdict: bool | None = None
    together: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    """What a policy wants next.

    Attributes:
        calls: Tool calls to carry out, before asking again in the same turn.
        next_state: The choice that ends the turn. Beside calls it holds if all of them succeed.
        reflection: Self-reflection to keep for later turns, may be empty.
        draft: What the answer is to be made of: in PRODUCE_ANSWER, or with PRODUCE_ANSWER as the
            choice.
        tokens: What deciding cost.
        reason: One short phrase for watchers, may be empty.
        role: The role that was played, for policies that have several.
        model_calls: What a language model was asked meanwhile, for watchers.
        readings: How the question was read, the likeliest first, where it has just been; for
            watchers.
    """

    calls: tuple[ToolCall, ...] = ()
    next_state: State | None = None
    reflection: str = ""
    draft: AnswerDraft | None = None
    tokens: TokenCount = TokenCount()
    reason: str = ""
    role: str = ""
    model_calls: tuple[ModelCall, ...] = ()
    readings: tuple[RankedReading, ...] = ()


@dataclass(frozen=True, slots=True)
class Turn:
    """What a policy sees when it is asked.

    Attributes:
        question: The cleaned question.
        language: Preferred language of labels.
        state: Where the machine is.
        legal: Where it may go.
        number: Turn number, from 1.
        max_turns: The limit.
        urgency: How few turns are left.
        toolbox: Tools that may be called in this state.
        results: Calls of this turn, in order, with their outcomes.
        memory: What was tried in earlier turns.
        store: The local graph, to be read only.
        rejection: Why the last decision of this turn was refused, or empty.
        problems: In PRODUCE_ANSWER on the repair round: what did not hold or fit.
        observation: What metacognition said last, or empty.
        cancel: Checked by policies that do more than one step; None in tests without one.
        variables: Named results of earlier calls (``$x``), as ``tools.variables`` keeps them.
        absences: Look-ups of this run that found nothing, by handle.
        names: Where a policy notes the exact names it has looked up by itself.
        earlier: Questions that this one was taken apart into, each with its answer.
        known: The ids that the question and results have shown.
    """

    question: str
    language: str
    state: State
    legal: tuple[State, ...]
    number: int
    max_turns: int
    urgency: Urgency
    toolbox: Toolbox
    results: Sequence[ToolResult]
    memory: Memory
    store: LocalGraph
    rejection: str = ""
    problems: tuple[str, ...] = ()
    observation: str = ""
    cancel: CancelToken | None = None
    variables: Mapping[str, Any] = field(default_factory=dict)
    absences: Mapping[str, Absence] = field(default_factory=dict)
    names: FoundNames = field(default_factory=FoundNames)
    earlier: tuple[str, ...] = ()
    known: Container[str] = frozenset()


class Policy(Protocol):
    """Decides the turns of one run.

    Attributes:
        name: ``offline``, ``llm``, ...
    """

    name: str

    def decide(self, turn: Turn) -> Decision:
        """Return what to do next.

        Raises:
            PolicyError: If nothing can be decided; the run then ends as ``failed`` with what
                was gathered kept.
        """
        ...


def reads_view(policy: Policy) -> bool:
    """Tell whether a policy reads the local graph as a whole, so that it matters whether it fits.

    Those that do not say so by an attribute ``reads_view = False``; drawing the view for them at
    every run would cost more with every triple that was ever fetched.
    """
    return bool(getattr(policy, "reads_view", True))


@runtime_checkable
class LooksAgain(Protocol):
    """A policy that can hold the reading of an answer against the question once more."""

    def second_look(
        self, question: str, reading: str, cancel: CancelToken | None
    ) -> tuple[str, ModelCall | None]:
        """Return what speaks against it, in words and empty if nothing; and what that took."""
        ...


class StatePolicy(ABC):
    """A policy with one method for each state, for those that decide by rules."""

    #: Rules look triples up; see ``reads_view``.
    reads_view = False

    def decide(self, turn: Turn) -> Decision:
        """Return what to do next; see ``Policy``."""
        handlers: dict[State, Callable[[Turn], Decision]] = {
            State.LOCAL_DATA_EVALUATION: self._evaluate_local,
            State.LOCAL_GRAPH_EXPLORATION: self._explore_local,
            State.REMOTE_GRAPH_EXPLORATION: self._explore_remote,
            State.REMOTE_DATA_EVALUATION: self._evaluate_remote,
            State.LOCAL_GRAPH_UPDATE: self._update,
            State.PRODUCE_ANSWER: self._answer,
        }
        return handlers[turn.state](turn)

    @abstractmethod
    def _evaluate_local(self, turn: Turn) -> Decision:
        """Choose between looking at the source and answering."""

    def _explore_local(self, turn: Turn) -> Decision:
        """Go on at once: rules know which triples they need, and look for these alone."""
        return Decision(
            next_state=State.LOCAL_DATA_EVALUATION,
            reason="triples are looked up one by one, so nothing has to be read at once",
        )

    @abstractmethod
    def _explore_remote(self, turn: Turn) -> Decision:
        """Look at the source."""

    @abstractmethod
    def _evaluate_remote(self, turn: Turn) -> Decision:
        """Choose whether what was seen there is to be fetched."""

    @abstractmethod
    def _update(self, turn: Turn) -> Decision:
        """Fetch triples into the local graph."""

    @abstractmethod
    def _answer(self, turn: Turn) -> Decision:
        """Hand in the draft of an answer."""
