"""Yes/no forms that offer their answers: "is a carrot a fruit or a vegetable".

Nobody wants to hear "yes" there: what holds of the thing asked about is the answer. Each of what is
offered is judged as a question of its own; where the graph states none of it, nothing is said but
what it states instead. Said with "either", "whether" or "ever" it stays a question of yes or no.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from robodata_core.model import Direction, EntityValue, Statement
from robodata_core.policy.offline import combine
from robodata_core.policy.offline.candidate import Candidate
from robodata_core.policy.offline.deep import Deep
from robodata_core.policy.offline.mentions import Linking, Mention
from robodata_core.policy.offline.paired import Clause, Paired
from robodata_core.policy.offline.question import Kind, Question, Request, analyse
from robodata_core.policy.offline.solved import Failure, Solved
from robodata_core.policy.offline.words import ARTICLES, AUXILIARIES, PREPOSITIONS
from robodata_core.programs.describe import listed
from robodata_core.programs.steps import (
    Comparison,
    FilterByConstraint,
    FilterByType,
    Follow,
    Intersect,
    Judge,
    JudgeKind,
    Start,
    Step,
)

__all__ = ["Settling"]

_MOST: Final = 5
_READINGS: Final = 4
#: How many classes lie between a thing and the class that is offered for it.
_ABOVE: Final = 3
_SHOWN: Final = 4
_BROADER: Final = "P279"
_YEAR: Final = re.compile(r"[12][0-9]{3}")
_LEAD: Final = PREPOSITIONS | ARTICLES | {"as", "more"}
#: Words with which yes or no is asked for, or more is said than one thing of one.
_OTHERWISE: Final = frozenset(
    ["either", "whether", "ever", "neither", "nor", "not", "both", "same", "than", "there", "and",
     "always", "never", "only", "still", "any", "anyone", "anybody", "each", "other", "if", "n't"]
)  # fmt: skip
#: What a question begins with that asks whether something is so.
_OPENING: Final = frozenset(
    ["you", "tell", "me", "us", "know", "if", "whether", "say", "that", "think", "please", "one",
     "find", "remember", "happen", "to", "i", "wonder"]
)  # fmt: skip
#: What a speaker adds to what is offered without offering anything.
_TAILS: Final = (
    ("or", "both"), ("or", "neither"), ("or", "something", "else"), ("or", "else"), ("or", "what"),
    ("or", "somewhere", "else"), ("or", "none"), ("or", "none", "of", "these"),
    ("or", "none", "of", "them"), ("or", "perhaps", "both"), ("or", "even", "both"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Choice:
    """What is offered, and of what.

    Attributes:
        subject: What it is said of.
        first: Tokens before what is offered.
        options: Each with the tokens that are its own.
    """

    subject: Mention
    first: tuple[int, ...]
    options: tuple[tuple[Mention, tuple[int, ...]], ...]


@dataclass(frozen=True, slots=True)
class Settling:
    """Answers such questions.

    Attributes:
        deep: Judges what is offered.
    """

    deep: Deep

    def solve(self, question: Question, request: Request) -> Solved | Failure | None:
        """Tell which of what is offered holds; None where nothing is offered so."""
        if request.kind is not Kind.BOOLEAN or len(question.requests) > 1:
            return None
        question, request = _without_tail(question, request)
        linking, _ = self.deep.link(question, request)
        choice = _read(question, request, linking)
        return self._settled(question, request, choice) if choice is not None else None

    def _settled(
        self, question: Question, request: Request, choice: _Choice
    ) -> Solved | Failure | None:
        paired = Paired(self.deep, question)
        held: list[tuple[Candidate, Clause]] = []
        against: list[Statement] = []
        open_: list[str] = []
        not_stated: list[str] = []
        for option, places in choice.options:
            clause = paired.judged((*choice.first, *places), choice.subject)
            if clause is None or clause.holds is None:
                open_.append(option.text)
            elif not clause.holds:
                against.extend(clause.shown)
                not_stated.append(clause.text)
            else:
                led = self._led(clause, choice.subject, option)
                if led is None:
                    return None
                held.append((led, clause))
        if not held:
            return self._neither(choice, against, known=len(open_) < len(choice.options))
        whole = combine.joined([one for one, _ in held], False) if len(held) > 1 else held[0][0]
        result = self.deep.executor.run(whole.program())
        outcome = replace(
            held[0][1].solved, question=question, candidate=whole, result=result,
            request=replace(request, kind=Kind.SET, focus=frozenset()), related=(),
            confidence=min(one.solved.confidence for _, one in held),
        )  # fmt: skip
        left = listed(f"“{text}”" for text in open_)
        notes = [f"The graph does not tell whether {left} holds as well."] if left else []
        if not_stated:
            notes.append(f"Not stated: {listed(f'“{text}”' for text in not_stated)}.")
        return replace(outcome, notes=tuple(notes))

    def _neither(self, choice: _Choice, against: Sequence[Statement], *, known: bool) -> Failure:
        """Say that none of it is stated, and what is."""
        names = listed(f"“{option.text}”" for option, _ in choice.options)
        if not known:
            return Failure(f"Which of {names} holds was not understood, or is not told.")
        label = self.deep.solver.reader.label
        subject = label(choice.subject.entities[0].id)
        told = dict.fromkeys(
            label(one.value.id) for one in against
            if isinstance(one.value, EntityValue) and one.subject == choice.subject.entities[0].id
        )  # fmt: skip
        instead = f" It states {listed(list(told)[:_SHOWN])}." if told else ""
        return Failure(
            f"The graph states none of {names} for {subject}.{instead}",
            compared=tuple(dict.fromkeys(against)),
        )

    # -- the program --------------------------------------------------------------------------

    def _led(self, clause: Clause, subject: Mention, option: Mention) -> Candidate | None:
        """Return steps that lead from the subject to what is offered, and keep only that."""
        start = subject.entities[0].id
        *steps, judge = clause.solved.candidate.steps
        names = tuple(item.id for item in option.entities)
        if not isinstance(judge, Judge) or not steps or not isinstance(steps[0], Start):
            return None
        found = _forwards(steps, judge, EntityValue(start), names)
        if found is None:
            return None
        walks, above = found
        if not names and not isinstance(steps[-1], FilterByConstraint):
            return None
        turned: list[Step] = [Start("n0", (EntityValue(start),)), *walks]
        for _ in range(_ABOVE if above else 0):
            led = self._kept(clause, turned, names)
            if led is not None:
                return led
            turned.append(Follow(f"n{len(turned)}", f"n{len(turned) - 1}", (_BROADER,)))
        return self._kept(clause, turned, names)

    def _kept(
        self, clause: Clause, steps: Sequence[Step], names: Sequence[str]
    ) -> Candidate | None:
        at = len(steps)
        if names:
            offered = Start(f"n{at}", tuple(EntityValue(name) for name in names))
            steps = (*steps, offered, Intersect(f"n{at + 1}", (f"n{at - 1}", offered.out)))
        out = f"n{len(steps) - 1}"
        whole = replace(
            clause.solved.candidate, steps=tuple(steps), out=out, history=(out,), final="set"
        )
        result = self.deep.executor.run(whole.program())
        # A year is judged by the only date: of several, another may be meant.
        one = bool(names) or len(result.members) == 1
        return whole if result.members and one and not result.truncated else None


def _forwards(
    steps: Sequence[Step], judge: Judge, subject: EntityValue, names: Sequence[str]
) -> tuple[list[Step], bool] | None:
    """Turn a judgement into a walk from the subject; tell whether classes count for it."""
    start, *walks = steps
    assert isinstance(start, Start)
    if len(walks) == 1 and start.values == (subject,):
        only = walks[0]
        if isinstance(only, FilterByType):
            return [Follow("n1", "n0", only.via)], True
        if isinstance(only, FilterByConstraint) and only.comparison is Comparison.EQ:
            return [Follow("n1", "n0", (only.property,))], False
    plain = [one for one in walks if isinstance(one, Follow)]
    if not plain or len(plain) != len(walks) or judge.kind is not JudgeKind.CONTAINS:
        return None
    if start.values == (subject,):
        return [replace(one, out=f"n{at}", source=f"n{at - 1}")
                for at, one in enumerate(plain, 1)], False  # fmt: skip
    ids = {value.id for value in start.values if isinstance(value, EntityValue)}
    if judge.value != subject or not ids <= set(names):
        return None
    return [
        Follow(f"n{at}", f"n{at - 1}", one.properties, _other_way(one.direction))
        for at, one in enumerate(reversed(plain), 1)
    ], False


def _other_way(way: Direction) -> Direction:
    return Direction.IN if way is Direction.OUT else Direction.OUT


# -- reading --------------------------------------------------------------------------------------


def _without_tail(question: Question, request: Request) -> tuple[Question, Request]:
    """Leave out "or both" and the like, which offers nothing."""
    words = [i for i in range(request.start, request.end) if question.tokens[i].word]
    for tail in _TAILS:
        last = words[-len(tail) :]
        if len(words) <= len(tail) or tuple(question.tokens[i].norm for i in last) != tail:
            continue
        before = question.raw(request.start, words[-len(tail) - 1] + 1).rstrip(" ,")
        if " or " not in before:
            # "in Europe, Asia or both"
            left, comma, right = before.rpartition(", ")
            before = f"{left} or {right}" if comma else before
        shorter = analyse(f"{before}?")
        return shorter, shorter.requests[0]
    return question, request


def _read(question: Question, request: Request, linking: Linking) -> _Choice | None:
    tokens = question.tokens
    subject = _subject(question, request, linking)
    if subject is None:
        return None
    named = {i for m in linking.mentions if m.exact and m.proper for i in m.span}
    named |= {i for quote in question.quotes for i in range(quote.start, quote.end)}
    places = [i for i in range(subject.end, request.end) if tokens[i].word or tokens[i].norm == ","]
    free = [i for i in places if i not in named]
    if {tokens[i].norm for i in free} & _OTHERWISE:
        return None
    joints = [i for i in free if tokens[i].norm == "or"]
    if len(joints) != 1 and not 1 < len(joints) < _MOST:
        return None
    commas = [i for i in free if tokens[i].norm == "," and subject.end < i < joints[-1]]
    cuts = sorted({*joints, *commas})
    end = places[-1] + 1
    options = []
    for at, stop in zip(cuts, [*cuts[1:], end], strict=True):
        if at + 1 == stop:
            continue  # ", or"
        option = _filling(question, linking, at + 1, stop)
        if option is None:
            return None
        options.append((option, tuple(range(at + 1, stop))))
    first = _ending_at(question, linking, subject.end, cuts[0])
    if first is None or not options or len(options) >= _MOST:
        return None
    start = first.start
    while start - 1 >= subject.end and tokens[start - 1].norm in _LEAD:
        start -= 1
    before = tuple(range(request.start, start))
    lead = tuple(range(start, first.start))
    chosen = [(first, (*lead, *first.span))]
    for option, own in options:
        # "in A or B" says the first preposition of both; "in A or of B" each its own.
        given = tokens[own[0]].norm in _LEAD
        prepositions = [i for i in lead if tokens[i].norm not in ARTICLES]
        bare = tokens[own[0]].norm in ARTICLES
        chosen.append((option, own if given and not bare else (*prepositions, *own)))
    same = {tuple(item.id for item in option.entities) or option.text for option, _ in chosen}
    return _Choice(subject, before, tuple(chosen)) if len(same) == len(chosen) else None


def _subject(question: Question, request: Request, linking: Linking) -> Mention | None:
    """Return what a yes/no question is about: the name or thing behind its first word."""
    tokens = question.tokens
    at = request.start
    if at >= request.end or tokens[at].norm not in AUXILIARIES | _OPENING:
        return None
    asked = tokens[at].norm in AUXILIARIES
    named = {m.start for m in linking.mentions if m.entities and m.proper}
    while at < request.end and tokens[at].norm in AUXILIARIES | _OPENING | ARTICLES:
        asked = asked or tokens[at].norm in ("whether", "if")
        at += 1
        if at in named:
            break
    mentions = [
        m for m in linking.mentions
        if m.start == at and m.entities and (m.exact or m.proper) and not m.demonym
    ]  # fmt: skip
    return max(mentions, key=lambda m: m.end, default=None) if asked else None


def _filling(question: Question, linking: Linking, start: int, end: int) -> Mention | None:
    """Return the name that some words are, but for what leads up to it."""
    while start < end and question.tokens[start].norm in _LEAD:
        start += 1
    while end > start and not question.tokens[end - 1].word:
        end -= 1
    named = [m for m in linking.mentions
             if m.start == start and m.end == end and m.entities and m.exact]  # fmt: skip
    if not named and start < end and _is_name(question, start, end):
        return Mention(start, end, question.raw(start, end), ())
    return _as_one(named)


def _is_name(question: Question, start: int, end: int) -> bool:
    """Tell whether words may be a name that the graph does not know, or a year."""
    tokens = question.tokens[start:end]
    year = len(tokens) == 1 and bool(_YEAR.fullmatch(tokens[0].norm))
    return year or all(token.capitalised for token in tokens)


def _ending_at(question: Question, linking: Linking, start: int, end: int) -> Mention | None:
    named = [m for m in linking.mentions
             if m.start >= start and m.end == end and m.entities and m.exact]  # fmt: skip
    first = min((m.start for m in named), default=end - 1)
    if not named:
        return _filling(question, linking, first, end) if first >= start else None
    return _as_one([m for m in named if m.start == first])


def _as_one(named: Sequence[Mention]) -> Mention | None:
    """Put together what one span may stand for: "Italian" is a language, and of Italy."""
    if not named:
        return None
    items = dict.fromkeys(item for one in named for item in one.entities[:_READINGS])
    return replace(named[0], entities=tuple(items))
