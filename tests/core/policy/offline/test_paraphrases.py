"""The paraphrases: questions whose words for a relation nothing in graph or lexicon knows.

Their form, and their gold, which is what the query beside each question gives today. How many are
answered depends on an embedding model; one test measures that, where a model is installed.
"""

from __future__ import annotations

import csv
import gzip
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest

from robodata_core.api import RoboData
from robodata_core.config import Settings
from robodata_core.model import EntityValue
from robodata_core.policy.offline.resources import OfflineResources
from robodata_core.policy.offline.words import tokenize
from robodata_core.sources.capabilities import all_properties
from robodata_core.sources.snapshot import SnapshotSource, open_snapshot
from robodata_core.sources.snapshot.loading import load_files
from tests.core.evaluation.gold import computed

from .real_model import real_model

_HERE: Final = Path(__file__).parent
_GRAPHS: Final = ("sample", "movies", "codex")
_KINDS: Final = ("tune", "tune absent", "report", "report absent")

Opened = Callable[[str], SnapshotSource]


def _rows(graph: str) -> list[dict[str, str]]:
    text = (_HERE / f"paraphrases_{graph}.tsv").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line[:1] != "#"]
    return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def _table(path: Path) -> list[list[str]]:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def _codex(data: Path, folder: Path) -> Path:
    """Write the triples of CoDEx-S with labels instead of ids."""
    entities = {row[0]: row[1] for row in _table(data / "codex_s_entities.tsv.gz")}
    relations = {row[0]: row[1] for row in _table(data / "relations.tsv.gz")}
    path = folder / "codex.tsv"
    with path.open("w", encoding="utf-8") as file:
        for head, relation, tail in _table(data / "codex_s_train.tsv.gz"):
            file.write(f"{entities[head]}\t{relations[relation]}\t{entities[tail]}\n")
    return path


@pytest.fixture(scope="module")
def opened(
    sample: SnapshotSource, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Opened]:
    """Opens a graph by its name; skips the test where its data is not beside this checkout."""
    known = {"sample": sample}

    def opened(graph: str) -> SnapshotSource:
        if graph not in known:
            if graph == "movies":
                folder: Path = request.getfixturevalue("movies")
            else:
                data: Path = request.getfixturevalue("shared_dir")
                made = tmp_path_factory.mktemp(graph)
                folder = made / "graph"
                load_files([_codex(data / "codex", made)], folder, name=graph)
            known[graph] = open_snapshot(folder)
        return known[graph]

    yield opened
    for graph, source in known.items():
        if graph != "sample":
            source.close()


@pytest.mark.parametrize("graph", _GRAPHS)
def test_questions_are_many_of_both_halves_and_each_is_there_once(graph: str) -> None:
    rows = _rows(graph)
    counted = Counter(row["kind"] for row in rows)
    assert set(counted) == set(_KINDS)
    assert abs(counted["tune"] - counted["report"]) <= 1
    assert abs(counted["tune absent"] - counted["report absent"]) <= 1
    assert len({row["question"] for row in rows}) == len(rows) >= 30
    for row in rows:
        absent = row["kind"].endswith("absent")
        assert (row["expected"] == "-") is absent is (row["query"] == "-"), row


def test_the_halves_share_no_words() -> None:
    rows = [row for graph in _GRAPHS for row in _rows(graph)]
    halves = {
        half: {word for row in rows if row["kind"].startswith(half) for word in _words(row)}
        for half in ("tune", "report")
    }
    assert len(halves["tune"] & halves["report"]) <= 5


def _words(row: dict[str, str]) -> set[str]:
    return {token.norm for token in tokenize(row["words"])}


@pytest.mark.parametrize("graph", _GRAPHS)
def test_the_graph_is_there(graph: str, opened: Opened) -> None:
    """Before what is asked of it: loading one takes longer than that."""
    assert list(all_properties(opened(graph)))


@pytest.mark.parametrize("graph", _GRAPHS)
def test_expected_is_what_the_query_gives(graph: str, opened: Opened) -> None:
    source = opened(graph)
    prefixes = f"PREFIX p: <urn:robodata:{graph}:p:> "
    for row in _rows(graph):
        if row["query"] == "-":
            continue
        if graph == "sample":
            assert computed(row["query"], source) == row["expected"], row
            continue
        found = set(computed(prefixes + row["query"], source).split("|"))
        labels = {entity.label for entity in source.entities(tuple(found)).values()}
        assert labels == set(row["expected"].split("|")), row


@pytest.mark.parametrize("graph", _GRAPHS)
def test_their_words_are_names_of_no_relation(graph: str, opened: Opened) -> None:
    """Some have become known to the lexicon in time; then the set says less and less."""
    index = OfflineResources.build(opened(graph), Settings()).index
    known = []
    rows = _rows(graph)
    for row in rows:
        tokens = tokenize(row["question"])
        words = _words(row)
        assert words <= {token.norm for token in tokens}, row
        other = frozenset(i for i, token in enumerate(tokens) if token.norm not in words)
        if index.matches(tokens, other):
            known.append(row["question"])
    assert len(known) <= len(rows) // 3, known


@pytest.mark.timeout(1800)
def test_a_real_model_answers_more_and_hardly_more_wrongly(tmp_path: Path) -> None:
    model = real_model()
    before = _outcomes(RoboData.open(cache=str(tmp_path)))
    after = _outcomes(RoboData.open(cache=str(tmp_path), semantic="local", semantic_model=model))
    assert after["right"] >= before["right"] + 5
    assert after["wrong"] <= before["wrong"] + 3


def _outcomes(robodata: RoboData) -> Counter[str]:
    """Count how the questions over the sample are answered."""
    found: Counter[str] = Counter()
    with robodata:
        for row in _rows("sample"):
            answer = robodata.ask(row["question"])
            given = {
                item.value.id if isinstance(item.value, EntityValue) else str(item.label)
                for item in answer.results
            }
            if not given:
                found["abstained"] += 1
            else:
                found["right" if given == set(row["expected"].split("|")) else "wrong"] += 1
    return found
