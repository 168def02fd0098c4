"""Words that leave some of a walk's ends out: a stepmother is a father's wife, not the mother.

What is taken away starts where the walk began. Where it leads nowhere, it cannot be told who is
left, and the walk counts for nothing; neither does it where several things are asked about at
once, since what is the one's may not be taken from the other. Others than X are not X.
"""

from __future__ import annotations

from dataclasses import replace

from robodata_core.language.lexicon import Lexicon
from robodata_core.model import Direction, Value
from robodata_core.policy.offline import combine
from robodata_core.policy.offline.candidate import Candidate, EdgeUse, Narrowed
from robodata_core.policy.offline.parts import Part, Plan
from robodata_core.policy.offline.reading import Reader
from robodata_core.policy.offline.relations import Hop
from robodata_core.programs.executor import Executor
from robodata_core.programs.steps import Comparison, FilterByCount, Start, Step, Union

__all__ = ["left_over", "without_named"]


def without_named(plan: Plan, executor: Executor, lexicon: Lexicon) -> Plan:
    """Return a plan for "other films by the director of X" without what its question names.

    Args:
        plan: Of a question.
        executor: Runs programs.
        lexicon: Of the language of the question.

    Raises:
        SourceError: If the source fails.
        CancelledError: If the executor's token says so; DeadlineExceededError likewise.
    """
    if not {token.norm for token in plan.question.tokens} & lexicon.said("others"):
        return plan
    return replace(plan, parts=tuple(_others(part, executor) for part in plan.parts))


def _others(part: Part, executor: Executor) -> Part:
    candidate = part.settled
    if candidate is None or part.result is None or candidate.final != "set":
        return part
    begun = {v for s in candidate.steps if isinstance(s, Start) for v in s.values}
    named = tuple(value for value in part.result.members if value in begun)
    if not named or len(named) == len(part.result.members):
        return part
    return part.narrowed(combine.others(candidate, named), executor)


def left_over(
    before: Candidate,
    grown: Candidate,
    first: Hop,
    without: tuple[tuple[Hop, ...], ...],
    having: tuple[Hop, ...],
    reader: Reader,
) -> Candidate | None:
    """Take away what a word leaves out.

    Args:
        before: The candidate as it was before the word's walk.
        grown: The candidate after it.
        first: The first hop of the walk.
        without: Walks whose ends are taken away; an empty one is where the walk began.
        having: What must be stated of those that are left.
        reader: The source.
    """
    begun = [value for value in before.nodes if reader.any_of([value], first)]
    if len(begun) != 1:
        return None
    for hop in having:
        kept = tuple(value for value in grown.nodes if reader.any_of([value], hop))
        open_ = len(grown.nodes) - len(kept)
        grown = _stated(grown, hop, kept)
        if open_:
            text = "Where the graph does not state what tells it, somebody may be left out."
            grown = replace(grown, narrowed=grown.narrowed.plus(Narrowed(lacking=(text,))))
    for walk in without:
        taken = _taken(before, grown, walk, reader)
        if taken is None:
            return None
        steps, name, values = taken
        left = tuple(value for value in grown.nodes if value not in set(values))
        grown = replace(grown, steps=steps).without(name, left)
    return grown if grown.nodes else None


def _stated(candidate: Candidate, hop: Hop, kept: tuple[Value, ...]) -> Candidate:
    """Keep those of whom a relation is stated."""
    steps, names = list(candidate.steps), []
    for way in (Direction.OUT, Direction.IN):
        relations = tuple(name for name, direction in hop if direction is way)
        if relations:
            names.append(f"n{len(steps)}")
            steps.append(FilterByCount(names[-1], candidate.out, relations, way, Comparison.GE, 1))
    if len(names) > 1:
        steps.append(Union(f"n{len(steps)}", tuple(names)))
    out = f"n{len(steps) - 1}"
    history = (*candidate.history[:-1], out)
    return replace(candidate, steps=tuple(steps), out=out, nodes=kept, history=history)


def _taken(
    before: Candidate, grown: Candidate, walk: tuple[Hop, ...], reader: Reader
) -> tuple[tuple[Step, ...], str, tuple[Value, ...]] | None:
    """Return the program with a walk beside it, the name of its set, and what that holds."""
    side = replace(grown, out=before.history[-1], nodes=before.nodes)
    for hop in walk:
        present = tuple(edge for edge in hop if reader.along(side.nodes, edge))
        if not present:
            return None
        found = (value for edge in present for value in reader.along(side.nodes, edge))
        side = side.follow(EdgeUse(present), tuple(dict.fromkeys(found)))
    return side.steps, side.out, side.nodes
