"""What something is done to, which is not what it is done with.

A graph may say of carrots and of pans alike that their use is cooking. Where it also says of which
things that can be done ("cookable"), these are not what is used for it.
"""

from __future__ import annotations

from dataclasses import replace

from robodata_core.language.grammar.abilities import done_to
from robodata_core.language.lexicon import Lexicon
from robodata_core.model import Direction, EntityValue
from robodata_core.policy.offline.candidate import Candidate
from robodata_core.policy.offline.parts import Part, Plan
from robodata_core.policy.offline.reading import Reader
from robodata_core.programs.executor import Executor
from robodata_core.programs.steps import Comparison, FilterByConstraint, Follow, Start
from robodata_core.sources.base import KnowledgeSource
from robodata_core.sources.capabilities import lookup_names

__all__ = ["done_with"]


def done_with(plan: Plan, source: KnowledgeSource, executor: Executor, lexicon: Lexicon) -> Plan:
    """Return a plan whose answers are what something is done with, not what that is done to.

    Args:
        plan: Of a question.
        source: What is asked.
        executor: Runs programs.
        lexicon: Of the language of the question.

    Raises:
        SourceError: If the source fails.
        CancelledError: If the executor's token says so; DeadlineExceededError likewise.
    """
    parts = (_without_these(part, plan.reader, source, executor, lexicon) for part in plan.parts)
    return replace(plan, parts=tuple(parts))


def _without_these(
    part: Part, reader: Reader, source: KnowledgeSource, executor: Executor, lexicon: Lexicon
) -> Part:
    candidate = part.settled
    doing = _doing(candidate, reader) if candidate is not None else ""
    names = done_to(doing, lexicon) if doing else ()
    if candidate is None or part.result is None or not names:
        return part
    members = part.result.members
    for hit in (hit for hits in lookup_names(source, names).values() for hit in hits):
        able = EntityValue(hit.id)
        for name, way in reader.relations(hit.id):
            held = reader.holding(members, (name, Direction.OUT), (able,))
            if way is not Direction.IN or not held or len(held) == len(members):
                continue
            out = candidate.fresh
            step = FilterByConstraint(out, candidate.out, name, Comparison.EQ, able)
            left = replace(candidate, steps=(*candidate.steps, step)).without(
                out, tuple(value for value in candidate.nodes if value not in set(held))
            )
            note = f"What is {hit.label} is left out: that is what {doing} is done to."
            return part.narrowed(left, executor, note)
    return part


def _doing(candidate: Candidate, reader: Reader) -> str:
    """Return what a reading asks what is used for; an empty string for any other reading."""
    steps = candidate.steps
    start = steps[0] if len(steps) > 1 else None
    if candidate.final != "set" or not isinstance(start, Start) or len(start.values) != 1:
        return ""
    last, named = steps[1], start.values[0]
    backwards = isinstance(last, Follow) and last.direction is Direction.IN
    alone = backwards and len(steps) == 2 and isinstance(named, EntityValue)
    return reader.label(named.id) if alone and isinstance(named, EntityValue) else ""
