"""Choosing among things that are named, and judging whether one is the extreme of a set."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from robodata_core.policy.base import AnswerKind
from robodata_core.policy.offline import combine
from robodata_core.policy.offline.limiting import MORE_MAY_HOLD, wholes
from robodata_core.policy.offline.operators import Found
from robodata_core.policy.offline.picking import Picker
from robodata_core.policy.offline.plain import Plain
from robodata_core.policy.offline.question import Question, Request
from robodata_core.policy.offline.solved import Failure, SetOf, Solved
from robodata_core.policy.offline.splitting import Split
from robodata_core.policy.offline.words import AUXILIARIES, FUNCTION_WORDS
from robodata_core.programs.comparison import OPERATORS
from robodata_core.programs.steps import JudgeSize

__all__ = ["Choosing"]

_SHOWN: Final = 8
_MORE: Final = "The graph states {:,} of them, which does not rule out that there are more."


@dataclass(frozen=True, slots=True)
class Choosing:
    """Answers questions that compare something that they name.

    Attributes:
        plain: Solves what names something.
        set_of: Solves some words as a question of their own.
    """

    plain: Plain
    set_of: SetOf

    def choice(
        self, question: Question, request: Request, found: Found, parts: Split | None
    ) -> Solved | Failure:
        """Choose among things that the question names: "who is older, X or Y"."""
        assert found.pick is not None
        if parts is None or not parts.names:
            text = "It is not said what should be compared."
            return Failure(text, question=question, unread=True)
        solver, executor = self.plain.solver, self.plain.executor
        named: list[Solved] = []
        for start, end in parts.names:
            kept = [i for i in range(start, end) if i not in found.pick.span]
            one = self.plain.named(question, kept)
            if one is None:
                text = question.raw(start, end).strip(" ,?.!")
                return Failure(f"Nothing in the graph is called “{text}”.", question=question)
            named.append(one)
        values = tuple(dict.fromkeys(v for one in named for v in one.result.members))
        links = tuple(link for one in named for link in one.candidate.links)
        first = replace(combine.started(values, named[0].candidate), links=links)
        base = replace(
            named[0].then(first, executor), request=replace(request, kind=AnswerKind.THINGS)
        )
        return Picker(solver, executor).apply(base, found.pick, all_stated=True)

    def is_extreme(
        self, question: Question, request: Request, found: Found, depth: int
    ) -> Solved | Failure:
        """Judge whether something is the extreme of a set: "is X the oldest child of Y"."""
        assert found.pick is not None
        cut = min(found.pick.span)
        while cut > request.start and question.tokens[cut - 1].norm in ("the", "a", "one", "of"):
            cut -= 1
        before = [
            i for i in range(request.start, cut)
            if question.tokens[i].norm not in AUXILIARIES | {"whether", "if"}
        ]  # fmt: skip
        subject = self.plain.named(question, before)
        if subject is None:
            return Failure(
                "It is not clear what the question is about.", question=question, unread=True
            )
        outcome = self.set_of(question, list(range(cut, request.end)), depth)
        if isinstance(outcome, Failure):
            return outcome
        value = subject.result.members[0]
        holds = value in outcome.result.members
        candidate = outcome.candidate.judged(value, subject.candidate.links[0], holds)
        return replace(
            outcome.then(candidate, self.plain.executor),
            related=(*outcome.result.evidence, *outcome.related),
        )

    def has_size(
        self, question: Question, request: Request, found: Found, depth: int
    ) -> Solved | Failure | None:
        """Judge how many there are of what a number stands before: "do two countries border X".

        None where something else is said before the number, whose others are counted then.
        """
        limit = found.limits[0] if found.limits else None
        noun = limit.aspect.noun if limit is not None else None
        if limit is None or noun is None or len(wholes(limit)) != 1:
            return None
        (comparison, number), first = wholes(limit)[0], min(limit.span)
        before = {token.norm for token in question.tokens[request.start : first]}
        if not before <= FUNCTION_WORDS or noun.start < first:
            return None
        outcome = self.set_of(question, range(noun.start, request.end), depth)
        if isinstance(outcome, Failure):
            return outcome
        size = len(outcome.result.members)
        holds = OPERATORS[comparison](size, number)
        open_ = not holds and size <= number and comparison in MORE_MAY_HOLD
        if outcome.result.truncated or open_:
            return Failure(_MORE.format(size))
        whole = outcome.candidate
        step = JudgeSize(whole.fresh, whole.out, comparison, number)
        judged = replace(whole.then(step), final="yes" if holds else "no")
        return replace(
            outcome.then(judged, self.plain.executor), related=outcome.result.evidence[:_SHOWN]
        )
