"""What every benchmark shares: timing, the machine's description, and the result table.

A benchmark is a module ``bench_NAME.py`` with a docstring, a function
``results(*, quick: bool) -> list[Result]`` and, at its end::

    if __name__ == "__main__":
        raise SystemExit(main(__doc__, results))

``quick`` asks for smaller sizes and fewer runs, for a first look; recorded figures are never
taken from quick runs. Nothing in here knows what is measured.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

__all__ = [
    "Measure",
    "Result",
    "child",
    "machine",
    "main",
    "median",
    "percentile",
    "table",
    "timings",
    "timings_of",
]


# Where an environment forbids to keep byte code, every process that is timed would compile all of
# it anew; no user's does.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


@dataclasses.dataclass(frozen=True, slots=True)
class Result:
    """One measured figure.

    Attributes:
        name: What was measured, with its size ("entity search, 10^6 labels, p95").
        value: The figure.
        unit: Its unit: "ms", "s", "triples/s", "MB", "tokens"...
        budget: The figure it must meet, in the same unit, or None where there is none.
        higher_is_better: Whether the budget is a floor (throughput) instead of a ceiling.
        note: How it was measured, in a few words.
    """

    name: str
    value: float
    unit: str
    budget: float | None = None
    higher_is_better: bool = False
    note: str = ""

    @property
    def within(self) -> bool | None:
        """Whether the budget is met; None without a budget."""
        if self.budget is None:
            return None
        return self.value >= self.budget if self.higher_is_better else self.value <= self.budget


class Measure(Protocol):
    """The ``results`` function of a benchmark."""

    def __call__(self, *, quick: bool) -> list[Result]:
        """Measure and return the figures."""
        ...


def timings(call: Callable[[], object], *, runs: int = 5, warmup: int = 1) -> list[float]:
    """Return the wall seconds of ``runs`` calls, after ``warmup`` calls that do not count."""
    for _ in range(warmup):
        call()
    seconds = []
    for _ in range(runs):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    return seconds


def timings_of(call: Callable[[str], object], texts: Iterable[str]) -> list[float]:
    """Return the seconds that ``call`` takes for each text, once each."""
    seconds = []
    for text in texts:
        start = time.perf_counter()
        call(text)
        seconds.append(time.perf_counter() - start)
    return seconds


def child(
    command: Sequence[str], *, cwd: str | None = None, env: Mapping[str, str] | None = None
) -> str:
    """Run a process without input and return its stdout; its stderr is shown if it fails."""
    done = subprocess.run(
        command,
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        print(done.stderr, file=sys.stderr)
        raise SystemExit(f"exit code {done.returncode}: {' '.join(command)}")
    return done.stdout


def percentile(values: Sequence[float], share: float) -> float:
    """Return the nearest-rank percentile: ``share`` is 0.5 for p50, 0.95 for p95."""
    if not values:
        raise ValueError("no values to take a percentile of")
    ordered = sorted(values)
    rank = max(1, math.ceil(share * len(ordered)))
    return ordered[rank - 1]


def median(values: Sequence[float]) -> float:
    """Return p50."""
    return percentile(values, 0.5)


def machine() -> str:
    """Describe the machine in one line: processor, cores, memory, system, Python."""
    system = f"{platform.system()} {platform.release().split('-')[0]} {platform.machine()}"
    parts = [_processor(), f"{_cores()} cores", _memory(), system]
    return ", ".join(part for part in [*parts, f"Python {platform.python_version()}"] if part)


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor()
    names = (line.split(":", 1)[1] for line in text.splitlines() if line.startswith("model name"))
    return " ".join(next(names, "").split())


def _memory() -> str:
    try:
        total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return ""
    return f"{total / 2**30:.0f} GB memory"


def table(results: Sequence[Result]) -> str:
    """Return the figures as a Markdown table."""
    lines = ["| what | measured | budget | met | how |", "|---|---|---|---|---|"]
    lines += [_row(result) for result in results]
    return "\n".join(lines)


def _row(result: Result) -> str:
    budget, met = "", ""
    if result.budget is not None:
        sign = "≥" if result.higher_is_better else "≤"
        budget = f"{sign} {_figure(result.budget)} {result.unit}"
        met = "yes" if result.within else "**no**"
    value = f"{_figure(result.value)} {result.unit}"
    return f"| {result.name} | {value} | {budget} | {met} | {result.note} |"


def _figure(value: float) -> str:
    """Three significant digits below a thousand, whole numbers with separators above."""
    return f"{value:,.0f}" if abs(value) >= 1_000 else f"{value:.3g}"


def main(doc: str | None, results: Measure, argv: Sequence[str] | None = None) -> int:
    """Run one benchmark from the command line.

    Args:
        doc: The module's docstring; its first line is the heading.
        results: The module's ``results``.
        argv: Arguments; None takes those of the process.

    Returns:
        The exit code: 1 if ``--strict`` was given and a budget was missed, else 0.
    """
    heading = (doc or "").strip().splitlines()[0] if doc else ""
    parser = argparse.ArgumentParser(description=heading)
    parser.add_argument("--quick", action="store_true", help="smaller sizes, fewer runs")
    parser.add_argument("--json", action="store_true", help="print one JSON list instead")
    parser.add_argument("--strict", action="store_true", help="exit with 1 on a missed budget")
    options = parser.parse_args(argv)
    figures = results(quick=options.quick)
    if options.json:
        json.dump([dataclasses.asdict(figure) for figure in figures], sys.stdout)
        print()
    else:
        print(f"{heading}\n\n{machine()}\n\n{table(figures)}")
    missed = any(figure.within is False for figure in figures)
    return 1 if missed and options.strict else 0
