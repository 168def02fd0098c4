"""Questions about space: how far apart things lie, and which lies nearest to another.

They are read only where coordinates are stated: on a robot's map.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from robodata_core.belief.vocabulary import AXES, FRAME
from robodata_core.model import EntityValue
from robodata_core.policy.offline import combine
from robodata_core.policy.offline.candidate import Candidate
from robodata_core.policy.offline.deep import Deep
from robodata_core.policy.offline.question import Kind, Question, Request, analyse
from robodata_core.policy.offline.rephrasing import Form, read_forms
from robodata_core.policy.offline.solved import Failure, Solved, solve_alone
from robodata_core.policy.offline.stated import ids_of, values_of
from robodata_core.policy.offline.tables import packaged
from robodata_core.programs.steps import Distance, Nearest

__all__ = ["Placing"]

_PARTS: Final = 3
#: Longer questions are about something else.
_LONGEST: Final = 200


@dataclass(frozen=True, slots=True)
class Placing:
    """Answers questions that measure how far apart things are.

    Attributes:
        deep: Solves what they name.
    """

    deep: Deep

    def solve(self, question: Question, request: Request) -> Solved | Failure | None:
        """Answer a question of such a form; None where it is of none, or nothing has a place."""
        text = question.raw(request.start, request.end).strip(" ?!.,")
        if request.kind is Kind.BOOLEAN or len(text) > _LONGEST or not self._has_places:
            return None
        for form in _forms():
            asked, *things = form.apply(text).split(";")
            if len(things) == _PARTS - 1:
                return self._measured(asked, *things)
        return None

    @property
    def _has_places(self) -> bool:
        known = self.deep.solver.index.properties
        return all(axis in known for axis in (*AXES, FRAME))

    def _measured(self, asked: str, one: str, other: str) -> Solved | Failure:
        parts = [self._things(analyse(words)) for words in (one, other)]
        for words, part in zip((one, other), parts, strict=True):
            if isinstance(part, Failure):
                return part
            if not any(isinstance(value, EntityValue) for value in part.result.members):
                return Failure(f"Nothing that is “{words}” was found.")
        first, second = parts
        assert isinstance(first, Solved) and isinstance(second, Solved)
        whole, target = combine.after(first.candidate, second.candidate)
        candidate = _placed(whole, asked, first.candidate.out, target)
        outcome = first.then(candidate, self.deep.executor)
        if outcome.result.members:
            return outcome
        return Failure(f"Where “{one}” and “{other}” are is not known in one frame.")

    def _things(self, words: Question) -> Solved | Failure:
        """Return the thing of the map that some words name, or all that they describe."""
        named = self.deep.plain.named(words, range(len(words.tokens)))
        ids = ids_of(named.result.members) if named else []
        if named is not None and values_of(self.deep.solver.source, ids, AXES[0]):
            return named
        return solve_alone(self.deep.set_of, words)


def _placed(whole: Candidate, asked: str, source: str, target: str) -> Candidate:
    kind = Distance if asked == "apart" else Nearest
    step = kind(f"n{len(whole.steps)}", source, target, AXES, FRAME)
    history = (*whole.history, step.out)
    return replace(whole, steps=(*whole.steps, step), out=step.out, history=history, final="set")


@lru_cache(maxsize=1)
def _forms() -> tuple[Form, ...]:
    return tuple(read_forms(packaged("placing.tsv")))
