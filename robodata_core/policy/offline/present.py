"""What holds now: whether a graph says so of what it states.

Which relations change is no list here. A value that a source prefers and gives a point in time to,
or that has a beginning and no end, is the present one; where only one value is stated and nothing
says when it holds, that is told with the answer; of several nobody knows which.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from robodata_core.language.lexicon import open_lexicon
from robodata_core.model import Rank, Statement
from robodata_core.policy.offline.parts import Part, Plan
from robodata_core.policy.offline.relation_index import RelationIndex

__all__ = ["holding_now"]

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
