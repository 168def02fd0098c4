"""Which way a phrase leads from a name: from "X" by "wrote", or to "X" by "written by".

The order of words decides, with the few constructions of English that turn it round: "X is the
capital of what", "by whom was X founded", "the director X", "whose father is X".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from robodata_core.policy.offline.mentions import Mention
from robodata_core.policy.offline.question import IMPERATIVES
from robodata_core.policy.offline.relations import Match
from robodata_core.policy.offline.words import (
    ARTICLES,
    AUXILIARIES,
    COPULAS,
    FUNCTION_WORDS,
    WH_WORDS,
    Token,
    said,
)

__all__ = ["attached", "compound", "facing"]

_DOING: Final = said("doing")
_COURTESY: Final = said("courtesy")

#: What ends "in which city was the founder of X born": said of the whole phrase, not of X.
_PARTICIPLES: Final = said("participle")


def compound(mention: Mention, tokens: Sequence[Token]) -> bool:
    """Tell whether words right behind a mention make one noun phrase with it.

    So they do in "X films", "X written films"; not in "does X play", "was starred by X".
    """
    before = tokens[mention.start - 1].norm if mention.start else ""
    behind = tokens[mention.end : mention.end + 2]
    content = [token.word and token.norm not in FUNCTION_WORDS for token in behind]
    if before in AUXILIARIES or not content or not content[0]:
        return False
    # "Where did the people influenced by X die": the verb that "did" has left for the end.
    split = any(token.norm in ("do", "does", "did") for token in tokens[: mention.start])
    said = behind[0].norm.endswith("ed") or behind[0].norm in _PARTICIPLES
    return content[1:] == [True] or not (split or said)


def attached(focus: frozenset[int], mention: Mention, tokens: Sequence[Token]) -> bool:
    """Tell whether the noun in focus belongs to the mention itself: "which sons of X"."""
    if not focus or mention.start == mention.end or max(focus) >= mention.start:
        return False
    following = tokens[mention.end].norm if mention.end < len(tokens) else ""
    if compound(mention, tokens):
        return False
    gap = [token.norm for token in tokens[max(focus) + 1 : mention.start]]
    return gap in (["of"], ["of", "the"]) and following != "s"


def facing(match: Match, at: tuple[int, int], tokens: Sequence[Token]) -> str:
    """Return ``out`` or ``in`` (or ``either``): how to walk from words ``at`` by this phrase.

    Args:
        match: The phrase with one reading.
        at: Tokens of the mention (or of the phrase that named the hop before).
        tokens: The question.
    """
    base = match.reading.facing
    if base == "either":
        return base
    if at[0] == at[1]:
        return base  # a topic that is not named again has no place in the sentence
    others = (*tokens[: match.start], *tokens[match.end : at[0]], *tokens[at[1] :])
    if match.reading.kind == "noun" and not any(token.word for token in others):
        return "either"  # "capital kenya": two keywords are no sentence.
    first = tokens[match.start].norm
    if first in WH_WORDS and match.reading.kind != "noun":
        return "out"
    follows = at[0] >= match.end and not _inverted(match, at, tokens)
    if match.reading.kind == "noun":
        turned = _noun_turned(match, at, follows, tokens)
    else:
        turned = not follows and not _passive(match, tokens)
    if not turned:
        return base
    return "in" if base == "out" else "out"


def _inverted(match: Match, at: tuple[int, int], tokens: Sequence[Token]) -> bool:
    """Tell whether a mention is what a question that begins so is about: "is a tomato a fruit"."""
    opening = not any(token.word for token in tokens[: match.start])
    inside = {token.norm for token in tokens[match.start : match.end]}
    return opening and at[0] == match.end and inside <= COPULAS | ARTICLES


def _noun_turned(match: Match, at: tuple[int, int], follows: bool, tokens: Sequence[Token]) -> bool:
    """Tell whether the mention is what the noun names ("X is the capital of what")."""
    before = tokens[match.start - 1].norm if match.start else ""
    inside = {token.norm for token in tokens[match.start : match.end]}
    if before in ("which", "what") or inside & WH_WORDS:
        return False
    if not match.start and inside <= AUXILIARIES:
        return False  # "Is bread perishable?" is no apposition, as "the director X" is.
    if follows:
        if _orders(match, tokens):
            return False
        gap = [token.norm for token in tokens[match.end : at[0]]]
        if tokens[match.end - 1].norm in ("of", "for", "in", "to"):
            return False
        if before == "whose":
            return any(word in AUXILIARIES for word in gap)
        return not gap or gap == ["the"]
    gap = [token.norm for token in tokens[at[1] : match.start]]
    if "s" in gap or not gap:
        return False
    if "as" in gap:
        return at[0] == 0 or tokens[at[0] - 1].norm not in _DOING
    copula = any(word in ("is", "was", "are", "were", "be", "been") for word in gap)
    earlier = tokens[at[0] - 1].norm if at[0] else ""
    asked = earlier in COPULAS and gap[0] in ARTICLES
    return copula or asked


def _orders(match: Match, tokens: Sequence[Token]) -> bool:
    """Tell whether a word begins an order ("describe X"), which asks for what X has."""
    if match.end - match.start > 1 or tokens[match.start].norm not in IMPERATIVES:
        return False
    before = tokens[match.start - 1] if match.start else None
    return before is None or not before.word or before.norm in _COURTESY


def _passive(match: Match, tokens: Sequence[Token]) -> bool:
    """Tell whether "by whom was X founded" is meant: an agent is asked for."""
    if match.reading.facing != "out" or match.reading.kind != "verb":
        return False
    words = [token.norm for token in tokens]
    by_whom = any(
        a == "by" and b in ("who", "whom", "which", "what")
        for a, b in zip(words, words[1:], strict=False)
    )
    return by_whom or (bool(words) and words[-1] == "by")
