"""Whether a relation holds one way alone: "did X influence Y, and not the other way round".

Both ways are looked at along the same relation. That the graph does not state the way back is all
that is known of it, and a note says so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

from robodata_core.model import Direction, EntityValue, Statement
from robodata_core.policy.offline.deep import Deep
from robodata_core.policy.offline.question import Kind, Question, Request
from robodata_core.policy.offline.solved import Failure, Solved
from robodata_core.programs.steps import (
    Difference,
    End,
    FilterByConstraint,
    Follow,
    Intersect,
    Judge,
    JudgeKind,
    Program,
    Start,
    Step,
)

__all__ = ["OneWay"]

_BACK: Final = (
    r"(?:the other way (?:round|around|about)|vice versa|the reverse|conversely|the opposite"
    r"|the converse|the other direction|in return|in turn|the other way)"
)
_TAIL: Final = re.compile(
    r"(?P<q>.+?)[,;]? ?"
    rf"(?:(?P<not>(?:and|but|rather than|instead of|yet)(?: not| never)?|not) {_BACK}"
    rf"|(?P<both>and (?:also )?{_BACK}|and vice versa))(?: too| as well| also)?",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class OneWay:
    """Judges relations one way, or both ways.

    Attributes:
        deep: Solves what is asked of the first way.
    """

    deep: Deep

    def solve(self, question: Question, request: Request) -> Solved | Failure | None:
        """Judge such a question; None where it is none."""
        if request.kind is not Kind.BOOLEAN:
            return None
        found = _TAIL.fullmatch(question.raw(request.start, request.end).strip(" ?!."))
        if found is None:
            return None
        denied = not found["both"] and bool(
            re.search(r"not|never|than|instead", found["not"], re.I)
        )
        ends = question.tokens[request.start].start + len(found["q"])
        kept = [i for i in range(request.start, request.end) if question.tokens[i].start < ends]
        solved = self.deep.attempted(question, kept)
        ways = _walk(solved) if solved is not None else None
        if solved is None or ways is None:
            return Failure("Whether this holds one way was not understood.")
        start, walk, value = ways
        turned = Direction.IN if walk.direction is Direction.OUT else Direction.OUT
        there, back = replace(walk, out="n1"), Follow("n2", "n0", walk.properties, turned)
        steps: list[Step] = [replace(start, out="n0"), replace(there, source="n0"), back]
        steps.append(Difference("n3", "n1", "n2") if denied else Intersect("n3", ("n1", "n2")))
        judge = Judge("n4", "n3", JudgeKind.CONTAINS, value)
        shown, sides = self._stated(steps[:3], value)
        holds = sides[0] and (not sides[1] if denied else sides[1])
        candidate = replace(
            solved.candidate, steps=(*steps, judge), out="n4", final="yes" if holds else "no"
        )
        result = self.deep.executor.run(candidate.program())
        if bool(result.boolean) is not holds or result.truncated:
            return None
        told = [("is stated" if side else "is not stated") for side in sides]
        note = f"The one way {told[0]}, the other way {told[1]}."
        return replace(
            solved, candidate=candidate, result=result, related=shown or solved.related,
            notes=(note,), question=question, request=replace(request, focus=frozenset()),
        )  # fmt: skip

    def _stated(
        self, steps: list[Step], value: EntityValue
    ) -> tuple[tuple[Statement, ...], tuple[bool, bool]]:
        """Return the statements of both ways between the two, and which there are."""
        shown: list[Statement] = []
        sides = []
        for name in ("n1", "n2"):
            result = self.deep.executor.run(Program((*steps, End(name))))
            sides.append(value in result.members)
            shown += result.support(value) if sides[-1] else ()
        return tuple(dict.fromkeys(shown)), (sides[0], sides[1])


def _walk(solved: Solved) -> tuple[Start, Follow, EntityValue] | None:
    """Return the one step between two things that a judgement looked at."""
    *steps, judge = solved.candidate.steps
    if len(steps) != 2 or not isinstance(steps[0], Start) or not isinstance(judge, Judge):
        return None
    start, walk = steps
    if not isinstance(start, Start) or len(start.values) != 1:
        return None
    if isinstance(walk, FilterByConstraint):
        value, walk = walk.value, Follow("n1", start.out, (walk.property,))
    else:
        value = judge.value  # type: ignore[assignment]
    if not isinstance(walk, Follow) or not isinstance(value, EntityValue):
        return None
    return start, walk, value
