"""Qualities of which a graph states nothing: "dirty" in "where do dirty dishes go".

What holds of things of the kind may hold of those as well, which is told with the answer.
"""

from __future__ import annotations

from robodata_core.model import Direction
from robodata_core.policy.base import AnswerKind
from robodata_core.policy.offline.links import above_links
from robodata_core.policy.offline.mentions import Mention
from robodata_core.policy.offline.parts import Plan
from robodata_core.policy.offline.reading import Reader
from robodata_core.policy.offline.relation_index import RelationIndex

__all__ = ["without_quality"]


def without_quality(plan: Plan, index: RelationIndex) -> tuple[str, str]:
    """Return a question without a quality that nothing is stated to have, and that quality.

    Args:
        plan: What was made of the question.
        index: Relations of the graph.

    Returns:
        Two empty texts where there is none.
    """
    text, tokens = plan.question.text, plan.question.tokens
    for part in plan.parts:
        if part.question is not None or part.request.kind is AnswerKind.YES_OR_NO:
            continue
        mentions = [one for one in part.linking.mentions if not one.proper and one.entities]
        for one in mentions:
            kind = next((other for other in mentions if other.start == one.end), None)
            alone = one.end - one.start == 1 and one.exact and not one.demonym
            if kind is None or not alone or not _is_kind(kind, plan.reader, index):
                continue
            if kind.span & part.request.focus:
                continue  # Of those asked for it would be told that they are so.
            if not any(_is_used(item.id, plan.reader) for item in one.entities):
                before, behind = tokens[one.start].start, tokens[kind.start].start
                return text[:before] + text[behind:], one.text
    return "", ""


def _is_used(id_: str, reader: Reader) -> bool:
    """Tell whether anything is stated with a thing as its value."""
    return any(way is Direction.IN for _, way in reader.relations(id_))


def _is_kind(mention: Mention, reader: Reader, index: RelationIndex) -> bool:
    """Tell whether a noun names a kind, of which what is stated is usual."""
    around = reader.relations(mention.entities[0].id)
    return any(name in above_links(index) for name, _ in around)
