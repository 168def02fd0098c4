"""What the snapshots that come with the package cost: opening, memory, size.

``snapshot:world`` is asked in a process of its own each time. "First" is with an empty cache
folder, and asks for what loads the graph there (a SPARQL query); a plain question needs none of it.
Sizes are of the files that go into the wheel, compressed as it compresses them.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import zlib
from pathlib import Path
from typing import TypedDict, cast

from benchmarks._common import Result, child, main, median
from robodata_core.sources.snapshot import embedded_snapshots, find_snapshot

_PROBE = """
import json, resource, sys, time
wall, cpu = time.perf_counter(), time.process_time()
from robodata_core import RoboData
with RoboData.open(source="snapshot:world", policy="offline") as data:
    if sys.argv[1] == "sparql":
        data.source.sparql("SELECT ?x WHERE { ?x <http://www.wikidata.org/prop/direct/P36> ?y }")
    else:
        data.ask("What is the capital of Canada?")
    first = time.perf_counter() - wall, time.process_time() - cpu
    warm = []
    for place in ("France", "Japan", "Kenya", "Peru", "Norway", "India", "Italy", "Chad", "Cuba"):
        start = time.process_time()
        data.ask(f"What is the capital of {place}?")
        warm.append(time.process_time() - start)
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({"wall": first[0], "cpu": first[1], "warm": warm,
                  "memory": memory}))
"""


class _Probe(TypedDict):
    """What one process measured of itself."""

    wall: float
    cpu: float
    warm: list[float]
    memory: float


def _probe(what: str, cache: str) -> _Probe:
    clean = {key: value for key, value in os.environ.items() if not key.startswith("ROBODATA_")}
    out = child([sys.executable, "-c", _PROBE, what], env=clean | {"XDG_CACHE_HOME": cache})
    return cast(_Probe, json.loads(out.splitlines()[-1]))


def _packed(folder: Path) -> float:
    """Return the megabytes of a folder's files as a wheel compresses them."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return sum(len(zlib.compress(path.read_bytes(), 6)) for path in files) / 2**20


def results(*, quick: bool) -> list[Result]:
    runs = 1 if quick else 5
    with tempfile.TemporaryDirectory() as cache:
        first = _probe("sparql", cache)
        again = [_probe("sparql", cache) for _ in range(runs)]
    with tempfile.TemporaryDirectory() as cache:
        asked = [_probe("ask", cache) for _ in range(runs)]
    warm = [time for one in asked for time in one["warm"]]
    later = [one["wall"] for one in again]
    walls, times = [one["wall"] for one in asked], [one["cpu"] for one in asked]
    note = f"{runs} processes" if runs > 1 else "one process"
    figures = [
        Result("world: first SPARQL query of all, wall (cache empty)", first["wall"], "s", None),
        Result("world: the same, processor time", first["cpu"], "s", None),
        Result(
            "world: the same later, wall",
            median(later),
            "s",
            None,
            note=note,
        ),
        Result("world: first question of a process, wall", median(walls), "s", 1.2, note=note),
        Result("world: the same, processor time", median(times), "s", None, note=note),
        Result("world: a plain question, warm, processor time, p50", median(warm), "s", 0.03),
        Result("world: memory, questions", max(one["memory"] for one in asked), "MB", 250),
        Result("world: memory, first SPARQL query", first["memory"], "MB", None),
    ]
    sizes = {name: _packed(find_snapshot(name)) for name in embedded_snapshots()}
    figures += [
        Result(f"{name}: size in the wheel", size, "MB", None) for name, size in sizes.items()
    ]
    figures.append(Result("all snapshots in the wheel", sum(sizes.values()), "MB", 30))
    return figures


if __name__ == "__main__":
    raise SystemExit(main(__doc__, results))
