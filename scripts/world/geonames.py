"""Joins GeoNames' cities and countries with those of the world.

A city is the same if name and country are, and the state in the United States. One of many people
that the world has not is new; a smaller one is only joined. What is stated already is left alone.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from wikidata_sample.facts import Fact
from wikidata_sample.names import read_table

from robodata_core.model import (
    CoordinateValue,
    EntityValue,
    ExternalIdValue,
    QuantityValue,
    StringValue,
    Value,
)
from world.factbook import fold
from world.joining import Known
from world.things import Things

__all__ = ["DATASET", "GeoNames"]

DATASET = "geonames"
NEW = "https://sws.geonames.org/"
CITIES = ("id", "name", "country", "state", "population", "latitude", "longitude")
COUNTRIES = ("iso", "iso3", "id", "name", "domain", "calling code", "continent")
CONTINENTS = {
    "AF": "Q15", "AN": "Q51", "AS": "Q48", "EU": "Q46", "NA": "Q49", "OC": "Q55643", "SA": "Q18",
}  # fmt: skip
CITY = "Q515"
LEAST_NEW = 500_000


@dataclass(frozen=True, slots=True)
class City:
    """A row of the table."""

    id: str
    name: str
    country: str
    state: str
    population: int
    latitude: float
    longitude: float


class GeoNames:
    """Both tables, joined.

    Args:
        tables: Folder with the tables.
        known: What the world has by now.
        things: Names and descriptions; new cities are added.
    """

    def __init__(self, tables: Path, known: Known, things: Things) -> None:
        self._tables = tables
        self._known = known
        self._things = things
        self._ids: dict[str, str] = {}
        self._names_of_people = {
            token for id_ in known.all_of("person") for token in fold(things[id_].label).split()
        }

    def facts(self) -> Iterator[Fact]:
        """Yield what is missing of countries, then of cities."""
        for id_, told in (*self._of_countries(), *self._of_cities()):
            for prop in dict.fromkeys(prop for prop, _ in told):
                if not self._known.states(id_, prop):
                    for value in (value for other, value in told if other == prop):
                        yield Fact(id_, prop, value, (DATASET,))

    def _of_countries(self) -> Iterator[tuple[str, list[tuple[str, Value]]]]:
        for iso, iso3, _, name, domain, codes, continent in read_table(
            self._tables / "geonames_countries.tsv", COUNTRIES
        ):
            found = self._known.bearers(name)
            lands = sorted(id_ for id_ in found if self._known.is_a(id_, "country"))
            labelled = [id_ for id_ in lands if fold(self._things[id_].label) == fold(name)]
            lands = labelled if len(lands) > 1 else lands
            if len(lands) != 1:
                continue
            self._ids[iso] = lands[0]
            told: list[tuple[str, Value]] = [
                ("P297", ExternalIdValue(iso)), ("P298", ExternalIdValue(iso3)),
                ("P30", EntityValue(CONTINENTS[continent])),
            ]  # fmt: skip
            told += [("P474", StringValue(code)) for code in codes.split("|") if code]
            if domain:
                told.append(("P78", StringValue(domain)))
            yield lands[0], told

    def _of_cities(self) -> Iterator[tuple[str, list[tuple[str, Value]]]]:
        rows = [
            City(id_, name, country, state, int(people), float(north), float(east))
            for id_, name, country, state, people, north, east in read_table(
                self._tables / "geonames_cities.tsv", CITIES
            )
            if country in self._ids
        ]
        alike = Counter((fold(one.name), one.country, one.state) for one in rows)
        named = Counter(fold(one.name) for one in rows if one.population >= LEAST_NEW)
        joined: dict[str, list[City]] = defaultdict(list)
        new = []
        for one in rows:
            if alike[fold(one.name), one.country, one.state] > 1:
                continue
            id_ = self._same(one)
            if id_:
                joined[id_].append(one)
            elif id_ is None and one.population >= LEAST_NEW and named[fold(one.name)] == 1:
                new.append(one)
        for id_, found in joined.items():
            if len(found) == 1:
                yield id_, self._told(found[0])
        for one in new:
            key = fold(one.name)
            if self._known.bearers(one.name) or key in self._names_of_people:
                continue
            id_ = f"{NEW}{one.id}/"
            self._things[id_].name(one.name)
            self._known.name(id_, one.name, label=True)
            country = self._things[self._ids[one.country]].label
            self._things[id_].description = f"city in {country}"
            yield id_, [("P31", EntityValue(CITY)), *self._told(one)]

    def _same(self, city: City) -> str | None:
        """Return the id of the city in the world; None if there is none, empty if in doubt."""
        country = self._ids[city.country]
        bearers = [
            id_ for id_ in self._known.bearers(city.name) if self._known.is_a(id_, "settlement")
        ]
        place = city.state or self._things[country].label
        fits = [
            id_
            for id_ in sorted(bearers)
            if (not city.state and country in self._known.lies_in(id_))
            or self._known.says_of(id_, place)
            or any(self._things[home].label == place for home in self._known.lies_in(id_))
        ]
        if len(fits) == 1:
            return fits[0]
        return "" if bearers else None

    def _told(self, city: City) -> list[tuple[str, Value]]:
        return [
            ("P17", EntityValue(self._ids[city.country])),
            ("P1082", QuantityValue(Decimal(city.population))),
            ("P625", CoordinateValue(city.latitude, city.longitude)),
        ]
