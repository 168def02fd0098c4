"""Places with a larger place said beside them: "Birmingham England" is the one in England.

Addresses are typed so, without a comma. Where no place of that name lies in what stands beside it,
the question is about one that the graph does not know.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence, Set
from typing import Final

from robodata_core.model import Direction, EntityValue
from robodata_core.policy.base import AnswerKind
from robodata_core.policy.offline.answer_kinds import AnswerKinds
from robodata_core.policy.offline.links import containment_links
from robodata_core.policy.offline.lying import reached
from robodata_core.policy.offline.mentions import Linked, Mention
from robodata_core.policy.offline.parts import Plan
from robodata_core.policy.offline.relation_index import RelationIndex
from robodata_core.question import bound_name
from robodata_core.text import told_name

__all__ = ["place_beside"]

_LEVELS: Final = 3
_LOOKED_AT: Final = 4


def place_beside(plan: Plan, index: RelationIndex) -> tuple[str, str] | None:
    """Return a question with the place that two names beside each other mean, and a note.

    Args:
        plan: What was made of the question.
        index: Relations of the graph.

    Returns:
        None where nothing of the kind stands there. Two texts otherwise: the question with the
        place bound, and how it was read; or an empty one and the larger name, where no place of
        that name lies there.
    """
    for part in plan.parts:
        if part.request.kind is AnswerKind.YES_OR_NO:
            continue
        named = [m for m in part.linking.mentions if m.exact and not m.demonym and m.entities]
        for one in named:
            for other in named:
                if one.start < one.end == other.start and _is_said_of(plan, one, other):
                    found = _bound(plan, index, one, other)
                    if found is not None:
                        return found
    return None


def _is_said_of(plan: Plan, one: Mention, other: Mention) -> bool:
    """Tell whether nothing else is said of the second name, as "England's" would be of it."""
    tokens = plan.question.tokens
    written = tokens[one.start].capitalised or not tokens[other.start].capitalised
    owns = other.end < len(tokens) and tokens[other.end].norm == "s"
    return written and not owns and not tokens[one.end - 1].ids


def _bound(
    plan: Plan, index: RelationIndex, one: Mention, other: Mention
) -> tuple[str, str] | None:
    reader, kinds = plan.reader, AnswerKinds(plan.reader, index)
    larger = [item for item in other.entities[:_LOOKED_AT] if _is_place(kinds, item)]
    smaller = [item for item in one.entities[:_LOOKED_AT] if _is_place(kinds, item)]
    if not larger or not smaller:
        return None
    within, wanted = containment_links(index), {item.id for item in larger}
    around = {item.id: _around(plan, item.id, within) for item in (*smaller, *larger)}
    inside = [item for item in smaller if wanted & around[item.id]]
    if len(inside) != 1:
        elsewhere = all(
            _is_elsewhere(plan, around[item.id], {of.id, *around[of.id]})
            for item in smaller
            for of in larger
        )
        return ("", other.text) if elsewhere and not inside else None
    tokens, text = plan.question.tokens, plan.question.text
    start, end = tokens[one.start].start, tokens[other.end - 1].end
    item = reader.entities((inside[0].id,))[inside[0].id]
    note = f"“{text[start:end]}” was read as {told_name(item.label, item.id, item.description)}."
    return f"{text[:start]}{bound_name(item.label, item.id)}{text[end:]}", note


def _is_place(kinds: AnswerKinds, item: Linked) -> bool:
    return kinds.of_values((EntityValue(item.id),)) == "place"


def _around(plan: Plan, id_: str, within: Sequence[str]) -> set[str]:
    """Return what a place lies in, and what that lies in."""
    _, seen = reached(plan.reader, within, (EntityValue(id_),), Direction.OUT, _LEVELS)
    return {value.id for value in seen if isinstance(value, EntityValue)} - {id_}


def _is_elsewhere(plan: Plan, around: Set[str], others: Set[str]) -> bool:
    """Tell whether of places of one kind one thing lies in some and the other in others alone.

    What a graph does not say of a town's county shows nothing; that the town is in another country
    does.
    """
    kinds = [_by_kind(plan, ids) for ids in (around, others)]
    return any(kinds[0][kind].isdisjoint(kinds[1][kind]) for kind in kinds[0].keys() & kinds[1])


def _by_kind(plan: Plan, ids: Set[str]) -> dict[str, set[str]]:
    found: defaultdict[str, set[str]] = defaultdict(set)
    for id_, item in plan.reader.entities(ids).items():
        for kind in item.types:
            found[kind].add(id_)
    return found
