"""Solving requests with operators: a plain question first, then what is done to its set.

"Which philosophers born before 1800 were not influenced by Kant?": the words of the operators are
taken away, the rest is solved like any question, and each operator becomes program steps on what
came out. Parts in parentheses of a longer sentence ("older than the father of X") are questions of
their own. What could not be done is said in words; nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from robodata_core.model import EntityValue, Statement
from robodata_core.policy.base import AnswerKind
from robodata_core.policy.offline import combine
from robodata_core.policy.offline.candidate import Candidate
from robodata_core.policy.offline.choosing import Choosing
from robodata_core.policy.offline.denying import Denier
from robodata_core.policy.offline.describing import Describing, left_out
from robodata_core.policy.offline.finding import find
from robodata_core.policy.offline.limiting import Limiter
from robodata_core.policy.offline.mentions import Linking
from robodata_core.policy.offline.nesting import (
    Phrase,
    chained,
    compared_words,
    inner_phrases,
    is_inner,
    named,
    noun_phrases,
    put_in,
)
from robodata_core.policy.offline.operators import Found
from robodata_core.policy.offline.picking import Picker
from robodata_core.policy.offline.plain import Plain
from robodata_core.policy.offline.question import Question, Request, reread
from robodata_core.policy.offline.relations import Match
from robodata_core.policy.offline.solve import Solver
from robodata_core.policy.offline.solved import Failure, LinkRequest, Solved, as_asked
from robodata_core.policy.offline.splitting import Split, split
from robodata_core.policy.offline.stated import ids_of
from robodata_core.policy.offline.words import AUXILIARIES, FUNCTION_WORDS, GENERIC_NOUNS, WH_WORDS
from robodata_core.programs.executor import Executor
from robodata_core.programs.steps import FilterByType
from robodata_core.text import clean_text

__all__ = ["Deep"]

_MOST_TRIED: Final = 3
_DEEPEST: Final = 4
_LONG: Final = 12
_MOST_PARTS: Final = 40
_QUOTED: Final = 160
_STATED: Final = 20


@dataclass(frozen=True, slots=True)
class Deep:
    """Solves requests that hold operators.

    Attributes:
        solver: Solves plain requests.
        executor: Runs programs.
        link: Links a request, in the context of those before it.
        threshold: Confidence from which a part counts.
        spent: How many parts of the question have been solved so far.
    """

    solver: Solver
    executor: Executor
    link: LinkRequest
    threshold: float
    spent: list[int] = field(default_factory=lambda: [0])

    @property
    def plain(self) -> Plain:
        """What solves words without operators."""
        return Plain(self.solver, self.executor, self.link, self.threshold)

    def solve(
        self, question: Question, request: Request, linking: Linking, matches: tuple[Match, ...]
    ) -> Solved | Failure | None:
        """Solve a request, or return None where it holds no operator."""
        found = self._found(question, request, linking, matches)
        if request.kind is AnswerKind.YES_OR_NO:
            sized = Choosing(self.plain, self.set_of).has_size(question, request, found, 0)
            if sized is not None:
                return sized
            if _asks_whether_any(question, request):
                kept = range(request.start + 2, request.end)
                return as_asked(self.set_of(question, kept, 0), request, self.executor)
        parts = split(question, request, linking, matches, found)
        if parts is None and not found.span:
            return None
        return self._solve(question, request, found, parts, 0)

    def inner(
        self, question: Question, request: Request, linking: Linking, matches: Sequence[Match]
    ) -> Solved | None:
        """Solve "the capitals of [the countries that ...]" from within."""
        described = self._described(question, request, linking, tuple(matches), 0)
        if described is not None:
            told = as_asked(described, request, self.executor)
            return told if isinstance(told, Solved) else None
        if request.kind is AnswerKind.YES_OR_NO:
            return None
        for phrase in noun_phrases(question, request, linking, matches):
            inner = self.set_of(question, range(phrase.start, phrase.end), 1)
            if isinstance(inner, Failure):
                continue
            outcome = self._around(question, request, phrase, inner)
            final = as_asked(outcome, request, self.executor) if outcome else None
            if isinstance(final, Solved):
                return final
        return None

    def _described(
        self,
        question: Question,
        request: Request,
        linking: Linking,
        matches: tuple[Match, ...],
        depth: int,
    ) -> Solved | None:
        """Solve a request about something that it describes: "the man whom X married"."""
        around = Describing(self.solver, self.executor, self.link, self.set_of, self.threshold)
        return around.solve(question, request, linking, matches, depth)

    def alternatives(self, question: Question, request: Request, parts: Split) -> Solved | Failure:
        """Solve alternatives that were found elsewhere."""
        return self._joined(question, request, parts, 0)

    def _found(
        self, question: Question, request: Request, linking: Linking, matches: tuple[Match, ...]
    ) -> Found:
        index = self.solver.index
        return find(question.tokens, request, linking.mentions, matches, index)

    def _solve(
        self, question: Question, request: Request, found: Found, parts: Split | None, depth: int
    ) -> Solved | Failure:
        if (
            found.pick is not None
            and found.pick.single
            or (found.pick is not None and parts is not None and parts.names)
        ):
            return Choosing(self.plain, self.set_of).choice(question, request, found, parts)
        if parts is not None:
            return self._joined(question, request, parts, depth)
        if request.kind is AnswerKind.YES_OR_NO and found.pick is not None:
            return Choosing(self.plain, self.set_of).is_extreme(question, request, found, depth)
        inner = is_inner(question, request, found)
        outcome = None if inner else self._operated(question, request, found, depth)
        if outcome is None or isinstance(outcome, Failure):
            within = self._within(question, request, found, depth)
            if isinstance(within, Solved) or outcome is None:
                outcome = within
        return as_asked(outcome, request, self.executor)

    def _within(
        self, question: Question, request: Request, found: Found, depth: int
    ) -> Solved | Failure:
        """Solve the phrase that operators belong to first: "the capital of the largest X"."""
        shorter, plain = reread(question, range(request.start, request.end))
        _, matches = self.link(shorter, plain)
        offset = request.start
        moved = tuple(replace(m, start=m.start + offset, end=m.end + offset) for m in matches)
        words = clean_text(compared_words(question, request, found), limit=_QUOTED)
        failure = Failure(
            f"The graph has nothing that “{words}” could be told from." if words
            else "It is not clear what the question compares.", question=question, unread=True,
        )  # fmt: skip
        if depth > _DEEPEST:
            return failure
        for phrase in inner_phrases(question, request, found, moved):
            inner = self.set_of(question, range(phrase.start, phrase.end), depth + 1)
            if isinstance(inner, Failure) or _of_anything(inner.candidate):
                continue
            outcome = self._around(question, request, phrase, inner)
            if outcome is not None:
                return outcome
            labels = [self.solver.reader.label(id_) for id_ in ids_of(inner.result.members[:3])]
            if not labels:
                continue
            text = clean_text(question.raw(phrase.start, phrase.end), limit=_QUOTED)
            found_so_far = f"“{text}” was read as {' and '.join(labels)}"
            failure = Failure(f"{found_so_far}, for which the graph holds no answer to the rest.")
        return failure

    def _around(
        self, question: Question, request: Request, phrase: Phrase, inner: Solved
    ) -> Solved | None:
        """Solve the outer question with what an inner phrase gave."""
        outer = put_in(question, request, phrase)
        values = [v for v in inner.result.members if isinstance(v, EntityValue)]
        if outer is None or not values:
            return None
        shorter, plain, place = outer
        linking, matches = self.link(shorter, plain)
        linking = named(linking, place, values)
        ranked = self.solver.on(shorter).solve(plain, linking, matches).ranked
        for scored in ranked[:_MOST_TRIED]:
            whole = chained(inner.candidate, scored.candidate)
            if whole is None or scored.confidence < self.threshold:
                continue
            outcome = replace(inner, question=shorter, request=plain).then(whole, self.executor)
            if outcome.result.members:
                return replace(outcome, confidence=min(inner.confidence, scored.confidence))
        return None

    # -- sets ---------------------------------------------------------------------------------

    def set_of(self, question: Question, kept: Sequence[int], depth: int) -> Solved | Failure:
        """Solve some words of a question as a question of their own."""
        shorter, request = reread(question, kept)
        # Solving a part takes a time that grows faster than its length: long ones count for more.
        self.spent[0] += 1 + len(kept) // _LONG
        if not shorter.tokens or depth > _DEEPEST:
            return Failure("The question could not be taken apart.", unread=True)
        if self.spent[0] > _MOST_PARTS:
            return Failure(
                "The question has more parts than are taken apart; ask for less at once."
            )
        linking, matches = self.link(shorter, request)
        found = self._found(shorter, request, linking, matches)
        parts = split(shorter, request, linking, matches, found)
        if parts is None and not found.span:
            return self._whole(shorter, request, linking, matches, depth)
        return self._solve(shorter, request, found, parts, depth + 1)

    def _whole(
        self,
        question: Question,
        request: Request,
        linking: Linking,
        matches: tuple[Match, ...],
        depth: int,
    ) -> Solved | Failure:
        """Solve a request without operators as a whole, or by what it describes."""
        outcome = self.plain.solve(question, request, linking, matches)
        if isinstance(outcome, Solved):
            left = left_out(question, request, linking, matches, outcome.candidate)
            if not left:
                return outcome
            outcome = Failure(
                f"What “{left}” is said of was not understood.", question=question, unread=True
            )
        return self._described(question, request, linking, matches, depth) or outcome

    def _operated(
        self, question: Question, request: Request, found: Found, depth: int
    ) -> Solved | Failure:
        """Solve the plain rest of a request and apply its operators in turn."""
        base = self._base(question, request, found, depth)
        if base is None and self._counts(found):
            base = self.plain.everybody(question, request)
        for limit in found.limits:
            limiter = Limiter(self.solver, self.executor, self._other(question, depth))
            base = limiter.apply(base, limit, question, request.kind is AnswerKind.YES_OR_NO)
            if isinstance(base, Failure):
                return base
        if isinstance(base, Failure) or base is None:
            return base or Failure("It is not said among what to look.", unread=True)
        for denial in found.denials:
            kept = _left(request, found.span - (denial.span - denial.words))
            denier = Denier(self.solver, self.executor, self.link, self.set_of, depth)
            outcome = denier.apply(base, denial, question, kept)
            if isinstance(outcome, Failure):
                return outcome
            base = outcome
            if any(link.mention.whole for link in base.candidate.links):
                base = replace(base, related=(*self._stated_instead(base), *base.related))
        if found.pick is not None:
            return Picker(self.solver, self.executor).apply(base, found.pick)
        return base

    def _stated_instead(self, left: Solved) -> tuple[Statement, ...]:
        """Return what is stated of members of a bound set where others have what is denied."""
        ids = ids_of(left.result.members)
        found: list[Statement] = []
        for name in dict.fromkeys(one.property for one in left.related):
            pages = self.solver.source.statements_many(ids, property=name, limit=_STATED)
            found += [one for id_ in ids if id_ in pages for one in pages[id_].statements]
        return tuple(found)

    @staticmethod
    def _counts(found: Found) -> bool:
        """Tell whether others are counted of each, or what is stated of all is compared.

        "Who has the most children", "who was born first": among everybody.
        """
        parts = (*found.limits, *((found.pick,) if found.pick else ()))
        compared = found.pick is not None and found.pick.aspect.given and not found.limits
        return compared or any(part.aspect.noun is not None for part in parts)

    def _base(
        self, question: Question, request: Request, found: Found, depth: int
    ) -> Solved | Failure | None:
        """Solve the rest; None where it says nothing, so that everything may be meant."""
        kept = _left(request, found.span)
        tokens = question.tokens
        if request.kind is AnswerKind.YES_OR_NO:
            while kept and tokens[kept[0]].norm in AUXILIARIES | {"the", "whether", "if"}:
                kept = kept[1:]
        content = [
            i for i in kept
            if tokens[i].word and tokens[i].norm not in FUNCTION_WORDS | GENERIC_NOUNS
        ]  # fmt: skip
        if not content and request.kind is not AnswerKind.YES_OR_NO:
            return None
        if any(tokens[i].ids[1:] for i in kept):
            return self.plain.members(question, kept) or self.set_of(question, kept, depth)
        if request.kind is AnswerKind.YES_OR_NO or not any(
            tokens[i].norm in WH_WORDS for i in kept
        ):
            named = self.plain.named(question, kept)
            if named is not None and (request.kind is AnswerKind.YES_OR_NO or named.proper):
                return named
        return self.set_of(question, kept, depth)

    def _other(self, question: Question, depth: int) -> Callable[[Sequence[int]], Solved | Failure]:
        """Return a function that finds the other side of a comparison."""

        def _other(kept: Sequence[int]) -> Solved | Failure:
            named = self.plain.named(question, kept)
            return named if named is not None else self.set_of(question, kept, depth + 1)

        return _other

    # -- several sets -------------------------------------------------------------------------

    def _joined(
        self, question: Question, request: Request, parts: Split, depth: int
    ) -> Solved | Failure:
        """Solve each alternative and put the sets together."""
        solved: list[Solved] = []
        failures: list[Failure] = []
        for removed in parts.removed:
            kept = _left(request, removed)
            if request.kind is AnswerKind.YES_OR_NO:
                return Failure(
                    "A yes/no question with alternatives is not understood.", unread=True
                )
            outcome = self.set_of(question, kept, depth)
            if isinstance(outcome, Failure):
                failures.append(outcome)
            else:
                solved.append(outcome)
        if not solved or (parts.every and failures):
            return failures[0]
        whole = combine.joined([one.candidate for one in solved], parts.every)
        if len(solved) == 1:
            whole = solved[0].candidate
        outcome = solved[0].then(whole, self.executor)
        outcome = replace(
            outcome,
            confidence=min(one.confidence for one in solved),
            notes=tuple(dict.fromkeys(n for one in solved for n in one.notes)),
            missing=tuple(
                dict.fromkeys([m for s in solved for m in s.missing] + [f.reason for f in failures])
            ),
            related=tuple(dict.fromkeys(s for one in solved for s in one.related)),
        )
        if not outcome.result.members:
            return Failure("Nothing in the graph is stated to be both.", question=question)
        return as_asked(outcome, request, self.executor)


def _of_anything(candidate: Candidate) -> bool:
    """Tell whether a phrase names neither a thing nor a kind: "before 1950" is no noun."""
    kinds = any(isinstance(step, FilterByType) for step in candidate.steps)
    return not candidate.links and not kinds


def _left(request: Request, removed: Iterable[int]) -> list[int]:
    """Return the tokens of a request without some."""
    gone = frozenset(removed)
    return [i for i in range(request.start, request.end) if i not in gone]


def _asks_whether_any(question: Question, request: Request) -> bool:
    """Tell whether a question only asks if there is any: "is there a country that ..."."""
    words = [token.norm for token in question.tokens[request.start : request.start + 2]]
    return len(words) == 2 and words[0] in AUXILIARIES and words[1] == "there"
