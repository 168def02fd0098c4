"""Reads the tables of general knowledge: what their columns say, their rows, and their cells."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from wikidata_sample.facts import calendar_of
from wikidata_sample.names import read_table

from robodata_core.model import TimeValue
from world.factbook import slug
from world.glosses import year_value

__all__ = ["Column", "Row", "alike", "read_columns", "read_date", "read_rows", "singulars"]

HEADER = ("tables", "column", "property", "range", "how", "label", "aliases")
OWN_PROPERTY = "urn:robodata:general:property:"
MIN_PLURAL: Final = 4


@dataclass(frozen=True, slots=True)
class Column:
    """What a column says.

    Attributes:
        name: Its header.
        prop: The property.
        range: What its values are.
        inverse: The value is the subject.
        adds: Stands beside what others state.
        known: No thing is made for its values.
        label: Of a property of our own, else empty.
        aliases: Of a property of our own.
    """

    name: str
    prop: str
    range: str
    inverse: bool = False
    adds: bool = False
    known: bool = False
    label: str = ""
    aliases: tuple[str, ...] = ()


@dataclass(slots=True)
class Row:
    """A line of a table, its cells by column.

    Attributes:
        table: Name of the file.
        cells: Column -> values.
        id: Of the thing; empty while none is known.
    """

    table: str
    cells: dict[str, list[str]]
    id: str = ""

    @property
    def name(self) -> str:
        """What the thing is called."""
        return self.cells["thing"][0]

    def first(self, column: str) -> str:
        """Return the first value of a column, or nothing."""
        return next(iter(self.cells.get(column, ())), "")


def read_columns(tables: Path) -> dict[tuple[str, str], Column]:
    """Return what every column says, by table and name; ``*`` stands for all other tables."""
    found = {}
    for names, name, prop, range_, how, label, aliases in read_table(
        tables / "general_columns.tsv", HEADER
    ):
        column = Column(
            name,
            prop or OWN_PROPERTY + slug(label or name),
            range_,
            "inverse" in how,
            "add" in how,
            "known" in how,
            label,
            tuple(filter(None, aliases.split("|"))),
        )
        for table in names.split("|"):
            found[table, name] = column
    return found


def read_rows(path: Path) -> Iterator[Row]:
    """Yield the rows of a table, each with its cells parted.

    Raises:
        ValueError: If it is not shaped as expected.
    """
    lines = path.read_text(encoding="utf-8").splitlines()
    lines = [line for line in lines if line and not line.startswith("#")]
    header = lines[0].split("\t")
    if header[0] != "thing":
        raise ValueError(f"{path.name}: the first column must be 'thing'")
    for line in lines[1:]:
        cells = line.split("\t")
        if len(cells) > len(header):
            raise ValueError(f"{path.name}: {len(cells)} columns in {cells[0]!r}")
        cells += [""] * (len(header) - len(cells))
        values = {
            name: [text for part in cell.split("|") if (text := part.strip())]
            for name, cell in zip(header, cells, strict=True)
        }
        if values["thing"]:
            yield Row(path.stem, values)


def alike(one: set[str], other: set[str]) -> bool:
    """Tell whether two sets of names share a last word: "string instrument", "instrument"."""
    return not {n.rpartition(" ")[2] for n in one}.isdisjoint(n.rpartition(" ")[2] for n in other)


def singulars(name: str) -> Iterator[str]:
    """Yield what a plural may be of: kinds are named by one of them."""
    if name.islower() and len(name) > MIN_PLURAL:
        for ending, one in (("ies", "y"), ("ves", "f"), ("es", ""), ("s", "")):
            if name.endswith(ending) and not name.endswith("ss"):
                yield name.removesuffix(ending) + one


def read_date(text: str) -> TimeValue | None:
    """Read a day, a month or a year; years before Christ are counted as RDF does."""
    found = re.fullmatch(r"(-?)(\d{1,4})(?:-(\d\d))?(?:-(\d\d))?", text)
    if not found:
        return None
    sign, year, month, day = found.groups()
    number = 1 - int(year) if sign else int(year)
    if not month:
        return year_value(number)
    fine, calendar = 11 if day else 10, calendar_of(number)
    return TimeValue(number, int(month), int(day or 0), precision=fine, calendar=calendar)
