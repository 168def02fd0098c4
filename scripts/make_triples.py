#!/usr/bin/env python3
"""Makes labelled triples for `robodata bench` and `robodata verify --learn`, in two halves.

    python scripts/make_triples.py valid.tsv --known train.tsv --constraints types.tsv \
        --limit 2000 --seed 1 --output tune.tsv held.tsv
    python scripts/make_triples.py valid.tsv --negatives valid_negatives.tsv \
        --output tune.tsv held.tsv

Every file has head, relation and tail in its first three columns (gzip works) and no header,
except the constraints: a header, then relation, head candidates, tail candidates, ids parted by
spaces. With constraints every positive gets one negative: its head or its tail, drawn with the
seed, is replaced by another candidate of the relation such that the triple is neither known nor
positive. Constraints made over a test part, too, name ends that the relation has there alone: with
one of them a triple may well be true (always, where the other end has a single candidate), so only
ends that it has in what is known are drawn. A triple and the negative made of it go to the same
half, chosen by a hash of it.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import random
from collections.abc import Iterator
from pathlib import Path

Row = tuple[str, str, str]
TRIES = 100


def lines(path: Path) -> Iterator[list[str]]:
    """Yield the cells of each line."""
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as file:
        for line in file:
            yield line.rstrip("\n").split("\t")


def triples(path: Path) -> list[Row]:
    """Read a file of triples."""
    return [(row[0], row[1], row[2]) for row in lines(path)]


def corrupted(row: Row, candidates: dict[str, tuple[list[str], list[str]]], known: set[Row],
              chance: random.Random) -> Row | None:  # fmt: skip
    """Return a triple that is not known, with one end replaced; None if none was found."""
    head, relation, tail = row
    heads, tails = candidates.get(relation, ([], []))
    for _ in range(TRIES):
        if chance.random() < 0.5:
            made = (chance.choice(heads), relation, tail) if heads else row
        else:
            made = (head, relation, chance.choice(tails)) if tails else row
        if made not in known:
            return made
    return None


def in_first_half(row: Row) -> bool:
    """Tell which half a triple goes to."""
    return hashlib.sha256("\t".join(row).encode()).digest()[0] % 2 == 0


def labelled(arguments: argparse.Namespace) -> Iterator[tuple[Row, Row, int]]:
    """Yield the triple that chooses the half, a triple and its label."""
    chance = random.Random(arguments.seed)
    positives = triples(arguments.positives)
    if arguments.limit and arguments.limit < len(positives):
        positives = chance.sample(positives, arguments.limit)
    if arguments.negatives:
        for row in positives:
            yield row, row, 1
        for row in triples(arguments.negatives):
            yield row, row, 0
        return
    known = set(triples(arguments.positives))
    for path in arguments.known:
        known.update(triples(path))
    heads = {(head, relation) for head, relation, _ in known}
    tails = {(tail, relation) for _, relation, tail in known}
    candidates = {
        row[0]: (
            [one for one in row[1].split(" ") if (one, row[0]) in heads],
            [one for one in row[2].split(" ") if (one, row[0]) in tails],
        )
        for number, row in enumerate(lines(arguments.constraints))
        if number
    }
    for row in positives:
        negative = corrupted(row, candidates, known, chance)
        if negative is not None:
            yield row, row, 1
            yield row, negative, 0


def main() -> None:
    """Write both halves."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("positives", type=Path)
    parser.add_argument("--negatives", type=Path)
    parser.add_argument("--constraints", type=Path)
    parser.add_argument("--known", type=Path, action="append", default=[])
    parser.add_argument("--limit", type=int, help="Most positives, drawn with the seed.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path, nargs=2, required=True)
    arguments = parser.parse_args()
    if bool(arguments.negatives) == bool(arguments.constraints):
        parser.error("give either --negatives or --constraints")
    halves: tuple[list[str], list[str]] = ([], [])
    for number, (pair, row, label) in enumerate(labelled(arguments), 1):
        halves[0 if in_first_half(pair) else 1].append("\t".join((str(number), *row, str(label))))
    for path, half in zip(arguments.output, halves, strict=True):
        header = "id\thead\trelation\ttail\tlabel"
        path.write_text("\n".join([header, *half]) + "\n")
        print(f"{path}: {len(half)} triples")


if __name__ == "__main__":
    main()
