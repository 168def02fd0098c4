#!/usr/bin/env python3
"""Writes which kinds are below which, from WordNet, for the classes of ``snapshot:world``.

    python scripts/make_kinds.py --wordnet /usr/share/wordnet > scripts/data/kinds.tsv

WordNet 3.0's files are in Debian's ``wordnet-base``. The data sets say of hardly any occupation
what it is a kind of ("physicist": scientist), so that "Is Isaac Newton a scientist?" would be
denied. A label is looked up among the nouns below what values of its relation are (an occupation
is a person's); of several senses the commonest counts. A compound that WordNet lacks is a kind of
its last word ("film actor": actor). Only the nearest classes above that the snapshot knows are
written.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

from robodata_core.api import RoboData
from robodata_core.model import Direction, EntityValue

#: Relations to kinds, each with the synset that all its values are below.
ROOTS = {"P106": "00007846", "P1303": "03800933"}
#: A class above is meant in one of its commonest senses.
SENSES = 2
#: What WordNet says of another sense of a word than the occupation's, or in another sense of "is".
REFUSED = {
    ("animator", "actor"), ("naturalist", "philosopher"),
    ("film director", "film producer"), ("film director", "producer"),
    ("art director", "theatre director"), ("bandleader", "director"), ("farmer", "creator"),
    ("translator", "linguist"), ("missionary", "teacher"), ("costume designer", "fashion designer"),
    ("tambourine", "drum"), ("ukulele", "guitar"), ("sports commentator", "announcer"),
    ("puppeteer", "performing artist"), ("inventor", "creator"), ("illustrator", "creator"),
    ("piano", "percussion instrument"), ("linguist", "scientist"), ("philanthropist", "presenter"),
    ("cartoonist", "drawer"),
}  # fmt: skip


class Nouns:
    """WordNet's nouns.

    Args:
        folder: Has ``index.noun`` and ``data.noun``.
    """

    def __init__(self, folder: Path) -> None:
        self.senses: dict[str, list[str]] = {}
        self.above: dict[str, list[str]] = {}
        self.lemmas: dict[str, list[str]] = {}
        for line in (folder / "index.noun").read_text("utf-8").splitlines():
            if not line.startswith(" "):
                parts = line.split()
                self.senses[parts[0].replace("_", " ")] = parts[-int(parts[2]) :]
        for line in (folder / "data.noun").read_text("utf-8").splitlines():
            if not line.startswith(" "):
                self._synset(line.partition(" | ")[0].split())

    def _synset(self, parts: list[str]) -> None:
        count = int(parts[3], 16)
        self.lemmas[parts[0]] = [
            parts[4 + 2 * i].replace("_", " ").casefold() for i in range(count)
        ]
        pointers = parts[5 + 2 * count :]
        self.above[parts[0]] = [
            pointers[i + 1] for i in range(0, len(pointers) - 3, 4) if pointers[i] == "@"
        ]

    def levels(self, synset: str) -> Iterator[list[str]]:
        """Yield the synsets above one, nearest first."""
        level, seen = [synset], {synset}
        while level:
            level = [up for one in level for up in self.above.get(one, ()) if up not in seen]
            seen.update(level)
            if level:
                yield level

    def senses_below(self, name: str, root: str) -> list[str]:
        """Return the senses of a name below a root, commonest first."""
        return [
            synset
            for synset in self.senses.get(name, ())
            if any(root in level for level in self.levels(synset))
        ]


def classes_of(robodata: RoboData, relation: str) -> dict[str, tuple[str, int]]:
    """Return the values of a relation by label, each with its id and how often it is one."""
    result = robodata.source.sparql(
        f"SELECT ?c (COUNT(?x) AS ?n) WHERE {{ ?x wdt:{relation} ?c }} GROUP BY ?c"
    )
    used = {row[0].id: int(row[1].amount) for row in result.rows if isinstance(row[0], EntityValue)}
    named: dict[str, tuple[str, int]] = {}
    for id_, entity in robodata.source.entities(tuple(used)).items():
        label = entity.label.casefold()
        if label and used[id_] > named.get(label, ("", 0))[1]:
            named[label] = (id_, used[id_])
    return named


def roots_of(robodata: RoboData, nouns: Nouns) -> dict[str, tuple[str, int]]:
    """Return what is above all values of a relation, where a class has its name."""
    found = {}
    for root in ROOTS.values():
        for name in nouns.lemmas[root]:
            hits = robodata.source.search(name, limit=5)
            for hit in hits:
                used = robodata.source.statements(
                    hit.id, direction=Direction.IN, property="P279", limit=50
                )
                if hit.label.casefold() == name and used.statements and name != "person":
                    found.setdefault(name, (hit.id, len(used.statements)))
    return found


def rows(robodata: RoboData, nouns: Nouns) -> Iterator[tuple[str, str, str, str, str]]:
    """Yield class, its label, the class above, its label and the synset it was read as."""
    above_all = roots_of(robodata, nouns)
    for relation, root in ROOTS.items():
        named = classes_of(robodata, relation)
        known = above_all | named
        for label, (id_, _) in sorted(named.items()):
            synset = next(iter(nouns.senses_below(label, root)), "")
            head = re.split(r"[ -]", label)[-1]
            if not synset:
                if head != label and head in named and nouns.senses_below(head, root):
                    yield id_, label, named[head][0], head, "head"
                continue
            for level in nouns.levels(synset):
                up = [
                    name
                    for one in level
                    for name in nouns.lemmas[one]
                    if known.get(name, (id_, 0))[0] != id_
                    and (name in above_all or one in nouns.senses_below(name, root)[:SENSES])
                    and (label, name) not in REFUSED
                ]
                if up:
                    for name in up:
                        yield id_, label, known[name][0], name, synset
                    break


def main() -> None:
    """Write the table to standard output."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--wordnet", type=Path, required=True, help="folder of WordNet's files")
    options = parser.parse_args()
    print("# Which kinds are below which; made by scripts/make_kinds.py from WordNet 3.0")
    print("# (Copyright 2006 by Princeton University; see NOTICE). Ids are Wikidata's.")
    print("item\tlabel\tabove\tlabel above\tsynset")
    with RoboData.open(source="snapshot:world") as robodata:
        for row in dict.fromkeys(rows(robodata, Nouns(options.wordnet))):
            print("\t".join(row))


if __name__ == "__main__":
    main()
