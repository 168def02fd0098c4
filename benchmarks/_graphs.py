"""Synthetic graphs as large as wanted, and questions about them whose answers are known.

    python -m benchmarks._graphs graph.nt.gz --triples 10000000 --seed 1

Shaped like a slice of Wikidata: every entity has a label, a class, a date and some edges. How often
entities, classes and relations are pointed to or used follows Zipf's law, how many edges an entity
has a Pareto distribution; words of labels are skewed, too, and go on growing. What an entity says
depends on the seed and its number alone, so nothing is kept in memory while a graph is written,
and ``questions`` needs no graph to know the answers. Needs nothing but the standard library.
"""

from __future__ import annotations

import argparse
import gzip
import io
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Question", "edges", "labels", "questions", "relation_label", "typed", "write_graph"]

PER_ENTITY = 10
"""Triples of an entity, in the mean."""

CLASSES = 60
RELATIONS = 500
_ENTITY = "http://www.wikidata.org/entity/"
_DIRECT = "http://www.wikidata.org/prop/direct/"
_LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
_DATE = "http://www.w3.org/2001/XMLSchema#dateTime"
_INSTANCE_OF, _BORN = 31, 569
_FEWEST, _TAIL, _MOST = 3, 1.66, 5_000
_SOUNDS = tuple(
    first + rest
    for first in ("k", "t", "r", "m", "l", "b", "g", "d", "st", "w", "h", "m", "j", "n", "s", "ph")
    for rest in ("a", "o", "i", "an", "er", "en")
)
_SYLLABLES = tuple(first + rest for first in "vzfc" for rest in "aeiou")


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


def relation_label(number: int) -> str:
    """Return the name of a relation: a word of its own, with letters no entity's name has."""
    syllables = []
    for _ in range(3):
        number, at = divmod(number, len(_SYLLABLES))
        syllables.append(_SYLLABLES[at])
    return "".join(syllables)


def typed(label: str, source: random.Random) -> str:
    """Return ``label`` with one typing error."""
    at = source.randrange(len(label))
    letter = source.choice("abcdefghijklmnopqrstuvwxyz")
    before, here, after = label[:at], label[at], label[at + 1 :]
    return source.choice((before + after, before + letter + after, before + letter + here + after))


def _zipf(most: int, source: random.Random) -> int:
    """Return a rank from 1 to ``most``; how likely it is falls with its inverse."""
    return int((most + 1) ** source.random())


def edges(number: int, entities: int, seed: int = 1) -> tuple[int, int, list[tuple[int, int]]]:
    """Return what entity ``number`` says.

    Args:
        number: From 1 to ``entities``.
        entities: How many there are.
        seed: Of the graph.

    Returns:
        Its class, its year, and its edges: relation and entity.
    """
    source = random.Random((seed << 40) + number)
    class_, year = _zipf(CLASSES, source), source.randint(1000, 2020)
    count = min(_MOST, int(_FEWEST * (1 - source.random()) ** (-1 / _TAIL)))
    made = []
    for _ in range(count):
        relation = 600 + _zipf(RELATIONS, source)
        # Popular entities are scattered over the numbers, as they are in real graphs.
        made.append((relation, _zipf(entities, source) * 7_919 % entities + 1))
    return class_, year, made


def write_graph(path: Path, triples: int, seed: int = 1) -> int:
    """Write about ``triples`` N-Triples (compressed for ``.gz``); return the number of entities."""
    entities = max(CLASSES, triples // PER_ENTITY)
    with io.TextIOWrapper(_opened(path), encoding="ascii", newline="\n") as file:
        relations = [600 + rank for rank in range(1, RELATIONS + 1)]
        for number in relations:
            file.write(f'<{_ENTITY}P{number}> <{_LABEL}> "{relation_label(number)}"@en .\n')
        for number, label in enumerate(labels(entities, seed), 1):
            class_, year, made = edges(number, entities, seed)
            subject = f"<{_ENTITY}Q{number}>"
            lines = [
                f'{subject} <{_LABEL}> "{label}"@en .\n',
                f"{subject} <{_DIRECT}P{_INSTANCE_OF}> <{_ENTITY}Q{class_}> .\n",
                f'{subject} <{_DIRECT}P{_BORN}> "{year}-01-01T00:00:00Z"^^<{_DATE}> .\n',
            ]
            lines += [f"{subject} <{_DIRECT}P{p}> <{_ENTITY}Q{far}> .\n" for p, far in made]
            file.writelines(lines)
    return entities


def _opened(path: Path) -> gzip.GzipFile | io.BufferedWriter:
    if path.suffix == ".gz":
        return gzip.GzipFile(path, "wb", 1, mtime=0)
    return path.open("wb")


# -- questions ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Question:
    """A question about a graph.

    Attributes:
        text: The question.
        hops: How many relations lead to the answer.
        gold: Ids of all answers.
    """

    text: str
    hops: int
    gold: frozenset[str]


def questions(entities: int, count: int, seed: int = 1) -> list[Question]:
    """Return ``count`` questions of one and as many of two hops, about names that are one's only.

    Args:
        entities: How many entities the graph has.
        count: Questions of each kind, at most.
        seed: Of the graph.
    """
    source = random.Random(seed + 1)
    chosen = set(source.sample(range(1, entities + 1), min(entities, count * 8)))
    names: dict[int, str] = {}
    counts: Counter[str] = Counter()
    for number, label in enumerate(labels(entities, seed), 1):
        if number in chosen:
            names[number] = label
    wanted = set(names.values())
    for label in labels(entities, seed):
        if label in wanted:
            counts[label] += 1
    numbers = [number for number in sorted(names) if counts[names[number]] == 1]
    source.shuffle(numbers)
    asked: dict[int, list[Question]] = {1: [], 2: []}
    for number in numbers:
        hops = 1 if len(asked[1]) <= len(asked[2]) else 2
        if len(asked[hops]) < count:
            asked[hops] += _ask(number, names[number], hops, entities, seed, source)
    return asked[1] + asked[2]


def _ask(
    number: int, name: str, hops: int, entities: int, seed: int, source: random.Random
) -> list[Question]:
    """Ask for what is reached from an entity along relations that are there."""
    ends, path = {number}, []
    for _ in range(hops):
        ways = [edges(end, entities, seed)[2] for end in sorted(ends)]
        relation = source.choice(source.choice(ways))[0]
        path.append(relation_label(relation))
        ends = {far for way in ways for other, far in way if other == relation}
    if number in ends:  # whether a thing may be its own answer is nobody's question
        return []
    words = " of the ".join(reversed(path))
    gold = frozenset(f"Q{end}" for end in ends)
    return [Question(f"What is the {words} of {name}?", hops, gold)]


def _main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("output", type=Path, help="file to write, .nt or .nt.gz")
    parser.add_argument("--triples", type=int, default=1_000_000, help="about how many")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    entities = write_graph(options.output, options.triples, options.seed)
    print(f"{options.output}: {entities:,} entities")
    return 0


if __name__ == "__main__":
    raise SystemExit(_main())
