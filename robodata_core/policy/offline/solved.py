"""What came of a request, or why nothing did; and what is stated where a "no" was found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from robodata_core.model import QuantityValue, Statement
from robodata_core.policy.base import AnswerKind
from robodata_core.policy.offline.candidate import Candidate
from robodata_core.policy.offline.mentions import Linking
from robodata_core.policy.offline.question import Question, Request
from robodata_core.policy.offline.relations import Match
from robodata_core.programs.executor import Executor
from robodata_core.programs.result import ProgramResult
from robodata_core.programs.steps import (
    End,
    FilterByConstraint,
    FilterByType,
    Follow,
    Judge,
    Program,
)

__all__ = ["Failure", "LinkRequest", "SetOf", "Solved", "as_asked", "related_to", "solve_alone"]


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a request has no answer.

    Attributes:
        reason: One sentence for users.
        linking: The names it was about, where that is known.
        matches: The phrases read.
        question: The words they are places in.
        compared: What was looked at in vain: statements that show it.
        unread: Whether it is that words were not read, which another reading may have read.
    """

    reason: str
    linking: Linking | None = None
    matches: tuple[Match, ...] = ()
    question: Question | None = None
    compared: tuple[Statement, ...] = ()
    unread: bool = False


@dataclass(frozen=True, slots=True)
class Solved:
    """A set with its program.

    Attributes:
        question: The words it was found for, which the candidate's places refer to.
        request: The request within them.
        linking: Its mentions.
        matches: Its phrases.
        candidate: The program with its justification.
        result: The program's full result.
        confidence: Of the least sure part.
        related: Statements to show beside the evidence: what was compared or left out.
        notes: How it was read and what was compared.
        missing: What keeps the answer from being whole.
        proper: Whether it is a name alone.
    """

    question: Question
    request: Request
    linking: Linking
    matches: tuple[Match, ...]
    candidate: Candidate
    result: ProgramResult
    confidence: float
    related: tuple[Statement, ...] = ()
    notes: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    proper: bool = False

    def then(self, candidate: Candidate, executor: Executor) -> Solved:
        """Go on with another candidate, run in full."""
        result = executor.run(candidate.program())
        candidate = replace(candidate, nodes=result.members[:60])
        return replace(self, candidate=candidate, result=result)


#: Links the names of a request and finds its phrases, in the context of what was asked before.
LinkRequest = Callable[[Question, Request], tuple[Linking, tuple[Match, ...]]]
#: Solves some words of a question as a question of their own; the number says how deep it is.
SetOf = Callable[[Question, Sequence[int], int], Solved | Failure]


def solve_alone(set_of: SetOf, question: Question, depth: int = 0) -> Solved | Failure:
    """Solve all words of a question as a question of their own."""
    return set_of(question, range(len(question.tokens)), depth)


def as_asked(outcome: Solved | Failure, request: Request, executor: Executor) -> Solved | Failure:
    """Count or judge a set where that is asked."""
    if isinstance(outcome, Failure) or outcome.candidate.final != "set":
        return outcome
    numbers = all(isinstance(value, QuantityValue) for value in outcome.result.members)
    if request.kind is AnswerKind.NUMBER and (not numbers or not outcome.result.members):
        return outcome.then(outcome.candidate.counted(), executor)
    if request.kind is AnswerKind.YES_OR_NO:
        holds = bool(outcome.result.members)
        return outcome.then(outcome.candidate.judged(None, None, holds), executor)
    return outcome


def related_to(candidate: Candidate, executor: Executor) -> tuple[Statement, ...]:
    """Return what the graph states where a judged triple would stand."""
    judge = candidate.steps[-1]
    if not isinstance(judge, Judge) or len(candidate.steps) < 2:
        return ()
    kept = candidate.steps[:-1]
    last = kept[-1]
    if isinstance(last, FilterByType) and last.source:
        kept = (*kept[:-1], Follow(last.out, last.source, last.via))
    elif isinstance(last, FilterByConstraint) and last.source:
        kept = (*kept[:-1], Follow(last.out, last.source, (last.property,)))
    return executor.run(Program((*kept, End(judge.source)))).evidence
