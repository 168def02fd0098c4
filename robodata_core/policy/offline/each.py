"""Yes/no questions about several names at once: "were X and Y born in Z".

Each name is judged alone with the rest of the words. One program then looks whether as many of the
names as are asked about lead to what the rest names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from robodata_core.model import Direction, EntityValue
from robodata_core.policy.offline.mentions import Linking, Mention
from robodata_core.policy.offline.paired import Clause, Paired, notes_of
from robodata_core.policy.offline.question import Question, Request
from robodata_core.policy.offline.solved import Failure, Solved
from robodata_core.policy.offline.words import FUNCTION_WORDS
from robodata_core.programs.steps import (
    Comparison,
    FilterByConstraint,
    FilterByCount,
    Judge,
    JudgeKind,
    Start,
    Step,
)

__all__ = ["each"]

_MOST: Final = 4
_HAVING: Final = frozenset(["have", "has", "had", "share"])
#: Words with which names are joined to each other, so that none of them is asked about alone.
_JOINED: Final = frozenset(["same", "each", "other", "together", "between", "than", "not", "a"])


def each(paired: Paired, request: Request, linking: Linking) -> Solved | Failure | None:
    """Judge the rest of a yes/no question for each of its names; None where it has one name."""
    tokens = paired.question.tokens
    first = paired.subject(request, linking)
    found = _names(paired.question, request, linking, first) if first is not None else None
    if found is None:
        return None
    names, every = found
    rest = [i for i in range(names[-1].end, request.end) if tokens[i].norm != "both"]
    inside = set(rest)
    if rest and tokens[rest[0]].norm in _HAVING:
        return Failure("Whether these have something together is not told by what each has.")
    about = [m for m in linking.mentions if m.entities and m.span <= inside]
    said = [i for i in rest if tokens[i].word and tokens[i].norm not in FUNCTION_WORDS]
    if not about and len(said) > 1:
        return Failure("What is asked of these together was not understood.")
    # Nothing is named that they are joined to but each other: "are X and Y married".
    if not about or _JOINED & {tokens[i].norm for i in rest}:
        return None
    opening = range(request.start, names[0].start)
    clauses: list[Clause] = []
    for name in names:
        kept = [*opening, *range(name.start, name.end), *rest]
        clause = paired.judged(kept, name)
        if clause is not None:
            clauses.append(replace(clause, text=name.text))
    if len(clauses) < len(names):
        return Failure("The names could not be judged one by one.")
    return _together(paired, request, names, clauses, every)


def _names(
    question: Question, request: Request, linking: Linking, first: Mention
) -> tuple[list[Mention], bool] | None:
    """Return the names that "and" or "or" joins before the verb, and whether all are meant."""
    tokens = question.tokens
    names, joints = [first], set()
    while names[-1].end + 1 < request.end and len(names) <= _MOST:
        at = names[-1].end
        joint = tokens[at].norm
        if joint not in ("and", "or", ","):
            break
        joints |= {joint} - {","}
        at += 1
        while at < request.end and tokens[at].norm in ("and", "or", "the"):
            joints |= {tokens[at].norm} - {"the"}
            at += 1
        later = [
            m for m in linking.mentions
            if m.start == at and m.proper and m.entities and not m.demonym and not m.whole
        ]  # fmt: skip
        if not later:
            return None
        names.append(max(later, key=lambda m: m.end))
    if len(names) < 2 or len(joints) != 1:
        return None
    return names, joints == {"and"}


def _together(
    paired: Paired,
    request: Request,
    names: Sequence[Mention],
    clauses: Sequence[Clause],
    every: bool,
) -> Solved | Failure | None:
    known = [one.holds for one in clauses if one.holds is not None]
    settled = (False in known) if every else (True in known)
    if not settled and len(known) < len(clauses):
        open_ = " and ".join(one.text for one in clauses if one.holds is None)
        return Failure(f"The graph does not tell whether that holds of {open_}.")
    holds = all(known) if every else any(known)
    ways = {_way(one) for one in clauses}
    way = ways.pop()
    if ways or way is None:
        return Failure("The names could not be judged together.")
    about, properties = way
    values = tuple(EntityValue(name.entities[0].id) for name in names)
    enough = len(values) if every else 1
    steps: tuple[Step, ...] = (
        Start("n0", values),
        Start("n1", (about,)),
        FilterByCount("n2", "n1", properties, Direction.IN, Comparison.GE, enough, "n0"),
        Judge("n3", "n2", JudgeKind.NOT_EMPTY),
    )
    base = clauses[0]
    whole = replace(
        base.solved.candidate, steps=steps, out="n3", history=(), final="yes" if holds else "no"
    )
    result = paired.deep.executor.run(whole.program())
    if bool(result.boolean) is not holds:
        return Failure("The names could not be judged together.")
    shown = [s for one in clauses if one.holds or not holds for s in one.shown]
    return replace(
        base.solved, candidate=whole, result=result, question=paired.question,
        request=replace(request, focus=frozenset()), related=tuple(dict.fromkeys(shown)),
        confidence=min(one.solved.confidence for one in clauses), notes=notes_of(clauses, ""),
    )  # fmt: skip


def _way(clause: Clause) -> tuple[EntityValue, tuple[str, ...]] | None:
    """Return what a clause is about, and the relations that lead there from its subject."""
    tests = [one for one in clause.steps.steps if isinstance(one, FilterByConstraint)]
    about = {one.value for one in tests}
    if not tests or len(about) != 1:
        return None
    value = about.pop()
    return (value, tuple(one.property for one in tests)) if isinstance(value, EntityValue) else None
