"""States what WordNet's named things are, where they lie, and what their glosses say.

WordNet says of a thing what it is an instance of, what it is part of, and in a gloss what
``world.glosses`` reads. A property of which a value is stated is never stated again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from wikidata_sample.facts import Fact

from robodata_core.model import EntityValue, Value
from world import glosses
from world.factbook import fold
from world.joining import HUMAN, Known
from world.things import Things
from world.wordnet_join import NO_NAME, Joined, names_of_a_person
from world.wordnet_table import GENERIC, ORDER, PLACES, Entry

__all__ = ["DATASET", "WordNet"]

DATASET = "wordnet-things"
SETTLEMENT = "Q486972"
WARS: Final = frozenset({"Q198", "Q831663"})
#: How a thing of a kind is related to a sea or a river that it is part of.
WATERS: Final = {"water": "P361", "island": "P206", "land": "P206"}
#: Before, people were of countries that are no more.
FIRST_NATIONAL = 1850


class WordNet:
    """What is stated of the things that were joined.

    Args:
        joined: Which things they are.
        known: What the world has.
        things: Names and descriptions; missing ones are added.
    """

    def __init__(self, joined: Joined, known: Known, things: Things) -> None:
        self._joined = joined
        self._known = known
        self._things = things

    def facts(self) -> Iterator[Fact]:
        """Yield what WordNet says and nothing else does; add descriptions and names."""
        for synset, id_ in sorted(self._joined.ids.items(), key=lambda pair: pair[0]):
            entry = self._joined.entries[synset]
            thing = self._things[id_]
            if not thing.description:
                thing.description = glosses.short(entry.gloss)
            self._more_names(entry, id_)
            told = list(self._classed(entry, id_))
            told += self._of_person(entry) if entry.kind == "person" else ()
            told += self._of_event(entry) if entry.kind == "event" else ()
            told += self._placed(entry, id_) if entry.kind != "person" else ()
            if entry.kind in ("land", "water") and (size := glosses.measure(entry.gloss)):
                told.append(size)
            stated = {prop for prop, _ in told if self._known.states(id_, prop)}
            if self._known.ids(id_, "P31") <= GENERIC or entry.kind == "celestial":
                stated.discard("P31")
            for prop, value in dict.fromkeys(told):
                if prop not in stated and value != EntityValue(id_):
                    yield Fact(id_, prop, value, (DATASET,))

    def _more_names(self, entry: Entry, id_: str) -> None:
        if id_ in self._joined.new or entry.kind == "event":
            return
        for name in names_of_a_person(entry.full) if entry.kind == "person" else entry.full:
            if not NO_NAME.search(name) and not self._known.bearers(name):
                self._known.name(id_, name)
                self._things[id_].name(name, votes=0)

    def _classed(self, entry: Entry, id_: str) -> Iterator[tuple[str, Value]]:
        if entry.kind == "person":
            yield "P31", EntityValue(HUMAN)
            for row in entry.rows:
                if row.kind == "person" and row.item:
                    yield "P106", EntityValue(row.item)
            return
        items = dict.fromkeys(row.item for row in entry.rows if row.kind == entry.kind)
        if SETTLEMENT in items and len(items) > 1:
            del items[SETTLEMENT]  # "a city and port": the city says it
        for item in items:
            yield "P31", EntityValue(item)

    def _of_person(self, entry: Entry) -> Iterator[tuple[str, Value]]:
        born, died = glosses.life(entry.gloss)
        if born is not None:
            yield "P569", glosses.year_value(born)
        if died is not None:
            yield "P570", glosses.year_value(died)
        places = self._known.bearers(glosses.birthplace(entry.gloss))
        lands = sorted(id_ for id_ in places if self._known.is_a(id_, "country"))
        if len(lands) == 1:
            yield "P19", EntityValue(lands[0])
        nation = self._joined.demonyms.get(fold(glosses.nationality(entry.gloss)))
        if nation and born is not None and born >= FIRST_NATIONAL:
            yield "P27", EntityValue(nation)

    def _of_event(self, entry: Entry) -> Iterator[tuple[str, Value]]:
        if entry.items & WARS and (span := glosses.years(entry.gloss)):
            yield "P580", glosses.year_value(span[0])
            yield "P582", glosses.year_value(span[1])
        elif (year := glosses.at(entry.gloss)) is not None:
            yield "P585", glosses.year_value(year)
        for region in entry.regions:
            id_ = self._joined.ids.get(region)
            if id_ and self._joined.entries[region].kind in PLACES:
                yield "P17" if id_ in self._joined.countries else "P276", EntityValue(id_)

    def _placed(self, entry: Entry, id_: str) -> Iterator[tuple[str, Value]]:
        """Yield what a thing is part of, by the relation that is meant."""
        countries = self._joined.countries
        wholes = [(self._joined.ids.get(part, id_), part) for part in entry.parts]
        for whole, part in wholes:
            prop = "" if whole == id_ else self._relation(entry, id_, whole, part)
            if prop:
                yield prop, EntityValue(whole)
        lands = self._joined.homes(entry) & countries
        if self._lies(entry, id_) and len(lands) == 1:
            yield "P17", EntityValue(lands.pop())
        for group in entry.members if entry.kind == "celestial" else ():
            if group in self._joined.ids:
                yield "P361", EntityValue(self._joined.ids[group])

    def _lies(self, entry: Entry, id_: str) -> bool:
        """Tell whether a thing lies in a country and is none."""
        place = entry.kind in PLACES or entry.kind == "organisation"
        return place and id_ not in self._joined.countries

    def _relation(self, entry: Entry, id_: str, whole: str, part: str) -> str:
        """Return the relation of a thing to what it is part of; empty if none is meant."""
        above = self._joined.entries[part]
        if whole in self._joined.countries:
            return "P17" if self._lies(entry, id_) else ""
        if above.kind in ("country", "continent"):
            return "P30" if above.kind == "continent" and entry.kind in ORDER else ""
        if above.kind == "water":
            return WATERS.get(entry.kind, "")
        if above.kind in ("region", "settlement", "quarter") and self._lies(entry, id_):
            return "P131" if above.kind == "settlement" or above.items - GENERIC else "P276"
        return "P361"
