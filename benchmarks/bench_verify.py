"""Whether verdicts take longer the more there were: one opening, different triples, one graph.

Triples that the embedded sample states are verified one after another, so that the local graph
grows with each. Processor time of ``RoboData.verify``; the ratio is that of the medians of the last
and the first fifth, after some to warm up.
"""

from __future__ import annotations

import random
import time

from benchmarks._common import Result, main, percentile
from robodata_core import RoboData
from robodata_core.iris import predicate_iri
from robodata_core.model import EntityValue
from robodata_core.sources.capabilities import all_properties

BUDGET_RATIO = 2.0
BUDGET_P50_MS = 100.0
_EACH = 60
_WARM = 50


def _triples(robodata: RoboData) -> list[tuple[str, str, str]]:
    found = []
    for property_ in all_properties(robodata.source):
        pattern = f"?s <{predicate_iri(property_.id)}> ?o"
        rows = robodata.source.sparql(f"SELECT ?s ?o WHERE {{ {pattern} }} LIMIT {_EACH}").rows
        found += [
            (subject.id, property_.id, value.id)
            for subject, value in rows
            if isinstance(subject, EntityValue) and isinstance(value, EntityValue)
        ]
    random.Random(1).shuffle(found)
    return found


def results(*, quick: bool) -> list[Result]:
    """Verify and compare."""
    calls = 200 if quick else 1_000
    seconds = []
    with RoboData.open(source="snapshot:wikidata-sample") as robodata:
        for triple in _triples(robodata)[: _WARM + calls]:
            start = time.process_time()
            robodata.verify(*triple)
            seconds.append(time.process_time() - start)
        grown = robodata.store.edge_count
    seconds = seconds[_WARM:]
    fifth = len(seconds) // 5
    ratio = percentile(seconds[-fifth:], 0.5) / percentile(seconds[:fifth], 0.5)
    note = f"{len(seconds)} triples, {grown} in the local graph at the end"
    return [
        Result("verdict of a stated triple, p50", percentile(seconds, 0.5) * 1e3, "ms",
               BUDGET_P50_MS, note=note),
        Result("the last fifth of verdicts over the first", ratio, "", BUDGET_RATIO, note=note),
    ]  # fmt: skip


if __name__ == "__main__":
    raise SystemExit(main(__doc__, results))
