"""One class for one kind of thing: synsets, everyday things, Wikidata's items, SOMA's classes.

A kind is found by what it is called. It goes by Wikidata's id where the tables have one, by its
synset elsewhere; what other sources call it is kept as a statement (exact match), so that the
alignment can be asked for and disputed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

__all__ = ["BASE", "Kind", "Kinds", "spelled"]

BASE = "urn:robodata:household:"


def spelled(name: str) -> str:
    """Return a name as people write it: "carving_knife.n.01" and "CarvingKnife" alike."""
    name = re.sub(r"\.[a-z]\.\d+$", "", name)
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name.replace("_", " ").replace("-", " "))
    return " ".join(name.split()).casefold()


@dataclass(slots=True)
class Kind:
    """A kind of thing.

    Attributes:
        id: Its id in the graph.
        label: What it is called.
        aliases: Other names.
        description: A line, or empty.
        matches: IRIs of the same kind elsewhere.
    """

    id: str
    label: str
    aliases: dict[str, None] = field(default_factory=dict)
    description: str = ""
    matches: dict[str, None] = field(default_factory=dict)


class Kinds:
    """All kinds by id and by name.

    Args:
        wikidata: Name -> item id, where the tables have one.
    """

    def __init__(self, wikidata: dict[str, str]) -> None:
        self._wikidata = wikidata
        self.by_id: dict[str, Kind] = {}
        self._by_name: dict[str, str] = {}

    def find(self, name: str) -> Kind | None:
        """Return the kind of a name, if there is one already."""
        id_ = self._by_name.get(spelled(name))
        return self.by_id[id_] if id_ is not None else None

    def get(self, name: str) -> Kind:
        """Return the kind of a name, a new one if need be."""
        return self.find(name) or self.add(name)

    def add(self, name: str, own: str = "") -> Kind:
        """Add a kind that no name leads to yet.

        Args:
            name: What it is called.
            own: Last part of its id where Wikidata's is not known; empty takes the name.
        """
        label = spelled(name)
        id_ = self._wikidata.get(label, "")
        if not id_ or id_ in self.by_id:
            id_ = BASE + re.sub(r"[^a-z0-9.]+", "-", (own or label).lower()).strip("-")
        kind = self.by_id.setdefault(id_, Kind(id_, label))
        self._by_name.setdefault(label, id_)
        return kind

    def call(self, kind: Kind, name: str) -> None:
        """Give a kind another name, as it is written and as people spell it."""
        for text in (name, spelled(name)):
            if text and text != kind.label:
                kind.aliases[text] = None
        self._by_name.setdefault(spelled(name), kind.id)
