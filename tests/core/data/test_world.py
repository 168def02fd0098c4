"""The snapshot that is asked by default: its size, its origins, its spot checks, and its facts."""

from __future__ import annotations

import csv
import gzip
import json
import lzma
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from robodata_core.config import DEFAULT_SOURCE
from robodata_core.model import Direction, EntityValue, QuantityValue, Statement, TimeValue
from robodata_core.sources.snapshot import SnapshotSource, find_snapshot, open_snapshot
from tests.conftest import ROOT

LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
LICENCES = ("CC-BY-2.5", "CC-BY-4.0", "CC0-1.0", "MIT", "Apache-2.0", "BSD", "public domain")
#: How ids begin of what has a label and is no thing: data sets, and relations of our own.
OTHERS = ("urn:robodata:dataset:", "urn:robodata:general:property:", "http://rdf.freebase.com/ns/")
JOINED = ("wordnet-things", "calendar-birthdays", "mendeleev-elements", "geonames")


@pytest.fixture(scope="module")
def world() -> Iterator[SnapshotSource]:
    with open_snapshot("world") as source:
        yield source


def named(world: SnapshotSource, name: str) -> str:
    """The best match of a name, which must be exact."""
    hits = world.lookup_names([name])
    return hits[name][0].id


def stated(world: SnapshotSource, name: str, prop: str) -> tuple[Statement, ...]:
    return world.statements(named(world, name), property=prop).statements


def values(world: SnapshotSource, name: str, prop: str) -> set[str]:
    ids = [s.value.id for s in stated(world, name, prop) if isinstance(s.value, EntityValue)]
    return {entity.label for entity in world.entities(ids).values()}


def qualifier(statement: Statement, prop: str) -> object:
    return next((snak.value for snak in statement.qualifiers if snak.property == prop), None)


# -- the whole ------------------------------------------------------------------------------------


def test_it_is_the_default_and_large_enough(world: SnapshotSource) -> None:
    assert DEFAULT_SOURCE == "snapshot:world"
    counts = world.manifest.counts
    assert counts["triples"] >= 300_000
    assert counts["entities"] >= 18_000
    assert world.problems() == []


def test_a_question_of_a_fresh_user_is_answered_from_it(tmp_path: Path) -> None:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("ROBODATA_")}
    done = subprocess.run(
        [sys.executable, "-m", "robodata_core.cli", "ask", "--json", "Who directed The Shining?"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env=environment,
    )
    answer = json.loads(done.stdout)
    assert answer["status"] == "answered", done.stderr
    assert [result["label"] for result in answer["results"]] == ["Stanley Kubrick"]
    support = answer["claims"][0]["support"][0]
    assert support["provenance"]["source"] == "snapshot:world"


def test_every_data_set_says_whose_it_is_and_of_which_year(world: SnapshotSource) -> None:
    notice = ROOT / "NOTICE"
    text = notice.read_text(encoding="utf-8") if notice.is_file() else ""
    for source in world.manifest.sources:
        assert source["year"] and source["source"] and source["note"]
        assert any(name in source["licence"] for name in LICENCES), source["name"]
        assert int(source["facts"]) > 0, source["name"]
        assert not text or f"\n  {source['name']} " in text, source["name"]


def test_every_statement_names_its_data_sets(world: SnapshotSource) -> None:
    known = {source["name"] for source in world.manifest.sources}
    for name in ("Germany", "Stanley Kubrick", "Mount Fuji", "Harvard University"):
        page = world.statements(named(world, name), limit=500)
        assert page.statements
        for statement in page.statements:
            assert statement.origin and set(statement.origin.split("+")) <= known


@pytest.fixture(scope="module")
def items(world: SnapshotSource) -> list[str]:
    """Ids of all things that have a label, from the file: no store is made for it."""
    with lzma.open(world.folder / "graph.nq.xz", "rt", encoding="utf-8") as file:
        subjects = {line.split("> ", 1)[0] for line in file if f"> <{LABEL}> " in line}
    ids = (iri[1:].removeprefix("http://www.wikidata.org/entity/") for iri in subjects)
    return sorted(id_ for id_ in ids if not id_.startswith(("P", *OTHERS)))


def test_as_many_have_a_label_as_it_says(items: list[str]) -> None:
    assert len(items) > 18_000


@pytest.mark.parametrize("part", [0, 1])
def test_nearly_everything_has_a_label_a_class_and_a_description(
    world: SnapshotSource, items: list[str], part: int
) -> None:
    entities = list(world.entities(items[4 * part :: 8]).values())
    assert len(entities) > 18_000 // 8
    labelled = sum(1 for entity in entities if entity.label)
    # A kind is an instance of nothing; it has a class above it.
    kinds = [entity.id for entity in entities if not entity.types]
    below = world.statements_many(kinds, property="P279", limit=1)
    classed = len(entities) - sum(1 for id_ in kinds if not below[id_].statements)
    described = sum(1 for entity in entities if entity.description)
    assert labelled >= 0.999 * len(entities)
    assert classed >= 0.9 * len(entities)
    assert described >= 0.9 * len(entities)


# -- facts and their circumstances ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "prop", "expected"),
    [
        ("Germany", "P36", {"Berlin"}),
        ("Germany", "P47", {"Poland", "Denmark", "France", "Switzerland"}),
        ("The Shining", "P57", {"Stanley Kubrick"}),
        ("Japan", "P610", {"Mount Fuji"}),
        ("The Beatles", "P136", {"rock music", "pop music"}),
        ("Brazil", "P38", {"real"}),
        ("Thailand", "P38", {"baht"}),
        ("United States of America", "P38", {"United States dollar"}),
        ("Tuvalu", "P38", {"Tuvaluan dollar", "Australian dollar"}),
        ("Barack Obama", "P21", {"male"}),
        ("Angelina Jolie", "P21", {"female"}),
        ("Switzerland", "P37", {"German", "French", "Italian"}),
    ],
)
def test_what_strangers_ask_first_is_there(
    world: SnapshotSource, name: str, prop: str, expected: set[str]
) -> None:
    assert expected <= values(world, name, prop)


def test_figures_are_typed_and_dated(world: SnapshotSource) -> None:
    (population,) = stated(world, "Germany", "P1082")
    assert isinstance(population.value, QuantityValue) and population.value.amount > 80_000_000
    when = qualifier(population, "P585")
    assert isinstance(when, TimeValue) and when.year >= 2020 and when.precision == 9
    (area,) = stated(world, "Germany", "P2046")
    assert isinstance(area.value, QuantityValue) and area.value.unit == "Q712226"


@pytest.mark.parametrize(
    ("name", "prop", "year"),
    [
        ("Pulp Fiction", "P577", 1994),
        ("Fiddler on the Roof", "P577", 1971),
        ("Cheers", "P582", 1993),
        ("World War II", "P580", 1939),
        ("1996 Summer Olympics", "P585", 1996),
        ("America Ferrera", "P569", 1984),
        ("Vincent van Gogh", "P570", 1890),
        ("Austria-Hungary", "P576", 1918),
        ("Foo Fighters", "P571", 1994),
        # Years of an office, of a former name, of several spans, and of a company.
        ("John Adams", "P569", None),
        ("Louis XIV of France", "P569", None),
        ("3D Realms", "P571", None),
        ("Kingdom of England", "P571", None),
        ("Data East", "P569", None),
    ],
)
def test_years_are_those_that_descriptions_say_of_the_thing_itself(
    world: SnapshotSource, name: str, prop: str, year: int | None
) -> None:
    # Of Louis XIV another source says the year of birth.
    told = [s.value for s in stated(world, name, prop) if s.origin not in JOINED]
    assert all(isinstance(value, TimeValue) and value.precision == 9 for value in told)
    assert [getattr(value, "year", None) for value in told] == ([year] if year else [])


def test_what_a_description_says_stands_where_nothing_is_stated(world: SnapshotSource) -> None:
    films = world.statements("Q11424", direction=Direction.IN, property="P31", limit=3_000)
    checked = 0
    for film in films.statements:
        found = world.statements(film.subject, property="P57").statements
        origins = {statement.origin for statement in found}
        checked += "wikidata-descriptions" in origins
        assert origins == {"wikidata-descriptions"} or "wikidata-descriptions" not in origins
    assert checked > 50


def test_who_leads_a_country_is_dated_with_the_edition(world: SnapshotSource) -> None:
    statements = stated(world, "France", "P35")
    assert statements
    dated = [s for s in statements if s.origin == "factbook-2026"]
    assert dated and all(isinstance(qualifier(s, "P585"), TimeValue) for s in dated)


def test_of_what_changes_the_newest_stands(world: SnapshotSource) -> None:
    (now,) = stated(world, "Canada", "P35")
    assert now.origin == "factbook-2026"
    every = world.statements(named(world, "Canada"), property="P35", all_ranks=True).statements
    older = [statement for statement in every if statement != now]
    assert older and all(isinstance(qualifier(s, "P585"), TimeValue) for s in older)


def test_places_of_one_name_are_told_apart(world: SnapshotSource) -> None:
    for country, capital in (("Jamaica", "Kingston"), ("Costa Rica", "San José")):
        statements = stated(world, country, "P36")
        (city,) = {s.value.id for s in statements if isinstance(s.value, EntityValue)}
        assert world.entity(city).label == capital
        countries = world.statements(city, property="P17").statements
        assert {s.value for s in countries} == {EntityValue(named(world, country))}


def test_two_step_relations_have_qualifiers_where_only_one_fits(world: SnapshotSource) -> None:
    nominated = "http://rdf.freebase.com/ns/award.award_nominee.award_nominations/"
    prop = nominated + "award.award_nomination.award"
    found = [
        statement
        for name in ("Stanley Kubrick", "Meryl Streep", "Martin Scorsese")
        for statement in stated(world, name, prop)
    ]
    assert found
    works = [qualifier(statement, "P1686") for statement in found]
    assert any(isinstance(work, EntityValue) for work in works)


def test_no_held_out_triple_of_codex_is_taken_from_codex(
    world: SnapshotSource, shared_dir: Path
) -> None:
    with gzip.open(shared_dir / "codex" / "codex_s_valid.tsv.gz", "rt") as file:
        rows = list(csv.reader(file, delimiter="\t"))
    for head, prop, tail in random.Random(7).sample(rows, 300):
        for statement in world.statements(head, property=prop).statements:
            if statement.value == EntityValue(tail):
                assert "codex" not in statement.origin, (head, prop, tail)


# -- what is joined by name ------------------------------------------------------------------------


def test_a_thing_that_two_sources_name_is_one_thing(world: SnapshotSource) -> None:
    for name in ("Wolfgang Amadeus Mozart", "Frédéric Chopin", "Paris", "Dead Sea", "iron"):
        hits = world.lookup_names([name])[name]
        same = [hit for hit in hits if world.statements(hit.id, property="P31").statements]
        classes = [tuple(sorted(world.entity(hit.id).types)) for hit in same]
        assert len(set(classes)) == len(classes), name
    assert named(world, "Wolfgang Amadeus Mozart") == "Q254"


def test_a_namesake_of_another_time_and_trade_is_not_the_same(world: SnapshotSource) -> None:
    # Queens, dramatists and captains of before, who are called as people of today are.
    for name in ("Jane Seymour", "Anne Hathaway", "Thomas Dekker", "John Paul Jones"):
        for prop in ("P569", "P570"):
            assert all(
                not isinstance(s.value, TimeValue) or s.value.year > 1900
                for s in stated(world, name, prop)
            ), name


@pytest.mark.parametrize(
    ("name", "prop", "expected"),
    [
        ("Wolfgang Amadeus Mozart", "P569", TimeValue(1756, 1, 27)),
        ("Wilhelm Ostwald", "P570", TimeValue(1932, precision=9)),
        # A day takes the place of a year that WordNet gave.
        ("Marie Curie", "P570", TimeValue(1934, 7, 4)),
        # Its calendar is not known, so that the day is not.
        ("Johann Sebastian Bach", "P569", TimeValue(1685, precision=9)),
        ("Battle of Waterloo", "P585", TimeValue(1815, precision=9)),
        # A year before the first one is counted as RDF does.
        ("Epicurus", "P569", TimeValue(-340, precision=9)),
    ],
)
def test_dates_are_as_fine_as_their_source_says(
    world: SnapshotSource, name: str, prop: str, expected: TimeValue
) -> None:
    (date,) = stated(world, name, prop)
    assert date.value == expected


@pytest.mark.parametrize(
    ("name", "prop", "expected"),
    [
        ("Eiffel Tower", "P17", "France"),
        ("Baikal", "P17", "Russia"),
        ("Marie Curie", "P106", "chemist"),
        ("radium", "P61", "Marie Curie"),
        ("Munich", "P17", "Germany"),
    ],
)
def test_what_is_joined_leads_to_things_of_the_world(
    world: SnapshotSource, name: str, prop: str, expected: str
) -> None:
    assert expected in values(world, name, prop)


def test_codes_and_symbols_are_texts(world: SnapshotSource) -> None:
    for name, prop, expected in (
        ("Germany", "P78", ".de"),
        ("Italy", "P474", "+39"),
        ("Japan", "P297", "JP"),
        ("carbon", "P246", "C"),
    ):
        (statement,) = stated(world, name, prop)
        assert getattr(statement.value, "text", None) == expected


def test_every_joined_statement_has_a_licence(world: SnapshotSource) -> None:
    licences = {source["name"]: source["licence"] for source in world.manifest.sources}
    found = set()
    for name in ("Marie Curie", "Johann Sebastian Bach", "Frédéric Chopin", "helium", "Osaka"):
        for statement in world.statements(named(world, name), limit=500).statements:
            for origin in statement.origin.split("+"):
                assert licences[origin]
                found.add(origin)
    assert found >= set(JOINED)


# -- how it was made ------------------------------------------------------------------------------


def test_the_decisions_about_relations_carry_their_grounds() -> None:
    path = ROOT / "scripts" / "data" / "freebase_decisions.tsv"
    if not path.is_file():
        pytest.skip("the tests do not run from a checkout")
    lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    rows = list(csv.DictReader(lines, delimiter="\t"))
    assert len(rows) == 238  # 237 relations, one of them in two parts
    mapped = [row for row in rows if row["property"]]
    assert len(mapped) >= 50
    for row in mapped:
        assert row["basis"] in ("facts", "questions") and int(row["agree"]) >= 5
    assert all(row["basis"] == "none" for row in rows if not row["property"])


def test_the_files_are_small_enough_for_the_wheel() -> None:
    folder = find_snapshot("world")
    # The graph is packed already: a wheel makes it no smaller. All data have 28 MB.
    packed = sum(len(gzip.compress(path.read_bytes(), 6)) for path in folder.iterdir())
    assert packed < 20_000_000
