"""General knowledge: the tables it stands in, and what the world says by them."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from robodata_core import RoboData

SCRIPTS = Path(__file__).resolve().parents[3] / "scripts"
TABLES = SCRIPTS / "data" / "general"
DATE = re.compile(r"-?\d{1,4}(-\d\d)?(-\d\d)?")
NAMING = ("thing", "aliases", "class", "description")


def _rows(path: Path) -> Iterator[dict[str, list[str]]]:
    head, *lines = path.read_text(encoding="utf-8").splitlines()
    names = head.split("\t")
    for line in lines:
        cells = line.split("\t")
        assert len(cells) <= len(names), line
        yield {name: cell.split("|") for name, cell in zip(names, cells, strict=False) if cell}


def _columns() -> dict[tuple[str, str], str]:
    lines = (SCRIPTS / "data" / "general_columns.tsv").read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")][1:]
    return {(table, row[1]): row[3] for row in rows for table in row[0].split("|")}


@pytest.mark.parametrize("path", sorted(TABLES.glob("*.tsv")), ids=lambda path: path.stem)
def test_a_table_is_shaped_as_its_columns_say(path: Path) -> None:
    columns = _columns()
    names: Counter[str] = Counter()
    for row in _rows(path):
        names[row["thing"][0]] += 1
        for name, values in row.items():
            kind = columns.get((path.stem, name)) or columns.get(("*", name), "")
            for value in values:
                assert value == value.strip() != "", row
                if kind == "date":
                    assert DATE.fullmatch(value), (row["thing"], name, value)
                if kind.startswith("number"):
                    assert Decimal(value).is_finite(), (row["thing"], name, value)
    # Who holds an office may hold it twice.
    assert path.stem == "offices" or max(names.values()) == 1, names.most_common(3)


def test_every_column_is_told_of() -> None:
    columns = _columns()
    apart = {("awards", "category"), ("awards", "work")}
    for path in TABLES.glob("*.tsv"):
        if path.stem == "offices":
            continue
        for name in path.read_text(encoding="utf-8").splitlines()[0].split("\t"):
            known = (path.stem, name) in columns or ("*", name) in columns
            assert known or name in NAMING or (path.stem, name) in apart, (path.stem, name)


@pytest.fixture(scope="module")
def world() -> Iterator[RoboData]:
    with RoboData.open(source="snapshot:world", policy="offline") as robodata:
        yield robodata


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who composed The Magic Flute?", "Wolfgang Amadeus Mozart"),
        ("Who founded Microsoft?", "Bill Gates"),
        ("Which animals eat bamboo?", "giant panda"),
        ("In which museum is The Night Watch?", "Rijksmuseum"),
        ("What is the holy book of Islam?", "Koran"),
        ("What are the moons of Mars?", "Phobos"),
        ("Who was the father of Elizabeth II?", "George VI"),
    ],
)
def test_what_everybody_knows_is_told_with_where_it_is_from(
    world: RoboData, question: str, expected: str
) -> None:
    answer = world.ask(question)
    assert expected in {item.label for item in answer.results}
    evidence = [one for claim in answer.claims for one in claim.support.evidence]
    origins = [source.origin for one in evidence for source in one.provenance]
    assert any("general-knowledge" in origin for origin in origins)


def test_an_organ_of_the_body_is_none_that_is_played(world: RoboData) -> None:
    answer = world.ask("Is the heart a musical instrument?")
    assert [item.value for item in answer.results] != [True]


@pytest.mark.skipif(not SCRIPTS.is_dir(), reason="the scripts are not beside the package")
@pytest.mark.parametrize(
    ("text", "year", "month", "day"),
    [("1813", 1813, 0, 0), ("-0044-03-15", -43, 3, 15), ("1969-07", 1969, 7, 0)],
)
def test_dates_are_counted_as_rdf_does(text: str, year: int, month: int, day: int) -> None:
    sys.path.insert(0, str(SCRIPTS))
    try:
        from world.general_tables import read_date
    finally:
        sys.path.remove(str(SCRIPTS))
    date = read_date(text)
    assert date is not None
    assert (date.year, date.month or 0, date.day or 0) == (year, month, day)
