#!/usr/bin/env python3
"""Writes WordNet's named things (its instances) as a table, for ``snapshot:world``.

    python scripts/make_wordnet_things.py --wordnet /usr/share/wordnet > wordnet_things.tsv

WordNet 3.0's files are in Debian's ``wordnet-base``. A thing is written if ``wordnet_classes.tsv``
says what one of its classes is. Nothing is decided here about what its names and its gloss mean:
``scripts/world/wordnet.py`` and ``scripts/world/glosses.py`` do that when the snapshot is built.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

from wikidata_sample.names import read_table

CLASSES = Path(__file__).resolve().parent / "data" / "wordnet_classes.tsv"
CLASS_HEADER = ("synset", "word", "item", "label", "above", "kind")
INSTANCE_OF, PART_OF, MEMBER_OF, REGION = "@i", "#p", "#m", ";r"
#: A god or a book with others below it is a kind of them, whatever it is said to be.
BELOW = ("~", "~i")
KINDS = frozenset({"being", "work"})
LEXICONS = ("verb", "adj", "adv")


@dataclass(frozen=True, slots=True)
class Synset:
    """A noun's meaning: its words, its pointers to other nouns and its gloss."""

    words: tuple[str, ...]
    pointers: tuple[tuple[str, str], ...]
    gloss: str

    def to(self, pointer: str) -> list[str]:
        """Return the synsets that a kind of pointer leads to."""
        return [synset for kind, synset in self.pointers if kind == pointer]


def read_nouns(folder: Path) -> dict[str, Synset]:
    """Read all nouns."""
    nouns: dict[str, Synset] = {}
    for line in (folder / "data.noun").read_text("utf-8").splitlines():
        if line.startswith(" "):
            continue
        head, _, gloss = line.partition(" | ")
        parts = head.split()
        count = int(parts[3], 16)
        words = tuple(parts[4 + 2 * at].replace("_", " ") for at in range(count))
        rest = parts[5 + 2 * count :]
        pointers = tuple(
            (rest[at], rest[at + 1]) for at in range(0, len(rest) - 3, 4) if rest[at + 2] == "n"
        )
        nouns[parts[0]] = Synset(words, pointers, gloss.partition('; "')[0].strip(" ;"))
    return nouns


def common_words(folder: Path, nouns: dict[str, Synset]) -> set[str]:
    """Return the words that mean something else than a named thing, too."""
    found = {
        word.casefold()
        for synset in nouns.values()
        if not synset.to(INSTANCE_OF)
        for word in synset.words
        if word.islower()
    }
    for name in LEXICONS:
        for line in (folder / f"index.{name}").read_text("utf-8").splitlines():
            if not line.startswith(" "):
                found.add(line.split(" ", 1)[0].replace("_", " "))
    return found


def _forms(name: str) -> set[str]:
    """Return a name as a word, and as one thing of that word if it may be its plural."""
    word = name.casefold()
    return {word, word.removesuffix("s")} - {""}


def main() -> None:
    """Write the table to standard output."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--wordnet", type=Path, required=True, help="folder of WordNet's files")
    options = parser.parse_args()
    nouns = read_nouns(options.wordnet)
    common = common_words(options.wordnet, nouns)
    meant = {row[0]: row[-1] for row in read_table(CLASSES, CLASS_HEADER)}
    things = {}
    for id_, synset in nouns.items():
        kinds = {meant[class_] for class_ in synset.to(INSTANCE_OF) if class_ in meant}
        if kinds and not (kinds & KINDS and any(map(synset.to, BELOW))):
            things[id_] = synset

    print("# WordNet 3.0's named things; made by scripts/make_wordnet_things.py")
    print("# (WordNet 3.0 Copyright 2006 by Princeton University; see NOTICE).")
    print("# common: names that are words of another meaning, too; part, member, region: synsets.")
    print("synset\tclasses\tnames\tcommon\tpart of\tmember of\tregion\tgloss")
    for id_, synset in sorted(things.items()):
        names = dict.fromkeys(synset.words)
        cells = (
            [class_ for class_ in synset.to(INSTANCE_OF) if class_ in meant],
            [name for name in names if not common.intersection(_forms(name))],
            [name for name in names if common.intersection(_forms(name))],
            *(
                [other for other in dict.fromkeys(synset.to(pointer)) if other in things]
                for pointer in (PART_OF, MEMBER_OF, REGION)
            ),
        )
        print("\t".join((id_, *("|".join(cell) for cell in cells), synset.gloss)))


if __name__ == "__main__":
    main()
