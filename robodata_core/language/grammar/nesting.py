"""Phrases that describe what they do not name: "the city where Robert Frost died", "Cher's friend".

Each can be asked for by a question of its own; what that gives stands in the rest of the sentence
like a name. Where a description ends is not told by its words alone, so several ends are given.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from robodata_core.language.lexicon.lexicon import Lexicon, read_table
from robodata_core.language.text import Text

__all__ = ["Description", "only_one", "descriptions"]

#: Words of a noun, with a name before it at most; of a clause at least; ends that are given.
_NOUN: Final = 3
_LONGEST: Final = 8
_CLAUSE: Final = 2
_ENDS: Final = 4
_PACKAGE: Final = "robodata_core.language.grammar"
_JOINED: Final = "-"
_ENDING: Final = frozenset(",;:.?!()")
_OWN: Final = "'"


@dataclass(frozen=True, slots=True)
class Description:
    """A phrase that describes something.

    Attributes:
        start: Its first token.
        end: The token behind it.
        asked: How it is asked for, the most telling way first.
    """

    start: int
    end: int
    asked: tuple[str, ...]


def descriptions(
    text: Text, names: Sequence[tuple[int, int]], lexicon: Lexicon
) -> Iterator[Description]:
    """Yield the descriptions in a question, the innermost first and the longest of each first.

    Args:
        text: The question.
        names: Where names begin and end in it, in tokens.
        lexicon: Of its language.
    """
    clauses = [*_clauses(text, names, lexicon), *_owned(text, names, lexicon)]
    for start, behind, asked in sorted(clauses, reverse=True):
        for end in _ends(text, behind, names):
            clause = text.written(behind, end)
            said = {i for i in range(behind, end) if text.tokens[i].is_word}
            if asked and said <= {i for name in names for i in range(*name)} and behind < end:
                continue
            yield Description(start, end, tuple(f"{one} {clause}" for one in asked))


def only_one(
    text: Text, names: Sequence[tuple[int, int]], lexicon: Lexicon
) -> tuple[tuple[int, int], tuple[str, ...]] | None:
    """Return what is said to be the only one, and questions for all: "is X the only child of Y".

    Args:
        text: The question.
        names: Where names begin and end in it, in tokens.
        lexicon: Of its language.

    Returns:
        Where the name stands, and the ways to ask for all; None where nothing is said so.
    """
    tokens = text.tokens
    name = next((one for one in names if one[0] > 0), None)
    if name is None or name[1] + 2 >= len(tokens) or lexicon.kind(tokens[0].norm) != "auxiliary":
        return None
    before, at = tokens[1 : name[0]], name[1]
    if any(lexicon.kind(one.norm) != "article" for one in before):
        return None
    sole = tokens[at + 1].norm in lexicon.said("sole")
    if not sole or lexicon.kind(tokens[at].norm) != "article":
        return None
    rest = text.written(at + 2, len(tokens))
    beginnings = _beginnings(lexicon.language)
    related = next((i for i in range(at + 3, len(tokens)) if tokens[i].norm in beginnings), None)
    if related is None:
        return name, tuple(way.replace("_", rest) for way in beginnings[_OWN][0])
    noun, clause = text.written(at + 2, related), text.written(related + 1, len(tokens))
    ways = (way.replace("_", noun) for way in beginnings[tokens[related].norm][0])
    return name, tuple(f"{way} {clause}" for way in ways)


def _clauses(
    text: Text, names: Sequence[tuple[int, int]], lexicon: Lexicon
) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Yield where a noun with a clause begins, where the clause does, and how it is asked for."""
    beginnings, tokens = _beginnings(lexicon.language), text.tokens
    begun = {start for start, _ in names}
    inside = {i for start, end in names for i in range(start + 1, end)}
    for at in range(1, len(tokens) - _CLAUSE):
        related = tokens[at].norm in beginnings and at not in inside | begun
        # "The disease Jonathan Demme died of".
        joined = at in begun and not lexicon.is_small(tokens[at - 1].norm)
        if not (related or joined):
            continue
        start = _noun(text, at, inside | begun, lexicon)
        if start is None:
            continue
        noun = text.written(start, at)
        small = all(lexicon.is_small(token.norm) for token in tokens[start:at])
        whole = start - 1 if lexicon.kind(tokens[start - 1].norm) == "article" else start
        if joined and (whole == start or small):
            continue
        ways = beginnings[_JOINED if joined else tokens[at].norm][small]
        yield whole, at if joined else at + 1, tuple(way.replace("_", noun) for way in ways)


def _noun(text: Text, at: int, named: set[int], lexicon: Lexicon) -> int | None:
    """Return where the noun before a clause begins; None where it is what is asked for itself."""
    tokens, start = text.tokens, at
    while start > 0 and at - start < _NOUN and _is_said(text, start - 1, named, lexicon):
        start -= 1
    opened = start
    while start < at and opened - 1 in named and at - opened <= _LONGEST:
        opened -= 1
    if opened and lexicon.kind(tokens[opened - 1].norm) == "article":
        start = opened  # "The Bond film that ..."
    if start == at and at > 1 and lexicon.kind(tokens[at - 1].norm) == "pronoun":
        start = at - 1  # "The person who ..."; "that" alone stands for no noun.
        if lexicon.kind(tokens[start - 1].norm) != "article":
            return None
    before = tokens[start - 1] if start else None
    if start == at or before is None or lexicon.kind(before.norm) == "question":
        return None
    return start


def _is_said(text: Text, at: int, named: set[int], lexicon: Lexicon) -> bool:
    token = text.tokens[at]
    return token.is_word and at not in named and not lexicon.is_small(token.norm)


def _owned(
    text: Text, names: Sequence[tuple[int, int]], lexicon: Lexicon
) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Yield the same of what belongs to a name: "Cher's friend"."""
    tokens, (ways, _) = text.tokens, _beginnings(lexicon.language)[_OWN]
    for start, end in names:
        if start and end + 2 < len(tokens) and tokens[end + 1].possessive:
            owner = text.written(start, end + 2)
            yield start, end + 2, tuple(way.replace("_", owner) for way in ways)


def _ends(text: Text, behind: int, names: Sequence[tuple[int, int]]) -> list[int]:
    """Return where what begins somewhere may end: with the sentence, or before its last words."""
    tokens = text.tokens
    signs = (i for i in range(behind, len(tokens)) if tokens[i].text in _ENDING)
    last = next(signs, len(tokens))
    inside = {i for start, end in names for i in range(start + 1, end)}
    ends = [i for i in range(behind + 1, last + 1) if i not in inside]
    ends = [i for i in ends if i == last or not tokens[i].possessive and tokens[i].norm != _OWN]
    return ends[::-1][:_ENDS]


@lru_cache(maxsize=8)
def _beginnings(language: str) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    """Return how to ask for a noun that is described, and for one that says nothing."""
    return {
        word: (_cells(row["asked"]), _cells(row["bare"]))
        for row in read_table(language, "descriptions", _PACKAGE)
        for word in row["begins"].split("|")
    }


def _cells(cell: str) -> tuple[str, ...]:
    return tuple(filter(None, cell.split("|")))
