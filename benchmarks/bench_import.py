"""How long importing the package takes, in a fresh interpreter.

``import robodata_core`` loads almost nothing on purpose; the time until ``RoboData`` itself is
there is what a program pays, so both are measured. The interpreter's own start is not counted.
"""

from __future__ import annotations

import sys

from benchmarks._common import Result, child, main, median

BUDGET_MS = 250.0

_TIMER = """
import time
start = time.perf_counter()
{statement}
print(time.perf_counter() - start)
"""


def _milliseconds(statement: str, runs: int) -> float:
    command = [sys.executable, "-c", _TIMER.format(statement=statement)]
    seconds = [float(child(command)) for _ in range(runs + 1)]
    # The first one may compile byte code and read cold files: it is left out.
    return 1_000 * median(seconds[1:])


def results(*, quick: bool) -> list[Result]:
    runs = 3 if quick else 15
    how = f"p50 of {runs} fresh interpreters"
    bare, full = "import robodata_core", "from robodata_core import RoboData"
    return [
        Result(f"`{bare}`", _milliseconds(bare, runs), "ms", BUDGET_MS, note=how),
        Result(f"`{full}`", _milliseconds(full, runs), "ms", note=how),
    ]


if __name__ == "__main__":
    raise SystemExit(main(__doc__, results))
