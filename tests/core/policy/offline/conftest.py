"""What these tests share: the embedded sample, a small graph of its own kind, and a way to ask."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

from robodata_core import RoboData
from robodata_core.cancellation import CancelToken
from robodata_core.clock import SystemClock
from robodata_core.config import Settings
from robodata_core.events import RunEvent
from robodata_core.model import Answer, EntityValue, TimeValue
from robodata_core.orchestrator.loop import Orchestrator
from robodata_core.policy.offline.policy import OfflinePolicy, OfflineResources
from robodata_core.sources.base import KnowledgeSource, QueryLimits
from robodata_core.sources.snapshot import SnapshotSource, open_snapshot
from robodata_core.sources.snapshot.loading import load_files
from robodata_core.store.graph import LocalGraph
from robodata_core.values import iso_time

Ask = Callable[..., Answer]
Asker = Callable[..., Ask]

_PLANTS = """\
Rose Hill|planted_by|Ada Moss
Rose Hill|has_bloom|Red Star
Rose Hill|has_bloom|Night Bell
Fern House|planted_by|Ada Moss
Fern House|planted_by|Ben Reed
Fern House|has_bloom|Night Bell
Fern House|lies_near|Rose Hill
Low Garden|planted_by|Cleo Vine
Low Garden|has_bloom|Red Star
Ben Reed|taught_by|Ada Moss
"""


@contextmanager
def small_graph(
    folders: pytest.TempPathFactory, name: str, content: str | Path
) -> Iterator[SnapshotSource]:
    """Load a graph of a test's own and open it.

    Args:
        folders: Where it may be kept.
        name: The graph's name.
        content: Turtle, or lines of ``subject|relation|object``; or a file of either.
    """
    folder: Path = folders.mktemp(name)
    if isinstance(content, Path):
        file = content
    else:
        file = folder / ("kb.ttl" if content.startswith("@prefix") else "kb.txt")
        file.write_text(content, encoding="utf-8")
    load_files([file], folder / "snapshot", name=name)
    with open_snapshot(folder / "snapshot") as source:
        yield source


def found(answer: Answer, home: str, *, iso: bool = False) -> set[str]:
    """Return an answer's results as yes or no, ids without their ``home``, and labels.

    Args:
        answer: The answer.
        home: How the ids of the graph begin.
        iso: Write times as in ISO 8601 instead of as labelled.
    """
    results = set()
    for item in answer.results:
        value = item.value
        if isinstance(value, bool):
            results.add("yes" if value else "no")
        elif isinstance(value, EntityValue):
            results.add(value.id.removeprefix(home))
        else:
            label = item.label.removeprefix("at least ")  # a number over facts that may be missing
            results.add(iso_time(value) if iso and isinstance(value, TimeValue) else label)
    return results


def check_query(answer: Answer, source: SnapshotSource) -> None:
    """Check that the answer's query gives as much as its program."""
    result = source.sparql(answer.sparql, limits=QueryLimits(1_000, 60.0))
    if result.boolean is not None:
        assert [item.value for item in answer.results] == [result.boolean]
    elif result.variables == ("count",):
        counted = [row[0].amount for row in result.rows]  # type: ignore[union-attr]
        shown = [item.label.removeprefix("at least ") for item in answer.results]
        assert list(map(str, counted)) == shown
    else:
        assert len(result.rows) == len(answer.results)


@pytest.fixture(scope="module")
def world() -> Iterator[RoboData]:
    """Asks the default snapshot."""
    with RoboData.open(source="snapshot:world") as robodata:
        yield robodata


@pytest.fixture(scope="session")
def sample() -> Iterator[SnapshotSource]:
    """The embedded sample."""
    with open_snapshot("wikidata-sample") as source:
        yield source


@pytest.fixture(scope="session")
def sample_resources(sample: SnapshotSource) -> OfflineResources:
    return OfflineResources.build(sample, Settings())


@pytest.fixture(scope="session")
def gardens(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SnapshotSource]:
    """A graph with relations that no lexicon has heard of, and no classes."""
    with small_graph(tmp_path_factory, "gardens", _PLANTS) as source:
        yield source


@pytest.fixture(scope="session")
def asker() -> Asker:
    """Makes a function that asks a source through the real machine, with resources of its own."""
    numbers = count(1)

    def make(source: KnowledgeSource, resources: OfflineResources | None = None) -> Ask:
        known = resources or OfflineResources.build(source, Settings())

        def ask(
            question: str,
            *,
            store: LocalGraph | None = None,
            events: list[RunEvent] | None = None,
            cancel: CancelToken | None = None,
            **settings: object,
        ) -> Answer:
            chosen = Settings(**settings)  # type: ignore[arg-type]
            graph = store or LocalGraph.in_memory()
            try:
                return Orchestrator(
                    source=source,
                    store=graph,
                    policy=OfflinePolicy(source, chosen, known),
                    settings=chosen,
                    emit=(lambda event: None) if events is None else events.append,
                    cancel=cancel or CancelToken(),
                    clock=SystemClock(),
                    new_id=lambda: f"run-{next(numbers)}",
                ).run(question)
            finally:
                if store is None:
                    graph.close()

        return ask

    return make


@pytest.fixture(scope="session")
def ask(
    sample: SnapshotSource,
    sample_resources: OfflineResources,
    asker: Asker,
) -> Ask:
    """Asks the embedded sample."""
    return asker(sample, sample_resources)


@pytest.fixture(scope="session")
def ask_gardens(gardens: SnapshotSource, asker: Asker) -> Ask:
    """Asks the small graph."""
    return asker(gardens)


@pytest.fixture(scope="session")
def movies(shared_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The graph of MetaQA's films, loaded once: that takes longer than any question about it."""
    folder = tmp_path_factory.mktemp("movies") / "graph"
    load_files([shared_dir / "metaqa" / "kb.txt.gz"], folder, name="movies", delimiter="|")
    return folder
