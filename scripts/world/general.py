"""Reads tables of general knowledge and joins their things with those of the world.

A table has one line a thing and one column a relation; ``general_columns.tsv`` says which property
a column is and what its values are. Tables with a column ``class`` name single things, those with
``above`` kinds of things, and the others tell of things that are known by then.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Final

from wikidata_sample.facts import Fact
from wikidata_sample.names import read_table

from robodata_core.model import (
    EntityValue,
    MonolingualTextValue,
    QuantityValue,
    StringValue,
    TimeValue,
    Value,
)
from world.factbook import fold, slug
from world.general_tables import (
    Column,
    Row,
    alike,
    read_columns,
    read_date,
    read_rows,
    singulars,
)
from world.joining import HUMAN, Known, kinds_below
from world.things import Things

__all__ = ["DATASET", "General"]

DATASET = "general-knowledge"
FOLDER = "general"
NEW = "urn:robodata:general:"
RANGES_HEADER = ("range", "kinds", "class")
CLASSES_HEADER = ("class", "above")
ROOT: Final = "Q35120"
MALE, FEMALE = "Q6581097", "Q6581072"
FATHER, MOTHER, PARENTS, CHILD = "P22", "P25", "P22/P25", "P40"
YEAR_PRECISION: Final = 9
COUNTRY: Final = "P17"
OCCUPATION, PROFESSION = "P106", "profession"
ABOVE, IS_A = "P279", "P31"
GENDERS: Final = {"male": MALE, "female": FEMALE}
#: Columns that name a thing.
NAMING: Final = ("thing", "aliases", "class", "description")
#: Properties by which two works, or two people, of one name are told apart.
MAKERS: Final = ("P50", "P57", "P170", "P175", "P86")
DATES: Final = ("P577", "P569", "P570")
#: Terms of an office: the column and the qualifier.
TERMS: Final = (("number", "P1545"), ("start", "P580"), ("end", "P582"))
TEXTS: Final = frozenset({"P1449", "P1448"})
#: Kinds of places: what is a town to one source is a municipality to another.
PLACES: Final = frozenset(
    ("settlement", "quarter", "region", "country", "island", "continent", "water", "land")
    + ("building",)
)
#: Kinds whose members bear the names of other things: an album that of a band, a band of a town.
BORROWING: Final = frozenset({"work", "organisation", "event", ""})
#: Since when sources agree on a year.
WELL_DATED: Final = 1700
_YEAR: Final = re.compile(r"\b(1\d{3}|20\d\d)\b")


@dataclass(slots=True)
class _Names:
    """Who bears a name among what the tables tell of: single things, kinds, what is above these."""

    named: dict[str, list[Row]] = field(default_factory=lambda: defaultdict(list))
    kinds: dict[str, str] = field(default_factory=dict)
    above: dict[str, set[str]] = field(default_factory=dict)


class General:
    """The tables, joined.

    Args:
        tables: Folder with the tables.
        known: What the world has by now.
        things: Names and descriptions; new things are added.
        facts: What the world states.
    """

    def __init__(self, tables: Path, known: Known, things: Things, facts: Iterable[Fact]) -> None:
        self._known = known
        self._things = things
        self._columns = read_columns(tables)
        self._ranges = {
            name: (tuple(filter(None, kinds.split("|"))), class_)
            for name, kinds, class_ in read_table(tables / "general_ranges.tsv", RANGES_HEADER)
        }
        self._above = dict(read_table(tables / "general_classes.tsv", CLASSES_HEADER))
        self._uses: dict[str, Counter[str]] = defaultdict(Counter)
        for fact in facts:
            if isinstance(fact.value, EntityValue):
                self._uses[fact.prop][fact.value.id] += 1
                if fact.prop == ABOVE:
                    self._uses[ABOVE][fact.subject] += 1
        self._rows = [
            row for path in sorted((tables / FOLDER).glob("*.tsv")) for row in read_rows(path)
        ]
        self._rows_above: dict[str, list[str]] = defaultdict(list)
        for row in self._rows:
            self._rows_above[fold(row.name)] += row.cells.get("above", ())
        self._names = _Names()
        self._said: list[Fact] = []
        self._genders: dict[str, str] = {}
        self._topmost: dict[str, None] = {}
        self._people_words = Counter(
            token for id_ in known.all_of("person") for token in fold(things[id_].label).split()
        )

    def facts(self) -> Iterator[Fact]:
        """Yield what is missing of known things, and all of new ones."""
        kinds = [row for row in self._rows if "above" in row.cells]
        named = [row for row in self._rows if "class" in row.cells]
        others = [row for row in self._rows if not {"above", "class"} & row.cells.keys()]
        for row in kinds:
            self._find_kind(row)
        for row in named:
            self._find_named(row)
        for row in others:
            row.id = self._of(row.name, ("country", "person")) or self._new_person(row)
        self._genders = {row.id: GENDERS.get(row.first("gender"), "") for row in named}
        for row in self._rows:
            if row.id:
                self._tell(row)
        self._tell_topmost()
        merged: dict[tuple[str, str, Value], Fact] = {}
        for fact in self._said:
            merged.setdefault(fact.key, fact)
        yield from merged.values()

    # -- which thing ----------------------------------------------------------------------------

    def _find_kind(self, row: Row) -> None:
        key, above = fold(row.name), self._above_row(row)
        if key not in self._names.kinds:
            known = self._kind_of(row.name)
            row.id = known if self._agrees(known, above) else self._new(row.name, "kind")
            self._describe(row, person=False)
            for name in (row.name, *row.cells.get("aliases", ())):
                self._names.kinds.setdefault(fold(name), row.id)
                self._names.above.setdefault(fold(name), above)
        elif alike(above, self._names.above.get(key, set())):
            row.id = self._names.kinds[key]
        else:
            # Two tables may tell of one kind; an organ of the body is none that is played.
            known = self._world_kind(row.name)
            ours = known in self._names.kinds.values()
            row.id = known if ours or self._agrees(known, above) else ""

    def _above_row(self, row: Row) -> set[str]:
        """Return the names of all that is above a row, as tables and the world tell it."""
        found: set[str] = set()
        waiting = list(row.cells["above"])
        while waiting:
            name = fold(waiting.pop())
            if name not in found:
                found.add(name)
                waiting += self._rows_above.get(name, ())
                for one in self._known.bearers(name, labelled=True):
                    found |= self._names_of(self._known.above(one) - {ROOT})
        return found

    def _agrees(self, id_: str, above: set[str]) -> bool:
        """Tell whether a known kind may be a row's: what is above the two is alike."""
        if not id_ or (self._uses[OCCUPATION][id_] and fold(PROFESSION) in above):
            return bool(id_)
        known = self._names_of(self._known.above(id_) - {id_, ROOT})
        return not known or alike(known, above)

    def _kind_of(self, name: str) -> str:
        """Return the kind of things that has a name, or nothing."""
        for form in (name, *singulars(name)):
            if found := self._names.kinds.get(fold(form)) or self._world_kind(form):
                return found
        return ""

    def _world_kind(self, name: str) -> str:
        return max(self._bearing(name, self._is_kind), key=self._worth, default="")

    def _bearing(self, name: str, fits: Callable[[str], bool]) -> list[str]:
        """Return who of those that fit has a name for a label, or else bears it at all."""
        for labelled in (True, False):
            bearers = sorted(self._known.bearers(name, labelled=labelled))
            if found := [id_ for id_ in bearers if fits(id_)]:
                return found
        return []

    def _is_kind(self, id_: str) -> bool:
        if self._uses[IS_A][id_] or self._uses[ABOVE][id_]:
            return True
        return not {*self._known.kinds_of(id_)} - {"element"}

    def _worth(self, id_: str) -> int:
        return self._uses[IS_A][id_] + self._uses[ABOVE][id_]

    def _find_named(self, row: Row) -> None:
        classes = [self._class(name) for name in row.cells["class"]]
        kinds = [kind for class_ in classes if (kind := self._kind_of_class(class_))]
        kind = kinds[0] if kinds else ""
        found = self._same(row, kind, classes[0])
        if len(found) == 1:
            row.id = found[0]
        elif not found and self._is_speakable(row.name, kind):
            row.id = self._new(row.name, row.first("class"))
        if not row.id:
            return
        for class_ in classes:
            if class_ not in self._known.ids(row.id, IS_A):
                self._say(row.id, IS_A, EntityValue(class_))
        self._describe(row, person=kind == "person")
        for name in (row.name, *row.cells.get("aliases", ())):
            self._names.named[fold(name)].append(row)

    def _same(self, row: Row, kind: str, class_: str) -> list[str]:
        """Return the things that a row may be of, by the first of its names that any has."""
        for name in (row.name, *row.cells.get("aliases", ())):
            if found := self._bearing(
                name, lambda id_: self._fits(id_, kind, class_) and not self._differs(id_, row)
            ):
                return found
        return []

    def _fits(self, id_: str, kind: str, class_: str) -> bool:
        """Tell whether a thing of the same name may be the one a row of a kind tells of."""
        kinds = {*self._known.kinds_of(id_)}
        if kind in kinds or (kind in PLACES and kinds & PLACES):
            return True
        if kinds or self._worth(id_) or self._things[id_].label.islower():
            return class_ in self._known.ids(id_, IS_A)
        return (
            kind in PLACES
            or kind == "organisation"
            or not self._things[id_].description
            or self._known.says_of(id_, self._things[class_].label)
        )

    def _differs(self, id_: str, row: Row) -> bool:
        """Tell whether something known of a thing is not what its row says."""
        for name, values in row.cells.items():
            column = self._column(row.table, name)
            if column is None or not values:
                continue
            if column.prop in DATES:
                if self._is_of_other_time(id_, column.prop, read_date(values[0])):
                    return True
            elif column.prop == COUNTRY or column.prop in MAKERS:
                known = self._known.ids(id_, column.prop)
                if known and column.prop == COUNTRY:
                    known = self._known.lies_in(id_)
                names = self._names_of(known)
                if names and names.isdisjoint(map(fold, values)):
                    return True
        return False

    def _is_of_other_time(self, id_: str, prop: str, date: TimeValue | None) -> bool:
        if date is None:
            return False
        told = self._known.year(id_, prop)
        if told is not None:
            return abs(told - date.year) > (1 if date.year > WELL_DATED else 20)
        # "1931 film": what a description dates is of that year.
        years = [int(text) for text in _YEAR.findall(self._things[id_].description)]
        return prop == "P577" and all(abs(date.year - one) > 1 for one in years) and bool(years)

    def _names_of(self, ids: Iterable[str]) -> set[str]:
        """Return all names of things, folded."""
        things = [self._things[one] for one in ids]
        return {fold(name) for one in things for name in (one.label, *one.aliases)}

    def _is_speakable(self, name: str, kind: str) -> bool:
        """Tell whether a new thing may bear a name, which others may bear already."""
        key = fold(name)
        bearers = [
            {*self._known.kinds_of(id_)}
            for id_ in self._known.bearers(name, labelled=True)
            if kind != "organisation" or not self._things[id_].label.islower()
        ]
        if not key or (kind == "person" and any("person" in kinds for kinds in bearers)):
            return False
        if kind not in BORROWING:
            return True
        if any(not kinds or kinds & (PLACES | {"person", "organisation"}) for kinds in bearers):
            return False
        # A title of one word may be a word of everyday talk.
        if " " in key or kind == "organisation":
            return True
        return not self._people_words[key] and key not in self._names.kinds

    def _new(self, name: str, class_: str) -> str:
        id_ = f"{NEW}{slug(name)}"
        if id_ in self._things.by_id:
            id_ += f"-{slug(class_)}"
        while id_ in self._things.by_id:
            id_ += "-2"
        self._things[id_].name(name)
        self._known.name(id_, name, label=True)
        return id_

    def _describe(self, row: Row, *, person: bool) -> None:
        thing = self._things[row.id]
        thing.description = thing.description or row.first("description")[:160]
        if fold(row.name) != fold(thing.label):
            thing.name(row.name, votes=0)
            self._known.name(row.id, row.name)
        for alias in row.cells.get("aliases", ()):
            key = fold(alias)
            others = self._known.bearers(alias) - {row.id}
            # A film and a book may have a title in common.
            titles = " " in key and self._known.is_a(row.id, "work")
            if not key or (others and not (titles and self._are_works(others))):
                continue
            common = self._people_words[key] > person or key in self._names.kinds
            if " " not in key and common:
                continue
            thing.name(alias, votes=0)
            self._known.name(row.id, alias)

    def _are_works(self, ids: Iterable[str]) -> bool:
        return all(self._known.is_a(id_, "work") for id_ in ids)

    def _class(self, name: str, below: str = "") -> str:
        """Return the class of a name, if need be a new one, below another one if that is known."""
        if id_ := self._kind_of(name):
            if below and id_ in self._topmost:
                self._say(id_, ABOVE, EntityValue(self._class(below)))
            return id_
        id_ = self._names.kinds[fold(name)] = self._new(name, "class")
        above = self._above.get(name, "")
        for one in filter(None, above.split("|")):
            self._say(id_, ABOVE, EntityValue(one))
        if not above and below:
            self._say(id_, ABOVE, EntityValue(self._class(below)))
        elif not above:
            self._topmost[id_] = None
        return id_

    def _tell_topmost(self) -> None:
        """Say of classes with nothing above, but something below, that they are below the root.

        Of what stands in a cell and nowhere else it is not known that it is a class: to be below
        the root would say nothing of it.
        """
        told = (fact.value for fact in self._said if fact.prop in (IS_A, ABOVE))
        above = {value.id for value in told if isinstance(value, EntityValue)}
        for id_ in self._topmost:
            if id_ in above and not self._known.ids(id_, ABOVE):
                self._say(id_, ABOVE, EntityValue(ROOT))

    def _kind_of_class(self, class_: str) -> str:
        if class_ == HUMAN:
            return "person"
        return next(iter(kinds_below(self._known.above(class_))), "")

    # -- what is said ---------------------------------------------------------------------------

    def _column(self, table: str, name: str) -> Column | None:
        return self._columns.get((table, name)) or self._columns.get(("*", name))

    def _tell(self, row: Row) -> None:
        if row.table == "offices":
            self._tell_office(row)
            return
        for name, values in row.cells.items():
            column = self._column(row.table, name)
            if column is None:
                if name not in NAMING and (row.table, name) not in _APART:
                    raise ValueError(f"{row.table}.tsv: no column is called {name!r}")
                continue
            if not column.adds and not column.inverse and self._known.states(row.id, column.prop):
                values = [text for text in values if self._is_finer(row.id, column, text)]
            for text in values:
                self._tell_value(row.id, column, text)
        if "above" in row.cells and not row.cells["above"]:
            self._say(row.id, ABOVE, EntityValue(ROOT))
        if row.table == "awards":
            self._tell_award(row)

    def _is_finer(self, id_: str, column: Column, text: str) -> bool:
        """Tell whether a day is given where the year of it alone is known."""
        date = read_date(text) if column.range == "date" else None
        known = self._known.dates(id_, column.prop)
        return (
            date is not None
            and date.precision > YEAR_PRECISION
            and [(one.year, one.precision) for one in known] == [(date.year, YEAR_PRECISION)]
        )

    def _tell_value(self, id_: str, column: Column, text: str) -> None:
        value = self._value(column, text)
        if value is None or value == EntityValue(id_):
            return
        if column.prop == PARENTS:
            if not isinstance(value, EntityValue):
                return
            self._say(value.id, CHILD, EntityValue(id_))
            gender = self._genders.get(value.id) or next(iter(self._known.ids(value.id, "P21")), "")
            prop = {MALE: FATHER, FEMALE: MOTHER}.get(gender)
            if prop and not self._known.states(id_, prop):
                self._say(id_, prop, value)
        elif column.inverse:
            if isinstance(value, EntityValue):
                self._say(value.id, column.prop, EntityValue(id_))
        else:
            self._say(id_, column.prop, value)

    def _tell_office(self, row: Row) -> None:
        column = Column("position", "P39", "position")
        value = self._value(column, row.first("position"))
        if not isinstance(value, EntityValue):
            return
        said: list[tuple[str, Value]] = []
        for name, prop in TERMS:
            text = row.first(name)
            if prop == "P1545" and text:
                said.append((prop, StringValue(text)))
            elif text and (date := read_date(text)):
                said.append((prop, date))
        self._said.append(Fact(row.id, "P39", value, (DATASET,), qualifiers=tuple(said)))

    def _tell_award(self, row: Row) -> None:
        """Say of the winner, too, what was won, when and for what."""
        prize = self._value(Column("category", "P166", "award"), row.first("category"))
        when = read_date(row.first("year"))
        work = self._value(Column("work", "P1686", "work"), row.first("work"))
        if not isinstance(prize, EntityValue) or prize.id == row.id:
            return
        self._say(row.id, "P361", prize)
        winners = [
            self._value(Column("winner", "P166", "performer"), text)
            for text in row.cells.get("winner", ())
        ]
        if not winners and isinstance(work, EntityValue):
            self._say(row.id, "P1346", work)
            winners = [work]
            work = None
        said: list[tuple[str, Value]] = [("P585", when)] if when else []
        said += [("P1686", work)] if work else []
        for winner in winners:
            if isinstance(winner, EntityValue):
                self._said.append(
                    Fact(winner.id, "P166", prize, (DATASET,), qualifiers=tuple(said))
                )

    def _say(self, subject: str, prop: str, value: Value) -> None:
        fact = Fact(subject, prop, value, (DATASET,))
        self._said.append(fact)
        if prop in (IS_A, ABOVE):
            self._known.note(fact)

    # -- what a cell means ----------------------------------------------------------------------

    def _value(self, column: Column, text: str) -> Value | None:
        kind, _, unit = column.range.partition(":")
        if not text:
            return None
        if kind == "date":
            return read_date(text)
        if kind == "number":
            return QuantityValue(Decimal(text), unit or None)
        if kind == "text" and column.prop in TEXTS:
            return MonolingualTextValue(text, "en")
        if kind in ("text", "word"):
            return StringValue(text)
        if kind == "yes":
            return EntityValue(self._class(unit)) if text == "yes" else None
        if kind == "gender":
            return EntityValue(GENDERS[text]) if text in GENDERS else None
        if kind == "kind":
            named = self._kind_of(text) if column.known else self._class(text, unit)
            return EntityValue(named) if named else None
        id_ = self._thing(column, text)
        return EntityValue(id_) if id_ else None

    def _thing(self, column: Column, text: str) -> str:
        kinds, _ = self._ranges[column.range]
        if own := self._own(text, kinds):
            return own
        kind = "" if kinds else self._names.kinds.get(fold(text), "")
        if kind and column.range != "thing":
            return kind
        for labelled in (True, False):
            bearers = sorted(self._known.bearers(text, labelled=labelled))
            if found := self._of_bearers(bearers, column, kinds):
                return found[0]
        if kind:
            return kind
        if column.range == "position":
            # An office is no way to speak of who holds it: "who is the president of France".
            text = f"office of {text}"
            if known := self._names.kinds.get(fold(text)):
                return known
        return self._value_made(column, text)

    def _of_bearers(self, bearers: list[str], column: Column, kinds: tuple[str, ...]) -> list[str]:
        """Return the one that is meant, empty text in doubt, or nothing if it is none of them."""
        used = [id_ for id_ in bearers if self._uses[column.prop][id_]]
        used = [id_ for id_ in used if not kinds or self._is_of(id_, kinds)] or used
        if used:
            return [max(used, key=self._uses[column.prop].__getitem__)]
        fits = [id_ for id_ in bearers if self._is_of(id_, kinds)] if kinds else bearers
        return [self._best(fits, kinds)] if len(fits) > 1 else fits

    def _value_made(self, column: Column, text: str) -> str:
        """Return a new thing for a value that nobody knows, or nothing."""
        kinds, class_ = self._ranges[column.range]
        if column.known or not class_ or (kinds and kinds[0] == "person" and " " not in text):
            return ""
        id_ = self._new(text, column.range)
        if column.range == "position":
            self._names.kinds[fold(text)] = id_
        if class_ != ROOT:
            self._say(id_, IS_A, EntityValue(class_))
        self._uses[column.prop][id_] += 1
        return id_

    def _is_of(self, id_: str, kinds: Iterable[str]) -> bool:
        return any(self._known.is_a(id_, kind) for kind in kinds)

    def _best(self, fits: list[str], kinds: tuple[str, ...]) -> str:
        """Return the one of several that is of the kind asked for first; nothing in doubt."""
        for kind in kinds:
            found = [id_ for id_ in fits if self._known.is_a(id_, kind)]
            if len(found) == 1:
                return found[0]
            if found:
                break
        return ""

    def _own(self, name: str, kinds: tuple[str, ...]) -> str:
        """Return the one thing of some kinds, or of any, that the tables call so."""
        rows = self._names.named.get(fold(name), ())
        own = {row.id for row in rows if not kinds or self._is_of(row.id, kinds)}
        return own.pop() if len(own) == 1 else ""

    def _of(self, name: str, kinds: tuple[str, ...]) -> str:
        if own := self._own(name, kinds):
            return own
        found = self._bearing(name, lambda id_: self._is_of(id_, kinds))
        return found[0] if len(found) == 1 else ""

    def _new_person(self, row: Row) -> str:
        """Add who holds an office or plays for a club, if nobody else bears the name."""
        if row.table not in ("offices", "clubs_played") or self._known.bearers(row.name):
            return ""
        id_ = self._new(row.name, "person")
        self._say(id_, IS_A, EntityValue(HUMAN))
        return id_

    def properties(self) -> Mapping[str, Column]:
        """Return the properties of our own that are used, by id."""
        used = {fact.prop for fact in self._said}
        return {one.prop: one for one in self._columns.values() if one.prop in used and one.label}


#: Columns that are read apart.
_APART: Final = frozenset({("awards", "category"), ("awards", "work")})
