"""Yes/no questions that say or name several things, as the chart of ``language`` reads them.

"Did X study at A and live in B", "were X and Y born in the same city", "is X an A or a B": what
such a question joins is read by the rules of the grammar, not here. Here its likeliest reading is
run; a no also needs something stated along every relation that was looked along, and where
something is offered ("an A or a B"), what holds of it is the answer.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from robodata_core.language import Understanding, Understood
from robodata_core.language.grammar import Grammar, open_grammar
from robodata_core.model import EntityValue, Statement
from robodata_core.policy.base import AnswerKind
from robodata_core.policy.offline.candidate import Candidate, EdgeUse
from robodata_core.policy.offline.mentions import Linking
from robodata_core.policy.offline.question import Question, Request
from robodata_core.policy.offline.solved import Failure, Solved
from robodata_core.policy.offline.words import singular
from robodata_core.programs.executor import Executor
from robodata_core.programs.steps import (
    FilterByConstraint,
    FilterByType,
    Follow,
    Intersect,
    Judge,
    JudgeKind,
    Program,
    Start,
    Union,
)
from robodata_core.sources.base import KnowledgeSource
from robodata_core.sources.capabilities import wide_form

_JOINTS: Final = ("union", "intersection", "sharing", "truth")
#: Words of the grammar that are read by judging all of what is joined.
_READ: Final = ("jointly", "truth")
#: From this probability on a reading is taken.
_SURE: Final = 0.5
#: The same of clauses that "and" joins: the rules read some of them, too.
_SURE_OF_CLAUSES: Final = 0.5
#: The same of what is denied: most of what is misread does not hold.
_SURE_OF_NO: Final = 0.8
_STATED: Final = 20


@dataclass(frozen=True, slots=True)
class Joint:
    """Judges what a question says of several things, or several things of one.

    Attributes:
        understanding: Reads the question.
        source: What is asked about.
        executor: Runs the reading.
    """

    understanding: Understanding
    source: KnowledgeSource
    executor: Executor

    def solve(
        self, question: Question, request: Request, linking: Linking
    ) -> Solved | Failure | None:
        """Judge a request; None where it joins nothing, or nothing is lost by reading it plainly.

        Raises:
            SourceError: If the source fails.
            CancelledError: If the run is cancelled; DeadlineExceededError likewise.
        """
        if request.kind is not AnswerKind.YES_OR_NO or len(question.requests) > 1:
            return None
        joints = self._joints(question, request, linking)
        if not joints:
            return None
        if "negation" in joints:
            return Failure(
                "Whether the denied question asks for what holds was not understood.", unread=True
            )
        clauses = joints <= {"intersection", "truth"}
        sharing = "sharing" in joints
        # Of "are X and Y neighbours" it says nothing that something borders both.
        of_names = not sharing and any(m.start == request.start + 1 for m in linking.mentions)
        offered = "union" in joints and "truth" not in joints
        best, probability = self._likeliest(
            question, together=sharing, of_names=of_names, offered=offered
        )
        if best is None or probability < (_SURE_OF_CLAUSES if clauses else _SURE):
            if clauses:
                return None
            words = "What is offered" if "union" in joints else "What these have in common"
            return Failure(f"{words} was not understood.", unread=True)
        found = self._run(
            replace(best, probability=probability), question, request, linking, joints
        )
        denied = isinstance(found, Solved) and found.candidate.final == "no"
        if denied and probability < _SURE_OF_NO:
            return Failure(
                "Whether the question asks for what does not hold was not understood.", unread=True
            )
        return found

    def _joints(self, question: Question, request: Request, linking: Linking) -> set[str]:
        """Return what joins things in a request, outside of names and quotes."""
        grammar = open_grammar(self.understanding.lexicon)
        written = [m for m in linking.mentions if m.exact and len(m.span) > 1 or m.proper]
        tokens = question.tokens
        named = {i for m in written for i in m.span if len(m.span) > 1 or tokens[i].capitalised}
        named |= {i for quote in question.quotes for i in range(quote.start, quote.end)}
        words = [question.tokens[i].norm for i in range(request.start, request.end)
                 if i not in named]  # fmt: skip
        phrases = [*((word,) for word in words), *itertools.pairwise(words)]
        found = {kind for words in phrases for kind, _ in grammar.operators(words)} & set(_JOINTS)
        behind = {m.end for m in linking.mentions if m.exact and m.proper}
        denied = (i for i in behind if i < request.end)
        if any(grammar.is_a("negation", question.tokens[i].norm) for i in denied):
            found.add("negation")
        return found

    def _likeliest(
        self, question: Question, *, together: bool, of_names: bool, offered: bool
    ) -> tuple[Understood | None, float]:
        """Return the likeliest reading of all words, with its probability.

        Args:
            question: The question.
            together: Whether readings that come to the same count together: "X has the same as
                Y" and "Y has the same as X".
            of_names: Whether it is told of what is named, and not that there is something.
            offered: Whether one of several things is to be chosen, so that no truth answers.
        """
        bound = any(token.ids for token in question.tokens)
        if bound or wide_form(self.source) is not None:
            # It looks around every name one by one: too dear where a look is a request.
            return None, 0.0
        grammar = open_grammar(self.understanding.lexicon)
        chances: dict[object, float] = {}
        best: dict[object, Understood] = {}
        for one in self.understanding.understand(question.text):
            if not isinstance(one, Understood):
                continue
            if not all(self._is_read(grammar, word.lower()) for word in one.unexplained):
                continue
            if of_names and _seeks(one):
                continue
            if together and _is_a_noun(one):
                continue
            result = self.executor.run(one.program)
            if offered and result.boolean is not None and _lists(one.program):
                continue
            if offered and of_names and has_either(one.program):
                continue
            given = frozenset(result.members) if result.boolean is None else result.boolean
            key = (given, frozenset(one.program.along)) if together else one
            best.setdefault(key, one)
            chances[key] = chances.get(key, 0.0) + one.probability
        if not best:
            return None, 0.0
        likeliest = max(best, key=lambda key: chances[key])
        # Readings that leave words unread are none: of the others one has to be meant.
        whole = sum(chances.values()) if together else 1.0
        return best[likeliest], chances[likeliest] / whole

    @staticmethod
    def _is_read(grammar: Grammar, word: str) -> bool:
        return any(grammar.is_a(kind, word) for kind in _READ)

    def _run(
        self, best: Understood, question: Question, request: Request, linking: Linking,
        joints: set[str],
    ) -> Solved | Failure:  # fmt: skip
        result = self.executor.run(best.program)
        final = "set" if result.boolean is None else "yes" if result.boolean else "no"
        names = [value.id for _, value in best.mentions if isinstance(value, EntityValue)]
        along = best.program.along
        stated = {name: self._stated(names, name) for name in along}
        if final != "set" and "sharing" in joints and self._differ(question, names, stated):
            return Failure("These have some of it in common, but not all.")
        subjects = {one.subject for found in stated.values() for one in found}
        told = all(stated.values()) and ("sharing" not in joints or subjects >= set(names))
        if joints == {"intersection"}:  # One clause that does not hold is enough.
            meant = {EntityValue(name) for name in names}
            told = any(found and meant.isdisjoint(one.value for one in found)
                       for found in stated.values())  # fmt: skip
        if final != "set" and "union" in joints and "truth" not in joints and len(stated) == 1:
            return Failure("The graph states none of what is offered, or it was not understood.")
        if result.truncated or (final == "no" and not told):
            return Failure("The graph does not state what would tell.")
        kind = AnswerKind.THINGS if final == "set" else AnswerKind.YES_OR_NO
        return Solved(
            question, replace(request, kind=kind, focus=frozenset()), linking, (),
            _candidate(best, final, request), result, best.probability,
            () if final == "set" else tuple(one for found in stated.values() for one in found),
        )  # fmt: skip

    def _stated(self, names: list[str], relation: str) -> tuple[Statement, ...]:
        pages = self.source.statements_many(names, property=relation, limit=_STATED)
        return tuple(one for name in names if name in pages for one in pages[name].statements)

    def _differ(
        self, question: Question, names: list[str], stated: dict[str, tuple[Statement, ...]]
    ) -> bool:
        """Tell whether several are asked for ("the same languages"), and not all are the same."""
        for found in stated.values():
            sets = [{one.value for one in found if one.subject == name} for name in names]
            if any(one != sets[0] for one in sets) and set.intersection(*sets):
                return self._plural(question)
        return False

    def _plural(self, question: Question) -> bool:
        grammar = open_grammar(self.understanding.lexicon)
        words = [token.norm for token in question.tokens]
        at = next(i for i, word in enumerate(words) if grammar.is_a("sharing", word))
        return any(word.endswith("s") and singular(word) != word for word in words[at + 1 :])


def _seeks(one: Understood) -> bool:
    """Tell whether a reading asks whether there is something that several have in common.

    What one has among the things that are listed is told of that one.
    """
    listed = {step.out for step in one.program.steps if isinstance(step, (Start, Union))}
    return any(
        judge.kind is JudgeKind.NOT_EMPTY and listed.isdisjoint(joined.sources)
        for judge, joined in _judged_in_common(one)
    )


def _is_a_noun(one: Understood) -> bool:
    """Tell whether what several have in common is said to be a thing: "the same city" is a kind."""
    return any(judge.value is not None for judge, _ in _judged_in_common(one))


def _judged_in_common(one: Understood) -> Iterator[tuple[Judge, Intersect]]:
    """Yield what a reading judges of things in common, with the step that finds these."""
    kept = (Intersect, FilterByType, FilterByConstraint)
    made = {step.out: step for step in one.program.steps if isinstance(step, kept)}
    for step in one.program.steps:
        if not isinstance(step, Judge):
            continue
        judged = made.get(step.source)
        while isinstance(judged, (FilterByType, FilterByConstraint)):
            judged = made.get(judged.source)
        if isinstance(judged, Intersect):
            yield step, judged


def _lists(program: Program) -> bool:
    """Tell whether a program puts things together that a list names, or what is alike of each."""
    made = {step.out: step for step in program.steps if isinstance(step, (Start, Follow))}
    for one in program.steps:
        parts = [made.get(name) for name in one.sources] if isinstance(one, Union) else []
        kinds = {getattr(part, "properties", ()) if part else None for part in parts}
        if len(kinds) == 1 and None not in kinds:
            return True
    return False


def has_either(program: Program) -> bool:
    """Tell whether it is asked if one of several relations leads anywhere at all.

    Whether a city has a country says nothing of whether it is a city or a country.
    """
    follows = {step.out for step in program.steps if isinstance(step, Follow)}
    either = {
        step.out for step in program.steps if isinstance(step, Union) and follows >= {*step.sources}
    }
    judges = (step for step in program.steps if isinstance(step, Judge))
    return any(step.value is None and step.source in either for step in judges)


def _candidate(best: Understood, final: str, request: Request) -> Candidate:
    *steps, end = best.program.steps
    edges = tuple(
        EdgeUse(tuple((name, step.direction) for name in step.properties))
        for step in steps
        if isinstance(step, Follow)
    )
    outs = tuple(step.out for step in steps if isinstance(step, (Start, Follow)))
    source = str(getattr(end, "source", ""))
    read = frozenset(range(request.start, request.end))
    return Candidate(tuple(steps), source, (), outs, read, edges=edges, final=final)
