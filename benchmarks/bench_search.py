"""How long a search by name takes, stage by stage, and against a plain scan of all labels.

In this process, after one search to open the files. The plain scans read the same labels from a
list in memory: what anybody would write first. ``--labels 100000`` asks for another size.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from rapidfuzz import fuzz, process

from benchmarks._common import Result, main, percentile, timings_of
from benchmarks._graphs import labels, typed
from robodata_core.sources.snapshot import SnapshotSource, open_snapshot
from robodata_core.sources.snapshot.loading import load_files
from robodata_core.text import normalise_name

BUDGET_MS = 20
LABEL = "<http://www.w3.org/2000/01/rdf-schema#label>"
EDGE = "<http://www.wikidata.org/prop/direct/P1>"


def _build(home: Path, count: int) -> Path:
    file = home / "labels.nt"
    source = random.Random(3)
    with file.open("w", encoding="ascii") as out:
        for number, label in enumerate(labels(count), 1):
            subject = f"<http://www.wikidata.org/entity/Q{number}>"
            far = int(count * source.random() ** 3) + 1
            out.write(f'{subject} {LABEL} "{label}"@en .\n')
            out.write(f"{subject} {EDGE} <http://www.wikidata.org/entity/Q{far}> .\n")
    load_files([file], home / "names")
    return home / "names"


def _texts(names: Sequence[str]) -> dict[str, list[str]]:
    source = random.Random(11)
    long = [name for name in names if " " in name]
    return {
        "exact name": list(names),
        "beginning, 1 to 3 letters": [name[: source.randint(1, 3)] for name in names],
        "beginning, half the name": [name[: max(4, len(name) // 2)] for name in names],
        "one word of the name": [source.choice(name.split()) for name in long],
        "words in another order": [" ".join(reversed(name.split())) for name in long],
        "one typing error": [typed(name, source) for name in names],
        "two typing errors": [typed(typed(name, source), source) for name in names],
        "no such name": [name[::-1] + " xq" for name in names],
    }


def _stages(snapshot: SnapshotSource, names: Sequence[str], size: str) -> list[Result]:
    figures, everything = [], []
    for stage, texts in _texts(names).items():
        seconds = timings_of(snapshot.search, texts)
        everything += seconds
        figures.append(
            Result(
                f"search, {size} labels, {stage}, p95",
                percentile(seconds, 0.95) * 1e3,
                "ms",
                BUDGET_MS,
                note=f"{len(texts)} searches, p50 {percentile(seconds, 0.5) * 1e3:.2g} ms",
            )
        )
    overall = percentile(everything, 0.95) * 1e3
    note = f"{len(everything)} searches"
    return [Result(f"search, {size} labels, all kinds, p95", overall, "ms", BUDGET_MS, note=note),
            *figures]  # fmt: skip


def _scans(every: Sequence[str], names: Sequence[str], size: str) -> list[Result]:
    forms = [normalise_name(label) for label in every]
    ways: dict[str, Callable[[str], object]] = {
        "exact": lambda text: [at for at, form in enumerate(forms) if form == text],
        "part of the name": lambda text: [at for at, form in enumerate(forms) if text in form],
        "fuzzy (rapidfuzz over all)": lambda text: process.extract(
            text, forms, scorer=fuzz.ratio, limit=10, score_cutoff=72
        ),
    }
    figures = []
    for way, call in ways.items():
        seconds = timings_of(call, [normalise_name(name) for name in names[:20]])
        figures.append(
            Result(
                f"plain scan, {size} labels, {way}, p50",
                percentile(seconds, 0.5) * 1e3,
                "ms",
                note="20 scans of a list in memory, for comparison",
            )
        )
    return figures


def results(*, quick: bool, count: int = 0) -> list[Result]:
    count = count or (50_000 if quick else 1_000_000)
    size = f"{count:,}"
    every = list(labels(count))
    names = random.Random(5).sample(every, 60 if quick else 300)
    with tempfile.TemporaryDirectory() as home, open_snapshot(_build(Path(home), count)) as opened:
        opened.search("warm up")
        figures = _stages(opened, names, size)
        batch = [" ".join(pair) for pair in zip(names, names[1:], strict=False)] + names
        seconds = timings_of(lambda _: opened.lookup_names(batch), ["x"] * 20)
        figures.append(
            Result(
                f"exact look-up of {len(batch)} names in one go, {size} labels, p50",
                percentile(seconds, 0.5) * 1e3,
                "ms",
                note="20 times",
            )
        )
    return figures + _scans(every, names, size)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--labels", type=int, default=0)
    mine, rest = parser.parse_known_args()
    raise SystemExit(main(__doc__, partial(results, count=mine.labels), rest))
