"""ConceptNet's kitchen, a snapshot of its own because of its licence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from pyoxigraph import Quad
from wikidata_sample.facts import Fact, Sample, read_rows

from household.build import Household
from household.kinds import Kind, Kinds
from household.quads import CAPABLE, RECEIVES, property_labels, quads_of
from household.sources import CONCEPTNET
from robodata_core.model import EntityValue

__all__ = ["Kitchen"]

CONCEPTNET_BASE = "http://conceptnet.io"


class Kitchen:
    """What ConceptNet says of kitchens, about the household's kinds where it means them.

    Args:
        data: Folder with the data sets.
        household: Whose kinds are used.
    """

    RELATIONS: Mapping[str, str] = {
        "IsA": "P279", "AtLocation": "P276", "UsedFor": "P366", "MadeOf": "P186", "HasA": "P527",
        "PartOf": "P361", "HasProperty": "P1552", "HasPrerequisite": "P2283",
        "CapableOf": CAPABLE, "ReceivesAction": RECEIVES,
    }  # fmt: skip

    def __init__(self, data: Path, household: Household) -> None:
        self.sample = Sample()
        self._labels = property_labels(data)
        self._all = household.kinds
        self._used: dict[str, Kind] = {}
        header = ("subject", "subject_id", "relation", "object", "object_id", "surface_text")
        path = data / "conceptnet_kitchen/conceptnet_kitchen.tsv.gz"
        for subject, at, relation, object_, to, *_ in read_rows(path, header):
            prop = self.RELATIONS.get(relation)
            if prop is None:
                continue
            one, other = self._kind(subject, at), self._kind(object_, to)
            if one.id != other.id:
                fact = Fact(one.id, prop, EntityValue(other.id), (CONCEPTNET.name,))
                self.sample.add(fact)

    def _kind(self, name: str, path: str) -> Kind:
        name = re.sub(r"^(?:an?|the|your|my) ", "", name.strip())
        known = self._all.find(name)
        iri = CONCEPTNET_BASE + re.sub(r"[^\w/.\-]", "_", path)
        kind = Kind(known.id, known.label) if known else Kind(iri, " ".join(name.split()))
        kind = self._used.setdefault(kind.id, kind)
        if known:
            kind.matches[iri] = None
        return kind

    def quads(self) -> Iterator[Quad]:
        """Yield the whole graph."""
        kinds = Kinds({})
        kinds.by_id = self._used
        yield from quads_of(self.sample, kinds, self._labels)
