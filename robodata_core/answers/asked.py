"""What words of a question do, how it asks, and what a program names: held against each other."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from robodata_core.language.grammar.framing import unframed
from robodata_core.language.lexicon import Lexicon, open_lexicon
from robodata_core.language.lexicon.lexicon import read_table
from robodata_core.language.text import Text, read_text, words_of
from robodata_core.model import EntityValue, QuantityValue, TimeValue, Value
from robodata_core.programs.steps import Difference, End, Gives, Program, Step

__all__ = [
    "Given",
    "OF_TRUTHS",
    "chained_words",
    "given_by",
    "has_operator",
    "modal",
    "numbers_of",
    "phrases_of",
    "taken_away",
]


def modal(text: Text, readings: Sequence[str], lexicon: Lexicon) -> str:
    """Return a word that asks for what will, might or should be, and not for what is.

    Args:
        text: The question, without what frames it.
        readings: What it was read as; a word of a name stands in there, too.
        lexicon: Says which words these are.
    """
    said = {word for reading in readings for word in words_of(reading)}
    return next(iter(_modals(text, lexicon, said)), "")


def _modals(text: Text, lexicon: Lexicon, said: set[str]) -> Iterator[str]:
    for place, token in enumerate(text.tokens):
        written = place == 0 or token.text[:1].islower()
        if written and token.norm in lexicon.said("modal") and token.norm not in said:
            yield token.text


#: The kinds of words that a truth hangs on; of a list "all" only says that it is meant to be whole.
OF_TRUTHS: Final = frozenset({"denial", "share", "order"})


@dataclass(frozen=True, slots=True)
class Given:
    """What a program is given: entities it starts from, judges and keeps a set to, and classes."""

    starts: tuple[Value, ...]
    judged: tuple[Value, ...]
    limits: tuple[Value, ...]
    others: tuple[Value, ...]

    @property
    def every(self) -> frozenset[Value]:
        """All of them."""
        return frozenset((*self.starts, *self.judged, *self.limits, *self.others))


@functools.cache
def phrases_of(language: str, table: str, key: str) -> Mapping[str, frozenset[str]]:
    """Return a table of the lexicon: words and phrases by what they do."""
    rows = read_table(language, table)
    return defaultdict(
        frozenset, {row[key]: frozenset(filter(None, row["words"].split("|"))) for row in rows}
    )


def has_operator(question: str, language: str = "en") -> bool:
    """Tell whether a question holds a word that may change what is asked of a truth."""
    lexicon = open_lexicon(language)
    asked = unframed(read_text(question), language).text
    words = [token.norm for token in asked.tokens if token.is_word]
    return any(lexicon.operator(word) in OF_TRUTHS for word in words) or any(
        f" {phrase} " in f" {' '.join(words)} " for phrase in open_lexicon(language).said("undoing")
    )


def chained_words(question: str, language: str = "en") -> list[list[str]]:
    """Return words that are said of one another: joined by nothing but a genitive and articles."""
    lexicon = open_lexicon(language)
    genitives = lexicon.said("genitive")
    found: list[list[str]] = [[]]
    joined = False
    for token in (token for token in read_text(question).tokens if token.is_word):
        if token.possessive or token.norm in genitives:
            joined = True
        elif lexicon.kind(token.norm) != "article":
            chain = found[-1]
            if not (joined and chain and lexicon.stem(token.norm) == lexicon.stem(chain[0])):
                found.append([])
            if not lexicon.is_small(token.norm):
                found[-1].append(token.norm)
            joined = False
    return [chain for chain in found if len(chain) > 1]


def numbers_of(program: Program) -> frozenset[str]:
    """Return the numbers that a program names, those of its dates included."""
    found: set[object] = set()
    for step in program.steps:
        found.add(getattr(step, "number", None))
        for value in step.named:
            if isinstance(value, TimeValue):
                found |= {value.year, value.month, value.day}
            elif isinstance(value, QuantityValue):
                found.add(value.amount)
    return frozenset(map(str, found))


def given_by(program: Program) -> Given:
    """Return what a program names."""
    starts = [value for step in program.steps for value in step.starts]
    judged = [value for step in program.steps if step.gives is Gives.TRUTH for value in step.named]
    kept = [step for step in program.steps if step.gives is Gives.SET and not step.starts]
    named = [value for step in kept for value in step.named]
    limits = [value for value in named if isinstance(value, EntityValue)]
    others = [value for value in named if value not in limits]
    others += [EntityValue(id_) for step in kept for id_ in step.classes]
    entities = [value for value in starts if isinstance(value, EntityValue)]
    asked = [value for value in judged if isinstance(value, EntityValue)]
    return Given(tuple(entities), tuple(asked), tuple(limits), tuple(others))


def taken_away(program: Program) -> list[Step]:
    """Return the steps that what is taken away from a set is made by."""
    wanted: set[str] = set()
    found: list[Step] = []
    for step in reversed(program.steps):
        if isinstance(step, Difference):
            wanted.add(step.minus)
        elif not isinstance(step, End) and step.out in wanted:
            wanted.update(step.reads)
            found.append(step)
    return found
