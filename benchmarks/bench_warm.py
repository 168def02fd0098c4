"""How long an offline answer takes in a process that is warm, in processor time.

Two sets of questions, each asked once before so that what is read once is in memory: first-contact
questions over ``world``, as somebody asks who goes on asking, so the local graph is kept; and the
paper's and the development questions of the tests over the embedded sample, each with a new local
graph. Processor time of ``RoboData.ask``, all threads, without the process that runs SPARQL.
"""

from __future__ import annotations

import csv
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks._common import Result, main, percentile
from robodata_core import RoboData
from robodata_core.evaluation.paper import paper_questions
from robodata_core.store.graph import LocalGraph

_TESTS = Path("tests/core")
_FIRST_CONTACT = _TESTS / "evaluation/data/first_contact.tsv"
_DEVELOPMENT = _TESTS / "policy/offline/questions_dev.tsv"
#: Milliseconds at the median and the 95th percentile.
_BUDGETS = {"world": (30.0, 150.0), "wikidata-sample": (50.0, 250.0)}


def _read(path: Path) -> list[str]:
    if not path.is_file():
        return []
    lines = [line for line in path.open(encoding="utf-8") if line[:1] != "#" and line.strip()]
    return [
        row["question"]
        for row in csv.DictReader(lines, delimiter="\t")
        if row["kind"] != "household"
    ]


def _seconds(source: str, questions: list[str], rounds: int, *, keep: bool) -> list[float]:
    seconds: list[float] = []
    with RoboData.open(source=f"snapshot:{source}") as robodata:
        for number in range(rounds + 1):
            for question in questions:
                if not keep:
                    robodata.store.close()
                    robodata.store = LocalGraph.in_memory()
                start = time.process_time()
                robodata.ask(question)
                if number:
                    seconds.append(time.process_time() - start)
    return seconds


def _figures(source: str, questions: list[str], rounds: int, *, keep: bool) -> Iterator[Result]:
    seconds = _seconds(source, questions, rounds, keep=keep)
    note = f"{len(questions)} questions, {len(seconds)} answers"
    for share, budget in zip((0.5, 0.95), _BUDGETS[source], strict=True):
        name = f"{source}: offline answer, warm, processor time, p{share * 100:.0f}"
        yield Result(name, percentile(seconds, share) * 1e3, "ms", budget, note=note)


def results(*, quick: bool) -> list[Result]:
    rounds = 1 if quick else 5
    paper = [question.question for question in paper_questions()]
    first = _read(_FIRST_CONTACT) or paper
    sample = paper + _read(_DEVELOPMENT)
    return [
        *_figures("world", first, rounds, keep=True),
        *_figures("wikidata-sample", sample, rounds, keep=False),
    ]


if __name__ == "__main__":
    raise SystemExit(main(__doc__, results))
