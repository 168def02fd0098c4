"""Comparing how many: which of some names has more, whether one has, and by how many.

"Do more people play the violin or the accordion" asks for one of the two, not for yes or no. Both
numbers are cited; where the graph states none for a side, nothing can be said. Nothing is counted
where the graph states the number: of two countries, more people are in that of larger population.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from robodata_core.errors import SourceError
from robodata_core.model import EntityValue, MatchKind, QuantityValue, Statement, Value
from robodata_core.policy.base import AnswerKind
from robodata_core.policy.offline import combine
from robodata_core.policy.offline.candidate import Candidate, EdgeUse, Link
from robodata_core.policy.offline.leftovers import linked
from robodata_core.policy.offline.limiting import Limiter
from robodata_core.policy.offline.mentions import Linked, Linking, Mention
from robodata_core.policy.offline.operators import Aspect, Limit, Pick
from robodata_core.policy.offline.picking import Picker
from robodata_core.policy.offline.question import Question, Request, analyse
from robodata_core.policy.offline.relations import Hop, Match
from robodata_core.policy.offline.sides import Contest, find_contest
from robodata_core.policy.offline.solved import Failure, Solved, as_asked
from robodata_core.policy.offline.stated import values_of
from robodata_core.policy.offline.tallies import Tally, noun_end
from robodata_core.policy.offline.tallying import Tallier
from robodata_core.policy.offline.walks import Walk, Walks
from robodata_core.policy.offline.words import AUXILIARIES, WH_WORDS, said
from robodata_core.programs.comparison import OPERATORS
from robodata_core.programs.steps import (
    Aggregate,
    Comparison,
    Count,
    Follow,
    Function,
    Intersect,
    JudgeSize,
    Start,
    Step,
    Union,
)

__all__ = ["Versus"]

_TRIED: Final = 6
_SURE: Final = 0.95
_LIKELY: Final = 0.65
_READINGS: Final = 4
_ASIDE: Final = AUXILIARIES | WH_WORDS | said("beside sides")


@dataclass(frozen=True, slots=True)
class _Side:
    """One side of a comparison: what it stands for, and the set that is counted for it."""

    mention: Mention
    item: Linked
    candidate: Candidate
    members: tuple[Value, ...]
    evidence: tuple[Statement, ...]

    @property
    def value(self) -> EntityValue:
        """What the side stands for, as a value."""
        return EntityValue(self.item.id)

    @property
    def way(self) -> Hop | None:
        """The relation that joins it to what is counted, where that is all that does."""
        start = next(s for s in self.candidate.steps if s == Start(s.out, (self.value,)))
        first = next(s for s in self.candidate.steps if start.out in s.reads)
        (*further, hop) = (use.hop for use in reversed(self.candidate.path))
        return None if further or not isinstance(first, Follow) else hop


@dataclass(frozen=True, slots=True)
class Versus:
    """Compares how many.

    Attributes:
        tallier: Knows what counts and runs programs.
    """

    tallier: Tallier

    def solve(
        self, question: Question, request: Request, linking: Linking, matches: tuple[Match, ...]
    ) -> Solved | Failure | None:
        """Answer a comparison of how many; None where the request is none."""
        tokens = question.tokens
        mentions = (*linking.mentions, *self._with_shared_head(question, request, linking))
        contest = find_contest(tokens, request, mentions)
        if contest is None or contest.noun >= request.end:
            return None
        if contest.joint == "than" and request.kind is AnswerKind.THINGS:
            return None  # "who has more children than X" keeps some of all people
        free = [m for m in matches if not m.span & contest.all_sides or m.span - contest.all_sides]
        end = min(
            noun_end(tokens, contest.noun, request.end, free),
            min((i for i in contest.all_sides if i > contest.noun), default=request.end),
        )
        tally = Tally(contest.word, (contest.noun, end), contest.high)
        if contest.noun >= end:
            return None
        try:
            return self._stated(
                question, request, linking, tuple(free), contest, tally
            ) or self._compared(question, request, linking, tuple(free), contest, tally)
        except SourceError:
            return Failure("The source could not count so much; ask for less.")

    def _with_shared_head(
        self, question: Question, request: Request, linking: Linking
    ) -> list[Mention]:
        """Return names that lack the last word of the next: "Novodevichy or X Cemetery"."""
        found: list[Mention] = []
        tokens = question.tokens
        named = [m for m in linking.mentions if m.proper and m.exact and m.end - m.start > 1]
        for at in range(request.start + 1, request.end):
            if tokens[at].norm not in ("or", "than") or not linking.unlinked:
                continue
            later = min((m for m in named if m.start > at), key=lambda m: m.start, default=None)
            start = at
            while start > request.start and tokens[start - 1].capitalised:
                start -= 1
            if later is None or start == at:
                continue
            name = f"{question.raw(start, at)} {tokens[later.end - 1].text}"
            hits = self.tallier.solver.source.search(name, limit=3)
            exact = [hit for hit in hits if hit.match is MatchKind.LABEL]
            if exact:
                found.append(Mention(start, at, name, linked(exact, name), True))
        return found

    def _compared(
        self,
        question: Question,
        request: Request,
        linking: Linking,
        matches: tuple[Match, ...],
        contest: Contest,
        tally: Tally,
    ) -> Solved | Failure | None:
        walks = Walks(question.tokens, request, matches, self.tallier.solver.index, tally)
        reason: Failure | None = None
        there = any(question.tokens[i].norm == "there" for i in range(request.start, contest.noun))
        for walk in [] if there else list(walks.all())[:_TRIED]:
            if contest.sized and walk.typed:
                continue
            if walks.left_over(walk, contest.all_sides):
                continue
            outcome = self._along(question, contest, tally, walk)
            if isinstance(outcome, Failure):
                reason = reason or outcome
                continue
            return self._answer(question, request, linking, matches, contest, outcome)
        if contest.sized or reason is not None:
            return reason
        whole = self._apart(question, request, contest)
        if isinstance(whole, tuple):
            return self._answer(question, request, linking, matches, contest, whole)
        return whole

    # -- what is stated -----------------------------------------------------------------------

    def _stated(
        self,
        question: Question,
        request: Request,
        linking: Linking,
        matches: tuple[Match, ...],
        contest: Contest,
        tally: Tally,
    ) -> Solved | Failure | None:
        """Compare by a number that the graph states itself; None where it states none."""
        name = self.tallier.stated(tally, matches) or self._number(question, request, contest)
        if not name:
            return None
        solver, executor = self.tallier.solver, self.tallier.executor
        each = [
            Link(side, (side.entities[0].id,), side.entities[0].quality) for side in contest.sides
        ]
        plain = replace(request, focus=frozenset(), kind=AnswerKind.THINGS)

        def _of(*links: Link) -> Solved:
            values = tuple(EntityValue(link.ids[0]) for link in links)
            candidate = combine.started(values, Candidate((), "", values, links=links))
            result = executor.run(candidate.program())
            return Solved(question, plain, linking, matches, candidate, result, _SURE)

        base = _of(*each)
        aspect = Aspect((name,), solver.index.name_of(name))
        if contest.joint == "or":
            pick = Pick(contest.word, aspect, contest.high)
            return Picker(solver, executor).apply(base, pick, all_stated=True)
        if request.kind is AnswerKind.YES_OR_NO:
            limit = Limit(contest.word, aspect, other=(_compares(contest), max(contest.word)))
            first, second = map(_of, each)
            limiter = Limiter(solver, executor, lambda _: second)
            outcome = limiter.apply(first, limit, question, judged=True)
            return as_asked(outcome, request, executor)
        stated = values_of(solver.source, [link.ids[0] for link in each], name)
        sizes = [
            one.value.amount for link in each for one in stated.get(link.ids[0], ())[:1]
            if isinstance(one.value, QuantityValue)
        ]  # fmt: skip
        if len(sizes) < len(each) or (sizes[0] < sizes[1]) == contest.high:
            return Failure(f"By {aspect.words} that cannot be told of them, or not this way round.")
        step = Aggregate(base.candidate.fresh, base.candidate.out, name, Function.RANGE)
        return base.then(base.candidate.then(step), executor)

    def _number(self, question: Question, request: Request, contest: Contest) -> str:
        """Return the property that states how many there are of what is compared, if one does."""
        tokens, side = question.tokens, contest.spans[0]
        before = request.focus - frozenset(range(contest.noun, request.end))
        aside = contest.all_sides | contest.word | before
        said = [
            tokens[i].text for i in range(request.start, request.end)
            if i not in aside and tokens[i].word and tokens[i].norm not in _ASIDE
        ]  # fmt: skip
        named = question.raw(min(side), max(side) + 1)
        asked = analyse(f"how many {' '.join(said)} {named}")
        solver = self.tallier.solver.on(asked)
        ranked = solver.solve(asked.requests[0], *solver.link(asked.requests[0])).ranked
        best = next((one.candidate for one in ranked if one.confidence >= _LIKELY), None)
        match best.steps if best else ():
            case (Start(), Follow(properties=(name,))) if name in solver.index.scalars:
                return name
        return ""

    # -- the sides ----------------------------------------------------------------------------

    def _along(
        self, question: Question, contest: Contest, tally: Tally, walk: Walk
    ) -> tuple[_Side, ...] | Failure:
        """Return the sides with what a relation joins them to."""
        counted = self.tallier.counted(question, tally, walk)
        if isinstance(counted, Failure):
            return counted
        found: list[_Side] = []
        for mention in contest.sides:
            options = [
                self._followed(mention, item, walk, counted.base, counted.name)
                for item in mention.entities[:_READINGS]
            ]
            best = next((one for one in options if one.members), None)
            if best is None:
                label = self.tallier.solver.reader.label(mention.entities[0].id)
                return Failure(
                    f"The graph states no {self.tallier.label(walk)} for {label}, so the numbers"
                    " cannot be compared."
                )
            found.append(best)
        return tuple(found)

    def _followed(
        self, mention: Mention, item: Linked, walk: Walk, base: Candidate, among: str
    ) -> _Side:
        steps: list[Step] = list(base.steps)
        start, far = f"n{len(steps)}", f"n{len(steps) + 1}"
        steps += [
            Start(start, (EntityValue(item.id),)),
            Follow(far, start, walk.properties, walk.direction),
        ]
        if among:
            far = f"n{len(steps)}"
            steps.append(Intersect(far, (f"n{len(steps) - 1}", among)))
        use = EdgeUse(tuple((name, walk.direction) for name in walk.properties))
        candidate = Candidate(tuple(steps), far, (), (far,), edges=(use,))
        result = self.tallier.executor.run(candidate.program())
        return _Side(mention, item, candidate, result.members, result.evidence)

    def _apart(
        self, question: Question, request: Request, contest: Contest
    ) -> tuple[_Side, ...] | Failure:
        """Return the sides, each solved as a question of its own."""
        found: list[_Side] = []
        for mention, span in zip(contest.sides, contest.spans, strict=True):
            others = contest.all_sides - span
            kept = [
                i for i in range(request.start, request.end)
                if i not in others and i not in contest.word
                and (i in span or question.tokens[i].norm not in _ASIDE)
            ]  # fmt: skip
            outcome = self.tallier.set_of(question, kept, 1)
            if isinstance(outcome, Failure):
                return outcome
            if outcome.result.truncated or outcome.missing or outcome.confidence < _LIKELY:
                return Failure("The sides of the comparison were not understood.", unread=True)
            item = next(
                (one for link in outcome.candidate.links for one in mention.entities
                 if one.id in link.ids),
                None,
            )  # fmt: skip
            if item is None:
                return Failure("The sides of the comparison were not understood.", unread=True)
            result = outcome.result
            found.append(_Side(mention, item, outcome.candidate, result.members, result.evidence))
        return tuple(found)

    # -- the answer ---------------------------------------------------------------------------

    def _answer(
        self,
        question: Question,
        request: Request,
        linking: Linking,
        matches: tuple[Match, ...],
        contest: Contest,
        sides: tuple[_Side, ...],
    ) -> Solved | Failure | None:
        whole, names = Candidate((), "", ()), []
        for side in sides:
            whole, name = combine.after(whole, side.candidate)
            names.append(name)
        links = tuple(Link(s.mention, (s.item.id,), s.item.quality) for s in sides)
        whole = replace(whole, links=links, nodes=tuple(side.value for side in sides))
        if len({side.value for side in sides}) < len(sides):
            return Failure("The sides of the comparison are the same.")
        if request.kind is AnswerKind.NUMBER and contest.joint == "than":
            made: Candidate | Failure | None = _difference(whole, names, sides)
        elif request.kind is AnswerKind.YES_OR_NO and contest.joint != "or":
            made = _judged(whole, names, sides, contest)
        elif request.kind is AnswerKind.NUMBER:
            made = Failure("It is not clear what the question counts.", unread=True)
        else:
            made = _largest(whole, names, sides, contest.high)
        if made is None:
            return None
        if isinstance(made, Failure):
            return made
        result = self.tallier.executor.run(made.program())
        if result.truncated:
            return Failure("There is too much of this to be counted here; ask for less.")
        label = self.tallier.solver.reader.label
        told = ", ".join(f"{label(side.item.id)} {len(side.members):,}" for side in sides)
        notes = [f"As the graph states: {told}."]
        if len(result.values) > 1:
            notes.append("They have the same number.")
        kind = AnswerKind.THINGS if contest.joint == "or" else request.kind
        plain = replace(request, focus=frozenset(), kind=kind)
        related = tuple(dict.fromkeys(one for side in sides for one in side.evidence))
        return Solved(
            question, plain, linking, matches, made, result, _SURE, related, tuple(notes)
        )  # fmt: skip


def _with(candidate: Candidate, final: str, step: Step) -> Candidate:
    return replace(candidate, steps=(*candidate.steps, step), out=step.out, final=final)


def _largest(
    whole: Candidate, names: Sequence[str], sides: Sequence[_Side], high: bool
) -> Candidate | None:
    """Pick the side that most of what counts is joined to; None where no one relation joins it."""
    ways = {side.way for side in sides}
    way = ways.pop()
    if ways or way is None:
        return None
    counted = Union(whole.fresh, tuple(names))
    whole = replace(whole, steps=(*whole.steps, counted))
    start = Start(whole.fresh, tuple(side.value for side in sides))
    whole = replace(whole, steps=(*whole.steps, start), out=start.out)
    return combine.extreme_count(whole, way, high, [1], counted.out)


def _compares(contest: Contest) -> Comparison:
    if contest.joint == "as":
        return Comparison.EQ
    return Comparison.GT if contest.high else Comparison.LT


def _judged(
    whole: Candidate, names: Sequence[str], sides: Sequence[_Side], contest: Contest
) -> Candidate:
    """Judge whether the first side has more than the second, or as many."""
    comparison = _compares(contest)
    more = len(sides[0].members) - len(sides[1].members)
    judge = JudgeSize(whole.fresh, names[0], comparison, 0, names[1])
    return _with(whole, "yes" if OPERATORS[comparison](more, 0) else "no", judge)


def _difference(
    whole: Candidate, names: Sequence[str], sides: Sequence[_Side]
) -> Candidate | Failure:
    more = len(sides[0].members) - len(sides[1].members)
    if more < 0:
        return Failure(f"As the graph states, it is {-more:,} fewer, not more.")
    return _with(whole, "difference", Count(whole.fresh, names[0], names[1]))
