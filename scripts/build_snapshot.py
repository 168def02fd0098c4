#!/usr/bin/env python3
"""Builds the snapshots that come with the package from the data sets beside the checkout.

    python scripts/build_snapshot.py NAME --data ../shared/data

NAME is ``wikidata-sample``, ``world``, ``household`` or ``conceptnet-kitchen``. The result is the
same for the same data, byte for byte in its graph; the manifest's hash says so. What is read, from
where and under which licence stands in ``scripts/*/sources.py`` and ``wikidata_sample/facts.py``;
names and aliases written for this project in ``scripts/data``.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from household.build import Household
from household.kitchen import Kitchen
from household.sources import CONCEPTNET, HOUSEHOLD
from pyoxigraph import Quad
from wikidata_sample.describe import Describer
from wikidata_sample.facts import DATASETS, Dataset, Fact, Sample, collect
from wikidata_sample.names import name_items, name_properties
from wikidata_sample.quads import fact_quads, item_quads, property_quads
from world.build import World
from world.sources import DATASETS as WORLD_DATASETS

from robodata_core.errors import RoboDataError
from robodata_core.model import EntityValue, QuantityValue
from robodata_core.sources.snapshot import Manifest
from robodata_core.sources.snapshot.loading import write_snapshot

HERE = Path(__file__).resolve().parent
OUTPUT = HERE.parent / "robodata_core" / "data"


@dataclass(frozen=True, slots=True)
class Plan:
    """What a snapshot is made of.

    Attributes:
        title: A line for people.
        licences: All licences that apply.
        quads: The whole graph.
        sources: What the manifest says of every data set.
    """

    title: str
    licences: tuple[str, ...]
    quads: Iterator[Quad]
    sources: list[dict[str, str]]


def sample(data: Path) -> Plan:
    """Plan ``wikidata-sample``, the small one."""
    read = collect(data)
    return Plan(
        "A sample of Wikidata: people, states, everyday objects and a little ontology",
        ("CC0-1.0", "MIT", "Apache-2.0"),
        sample_quads(read),
        sources_of(DATASETS, read.facts.values(), read),
    )


def world(data: Path) -> Plan:
    """Plan ``world``, the one that is asked by default."""
    read = World(data, HERE / "data")
    read.write_decisions()
    return Plan(
        "General knowledge: people, works, places, countries and their figures, organizations",
        (
            "CC-BY-2.5",
            "CC-BY-4.0",
            "CC0-1.0",
            "MIT",
            "Apache-2.0",
            "BSD",
            "WordNet-3.0",
            "public domain",
        ),
        read.quads(),
        sources_of(WORLD_DATASETS, read.facts, read.sample),
    )


def household(data: Path) -> Plan:
    """Plan ``household``."""
    read = Household(data, HERE / "data")
    return Plan(
        "A household: kinds of things, what can be done with them, where they belong, activities",
        ("MIT", "LGPL-3.0", "CC0-1.0", "Apache-2.0", "WordNet-3.0"),
        read.quads(),
        sources_of(HOUSEHOLD, read.sample.facts.values(), read.sample),
    )


def kitchen(data: Path) -> Plan:
    """Plan ``conceptnet-kitchen``, apart because of its licence."""
    read = Kitchen(data, Household(data, HERE / "data"))
    return Plan(
        "What ConceptNet says of kitchens, about the kinds of the household",
        ("CC-BY-SA-4.0",),
        read.quads(),
        sources_of((CONCEPTNET,), read.sample.facts.values(), read.sample),
    )


PLANS: dict[str, Callable[[Path], Plan]] = {
    "wikidata-sample": sample,
    "world": world,
    "household": household,
    "conceptnet-kitchen": kitchen,
}


def items_of(sample: Sample) -> set[str]:
    """Return every item a fact speaks of, every unit, and the everyday objects."""
    items = {item for item, given in sample.labels.items() if "household" in given}
    for fact in sample.facts.values():
        items.add(fact.subject)
        if isinstance(fact.value, EntityValue):
            items.add(fact.value.id)
        elif isinstance(fact.value, QuantityValue) and fact.value.unit:
            items.add(fact.value.unit)
    return items


def sample_quads(sample: Sample) -> Iterator[Quad]:
    """Yield the whole graph of the sample."""
    items = name_items(sample, items_of(sample), HERE / "data" / "item_names.tsv")
    properties = name_properties(sample, HERE / "data" / "property_aliases.tsv")
    describer = Describer(sample, items, properties)
    for fact in sample.facts.values():
        yield from fact_quads(fact)
    for item, item_name in items.items():
        yield from item_quads(item, item_name, describer.describe(item))
    for prop, property_name in properties.items():
        yield from property_quads(prop, property_name, describer.describe_property(prop))


def sources_of(
    datasets: Iterable[Dataset], facts: Iterable[Fact], sample: Sample
) -> list[dict[str, str]]:
    """Return what the manifest says of every data set."""
    named = [fact.datasets for fact in facts]
    stated = Counter(name for names in named for name in names)
    alone = Counter(names[0] for names in named if len(names) == 1)
    described = []
    for dataset in datasets:
        origins = sorted(sample.origins.get(dataset.name, {}).items())
        described.append(
            {
                "name": dataset.name,
                "graph": f"urn:robodata:dataset:{dataset.name}",
                "files": ", ".join(dataset.files),
                "source": dataset.source,
                "licence": dataset.licence,
                "note": dataset.note,
                "facts": str(stated[dataset.name]),
                "facts_of_no_other": str(alone[dataset.name]),
            }
            | ({"year": dataset.year} if dataset.year else {})
            | ({"origins": "; ".join(f"{text}: {n}" for text, n in origins)} if origins else {})
        )
    return described


def build(name: str, data: Path, output: Path) -> Manifest:
    """Build a snapshot.

    Args:
        name: Which one.
        data: Folder with the data sets.
        output: Folder to make; a snapshot that is there is replaced.

    Raises:
        OSError: If a data set cannot be read.
        ValueError: If one is not shaped as expected.
        RoboDataError: If the snapshot cannot be written.
    """
    plan = PLANS[name](data)
    return write_snapshot(
        plan.quads,
        output,
        name=name,
        title=plan.title,
        sources=plan.sources,
        licences=plan.licences,
        force=True,
        # A wheel with the world is to have 30 MB at most.
        dense=name == "world",
    )


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", choices=sorted(PLANS), help="which snapshot")
    parser.add_argument("--data", type=Path, required=True, help="folder with the data sets")
    parser.add_argument("--output", type=Path, help="folder to make")
    arguments = parser.parse_args()
    try:
        output = arguments.output or OUTPUT / arguments.name
        manifest = build(arguments.name, arguments.data, output)
    except (OSError, ValueError, RoboDataError) as error:
        print(f"build_snapshot: {error}", file=sys.stderr)
        return 1
    print(f"{manifest.sha256}  {output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
