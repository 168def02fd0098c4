"""Comparatives and superlatives in questions: whether one stands there, and another in its place.

What a degree compares is the offline policy's business (its tables are used); what a follow-up
of one word means is said here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from robodata_core.dialogue.names import Read
from robodata_core.language.grammar import ANY, Degree
from robodata_core.policy.offline.tables import comparatives, superlatives
from robodata_core.policy.offline.words import ARTICLES

__all__ = ["compares", "counts_most", "degree_of", "swapped_degree"]


def compares(read: Read) -> bool:
    """Tell whether a comparative stands in a text: "is X older than Y"."""
    return bool(_places(read, comparatives()))


def counts_most(read: Read) -> bool:
    """Tell whether it is compared how many of something there are: "which has more people"."""
    return any(ANY in degree.relations for degree in degrees_in(read)[0])


def degrees_in(read: Read) -> tuple[tuple[Degree, ...], Read]:
    """Return what the comparatives and superlatives of a text may mean, and the text without."""
    found: list[Degree] = []
    tokens = read.tokens
    for table in (comparatives(), superlatives()):
        for start, end in _places(
            replace(read, question=replace(read.question, tokens=tokens)), table
        ):
            said = tuple(token.norm for token in tokens if start <= token.start < end)
            found += table[said]
            tokens = tuple(token for token in tokens if not start <= token.start < end)
    return tuple(found), replace(read, question=replace(read.question, tokens=tokens))


def degree_of(read: Read) -> str:
    """Return the comparative or superlative a text consists of: "taller", "the oldest one"."""
    said = [token.norm for token in read.tokens if token.word and token.norm not in ARTICLES]
    if said[-1:] == ["one"]:
        said.pop()
    alone = any(tuple(said) in table for table in (comparatives(), superlatives()))
    return " ".join(said) if alone else ""


def swapped_degree(read: Read, base: Read) -> tuple[str, str, str] | None:
    """Return a question with its one degree replaced by what a text consists of.

    Returns:
        The question, what stood there, and what stands there now.
    """
    new = degree_of(read)
    if not new:
        return None
    table = superlatives() if tuple(new.split()) in superlatives() else comparatives()
    places = _places(base, table)
    if len(places) != 1:
        return None
    (start, end), text = places[0], base.text
    return f"{text[:start]}{new}{text[end:]}", text[start:end], new


def _places(read: Read, table: Mapping[tuple[str, ...], object]) -> list[tuple[int, int]]:
    """Return where the entries of a table stand, longest first."""
    found: list[tuple[int, int]] = []
    longest = max(map(len, table))
    for at, token in enumerate(read.tokens):
        if found and token.start < found[-1][1]:
            continue
        for size in range(min(longest, len(read.tokens) - at), 0, -1):
            part = read.tokens[at : at + size]
            if tuple(one.norm for one in part) in table:
                found.append((token.start, part[-1].end))
                break
    return found
