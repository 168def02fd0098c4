"""Finds which of WordNet's named things the world has, and names those it has not.

A thing that may be one of the world but need not is left out: two things of one name make the name
useless.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from difflib import SequenceMatcher
from pathlib import Path
from typing import Final

from world import glosses
from world.factbook import fold, slug
from world.joining import STAGE, Known
from world.things import Things
from world.wordnet_table import GENERIC, ORDER, PLACES, Entry, read_entries

__all__ = ["NO_NAME", "Joined", "names_of_a_person"]

NEW = "urn:robodata:wordnet:"
#: A thing of these that the world has not is not added: what is missing is a name.
KNOWN_ONLY: Final = frozenset({"country", "continent"})
#: Only these names of events are not names of the places where they were.
EVENT: Final = re.compile(
    r"\b(?:battle|wars?|siege|crusade|revolution|rebellion|campaign|massacre|mutiny|uprising"
    r"|revolt|invasion|counteroffensive|insurrection|purge)\b",
    re.IGNORECASE,
)
#: "capital of Kenya", "Kenyan capital": no names of a town.
NO_NAME: Final = re.compile(r"^capital of |\bcapital$", re.IGNORECASE)
#: What may be left out of the name of a place of such a kind.
SORTS: Final = re.compile(
    r"^(?:lake|mount|mt|river|isle of|gulf of|bay of|sea of|strait of) "
    r"| (?:river|lake|sea|ocean|islands?|mountains?|range|desert|peninsula|city|bay|falls)$"
)
ON_STAGE: Final = re.compile(
    r"film|act(?:or|ress)|sing|song|music|rock|jazz|comed|compos|danc|violin|pian|conduct"
    r"|entertain|vaudevill|magician|choreogra|cartoon|broadcast",
    re.IGNORECASE,
)
PARTICLES: Final = frozenset(
    {  # fmt: skip
        "de",
        "von",
        "van",
        "of",
        "the",
        "la",
        "le",
        "da",
        "di",
        "du",
        "der",
        "den",
        "del",
        "dos",
        "das",
        "y",
        "i",
        "ibn",
        "al",
        "saint",
        "st",
        "sir",
    }
)
MOST_WORDS = 3
#: So many things called as a person is by the first name hide the others who bear that name.
CROWDED = 2
PLANET = "Q634"
#: Gods and constellations are called as planets and people are.
LAST_NAMED: Final = {"Q8928": 1, "Q3863": 1, "Q4271324": 2, "Q95074": 2, "Q178885": 3}
ALIKE = 0.75
SPELT = 0.8


class Joined:
    """The table, joined.

    Args:
        tables: Folder with the tables.
        known: What the world has.
        things: Names and descriptions; new things are added.
        countries: Ids of the countries of today.
    """

    def __init__(
        self, tables: Path, known: Known, things: Things, countries: Collection[str]
    ) -> None:
        self._known = known
        self._things = things
        self.countries = frozenset(countries)
        self.entries = read_entries(tables)
        self.ids: dict[str, str] = {}
        """Synset -> id, of what was found or is new."""
        self.new: set[str] = set()
        self.demonyms = self._read_demonyms()
        """Folded words for who and what is of a country -> the country of today."""
        people = known.all_of("person")
        self._surnamed = self._surnames(people)
        self._words_of_people = {word for id_ in people for word in fold(things[id_].label).split()}
        self._join()

    def _read_demonyms(self) -> dict[str, str]:
        """Return folded words for who and what is of a country -> the country of today."""
        found: dict[str, set[str]] = defaultdict(set)
        for id_ in self.countries:
            found[fold(self._things[id_].label)].add(id_)
            for alias in self._things[id_].aliases:
                if alias.startswith("United "):
                    found[fold(alias)].add(id_)
            for value in self._known.texts(id_, "P1549"):
                found[fold(value)].add(id_)
        return {word: ids.pop() for word, ids in found.items() if len(ids) == 1}

    def _surnames(self, people: Iterable[str]) -> dict[str, list[str]]:
        """Return last words of people's names -> ids."""
        found: dict[str, list[str]] = defaultdict(list)
        for id_ in people:
            words = fold(self._things[id_].label).split()
            if len(words) > 1:
                found[words[-1]].append(id_)
        return found

    # -- which thing it is ------------------------------------------------------------------------

    def _join(self) -> None:
        order = {kind: place for place, kind in enumerate(ORDER)}
        entries = sorted(
            self.entries.values(), key=lambda one: (order.get(one.kind, len(order)), one.synset)
        )
        for kind in dict.fromkeys(entry.kind for entry in entries):
            group = [entry for entry in entries if entry.kind == kind]
            found = {
                entry.synset: self._person(entry) if kind == "person" else self._same(entry)
                for entry in group
            }
            wanted = Counter(id_ for id_ in found.values() if id_)
            for entry in group:
                id_ = found[entry.synset]
                if id_ and wanted[id_] == 1:
                    self.ids[entry.synset] = id_
                elif id_ is None and kind not in KNOWN_ONLY:
                    entry.usable = self._free(entry)
        self._add_new([entry for entry in entries if entry.usable])

    def _same(self, entry: Entry) -> str | None:
        """Return the id of the same thing; None if there is none, empty if that is in doubt."""
        names = [name for name in (*entry.names, *entry.common) if not NO_NAME.search(name)]
        if entry.kind == "event":
            names = [name for name in names if EVENT.search(name)]
        bearers = {id_ for name in names for id_ in self._known.bearers(name)}
        cores = {core for name in names if (core := SORTS.sub("", fold(name))) != fold(name)}
        if entry.kind in PLACES and entry.kind != "settlement":
            bearers |= {id_ for core in cores for id_ in self._known.bearers(core)}
        same = {id_ for id_ in bearers if self._known.is_a(id_, entry.kind)}
        homes = self.homes(entry)
        fits = sorted(id_ for id_ in same if not self._elsewhere(id_, homes))
        surest = [id_ for id_ in fits if self._there(id_, homes)]
        fits = surest if len(fits) > 1 else fits
        if entry.kind in ("settlement", "quarter") and not surest:
            fits = []
        if len(fits) == 1:
            return fits[0]
        if len(fits) > 1:
            return ""
        vague = self._vague(entry, names)
        if vague and not self._elsewhere(vague, homes):
            return vague
        # A place of several words that bears the name of another place may be that one.
        whole = {id_ for name in entry.full for id_ in self._known.bearers(name)}
        doubtful = entry.kind in PLACES and any(
            self._known.is_a(id_, kind) for id_ in whole for kind in (*ORDER, "building")
        )
        return "" if doubtful or (same and entry.kind not in PLACES) else None

    def _vague(self, entry: Entry, names: Collection[str]) -> str | None:
        """Return the only bearer of a name, if all that is known of it is that it is a place."""
        if entry.kind not in PLACES and PLANET not in entry.items:
            return None
        bearers = {id_ for name in names for id_ in self._known.bearers(name)}
        if PLANET in entry.items:
            called = sorted(
                id_
                for name in names
                if name[0].isupper()
                for id_ in self._known.bearers(name, labelled=True)
                if self._known.says_of(id_, "planet") and name == self._things[id_].label
            )
            return called[0] if len(called) == 1 else None
        if len(bearers) != 1:
            return None
        (id_,) = bearers
        classes = self._known.ids(id_, "P31")
        words = [*(row.label for row in entry.rows), "state"]
        words += [self._things[item].label for item in entry.items]
        said = any(word and self._known.says_of(id_, word.split()[-1]) for word in words)
        if classes <= GENERIC and (classes or said):
            return id_
        return None

    def homes(self, entry: Entry) -> set[str]:
        """Return the countries and regions WordNet says a place is in."""
        found: set[str] = set()
        waiting = list(entry.parts)
        seen: set[str] = set()
        while waiting:
            part = waiting.pop()
            if part in seen or part not in self.entries:
                continue
            seen.add(part)
            if self.entries[part].kind in ("country", "region") and part in self.ids:
                found.add(self.ids[part])
            if self.entries[part].kind != "country":
                waiting += self.entries[part].parts
        return found

    def _elsewhere(self, id_: str, homes: Collection[str]) -> bool:
        """Tell whether a thing is known to be in other countries or regions of these."""
        places = self._known.lies_in(id_)
        for kind in ("country", "region"):
            ours = {home for home in homes if self._known.is_a(home, kind)} - {id_}
            theirs = {place for place in places if self._known.is_a(place, kind)}
            if kind == "region":
                # Only states say anything: counties and the like are not in WordNet.
                theirs &= set(self.ids.values())
            if ours and theirs and not ours & theirs:
                return True
        return False

    def _there(self, id_: str, homes: Collection[str]) -> bool:
        """Tell whether a thing is known, or said in its description, to be in one of these."""
        if homes & self._known.lies_in(id_):
            return True
        return any(self._known.says_of(id_, self._things[home].label) for home in homes)

    def _person(self, entry: Entry) -> str | None:
        born, died = glosses.life(entry.gloss)
        names = entry.full
        if names:
            same = {id_ for name in names for id_ in self._known.bearers(name)}
        else:
            same = {
                id_
                for name in (*entry.names, *entry.common)
                for id_ in self._known.bearers(name, labelled=True)
            }
        same = {id_ for id_ in same if self._known.is_a(id_, "person")}
        fits = sorted(id_ for id_ in same if not self._other_years(id_, born, died))
        if fits or same:
            return fits[0] if len(fits) == 1 and self._plausible(fits[0], entry) else ""
        alike = [id_ for id_ in self._alike(entry) if not self._other_years(id_, born, died)]
        if not alike:
            return None
        sure = [id_ for id_ in alike if self._of_that_trade(id_, entry)]
        return sure[0] if len(alike) == len(sure) == 1 else ""

    def _other_years(self, id_: str, born: int | None, died: int | None) -> bool:
        return any(
            said is not None and self._known.year(id_, prop) not in (None, said)
            for prop, said in (("P569", born), ("P570", died))
        )

    def _plausible(self, id_: str, entry: Entry) -> bool:
        """Tell whether a namesake is the same: stars of today bear names of people of before."""
        trades = entry.items
        theirs = self._known.ids(id_, "P106")
        if trades & theirs or self._of_that_trade(id_, entry):
            return True
        return bool(entry.full) and not (theirs & STAGE and not ON_STAGE.search(entry.gloss))

    def _alike(self, entry: Entry) -> list[str]:
        """Return the people whose last name is the same and whose first one is much the same."""
        names = [fold(name).split() for name in entry.full]
        last = {words[-1] for words in names} | {fold(name) for name in entry.common}
        last |= {fold(name) for name in entry.names if " " not in name}
        first = {word for words in names for word in words[:-1] if len(word) > 2}
        found = []
        for id_ in sorted({id_ for word in last for id_ in self._surnamed.get(word, ())}):
            theirs = [word for word in fold(self._things[id_].label).split()[:-1] if len(word) > 2]
            if any(_much_the_same(one, other) for one in theirs for other in first):
                found.append(id_)
        return found

    def _of_that_trade(self, id_: str, entry: Entry) -> bool:
        """Tell whether a person is said to be of the same years, or trade and nation."""
        if any(year and self._known.says_of(id_, str(year)) for year in glosses.life(entry.gloss)):
            return True
        trades = entry.items
        nations = self._nations(entry.gloss)
        theirs = self._known.ids(id_, "P27") | self._nations(self._things[id_].description)
        return bool(trades & self._known.ids(id_, "P106")) and bool(nations & theirs)

    def _nations(self, text: str) -> set[str]:
        """Return the countries whose people are named among the first words of a text."""
        words = fold(text).split()[:5]
        pairs = [" ".join(words[at : at + 2]) for at in range(len(words))]
        return {self.demonyms[word] for word in (*words, *pairs) if word in self.demonyms}

    # -- new things -------------------------------------------------------------------------------

    def _free(self, entry: Entry) -> list[str]:
        """Return the names that nothing of the world bears and that are no common words."""
        names = [name for name in entry.names if not NO_NAME.search(name)]
        if entry.kind == "celestial":
            names = [name for name in entry.common if name[0].isupper()] + names
        if entry.kind == "event":
            names = [name[0].upper() + name[1:] for name in names if EVENT.search(name)]
        if entry.kind == "person":
            names = [name for name in names_of_a_person(names) if not self._crowded(name)]
        return [
            name
            for name in names
            if not self._known.bearers(name)
            and (" " in name or PLANET in entry.items or fold(name) not in self._words_of_people)
            and len(name) > 2
        ]

    def _crowded(self, name: str) -> bool:
        first, _, rest = name.partition(" ")
        return bool(rest) and len(self._known.bearers(first, labelled=True)) >= CROWDED

    def _add_new(self, entries: list[Entry]) -> None:
        """Give new things their names, each to one thing only, and ids."""
        takers: dict[str, list[int]] = defaultdict(list)
        for entry in entries:
            for key in {fold(name) for name in entry.usable}:
                takers[key].append(self._rank(entry))
        surnames = {
            fold(name).split()[-1]
            for entry in entries
            if entry.kind == "person"
            for name in entry.full
        }
        for entry in sorted(entries, key=lambda one: one.synset):
            names = [
                name
                for name in entry.usable
                if min(takers[fold(name)]) == self._rank(entry)
                and takers[fold(name)].count(self._rank(entry)) == 1
                and (entry.kind == "person" or PLANET in entry.items or fold(name) not in surnames)
            ]
            names = list({fold(name): name for name in reversed(names)}.values())[::-1]
            if not names:
                continue
            label = names[0]
            id_ = f"{NEW}{entry.kind}:{slug(label)}"
            if id_ in self.new:
                raise ValueError(f"wordnet_things.tsv: two things called {label}")
            self.new.add(id_)
            self.ids[entry.synset] = id_
            for name in names:
                self._things[id_].name(name, votes=int(name == label))
                self._known.name(id_, name, label=name == label)

    def _rank(self, entry: Entry) -> int:
        """Return how late a thing gets a name that several have; most ask for planets, not gods."""
        return max((LAST_NAMED.get(item, 0) for item in entry.items), default=0)


def _much_the_same(one: str, other: str) -> bool:
    """Tell whether two first names may be one: an initial, a short form, another spelling."""
    if one.startswith(other) or other.startswith(one):
        return True
    return SequenceMatcher(None, one, other).ratio() >= ALIKE


def names_of_a_person(names: Iterable[str]) -> list[str]:
    """Return the full names, and those of one word that stand for a whole name.

    A word that is a part of a full name, or another spelling of it, is a first name or a surname.
    Names of many words are passed over where there are shorter ones: they hold those of others.
    """
    names = [name for name in names if " and " not in name]
    full = [name for name in names if " " in name]
    words = {word for name in full for word in name.split()}
    short = [name for name in full if len(set(fold(name).split()) - PARTICLES) <= MOST_WORDS]
    return [
        name
        for name in names
        if name in (short or full[:1])
        or (
            " " not in name
            and not any(SequenceMatcher(None, name, word).ratio() >= SPELT for word in words)
        )
    ]
