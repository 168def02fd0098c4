"""Yes/no questions that say two things of one: "did X study at A and live in B".

Each clause is a question of its own, in the words of the first where it does not repeat them. One
program judges them together: whether all hold ("and") or any ("or"); a note says which do. Where a
clause cannot be judged, nothing is said, unless the others settle it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from robodata_core.model import Direction, EntityValue, Statement, Value
from robodata_core.policy.offline import combine
from robodata_core.policy.offline.candidate import Candidate
from robodata_core.policy.offline.deep import Deep
from robodata_core.policy.offline.mentions import Linking, Mention
from robodata_core.policy.offline.question import Kind, Question, Request
from robodata_core.policy.offline.solved import Failure, Solved
from robodata_core.policy.offline.words import (
    ARTICLES,
    AUXILIARIES,
    FUNCTION_WORDS,
    PREPOSITIONS,
    PRONOUNS,
)
from robodata_core.programs.describe import listed
from robodata_core.programs.steps import (
    Comparison,
    End,
    FilterByConstraint,
    FilterByType,
    Follow,
    Intersect,
    Judge,
    JudgeKind,
    Program,
    Start,
    Step,
    Union,
)

__all__ = ["Clause", "Paired", "notes_of"]

_MOST: Final = 4
_PREPOSITIONS: Final = PREPOSITIONS | {"as"}
_BEFORE: Final = frozenset(["both", "either", "neither"])
#: Words with which two things are said to be joined, or more than two plain clauses are said.
_JOINT: Final = frozenset(
    ["same", "each", "other", "together", "between", "than", "not", "but", "common", "there"]
)


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause that was judged: whether it holds of the subject, and what shows it.

    Attributes:
        text: Its words.
        solved: How it was read.
        steps: Steps that give the subject if the clause holds, else nothing; none where the
            program cannot be turned so.
        holds: Whether it does; None where the graph does not tell.
        shown: Statements that show it.
    """

    text: str
    solved: Solved
    steps: Candidate
    holds: bool | None
    shown: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Paired:
    """Judges the clauses of one question.

    Attributes:
        deep: Solves the parts.
        question: The question.
    """

    deep: Deep
    question: Question

    def solve(self, request: Request, linking: Linking) -> Solved | Failure | None:
        """Judge a yes/no question of several clauses; None where it is none."""
        subject = self.subject(request, linking)
        if subject is None:
            return None
        plain = self._without_not(request, subject)
        if plain is not None:
            return plain
        found = self._clauses(request, linking, subject)
        if found is None:
            return None
        kept, every = found
        if self._shares_end(kept, subject):
            return Failure("What is said of both was not understood.")
        clauses = [self.judged(places, subject) for places in kept]
        told = [one for one in clauses if one is not None]
        lost = listed(
            f"“{_text(self.question, places, subject)}”"
            for places, one in zip(kept, clauses, strict=True) if one is None
        )  # fmt: skip
        if lost and every and all(one.holds is not False for one in told):
            return Failure(f"Whether {lost} holds was not understood.")
        if lost and not every and not any(one.holds for one in told):
            return None
        return self._together(request, told, subject.entities[0].id, every, lost)

    # -- the clauses --------------------------------------------------------------------------

    def subject(self, request: Request, linking: Linking) -> Mention | None:
        """Return the name that a yes/no question is about: the one behind its first word."""
        tokens = self.question.tokens
        at = request.start
        if request.kind is not Kind.BOOLEAN:
            return None
        first = request.start
        if at < request.end and tokens[at].norm in AUXILIARIES:
            at, first = at + 1, at
        while at < request.end and tokens[at].norm in ARTICLES:
            at += 1
        named = [
            m for m in linking.mentions
            if m.start == at and m.entities and m.proper and not m.whole and not m.demonym
        ]  # fmt: skip
        if first >= request.end or tokens[first].norm not in AUXILIARIES:
            return None
        return max(named, key=lambda m: m.end, default=None)

    def _without_not(self, request: Request, subject: Mention) -> Solved | None:
        """Judge "did X not study at Y" as whether X did, which the answer then says in words."""
        tokens = self.question.tokens
        if subject.end >= request.end or tokens[subject.end].norm != "not":
            return None
        kept = [i for i in range(request.start, request.end) if i != subject.end]
        if any(tokens[i].norm in _JOINT | {"only", "and", "or"} for i in kept):
            return None
        clause = self.judged(kept, subject)
        if clause is None or clause.holds is None:
            return None
        note = f"The question was read as “{_text(self.question, kept, subject)}?”."
        return replace(clause.solved, related=clause.shown, notes=(note,))

    def _clauses(
        self, request: Request, linking: Linking, subject: Mention
    ) -> tuple[list[list[int]], bool] | None:
        """Return the tokens of each clause, and whether all must hold; None for one clause."""
        tokens = self.question.tokens
        named = {i for m in linking.mentions if m.exact and m.proper for i in m.span}
        named |= {i for quote in self.question.quotes for i in range(quote.start, quote.end)}
        words = {tokens[i].norm for i in range(request.start, request.end) if i not in named}
        joints = [
            i for i in range(subject.end + 1, request.end)
            if i not in named and tokens[i].norm in ("and", "or", "nor")
        ]  # fmt: skip
        if not joints or words & _JOINT or tokens[subject.end].norm in ("and", "or", ","):
            return None
        kinds = {tokens[i].norm == "and" for i in joints}
        if len(kinds) > 1 or len(joints) >= _MOST:
            return None
        joints = self._with_commas(joints, subject, named)
        ends = [*joints, request.end]
        gone = {i for i in range(request.start, request.end) if tokens[i].norm in _BEFORE}
        first = [i for i in range(request.start, joints[0]) if i not in gone]
        kept = [first]
        for at, end in zip(joints, ends[1:], strict=True):
            later = [i for i in range(at + 1, end) if i not in gone and tokens[i].norm != ","]
            if not any(tokens[i].word for i in later):
                if tokens[at].norm == ",":
                    continue
                return None
            kept.append(self._in_words_of(first, later, linking, subject))
        return (kept, kinds == {True}) if len(kept) > 1 else None

    def _with_commas(self, joints: list[int], subject: Mention, named: set[int]) -> list[int]:
        """Add the commas of a list to what joins its members."""
        tokens = self.question.tokens
        commas = [
            i for i in range(subject.end + 1, joints[0])
            if i not in named and tokens[i].norm == ","
        ]  # fmt: skip
        return sorted({*joints, *commas})[:_MOST]

    def _in_words_of(
        self, first: Sequence[int], later: list[int], linking: Linking, subject: Mention
    ) -> list[int]:
        """Complete a clause with those words of the first that it does not say again."""
        tokens = self.question.tokens
        opening = [i for i in first if i < subject.end]
        if tokens[later[0]].norm in AUXILIARIES:
            rest = later[1:]
            while rest and tokens[rest[0]].norm in PRONOUNS:
                rest = rest[1:]
            return [later[0], *opening[1:], *rest]
        said = [i for i in first if i >= subject.end]
        lead = tokens[later[0]].norm
        if lead in _PREPOSITIONS:
            same = [i for i in said if tokens[i].norm == lead]
            return [*opening, *(i for i in said if not same or i < same[-1]), *later]
        content = [i for i in later if tokens[i].norm not in ARTICLES]
        names = [m for m in linking.mentions if content and m.start == content[0] and m.entities]
        whole = any(m.span >= set(_words(self.question, content)) for m in names)
        if not whole:
            return [*opening, *later]
        last = max((m for m in linking.mentions if m.end == said[-1] + 1), default=None,
                   key=lambda m: m.end - m.start) if said else None  # fmt: skip
        start = last.start if last is not None else said[-1] if said else subject.end
        while start - 1 in said and tokens[start].capitalised and tokens[start - 1].capitalised:
            start -= 1
        while start - 1 in said and tokens[start - 1].norm in ARTICLES:
            start -= 1
        return [*opening, *(i for i in said if i < start), *later]

    def _shares_end(self, kept: Sequence[Sequence[int]], subject: Mention) -> bool:
        """Tell whether the last clause ends for all: "the capital and largest city of X"."""
        tokens = self.question.tokens
        ends = [[tokens[i].norm for i in places if i >= subject.end] for places in kept]
        last = ends[-1]
        own = not last or last[0] in ARTICLES or last[0] in AUXILIARIES
        return "of" in last and not own and "of" not in ends[0]

    # -- judging ------------------------------------------------------------------------------

    def judged(self, places: Sequence[int], subject: Mention) -> Clause | None:
        """Judge some words of the question, about one name; None where they are not understood."""
        solved = self.deep.attempted(self.question, places)
        if solved is None:
            return None
        candidate = solved.candidate
        narrowed = candidate.narrowed
        if narrowed.vague or (narrowed.lacking and candidate.final == "no"):
            return None
        value = EntityValue(subject.entities[0].id)
        steps = _of_subject(candidate, value)
        if steps is None:
            return None
        result = self.deep.executor.run(steps.program())
        if result.truncated:
            return None
        shown, holds = result.evidence, bool(result.members)
        if not holds:
            shown = narrowed.against or self._stated(candidate, value)
        told = holds or bool(shown)
        text = _text(self.question, places, subject)
        return Clause(text, solved, steps, holds if told else None, shown)

    def _stated(self, candidate: Candidate, subject: EntityValue) -> tuple[Statement, ...]:
        """Return what the graph states of the subject where a clause would stand."""
        start, *others = candidate.steps[:-1]
        if not isinstance(start, Start) or not others:
            return ()
        walk = others[0]
        if isinstance(walk, FilterByType):
            walk = Follow(walk.out, walk.source, walk.via)
        elif isinstance(walk, FilterByConstraint):
            walk = Follow(walk.out, walk.source, (walk.property,))
        if not isinstance(walk, Follow):
            return ()
        way = walk.direction
        if subject not in start.values:
            walk = others[-1] if isinstance(others[-1], Follow) else walk
            way = Direction.IN if walk.direction is Direction.OUT else Direction.OUT
        asked = (Start("a", (subject,)), Follow("b", "a", walk.properties, way), End("b"))
        return self.deep.executor.run(Program(asked)).evidence

    def _together(
        self, request: Request, clauses: Sequence[Clause], subject: str, every: bool, lost: str
    ) -> Solved | Failure | None:
        """Put the judgements together; they must settle the question."""
        known = [one.holds for one in clauses if one.holds is not None]
        shown = [s for one in clauses if one.holds is not None for s in one.shown]
        settled = (False in known) if every else (True in known)
        if not settled and len(known) < len(clauses):
            open_ = listed(f"“{one.text}”" for one in clauses if one.holds is None)
            return Failure(f"The graph does not tell whether {open_} holds.")
        holds = all(known) if every else any(known)
        value = EntityValue(subject)
        parts = [one.steps for one in clauses]
        whole = combine.joined(parts, every) if len(parts) > 1 else parts[0]
        judge = Judge(f"n{len(whole.steps)}", whole.out, JudgeKind.CONTAINS, value)
        whole = replace(
            whole, steps=(*whole.steps, judge), out=judge.out, final="yes" if holds else "no"
        )
        first = clauses[0].solved
        outcome = replace(
            first, candidate=whole, result=self.deep.executor.run(whole.program()),
            confidence=min(one.solved.confidence for one in clauses), question=self.question,
            request=replace(request, focus=frozenset()),
        )  # fmt: skip
        if bool(outcome.result.boolean) is not holds:
            return None
        if holds:
            shown = [s for one in clauses if one.holds for s in one.shown]
        return replace(outcome, related=tuple(dict.fromkeys(shown)), notes=notes_of(clauses, lost))


def notes_of(clauses: Sequence[Clause], lost: str) -> tuple[str, ...]:
    """Say which clauses hold, and which the graph does not tell of."""
    notes = []
    for holds, words in ((True, "Stated"), (False, "Not stated"), (None, "Not told by the graph")):
        texts = listed(f"“{one.text}”" for one in clauses if one.holds is holds)
        if texts:
            notes.append(f"{words}: {texts}.")
    return (*notes, *((f"Not understood: {lost}.",) if lost else ()))


def _of_subject(candidate: Candidate, subject: EntityValue) -> Candidate | None:
    """Return steps that lead to the subject if what is judged holds of it, else to nothing."""
    *steps, judge = candidate.steps
    if not isinstance(judge, Judge) or not steps or not isinstance(steps[0], Start):
        return None
    start = steps[0]
    if judge.kind is JudgeKind.NOT_EMPTY:
        tests = (FilterByType, FilterByConstraint)
        kept = len(steps) > 1 and all(isinstance(one, tests) for one in steps[1:])
        if not kept or start.values != (subject,):
            return None
        return _ending(candidate, steps, judge.source)
    assert judge.value is not None
    direct = _direct(candidate, steps, judge.value, subject)
    if direct is not None:
        return direct
    if judge.value == subject:
        return _meeting(candidate, steps, judge.source, subject)
    walks = [one for one in steps[1:] if isinstance(one, Follow)]
    if start.values != (subject,) or len(walks) != len(steps) - 1 or not walks:
        return None
    turned: list[Step] = [Start("n0", (judge.value,))]
    for at, walk in enumerate(reversed(walks), 1):
        way = Direction.IN if walk.direction is Direction.OUT else Direction.OUT
        turned.append(Follow(f"n{at}", f"n{at - 1}", walk.properties, way))
    return _meeting(candidate, turned, f"n{len(walks)}", subject)


def _direct(
    candidate: Candidate, steps: Sequence[Step], value: Value, subject: EntityValue
) -> Candidate | None:
    """Ask the subject for the value itself, where one step of the graph leads from it there."""
    start, *walks = steps
    if len(walks) != 1 or not isinstance(walks[0], Follow) or not isinstance(start, Start):
        return None
    walk = walks[0]
    outwards = walk.direction is Direction.OUT
    other = value if outwards else start.values[0]
    if len(start.values) != 1 or subject != (start.values[0] if outwards else value):
        return None
    turned: list[Step] = [Start("n0", (subject,))]
    for name in walk.properties:
        turned.append(FilterByConstraint(f"n{len(turned)}", "n0", name, Comparison.EQ, other))
    names = tuple(f"n{at}" for at in range(1, len(turned)))
    if len(names) > 1:
        turned.append(Union(f"n{len(turned)}", names))
    return _ending(candidate, turned, f"n{len(turned) - 1}")


def _meeting(
    candidate: Candidate, steps: Sequence[Step], last: str, subject: EntityValue
) -> Candidate:
    """Keep of a set only the subject."""
    start = Start(f"n{len(steps)}", (subject,))
    both = Intersect(f"n{len(steps) + 1}", (last, start.out))
    return _ending(candidate, [*steps, start, both], both.out)


def _ending(candidate: Candidate, steps: Sequence[Step], out: str) -> Candidate:
    return replace(candidate, steps=tuple(steps), out=out, history=(out,), final="set")


def _words(question: Question, places: Sequence[int]) -> list[int]:
    return [i for i in places if question.tokens[i].word]


def _text(question: Question, places: Sequence[int], subject: Mention) -> str:
    """Return the words of a clause behind the name that it is about."""
    tokens = question.tokens
    kept = [i for i in _words(question, places) if i >= subject.end or i in places[:1]]
    while kept and tokens[kept[0]].norm in AUXILIARIES | FUNCTION_WORDS - _PREPOSITIONS - ARTICLES:
        kept = kept[1:]
    return " ".join(tokens[i].text for i in kept)
