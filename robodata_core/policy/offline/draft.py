"""From a plan to what is handed in: the programs of the parts that are sure enough.

Parts that are not sure enough become what is missing; if no part holds, the answer is "unknown"
with the best attempt shown as such. What the programs give is for ``answers`` to say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Set
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from robodata_core.model import AnswerStatus, EntityValue, Statement
from robodata_core.policy.base import AnswerDraft, AnswerPart
from robodata_core.policy.offline.in_vain import InVain, suggestions
from robodata_core.policy.offline.needed import MAX_RELATED, MAX_RESULTS, is_contest
from robodata_core.policy.offline.parts import Part, Plan
from robodata_core.programs.describe import Verbaliser, listed
from robodata_core.programs.result import ProgramResult
from robodata_core.programs.steps import Count, Follow, Program, Step
from robodata_core.store.graph import LocalGraph

__all__ = ["Drafter"]

_MAX_OTHERS: Final = 3
_NEARLY: Final = 0.12


@dataclass(slots=True)
class _Parts:
    """What the parts add up to."""

    parts: list[AnswerPart] = field(default_factory=list)
    beside: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    attempts: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    held: int = 0
    partial: bool = False


class Drafter:
    """Writes the draft of one run.

    Args:
        graph: The local graph.
        entity_label: Label of an entity.
        property_label: Label of a property.
        told: An entity with what tells it from others of its name.
    """

    def __init__(
        self,
        graph: LocalGraph,
        entity_label: Callable[[str], str],
        property_label: Callable[[str], str],
        told: Callable[[str], str],
    ) -> None:
        self._graph = graph
        self._told = told
        self._in_vain = InVain(entity_label, property_label, Verbaliser(entity_label))

    def draft(self, plan: Plan, *, hurried: bool = False) -> AnswerDraft:
        """Return the draft for a plan.

        Args:
            plan: What was found.
            hurried: Whether turns ran out before everything could be done.
        """
        whole = _Parts()
        for part in plan.parts:
            self._add(whole, plan, part, hurried)
        status = AnswerStatus.UNKNOWN
        if whole.held:
            complete = whole.held == len(plan.parts) and not whole.partial
            status = AnswerStatus.ANSWERED if complete else AnswerStatus.PARTIAL
        if not plan.parts:
            whole.missing.append("No question was recognised.")
        if hurried and whole.held:
            whole.missing.append("The run ended before its evidence could be fetched.")
        return AnswerDraft(
            status=status,
            parts=tuple(whole.parts),
            beside=tuple(dict.fromkeys(whole.beside)),
            missing=tuple(dict.fromkeys(whole.missing)),
            suggestions=suggestions(plan),
            attempt="; ".join(dict.fromkeys(whole.attempts)),
            notes=tuple(dict.fromkeys(whole.notes)),
            probability=plan.parts[0].probability if len(plan.parts) == 1 else None,
            likely=any(part.sure and part.likely for part in plan.parts),
            together=plan.together,
        )

    def _add(self, whole: _Parts, plan: Plan, part: Part, hurried: bool) -> None:
        if part.best is None or part.result is None or not part.sure:
            whole.missing += self._in_vain.why_not(plan, part)
            if part.best is not None and part.result is not None:
                whole.attempts += self._in_vain.attempt(part)
            return
        candidate = part.best.candidate
        if candidate.final == "count" and candidate.relaxed:
            # The number of all tables is no part of the number of chairs on them.
            whole.missing += [
                f"The graph does not state {label} for what could be counted."
                for label in candidate.relaxed
            ]
            return
        whole.held += 1
        asked = part.question.text if plan.together and part.question else ""
        whole.parts.append(AnswerPart(program=_used(candidate.program(), part.result), asked=asked))
        whole.attempts += self._in_vain.attempt(part) if hurried else []
        most = MAX_RESULTS if is_contest(candidate) else MAX_RELATED
        whole.beside += self._handles(part.related[:most])
        whole.notes += (*part.notes, *candidate.narrowed.notes, *self._choices(part))
        whole.missing += (*part.missing, *candidate.narrowed.missing)
        whole.partial = whole.partial or bool(part.missing or candidate.narrowed.missing)
        if candidate.final == "count" and candidate.narrowed.missing:
            bound = "larger" if not candidate.narrowed.vague else "smaller"
            whole.missing.append(f"So the true number may be {bound}.")
        for label in candidate.relaxed:
            whole.partial = True
            whole.missing.append(f"The graph does not state {label} for these results.")

    def _choices(self, part: Part) -> Iterable[str]:
        """Say what an ambiguous name was taken for, and what else goes by it."""
        assert part.best is not None and part.result is not None
        cited = {one.subject for one in part.result.evidence}
        cited |= {
            one.value.id for one in part.result.evidence if isinstance(one.value, EntityValue)
        }
        for link in part.best.candidate.links:
            entities = {item.id: item for item in link.mention.entities}
            named = link.mention.proper or not link.mention.exact
            chosen = named and not link.mention.whole
            if chosen and not link.mention.exact and len(entities) == 1:
                yield f"“{link.mention.text}” was read as {self._told(link.ids[0])}."
                continue
            if not chosen or len(entities) < 2 or not entities.keys() & set(link.ids):
                continue
            taken = [id_ for id_ in link.ids if id_ in cited] or list(link.ids[:1])
            best = max(entities[id_].quality for id_ in taken if id_ in entities)
            others = [
                item for id_, item in entities.items()
                if id_ not in taken and item.quality >= best - _NEARLY
            ][:_MAX_OTHERS]  # fmt: skip
            if others and taken:
                told = listed(map(self._told, taken))
                rest = listed(self._told(item.id) for item in others)
                yield f"“{link.mention.text}” was read as {told}; it may also mean {rest}."

    def _handles(self, statements: Iterable[Statement]) -> list[str]:
        """Return the handles of those statements that stand in the local graph."""
        found = (self._graph.find(statement.triple) for statement in statements)
        return [item.handle for item in found if item is not None]


def _used(program: Program, result: ProgramResult) -> Program:
    """Leave out of unions of relations what led to nothing, where it takes nothing away, either.

    What is "in" a country may have its seat there; rivers have none, and nobody asked for it.
    """
    if result.truncated or not result.members or any(map(_takes_away, program.steps)):
        return program
    along = {one.property for one in result.evidence}
    return Program(tuple(map(partial(_narrowed, along=along), program.steps)))


def _takes_away(step: Step) -> bool:
    return step.closed() and not isinstance(step, Count)


def _narrowed(step: Step, along: Set[str]) -> Step:
    if not isinstance(step, Follow) or len(step.properties) < 2:
        return step
    return replace(
        step, properties=tuple(filter(along.__contains__, step.properties)) or step.properties
    )
