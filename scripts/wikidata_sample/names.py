"""Chooses one label for every item and property and keeps the other names as aliases.

The order of preference is fixed, so that the result does not depend on the order of files.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from wikidata_sample.facts import Sample

__all__ = ["ItemName", "PropertyName", "name_items", "name_properties"]

LABEL_ORDER = ("entitydata", "codex-s", "paper", "kgtk-arnold", "household", "codex-s-types")
MISPRINTS = frozenset({"located in the administrative terroritorial entity"})
DATATYPES = {
    "item": "WikibaseItem",
    "time": "Time",
    "quantity": "Quantity",
}


@dataclass(frozen=True, slots=True)
class ItemName:
    """A label ("" where nobody gives one) and other names with their languages."""

    label: str
    aliases: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class PropertyName:
    """A label, other names, the datatype, and how to call a value of the property."""

    label: str
    aliases: tuple[str, ...]
    datatype: str
    role: str


def read_table(path: Path, header: tuple[str, ...]) -> list[list[str]]:
    """Read one of our own tables: tab-separated, with ``#`` comments and a header.

    Raises:
        ValueError: If the header or the number of columns is not as expected.
    """
    lines = [
        line.split("\t")
        for line in path.read_text(encoding="utf-8").splitlines()
        if line and not line.startswith("#")
    ]
    if not lines or tuple(lines[0]) != header:
        raise ValueError(f"{path.name}: the header must be {header}")
    for row in lines[1:]:
        if len(row) != len(header):
            raise ValueError(f"{path.name}: {len(row)} columns in {row}")
    return lines[1:]


def name_items(sample: Sample, items: Iterable[str], table: Path) -> dict[str, ItemName]:
    """Name every item; a missing name is an empty label, never an invented one.

    Raises:
        ValueError: If the table names an item that does not occur.
    """
    ours = {row[0]: row for row in read_table(table, ("item", "label", "aliases"))}
    named: dict[str, ItemName] = {}
    for item in sorted(items):
        given = sample.labels.get(item, {})
        labels = [given[dataset] for dataset in LABEL_ORDER if dataset in given]
        _, own_label, own_aliases = ours.pop(item, ["", "", ""])
        labels = [own_label] if own_label else labels
        aliases = [(text, "en") for text in labels[1:]]
        aliases += [(text, "en") for text in own_aliases.split("|") if text]
        aliases += sample.name_values.get(item, [])
        named[item] = ItemName(labels[0] if labels else "", _distinct(aliases, labels[:1]))
    if ours:
        raise ValueError(f"{table.name}: not in the sample: {', '.join(sorted(ours))}")
    return named


def _distinct(names: list[tuple[str, str]], taken: list[str]) -> tuple[tuple[str, str], ...]:
    seen = set(taken)
    kept = []
    for text, language in names:
        if text not in seen:
            seen.add(text)
            kept.append((text, language))
    return tuple(kept)


def name_properties(sample: Sample, table: Path) -> dict[str, PropertyName]:
    """Name every property that occurs.

    Wikidata's own list decides the label; labels of other files become aliases, misprints left
    out.

    Raises:
        ValueError: If a property has no label, or the table and the sample do not match.
    """
    ours = {row[0]: row for row in read_table(table, ("property", "aliases", "role"))}
    datatypes = {prop: fact.value for (_, prop, _), fact in sample.facts.items()}
    if set(ours) != set(datatypes):
        raise ValueError(f"{table.name}: differs in {sorted(set(ours) ^ set(datatypes))}")
    named: dict[str, PropertyName] = {}
    for prop in sorted(datatypes, key=lambda id_: int(id_[1:])):
        listed = sample.property_names.get(prop, ("", ""))[0]
        met = [text for text in sample.property_labels.get(prop, []) if text not in MISPRINTS]
        labels = ([listed] if listed else []) + met
        if not labels:
            raise ValueError(f"{prop} has no label in any file")
        aliases = [(text, "en") for text in (*labels[1:], *ours[prop][1].split("|")) if text]
        named[prop] = PropertyName(
            label=labels[0],
            aliases=tuple(text for text, _ in _distinct(aliases, labels[:1])),
            datatype=_datatype(type(datatypes[prop]).__name__),
            role=ours[prop][2] or f"{labels[0]} of",
        )
    return named


def _datatype(value_type: str) -> str:
    kind = {"EntityValue": "item", "TimeValue": "time", "QuantityValue": "quantity"}[value_type]
    return DATATYPES[kind]
