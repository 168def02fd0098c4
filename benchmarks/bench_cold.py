"""How long ``robodata ask`` takes from the shell: cold process, embedded snapshot, offline.

Wall time of the whole process, interpreter start included. "Cold" is the process, not the
machine: the files are in the page cache after the first run, which is left out.
"""

from __future__ import annotations

import os
import sys
import tempfile
from functools import partial

from benchmarks._common import Result, child, main, percentile, timings

BUDGET_S = 1.2

QUESTIONS = (
    "What is the capital of Canada?",
    "Who are the relatives of Douglas Adams?",
)


def _ask(question: str, folder: str) -> None:
    # From an empty folder and without ROBODATA_* variables, so that no setting leaks in.
    clean = {key: value for key, value in os.environ.items() if not key.startswith("ROBODATA_")}
    start = "import sys; from robodata_core.cli import main; sys.argv[0] = 'robodata'; main()"
    child([sys.executable, "-c", start, "ask", "--json", question], cwd=folder, env=clean)


def results(*, quick: bool) -> list[Result]:
    runs = 3 if quick else 11
    figures = []
    with tempfile.TemporaryDirectory() as folder:
        for question in QUESTIONS:
            seconds = timings(partial(_ask, question, folder), runs=runs)
            for share in (0.5, 0.95):
                figures.append(
                    Result(
                        f"`robodata ask`, cold process, “{question}”, p{share * 100:.0f}",
                        percentile(seconds, share),
                        "s",
                        BUDGET_S if share == 0.5 else None,
                        note=f"{runs} processes",
                    )
                )
    return figures


if __name__ == "__main__":
    raise SystemExit(main(__doc__, results))
