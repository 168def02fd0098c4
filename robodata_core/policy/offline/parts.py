"""What a plan is made of: for every request of a question what was found for it, and how sure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from robodata_core.model import Statement
from robodata_core.policy.offline.candidate import Candidate, Scored
from robodata_core.policy.offline.mentions import Linking
from robodata_core.policy.offline.question import Question, Request
from robodata_core.policy.offline.reading import Reader
from robodata_core.policy.offline.relations import Match
from robodata_core.programs.executor import Executor
from robodata_core.programs.result import ProgramResult
from robodata_core.programs.steps import FilterByType, Program

__all__ = ["Part", "Plan"]

#: Of what a program gives, what its candidate keeps as a sample.
_SAMPLED: Final = 60
#: Relations that tell what things are which are tried alone.
_TRIED: Final = 2


@dataclass(frozen=True, slots=True)
class Part:
    """One request with what was found for it.

    Attributes:
        request: The request.
        linking: Its mentions and names that could not be linked.
        matches: Readings of its phrases.
        best: The best candidate, or None.
        result: The program's full result, or None.
        sure: Whether the confidence reaches the threshold.
        related: Statements shown beside the evidence: for a "no" what the graph states for the
            same subject and relation, else what was compared or left out.
        others: Runners-up, best first.
        question: The words that places in the candidate refer to, where they are not the whole
            question's.
        notes: How it was read, what was compared, what was left out.
        missing: What keeps the answer from being whole.
        failure: Why there is none, where that is known.
        unread: Whether that is that words were not read, which another reading may have read.
        probability: That it was read rightly, where that was learned; from 0 to 1.
        likely: Whether it is only likely that it was read rightly.
    """

    request: Request
    linking: Linking
    matches: tuple[Match, ...] = ()
    best: Scored | None = None
    result: ProgramResult | None = None
    sure: bool = False
    related: tuple[Statement, ...] = ()
    others: tuple[Scored, ...] = ()
    question: Question | None = None
    notes: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    failure: str = ""
    unread: bool = False
    probability: float | None = None
    likely: bool = False

    @property
    def program(self) -> Program | None:
        """The program, if there is one."""
        return self.best.candidate.program() if self.best else None

    @property
    def settled(self) -> Candidate | None:
        """The best candidate where the part is sure of it."""
        return self.best.candidate if self.sure and self.best is not None else None

    @property
    def nameless(self) -> bool:
        """Whether the request names nothing and nothing was found for it."""
        return self.best is None and not self.linking.mentions and not self.linking.unlinked

    @property
    def confidence(self) -> float:
        """The confidence of the best candidate."""
        return self.best.confidence if self.best else 0.0

    def narrowed(self, candidate: Candidate, executor: Executor, *notes: str) -> Part:
        """Return the part with another candidate in place of its best one, run anew.

        Raises:
            SourceError: If the source fails.
            CancelledError: If the executor's token says so; DeadlineExceededError likewise.
        """
        assert self.best is not None
        result = executor.run(candidate.program())
        candidate = replace(candidate, nodes=result.members[:_SAMPLED])
        best = replace(self.best, candidate=candidate)
        return replace(self, best=best, result=result, notes=(*self.notes, *notes))

    def sharpened(self, executor: Executor) -> Part:
        """Return the part with classes told by no more relations than its answer rests on.

        What is a country by whatever tells what things are ("any country of any kind") is told to
        be an instance of one, where that leads to the same.

        Raises:
            SourceError: If the source fails.
            CancelledError: If the executor's token says so; DeadlineExceededError likewise.
        """
        if not self.sure or self.best is None or self.result is None or self.result.truncated:
            return self
        part, candidate = self, self.best.candidate
        wide = [one for one in candidate.steps if isinstance(one, FilterByType) and one.via[1:]]
        used = {one.property for one in self.result.evidence} if wide else set()
        for step in wide:
            rests = tuple(name for name in step.via if name in used)
            ways = dict.fromkeys([*((name,) for name in rests[:_TRIED]), rests])
            for via in (one for one in ways if one and one != step.via):
                changed = replace(
                    candidate,
                    steps=tuple(
                        replace(step, via=via) if one is step else one for one in candidate.steps
                    ),
                )
                other = part.narrowed(changed, executor)
                if other.result is not None and _come_to_the_same(other.result, self.result):
                    part, candidate = other, changed
                    break
        return part


def _come_to_the_same(one: ProgramResult, other: ProgramResult) -> bool:
    if one.truncated or (one.boolean, one.number) != (other.boolean, other.number):
        return False
    return set(one.members) == set(other.members)


@dataclass(frozen=True, slots=True)
class Plan:
    """All parts of a question, the reader they were found with, and what went wrong meanwhile.

    Attributes:
        question: The question.
        parts: Its parts.
        reader: What they were found with.
        notices: What went wrong meanwhile.
        together: Whether the parts are truths that are asked for at once.
    """

    question: Question
    parts: tuple[Part, ...]
    reader: Reader
    notices: tuple[str, ...] = ()
    together: bool = False

    @property
    def confidence(self) -> float:
        """The confidence of the least sure part."""
        return min((part.confidence for part in self.parts), default=0.0)

    @property
    def sure(self) -> bool:
        """Whether no part falls short of the threshold."""
        return all(part.sure for part in self.parts)

    @property
    def certain(self) -> bool:
        """Whether besides none is only likely."""
        return all(part.sure and not part.likely for part in self.parts)
