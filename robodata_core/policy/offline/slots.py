"""Questions that leave open what they are about: "Who is the mayor of ?", "... where he died"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from robodata_core.policy.offline.mentions import Linking
from robodata_core.policy.offline.question import IMPERATIVES, Question, Request
from robodata_core.policy.offline.relations import Match
from robodata_core.policy.offline.words import (
    ARTICLES,
    AUXILIARIES,
    FUNCTION_WORDS,
    PREPOSITIONS,
    PRONOUNS,
    Token,
    said,
)

__all__ = ["bound_pronoun", "empty_slot", "who_is_right"]

_OPEN: Final = PREPOSITIONS | {"than"}
_ASKS: Final = said("asks with name")
_ARTICLES: Final = ARTICLES | said("before asked")
_ASKING_TWO: Final = 4
_OWN: Final = said("whose")
#: What a clause begins with that says more of the noun before it.
_CLAUSES: Final = said("where or when")

_RIGHT: Final = re.compile(
    r"[.;,:?!]\s+(?:so |and |now )*(?:which|who|what)(?: one| version| claim)?"
    r"(?: of (?:them|these|the two))?(?: is| was| are|['’]s)"
    r" (?:it|(?:really |actually )?(?:right|correct|true|wrong|mistaken))\W*\Z",
    re.IGNORECASE,
)


def who_is_right(text: str) -> bool:
    """Tell whether it is asked which of some claims holds: "Some say X. Which is right?"."""
    return _RIGHT.search(text) is not None


def empty_slot(
    question: Question, request: Request, linking: Linking, matches: Sequence[Match]
) -> str:
    """Return what a request asks about nothing ("mayor of"), or an empty string.

    That is a noun with a preposition at the end and nothing else: "the capital of". Not "what is
    a knife made of", where a verb takes the preposition, nor "which country is X the capital of",
    where something is named before.
    """
    tokens = question.tokens
    phrases = frozenset(i for match in matches for i in match.span)
    named = any(m.exact and m.entities and not m.span <= phrases for m in linking.mentions)
    if named or tokens[request.start].norm in ("where", "when"):
        return ""
    words = [i for i in range(request.start, request.end) if tokens[i].word]
    while words and (tokens[words[0]].norm in _ASKS | AUXILIARIES | _ARTICLES | IMPERATIVES):
        words = words[1:]
    if len(words) < 2 or tokens[words[-1]].norm not in _OPEN:
        return ""
    noun = words[:-1]
    if any(tokens[i].norm in FUNCTION_WORDS for i in noun):
        return ""
    last = noun[-1]
    verbal = any(
        m.start <= last < m.end and m.reading.kind in ("verb", "adj") and m.end == words[-1] + 1
        for m in matches
    )
    article = tokens[noun[0] - 1].norm if noun[0] else ""
    if (verbal and article != "the") or tokens[last].norm.endswith("ed"):
        return ""
    return " ".join(tokens[i].text for i in words)


def bound_pronoun(tokens: Sequence[Token], request: Request) -> str:
    """Return a pronoun that stands for what is asked for: "who died in the city where he ...".

    A name before it would be one request earlier: "when was X born, and where did he die". So does
    "whom" behind "who": "who influenced whom, X or Y".
    """
    asked = [token.norm for token in tokens[request.start : request.start + _ASKING_TWO]]
    if asked[:1] == ["who"] and "whom" in asked[1:]:
        return "whom"
    for index in range(request.start + 1, request.end - 1):
        word = tokens[index + 1].norm
        before = tokens[request.start : index]
        if (
            word == "own"
            and tokens[index].norm in _OWN
            and not any(token.capitalised for token in before[1:])
        ):
            return f"{tokens[index].norm} own"
        named = tokens[index].capitalised  # "Paris When It Sizzles"
        if tokens[index].norm in _CLAUSES and word in PRONOUNS and not named:
            return word
    return ""
