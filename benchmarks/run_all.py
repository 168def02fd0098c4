"""Run every benchmark, each in its own process, and print one table.

``python -m benchmarks.run_all`` takes the names of benchmarks (``import cold``) or runs all.
Narration goes to stderr, the table to stdout, so that it can be pasted into README.md.
"""

from __future__ import annotations

import argparse
import datetime
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks._common import Result, machine, table

__all__ = ["main"]

HERE = Path(__file__).parent


def names() -> list[str]:
    """Return the names of all benchmarks, in alphabetical order."""
    return sorted(path.stem.removeprefix("bench_") for path in HERE.glob("bench_*.py"))


def run(name: str, *, quick: bool) -> list[Result] | None:
    """Run one benchmark; None if it failed (its own words are on stderr)."""
    command = [sys.executable, "-m", f"benchmarks.bench_{name}", "--json"]
    done = subprocess.run(
        [*command, "--quick"] if quick else command,
        cwd=HERE.parent,
        stdout=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
        check=False,
    )
    if done.returncode:
        return None
    # A benchmark may print progress by accident; its figures are the last line.
    return [Result(**row) for row in json.loads(done.stdout.strip().splitlines()[-1])]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the benchmarks named on the command line, or all of them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(names()))
    parser.add_argument("--quick", action="store_true", help="smaller sizes, fewer runs")
    parser.add_argument("--strict", action="store_true", help="exit with 1 on a missed budget")
    options = parser.parse_args(argv)
    unknown = sorted(set(options.names) - set(names()))
    if unknown:
        parser.error(f"there is no benchmark called {', '.join(unknown)}")
    figures: list[Result] = []
    failed: list[str] = []
    for name in options.names or names():
        print(f"bench_{name} ...", file=sys.stderr, flush=True)
        measured = run(name, quick=options.quick)
        if measured is None:
            failed.append(name)
        else:
            figures += measured
    today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    print(f"{today}, {machine()}{', quick run' if options.quick else ''}\n\n{table(figures)}")
    for name in failed:
        print(f"bench_{name} failed; its figures are missing.", file=sys.stderr)
    missed = any(figure.within is False for figure in figures)
    return 1 if failed or (missed and options.strict) else 0


if __name__ == "__main__":
    raise SystemExit(main())
