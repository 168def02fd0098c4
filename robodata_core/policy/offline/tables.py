"""Reading the tables for comparison, limits, negation and units that the rules look words up in.

The tables lie in ``language/lexicon/en`` and ``language/grammar/en``; their headers explain the
columns. Nothing of a graph is known here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from importlib import resources
from itertools import islice
from typing import Final

from robodata_core.language.grammar.operators import ANY as ANY_NOUN
from robodata_core.language.grammar.operators import TIME as ANY_TIME
from robodata_core.language.grammar.operators import Degree, open_grammar
from robodata_core.language.lexicon import open_lexicon
from robodata_core.programs.steps import Comparison

__all__ = [
    "ANY_NOUN",
    "ANY_TIME",
    "Degree",
    "Operator",
    "comparatives",
    "inside_words",
    "lines_in",
    "operators",
    "packaged",
    "plain_forms",
    "rows_in",
    "rows_of",
    "superlatives",
    "triggers",
    "units",
]

#: Operators that the rules read; the chart of ``language`` reads more.
_READ: Final = frozenset(
    ["number", "time", "within", "range", "negation", "exclusion", "measure", "everywhere"]
)
_Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Operator:
    """What a word does to a set; see the header of ``operators.tsv``.

    Attributes:
        kind: number, time, within, range, negation or exclusion.
        comparison: For a limit.
        joint: For a range: the word between its ends.
    """

    kind: str
    comparison: Comparison | None = None
    joint: str = ""


def comparatives() -> Mapping[_Words, tuple[Degree, ...]]:
    """Return the readings of every comparative, by its words."""
    return _degrees("comparative")


def superlatives() -> Mapping[_Words, tuple[Degree, ...]]:
    """Return the readings of every superlative, by its words."""
    return _degrees("superlative")


def plain_forms() -> Mapping[_Words, tuple[Degree, ...]]:
    """Return the readings of every plain form ("2 metres tall"), by its words."""
    return _degrees("plain")


@lru_cache(maxsize=3)
def _degrees(form: str) -> Mapping[_Words, tuple[Degree, ...]]:
    read = open_grammar(open_lexicon("en")).degrees_of(form)
    return {words: tuple(degrees) for words, degrees in read.items()}


@lru_cache(maxsize=1)
def operators() -> Mapping[_Words, tuple[Operator, ...]]:
    """Return what every operator word may do."""
    found: dict[_Words, tuple[Operator, ...]] = {}
    for words, kind, detail in rows_of("operators.tsv"):
        if kind not in _READ:
            continue
        limit = kind in ("number", "time")
        operator = Operator(
            kind, Comparison(detail) if limit and detail else None, detail if not limit else ""
        )
        for form in words.split("|"):
            key = tuple(form.split())
            found[key] = (*found.get(key, ()), operator)
    return found


@lru_cache(maxsize=1)
def inside_words() -> frozenset[str]:
    """Return the words behind which a place stands that something is in."""
    return frozenset(
        form
        for words, kind, _ in rows_of("operators.tsv")
        for form in words.split("|")
        if kind == "inside"
    )


@lru_cache(maxsize=1)
def units() -> Mapping[str, tuple[str, Decimal]]:
    """Return base unit and factor of every word for a unit."""
    return {
        word: (base, Decimal(factor))
        for words, base, factor in rows_of("units.tsv")
        for word in words.split("|")
    }


@lru_cache(maxsize=1)
def triggers() -> frozenset[str]:
    """Return every word that may begin a comparison or an operator, to pass over the rest."""
    tables = (comparatives(), superlatives(), operators())
    plain = frozenset(("in", "on", "of", "from", "during", "within"))
    return frozenset(key[0] for table in tables for key in table) - plain


def rows_of(name: str) -> Iterator[list[str]]:
    """Yield the rows of a table beside this module, each as wide as its header."""
    text = packaged(name)
    _, header = next(_told(text))
    width = header.count("\t") + 1
    for cells in rows_in(text):
        yield cells + [""] * (width - len(cells))


def rows_in(text: str) -> Iterator[list[str]]:
    """Yield the rows of a table, as many cells as each has, without blanks around them."""
    for _, line in lines_in(text):
        yield [cell.strip() for cell in line.split("\t")]


def lines_in(text: str) -> Iterator[tuple[int, str]]:
    """Yield number and text of every line of a table but comments, blank ones and the header."""
    return islice(_told(text), 1, None)


def packaged(name: str) -> str:
    """Return the text of a table of the language."""
    language = resources.files("robodata_core.language")
    rooms = [language / room / "en" / name for room in ("lexicon", "grammar")]
    return next(one for one in rooms if one.is_file()).read_text(encoding="utf-8")


def _told(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            yield number, line
