"""What the household's relations are called, and its facts and kinds as quads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from pyoxigraph import DefaultGraph, Literal, NamedNode, Quad
from wikidata_sample.facts import Sample, read_rows
from wikidata_sample.names import DATATYPES, ItemName, PropertyName
from wikidata_sample.quads import fact_quads, item_quads, property_quads

from household.kinds import BASE, Kinds
from robodata_core.iris import RDFS, SKOS, iri_of
from robodata_core.model import EntityValue, QuantityValue, Value

__all__ = [
    "CAN_SLICE",
    "CAPABLE",
    "CELSIUS",
    "FOUND",
    "RECEIVES",
    "TEMPERATURE",
    "property_labels",
    "quads_of",
]

CAN_SLICE = BASE + "can-slice"
FOUND, TEMPERATURE = BASE + "found-at", BASE + "temperature"
CAPABLE, RECEIVES = BASE + "capable-of", BASE + "can-be"
CELSIUS = "Q25267"
EXACT = NamedNode(SKOS + "exactMatch")

# Property -> label (empty: Wikidata's), names, datatype.
PROPERTIES: Mapping[str, tuple[str, str, str]] = {
    "P279": ("", "kind of|type of|sort of", "item"),
    "P276": ("", "belongs|belong|belongs in|belong in|goes|go|put away|where it goes|kept in|kept|"
             "stored in|stored|found in|located in|put|should be", "item"),
    "P186": ("", "made of|made from|material|consists of", "item"),
    "P366": ("", "used for|use|purpose|function|good for|for", "item"),
    "P527": ("", "parts|part|has|have|consists of|component", "item"),
    "P361": ("", "part|belongs to|component of", "item"),
    "P1552": ("", "is|are|can be|property|affordance|ability|characteristic|"
              "what can be done with it", "item"),
    "P462": ("", "colour|coloured|colored|what color|what colour", "item"),
    "P516": ("energy source", "powered by|runs on|works on|works with|power|needs|driven by|"
             "power source|fuel", "item"),
    "P1056": ("result", "makes|gives|produces|what it gives|outcome", "item"),
    "P2283": ("", "needs|need|requires|require|uses|what you need|needed|things needed|takes|"
              "necessary for|ingredients|tools", "item"),
    FOUND: ("found at", "usually found|found on|starts at|lies on|stands on", "item"),
    CAN_SLICE: ("can slice", "slice|slices|cut|cuts|can cut|cutting|slicing", "item"),
    TEMPERATURE: ("at temperature", "temperature", "quantity"),
    CAPABLE: ("is capable of", "can|does|able to", "item"),
    RECEIVES: ("can be", "gets", "item"),
}  # fmt: skip


def quads_of(sample: Sample, kinds: Kinds, labels: Mapping[str, str]) -> Iterator[Quad]:
    """Yield a whole graph.

    Args:
        sample: Its facts.
        kinds: What they speak of.
        labels: Wikidata's labels of properties.
    """
    used: dict[str, Value] = {}
    mentioned: set[str] = set()
    for fact in sample.facts.values():
        yield from fact_quads(fact)
        mentioned.add(fact.subject)
        for prop, value in ((fact.prop, fact.value), *fact.qualifiers):
            used.setdefault(prop, value)
            if isinstance(value, EntityValue):
                mentioned.add(value.id)
    for id_ in sorted(mentioned & kinds.by_id.keys()):
        kind = kinds.by_id[id_]
        aliases = tuple((name, "en") for name in kind.aliases if name != kind.label)
        yield from item_quads(id_, ItemName(kind.label, aliases), kind.description)
        for iri in kind.matches:
            yield Quad(NamedNode(iri_of(id_)), EXACT, NamedNode(iri), DefaultGraph())
    if any(isinstance(value, QuantityValue) for value in used.values()):
        yield from item_quads(CELSIUS, ItemName("degree Celsius", (("°C", "en"),)), "")
    for prop in sorted(used):
        label, names, datatype = PROPERTIES[prop]
        label = label or labels[prop]
        aliases_of = tuple(name for name in names.split("|") if name != label)
        yield from property_quads(
            prop, PropertyName(label, aliases_of, DATATYPES[datatype], ""), ""
        )
    match = SKOS + "exactMatch"
    yield Quad(NamedNode(match), NamedNode(RDFS + "label"), Literal("exact match", language="en"))


def property_labels(data: Path) -> dict[str, str]:
    """Return Wikidata's labels of properties."""
    rows = read_rows(data / "wikidata_facts/property_labels_en.tsv.gz", ("pid", "label"))
    return {row[0]: row[1] for row in rows}
