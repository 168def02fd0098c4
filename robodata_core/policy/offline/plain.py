"""Solving words that hold no operators: as one plain question, a name, a bound set, or everybody.

``deep`` takes a question apart; what is left of it when its operators are gone is solved here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from robodata_core.model import MatchKind
from robodata_core.policy.base import AnswerKind
from robodata_core.policy.offline.candidate import Candidate, Link, Scored
from robodata_core.policy.offline.finding import unread
from robodata_core.policy.offline.in_vain import missing
from robodata_core.policy.offline.members import asked_of
from robodata_core.policy.offline.mentions import Linking, Mention
from robodata_core.policy.offline.question import Question, Request, reread
from robodata_core.policy.offline.relations import Match
from robodata_core.policy.offline.solve import Solver
from robodata_core.policy.offline.solved import Failure, LinkRequest, Solved
from robodata_core.policy.offline.words import FUNCTION_WORDS
from robodata_core.programs.executor import Executor
from robodata_core.programs.steps import FilterByType

__all__ = ["Plain"]

_MOST_TRIED: Final = 3
_ABOUT: Final = 0.02


@dataclass(frozen=True, slots=True)
class Plain:
    """Solves words that hold no operators.

    Attributes:
        solver: Solves plain requests.
        executor: Runs programs.
        link: Links a request, in the context of those before it.
        threshold: Confidence from which a reading counts.
    """

    solver: Solver
    executor: Executor
    link: LinkRequest
    threshold: float

    def solve(
        self, question: Question, request: Request, linking: Linking, matches: tuple[Match, ...]
    ) -> Solved | Failure:
        """Solve a request as it stands; by the plainest of the readings that are as good."""
        word = unread(question.tokens, request, linking.mentions, matches)
        if word:
            return Failure(
                f"What “{word}” compares was not understood.",
                linking,
                matches,
                question,
                unread=True,
            )
        ranked = self.solver.on(question).solve(request, linking, matches).ranked
        for scored in _plainest_first(ranked)[:_MOST_TRIED]:
            result = self.executor.run(scored.candidate.program())
            if result.members and scored.confidence >= self.threshold:
                return Solved(
                    question, request, linking, matches, scored.candidate, result,
                    scored.confidence,
                )  # fmt: skip
        named = [m for m in linking.mentions if m.entities]
        names = [question.raw(m.start, m.end) for m in named]
        taken = {i for m in named for i in m.span}
        words = [
            token.text for i, token in enumerate(question.tokens)
            if token.word and i not in taken and token.norm not in FUNCTION_WORDS
        ]  # fmt: skip
        why = (
            f"Nothing called “{linking.unlinked[0]}” was found in the graph."
            if linking.unlinked
            else missing(names, words)
        )
        return Failure(why, linking, matches, question, unread=True)

    def named(self, question: Question, kept: Sequence[int]) -> Solved | None:
        """Return what some words name, where they are a name and nothing else."""
        shorter, request = reread(question, kept)
        if not shorter.tokens:
            return None
        linking, matches = self.link(shorter, request)
        content = {
            i for i, token in enumerate(shorter.tokens)
            if token.word and token.norm not in FUNCTION_WORDS
        }  # fmt: skip
        whole = [m for m in linking.mentions if m.entities and content <= m.span]
        whole.sort(key=lambda m: m.demonym)
        return self._start(shorter, request, linking, matches, whole[0]) if whole else None

    def members(self, question: Question, kept: Sequence[int]) -> Solved | None:
        """Return a set that the question binds to ids, where nothing else is said of it."""
        shorter, request = reread(question, kept)
        linking, matches = self.link(shorter, request)
        whole = asked_of(shorter.tokens, request, linking)
        content = {
            i for i, token in enumerate(shorter.tokens)
            if token.word and token.norm not in FUNCTION_WORDS
        }  # fmt: skip
        if whole is None or not content <= whole.span:
            return None
        return self._start(shorter, request, linking, matches, whole)

    def _start(
        self,
        question: Question,
        request: Request,
        linking: Linking,
        matches: tuple[Match, ...],
        mention: Mention,
    ) -> Solved:
        """Return what a mention names."""
        chosen = mention.entities[: None if mention.whole else 1]
        link = Link(mention, tuple(item.id for item in chosen), chosen[0].quality)
        candidate = Candidate.start(link, mention.span)
        result = self.executor.run(candidate.program())
        return Solved(
            question, request, linking, matches, candidate, result, 1.0, proper=mention.proper
        )

    def everybody(self, question: Question, request: Request) -> Solved | None:
        """Return all people, where "who" asks among everybody and the graph has such a class."""
        via = tuple(sorted(self.solver.index.called("instance of")))
        if request.wanted != "person" or not via:
            return None
        classes = tuple(
            hit.id
            for hit in self.solver.source.search("human", limit=3)
            if hit.match is MatchKind.LABEL
        )
        if not classes:
            return None
        step = FilterByType("n0", "", classes[:1], via)
        candidate = Candidate((step,), "n0", (), ("n0",), typed=True)
        result = self.executor.run(candidate.program())
        plain = replace(request, focus=frozenset(), kind=AnswerKind.THINGS)
        if not result.members or result.truncated:
            return None
        return Solved(question, plain, Linking(()), (), candidate, result, 0.9)


def _plainest_first(ranked: Sequence[Scored]) -> list[Scored]:
    """Put the shortest of the readings first that are about as good as the best one."""
    best = ranked[0].confidence if ranked else 0.0
    good = [
        item for item in ranked
        if item.confidence >= best - _ABOUT and item.candidate.path
    ]  # fmt: skip
    good.sort(key=lambda item: len(item.candidate.path))
    leads = len(ranked) > 0 and len(ranked[0].candidate.path) > 1
    return [*good, *(item for item in ranked if item not in good)] if leads else list(ranked)
