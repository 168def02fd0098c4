"""Cheap first, thorough next: policies that take over from each other within one run.

A stage decides until it would answer. What it would hand in, and what it says of that itself
(``Doubts``), tells whether it is sure; if not, and what the question has cost so far leaves room,
the next stage goes on from the same local graph, with what is known. Every stage comes on once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol, runtime_checkable

from robodata_core.cancellation import CancelToken
from robodata_core.errors import PolicyError
from robodata_core.events import ModelCall
from robodata_core.model import AnswerStatus
from robodata_core.orchestrator.machine import State
from robodata_core.policy.base import AnswerDraft, Decision, LooksAgain, Policy, Turn

__all__ = ["Cascade", "Doubts", "Stage", "Tells"]

_LEAST_SECONDS: Final = 5.0
"""With less time left nobody dearer is asked."""

_NOT_ASKED: Final = "Nobody dearer could make sure of it: {}"


@runtime_checkable
class Tells(Protocol):
    """A policy that can say what it found out, for whoever goes on."""

    def known(self) -> str:
        """Return it in one or two sentences; empty if there is nothing."""
        ...


@runtime_checkable
class Doubts(Protocol):
    """A policy that says itself when somebody dearer had better look at what it hands in."""

    def doubt(self) -> str:
        """Return why, in one sentence; empty where its answer may stand."""
        ...


@dataclass(frozen=True, slots=True)
class Stage:
    """One policy of a cascade.

    Attributes:
        make: Makes it, for one run.
        tokens: What a question usually costs with it.
        sure: Probability that its answer needs; below it the next stage is asked.
    """

    make: Callable[[], Policy]
    tokens: int = 0
    sure: float = 0.0


class Cascade:
    """Decides with the first of some policies that is sure; one object serves one run.

    Args:
        name: What the whole is called.
        stages: The cheapest first.
        most_tokens: What a question may cost; no stage begins that would cost more. 0 for no
            limit.
    """

    def __init__(self, name: str, stages: Sequence[Stage], most_tokens: int = 0) -> None:
        self.name = name
        self._stages = tuple(stages)
        self._most = most_tokens
        self._spent = 0
        self._at = 0
        self._policy = self._stages[0].make()
        self._kept: AnswerDraft | None = None

    def decide(self, turn: Turn) -> Decision:
        """Return what the present stage wants, or go on with the next; see ``Policy``.

        Raises:
            PolicyError: If the present stage fails, and none before it had an answer.
        """
        try:
            decision = self._policy.decide(turn)
        except PolicyError as error:
            if self._kept is None:
                raise
            return self._fall_back(turn, self._kept, error)
        self._spent += decision.tokens.prompt + decision.tokens.completion
        if turn.state is not State.LOCAL_DATA_EVALUATION or decision.calls:
            return decision
        if decision.next_state is not State.PRODUCE_ANSWER or not self._next_fits(turn):
            return decision
        draft = decision.draft
        if draft is None:
            asked = self._policy.decide(replace(turn, state=State.PRODUCE_ANSWER, legal=()))
            draft = asked.draft
        doubt = self._doubt(draft)
        if doubt and draft is not None and draft.status is not AnswerStatus.UNKNOWN:
            self._kept = draft
        return self._go_on(turn, decision, doubt) if doubt else replace(decision, draft=draft)

    def second_look(
        self, question: str, reading: str, cancel: CancelToken | None
    ) -> tuple[str, ModelCall | None]:
        """Return what the present stage has against a reading; see ``LooksAgain``."""
        if isinstance(self._policy, LooksAgain):
            return self._policy.second_look(question, reading, cancel)
        return "", None

    def _fall_back(self, turn: Turn, kept: AnswerDraft, error: PolicyError) -> Decision:
        """Return what hands in the answer of a stage before, where the present one fails."""
        note = _NOT_ASKED.format(error.message)
        draft = replace(kept, notes=(*kept.notes, note))
        if turn.state is State.PRODUCE_ANSWER:
            return Decision(draft=draft, reason=note)
        if State.PRODUCE_ANSWER in turn.legal:
            return Decision(next_state=State.PRODUCE_ANSWER, draft=draft, reason=note)
        return Decision(next_state=State.LOCAL_DATA_EVALUATION, reason=note)

    def _next_fits(self, turn: Turn) -> bool:
        """Tell whether there is a next stage, and tokens, turns and time for it."""
        if self._at + 1 >= len(self._stages):
            return False
        cost = self._spent + self._stages[self._at + 1].tokens
        left = turn.cancel.remaining if turn.cancel is not None else None
        in_time = left is None or left > _LEAST_SECONDS
        return in_time and turn.number + 2 < turn.max_turns and not (0 < self._most < cost)

    def _doubt(self, draft: AnswerDraft | None) -> str:
        """Return why a draft is not enough; nothing where it is."""
        if draft is None or draft.status is AnswerStatus.UNKNOWN:
            missing = draft.missing[:1] if draft else ()
            return missing[0] if missing else "It does not know."
        sure = self._stages[self._at].sure
        if draft.probability is not None and draft.probability < sure:
            return f"Its reading is meant with a probability of {draft.probability:.2f} only."
        if draft.status is not AnswerStatus.ANSWERED:
            return "It has no whole answer."
        return self._policy.doubt() if isinstance(self._policy, Doubts) else ""

    def _go_on(self, turn: Turn, decision: Decision, doubt: str) -> Decision:
        before = self._policy
        told = before.known() if isinstance(before, Tells) else ""
        self._at += 1
        self._policy = self._stages[self._at].make()
        reason = f"{before.name}: {doubt} Now {self._policy.name} goes on."
        return replace(
            decision,
            next_state=State.REMOTE_GRAPH_EXPLORATION,
            draft=None,
            reason=reason,
            reflection=" ".join(part for part in (doubt, told) if part),
        )
