"""The people of a place as a subject: what Egyptians speak is what people speak in Egypt.

What a graph states of a place it states of the place, not of its people; a question about these is
put as one about what people do there.
"""

from __future__ import annotations

from robodata_core.language.lexicon import open_lexicon
from robodata_core.model import EntityValue
from robodata_core.policy.base import AnswerKind
from robodata_core.policy.offline.answer_kinds import AnswerKinds
from robodata_core.policy.offline.asking import noun_type
from robodata_core.policy.offline.mentions import Mention
from robodata_core.policy.offline.parts import Plan
from robodata_core.policy.offline.relation_index import RelationIndex
from robodata_core.policy.offline.words import ARTICLES, FUNCTION_WORDS, Token

__all__ = ["people_there"]


def people_there(plan: Plan, index: RelationIndex) -> str:
    """Return a question about the people of a place as one about people there; "" for any other.

    Args:
        plan: What was made of the question.
        index: Relations of the graph.
    """
    kinds, tokens = AnswerKinds(plan.reader, index), plan.question.tokens
    for part in plan.parts:
        if part.request.kind is AnswerKind.YES_OR_NO:
            continue
        for mention in part.linking.mentions:
            ids = [EntityValue(item.id) for item in mention.entities[:1]]
            start, end = _said_of(tokens, mention)
            done = tokens[end : end + 1]
            if not start < end or not done or not done[0].word or done[0].norm in FUNCTION_WORDS:
                continue  # No verb of theirs follows.
            if kinds.of_values(ids) == "place":
                place = plan.reader.label(mention.entities[0].id)
                last = max(i for i, token in enumerate(tokens) if token.word)
                text = plan.question.text
                before, behind = text[: tokens[start].start], text[done[0].start : tokens[last].end]
                return f"{before}people {behind} in {place}"
    return ""


def _said_of(tokens: tuple[Token, ...], mention: Mention) -> tuple[int, int]:
    """Return where people of a place are named: "Egyptians", "Mali people", "people in Mali"."""
    start, end = mention.start, mention.end
    if not start < end <= len(tokens) or not mention.exact:
        return 0, 0
    if end < len(tokens) and noun_type(tokens[end].norm) == "person":
        return start, end + 1
    if mention.demonym and tokens[end - 1].norm != tokens[end - 1].stem:
        return start, end
    at = start - 1 if tokens[start - 1].norm in ARTICLES else start
    before = tokens[at - 2 : at] if at > 1 else ()
    if len(before) > 1 and noun_type(before[0].norm) == "person":
        placed = open_lexicon("en").kind(before[1].norm) == "preposition"
        return (at - 2, end) if placed else (0, 0)
    return 0, 0
