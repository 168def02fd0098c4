"""Names with what introduces them: "the author Douglas Adams", "Tom Jones, the 1963 comedy".

It tells which one is meant where several go by the name, and asks for nothing. A question is read
without it, and what the name is taken for has to be what it is introduced as.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from robodata_core.policy.base import AnswerKind
from robodata_core.policy.offline.links import belonging_links, type_links
from robodata_core.policy.offline.mentions import Mention
from robodata_core.policy.offline.parts import Plan
from robodata_core.policy.offline.qualified import is_called
from robodata_core.policy.offline.relation_index import RelationIndex
from robodata_core.policy.offline.words import (
    ARTICLES,
    FUNCTION_WORDS,
    PREPOSITIONS,
    Token,
)
from robodata_core.question import bound_name

__all__ = ["introduced"]

#: Words that introduce a name at most, and things of that name that are looked at.
_WORDS: Final = 6
_LOOKED_AT: Final = 4
_OPENING: Final = frozenset([",", "("])
_CLOSING: Final = frozenset([",", ")"])


def introduced(plan: Plan, index: RelationIndex) -> str:
    """Return a question without what introduces its names; an empty text where nothing does.

    A name of several things is put down with the one that fits.

    Args:
        plan: What was made of the question.
        index: The relations of the graph.
    """
    tokens, text = plan.question.tokens, plan.question.text
    along = belonging_links(index).union(type_links(index))
    focus = {
        at
        for request in plan.question.requests
        for at in request.focus
        if request.kind is not AnswerKind.YES_OR_NO
    }
    cuts: dict[tuple[int, int], str] = {}
    mentions = [
        one for part in plan.parts if part.question is None for one in part.linking.mentions
    ]
    names = [one for one in mentions if one.entities and not one.demonym]
    for name in names:
        if not (name.proper or name.is_name):
            continue
        for first, last, words in (*_before(tokens, name), *_behind(tokens, name)):
            if first < name.start and name.start - 1 in focus:
                continue  # "The city X was born in" is asked for.
            said, alone = " ".join(token.text for token in words), len(name.entities) == 1
            meant = [
                one.id
                for one in name.entities[:_LOOKED_AT]
                if is_called(one.id, said, plan.reader, along, alone=alone)
            ]
            if not meant or any(first < end and start < last for start, end in cuts):
                continue
            written = text[tokens[name.start].start : tokens[name.end - 1].end]
            # Which of several is meant may have been told apart before.
            if meant[0] != name.entities[0].id or len(name.entities) == 1:
                written = bound_name(plan.reader.label(meant[0]), meant[0])
            cuts[min(first, name.start), max(last, name.end)] = written
            break
    for (first, last), written in sorted(cuts.items(), reverse=True):
        text = text[: tokens[first].start] + written + text[tokens[last - 1].end :]
    return text if cuts else ""


def _before(tokens: Sequence[Token], name: Mention) -> Iterator[tuple[int, int, Sequence[Token]]]:
    """Yield where what stands before a name begins and ends, and its words: "the author X"."""
    at = name.start
    while at > 0 and _is_said(tokens[at - 1]):
        at -= 1
    words = tokens[at : name.start]
    if words and at > 0 and tokens[at - 1].norm in ARTICLES and len(words) <= _WORDS:
        yield at - 1, name.start, words


def _behind(tokens: Sequence[Token], name: Mention) -> Iterator[tuple[int, int, Sequence[Token]]]:
    """Yield the same of what stands behind it: "X, the author", "X (the 1963 film)"."""
    at = name.end
    if at + 2 >= len(tokens) or tokens[at].text not in _OPENING:
        return
    end = at + 1
    while end < len(tokens) and tokens[end].word:
        end += 1
    words = tokens[at + 2 : end]
    small = {token.norm for token in words} & (FUNCTION_WORDS - PREPOSITIONS - ARTICLES)
    if tokens[at + 1].norm not in ARTICLES or small or not 0 < len(words) <= _WORDS:
        return
    closed = end < len(tokens) and tokens[end].text in _CLOSING
    yield at, end + closed, words


def _is_said(token: Token) -> bool:
    return token.word and token.norm not in FUNCTION_WORDS
