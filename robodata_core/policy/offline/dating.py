"""Reckoning with dates: each time is found by a question of its own, then reckoned with.

Nothing is reckoned from a date that is not stated. Where dates are known to the year alone, an age
may be one less, which is said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from robodata_core.model import Direction, QuantityValue, Statement, TimeValue
from robodata_core.policy.base import AnswerKind
from robodata_core.policy.offline import combine
from robodata_core.policy.offline.candidate import Candidate, EdgeUse
from robodata_core.policy.offline.dates import (
    Age,
    Alive,
    Apart,
    Form,
    Longest,
    Part,
    Turned,
    forms,
)
from robodata_core.policy.offline.literals import read_time
from robodata_core.policy.offline.periods import (
    Span,
    Spans,
    certainly,
    overlap,
    owner_of,
    range_between,
    years_later,
)
from robodata_core.policy.offline.question import Question, Request, analyse
from robodata_core.policy.offline.solved import Failure, Solved, solve_alone
from robodata_core.policy.offline.special import Special
from robodata_core.policy.offline.stated import ids_of, values_of
from robodata_core.programs.steps import (
    Coarsen,
    Comparison,
    Elapsed,
    ExtremeSpan,
    FilterByConstraint,
    Follow,
    Judge,
    JudgeKind,
    Start,
    Step,
    Stretch,
)
from robodata_core.values import format_time

__all__ = ["Dating"]

_DAY: Final = 11
_PARTS: Final = {10: "month", 9: "year", 8: "decade", 7: "century"}


@dataclass(frozen=True, slots=True)
class Dating(Special):
    """Answers questions that reckon with dates.

    Attributes:
        today: Today's date, where it is known.
    """

    today: date | None = None

    def solve(self, question: Question, request: Request) -> Solved | Failure | None:
        """Answer a question of such a form; None where it is of none."""
        text = question.raw(request.start, request.end).strip(" ?!.,")
        for form in forms(text):
            outcome = self._by_form(form)
            if outcome is not None:
                return outcome
        return None

    def _by_form(self, form: Form) -> Solved | Failure | None:
        if isinstance(form, Age):
            return self._age(form)
        if isinstance(form, Apart):
            return self._apart(self._time(form.first), self._time(form.last), form.unit)
        if isinstance(form, Alive):
            return self._alive(form)
        if isinstance(form, Turned):
            return self._turned(form)
        if isinstance(form, Longest):
            return self._longest(form)
        return self._part(form)

    # -- times --------------------------------------------------------------------------------

    def _asked(self, text: str) -> Solved | Failure:
        return solve_alone(self.set_of, analyse(text))

    def _time(self, words: str) -> Solved | TimeValue | Failure:
        """Return the time that a question asks for, or that is written."""
        tokens = analyse(words).tokens
        written = read_time(tokens, 0, len(tokens))
        if written is not None and written[1] == len(tokens):
            return written[0]
        if not words.endswith("?"):
            return Failure("The event that the question is dated by was not found in the graph.")
        found = self._asked(words)
        if isinstance(found, Failure):
            return found
        times = [value for value in found.result.members if isinstance(value, TimeValue)]
        if not times or len(times) < len(found.result.members):
            return Failure(f"The graph states no time for “{words.rstrip('?')}”.")
        if len(times) > 1:
            told = ", ".join(format_time(time) for time in times[:4])
            return Failure(f"The graph states several times for “{words.rstrip('?')}”: {told}.")
        return found

    @staticmethod
    def _value(found: Solved | TimeValue) -> TimeValue:
        if isinstance(found, TimeValue):
            return found
        time = found.result.members[0]
        assert isinstance(time, TimeValue)
        return time

    # -- spans --------------------------------------------------------------------------------

    def _age(self, form: Age) -> Solved | Failure | None:
        born = self._time(f"When was {form.subject} born?")
        if isinstance(born, Failure):
            return born if form.when or not self._has_ages() else None
        if form.when:
            return self._apart(born, self._time(form.when), form.unit)
        if self._has_ages() or self.today is None:
            return None
        died = self._time(f"When did {form.subject} die?")
        if isinstance(died, Solved):
            told = format_time(self._value(died))
            return Failure(f"{form.subject} is not alive: the date of death is {told}.")
        today = TimeValue(self.today.year, self.today.month, self.today.day)
        outcome = self._apart(born, today, form.unit)
        if isinstance(outcome, Failure):
            return outcome
        told = format_time(today)
        number = outcome.result.values[0]
        assert isinstance(number, QuantityValue)
        note = (
            f"By today, {told}, that is {number.amount} years; that no death is stated does not"
            " prove a life."
        )
        candidate = replace(outcome.candidate, final="age")
        return replace(outcome, candidate=candidate, notes=(note,))

    def _has_ages(self) -> bool:
        """Tell whether the graph states ages itself."""
        return bool(self.solver.index.named("age") & self.solver.index.scalars)

    def _apart(
        self,
        first: Solved | TimeValue | Failure,
        last: Solved | TimeValue | Failure,
        unit: str,
    ) -> Solved | Failure:
        if isinstance(first, Failure):
            return first
        if isinstance(last, Failure):
            return last
        base = first if isinstance(first, Solved) else last
        if isinstance(base, TimeValue):
            return Failure("It is not said whose time is meant.")
        begin, end = self._value(first), self._value(last)
        low, high = range_between(begin, end, unit)
        if high < 0:
            return Failure(f"{format_time(end)} lies before {format_time(begin)}.")
        if high - low > 1:
            return Failure("The dates are stated too roughly to reckon with them.")
        whole, names = Candidate((), "", ()), []
        for found in (first, last):
            if isinstance(found, Solved):
                whole, name = combine.after(whole, found.candidate)
            else:
                name = whole.fresh
                whole = replace(whole, steps=(*whole.steps, Start(name, (found,))))
            names.append(name)
        step = Elapsed(whole.fresh, names[0], names[1], Stretch(unit))
        whole = replace(whole.then(step), final="reckoned")
        solved = base.then(whole, self.executor)
        missing: tuple[str, ...] = ()
        if low != high:
            missing = (
                f"The dates are not stated to the day, so it may be {low} or {high} {unit}.",
            )
        other = last.confidence if isinstance(last, Solved) else 1.0
        return replace(
            solved, request=replace(base.request, kind=AnswerKind.THINGS), missing=missing,
            confidence=min(base.confidence, other), notes=(f"Reckoned in {unit}.",),
        )  # fmt: skip

    # -- yes or no ----------------------------------------------------------------------------

    def _alive(self, form: Alive) -> Solved | Failure:
        when = self._time(form.when)
        if isinstance(when, Failure):
            return when
        died = self._time(f"When did {form.subject} die?")
        if isinstance(died, Failure):
            return Failure(
                f"The graph states no date of death for {form.subject}, which tells neither way."
            )
        if isinstance(died, TimeValue):
            return Failure("It is not said whose death is meant.")
        time = self._value(when)
        tests = [(died, Comparison.GE if form.alive else Comparison.LE)]
        born = self._time(f"When was {form.subject} born?")
        if form.alive and isinstance(born, Solved):
            tests.insert(0, (born, Comparison.LE))
        other = when if isinstance(when, Solved) else None
        return self._judged(tests, time, other)

    def _turned(self, form: Turned) -> Solved | Failure:
        event, born = self._time(form.when), self._time(f"When was {form.subject} born?")
        if isinstance(event, Failure):
            return event
        if isinstance(born, Failure):
            return born
        if isinstance(event, TimeValue) or isinstance(born, TimeValue):
            return Failure("It is not said whose time is meant.")
        time = self._value(born)
        if time.precision < _DAY:
            return Failure("The date of birth is not stated to the day.")
        reached = years_later(time, form.years)
        comparison = Comparison.LT if form.before else Comparison.GT
        return self._judged([(event, comparison)], reached, born)

    def _judged(
        self,
        tests: Sequence[tuple[Solved, Comparison]],
        time: TimeValue,
        other: Solved | None,
    ) -> Solved | Failure:
        """Judge whether stated times of one thing compare so with a time."""
        base = tests[0][0]
        steps: list[Step] = list(base.candidate.steps[:-1])
        last = base.candidate.steps[-1]
        holds = True
        stated: list[Statement] = []
        source = last.source if isinstance(last, Follow) else ""
        for found, comparison in tests:
            step = found.candidate.steps[-1]
            if not isinstance(step, Follow) or step.direction is not Direction.OUT or not source:
                return Failure("The times of the question were not understood.", unread=True)
            out = f"n{len(steps)}"
            name = found.result.evidence[-1].property
            steps.append(FilterByConstraint(out, source, name, comparison, time))
            source = out
            stated += found.result.evidence
            known = certainly(self._value(found), comparison, time)
            if known is None:
                return Failure("The times are stated too roughly to compare them.")
            holds = holds and known
        judge = Judge(f"n{len(steps)}", source, JudgeKind.NOT_EMPTY)
        whole = replace(
            base.candidate, steps=(*steps, judge), out=judge.out, final="yes" if holds else "no",
            links=(*base.candidate.links, *(other.candidate.links if other else ())),
        )  # fmt: skip
        related: tuple[Statement, ...] = tuple(dict.fromkeys(stated))
        if other is not None:
            related = tuple(dict.fromkeys((*related, *other.result.evidence)))
        outcome = base.then(whole, self.executor)
        request = replace(base.request, kind=AnswerKind.YES_OR_NO)
        notes = (f"Compared with {format_time(time)}.",)
        return replace(outcome, request=request, related=related, notes=notes)

    # -- lives --------------------------------------------------------------------------------

    def _longest(self, form: Longest) -> Solved | Failure | None:
        begins, ends = self._times("born"), self._times("died")
        if len(form.names) == 1:
            bases: list[Solved | Failure] = [self._asked(f"{form.names[0]}?")]
        else:
            bases = [self._asked(f"When was {name} born?") for name in form.names]
            bases = [owner_of(one, self.executor) for one in bases]
        found = []
        for one in bases:
            if isinstance(one, Failure):
                return one
            found.append(one)
        ids = [id_ for one in found for id_ in ids_of(one.result.members)]
        pair = self._pair(begins, ends, ids)
        if pair is None:
            return Failure("The graph does not state both dates of any of these lives.")
        begin, end, spans = pair
        lacking = [id_ for id_ in ids if id_ not in spans]
        if lacking and len(form.names) > 1:
            label = self.solver.reader.label(lacking[0])
            return Failure(f"The graph does not state both dates of the life of {label}.")
        if overlap(spans, form.long):
            return Failure("The dates are stated too roughly to compare these lives.")
        whole = found[0].candidate
        if len(found) > 1:
            whole = combine.joined([one.candidate for one in found], False)
        step = ExtremeSpan(whole.fresh, whole.out, begin, end, form.long)
        uses = tuple(EdgeUse(((name, Direction.OUT),), constraint=True) for name in (begin, end))
        whole = replace(
            whole.then(step),
            edges=(*whole.edges, *uses), links=tuple(k for o in found for k in o.candidate.links),
        )  # fmt: skip
        outcome = found[0].then(whole, self.executor)
        return self._lives(outcome, form, found, spans, lacking)

    def _lives(
        self,
        outcome: Solved,
        form: Longest,
        found: Sequence[Solved],
        spans: Spans,
        lacking: Sequence[str],
    ) -> Solved:
        """Add the other lives, or judge whether the first was the longest."""
        ordered = sorted(spans, key=lambda id_: spans[id_].least, reverse=form.long)
        related = tuple(one for id_ in ordered[:3] for one in spans[id_].stated)
        missing: tuple[str, ...] = ()
        if lacking:
            missing = (f"The graph does not state both dates for {len(lacking):,} of these.",)
        notes = (f"Compared by the days between the two dates: {len(spans):,}.",)
        if form.judged:
            first = found[0].result.members[0]
            link = found[0].candidate.links[0]
            holds = outcome.result.members == (first,)
            request = replace(outcome.request, kind=AnswerKind.YES_OR_NO)
            outcome = outcome.then(outcome.candidate.judged(first, link, holds), self.executor)
            return replace(outcome, request=request, related=related, notes=notes)
        return replace(outcome, related=related, notes=notes, missing=missing)

    def _times(self, word: str) -> tuple[str, ...]:
        """Return the properties for the time of a verb ("born")."""
        question = analyse(word)
        found = self.solver.index.matches(question.tokens, frozenset())
        names = [
            (match.reading.strength, name)
            for match in found if match.reading.answer == "time"
            for hop in match.reading.hops[:1] for name, way in hop
            if way is Direction.OUT and self.solver.index.object_type(name) == "time"
        ]  # fmt: skip
        return tuple(dict.fromkeys(name for _, name in sorted(names, key=lambda one: -one[0])))

    def _pair(
        self, begins: Sequence[str], ends: Sequence[str], ids: Sequence[str]
    ) -> tuple[str, str, Spans] | None:
        """Return the two properties that most have both of, with the spans between them."""
        best: tuple[str, str, Spans] | None = None
        for begin in begins[:3]:
            first = values_of(self.solver.source, ids, begin)
            for end in ends[:3]:
                last = values_of(self.solver.source, ids, end) if first else {}
                spans = {id_: Span.of(first[id_][0], last[id_][0]) for id_ in first if id_ in last}
                if spans and (best is None or len(spans) > len(best[2])):
                    best = begin, end, spans
        return best

    # -- parts of dates -----------------------------------------------------------------------

    def _part(self, form: Part) -> Solved | Failure | None:
        """Answer "in which year" by the year alone."""
        found = self._asked(form.when)
        if isinstance(found, Failure) or not found.result.members:
            return None
        times = [value for value in found.result.members if isinstance(value, TimeValue)]
        last = found.candidate.steps[-1]
        outward = isinstance(last, Follow) and last.direction is Direction.OUT
        if len(times) < len(found.result.members) or not outward or not isinstance(last, Follow):
            return None
        name = found.result.evidence[-1].property
        if any(one.property != name for one in found.result.evidence if one.value in times):
            return None
        if all(time.precision < form.precision for time in times):
            word = _PARTS[form.precision]
            return Failure(f"The graph does not state the {word}: only {format_time(times[0])}.")
        step = Coarsen(last.out, last.source, name, form.precision)
        candidate = replace(
            found.candidate, steps=(*found.candidate.steps[:-1], step), final="reckoned"
        )
        return found.then(candidate, self.executor)
