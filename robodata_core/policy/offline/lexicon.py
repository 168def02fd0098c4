"""Reading the lexicon: how people name common relations, and what demonyms stand for.

The data are the tab-separated files beside this module (their headers explain the columns), plus
a user's own file in the same format (``settings.lexicon``). No graph is known here: the right
sides are labels, which ``relations`` matches with what a graph really has.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from robodata_core.errors import ConfigurationError
from robodata_core.language.lexicon.lexicon import read_table
from robodata_core.policy.offline.tables import lines_in, packaged
from robodata_core.policy.offline.words import DIRECTIONS
from robodata_core.whole_files import read_text

__all__ = [
    "Condition",
    "LabelHop",
    "Row",
    "adherents",
    "demonyms",
    "read_lexicon",
    "spoken_of",
    "standard_lexicon",
]

_COLUMNS: Final = ("phrases", "relations", "direction", "answer", "kind")
_KIN_COLUMNS: Final = 4
_DIRECTIONS: Final = frozenset({"out", "in", "either"})
_ANSWERS: Final = frozenset({"person", "place", "time", "number", "thing", ""})
_KINDS: Final = frozenset({"noun", "verb", "adj", "prep"})
_MAX_BYTES: Final = 20_000_000
_CONDITION: Final = re.compile(r"(.*?)\[([^\[\]=]+)=([^\[\]=]+)\]\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Condition:
    """What narrows a broader relation to the word.

    Attributes:
        relations: Labels of relations.
        values: Labels of their values.
        must: Whether only those count of whom it is stated or shown.
    """

    relations: tuple[str, ...]
    values: tuple[str, ...]
    must: bool = False


@dataclass(frozen=True, slots=True)
class LabelHop:
    """One hop of a row.

    Attributes:
        labels: Labels of relations, each with whether it is walked backwards.
        any_relation: Whether any relation will do.
        broader: Those of the labels that say less than the phrases of the row.
        condition: What narrows these to the phrases, or None.
    """

    labels: tuple[tuple[str, bool], ...]
    any_relation: bool = False
    broader: frozenset[str] = frozenset()
    condition: Condition | None = None

    def exact(
        self, find: Callable[[str], Sequence[str]], is_label: Callable[[str, str], bool]
    ) -> frozenset[str]:
        """Return the properties that are labelled just as the phrases mean.

        An alias is not enough where others are marked as broader: a relation may have both
        "daughter" and "son" among its aliases.
        """
        return frozenset(
            name
            for label, _ in self.labels
            if self.broader and label not in self.broader
            for name in find(label)
            if is_label(name, label)
        )


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a lexicon; ``language/lexicon/en/relations.tsv`` explains the columns.

    What only ``kin.tsv`` has: walks whose ends are taken away (none: the start itself), what must
    be stated of those found, and a name shared by the walks that are meant all together.
    """

    phrases: tuple[str, ...]
    hops: tuple[LabelHop, ...]
    direction: str
    answer: str
    kind: str
    without: tuple[tuple[LabelHop, ...], ...] = ()
    having: tuple[LabelHop, ...] = ()
    group: str = ""


def read_lexicon(path: str | Path) -> tuple[Row, ...]:
    """Read a user's lexicon file.

    Raises:
        ConfigurationError: If it cannot be read or a row is malformed, with the line number.
    """
    return tuple(_rows(read_text(path, most=_MAX_BYTES, what="The lexicon"), str(path)))


@lru_cache(maxsize=1)
def standard_lexicon() -> tuple[Row, ...]:
    """Return the rows of the lexicon that comes with the package, and those of kin."""
    plain = _rows(packaged("relations.tsv"), "relations.tsv")
    return (*plain, *_kin(packaged("kin.tsv")))


@lru_cache(maxsize=1)
def demonyms() -> dict[str, tuple[str, ...]]:
    """Return country names by demonym (``italian`` -> ``Italy``), lower case."""
    return _standing(held=False)


@lru_cache(maxsize=1)
def adherents() -> dict[str, tuple[str, ...]]:
    """Return faiths and schools by the word for who holds them (``muslim`` -> ``Islam``)."""
    return _standing(held=True)


def spoken_of(words: str) -> tuple[tuple[str, ...], bool]:
    """Return what a word of origin, faith or school stands for.

    Args:
        words: One word or two, lower case, singular or plural.

    Returns:
        Labels of what it may mean, the likeliest first, and whether that is something held
        rather than a place; nothing where it is no such word.
    """
    for form in dict.fromkeys((words, words.removesuffix("s"))):
        for table, held in ((demonyms(), False), (adherents(), True)):
            if form in table:
                return table[form], held
    first, _, rest = words.partition(" ")
    if rest and first in DIRECTIONS:
        whole, _ = spoken_of(rest)
        sides = dict.fromkeys((first, f"{first}ern", first.removesuffix("ern")))
        names = tuple(f"{side.title()} {name}" for name in whole for side in sides)
        return names, False  # "West African": West Africa or Western Africa, never Africa
    school = words.removesuffix("s")
    if school.endswith("ist") and " " not in school:
        return (school.removesuffix("t") + "m",), True  # "cubist": cubism
    return (), False


def _standing(*, held: bool) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for row in read_table("en", "origins"):
        names = tuple(row["of"].split("|"))
        for word in row["words"].split("|") if held == (row["sort"] == "held") else ():
            for key in dict.fromkeys((word, word.replace(" ", "-"))):
                found[key] = tuple(dict.fromkeys((*found.get(key, ()), *names)))
    return found


def _rows(text: str, name: str) -> Iterator[Row]:
    for number, line in lines_in(text):
        cells = line.split("\t")
        if len(cells) != len(_COLUMNS):
            raise ConfigurationError(
                f"{name}:{number}: expected {len(_COLUMNS)} tab-separated columns,"
                f" found {len(cells)}."
            )
        phrases = tuple(part.strip().lower() for part in cells[0].split("|") if part.strip())
        hops = tuple(_hop(part) for part in cells[1].split(" / "))
        direction, answer, kind = (cell.strip().lower() for cell in cells[2:])
        if direction not in _DIRECTIONS or answer not in _ANSWERS or kind not in _KINDS:
            raise ConfigurationError(
                f"{name}:{number}: direction, answer or kind is none of the known words."
            )
        if not phrases or not all(hop.labels or hop.any_relation for hop in hops):
            raise ConfigurationError(f"{name}:{number}: a phrase or a relation is missing.")
        if any(hop.broader for hop in hops[:-1]) or any(
            hop.condition and not hop.broader for hop in hops
        ):
            raise ConfigurationError(
                f"{name}:{number}: only relations of the last hop can be marked as broader (~),"
                " and only these can have a condition in brackets."
            )
        yield Row(phrases, hops, direction, answer, kind)


def _kin(text: str) -> Iterator[Row]:
    """Yield the rows of ``kin.tsv``, one for each walk."""
    for number, line in lines_in(text):
        cells = line.split("\t")
        if len(cells) != _KIN_COLUMNS:
            raise ConfigurationError(f"kin.tsv:{number}: expected {_KIN_COLUMNS} columns.")
        phrases = tuple(part.strip().lower() for part in cells[0].split("|"))
        walks = cells[1].split(" + ")
        without, having = (
            cell.split(" + ") if cell != "-" else [""] * len(walks) for cell in cells[2:]
        )
        for walk, gone, has in zip(walks, without, having, strict=True):
            yield Row(
                phrases,
                _walk(walk),
                "out",
                "person",
                "noun",
                tuple(
                    () if part.strip() == "self" else _walk(part)
                    for part in gone.split(" , ")
                    if part.strip()
                ),
                _walk(has) if has.strip() else (),
                f"kin.tsv:{number}" if len(walks) > 1 else "",
            )


def _walk(text: str) -> tuple[LabelHop, ...]:
    return tuple(_hop(part) for part in text.split(" / "))


def _hop(text: str) -> LabelHop:
    labels = []
    broader = set()
    condition = None
    bracket = _CONDITION.fullmatch(text)
    if bracket is not None:
        text = bracket[1]
        wanted, must = bracket[3].rstrip(), bracket[3].rstrip().endswith("!")
        relations, values = (
            tuple(part.strip() for part in cell.split("|") if part.strip())
            for cell in (bracket[2], wanted.rstrip("!"))
        )
        condition = Condition(relations, values, must)
    for part in text.split("|"):
        label = part.strip()
        if label == "*":
            return LabelHop((), True)
        back = label.startswith("^")
        label = label.lstrip("^").strip()
        if label.endswith("~"):
            label = label.rstrip("~").strip()
            broader.add(label)
        if label:
            labels.append((label, back))
    return LabelHop(tuple(labels), False, frozenset(broader - {""}), condition)
