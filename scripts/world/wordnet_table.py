"""Reads the table of WordNet's named things, and what their classes are here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from wikidata_sample.facts import Fact
from wikidata_sample.names import read_table

from robodata_core.model import EntityValue
from world.joining import Known
from world.things import Things

__all__ = ["GENERIC", "ORDER", "PLACES", "ClassRow", "Entry", "class_facts", "read_entries"]

ROOT = "Q35120"
CLASS_HEADER = ("synset", "word", "item", "label", "above", "kind")
HEADER = ("synset", "classes", "names", "common", "part of", "member of", "region", "gloss")
#: What others lie in comes first: it tells places of one name apart.
ORDER: Final = ("country", "continent", "region", "island", "settlement", "water", "land")
PLACES: Final = frozenset({*ORDER, "quarter", "building"})
#: What is no longer so: Pluto is no planet.
REFUSED: Final = frozenset({"09395899"})
#: Classes that say hardly what a place is.
GENERIC: Final = frozenset({"Q82794", "Q2221906"})


@dataclass(frozen=True, slots=True)
class ClassRow:
    """What a class of WordNet is here."""

    item: str
    label: str
    above: str
    kind: str


@dataclass(slots=True)
class Entry:
    """A named thing as the table has it."""

    synset: str
    rows: tuple[ClassRow, ...]
    names: tuple[str, ...]
    common: tuple[str, ...]
    parts: tuple[str, ...]
    members: tuple[str, ...]
    regions: tuple[str, ...]
    gloss: str
    kind: str = ""
    usable: list[str] = field(default_factory=list)

    @property
    def items(self) -> set[str]:
        """What its classes are here."""
        return {row.item for row in self.rows} - {""}

    @property
    def full(self) -> list[str]:
        """Names of several words."""
        return [name for name in (*self.names, *self.common) if " " in name]


def read_classes(tables: Path) -> dict[str, ClassRow]:
    """Read what WordNet's classes are here."""
    rows = read_table(tables / "wordnet_classes.tsv", CLASS_HEADER)
    return {row[0]: ClassRow(*row[2:]) for row in rows}


def class_facts(tables: Path, known: Known, things: Things, dataset: str) -> Iterator[Fact]:
    """Name the classes that no data set names, and yield what is above them."""
    for row in read_classes(tables).values():
        if row.kind == "person" or not row.item:
            continue
        if row.label and not things[row.item].label:
            things[row.item].name(row.label)
        for class_, above in ((row.item, row.above or ROOT), (row.above, ROOT)):
            if class_ and not known.states(class_, "P279"):
                fact = Fact(class_, "P279", EntityValue(above), (dataset,))
                known.note(fact)
                yield fact


def read_entries(tables: Path) -> dict[str, Entry]:
    """Read all named things."""
    classes = read_classes(tables)
    entries = {}
    for synset, *cells, gloss in read_table(tables / "wordnet_things.tsv", HEADER):
        first, *others = (tuple(text for text in cell.split("|") if text) for cell in cells)
        rows = tuple(classes[class_] for class_ in first)
        entry = Entry(synset, rows, *others, gloss)
        kinds = [row.kind for row in rows]
        # A patron saint who is an imaginary being is no person.
        entry.kind = next((kind for kind in ("being", "person") if kind in kinds), kinds[0])
        if synset not in REFUSED:
            entries[synset] = entry
    return entries
