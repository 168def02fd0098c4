"""Which classes of a graph a noun means: those of that name, and those labelled more closely.

A graph that knows "sovereign state" and "island country" and not what is above them still says
which things are states, and which are countries. Where the class of that very name holds most of
what is looked at, it alone is meant: a "historical country" is no country then.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from robodata_core.language.lexicon import open_lexicon
from robodata_core.model import Direction, EntityValue, MatchKind, Value
from robodata_core.policy.offline.broader import Broader
from robodata_core.policy.offline.candidate import Candidate
from robodata_core.policy.offline.mentions import Linking
from robodata_core.policy.offline.question import Question
from robodata_core.policy.offline.solve import Solver
from robodata_core.policy.offline.solved import Failure, Solved
from robodata_core.policy.offline.stated import ids_of, others_of
from robodata_core.policy.offline.walks import Walk
from robodata_core.policy.offline.words import noun_of, singular_phrase, stems
from robodata_core.programs.executor import Executor
from robodata_core.programs.steps import (
    Comparison,
    End,
    FilterByConstraint,
    FilterByCount,
    FilterByType,
    Program,
    Step,
    Union,
)

__all__ = ["UNREAD", "Kinds"]

UNREAD: Final = "The graph does not say which of those to be compared are “{}”."

_SAMPLE: Final = 400
_TYPES: Final = open_lexicon("en").role("called")


class Kinds:
    """Finds classes by the noun for them.

    Args:
        solver: Gives the source and its relations.
    """

    def __init__(self, solver: Solver) -> None:
        self._solver = solver
        self.via = tuple(sorted({n for label in _TYPES for n in solver.index.called(label)}))

    def of(self, words: str, members: Sequence[Value]) -> tuple[str, ...]:
        """Return the classes that words name.

        Args:
            words: A noun phrase, in lower case.
            members: Things whose own classes are looked at.
        """
        named = self._named(words)
        if named and 2 * self._of_class(named, members) >= min(len(members), _SAMPLE):
            return tuple(sorted(named))
        return tuple(sorted(named | self._labelled(words, members)))

    def _of_class(self, classes: set[str], members: Sequence[Value]) -> int:
        """Return how many of a sample are of some classes."""
        sample = tuple(members[:_SAMPLE])
        return len(self._solver.reader.is_a(sample, frozenset(classes), self.via))

    def _named(self, words: str) -> set[str]:
        edges = {(name, Direction.IN) for name in self.via}
        found: dict[MatchKind, set[str]] = {MatchKind.LABEL: set(), MatchKind.ALIAS: set()}
        for form in dict.fromkeys((words, singular_phrase(words))):
            for hit in self._solver.source.search(form, limit=5):
                if hit.match in found and edges & set(self._solver.reader.relations(hit.id)):
                    found[hit.match].add(hit.id)
        return found[MatchKind.LABEL] or found[MatchKind.ALIAS]

    def _labelled(self, words: str, members: Sequence[Value]) -> set[str]:
        """Return classes of some things whose labels hold the words, with the same head."""
        reader, wanted = self._solver.reader, stems(words)
        things = reader.entities(ids_of(members)[:_SAMPLE]).values()
        types = sorted({kind for item in things for kind in item.types})
        found = set()
        for kind, entity in reader.entities(types).items():
            inner = stems(noun_of(entity.label))
            if wanted and inner[-1:] == wanted[-1:] and set(wanted) <= set(inner):
                found.add(kind)
        return found

    # -- of what is counted -------------------------------------------------------------------

    def counted(
        self, question: Question, walk: Walk, words: str, executor: Executor
    ) -> Solved | Failure:
        """Return what is counted along a relation, of the kind that words name."""
        step, far = self._far(walk, executor)
        classes = self.of(words, far)
        if not far or not classes:
            return Failure(UNREAD.format(words), unread=True)
        typed = FilterByType("n1", step.out, classes, self.via)
        return self._set(question, (step, typed), words, executor)

    def narrowed(
        self,
        question: Question,
        walk: Walk,
        broader: Sequence[Broader],
        words: str,
        executor: Executor,
    ) -> Solved | Failure:
        """Return what is counted where a word says more than the relation ("daughters")."""
        step, far = self._far(walk, executor)
        steps: list[Step] = [step]
        names: list[str] = []
        for one in broader:
            values = [id_ for text in sorted(one.values) for id_ in self._labelled_so(text)]
            for name in one.relations:
                for id_ in dict.fromkeys(values):
                    out = f"n{len(steps)}"
                    test = FilterByConstraint(out, step.out, name, Comparison.EQ, EntityValue(id_))
                    steps.append(test)
                    names.append(out)
        if not names:
            return Failure(f"The graph does not tell which of those counted are {words}.")
        if len(names) > 1:
            steps.append(Union(f"n{len(steps)}", tuple(names)))
        found = self._set(question, tuple(steps), words, executor)
        if isinstance(found, Failure):
            return found
        edges = tuple((name, Direction.OUT) for one in broader for name in one.relations)
        stated = others_of(self._solver.source, ids_of(far), edges)
        lacking = len(ids_of(far)) - len(stated)
        text = f"Of {lacking:,} of those counted the graph does not state whether they are {words}."
        return Solved(
            found.question, found.request, found.linking, (), found.candidate, found.result,
            found.confidence, missing=(text,) if lacking else (),
        )  # fmt: skip

    def _far(self, walk: Walk, executor: Executor) -> tuple[FilterByCount, tuple[Value, ...]]:
        """Return everything at the far end of a relation; nothing where that is too much."""
        back = Direction.IN if walk.direction is Direction.OUT else Direction.OUT
        step = FilterByCount("n0", "", walk.properties, back, Comparison.GE, 1)
        result = executor.run(Program((step, End("n0"))))
        return step, () if result.truncated else result.members

    def _labelled_so(self, text: str) -> list[str]:
        hits = self._solver.source.search(text, limit=5)
        return [hit.id for hit in hits if hit.match is MatchKind.LABEL]

    @staticmethod
    def _set(
        question: Question, steps: tuple[Step, ...], words: str, executor: Executor
    ) -> Solved | Failure:
        out = steps[-1].out
        result = executor.run(Program((*steps, End(out))))
        if not result.members:
            return Failure(UNREAD.format(words), unread=True)
        candidate = Candidate(steps, out, (), (out,), typed=True)
        return Solved(question, question.requests[0], Linking(()), (), candidate, result, 0.9)
