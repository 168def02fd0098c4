"""Finds what a name of another data set means among the things of the world.

A thing is the same if it has the name, is of the same kind, and nothing known of the two differs.
Names are compared folded (no accents, case, articles or punctuation). A name that somebody bears
already is never given to a new thing: it would no longer mean what it meant.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Final

from wikidata_sample.facts import Fact

from robodata_core.model import EntityValue, MonolingualTextValue, TimeValue, Value
from world.factbook import fold
from world.things import Things

__all__ = ["HUMAN", "KINDS", "STAGE", "Known", "kinds_below", "upward"]

HUMAN: Final = "Q5"
# What is above the classes of a kind, and what must not be.
KINDS: Final[Mapping[str, tuple[frozenset[str], frozenset[str]]]] = {
    "person": (frozenset({HUMAN}), frozenset()),
    "settlement": (frozenset({"Q486972"}), frozenset()),
    "quarter": (frozenset({"Q5195043", "Q486972", "Q123705"}), frozenset()),
    "region": (frozenset({"Q56061", "Q82794", "Q48349"}), frozenset({"Q486972", "Q23442"})),
    "country": (frozenset({"Q6256", "Q161243", "Q3624078"}), frozenset()),
    "island": (frozenset({"Q23442", "Q33837"}), frozenset({"Q6256"})),
    "continent": (frozenset({"Q5107"}), frozenset()),
    "water": (frozenset({"Q15324", "Q4022", "Q23397", "Q165", "Q9430", "Q34038"}), frozenset()),
    "land": (frozenset({"Q271669", "Q8502", "Q82794"}), frozenset({"Q56061", "Q486972", "Q6256"})),
    "building": (frozenset({"Q41176", "Q811979", "Q33506"}), frozenset()),
    "organisation": (frozenset({"Q43229"}), frozenset()),
    "event": (frozenset({"Q1656682", "Q180684"}), frozenset()),
    "celestial": (frozenset({"Q6999", "Q634"}), frozenset()),
    "being": (frozenset({"Q95074", "Q4271324", "Q178885"}), frozenset()),
    "work": (frozenset({"Q386724", "Q571", "Q131569", "Q179461"}), frozenset()),
    "element": (frozenset({"Q11344"}), frozenset()),
}

#: Actor, singer, musician, film actor, film producer, record producer, songwriter.
STAGE: Final = frozenset(
    {"Q33999", "Q177220", "Q639669", "Q10800557", "Q3282637", "Q183945", "Q753110"}
)


class Known:
    """Names, classes and facts of the world, as far as other data sets have told them.

    Args:
        things: Names and descriptions.
        facts: What is stated.
        mentioned: Ids of the things that are in the graph.
    """

    def __init__(self, things: Things, facts: Iterable[Fact], mentioned: Collection[str]) -> None:
        self._things = things
        self._above: dict[str, set[str]] = defaultdict(set)
        self._classes: dict[str, set[str]] = defaultdict(set)
        self._values: dict[tuple[str, str], list[Value]] = defaultdict(list)
        self._bearers: dict[str, dict[str, bool]] = defaultdict(dict)
        self._closures: dict[str, frozenset[str]] = {}
        for fact in facts:
            self.note(fact)
        for id_ in mentioned:
            self.name(id_, things[id_].label, label=True)
            for alias in things[id_].aliases:
                self.name(id_, alias)

    def note(self, fact: Fact) -> None:
        """Take a fact."""
        self._values[fact.subject, fact.prop].append(fact.value)
        if isinstance(fact.value, EntityValue):
            if fact.prop == "P279":
                self._above[fact.subject].add(fact.value.id)
                self._closures.clear()
            elif fact.prop == "P31":
                self._classes[fact.subject].add(fact.value.id)
                self._closures.pop(fact.subject, None)

    def name(self, id_: str, name: str, *, label: bool = False) -> None:
        """Take a name of a thing."""
        if key := fold(name):
            bearers = self._bearers[key]
            bearers[id_] = bearers.get(id_, False) or label

    def bearers(self, name: str, *, labelled: bool = False) -> set[str]:
        """Return who bears a name, or has it for a label."""
        found = self._bearers.get(fold(name), {})
        return {id_ for id_, label in found.items() if label or not labelled}

    def states(self, id_: str, prop: str) -> bool:
        """Tell whether a property of a thing is stated."""
        return (id_, prop) in self._values

    def ids(self, id_: str, prop: str) -> set[str]:
        """Return the things that are values of a property."""
        values = self._values.get((id_, prop), ())
        return {value.id for value in values if isinstance(value, EntityValue)}

    def year(self, id_: str, prop: str) -> int | None:
        """Return the year of a date."""
        return next((date.year for date in self.dates(id_, prop)), None)

    def dates(self, id_: str, prop: str) -> list[TimeValue]:
        """Return the dates that are values of a property."""
        values = self._values.get((id_, prop), ())
        return [value for value in values if isinstance(value, TimeValue)]

    def texts(self, id_: str, prop: str) -> list[str]:
        """Return the texts that are values of a property."""
        values = self._values.get((id_, prop), ())
        return [value.text for value in values if isinstance(value, MonolingualTextValue)]

    def kinds_of(self, id_: str) -> list[str]:
        """Return the kinds that a thing's classes are of."""
        return kinds_below(self._closure(id_))

    def is_a(self, id_: str, kind: str) -> bool:
        """Tell whether a thing's classes are of a kind."""
        return _is_below(self._closure(id_), kind)

    def all_of(self, kind: str) -> list[str]:
        """Return all things of a kind."""
        return sorted(id_ for id_ in self._classes if self.is_a(id_, kind))

    def lies_in(self, id_: str) -> set[str]:
        """Return the places that a thing is said to be in, and those that these are in."""
        found: set[str] = set()
        waiting = [id_]
        while waiting:
            place = waiting.pop()
            for prop in ("P17", "P131"):
                new = self.ids(place, prop) - found - {id_}
                found |= new
                waiting += sorted(new)
        return found

    def says_of(self, id_: str, name: str) -> bool:
        """Tell whether a thing's description has a name in it."""
        return f" {fold(name)} " in f" {fold(self._things[id_].description)} "

    def above(self, class_: str) -> set[str]:
        """Return a class and all that is above it."""
        return upward((class_,), self._above)

    def _closure(self, id_: str) -> frozenset[str]:
        known = self._closures.get(id_)
        if known is None:
            classes = self._classes.get(id_, ())
            known = self._closures[id_] = frozenset(upward(classes, self._above))
        return known


def upward(ids: Iterable[str], above: Mapping[str, Collection[str]]) -> set[str]:
    """Return some classes and all that is above them."""
    found: set[str] = set()
    waiting = list(ids)
    while waiting:
        id_ = waiting.pop()
        if id_ not in found:
            found.add(id_)
            waiting += above.get(id_, ())
    return found


def kinds_below(above: Collection[str]) -> list[str]:
    """Return the kinds that something is of, by its classes and all that is above them."""
    return [kind for kind in KINDS if _is_below(above, kind)]


def _is_below(above: Collection[str], kind: str) -> bool:
    wanted, unwanted = KINDS[kind]
    return not wanted.isdisjoint(above) and unwanted.isdisjoint(above)
