"""Ordinary words with a typo: "instuments", "numbr of", "folowers".

A word that no table and no name of the graph has, and that is one slip off exactly one word which
they have, is read as that word; a note says so. Tried only where a question is not understood as
it stands, because what looks like a slip may be a word that nobody has listed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final

from robodata_core.model import MatchKind, Property
from robodata_core.policy.offline.correcting import one_letter_off
from robodata_core.policy.offline.mentions import Linking
from robodata_core.policy.offline.question import Question
from robodata_core.policy.offline.tables import rows_of
from robodata_core.policy.offline.words import (
    FUNCTION_WORDS,
    GENERIC_NOUNS,
    LIGHT_VERBS,
    NUMBERS,
    WH_WORDS,
    Token,
    said,
    singular,
    stem,
)
from robodata_core.sources.base import KnowledgeSource
from robodata_core.text import normalise_name

__all__ = ["respelled", "table_words"]

_TABLES: Final = ("relations.tsv", "comparisons.tsv", "operators.tsv", "counted.tsv")
#: A shorter word is a slip away from too many others.
_SHORTEST: Final = 5
#: The word that a question begins with is one of few, and so is the one behind "how".
_SHORT: Final = 3
_HOW: Final = "how"
#: From here on a letter may be another one; in shorter words that mostly makes another word.
_CHANGED: Final = 8
_MOST: Final = 3
#: No slips, though "three" looks like "there".
_NUMBERS: Final = said("large number") | NUMBERS.keys()
_WORD: Final = re.compile(r"[a-z]+")


def respelled(
    question: Question,
    linkings: Iterable[Linking],
    read: frozenset[int],
    properties: Iterable[Property],
    source: KnowledgeSource,
    language: str,
) -> tuple[str, str] | None:
    """Return the question with its ordinary words put right and a note, or None.

    Args:
        question: The question.
        linkings: What was found of its names.
        read: Tokens that phrases for relations account for.
        properties: The relations of the graph, whose names are words that may be meant.
        source: Where it is looked whether a word is a name after all.
        language: Language of names.
    """
    named = frozenset(i for link in linkings for m in link.mentions if m.entities for i in m.span)
    quoted = frozenset(i for q in question.quotes for i in range(q.start, q.end))
    open_ = [
        i for i, token in enumerate(question.tokens)
        if i not in read | named | quoted and _ordinary(token, _before(question, i))
    ]  # fmt: skip
    if not open_:
        return None
    known = table_words() | _label_words(properties)
    roots = {stem(word) for word in known}
    text = question.text
    notes: list[str] = []
    for index in reversed(open_):
        token = question.tokens[index]
        if token.norm in known or token.stem in roots or len(notes) >= _MOST:
            continue
        right = _near(token.norm, _openings().get(_before(question, index), ()))
        right = right or _right(token.norm, known)
        if right and not _is_name(token.norm, source, language):
            text = text[: token.start] + right + text[token.end :]
            notes.append(f"“{token.text}” was read as “{right}”, the only word like it.")
    return (text, " ".join(reversed(notes))) if notes else None


def _before(question: Question, index: int) -> str:
    return question.tokens[index - 1].norm if index else ""


def _ordinary(token: Token, before: str) -> bool:
    """Tell whether a word is written as no name is."""
    plain = token.word and token.norm.isascii() and token.norm.isalpha()
    said = token.norm in FUNCTION_WORDS | GENERIC_NOUNS | LIGHT_VERBS | _NUMBERS
    shortest = _SHORT if before in _openings() else _SHORTEST
    named = token.capitalised and before
    return plain and not said and len(token.norm) >= shortest and not named


def _near(word: str, few: Iterable[str]) -> str:
    """Return the only one of a few words that a slip of the hand makes a word of: "meny"."""
    near = [other for other in few if one_letter_off(word, other)]
    moved = [w for w in near if len(w) != len(word) or sorted(w) == sorted(word)]
    likely = moved or [other for other in near if other[0] == word[0]]
    return likely[0] if len(likely) == 1 else ""


def _right(word: str, known: frozenset[str]) -> str:
    """Return the only word that a slip of the hand makes ``word`` of, or an empty string."""
    if len(word) < _SHORTEST:
        return ""
    near = [
        other for other in known
        if other[0] == word[0] and len(other) >= _SHORTEST and _slips(word, other)
    ]  # fmt: skip
    if len({stem(other) for other in near}) != 1:
        return ""
    return min(near, key=lambda other: (abs(len(other) - len(word)) == 0, len(other), other))


def _slips(word: str, other: str) -> bool:
    if len(word) == len(other) and sorted(word) != sorted(other) and len(word) < _CHANGED:
        return False
    swapped = len(word) == len(other) and sorted(word) == sorted(other)
    return one_letter_off(word, other) and (swapped or max(len(word), len(other)) > _SHORTEST)


def _is_name(word: str, source: KnowledgeSource, language: str) -> bool:
    """Tell whether something in the graph is called so."""
    exact = (MatchKind.LABEL, MatchKind.ALIAS)
    return any(
        hit.match in exact
        for name in {word, singular(word)}
        for hit in source.search(name, limit=3, language=language)
    )


@lru_cache(maxsize=1)
def table_words() -> frozenset[str]:
    """Return the words of the tables that questions are read by."""
    words: set[str] = set(FUNCTION_WORDS | GENERIC_NOUNS | LIGHT_VERBS)
    for name in _TABLES:
        for cells in rows_of(name):
            words.update(_WORD.findall(cells[0].lower()))
    return frozenset(words)


@lru_cache(maxsize=1)
def _openings() -> Mapping[str, frozenset[str]]:
    """Return the words that questions begin with, and those that ask behind "how" ("how many")."""
    phrases = (cells[0].lower().split("|") for name in _TABLES for cells in rows_of(name))
    words = (phrase.split() for cells in phrases for phrase in cells)
    behind = frozenset(one[1] for one in words if one[:1] == [_HOW] and len(one) > 1)
    return {"": frozenset(WH_WORDS), _HOW: behind}


def _label_words(properties: Iterable[Property]) -> frozenset[str]:
    """Return the words that relations of the graph are labelled by."""
    return frozenset(
        word for item in properties for word in _WORD.findall(normalise_name(item.label))
    )
