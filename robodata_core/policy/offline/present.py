"""What holds now: whether a graph says so of what it states.

Which relations change is no list here. A value that a source prefers and gives a point in time to,
or that has a beginning and no end, is the present one; where only one value is stated and nothing
says when it holds, that is told with the answer; of several nobody knows which. What a class calls
a former thing of its kind ("historical country") is none now.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from robodata_core.language.lexicon import open_lexicon
from robodata_core.model import Rank, Statement
from robodata_core.policy.offline.parts import Part, Plan
from robodata_core.policy.offline.relation_index import RelationIndex
from robodata_core.policy.offline.words import AUXILIARIES
from robodata_core.programs.executor import Executor
from robodata_core.programs.steps import Difference, FilterByType
from robodata_core.sources.base import KnowledgeSource
from robodata_core.sources.capabilities import lookup_names

__all__ = ["holding_now", "without_former"]

#: What something is an instance of it stays; its occupation and office it may leave.
_IS_A: Final = "instance of"
#: Roles of relations that hold for good where they hold.
_LASTING: Final = ("above", "births", "deaths", "times")
_POINT_IN_TIME: Final = "P585"
_START: Final = "P580"
_END: Final = "P582"
_MAY_HAVE_ENDED: Final = "The graph does not say whether that still holds."
_WHICH: Final = "The graph does not say which of what it states holds now."


def holding_now(plan: Plan, index: RelationIndex) -> Plan:
    """Return a plan as an answer to what holds now.

    Args:
        plan: Of the question without the word for it.
        index: Relations of the graph.
    """
    lexicon = open_lexicon("en")
    labels = (_IS_A, *(label for role in _LASTING for label in lexicon.role(role)))
    lasting = {name for label in labels for name in index.named(label)}
    return replace(plan, parts=tuple(_now(part, lasting) for part in plan.parts))


def _now(part: Part, lasting: set[str]) -> Part:
    result = part.result
    if not part.sure or result is None or result.boolean is False:
        return part
    changing = [one for one in result.evidence if one.property not in lasting]
    if not changing or all(_is_present(one) for one in changing):
        return part
    ended = any(one.property == _END for item in changing for one in item.qualifiers)
    groups = [(one.subject, one.property) for one in changing]
    several = len(set(groups)) < len(groups) or len(result.members) > 1
    if ended or (several and result.boolean is None):
        return replace(part, sure=False, failure=_WHICH)
    return replace(part, missing=(*part.missing, _MAY_HAVE_ENDED))


def _is_present(statement: Statement) -> bool:
    """Tell whether a statement says itself that it holds now."""
    said = {snak.property for snak in statement.qualifiers}
    preferred = statement.rank is Rank.PREFERRED and _POINT_IN_TIME in said
    return _END not in said and (preferred or _START in said)


def without_former(plan: Plan, source: KnowledgeSource, executor: Executor) -> Plan:
    """Return a plan whose sets leave out what is of its kind no more, where it is asked what is.

    Args:
        plan: Of a question.
        source: What is asked.
        executor: Runs programs.

    Raises:
        SourceError: If the source fails.
        CancelledError: If the executor's token says so; DeadlineExceededError likewise.
    """
    said, over = {token.norm for token in plan.question.tokens}, open_lexicon("en").said("past")
    if not said & AUXILIARIES or said & over:
        return plan
    parts = (_without_former(part, plan, source, executor) for part in plan.parts)
    return replace(plan, parts=tuple(parts))


def _without_former(part: Part, plan: Plan, source: KnowledgeSource, executor: Executor) -> Part:
    candidate = part.settled
    if candidate is None or part.result is None or candidate.final not in ("set", "count"):
        return part
    at, kind = next(
        ((i, s) for i, s in enumerate(candidate.steps) if isinstance(s, FilterByType)), (0, None)
    )
    if kind is None:
        return part
    labels = [plan.reader.label(id_) for id_ in kind.type_ids]
    names = [f"{word} {label}" for word in open_lexicon("en").said("over") for label in labels]
    former = {hit.id: hit.label for hits in lookup_names(source, names).values() for hit in hits}
    if not former:
        return part
    gone, left = f"{candidate.fresh}g", f"{candidate.fresh}l"
    steps = (
        FilterByType(gone, "", tuple(sorted(former)), kind.via),
        Difference(left, kind.out, gone),
    )
    told = " or ".join(f"“{label}”" for label in sorted(set(former.values())))
    note = f"What is called {told} is left out: it is none now."
    narrowed = part.narrowed(candidate.put(at, steps), executor, note)
    number = len(narrowed.result.members) if narrowed.result else 0
    return narrowed if 0 < number < len(part.result.members) else part
