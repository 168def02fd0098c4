#!/usr/bin/env python3
"""Writes WordNet's names of the household's kinds, and the kinds below them.

    python scripts/make_household_kinds.py --wordnet FOLDER --data FOLDER > household_kinds.tsv

BDDL's taxonomy is a part of WordNet's, with one name a synset. Detectors name what BDDL has not
("wok", "measuring cup"), or has by another name ("crisp": potato chip). WordNet 3.0's files are in
Debian's ``wordnet-base``.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from household.bddl import read_taxonomy
from household.kinds import spelled
from make_kinds import Nouns

#: Below these is what homes have; each is one of BDDL's synsets.
HOMELY = (
    "food.n.01", "food.n.02", "container.n.01", "furnishing.n.02", "utensil.n.01", "ware.n.01",
    "consumer_goods.n.01", "clothing.n.01", "garment.n.01", "hand_tool.n.01", "lamp.n.01",
    "lamp.n.02", "cleaning_implement.n.01", "cutlery.n.02", "toiletry.n.01", "fixture.n.01",
    "plaything.n.01", "padding.n.01", "piece_of_cloth.n.01", "support.n.10", "lock.n.01",
    "measuring_instrument.n.01", "opener.n.03", "timepiece.n.01", "optical_device.n.01",
    "optical_instrument.n.01", "protective_covering.n.01", "game_equipment.n.01",
    "sports_equipment.n.01", "electronic_equipment.n.01", "edge_tool.n.01",
    "writing_implement.n.01", "jewelry.n.01", "peripheral.n.01", "machine.n.01",
    "bedclothes.n.01", "cord.n.01", "instrument.n.01", "electrical_device.n.01",
)  # fmt: skip
#: What these are, few homes have.
ELSEWHERE = (
    "wheeled_vehicle.n.01", "vehicle.n.01", "vessel.n.02", "craft.n.02", "weapon.n.01",
    "weaponry.n.01", "drug.n.01", "medicine.n.02", "structure.n.01", "shield.n.01",
    "power_shovel.n.01", "feed.n.01", "platform.n.01", "computer.n.01", "device.n.01",
    "medical_instrument.n.01", "musical_instrument.n.01", "fabric.n.01",
)  # fmt: skip
#: A word with a commoner sense elsewhere is no name but of what it says among the first.
SENSES = 3


def synset_of(name: str, nouns: Nouns) -> str:
    """Return WordNet's number of a synset that is called "plate.n.04", or an empty string."""
    word, _, sense = name.rsplit(".", 2)
    senses = nouns.senses.get(word.replace("_", " ").casefold(), [])
    return senses[int(sense) - 1] if int(sense) <= len(senses) else ""


def below(top: str, under: dict[str, list[str]], left_out: set[str]) -> set[str]:
    """Return a synset and all below it but what is left out."""
    found: set[str] = set()
    todo = [top]
    while todo:
        one = todo.pop()
        if one not in found and one not in left_out:
            found.add(one)
            todo += under[one]
    return found


def rows(data: Path, nouns: Nouns) -> Iterator[tuple[str, str, str]]:
    """Yield a synset, the one above it (empty: BDDL has it) and its names, without BDDL's own."""
    under: dict[str, list[str]] = defaultdict(list)
    for one, ups in nouns.above.items():
        for up in ups:
            under[up].append(one)
    taxonomy = read_taxonomy(data / "household/taxonomy.jsonl.gz")
    known = {number: name for name in taxonomy if (number := synset_of(name, nouns))}
    left_out = {synset_of(name, nouns) for name in ELSEWHERE}
    kept = set(known)
    for name in HOMELY:
        kept |= below(synset_of(name, nouns), under, left_out)
    named: dict[str, list[str]] = {}
    for number in kept:
        most = 1 if number in known else SENSES
        names = [name for name in nouns.lemmas[number] if _is_name(name, number, nouns, kept, most)]
        if names or number in known:
            named[number] = names
    called = {number: known.get(number) or called_of(number, nouns) for number in named}
    for number, name in sorted(called.items(), key=lambda item: item[1]):
        if number not in known:
            above = next(up for level in nouns.levels(number) for up in level if up in named)
            yield name, called[above], "|".join(named[number])
        elif others := [one for one in named[number] if one != spelled(name)]:
            yield name, "", "|".join(others)


def _is_name(name: str, number: str, nouns: Nouns, kept: set[str], most: int) -> bool:
    """Tell whether a name says a synset: in the commonest sense that is kept, and a common one."""
    senses = nouns.senses[name]
    if next(one for one in senses if one in kept) != number:
        return False
    return " " in name or senses.index(number) < most


def called_of(number: str, nouns: Nouns) -> str:
    """Return what a synset is called: its first name and which sense of it that is."""
    name = nouns.lemmas[number][0]
    return f"{name.replace(' ', '_')}.n.{nouns.senses[name].index(number) + 1:02}"


def main() -> None:
    """Write the table to standard output."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--wordnet", type=Path, required=True, help="folder of WordNet's files")
    parser.add_argument("--data", type=Path, required=True, help="folder with the data sets")
    options = parser.parse_args()
    print("# Names of the household's kinds and kinds below them, by synset; made by")
    print("# scripts/make_household_kinds.py from WordNet 3.0 (Copyright 2006 by Princeton")
    print("# University; see NOTICE). Nothing above: a synset of BDDL.")
    print("synset\tabove\tnames")
    for row in rows(options.data, Nouns(options.wordnet)):
        print("\t".join(row))


if __name__ == "__main__":
    main()
