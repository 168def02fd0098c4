"""How long one offline answer takes in a process that is warm: embedded snapshot, new graph each.

The questions are the paper's and the development questions of the tests. Every question is
asked once before, so that the snapshot's pages are in memory; then each is asked again in every
round. Wall time of ``RoboData.ask``, from the question to the validated answer.
"""

from __future__ import annotations

import csv
import time
from pathlib import Path

from benchmarks._common import Result, main, percentile
from robodata_core import RoboData
from robodata_core.evaluation.paper import paper_questions
from robodata_core.store.graph import LocalGraph

BUDGET_P50_MS = 50.0
BUDGET_P95_MS = 250.0
_DEVELOPMENT = Path("tests/core/policy/offline/questions_dev.tsv")


def _questions() -> list[str]:
    found = [question.question for question in paper_questions()]
    if _DEVELOPMENT.is_file():
        lines = [line for line in _DEVELOPMENT.open(encoding="utf-8") if line[:1] != "#"]
        found += [row["question"] for row in csv.DictReader(lines, delimiter="\t")]
    return found


def results(*, quick: bool) -> list[Result]:
    questions = _questions()
    seconds: list[float] = []
    with RoboData.open() as robodata:
        for number in range(2 if quick else 6):
            for question in questions:
                robodata.store.close()
                robodata.store = LocalGraph.in_memory()
                start = time.perf_counter()
                robodata.ask(question)
                if number:
                    seconds.append(time.perf_counter() - start)
    note = f"{len(questions)} questions, {len(seconds)} answers"
    shares = ((0.5, BUDGET_P50_MS), (0.95, BUDGET_P95_MS))
    return [
        Result(
            f"offline answer, warm, p{share * 100:.0f}",
            percentile(seconds, share) * 1e3,
            "ms",
            budget,
            note=note,
        )
        for share, budget in shares
    ]


if __name__ == "__main__":
    raise SystemExit(main(__doc__, results))
