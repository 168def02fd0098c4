"""How large the view of the local graph is that goes into a prompt, and how long making it takes.

The graph has the size of the largest one in the RoboData paper: 480 nodes and 623 triples, with
labels as long as Wikidata's. Tokens are estimated (``view.estimate_tokens``), not counted: the
real number depends on the model.
"""

from __future__ import annotations

import random
from datetime import datetime, timezone
from functools import partial

from benchmarks._common import Result, main, median, timings
from robodata_core.model import Entity, EntityValue, Property, Statement
from robodata_core.store.graph import Fetch, LocalGraph
from robodata_core.store.view import estimate_tokens, render_view

BUDGET = 12_000
QUESTION = "Which German cities have two or more twin cities in common with Los Angeles?"
NAMES = (
    *("Los Angeles", "Berlin", "Königsberg", "Guangzhou", "Saint Petersburg", "Vancouver"),
    *("Douglas Adams", "Alexander von Humboldt", "Elizabeth Barrett Browning", "Max Planck"),
    *("The Hitchhiker's Guide to the Galaxy", "University of California, Berkeley", "Jena"),
)
RELATIONS = (
    *("instance of", "country", "twinned administrative body", "place of birth", "occupation"),
    *("located in the administrative territorial entity", "award received", "member of"),
    *(
        "date of birth",
        "head of government",
        "shares border with",
        "educated at",
        "official website",
    ),
)


def paper_sized(nodes: int = 480, edges: int = 623) -> LocalGraph:
    """A graph as a run makes one: a quarter of the nodes have triples about them."""
    random_ = random.Random(20_26)
    ids = [f"Q{number}" for number in random_.sample(range(1_000, 120_000_000), nodes)]
    properties = [Property(f"P{n * 97 + 17}", name) for n, name in enumerate(RELATIONS)]
    found: dict[Statement, None] = {}
    while len(found) < edges:
        subject = random_.choice(ids[: nodes // 4])
        object_ = ids[len(found)] if len(found) < nodes else random_.choice(ids)
        if subject != object_:
            found[Statement(subject, random_.choice(properties).id, EntityValue(object_))] = None
    graph = LocalGraph.in_memory()
    graph.add(
        found,
        Fetch("bench", "k1", "fetch_node", datetime(2026, 1, 1, tzinfo=timezone.utc)),
        entities=[Entity(id_, random_.choice(NAMES)) for id_ in ids],
        properties=properties,
    )
    return graph


def results(*, quick: bool) -> list[Result]:
    """Measure the full view, a quarter of it, and the time it takes."""
    runs = 5 if quick else 21
    with paper_sized() as graph:
        whole = render_view(graph, QUESTION, budget_tokens=BUDGET)
        if (graph.node_count, whole.shown) != (480, 623):
            raise SystemExit("the view does not show all facts")
        part = render_view(graph, QUESTION, budget_tokens=BUDGET // 4)
        call = partial(render_view, graph, QUESTION, budget_tokens=BUDGET)
        seconds = timings(call, runs=runs)
    size = "480 nodes, 623 triples"
    return [
        Result(f"view of {size}, all facts", estimate_tokens(whole.text), "tokens", BUDGET,
               note=f"{len(whole.text):,} characters; estimated"),
        Result(f"view of {size} within {BUDGET // 4:,} tokens", part.tokens, "tokens", BUDGET // 4,
               note=f"{part.shown} triples shown, {part.total - part.shown} counted as left out"),
        Result(f"making the view of {size}, p50", median(seconds) * 1e3, "ms",
               note=f"{runs} runs"),
    ]  # fmt: skip


if __name__ == "__main__":
    raise SystemExit(main(__doc__, results))
