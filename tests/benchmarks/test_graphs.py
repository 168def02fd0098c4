"""The synthetic graphs: the same for the same seed, shaped as said, with answers that are right."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import pyoxigraph as ox
import pytest

from robodata_core.model import EntityKind
from robodata_core.sources.snapshot import open_snapshot
from robodata_core.sources.snapshot.loading import load_files

graphs = pytest.importorskip("benchmarks._graphs", reason="the tests do not run from a checkout")

SIZE = 30_000


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("graphs") / "graph.nt"
    assert graphs.write_graph(file, SIZE) == SIZE // 10
    return file


def test_the_seed_decides_and_compression_does_not(graph: Path, tmp_path: Path) -> None:
    for name, seed in (("same.nt", 1), ("same.nt.gz", 1), ("other.nt", 2)):
        graphs.write_graph(tmp_path / name, SIZE, seed)
    assert (tmp_path / "same.nt").read_bytes() == graph.read_bytes()
    assert gzip.decompress((tmp_path / "same.nt.gz").read_bytes()) == graph.read_bytes()
    assert (tmp_path / "other.nt").read_bytes() != graph.read_bytes()


def test_degrees_are_skewed_and_everything_is_named(graph: Path) -> None:
    quads = list(ox.parse(graph.read_bytes(), format=ox.RdfFormat.N_TRIPLES))
    assert SIZE * 0.8 < len(quads) < SIZE * 1.2
    label = "http://www.w3.org/2000/01/rdf-schema#label"
    named = {quad.subject.value for quad in quads if quad.predicate.value == label}
    ends = [quad.object.value for quad in quads if isinstance(quad.object, ox.NamedNode)]
    assert {*ends, *(quad.subject.value for quad in quads)} <= named
    incoming = sorted(Counter(ends).values(), reverse=True)
    outgoing = sorted(Counter(quad.subject.value for quad in quads).values(), reverse=True)
    # Zipf's law: the first ten have a large share, and most have next to nothing.
    assert sum(incoming[:10]) > len(ends) * 0.2 > incoming[len(incoming) // 2] * 100
    assert outgoing[0] > 10 * outgoing[len(outgoing) // 2]
    uses = Counter(quad.predicate.value for quad in quads).most_common()
    assert uses[3][1] > 20 * uses[-1][1]


def test_the_known_answers_are_those_of_the_graph(graph: Path, tmp_path: Path) -> None:
    load_files([graph], tmp_path / "out")
    asked = graphs.questions(SIZE // 10, 15)
    assert Counter(question.hops for question in asked) == {1: 15, 2: 15}
    assert graphs.questions(SIZE // 10, 15) == asked
    with open_snapshot(tmp_path / "out") as source:
        for question in asked:
            path, _, name = question.text.removesuffix("?").rpartition(" of ")
            (hit,) = [hit for hit in source.search(name, limit=50) if hit.label == name]
            ends = {hit.id}
            for relation in reversed(path.removeprefix("What is the ").split(" of the ")):
                (property_,) = source.lookup_names([relation], kind=EntityKind.PROPERTY)[relation]
                pages = source.statements_many(ends, property=property_.id, limit=10_000)
                ends = {item.value.id for page in pages.values() for item in page.statements}
            assert ends == question.gold, question


def test_typing_errors_change_one_place() -> None:
    import random

    source = random.Random(1)
    for label in graphs.labels(200):
        assert abs(len(graphs.typed(label, source)) - len(label)) <= 1
