"""Names, descriptions and classes of everything the data sets speak of, and look-up by name."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from wikidata_sample.facts import read_rows
from wikidata_sample.names import read_table

from world.factbook import fold

__all__ = ["Thing", "Things", "read_things"]

FREEBASE = "http://rdf.freebase.com/ns/"

# The kinds the World Factbook names, and how descriptions and classes of such things read.
KIND_WORDS: Mapping[str, tuple[str, ...]] = {
    "country": (
        "country", "sovereign state", "island nation", "territory", "dependency", "republic",
        "archipelago", "kingdom", "special administrative region", "overseas", "state in",
        "constituent country", "islands", "island",
    ),
    "city": ("city", "capital", "town", "municipality", "urban area", "human settlement"),
    "language": ("language", "dialect", "macrolanguage"),
    "religion": (
        "religion", "religious", "christian", "church", "islam", "buddhis", "denomination",
        "belief", "faith", "branch of", "judaism",
    ),
    "people": ("ethnic group", "people", "ethnicity", "nation ", "diaspora"),
    "currency": ("currency", "monetary unit", "legal tender"),
    "mountain": ("mountain", "volcano", "peak", "summit", "highest", "hill"),
    "place": ("sea", "ocean", "lake", "river", "depression", "valley", "bay", "gulf"),
    "person": ("politician", "president", "prime minister", "king", "queen", "monarch", "emperor",
               "leader", "statesman", "head of state", "pope", "ruler", "sultan", "emir", "prince"),
    "government": ("government", "republic", "monarchy", "political", "state", "democracy"),
}  # fmt: skip


@dataclass(slots=True)
class Thing:
    """What is known of one thing besides its facts.

    Attributes:
        description: A line from the data, or empty.
        classes: Ids of what it is an instance of, as the data say.
    """

    description: str = ""
    classes: dict[str, None] = field(default_factory=dict)
    _votes: dict[str, int] = field(default_factory=dict)
    _chosen: str = ""

    def name(self, text: str, *, votes: int = 1, prefer: bool = False) -> None:
        """Take a name.

        Args:
            text: The name; empty for none.
            votes: What it counts when the label is chosen; 0 for names that are only aliases.
            prefer: Take it for the label whatever the others are.
        """
        text = " ".join(text.split()).strip('"')
        if text:
            self._votes[text] = self._votes.get(text, 0) + votes
            self._chosen = text if prefer else self._chosen

    @property
    def label(self) -> str:
        """The name most data sets give; of several the first. Misspelt labels are outvoted so."""
        return self._chosen or max(self._votes, key=self._votes.__getitem__, default="")

    @property
    def aliases(self) -> tuple[str, ...]:
        """The other names."""
        return tuple(name for name in self._votes if name != self.label)


@dataclass(slots=True)
class Things:
    """All things by id, and the ids of Freebase's topics."""

    by_id: dict[str, Thing]
    topic: dict[str, str]

    def __getitem__(self, id_: str) -> Thing:
        thing = self.by_id.get(id_)
        if thing is None:
            thing = self.by_id[id_] = Thing()
        return thing

    def known(self, uses: Counter[str]) -> dict[str, dict[str, str]]:
        """Return kind -> folded name -> id; of several, labels and much used things come first."""
        found: dict[str, dict[str, tuple[tuple[int, int], str]]] = defaultdict(dict)
        for id_, thing in self.by_id.items():
            classes = " | ".join(self.by_id[c].label for c in thing.classes if c in self.by_id)
            text = f"{thing.description} | {classes}".casefold()
            for kind, words in KIND_WORDS.items():
                if not any(word in text for word in words):
                    continue
                for place, name in enumerate((thing.label, *thing.aliases)):
                    key = fold(name)
                    rank = (-min(place, 1), uses[id_])
                    if key and rank > found[kind].get(key, ((-9, 0), ""))[0]:
                        found[kind][key] = (rank, id_)
        return {kind: {k: id_ for k, (_, id_) in names.items()} for kind, names in found.items()}


def read_things(data: Path, tables: Path) -> Things:
    """Read names, descriptions and classes from all data sets.

    Args:
        data: Folder with the data sets.
        tables: Folder with the tables written for this project.
    """
    things = Things({}, {})
    # Wikidata's labels first; Freebase's own names become aliases where they differ.
    for mid, name, id_, label, description in read_rows(
        data / "fb15k237/entities.tsv.gz",
        ("mid", "name", "wikidata_id", "wikidata_label", "wikidata_description"),
    ):
        topic = id_ or FREEBASE + mid.strip("/").replace("/", ".")
        things.topic[mid] = topic
        thing = things[topic]
        thing.name(label)
        thing.name(name)
        thing.description = thing.description or _plain_description(description)
    for id_, label, description, classes in read_rows(
        data / "world/entities.tsv.gz", ("qid", "label", "description", "types")
    ):
        _named(things[id_], label, description, classes.split())
    for id_, label, description in read_rows(
        data / "codex/types.tsv.gz", ("qid", "label", "description")
    ):
        _named(things[id_], label, description, ())
    for id_, label, classes, _ in read_rows(
        data / "codex/codex_s_entities.tsv.gz", ("qid", "label", "type_qids", "type_labels")
    ):
        _named(things[id_], label, "", classes.split())
    for id_, label, aliases in read_table(tables / "item_names.tsv", ("item", "label", "aliases")):
        if label:
            things[id_].name(label, prefer=True)
        for alias in aliases.split("|"):
            things[id_].name(alias, votes=0)
    return things


def _named(thing: Thing, label: str, description: str, classes: Iterable[str]) -> None:
    thing.name(label)
    thing.description = thing.description or _plain_description(description)
    thing.classes.update(dict.fromkeys(classes))


def _plain_description(text: str) -> str:
    """Return a description as it may be shown; what is marked as no description is left out."""
    text = " ".join(text.split())
    return "" if "disambiguation page" in text else text[:200]
