"""Asking the policy within one turn, boundedly, until a decision stands.

What is asked and what makes a decision stand comes from the loop; how calls are carried out is
``_calls``' business.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from robodata_core.errors import CancelledError, DeadlineExceededError, PolicyError
from robodata_core.events import (
    DecisionRejected,
    Noticed,
    ObservationMade,
    PolicyDecided,
    ReadingsRanked,
)
from robodata_core.killable import run_killable
from robodata_core.orchestrator._ending import ending_of
from robodata_core.orchestrator.budget import MAX_CALLS_PER_ROUND, MAX_REJECTIONS, MAX_ROUNDS
from robodata_core.orchestrator.machine import State
from robodata_core.policy.base import Decision, LooksAgain, Turn

if TYPE_CHECKING:
    from robodata_core.cancellation import CancelToken
    from robodata_core.clock import Clock
    from robodata_core.orchestrator._calls import CallRunner
    from robodata_core.orchestrator._emitter import Emitter
    from robodata_core.orchestrator.observer import Observer
    from robodata_core.policy.base import Policy
    from robodata_core.tools.base import ToolResult

_EVALUATIONS: Final = frozenset({State.LOCAL_DATA_EVALUATION, State.REMOTE_DATA_EVALUATION})


class Asker:
    """Puts turns to the policy of one run and tells the watchers what came back.

    Args:
        policy: Who is asked.
        observer: Metacognition, if there is any.
        emitter: Told about decisions, refusals and observations.
        calls: Carries out what the policy asks for.
        cancel: Looked at before and after asking.
        clock: Measures how long the policy takes.
    """

    def __init__(
        self,
        *,
        policy: Policy,
        observer: Observer | None,
        emitter: Emitter,
        calls: CallRunner,
        cancel: CancelToken,
        clock: Clock,
    ) -> None:
        self._policy = policy
        self._observer = observer
        self._emitter = emitter
        self._calls = calls
        self._cancel = cancel
        self._clock = clock
        self._observation = ""

    def ask(
        self, turn: Turn, objection: Callable[[Decision], str], default: str
    ) -> tuple[Decision | None, tuple[ToolResult, ...]]:
        """Ask until a decision stands.

        Calls are carried out and shown before the policy is asked again, unless a choice stands
        beside them and all of them succeeded: then it holds. Both rounds of calls and refused
        decisions are bounded, so this ends whatever the policy does.

        Args:
            turn: What the policy is shown first.
            objection: Says what is wrong with a decision without calls, or nothing.
            default: What applies when no decision stands, in words for watchers.

        Returns:
            The decision, or None where the default applies; and all results of the turn.
        """
        turn = replace(turn, observation=self._observation)
        rounds = rejections = 0
        while True:
            decision = self._decide(turn)
            if decision.calls and rounds < MAX_ROUNDS:
                rounds += 1
                results = self._calls.run(decision.calls, turn.toolbox, turn.number)
                turn = replace(turn, results=(*turn.results, *results), rejection="")
                if decision.next_state is None or not all(result.ok for result in results):
                    continue
                decision = replace(decision, calls=())
            problem = objection(decision if not decision.calls else Decision())
            if decision.calls:
                problem = f"No more than {MAX_ROUNDS} rounds of calls in one turn. {problem}"
            if not problem:
                return decision, tuple(turn.results)
            rejections += 1
            if rejections > MAX_REJECTIONS:
                self.reject(turn, problem, default)
                return None, tuple(turn.results)
            self.reject(turn, problem)
            turn = replace(turn, rejection=problem)

    def reject(self, turn: Turn, problem: str, default: str = "") -> None:
        """Tell the watchers that a decision was refused."""
        self._emitter.emit(DecisionRejected, turn.number, problem, default)

    def look_again(self, question: str, reading: str, number: int) -> str:
        """Return what the policy has against the reading of its answer, where it can say that.

        Args:
            question: What was asked.
            reading: What was run, in words.
            number: Turn number.
        """
        policy = self._policy
        if not isinstance(policy, LooksAgain):
            return ""
        started = self._clock.monotonic()
        try:
            objection, call = policy.second_look(question, reading, self._cancel)
        except (CancelledError, DeadlineExceededError):
            return ""  # the answer in the hand is whole without it
        if call is None:
            return ""
        seconds = self._clock.monotonic() - started
        reason = "the second look objects" if objection else "the second look has no objection"
        self._emitter.emit(
            PolicyDecided, number, (), "", "", reason, seconds, call.tokens, call.role, (call,)
        )
        return objection

    def observe(self, turn: Turn) -> None:
        """Let metacognition speak at an evaluation; what goes wrong in it ends nothing."""
        if self._observer is None or turn.state not in _EVALUATIONS:
            return
        turn = replace(turn, observation=self._observation)
        try:
            observer, state = self._observer, self._emitter.state
            seen = run_killable(lambda: observer(turn, state), self._cancel, "robodata-observer")
        except (CancelledError, DeadlineExceededError):
            raise
        except Exception as error:
            text = f"Metacognition failed and was left out: {ending_of(error).sentence}"
            self._emitter.emit(Noticed, "warning", text)
            return
        if seen is None:
            return
        self._observation = seen.observation or self._observation
        self._emitter.emit(
            ObservationMade,
            turn.number,
            seen.strategy,
            seen.observation,
            seen.signals,
            seen.changed,
            seen.tokens,
            seen.model_calls,
        )

    def _decide(self, turn: Turn) -> Decision:
        self._cancel.check()
        started = self._clock.monotonic()
        name = f"robodata-{self._policy.name}"
        decision = run_killable(lambda: self._policy.decide(turn), self._cancel, name)
        seconds = self._clock.monotonic() - started
        if not isinstance(decision, Decision):
            raise PolicyError(f"The policy {self._policy.name} gave no decision.")
        names = tuple(str(call.tool) for call in decision.calls[:MAX_CALLS_PER_ROUND])
        chosen = "" if decision.calls or not decision.next_state else str(decision.next_state)
        self._emitter.emit(
            PolicyDecided,
            turn.number,
            names,
            chosen,
            decision.reflection,
            decision.reason,
            seconds,
            decision.tokens,
            decision.role,
            decision.model_calls,
        )
        if decision.readings:
            self._emitter.emit(ReadingsRanked, decision.readings)
        if decision.draft is None or turn.state is not State.PRODUCE_ANSWER:
            # An answer in the hand is not thrown away because time ran out over it.
            self._cancel.check()
        return decision
