#!/usr/bin/env python3
"""Writes what WordNet says of the household's kinds: parts, materials, uses and definitions.

    python scripts/make_household_wordnet.py --wordnet FOLDER --data FOLDER > household_wordnet.tsv

Meronyms are WordNet's own; uses are read from its glosses (``household/glosses.py``). A part that
is no kind yet gets a row with the kind above it. WordNet 3.0's files are in Debian's
``wordnet-base``.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from household.bddl import read_taxonomy
from household.glosses import Glosses, definition
from make_household_kinds import called_of, synset_of
from make_kinds import Nouns
from wikidata_sample.names import read_table

TABLES = Path(__file__).resolve().parent / "data"
HEADER = ("synset", "above", "names", "parts", "materials", "uses", "definition")
PART, SUBSTANCE = "%p", "%s"
#: What is further above says nothing of a part.
NEAR = 2
#: What it does is what a thing below these is for.
TOOLS = ("instrumentality.n.03", "protective_covering.n.01")
#: What has parts and materials that are worth telling is below these, and so are its parts.
WHOLES = ("artifact.n.01", "food.n.01", "food.n.02")
PARTS = (*WHOLES, "part.n.02", "opening.n.01", "opening.n.10", "plant_part.n.01")
#: Nobody at home asks for the parts of these, or for what is below them.
NOT_WHOLES = (
    "body_armor.n.01", "weapon.n.01", "scientific_instrument.n.01", "vessel.n.02", "horse.n.02",
)  # fmt: skip
#: These are too general, or speak of another sense than the one that the household joins them with.
REFUSED = frozenset({
    "system.n.01", "implement.n.01", "material.n.04", "structure.n.01", "instrumentality.n.03",
    "bird.n.02", "sawhorse.n.01", "lamb.n.05", "hook.n.04", "fur.n.03", "steel.n.03", "foam.n.01",
    "neck.n.03", "trunk.n.02", "cockpit.n.03", "saddle.n.01", "turntable.n.02", "carriage.n.04",
    "rib.n.03", "deck.n.01", "drum.n.04", "stuffing.n.01", "screen.n.01", "goal.n.03",
    "transmitter.n.03", "wire.n.02", "acid.n.02", "weaponry.n.01", "circuit.n.01",
    "food.n.01",
})  # fmt: skip
#: Chemistry, and what is made of the thing instead.
NO_MATERIALS = frozenset({
    "protein", "palmitic acid", "hexadecanoic acid", "oleic acid", "trans fatty acid",
    "isothiocyanate", "physostigmine", "lignin", "lignum", "cellulose", "flavin", "ergosterol",
    "vanillin", "menthol", "methyl salicylate", "triglyceride", "amino acid", "polypeptide",
    "tetrodotoxin", "wine", "sesame oil", "kirsch", "muscat", "hydromel", "tissue", "sapwood",
    "heartwood", "caffeine", "nicotine", "soybean oil", "citric acid", "shirting", "belting",
    "screening", "warp", "woof", "center", "para aminobenzoic acid", "nutmeg", "semiconductor",
    "quinine",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class WordNet:
    """WordNet's nouns with their glosses and meronyms, and which are the household's.

    Attributes:
        nouns: The nouns.
        glosses: Synset -> gloss.
        pointers: Synset and kind of pointer -> synsets.
        called: Synset of a kind -> its name ("plate.n.04").
    """

    nouns: Nouns
    glosses: dict[str, str]
    pointers: dict[tuple[str, str], list[str]]
    called: dict[str, str]

    def is_below(self, synset: str, names: tuple[str, ...]) -> bool:
        """Tell whether a synset is one of some, or below one."""
        tops = {synset_of(name, self.nouns) for name in names}
        return synset in tops or any(tops & set(level) for level in self.nouns.levels(synset))

    def name(self, synset: str) -> str:
        """Return what a synset is called: its first name and which sense of it that is."""
        return self.called.get(synset) or called_of(synset, self.nouns)


def read_wordnet(folder: Path, data: Path) -> WordNet:
    """Read WordNet's files, and which synsets the household has."""
    nouns = Nouns(folder)
    glosses: dict[str, str] = {}
    pointers: dict[tuple[str, str], list[str]] = defaultdict(list)
    for line in (folder / "data.noun").read_text("utf-8").splitlines():
        if line.startswith(" "):
            continue
        head, _, gloss = line.partition(" | ")
        parts = head.split()
        glosses[parts[0]] = gloss.strip()
        rest = parts[5 + 2 * int(parts[3], 16) :]
        for at in range(0, len(rest) - 3, 4):
            pointers[parts[0], rest[at]].append(rest[at + 1])
    names = list(read_taxonomy(data / "household/taxonomy.jsonl.gz"))
    rows = read_table(TABLES / "household_kinds.tsv", ("synset", "above", "names"))
    names += [row[0] for row in rows if row[1]]
    called = {number: name for name in names if (number := synset_of(name, nouns))}
    return WordNet(nouns, glosses, pointers, called)


def rows(wordnet: WordNet, grammar: Glosses) -> Iterator[tuple[str, ...]]:
    """Yield the table's rows: of kinds, and of parts that are none yet."""
    new: dict[str, None] = {}
    for synset, name in sorted(wordnet.called.items(), key=lambda item: item[1]):
        if name in REFUSED:
            continue
        gloss = wordnet.glosses[synset]
        parts = materials = list[str]()
        if wordnet.is_below(synset, WHOLES) and not wordnet.is_below(synset, NOT_WHOLES):
            parts = _parts(synset, wordnet)
            materials = [
                one
                for one in wordnet.pointers[synset, SUBSTANCE]
                if wordnet.nouns.lemmas[one][0] not in NO_MATERIALS
                and not set(wordnet.nouns.lemmas[one]) & set(wordnet.nouns.lemmas[synset])
            ]
        new |= dict.fromkeys(one for one in (*parts, *materials) if one not in wordnet.called)
        is_thing = wordnet.is_below(synset, ("physical_entity.n.01",))
        is_alive = wordnet.is_below(synset, ("organism.n.01",))
        is_tool = wordnet.is_below(synset, TOOLS)
        uses = grammar.uses(gloss, is_tool) if is_thing and not is_alive else []
        yield (
            name, "", "", _named(parts, wordnet), _named(materials, wordnet), "|".join(uses),
            definition(gloss),
        )  # fmt: skip
    for synset in sorted(new, key=wordnet.name):
        near = [up for level in islice(wordnet.nouns.levels(synset), NEAR) for up in level]
        above = next((wordnet.called[up] for up in near if up in wordnet.called), "")
        names = _names(synset, wordnet.nouns)
        yield (
            wordnet.name(synset),
            above,
            "|".join(names),
            "",
            "",
            "",
            definition(wordnet.glosses[synset]),
        )


def _parts(synset: str, wordnet: WordNet) -> list[str]:
    """Return the parts that are things, one of each name: nails have a head and a nailhead."""
    found: dict[str, str] = {}
    for one in wordnet.pointers[synset, PART]:
        name = wordnet.nouns.lemmas[one][0]
        if wordnet.is_below(one, PARTS) and name != wordnet.nouns.lemmas[synset][0]:
            found.setdefault(name, one)
    return [
        one
        for name, one in found.items()
        if not any(name != other and name.endswith(other) for other in found)
    ]


def _named(synsets: list[str], wordnet: WordNet) -> str:
    return "|".join(wordnet.name(one) for one in synsets)


def _names(synset: str, nouns: Nouns) -> list[str]:
    """Return the names of a part: one, and more if they mean nothing else."""
    first, *others = nouns.lemmas[synset]
    return [first, *(name for name in others if " " in name and nouns.senses[name] == [synset])]


def main() -> None:
    """Write the table to standard output."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--wordnet", type=Path, required=True, help="folder of WordNet's files")
    parser.add_argument("--data", type=Path, required=True, help="folder with the data sets")
    options = parser.parse_args()
    print("# What WordNet says of the household's kinds, by synset; made by")
    print("# scripts/make_household_wordnet.py from WordNet 3.0 (Copyright 2006 by Princeton")
    print("# University; see NOTICE). Names: of a part or material that is no kind yet.")
    print("\t".join(HEADER))
    wordnet = read_wordnet(options.wordnet, options.data)
    for row in rows(wordnet, Glosses(options.wordnet)):
        print("\t".join(row))


if __name__ == "__main__":
    main()
