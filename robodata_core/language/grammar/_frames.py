"""The table of frames of a language, and the words of a text that it is held against."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from robodata_core.language.lexicon.lexicon import read_table
from robodata_core.language.text import Text

__all__ = ["Frames", "Word", "Words", "frames_of", "is_marked", "matches_in", "words_in"]

#: Most words of a phrase.
_LONGEST: Final = 7
_PACKAGE: Final = "robodata_core.language.grammar"

Words = tuple[str, ...]
#: A word with its first token and the token after.
Word = tuple[str, int, int]


@dataclass(frozen=True, slots=True)
class Frames:
    """The table of a language: words by what they do in a question."""

    support: Words
    verdicts: frozenset[Words]
    clipped: frozenset[str]
    typed: dict[Words, str]
    ability: frozenset[Words]
    means: frozenset[Words]
    modal: frozenset[Words]
    aim: frozenset[Words]
    purposive: Words
    endings: tuple[Words, Words]
    copula: Words
    plural: Words
    purpose: Words
    apart: Words
    choice: Words
    joint: Words
    owning: Words
    nouns: dict[str, str]
    manner: dict[Words, str]
    pronouns: frozenset[str]
    owners: frozenset[str]
    shown: frozenset[str]
    own: frozenset[str]
    titles: frozenset[str]
    left_out: dict[str, frozenset[Words]]
    places: dict[str, str]
    patients: dict[str, Words]

    def stands_for(self, word: str, name: str, owns: bool) -> str:
        """Return what a pronoun says that stands for a name; "" for any other word.

        Args:
            word: The word.
            name: The name.
            owns: Whether a noun follows: "her mother", but not "married her".
        """
        if word in self.places:
            return f"{self.places[word]} {name}"
        if word in self.owners and (owns or word not in self.pronouns):
            return f"{name}'s"
        return name if word in self.pronouns else ""

    def things(self, asked: str) -> str:
        """Return what is asked for with a noun: "what" asks for things; "" for "who" alone."""
        if " " in asked:
            return asked
        noun = self.nouns.get(asked.lower(), "")
        return f"{asked} {noun}" if noun else ""


@lru_cache(maxsize=8)
def frames_of(language: str) -> Frames:
    """Return the frames of a language, read once."""
    found: defaultdict[str, dict[Words, None]] = defaultdict(dict)
    stands: dict[str, dict[Words, str]] = {
        place: {} for place in ("typed", "noun", "manner", "locative", "patient")
    }
    for row in read_table(language, "frames", _PACKAGE):
        for words in row["words"].split("|"):
            if row["place"] in stands:
                stands[row["place"]][tuple(words.split())] = row["asks"]
            found[row["place"]][tuple(words.split())] = None
    clipped, pronouns, owners, shown, own, titles = (
        frozenset(word for words in found[place] for word in words)
        for place in ("clipped", "pronoun", "owner", "shown", "own", "title")
    )
    one = {place: next(iter(words), ()) for place, words in found.items()}
    return Frames(
        one.get("support", ()), frozenset(found["verdict"]), clipped, stands["typed"],
        frozenset(found["ability"]), frozenset(found["means"]), frozenset(found["modal"]),
        frozenset(found["aim"]), one.get("purposive", ()),
        (one.get("suffix", ()), one.get("gerund", ())),
        one.get("copula", ()), one.get("plural", ()),
        one.get("purpose", ()), one.get("apart", ()), one.get("choice", ()),
        one.get("joint", ()), tuple(word for words in found["owning"] for word in words),
        {" ".join(words): noun for words, noun in stands["noun"].items()}, stands["manner"],
        pronouns, owners, shown, own, titles,
        {place: frozenset(found[place]) for place in ("now", "aside")},
        {" ".join(words): at for words, at in stands["locative"].items()},
        {" ".join(words): tuple(names.split("|")) for words, names in stands["patient"].items()},
    )  # fmt: skip


def words_in(text: Text) -> list[Word]:
    """Return the words with their first token and the token after; "isn't" is one word."""
    found: list[Word] = []
    at, tokens = 0, text.tokens
    while at < len(tokens):
        if not tokens[at].is_word:
            at += 1
            continue
        norm, after = tokens[at].norm, at + 1
        if [t.norm for t in tokens[after : after + 1]] == ["'"] and after + 1 < len(tokens):
            norm, after = norm + tokens[after + 1].norm, after + 2
        found.append((norm, at, after))
        at = after
    return found


def is_marked(text: Text, start: int, end: int) -> bool:
    """Tell whether quotes or brackets mark any of some tokens."""
    return any(mark.start < end and start < mark.end for mark in text.marked)


def matches_in(words: Sequence[str], phrases: Set[Words]) -> Iterator[tuple[int, int]]:
    """Yield where phrases stand in some words, the longest of the first place first."""
    for at in range(len(words)):
        for size in range(min(_LONGEST, len(words) - at), 0, -1):
            if tuple(words[at : at + size]) in phrases:
                yield at, at + size
