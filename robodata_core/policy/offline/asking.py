"""How words ask: for a set, a number or a yes or no, for a person or a place, by which noun."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from robodata_core.policy.base import AnswerKind
from robodata_core.policy.offline.words import (
    AUXILIARIES,
    COPULAS,
    FUNCTION_WORDS,
    GENERIC_NOUNS,
    WH_WORDS,
    Token,
    said,
)

__all__ = ["IMPERATIVES", "WANTED", "focus_of", "form_of", "noun_type", "takes_noun"]

IMPERATIVES: Final = said("imperative")
#: What a question word asks for.
WANTED: Final = {
    "who": "person",
    "whom": "person",
    "where": "place",
    "when": "time",
    "whose": "person",
    "why": "thing",
}
_COPULAS: Final = COPULAS | {"s"}
_TIME_NOUNS: Final = said("time noun")
_PLACE_NOUNS: Final = said("place noun")
_PERSON_NOUNS: Final = said("person noun")
_MEASURES: Final = said("measured")


def form_of(words: Sequence[tuple[int, str]]) -> tuple[AnswerKind, str, int]:
    """Return kind, wanted answer type, and the token the focus comes after."""
    polite = _polite(words)
    for position in range(polite, len(words)):
        form = _form_at(words, position, position == polite)
        if form is not None:
            return form
    return AnswerKind.THINGS, "", words[0][0] - 1 if words else 0


def _form_at(
    words: Sequence[tuple[int, str]], position: int, first: bool
) -> tuple[AnswerKind, str, int] | None:
    """Return the form if the word at ``position`` decides it."""
    index, word = words[position]
    following = words[position + 1][1] if position + 1 < len(words) else ""
    if word == "how":
        return _how(following, index)
    if word in WH_WORDS:
        noun = noun_type(following) if word in ("which", "what") else ""
        if noun == "time" and position + 2 < len(words):
            # "What time zone is it" asks for no time; "what year Einstein died in" for one.
            after = [other for _, other in words[position + 2 :]]
            clause = AUXILIARIES.isdisjoint(after)
            noun = noun if clause or after[0] in FUNCTION_WORDS else ""
        return AnswerKind.THINGS, WANTED.get(word, noun), index
    if word == "count" or (word == "number" and following == "of"):
        return AnswerKind.NUMBER, "number", index + (word == "number")
    if word in IMPERATIVES:
        rest = {w for _, w in words[position + 1 :]}
        asks = rest & (WH_WORDS | {"number", "count", "whether", "if"})
        return None if asks else (AnswerKind.THINGS, "", index)
    if word in ("whether", "if") or (first and word in AUXILIARIES):
        return AnswerKind.YES_OR_NO, "", index
    return None


def _polite(words: Sequence[tuple[int, str]]) -> int:
    """Return how many words only ask to be told ("do you know", "can you tell me")."""
    plain = [word for _, word in words[:6]]
    if len(plain) < 3 or plain[0] not in AUXILIARIES or plain[1] != "you":
        return 0
    at = 2
    while at < len(plain) and plain[at] in ("please", "know", "say", "perhaps", "happen", "to"):
        at += 1
    return at


def _how(following: str, index: int) -> tuple[AnswerKind, str, int]:
    if following == "many":
        return AnswerKind.NUMBER, "number", index + 1
    if following == "old":
        return AnswerKind.THINGS, "time", index
    if following in _MEASURES:
        return AnswerKind.THINGS, "number", index
    return AnswerKind.THINGS, "", index


def noun_type(word: str) -> str:
    """Return what kind of answer a general noun asks for (person, place, time), or nothing."""
    if word in _TIME_NOUNS:
        return "time"
    if word in _PERSON_NOUNS:
        return "person"
    return "place" if word in _PLACE_NOUNS else ""


def takes_noun(asker: str, following: str) -> bool:
    """Tell whether what is asked for may be named behind a question word and the word after it."""
    return asker not in ("when", "where", "why", "how", "whose") and not (
        asker in ("who", "whom") and following not in _COPULAS
    )


def focus_of(
    tokens: Sequence[Token], after: int, end: int, shielded: frozenset[int]
) -> frozenset[int]:
    """Return the noun phrase asked for: "which N", "what is the N", "list all N"."""
    run: list[int] = []
    for index in range(after + 1, end):
        token = tokens[index]
        known = token.norm in FUNCTION_WORDS and token.norm not in GENERIC_NOUNS
        if not token.word or index in shielded:
            break
        if run and (token.norm.endswith("ed") or tokens[run[0]].norm in GENERIC_NOUNS):
            break  # "which films directed by", "which person wrote": a verb follows
        if not known:
            run.append(index)
        elif token.norm != "co" and (run or _inverts(token)):
            break
    return frozenset(run)


def _inverts(token: Token) -> bool:
    """Tell whether an auxiliary shows that no noun follows the question word ("what did")."""
    return token.norm in AUXILIARIES and token.norm not in _COPULAS
