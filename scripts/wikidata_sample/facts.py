"""Reads the data sets the embedded sample is made of, as facts and as names.

Every reader gives ``Fact`` rows in the order of its file; ``collect`` joins them so that each
triple stands once and knows every data set that states it. Naming and describing live in the
modules beside this one, RDF in ``quads``.
"""

from __future__ import annotations

import gzip
import io
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path

from robodata_core.model import EntityValue, QuantityValue, Rank, TimeValue, Value

__all__ = ["DATASETS", "Dataset", "Fact", "Sample", "collect", "read_rows"]

JULIAN_UNTIL = 1582  # Wikidata's convention: earlier dates are in the proleptic Julian calendar
GREGORIAN = "Q1985727"
JULIAN = "Q1985786"
YEAR_PRECISION = 9
NAME_PROPERTIES = ("P1813", "P742", "P1449", "P1477", "P1559", "P2561")


@dataclass(frozen=True, slots=True)
class Dataset:
    """One source of facts and what its files say about where they come from.

    Attributes:
        name: Last part of the named graph ``urn:robodata:dataset:<name>``.
        files: Files below the data folder.
        source: Where the data were published.
        licence: What covers the part used here.
        note: What a reader of a fact should know about it.
        year: Of the data, where it is one year.
    """

    name: str
    files: tuple[str, ...]
    source: str
    licence: str
    note: str
    year: str = ""


@dataclass(frozen=True, slots=True)
class Fact:
    """One statement and the data sets that give it; rank and qualifiers are from the first.

    ``truthy`` is false for what a newer statement of a better rank has taken the place of.
    """

    subject: str
    prop: str
    value: Value
    datasets: tuple[str, ...]
    rank: Rank = Rank.NORMAL
    qualifiers: tuple[tuple[str, Value], ...] = ()
    truthy: bool = True

    @property
    def key(self) -> tuple[str, str, Value]:
        """What makes two facts the same triple."""
        return (self.subject, self.prop, self.value)


DATASETS = (
    Dataset(
        name="entitydata",
        files=("wikidata_facts/facts_entitydata.tsv.gz",),
        source="Output of Wikidata's Special:EntityData for Q1, Q42, Q8413, Q53713 and Q182397, "
        "2025-12, as recorded in the test data of github.com/dpriskorn/entitybase-backend "
        "at d87c41286165 (nothing else of that repository is used)",
        licence="CC0-1.0 (Wikidata says so in the output itself)",
        note="Best-rank item, time and quantity statements of five items; "
        "qualifiers, references and statement ids are not in the file.",
        year="2025",
    ),
    Dataset(
        name="codex-s",
        files=("codex/codex_s_train.tsv.gz", "codex/codex_s_entities.tsv.gz"),
        source="CoDEx-S, train split (Safavi and Koutra 2020), github.com/tsafavi/codex "
        "at 3132e426c2a6; entity types from the same place; English labels of entities by way of "
        "a copy in github.com/morethan987/KoGReD at 8fc885e50c81, which states no licence",
        licence="MIT (CoDEx's repository); CC0-1.0 (the facts, types and labels, which are "
        "Wikidata's)",
        note="Types of entities stand as instance of (P31). The valid and test splits and the "
        "Wikipedia extracts are not part of the sample.",
        year="2020",
    ),
    Dataset(
        name="kgtk-arnold",
        files=("wikidata_facts/facts_kgtk_arnold.tsv.gz",),
        source="Family graph from the KGTK examples, github.com/usc-isi-i2/kgtk "
        "at b8d946b423ac; facts and labels from Wikidata",
        licence="MIT (KGTK's repository); CC0-1.0 (the facts and labels, which are Wikidata's)",
        note="Relatives around Arnold Schwarzenegger and the Kennedy family.",
        year="unknown",
    ),
    Dataset(
        name="paper",
        files=("paper_facts.tsv",),
        source="A table put together for RoboData by hand: single facts that the RoboData paper "
        "prints or rests on in its support sets and in the questions B2, C2, C6 and C7, which "
        "it took from Wikidata; one more from Wikidata's Q42, one from general knowledge, and one "
        "whose id is from a public gazetteer (origins has the numbers)",
        licence="CC0-1.0 (facts, ids and labels as far as they are Wikidata's); the table is "
        "part of RoboData and under its licence, Apache-2.0",
        note="Not checked against live Wikidata, which may say otherwise by now. None of the "
        "paper's text is included.",
        year="2025",
    ),
    Dataset(
        name="household",
        files=("household_facts.tsv", "wikidata_facts/household_qids.tsv.gz"),
        source="A table put together for RoboData by hand: general knowledge about everyday "
        "objects in the form of Wikidata's statements. Ids and labels of the 53 objects are "
        "Wikidata's, by way of a public table of COCO classes whose publisher is not known; "
        "other ids are from public tables of Wikidata's ids",
        licence="Apache-2.0 (the table is part of RoboData and under its licence); CC0-1.0 "
        "(Wikidata's ids and labels)",
        note="The facts are not Wikidata's: they were not taken from it and not checked against "
        "it. Descriptions of that public table are not included.",
        year="2026",
    ),
)


@dataclass(slots=True)
class Sample:
    """Everything the data sets state, joined.

    Attributes:
        facts: Each triple once.
        labels: Item id -> data set -> label.
        property_labels: Property id -> labels as met in the data sets.
        property_names: Property id -> (label, datatype) from Wikidata's property list.
        name_values: Item id -> (text, language) of short name, pseudonym and the like.
        origins: Data set -> what its own origin column says -> number of facts.
    """

    facts: dict[tuple[str, str, Value], Fact] = field(default_factory=dict)
    labels: dict[str, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))
    property_labels: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    property_names: dict[str, tuple[str, str]] = field(default_factory=dict)
    name_values: dict[str, list[tuple[str, str]]] = field(default_factory=lambda: defaultdict(list))
    origins: dict[str, dict[str, int]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(int))
    )

    def add(self, fact: Fact) -> None:
        """Add one fact, or note that another data set states it too."""
        known = self.facts.get(fact.key)
        if known is None:
            self.facts[fact.key] = fact
        elif fact.datasets[0] not in known.datasets:
            both = (*known.datasets, *fact.datasets)
            self.facts[fact.key] = replace(known, datasets=both)

    def name_item(self, item: str, dataset: str, label: str) -> None:
        """Remember the first label a data set gives an item."""
        if label := unquote(label):
            self.labels[item].setdefault(dataset, label)

    def name_property(self, property_id: str, label: str) -> None:
        """Remember a label met for a property."""
        if label and label not in self.property_labels[property_id]:
            self.property_labels[property_id].append(label)


def unquote(label: str) -> str:
    """Take off the quotes CSV put around labels that hold a comma, and stray space."""
    label = label.strip()
    if len(label) > 1 and label[0] == label[-1] == '"':
        label = label[1:-1].replace('""', '"')
    return label


def read_rows(path: Path, columns: tuple[str, ...] = ()) -> Iterator[list[str]]:
    """Yield the rows of a tab-separated file, plain or gzipped.

    Args:
        path: The file.
        columns: Names its header must begin with; empty: it has no header.

    Raises:
        ValueError: If the header differs or a row has another number of columns.
    """
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8")
    width = 0
    for number, line in enumerate(io.StringIO(text, newline="\n"), start=1):
        row = line.rstrip("\n").split("\t")
        if number == 1:
            width = len(row)
            if columns:
                if tuple(row[: len(columns)]) != columns:
                    raise ValueError(f"{path.name}: header is {row}, expected {list(columns)}")
                continue
        if len(row) != width:
            raise ValueError(f"{path.name}, line {number}: {len(row)} columns, expected {width}")
        yield row


def calendar_of(year: int) -> str:
    """Return the calendar in which a year is told, by Wikidata's convention."""
    return JULIAN if 0 < year < JULIAN_UNTIL else GREGORIAN


def parse_time(text: str) -> TimeValue:
    """Read Wikidata's JSON time; the precision follows from the zeros, as the file has no other.

    Years beyond four digits are known only to their last non-zero digit.
    """
    sign, rest = text[0], text[1:].removesuffix("T00:00:00Z")
    year_text, month_text, day_text = rest.split("-")
    year, month, day = int(year_text), int(month_text), int(day_text)
    precision = YEAR_PRECISION + (month > 0) + (day > 0)
    if year > 9999:
        precision = max(0, YEAR_PRECISION - (len(str(year)) - len(str(year).rstrip("0"))))
    if sign == "-":
        # Year 1 BCE is 0 in RDF. Wikidata leaves years alone that are known less precisely.
        year = -year + (1 if precision >= YEAR_PRECISION else 0)
    calendar = calendar_of(year) if precision >= YEAR_PRECISION else GREGORIAN
    return TimeValue(year, month, day, precision=precision, calendar=calendar)


def parse_quantity(text: str) -> QuantityValue:
    """Read ``+1.96 Q11573`` (amount and unit) or ``+3``."""
    amount, _, unit = text.partition(" ")
    return QuantityValue(Decimal(amount), unit or None)


def _entitydata(data: Path, sample: Sample) -> None:
    header = ("subject", "subject_label", "pid", "property_label", "value", "value_label", "kind")
    for row in read_rows(data / DATASETS[0].files[0], header):
        subject, label, prop, prop_label, text, value_label, kind, rank = row
        sample.name_item(subject, "entitydata", label)
        value: Value
        if kind == "item":
            sample.name_item(text, "entitydata", value_label)
            value = EntityValue(text)
        elif kind == "time":
            value = parse_time(text)
        elif kind == "quantity":
            value = parse_quantity(text)
        else:
            _name_value(sample, subject, prop, text, kind)
            continue
        sample.name_property(prop, prop_label)
        sample.add(Fact(subject, prop, value, ("entitydata",), Rank(rank)))


def _name_value(sample: Sample, subject: str, prop: str, text: str, kind: str) -> None:
    """Keep other names of the subject; strings of other kinds are not part of the sample."""
    if prop not in NAME_PROPERTIES:
        return
    name, _, language = text.rpartition("@") if kind == "text" else (text, "", "")
    # A name in another language serves readers of English too: "mul", as Wikidata does it.
    sample.name_values[subject].append((name, "en" if language == "en" else "mul"))


def _codex(data: Path, sample: Sample) -> None:
    train, entities = DATASETS[1].files
    for head, prop, tail in read_rows(data / train):
        sample.add(Fact(head, prop, EntityValue(tail), ("codex-s",)))
    for item, label, types, type_labels in read_rows(
        data / entities, ("qid", "label", "type_qids", "type_labels")
    ):
        sample.name_item(item, "codex-s", label)
        for type_id, type_label in zip(types.split(), type_labels.split("|"), strict=False):
            sample.name_item(type_id, "codex-s-types", type_label)
            sample.add(Fact(item, "P31", EntityValue(type_id), ("codex-s",)))
    for prop, label, _ in read_rows(
        data / "codex/relations.tsv.gz", ("pid", "label", "description")
    ):
        sample.name_property(prop, label)


def _labelled_facts(data: Path, sample: Sample, dataset: Dataset, header: tuple[str, ...]) -> None:
    for row in read_rows(data / dataset.files[0], header):
        subject, label, prop, prop_label, value, value_label = row[:6]
        sample.name_item(subject, dataset.name, label)
        sample.name_item(value, dataset.name, value_label)
        sample.name_property(prop, prop_label)
        sample.add(Fact(subject, prop, EntityValue(value), (dataset.name,)))
        if len(row) > 6:
            sample.origins[dataset.name][row[6]] += 1


def collect(data: Path) -> Sample:
    """Read every data set below ``data``.

    Raises:
        OSError: If a file is missing or unreadable.
        ValueError: If a file is not shaped as expected.
    """
    sample = Sample()
    _entitydata(data, sample)
    _codex(data, sample)
    by_hand = ("subject", "subject_label", "property", "property_label", "object", "object_label")
    kgtk = ("subject", "subject_label", "pid", "property_label", "value", "value_label")
    for dataset, header in zip(DATASETS[2:], (kgtk, by_hand, by_hand), strict=True):
        _labelled_facts(data, sample, dataset, header)
    for item, label, _ in read_rows(data / DATASETS[4].files[1], ("qid", "label", "description")):
        sample.name_item(item, "household", label)
    names = data / "wikidata_facts/property_labels_en.tsv.gz"
    for prop, label, datatype, *_ in read_rows(names, ("pid", "label", "datatype")):
        sample.property_names[prop] = (label, datatype)
    return sample
