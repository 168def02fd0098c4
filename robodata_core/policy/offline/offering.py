"""Questions that offer their answers: "scissors: plastic or steel", "X, is it A or B".

One of what is offered is asked for, not yes or no. It is looked for among what the rest of the
question gives, or among what the graph states of the name that stands before; where it states none
of what is offered, nothing is said.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from robodata_core.errors import SourceError
from robodata_core.model import Direction, EntityValue, Statement
from robodata_core.policy.offline.candidate import Candidate, EdgeUse, Link
from robodata_core.policy.offline.mentions import Mention
from robodata_core.policy.offline.offers import Offered, read_offered
from robodata_core.policy.offline.question import Kind, Question, Request, analyse
from robodata_core.policy.offline.solved import Failure, Solved, solve_alone
from robodata_core.policy.offline.special import Special
from robodata_core.policy.offline.words import FUNCTION_WORDS
from robodata_core.programs.describe import listed
from robodata_core.programs.steps import Follow, Intersect, Start

__all__ = ["Offering"]

_SURE: Final = 0.9
_READINGS: Final = 4
_STATED: Final = 400
_WHOSE: Final = re.compile(
    r"(?:is|was|are|were) (?P<asked>(?:the .+ of .+|.+'s .+))", re.IGNORECASE | re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Offering(Special):
    """Answers questions that offer their answers."""

    def solve(self, question: Question, request: Request) -> Solved | Failure | None:
        """Answer such a question; None where it is none."""
        if request.kind is Kind.COUNT:
            return None
        text = question.raw(request.start, request.end)
        if " or " not in text.lower():
            return None
        try:
            found = self._of_whom(question, request)
            if found is not None:
                return found
            offered = read_offered(text)
            return self._among(offered) if offered is not None else None
        except SourceError:
            return Failure("The source could not compare what is offered.")

    def _among(self, offered: Offered) -> Solved | Failure | None:
        options = [self._named(one) for one in offered.options]
        if any(one is None for one in options):
            return None
        known = [one for one in options if one is not None]
        if offered.asked:
            return self._asked(offered.asked, known)
        name = self._named(offered.name)
        return self._stated(name, known) if name is not None else None

    def _named(self, words: str) -> Mention | None:
        """Return the name that some words are."""
        question = analyse(words)
        request = question.requests[0]
        content = {
            i for i, token in enumerate(question.tokens)
            if token.word and token.norm not in FUNCTION_WORDS
        }  # fmt: skip
        linking, _ = self.solver.on(question).link(request)
        named = [m for m in linking.mentions if m.entities and content and content <= m.span]
        return max(named, key=lambda m: (m.exact, len(m.span), not m.demonym), default=None)

    # -- "is the capital of X A or B" ---------------------------------------------------------

    def _of_whom(self, question: Question, request: Request) -> Solved | Failure | None:
        """Answer where one thing is described, of which one of two names is asked for."""
        tokens = question.tokens
        at = next(
            (i for i in range(request.start + 3, request.end) if tokens[i].norm == "or"), None
        )
        if at is None or tokens[request.start].norm not in ("is", "was", "are", "were"):
            return None
        linking, _ = self.solver.on(question).link(request)
        last = max((i for i in range(request.end) if tokens[i].word), default=0) + 1
        named = [m for m in linking.mentions if m.entities and (m.proper or m.exact)]
        first = max((m for m in named if m.end == at), key=lambda m: len(m.span), default=None)
        second = [m for m in named if m.start == at + 1 and m.end == last]
        if first is None or not second:
            return None
        whose = _WHOSE.fullmatch(question.raw(request.start, first.start).replace("’", "'"))
        if whose is None:
            return None
        asked = (self._asked(f"{word} is {whose['asked']}?", (first, second[0]))
                 for word in ("What", "Who"))  # fmt: skip
        return next((one for one in asked if one is not None), None)

    # -- what the rest gives ------------------------------------------------------------------

    def _asked(self, asked: str, options: Sequence[Mention]) -> Solved | None:
        """Return those of what is offered that a question of its own gives."""
        base = solve_alone(self.set_of, analyse(asked))
        if isinstance(base, Failure) or base.candidate.final != "set" or base.result.truncated:
            return None
        members = set(base.result.members)
        kept = [
            (option, item.id) for option in options for item in option.entities[:_READINGS]
            if EntityValue(item.id) in members
        ]  # fmt: skip
        if not kept:
            return None
        outcome = self._narrowed(base, kept)
        return replace(outcome, missing=base.missing, related=base.related)

    def _narrowed(self, base: Solved, kept: Sequence[tuple[Mention, str]]) -> Solved:
        """Keep of a set what was offered."""
        values = tuple(dict.fromkeys(EntityValue(id_) for _, id_ in kept))
        candidate = base.candidate
        start = Start(f"n{len(candidate.steps)}", values)
        both = Intersect(f"n{len(candidate.steps) + 1}", (candidate.out, start.out))
        whole = replace(
            candidate, steps=(*candidate.steps, start, both), out=both.out,
            history=(*candidate.history, both.out),
        )  # fmt: skip
        return base.then(whole, self.executor)

    def _stated(self, name: Mention, options: Sequence[Mention]) -> Solved | Failure | None:
        """Return those of what is offered that the graph states of a name."""
        wanted = {item.id: one for one in options for item in one.entities[:_READINGS]}
        for item in name.entities[:_READINGS]:
            page = self.solver.source.statements(item.id, limit=_STATED)
            told = [
                one for one in page.statements
                if isinstance(one.value, EntityValue) and one.value.id in wanted
            ]  # fmt: skip
            if told:
                return self._direct(name, item.id, told, wanted)
        labels = listed(f"“{one.text}”" for one in options)
        return Failure(f"The graph states none of {labels} for {name.entities[0].label}.")

    def _direct(
        self, name: Mention, id_: str, told: Sequence[Statement], wanted: dict[str, Mention]
    ) -> Solved:
        """Follow the relations that are stated, and keep what is offered."""
        question = analyse(name.text)
        request = replace(question.requests[0], kind=Kind.SET, focus=frozenset(), wanted="")
        linking, matches = self.solver.on(question).link(request)
        quality = next(one.quality for one in name.entities if one.id == id_)
        names = tuple(dict.fromkeys(one.property for one in told))
        link = Link(name, (id_,), quality)
        start = Candidate.start(link, name.span)
        use = EdgeUse(tuple((one, Direction.OUT) for one in names))
        follow = Follow("n1", "n0", names)
        whole = replace(
            start, steps=(*start.steps, follow), out="n1", history=("n0", "n1"), edges=(use,)
        )
        result = self.executor.run(whole.program())
        base = Solved(question, request, linking, matches, whole, result, min(_SURE, quality))
        kept = [(wanted[one.value.id], one.value.id) for one in told
                if isinstance(one.value, EntityValue)]  # fmt: skip
        label = listed(self.solver.index.name_of(one) for one in names)
        about = f"What is offered was looked for as {label} of {self.solver.reader.label(id_)}."
        return replace(self._narrowed(base, kept), notes=(about,))
