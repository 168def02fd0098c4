"""The open lexicon: how people name common relations of any graph, read from a table.

It tells what the learned word model cannot: relations nobody asked about in the training
questions. Its right side are labels; what a graph does not have is passed over.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from robodata_core.language.lexicon.lexicon import Lexicon, open_lexicon, read_table
from robodata_core.language.text import words_of

__all__ = ["Found", "Named", "Only", "Phrase", "Phrases", "open_phrases"]

_LONGEST: Final = 6
_CONDITION: Final = re.compile(r"\s*\[([^\]=]*)=([^\]]*)\]")


@dataclass(frozen=True, slots=True)
class Named:
    """A relation by one of its labels, with the way the phrase walks it."""

    label: str
    inverse: bool
    broader: bool = False


@dataclass(frozen=True, slots=True)
class Only:
    """What narrows a broader relation to a phrase.

    Attributes:
        relations: Labels of the relation that says it.
        values: Labels of the values that are meant.
        strict: Whether without it the phrase is not meant at all.
    """

    relations: tuple[str, ...]
    values: tuple[str, ...]
    strict: bool = False


@dataclass(frozen=True, slots=True)
class Phrase:
    """What a phrase may mean.

    Attributes:
        hops: Labels of each hop, the most usual first.
        outward: Whether it is walked from the mention as written when it stands before it (or,
            for a noun, beside it); None where either way may be meant.
        answer: What it leads to (person, place, time, number, thing, or "").
        kind: noun, verb, adj or prep.
        only: What has to hold of the ends that broader relations of the last hop lead to.
    """

    hops: tuple[tuple[Named, ...], ...]
    outward: bool | None
    answer: str
    kind: str
    only: Only | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """A phrase found among words: from ``start`` up to ``end``."""

    start: int
    end: int
    phrase: Phrase


class Phrases:
    """Finds phrases for relations among words.

    Args:
        lexicon: Language and stems.
    """

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._index: dict[tuple[str, ...], list[Phrase]] = defaultdict(list)
        self._alike: dict[str, dict[str, bool]] = defaultdict(dict)
        self._ends: dict[str, set[str]] = defaultdict(set)
        for row in read_table(lexicon.language, "relations"):
            hops = tuple(_hop(part) for part in _CONDITION.sub("", row["relations"]).split(" / "))
            if not all(hops):
                continue
            outward = {"out": True, "in": False}.get(row["direction"])
            phrase = Phrase(hops, outward, row["answer"], row["kind"], _only(row["relations"]))
            for words in row["phrases"].split("|"):
                self._index[tuple(map(lexicon.stem, words_of(words)))].append(phrase)
            if len(hops) == 1:
                self._note(hops[0])
                noun = row["kind"] == "noun"
                for named in hops[0] if row["answer"] and not (noun and outward is False) else ():
                    if not named.inverse:
                        self._ends[named.label].add(row["answer"])

    def _note(self, hop: Sequence[Named]) -> None:
        """Remember that the exact labels of a hop are names of one relation."""
        first = hop[0]
        for other in hop[1:]:
            if not (first.broader or other.broader):
                turned = first.inverse != other.inverse
                self._alike[other.label].setdefault(first.label, turned)
                self._alike[first.label].setdefault(other.label, turned)

    def alike(self, label: str) -> dict[str, bool]:
        """Return labels that name the same relation, and whether they name it backwards."""
        return self._alike.get(label, {})

    def ends(self, label: str) -> frozenset[str]:
        """Return what the relation of a label leads to, where rows tell: person, place, ..."""
        return frozenset(self._ends.get(label, ()))

    def find(self, words: Sequence[str]) -> tuple[Found, ...]:
        """Return all phrases among folded words; one within another that says more is left out."""
        stems = [self._lexicon.stem(word) for word in words]
        says = [not self._lexicon.is_small(word) for word in words]
        found: list[Found] = []
        for start in range(len(stems)):
            for end in range(min(len(stems), start + _LONGEST), start, -1):
                phrases = self._index.get(tuple(stems[start:end]))
                said = sum(says[start:end])
                if phrases and not any(
                    f.start <= start and end <= f.end and sum(says[f.start : f.end]) > said
                    for f in found
                ):
                    found += [Found(start, end, phrase) for phrase in phrases]
        return tuple(found)


def _hop(cell: str) -> tuple[Named, ...]:
    found = []
    for part in cell.strip().split("|"):
        label = part.strip().lstrip("^").rstrip("~").strip()
        if label and label != "*":
            name = " ".join(words_of(label))
            found.append(Named(name, part.strip().startswith("^"), part.strip().endswith("~")))
    return tuple(found)


def _only(cell: str) -> Only | None:
    found = _CONDITION.search(cell)
    if found is None:
        return None
    sides = (side.rstrip("! ").split("|") for side in found.groups())
    relations, values = (tuple(label.strip() for label in side) for side in sides)
    return Only(relations, values, found[2].strip().endswith("!"))


@lru_cache(maxsize=8)
def open_phrases(language: str = "en") -> Phrases:
    """Return the open lexicon of a language."""
    return Phrases(open_lexicon(language))
