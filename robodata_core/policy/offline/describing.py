"""Solving questions about things they describe: "who is the mother of [the man whom X married]".

What ``described`` finds is solved as a question of its own, and stands in the rest of the question
like a name. The two programs become one. Where the description gives nothing, that is said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from robodata_core.model import EntityValue
from robodata_core.policy.base import AnswerKind
from robodata_core.policy.offline import combine
from robodata_core.policy.offline.candidate import Candidate, Link, Narrowed
from robodata_core.policy.offline.described import Description, descriptions, retold, without
from robodata_core.policy.offline.mentions import Linking, Mention
from robodata_core.policy.offline.nesting import chained, named
from robodata_core.policy.offline.question import Question, Request, reread
from robodata_core.policy.offline.relations import Match
from robodata_core.policy.offline.solve import Solver
from robodata_core.policy.offline.solved import (
    Failure,
    LinkRequest,
    SetOf,
    Solved,
    related_to,
    solve_alone,
)
from robodata_core.policy.offline.weights import content_of
from robodata_core.policy.offline.words import FUNCTION_WORDS, GENERIC_NOUNS, STANDS_FOR
from robodata_core.programs.executor import Executor
from robodata_core.programs.steps import FilterByConstraint, FilterByType

__all__ = ["Describing", "left_out"]

_MOST_TRIED: Final = 3
#: How much a word weighs that says something.
_SAYING: Final = 0.7


@dataclass(frozen=True, slots=True)
class Describing:
    """Solves requests that describe something.

    Attributes:
        solver: Solves plain requests.
        executor: Runs programs.
        link: Links a request, in the context of those before it.
        set_of: Solves some words as a question of their own.
        threshold: Confidence from which a part counts.
    """

    solver: Solver
    executor: Executor
    link: LinkRequest
    set_of: SetOf
    threshold: float

    def solve(
        self,
        question: Question,
        request: Request,
        linking: Linking,
        matches: Sequence[Match],
        depth: int,
    ) -> Solved | None:
        """Solve a request with what one of its descriptions gives."""
        for description in descriptions(question, request, linking, matches):
            words = retold(question, description.inner)
            inner = solve_alone(self.set_of, words, depth + 1)
            if isinstance(inner, Failure) or inner.candidate.final != "set":
                continue
            if description.name is not None:
                meant = self._meant(inner, description.name)
                if meant is None:
                    continue
                inner = meant
            outcome = self._around(question, request, description, inner)
            if outcome is not None:
                return outcome
        return None

    def _meant(self, inner: Solved, name: Mention) -> Solved | None:
        """Return those of a name that are also what stands beside it."""
        ids = tuple(dict.fromkeys(item.id for item in name.entities))
        link = Link(name, ids, name.entities[0].quality)
        whole = combine.joined([inner.candidate, Candidate.start(link, name.span)], True)
        outcome = inner.then(replace(whole, narrowed=Narrowed()), self.executor)
        return outcome if outcome.result.members else None

    def _around(
        self, question: Question, request: Request, description: Description, inner: Solved
    ) -> Solved | None:
        """Solve the rest of the question with what a description gave."""
        values = [v for v in inner.result.members if isinstance(v, EntityValue)]
        if not values:
            return None
        kind = AnswerKind.YES_OR_NO if request.kind is AnswerKind.YES_OR_NO else AnswerKind.THINGS
        rest = without(question, request, description, STANDS_FOR)
        shorter, plain = reread(rest, range(len(rest.tokens)), kind)
        place = next(i for i, token in enumerate(shorter.tokens) if token.norm == STANDS_FOR)
        if kind is AnswerKind.THINGS and _says_nothing(shorter, place):
            return inner
        linking, matches = self.link(shorter, plain)
        linking = named(linking, place, values)
        ranked = self.solver.on(shorter).solve(plain, linking, matches).ranked
        for scored in ranked[:_MOST_TRIED]:
            whole = chained(inner.candidate, scored.candidate)
            if whole is None or scored.confidence < self.threshold:
                continue
            if description.shared or any(token.norm == "else" for token in shorter.tokens):
                if whole.final != "set":
                    continue  # what a yes or no was started from cannot be left out any more
                named_there = (id_ for link in inner.candidate.links for id_ in link.ids)
                whole = combine.others(whole, tuple(EntityValue(id_) for id_ in named_there))
            begun = replace(inner, question=shorter, request=plain, linking=linking)
            outcome = begun.then(whole, self.executor)
            outcome = replace(
                outcome, matches=matches, confidence=min(inner.confidence, scored.confidence)
            )
            if whole.final in ("yes", "no"):
                related = () if outcome.result.boolean else related_to(whole, self.executor)
                return replace(outcome, related=related)
            if outcome.result.members:
                return outcome
        return None


def left_out(
    question: Question,
    request: Request,
    linking: Linking,
    matches: Sequence[Match],
    candidate: Candidate,
) -> str:
    """Return words for a relation that a reading leaves out of a question with a description.

    In "who founded the label that X founded" two relations are said; a reading with one of them
    answers something else.
    """
    found = descriptions(question, request, linking, matches)
    if not found:
        return ""
    if found[0].shared and not (candidate.path and candidate.path[-1].back):
        return "same"
    if any(question.tokens[i].norm == "else" for i in range(request.start, request.end)):
        return "else"
    ends = bool(candidate.steps) and isinstance(
        candidate.steps[-1], (FilterByType, FilterByConstraint)
    )
    for link in candidate.links[1:]:
        if ends and found[0].place in link.mention.span and not link.mention.span & request.focus:
            return link.mention.text  # said of what is described, not of what is asked for
    mixed = _mixed(question, found[0].taken | request.focus, candidate)
    if mixed:
        return mixed
    heads = {one.place for one in found} | request.focus
    said = {i for match in matches for i in match.span}
    told = candidate.covered.union(*(link.mention.span for link in candidate.links))
    weights = content_of(question.tokens, request)
    open_ = [
        i for i, weight in weights.items()
        if weight >= _SAYING and i in said and i not in told and i not in heads
    ]  # fmt: skip
    saying = [match for match in matches if not match.span & heads]
    left = [i for i in open_ if not _walked(i, candidate, saying)]
    return question.tokens[left[0]].text if left else ""


def _mixed(question: Question, taken: frozenset[int], candidate: Candidate) -> str:
    """Return a word that one hop takes together with one of a description: they are two hops.

    "A husband of the woman whom X married" goes to X's wife first, and from there to a husband.
    """
    for use in candidate.path:
        said = {i for i in use.span if question.tokens[i].norm not in FUNCTION_WORDS}
        outside = sorted(said - taken)
        if outside and said & taken and not use.back:
            return question.tokens[outside[0]].text
    return ""


def _walked(at: int, candidate: Candidate, matches: Sequence[Match]) -> bool:
    """Tell whether a relation is walked as often as the question's words name it."""
    names = {
        name
        for match in matches
        if at in match.span
        for hop in match.reading.hops
        for name, _ in hop
    }
    uses = sum(any(name in names for name, _ in use.hop) for use in candidate.edges)
    places = sorted(
        {
            (match.start, match.end)
            for match in matches
            if not match.reading.relations.isdisjoint(names)
        }
    )
    said, last = 0, -1
    for start, end in places:
        said += start >= last
        last = max(last, end)
    return uses >= said


def _says_nothing(question: Question, place: int) -> bool:
    """Tell whether only what is described is asked for: "who is [the man that ...]"."""
    return all(
        i == place or not token.word or token.norm in FUNCTION_WORDS | GENERIC_NOUNS
        for i, token in enumerate(question.tokens)
    )
