"""Labels, classes and objects without ROS: the embedded snapshot and plain data."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robodata_core.belief.kinds import Kinds
from robodata_core.errors import ConfigurationError
from robodata_core.iris import ONLY, class_property
from robodata_core.model import EntityValue
from robodata_core.sources.chained import ChainedSource
from robodata_core.sources.snapshot import SnapshotSource, open_snapshot
from robodata_core.sources.snapshot.loading import load_files
from robodata_ros.enrichment import ClassKnowledge, ClassLookup, LabelTable
from tests.core.data.detectors import DETECTORS
from tests.core.data.test_household import KINDS, in_coco
from tests.ros.household import COCO_NAMES, SOMA, SOMA_CLASSES, WITHOUT_FACTS, soma_snapshot

SUBCLASS = "http://www.w3.org/2000/01/rdf-schema#subClassOf"
RELATIONS = ("P279", "P366", "P186", "P276", "P527", SUBCLASS)


@pytest.fixture(scope="module")
def source() -> Iterator[SnapshotSource]:
    with open_snapshot("wikidata-sample") as opened:
        yield opened


def lookup(
    source: SnapshotSource, relations: tuple[str, ...] = RELATIONS, **more: int
) -> ClassLookup:
    return ClassLookup([source], LabelTable.read(), relations, **more)


@pytest.mark.parametrize("label", COCO_NAMES)
def test_every_household_class_is_found_under_its_detector_name(
    source: SnapshotSource, label: str
) -> None:
    known = lookup(source).look_up(label)
    assert known.entity is not None and known.entity.id == COCO_NAMES[label]
    assert bool(known.facts) == (label not in WITHOUT_FACTS)
    for fact in known.facts:
        assert fact.claim.supported and fact.claim.support
        assert all(item.provenance[0].origin for item in fact.claim.support.evidence)


def test_classes_of_coco_are_told_as_what_they_are_over_the_default_source() -> None:
    told = {name: above for above, words in KINDS.items() for name in in_coco(words)}
    assert len(told) == 80
    with open_snapshot("household") as household:
        kinds = Kinds(household)
        labels = ClassLookup([household], LabelTable.read(), RELATIONS)
        for name, above in told.items():
            known = labels.look_up(name)
            assert known.entity is not None, name
            reached = household.entities(kinds.above(known.entity.id)).values()
            assert above in {entity.label for entity in reached}, name


@pytest.mark.parametrize(("style", "own"), [("thor", 0.92), ("open images", 0.86), ("lvis", 0.92)])
def test_names_of_detectors_lead_to_kinds_or_to_what_is_above_them(style: str, own: float) -> None:
    table, names = LabelTable.read(), DETECTORS[style]
    with open_snapshot("household") as household:
        exact = [name for name in names if household.lookup_names(table.names(name))]
        broader = [name for name in names if household.lookup_names(table.kinds(name))]
    assert len(exact) >= own * len(names)
    assert len({*exact, *broader}) >= 0.95 * len(names)


@pytest.mark.parametrize(
    ("label", "kind"),
    [("Wood-burning stove", "stove"), ("AppleSliced", "apple"), ("Infant bed", "bed")],
)
def test_a_label_without_a_kind_is_told_by_its_last_words(label: str, kind: str) -> None:
    with open_snapshot("household") as household:
        known = lookup(household).look_up(label)
    assert known.entity is not None and known.entity.label == kind
    told = f"By its name, “{label}” is a kind of {kind}. "
    assert known.facts and all(fact.claim.text.startswith(told) for fact in known.facts)


@pytest.mark.parametrize(
    ("label", "kind"),
    [("fig_(fruit)", "fig"), ("Chopsticks", "chopstick"), ("ArmChair", "armchair"),
     ("mouse_(computer_equipment)", "mouse"), ("hot dog", "hot dog"), ("Teddy bear", "teddy bear")],
)  # fmt: skip
def test_a_label_with_a_kind_of_its_own_is_that(label: str, kind: str) -> None:
    with open_snapshot("household") as household:
        known = lookup(household).look_up(label)
        (best, *_) = household.lookup_names([kind])[kind]
    assert known.entity is not None and known.entity.id == best.id
    assert not any(fact.claim.text.startswith("By its name") for fact in known.facts)


def test_the_list_of_classes_is_complete(shared_dir: Path) -> None:
    path = shared_dir / "wikidata_facts" / "household_qids.tsv.gz"
    rows = gzip.decompress(path.read_bytes()).decode("utf-8").splitlines()[1:]
    assert sorted(row.split("\t")[0] for row in rows) == sorted(COCO_NAMES.values())


@pytest.mark.parametrize(
    "label", ["Dining_Table", "DININGTABLE", "dining-table", " dining  table "]
)
def test_spelling_does_not_matter(source: SnapshotSource, label: str) -> None:
    known = lookup(source).look_up(label)
    assert known.entity is not None and known.entity.name == "dining table"


def test_a_chain_of_classes_is_supported_by_all_its_steps(source: SnapshotSource) -> None:
    chains = [fact.claim.support.evidence for fact in lookup(source).look_up("wine glass").facts]
    for label in COCO_NAMES:
        for fact in lookup(source, chain=3).look_up(label).facts:
            evidence = fact.claim.support.evidence
            assert evidence[0].triple.subject == COCO_NAMES[label]
            for before, after in zip(evidence, evidence[1:], strict=False):
                assert before.triple.object == EntityValue(after.triple.subject)
            chains.append(evidence)
    assert max(map(len, chains)) >= 1


def test_verified_facts_are_the_same_on_an_honest_source(source: SnapshotSource) -> None:
    table = LabelTable.read()
    plain = ClassLookup([source], table, RELATIONS).look_up("cup").facts
    checked = ClassLookup([source], table, RELATIONS, verify=True).look_up("cup").facts
    assert [fact.key for fact in plain] == [fact.key for fact in checked]


def test_unknown_labels_have_near_matches_or_nothing(source: SnapshotSource) -> None:
    known = lookup(source).look_up("cupp")
    assert known.entity is None and not known.facts
    assert "cup" in [hit.label for hit in known.near]
    assert "cupp" in known.nothing.text and not known.nothing.supported


@given(label=st.text(max_size=300))
def test_no_label_is_too_odd(source: SnapshotSource, label: str) -> None:
    known = lookup(source).look_up(label)
    assert known.entity is not None or not known.facts


def test_only_so_many_classes_are_remembered(source: SnapshotSource) -> None:
    small = lookup(source, most_classes=2)
    for label in ("cup", "knife", "fork"):
        small.look_up(label)
    assert small.known("cup") is None and small.known("fork") is not None


def test_the_table_can_be_extended(tmp_path: Path) -> None:
    path = tmp_path / "table.tsv"
    path.write_text("# a comment\nbecher\tbeaker|cup\n", encoding="utf-8")
    table = LabelTable.read(path, ["tasse=cup"])
    assert table.names("Becher") == ("beaker", "cup", "becher")
    assert table.names("Tasse") == ("cup", "tasse")
    assert table.names("fork") == ("fork",)
    for wrong in ("tasse", "tasse=", "=cup"):
        with pytest.raises(ConfigurationError):
            LabelTable.read(path, [wrong])
    with pytest.raises(ConfigurationError):
        LabelTable.read(tmp_path / "none.tsv")


# -- an ontology as a further source ------------------------------------------------------------

HOME = """
@prefix : <http://example.org/home#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Cup a owl:Class ; rdfs:subClassOf :Vessel ,
    [ a owl:Restriction ; owl:onProperty :hasPart ; owl:someValuesFrom :Handle ] ,
    [ a owl:Restriction ; owl:onProperty :hasPart ; owl:maxQualifiedCardinality 2 ;
      owl:onClass :Handle ] .
:Vessel a owl:Class ; rdfs:subClassOf
    [ a owl:Restriction ; owl:onProperty :keptIn ; owl:hasValue :cupboard1 ] ,
    [ a owl:Restriction ; owl:onProperty :holds ; owl:allValuesFrom :Liquid ] .
:Handle a owl:Class . :Liquid a owl:Class . :cupboard1 a :Cupboard .
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SnapshotSource]:
    folder = tmp_path_factory.mktemp("home")
    (folder / "home.ttl").write_text(HOME, encoding="utf-8")
    load_files([folder / "home.ttl"], folder / "out", name="home")
    with open_snapshot(folder / "out") as opened:
        yield opened


def told(known: ClassKnowledge, source: str) -> dict[str, int]:
    """What a source says, each with the length of its chain."""
    claims = [fact.claim for fact in known.facts]
    assert len({fact.key for fact in known.facts}) == len(claims)
    return {
        claim.text: len(claim.support.evidence)
        for claim in claims
        if {item.provenance[0].source for item in claim.support.evidence} == {source}
    }


@pytest.mark.parametrize("chained", [False, True])
def test_facts_of_two_sources_each_say_theirs(
    source: SnapshotSource, home: SnapshotSource, chained: bool
) -> None:
    sources = [ChainedSource([source, home])] if chained else [source, home]
    known = ClassLookup(sources, LabelTable.read(), RELATIONS).look_up("cup")
    assert known.entity is not None and known.entity.id == "Q81727"
    assert told(known, "snapshot:wikidata-sample")["cup: material used ceramic."] == 1
    assert told(known, "snapshot:home") == {
        "Cup: has part (some) Handle.": 1,
        "Cup is a kind of Vessel.": 1,
        "Cup: kept in (value) cupboard1.": 2,
    }


def test_near_matches_come_from_all_sources(source: SnapshotSource, home: SnapshotSource) -> None:
    known = ClassLookup([source, home], LabelTable.read(), RELATIONS).look_up("cupp")
    assert known.entity is None and not known.facts
    assert {"Q81727", "http://example.org/home#Cup"} <= {hit.id for hit in known.near}
    assert [hit.score for hit in known.near] == sorted(
        (hit.score for hit in known.near), reverse=True
    )


def test_what_is_said_of_members_can_be_chosen(home: SnapshotSource) -> None:
    base = "http://example.org/home#"

    def texts(*relations: str, chain: int = 3) -> set[str]:
        known = ClassLookup([home], LabelTable.read(), relations, chain=chain).look_up("cup")
        return {fact.claim.text for fact in known.facts}

    assert texts(base + "hasPart") == {"Cup: has part (some) Handle."}
    assert texts(class_property(base + "hasPart")) == {"Cup: has part (some) Handle."}
    assert texts(SUBCLASS, chain=0) == {"Cup: has part (some) Handle."}
    assert texts("P279", "P186") == set()
    vessel = ClassLookup([home], LabelTable.read(), [class_property(base + "holds", ONLY)]).look_up(
        "vessel"
    )
    assert [fact.claim.text for fact in vessel.facts] == ["Vessel: holds (only) Liquid."]


@pytest.fixture(scope="module")
def soma(shared_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SnapshotSource]:
    with open_snapshot(soma_snapshot(shared_dir, tmp_path_factory.mktemp("soma"))) as opened:
        yield opened


@pytest.mark.parametrize("label", COCO_NAMES)
def test_every_household_class_with_soma(
    source: SnapshotSource, soma: SnapshotSource, label: str
) -> None:
    known = ClassLookup([source, soma], LabelTable.read(), RELATIONS).look_up(label)
    assert known.entity is not None and known.entity.id == COCO_NAMES[label]
    ours, theirs = told(known, "snapshot:wikidata-sample"), told(known, "snapshot:soma")
    assert len(ours) + len(theirs) == len(known.facts)
    assert bool(ours) == (label not in WITHOUT_FACTS)
    assert bool(theirs) == (label in SOMA_CLASSES)
    for fact in known.facts:
        subject = fact.claim.support.evidence[0].triple.subject
        assert subject in (COCO_NAMES[label], SOMA + SOMA_CLASSES.get(label, ""))


def test_soma_says_what_a_cup_has_and_is_good_for(
    source: SnapshotSource, soma: SnapshotSource
) -> None:
    theirs = told(lookup(soma).look_up("cup"), "snapshot:soma")
    assert theirs["Cup: has physical component (some) Designed handle."] == 1
    assert theirs["Cup: has disposition (some) Containment."] == 3
    assert not [text for text in theirs if "kind of has" in text]
