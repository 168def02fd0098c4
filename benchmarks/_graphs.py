"""Synthetic graphs for the benchmarks: as large as wanted, the same for the same size.

Shaped like a slice of Wikidata: every entity has a label, a class, a date and some edges; a few
entities are pointed to very often; words of labels follow a skewed distribution and go on growing.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

__all__ = ["labels", "typed", "write_graph"]

PER_ENTITY = 10
_WD = "http://www.wikidata.org/entity/"
_WDT = "http://www.wikidata.org/prop/direct/"
_LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
_DATE = "http://www.w3.org/2001/XMLSchema#dateTime"
_SOUNDS = tuple(
    first + rest
    for first in ("k", "t", "r", "m", "l", "b", "g", "d", "st", "w", "h", "m", "j", "n", "s", "ph")
    for rest in ("a", "o", "i", "an", "er", "en")
)


def _word(number: int) -> str:
    """Return the word of a number: short ones are frequent."""
    sounds = []
    number += 1
    while number:
        number, at = divmod(number, len(_SOUNDS))
        sounds.append(_SOUNDS[at])
    return "".join(sounds)


def labels(count: int, seed: int = 1) -> Iterator[str]:
    """Yield ``count`` names of one to four words."""
    source = random.Random(seed)
    for number in range(count):
        known = 2_000 + number // 4
        words = [
            _word(int(known * source.random() ** 3))
            for _ in range(source.choice((1, 2, 2, 2, 3, 4)))
        ]
        yield " ".join(word.capitalize() for word in words)


def typed(label: str, source: random.Random) -> str:
    """Return ``label`` with one typing error."""
    at = source.randrange(len(label))
    letter = source.choice("abcdefghijklmnopqrstuvwxyz")
    before, here, after = label[:at], label[at], label[at + 1 :]
    return source.choice((before + after, before + letter + after, before + letter + here + after))


def write_graph(path: Path, triples: int, seed: int = 1) -> int:
    """Write N-Triples; return the number of entities."""
    source = random.Random(seed)
    entities = max(1, triples // PER_ENTITY)
    with path.open("w", encoding="ascii") as file:
        for number, label in enumerate(labels(entities, seed), 1):
            subject = f"<{_WD}Q{number}>"
            lines = [
                f'{subject} <{_LABEL}> "{label}"@en .\n',
                f"{subject} <{_WDT}P31> <{_WD}Q{source.randint(1, 60)}> .\n",
                f'{subject} <{_WDT}P569> "{source.randint(1000, 2020)}-01-01T00:00:00Z"'
                f"^^<{_DATE}> .\n",
            ]
            for _ in range(PER_ENTITY - len(lines)):
                far = int(entities * source.random() ** 2) + 1
                lines.append(f"{subject} <{_WDT}P{source.randint(1, 500)}> <{_WD}Q{far}> .\n")
            file.writelines(lines)
    return entities
