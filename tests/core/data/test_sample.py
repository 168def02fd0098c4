"""The embedded snapshot holds what it says, from the sources it names, and can be built again."""

from __future__ import annotations

import gzip
import hashlib
import json
import subprocess
import sys
from collections.abc import Iterator
from decimal import Decimal
from importlib import resources
from pathlib import Path
from typing import Any

import pyoxigraph as ox
import pytest

from robodata_core.iris import RDFS, SCHEMA, SKOS, WD, WDT, WIKIBASE, id_from_iri
from robodata_core.model import EntityValue, QuantityValue, TimeValue, Value
from robodata_core.store.terms import term_to_value, value_from_node
from tests.conftest import ROOT

DATASET = "urn:robodata:dataset:"
DATASETS = {"entitydata", "codex-s", "kgtk-arnold", "paper", "household"}
FOLDER = Path(str(resources.files("robodata_core") / "data" / "wikidata-sample"))
LABEL = ox.NamedNode(RDFS + "label")
ALIAS = ox.NamedNode(SKOS + "altLabel")
DESCRIPTION = ox.NamedNode(SCHEMA + "description")
Facts = dict[tuple[str, str, Value], set[str]]


def table(path: Path, *, header: bool = True) -> list[list[str]]:
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8")
    return [line.split("\t") for line in text.removesuffix("\n").split("\n")][header:]


@pytest.fixture(scope="module")
def manifest() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))
    return loaded


@pytest.fixture(scope="module")
def graph() -> ox.Store:
    store = ox.Store()
    store.bulk_load(
        gzip.decompress((FOLDER / "graph.nq.gz").read_bytes()), format=ox.RdfFormat.N_QUADS
    )
    return store


@pytest.fixture(scope="module")
def facts(graph: ox.Store) -> Facts:
    """Every direct triple with the data sets that state it."""
    found: Facts = {}
    for quad in graph:
        if quad.predicate.value.startswith(WDT):
            assert isinstance(quad.graph_name, ox.NamedNode), quad
            name = quad.graph_name.value
            assert name.startswith(DATASET)
            subject, prop = id_from_iri(quad.subject.value), id_from_iri(quad.predicate.value)
            key = (subject, prop, term_to_value(quad.object))
            assert key not in found, "each triple stands in one graph only"
            found[key] = set(name.removeprefix(DATASET).split("+"))
    return found


def texts(graph: ox.Store, id_: str, predicate: ox.NamedNode) -> list[str]:
    quads = graph.quads_for_pattern(ox.NamedNode(WD + id_), predicate, None, None)
    return sorted(quad.object.value for quad in quads)


def full_values(graph: ox.Store, id_: str, prop: str) -> Iterator[tuple[Value | None, str]]:
    """Full values of a property with their ranks."""
    base = "http://www.wikidata.org/prop/"
    claim, value = ox.NamedNode(f"{base}{prop}"), ox.NamedNode(f"{base}statement/value/{prop}")
    for quad in graph.quads_for_pattern(ox.NamedNode(WD + id_), claim, None, None):
        (node,) = graph.quads_for_pattern(quad.object, value, None, None)
        (rank,) = graph.quads_for_pattern(quad.object, ox.NamedNode(WIKIBASE + "rank"), None, None)
        at_node = graph.quads_for_pattern(node.object, None, None, None)
        described = {fact.predicate.value: fact.object for fact in at_node}
        yield value_from_node(described), rank.object.value.removeprefix(WIKIBASE)


# -- the folder -----------------------------------------------------------------------------------


def test_the_manifest_tells_the_truth_about_the_graph(
    manifest: dict[str, Any], graph: ox.Store, facts: Facts
) -> None:
    text = gzip.decompress((FOLDER / "graph.nq.gz").read_bytes())
    assert hashlib.sha256(text).hexdigest() == manifest["graph"]["sha256"]
    assert manifest["counts"]["triples"] == len(graph)
    assert {source["name"] for source in manifest["sources"]} == DATASETS
    for source in manifest["sources"]:
        stated = sum(1 for datasets in facts.values() if source["name"] in datasets)
        assert int(source["facts"]) == stated, source["name"]
        assert source["licence"].startswith(tuple(manifest["licences"]))
        named = {name for name in ("CC0-1.0", "MIT", "Apache-2.0") if name in source["licence"]}
        assert named and named <= set(manifest["licences"])
        assert source["source"] and source["graph"] == DATASET + source["name"]


def test_it_fits_the_wheel() -> None:
    compressed = sum(len(gzip.compress(path.read_bytes())) for path in FOLDER.iterdir())
    assert compressed < 2_000_000
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 5_000_000


def test_the_notice_names_every_data_set(manifest: dict[str, Any]) -> None:
    notice = ROOT / "NOTICE"
    if not notice.is_file():
        pytest.skip("the tests do not run from a checkout")
    text = notice.read_text(encoding="utf-8")
    for source in manifest["sources"]:
        assert f"\n  {source['name']} " in text
    # What is nobody's statement but ours is said in both places.
    for source in manifest["sources"]:
        if source["name"] in ("paper", "household"):
            assert "not checked against" in source["note"].lower()
            assert "put together for RoboData" in source["source"]


# -- names ----------------------------------------------------------------------------------------


def test_every_property_has_a_label_aliases_and_a_datatype(graph: ox.Store, facts: Facts) -> None:
    for prop in {prop for _, prop, _ in facts}:
        assert len(texts(graph, prop, LABEL)) == 1, prop
        assert texts(graph, prop, ALIAS), prop
        assert texts(graph, prop, ox.NamedNode(WIKIBASE + "propertyType")), prop


def test_the_alias_table_speaks_of_properties_that_occur(facts: Facts) -> None:
    path = ROOT / "scripts" / "data" / "property_aliases.tsv"
    if not path.is_file():
        pytest.skip("the tests do not run from a checkout")
    lines = path.read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    assert rows[0] == ["property", "aliases", "role"]
    assert {row[0] for row in rows[1:]} == {prop for _, prop, _ in facts}
    for prop, aliases, _ in rows[1:]:
        names = aliases.split("|")
        assert names and all(names) and len(names) == len(set(names)), prop


def test_labels_are_single_and_clean(graph: ox.Store) -> None:
    seen = set()
    for quad in graph.quads_for_pattern(None, LABEL, None, None):
        assert quad.subject not in seen, quad.subject
        seen.add(quad.subject)
        text = quad.object.value
        assert text and text == text.strip() and not text.startswith('"University'), text
    assert texts(graph, "Q14623675", LABEL) == ["Christopher Douglas Adams"]
    assert texts(graph, "Q174710", LABEL) == ["University of California, Los Angeles"]
    assert texts(graph, "Q9174", LABEL) == ["religion"]
    assert texts(graph, "P366", LABEL) == ["use"] and "has use" in texts(graph, "P366", ALIAS)
    assert "federated state of Germany" in (
        texts(graph, "Q1221156", LABEL) + texts(graph, "Q1221156", ALIAS)
    )
    every = [*graph.quads_for_pattern(None, LABEL, None, None)]
    every += graph.quads_for_pattern(None, ALIAS, None, None)
    assert not [quad for quad in every if "terroritorial" in quad.object.value]


def test_other_names_of_people_are_aliases(graph: ox.Store) -> None:
    assert {"David Agnew", "Douglas Noël Adams"} <= set(texts(graph, "Q42", ALIAS))
    assert "Sven Olof Joachim Palme" in texts(graph, "Q53713", ALIAS)


def test_nearly_everything_has_a_label_and_a_description(graph: ox.Store, facts: Facts) -> None:
    items = {subject for subject, _, _ in facts}
    items |= {value.id for _, _, value in facts if isinstance(value, EntityValue)}
    # Three sources of Q1 and Q53713 have no English label in Wikidata.
    assert sum(1 for item in items if not texts(graph, item, LABEL)) == 3
    for item in items:
        (description,) = texts(graph, item, DESCRIPTION)
        assert 0 < len(description) <= 120


@pytest.mark.parametrize(
    ("item", "words"),
    [
        ("Q42", ["human", "writer", "United Kingdom"]),
        ("Q16", ["sovereign state", "North America"]),
        ("Q25169", ["by Douglas Adams"]),
        ("Q32489", ["tool", "made of steel", "in kitchen"]),
        ("Q7758404", ["notable work of Douglas Adams"]),
        ("Q75326779", ["sibling of"]),
        ("Q11573", ["unit of measurement"]),
    ],
)
def test_descriptions_say_what_facts_say(graph: ox.Store, item: str, words: list[str]) -> None:
    (description,) = texts(graph, item, DESCRIPTION)
    for word in words:
        assert word in description


# -- facts ----------------------------------------------------------------------------------------


def test_times_and_quantities_are_whole(graph: ox.Store) -> None:
    assert list(full_values(graph, "Q42", "P569")) == [(TimeValue(1952, 3, 11), "NormalRank")]
    assert list(full_values(graph, "Q42", "P2031")) == [
        (TimeValue(1974, precision=9), "NormalRank")
    ]
    assert list(full_values(graph, "Q42", "P2048")) == [
        (QuantityValue(Decimal("1.96"), "Q11573"), "NormalRank")
    ]
    # The file gives no calendar; Wikidata's convention for the time before 1582 is the Julian one.
    assert list(full_values(graph, "Q8413", "P570")) == [
        (TimeValue(337, 5, 22, calendar="Q1985786"), "PreferredRank")
    ]
    assert list(full_values(graph, "Q1", "P580")) == [
        (TimeValue(-13_798_000_000, precision=3), "NormalRank")
    ]
    assert list(full_values(graph, "Q1", "P2067")) == [
        (QuantityValue(Decimal(10) ** 53, "Q11570"), "NormalRank")
    ]
    assert list(full_values(graph, "Q182397", "P8687")) == [
        (QuantityValue(Decimal(216013)), "PreferredRank")
    ]


def test_ranks_other_than_normal_are_kept(graph: ox.Store) -> None:
    claim = ox.NamedNode("http://www.wikidata.org/prop/P19")
    (quad,) = graph.quads_for_pattern(ox.NamedNode(WD + "Q53713"), claim, None, None)
    (rank,) = graph.quads_for_pattern(quad.object, ox.NamedNode(WIKIBASE + "rank"), None, None)
    assert rank.object.value == WIKIBASE + "PreferredRank"


def test_hand_made_facts_are_all_there(shared_dir: Path, facts: Facts) -> None:
    for name, file in (("paper", "paper_facts.tsv"), ("household", "household_facts.tsv")):
        for row in table(shared_dir / file):
            assert name in facts[row[0], row[2], EntityValue(row[4])], row


def test_the_training_triples_are_all_there(shared_dir: Path, facts: Facts) -> None:
    rows = table(shared_dir / "codex" / "codex_s_train.tsv.gz", header=False)
    assert len(rows) == 32_888
    for head, prop, tail in rows:
        assert "codex-s" in facts[head, prop, EntityValue(tail)]


def test_no_validation_triple_is_there_unless_another_source_states_it(
    shared_dir: Path, facts: Facts
) -> None:
    rows = table(shared_dir / "codex" / "codex_s_valid.tsv.gz", header=False)
    assert len(rows) == 1_827
    overlap = {}
    for head, prop, tail in rows:
        datasets = facts.get((head, prop, EntityValue(tail)), set())
        assert "codex-s" not in datasets
        if datasets:
            overlap[head, prop, tail] = datasets
    # Whoever judges CoDEx's validation triples with this graph has to hide these two.
    assert overlap == {
        ("Q42", "P106", "Q28389"): {"entitydata"},
        ("Q42", "P106", "Q4853732"): {"entitydata"},
    }


def test_descriptions_are_nobody_elses(shared_dir: Path, graph: ox.Store) -> None:
    rows = table(shared_dir / "wikidata_facts" / "household_qids.tsv.gz")
    rows += table(shared_dir / "codex" / "types.tsv.gz")
    rows += table(shared_dir / "codex" / "relations.tsv.gz")
    for id_, _, theirs in rows:
        assert not theirs or theirs not in texts(graph, id_, DESCRIPTION), id_


def test_building_again_gives_the_same(
    shared_dir: Path, tmp_path: Path, manifest: dict[str, Any]
) -> None:
    script = ROOT / "scripts" / "build_snapshot.py"
    if not script.is_file():
        pytest.skip("the tests do not run from a checkout")
    output = tmp_path / "again"
    command = [
        sys.executable,
        str(script),
        "wikidata-sample",
        "--data",
        str(shared_dir),
        "--output",
        str(output),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    again = json.loads((output / "manifest.json").read_text(encoding="utf-8"))
    assert again == manifest
    # The bytes of the compressed file depend on the zlib at hand, its content does not.
    graphs = [gzip.decompress((at / "graph.nq.gz").read_bytes()) for at in (output, FOLDER)]
    assert graphs[0] == graphs[1]


def test_a_data_folder_without_the_files_is_refused_in_a_sentence(tmp_path: Path) -> None:
    script = ROOT / "scripts" / "build_snapshot.py"
    if not script.is_file():
        pytest.skip("the tests do not run from a checkout")
    output = tmp_path / "none"
    command = [
        sys.executable,
        str(script),
        "wikidata-sample",
        "--data",
        str(tmp_path),
        "--output",
        str(output),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "No such file" in done.stderr and "Traceback" not in done.stderr
    assert not output.exists()
