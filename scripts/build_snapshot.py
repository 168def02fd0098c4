#!/usr/bin/env python3
"""Builds the embedded snapshot ``wikidata-sample`` from the data sets beside the checkout.

    python scripts/build_snapshot.py --data ../shared/data

The result is the same for the same data, byte for byte in its graph; the manifest's hash says so.
What is read, from where and under which licence stands in ``wikidata_sample/facts.py``; names and
aliases written for this project in ``scripts/data``.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from pyoxigraph import Quad
from wikidata_sample.describe import Describer
from wikidata_sample.facts import DATASETS, Sample, collect
from wikidata_sample.names import name_items, name_properties
from wikidata_sample.quads import fact_quads, item_quads, property_quads

from robodata_core.errors import RoboDataError
from robodata_core.model import EntityValue, QuantityValue
from robodata_core.sources.snapshot import Manifest
from robodata_core.sources.snapshot.loading import write_snapshot

HERE = Path(__file__).resolve().parent
OUTPUT = HERE.parent / "robodata_core" / "data" / "wikidata-sample"
NAME = "wikidata-sample"
TITLE = "A sample of Wikidata: people, states, everyday objects and a little ontology"
LICENCES = ("CC0-1.0", "MIT", "Apache-2.0")


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


def quads_of(sample: Sample) -> Iterator[Quad]:
    """Yield the whole graph."""
    items = name_items(sample, items_of(sample), HERE / "data" / "item_names.tsv")
    properties = name_properties(sample, HERE / "data" / "property_aliases.tsv")
    describer = Describer(sample, items, properties)
    for fact in sample.facts.values():
        yield from fact_quads(fact)
    for item, item_name in items.items():
        yield from item_quads(item, item_name, describer.describe(item))
    for prop, property_name in properties.items():
        yield from property_quads(prop, property_name, describer.describe_property(prop))


def sources_of(sample: Sample) -> list[dict[str, str]]:
    """Return what the manifest says of every data set."""
    stated = Counter(name for fact in sample.facts.values() for name in fact.datasets)
    alone = Counter(fact.datasets[0] for fact in sample.facts.values() if len(fact.datasets) == 1)
    described = []
    for dataset in DATASETS:
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
            | ({"origins": "; ".join(f"{text}: {n}" for text, n in origins)} if origins else {})
        )
    return described


def build(data: Path, output: Path) -> Manifest:
    """Build the snapshot.

    Args:
        data: Folder with the data sets.
        output: Folder to make; a snapshot that is there is replaced.

    Raises:
        OSError: If a data set cannot be read.
        ValueError: If one is not shaped as expected.
        RoboDataError: If the snapshot cannot be written.
    """
    sample = collect(data)
    return write_snapshot(
        quads_of(sample),
        output,
        name=NAME,
        title=TITLE,
        sources=sources_of(sample),
        licences=LICENCES,
        force=True,
    )


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with the data sets")
    parser.add_argument("--output", type=Path, default=OUTPUT, help="folder to make")
    arguments = parser.parse_args()
    try:
        manifest = build(arguments.data, arguments.output)
    except (OSError, ValueError, RoboDataError) as error:
        print(f"build_snapshot: {error}", file=sys.stderr)
        return 1
    print(f"{manifest.sha256}  {arguments.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
