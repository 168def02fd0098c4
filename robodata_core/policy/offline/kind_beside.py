"""Names with what they are said beside them: "the country of Cyprus", "Alaska state", "Kong 1933".

What a name is anyway adds nothing to it, and it is no step on the way to what is asked for: Cyprus
is no country of another Cyprus. It only tells which one is meant where several go by the name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from robodata_core.model import Direction, EntityValue, TimeValue
from robodata_core.policy.offline.links import published_links
from robodata_core.policy.offline.mentions import Linked, Mention
from robodata_core.policy.offline.parts import Part, Plan
from robodata_core.policy.offline.qualified import YEAR
from robodata_core.policy.offline.relation_index import RelationIndex
from robodata_core.policy.offline.words import (
    ARTICLES,
    FUNCTION_WORDS,
    Token,
    noun_of,
    singular,
    tokenize,
)
from robodata_core.question import bound_name

__all__ = ["kind_beside"]

_LOOKED_AT: Final = 4


def kind_beside(plan: Plan, index: RelationIndex) -> tuple[str, int]:
    """Return a question without a noun that says what its name is anyway, and where that stands.

    Args:
        plan: What was made of the question.
        index: Relations of the graph.

    Returns:
        An empty text where there is none.
    """
    tokens, text = plan.question.tokens, plan.question.text
    for part in plan.parts:
        focus = (plan.question.requests[0] if part.question else part.request).focus
        mentions = _placed(plan, part)
        for mention in mentions:
            if not mention.entities or mention.demonym or not mention.exact:
                continue
            for first, last, noun in _beside(tokens, mention):
                if noun in focus or any(noun in m.span for m in mentions if m.proper):
                    continue  # "What is the country of X" asks for it.
                meant = _are(plan, index, mention, tokens[noun].norm)
                if not meant:
                    continue
                name = text[tokens[mention.start].start : tokens[mention.end - 1].end]
                # A name alone stands for all of several; one may have been told apart before.
                if not 1 < len(meant) == len(mention.entities):
                    name = bound_name(plan.reader.label(meant[0].id), meant[0].id)
                start, end = tokens[first].start, tokens[last - 1].end
                return text[:start] + name + text[end:], noun
    return "", -1


def _placed(plan: Plan, part: Part) -> list[Mention]:
    """Return the mentions of a part where they stand in the whole question."""
    if part.question is None:
        return list(part.linking.mentions)
    # What was put together from questions of its own has the places of these.
    words, found = [token.norm for token in plan.question.tokens], []
    for mention in part.linking.mentions:
        said = [token.norm for token in tokenize(mention.text)]
        at = [i for i in range(len(words)) if said and words[i : i + len(said)] == said]
        if len(at) == 1:
            found.append(replace(mention, start=at[0], end=at[0] + len(said)))
    return found


def _beside(tokens: Sequence[Token], mention: Mention) -> list[tuple[int, int, int]]:
    """Return where a name with a noun and all that joins them begins and ends, and the noun."""
    found: list[tuple[int, int, int]] = []
    at = mention.start - 1
    if at > 1 and tokens[at].norm == "of" and tokens[at - 2].norm in ARTICLES:
        found.append((at - 2, mention.end, at - 1))
    at = mention.end
    if at + 1 < len(tokens) and tokens[at].norm in ARTICLES:
        at += 1
    behind = tokens[at + 1] if at + 1 < len(tokens) else None
    ends = behind is None or not behind.word or behind.norm in FUNCTION_WORDS - {"of"}
    if at < len(tokens) and tokens[at].word and (ends or YEAR.match(tokens[at].text)):
        found.append((mention.start, at + 1, at))
    return [one for one in found if singular(tokens[one[2]].norm) == tokens[one[2]].norm]


def _are(plan: Plan, index: RelationIndex, mention: Mention, noun: str) -> list[Linked]:
    """Return those of what a mention may stand for that are called so by what they are.

    By a year are those called of which the graph says that they came out in it.
    """
    if YEAR.match(noun):
        published = [(name, Direction.OUT) for name in sorted(published_links(index))]
        return [
            item for item in mention.entities[:_LOOKED_AT]
            if any(
                isinstance(value, TimeValue) and str(value.year) == noun
                for edge in published
                for value in plan.reader.along((EntityValue(item.id),), edge)
            )
        ]  # fmt: skip
    items = plan.reader.entities(item.id for item in mention.entities[:_LOOKED_AT])
    types = plan.reader.entities(kind for item in items.values() for kind in item.types)
    nouns = {id_: noun_of(kind.label.lower()) for id_, kind in types.items()}
    known = [item for item in mention.entities[:_LOOKED_AT] if item.id in items]
    called = {item.id: [nouns.get(kind, "") for kind in items[item.id].types] for item in known}
    # "The state of Georgia": one that is just a state goes before a sovereign state.
    whole = [item for item in known if noun in called[item.id]]
    return whole or [
        item for item in known if any(name.split()[-1:] == [noun] for name in called[item.id])
    ]
