"""Puts the household together: kinds of things, what can be done with them, activities, alignment.

All that is said here is typical: every subject is a class (it has classes above it, P279) or a kind
of activity, never a single thing.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from pyoxigraph import Quad
from wikidata_sample.facts import Dataset, Fact, Sample, read_rows
from wikidata_sample.names import read_table

from household.bddl import Activity, Node, read_activities, read_taxonomy, said
from household.kinds import BASE, Kind, Kinds, spelled
from household.quads import CAN_SLICE, CELSIUS, FOUND, TEMPERATURE, property_labels, quads_of
from household.senses import Agreement, Senses
from household.sources import BDDL, HANDED_DOWN, SOMA, THINGS, TYPICAL, WIKIDATA, WORDNET
from household.wordnet import add_kinds, told_of
from robodata_core.iris import iri_of
from robodata_core.model import EntityValue, QuantityValue, Value

__all__ = ["Household"]

SOMA_BASE = "http://www.ease-crc.org/ont/SOMA.owl#"

#: What people call the activities of BDDL.
CHORES: tuple[str, ...] = ("chore", "household chore", "household task", "housework", "task")
# What abilities are called, and the kind of thing that has each.
ABILITIES: Mapping[str, tuple[str, str]] = {
    "breakable": ("can break|fragile|breaks easily|easy to break", "thing that can break"),
    "burnable": ("can burn|flammable|can be burnt|inflammable", "thing that can burn"),
    "cleaningTool": ("cleans|can clean|for cleaning|cleaning tool", "tool that cleans"),
    "coldSource": ("cools|can cool|keeps cold|cold source", "thing that cools"),
    "cookable": ("can be cooked|to be cooked", "food that can be cooked"),
    "dustyable": ("gets dusty|can be dusty|collects dust|dusty", "thing that gets dusty"),
    "freezable": ("can be frozen|can freeze", "thing that can be frozen"),
    "heatSource": ("heats|can heat|gives heat|heat source", "thing that heats"),
    "liquid": ("is liquid|fluid", "liquid"),
    "openable": ("can be opened|opens|can open|to be opened", "thing that can be opened"),
    "perishable": ("goes bad|can spoil|spoils|can perish|rots", "thing that goes bad"),
    "screwable": ("can be screwed", "thing that can be screwed"),
    "sliceable": ("can be sliced|can be cut|to be sliced|cuttable", "thing that can be sliced"),
    "slicer": ("slicing tool|cutter", "tool that slices"),
    "soakable": ("can be soaked|soaks|absorbs water|can get wet", "thing that can be soaked"),
    "stainable": ("gets stained|can be stained|can get dirty", "thing that can be stained"),
    "timeSetable": ("can be set to a time|has a timer", "thing whose time can be set"),
    "toggleable": ("can be switched on|can be turned on|can be switched off|switchable",
                   "thing that can be switched on"),
    "waterSource": ("gives water|water source", "thing that gives water"),
}  # fmt: skip

ABILITY = BASE + "ability:"
#: Classes of SOMA that are wider than what people call so: its tools are also plates and cups.
WIDER = frozenset({"DesignedTool"})

ROOMS = {"kitchen": "Q43164", "bathroom": "Q190771"}
KNIVES = frozenset({"knife.n.01", "slicer.n.03", "cutlery.n.02"})
FOOD = frozenset({"food.n.01", "food.n.02", "foodstuff.n.02"})


@dataclass(frozen=True, slots=True)
class _Entry:
    """A row of the table of everyday things.

    Attributes:
        thing: What it is called.
        aliases: Other names.
        values: What is said of it, by properties.
        same: Those of its names that are the same to people, though a narrower kind's to WordNet.
        not_meant: Synsets of its name that are something else.
    """

    thing: str
    aliases: tuple[str, ...]
    values: tuple[tuple[str, tuple[str, ...]], ...]
    same: frozenset[str] = frozenset()
    not_meant: frozenset[str] = frozenset()

    @property
    def above(self) -> tuple[str, ...]:
        """The kinds it is one of."""
        return dict(self.values).get("P279", ())


class Household:
    """All facts and names of the household.

    Args:
        data: Folder with the data sets.
        tables: Folder with the tables written for this project.
    """

    def __init__(self, data: Path, tables: Path) -> None:
        self.sample = Sample()
        self._labels = property_labels(data)
        self.kinds = Kinds(_wikidata_ids(data))
        self._kind_of: dict[str, Kind] = {}
        nodes = read_taxonomy(data / "household/taxonomy.jsonl.gz")
        entries = _read_entries(tables / "household_things.tsv")
        self._senses = Senses(nodes, tables / "household_kinds.tsv")
        self._rows = {spelled(entry.thing): entry for entry in entries}
        self._ability = dict(self._able())
        self._taxonomy(nodes)
        self._things(entries)
        self._stated(data)
        self._abilities(nodes)
        self._activities(read_activities(data / "household/activities.jsonl.gz"))
        self._everyday(tables / "household_activities.tsv")
        self._soma(data)
        self._hand_down(self.kinds.get(entry.thing) for entry in entries)
        self._hand_down(self._wordnet(tables / "household_kinds.tsv"))
        self._told(tables / "household_wordnet.tsv")
        self._written_together()

    def _written_together(self) -> None:
        """Let kinds be found by names as simulators write them: "RemoteControl"."""
        for kind in list(self.kinds.by_id.values()):
            for name in (kind.label, *kind.aliases):
                words = spelled(name).split()
                joined = "".join(word.capitalize() for word in words)
                if 1 < len(words) < 4 and self.kinds.find(joined) is kind and joined.isalpha():
                    kind.aliases.setdefault(joined)

    def _add(
        self,
        subject: Kind,
        prop: str,
        value: Kind | Value,
        dataset: Dataset,
        *more: tuple[str, Value],
    ) -> None:
        known = EntityValue(value.id) if isinstance(value, Kind) else value
        if known != EntityValue(subject.id):
            self.sample.add(Fact(subject.id, prop, known, (dataset.name,), qualifiers=more))

    def _taxonomy(self, nodes: Mapping[str, Node]) -> None:
        # What has 3D models goes first: of several senses of a word it is the one meant.
        for node in sorted(nodes.values(), key=lambda node: not node.categories):
            name = node.synset
            meant = self._is_meant(name, name)
            if meant and self.kinds.find(name) is None:
                kind = self.kinds.add(spelled(name), own=name)
            else:
                # Another sense of the word is called after what is above it.
                label = f"{spelled(name)} ({spelled(node.parent)})"
                kind = self.kinds.by_id.setdefault(BASE + name, Kind(BASE + name, label))
                if node.categories and meant:
                    self.kinds.call(kind, spelled(name))
            kind.matches[f"urn:bddl:synset:{name}"] = None
            self._kind_of[name] = kind
        for node in nodes.values():
            for category in node.categories:
                if (
                    self.kinds.find(category) is None
                    and "half" not in category
                    and self._is_meant(category, node.synset)
                ):
                    self.kinds.call(self._kind_of[node.synset], category)
            if node.parent:
                self._add(self._kind_of[node.synset], "P279", self._kind_of[node.parent], BDDL)

    def _is_meant(self, name: str, synset: str) -> bool:
        """Tell whether a name may be a synset's: no row of the tables has it for something else."""
        row = self._rows.get(spelled(name))
        return row is None or self._is_about(row, {synset})

    def _things(self, entries: list[_Entry]) -> None:
        for entry in entries:
            kind = self._named(entry)
            self._refuse_narrower(entry, kind)
            for alias in entry.aliases:
                if self.kinds.find(alias) in (None, kind) or alias in entry.same:
                    self.kinds.call(kind, alias)
        for entry in entries:
            kind = self.kinds.get(entry.thing)
            for prop, values in entry.values:
                for value in values:
                    known = self._quality(value) if prop == "P1552" else self.kinds.get(value)
                    self._add(kind, prop, known, THINGS)

    def _refuse_narrower(self, entry: _Entry, kind: Kind) -> None:
        """Refuse a row that gives a thing the name of a narrower one: no person is any woman.

        Raises:
            ValueError: If it does.
        """
        others = [alias for alias in entry.aliases if alias not in entry.same]
        known = self._synsets(kind) | (set(self._senses.called(entry.thing)) - entry.not_meant)
        wrong = list(self._senses.narrower(others, known))
        ours = {spelled(entry.thing)}
        for alias in others:
            row = self._rows.get(spelled(alias))
            if row is not None and ours & self._all_above(row):
                wrong.append(alias)
            if spelled(alias) in self._all_above(entry):
                wrong.append(alias)
        if wrong:
            raise ValueError(f"{entry.thing}: {', '.join(wrong)}: of a narrower or wider kind")

    def _all_above(self, entry: _Entry, seen: frozenset[str] = frozenset()) -> set[str]:
        """Return the names of all kinds above a row, as far as the table goes."""
        found = {spelled(name) for name in entry.above} - seen
        for name in sorted(found):
            row = self._rows.get(name)
            if row is not None:
                found |= self._all_above(row, seen | found)
        return found

    def _above(self, names: Iterable[str], seen: frozenset[str] = frozenset()) -> set[str]:
        """Return the synsets nearest above, of the kinds named or of those above their rows."""
        found: set[str] = set()
        for name in names:
            row = self._rows.get(spelled(name))
            told = set(self._senses.called(name)) - (row.not_meant if row else frozenset())
            if not told and row is not None and name not in seen:
                told = self._above(row.above, seen | {name})
            found |= told
        return found

    def _named(self, entry: _Entry) -> Kind:
        """Return the kind of an entry: one of its names of which the same is said, or a new one."""
        known = self.kinds.find(entry.thing)
        if known is None or not self._is_about(entry, self._synsets(known)):
            known = self._best(entry)
        if known is None:
            others = (self.kinds.find(alias) for alias in entry.aliases)
            fitting = (
                kind for kind in others if kind and self._is_about(entry, self._synsets(kind))
            )
            known = next(fitting, None)
        if known is None:
            return self.kinds.add(entry.thing)
        self.kinds.call(known, entry.thing)
        return known

    def _best(self, entry: _Entry) -> Kind | None:
        """Return the kind of the synset that is called like an entry, and fits it best."""
        above = self._above(entry.above)
        ranked = [
            (agreement, self._kind_of[synset])
            for synset in self._senses.called(entry.thing)
            if synset in self._kind_of and self._is_about(entry, {synset})
            if (agreement := self._senses.agreement(above, synset)) > Agreement.UNKNOWN
        ]
        return max(ranked, key=lambda one: one[0])[1] if ranked else None

    def _synsets(self, kind: Kind) -> set[str]:
        return {iri.rpartition(":")[2] for iri in kind.matches if iri.startswith("urn:bddl:")}

    def _is_about(self, entry: _Entry, synsets: Collection[str]) -> bool:
        """Tell whether an entry is about one of some synsets, where there are any."""
        above = self._above(entry.above)
        return not synsets or any(
            synset not in entry.not_meant
            and self._senses.is_same(entry.thing, entry.aliases, above, synset)
            for synset in synsets
        )

    def _quality(self, name: str) -> Kind:
        """Return what something is, or what can be done with it; a sweet is a thing."""
        if name not in self._ability:
            kind = Kind(ABILITY + name.replace(" ", "-"), name)
            self._ability[name] = self.kinds.by_id.setdefault(kind.id, kind)
        return self._ability[name]

    def _able(self) -> Iterator[tuple[str, Kind]]:
        """Yield what can be done with things, by each of its names."""
        for name, (aliases, text) in ABILITIES.items():
            kind = Kind(ABILITY + name, spelled(name), description=text)
            self.kinds.by_id[kind.id] = kind
            yield kind.label, kind
            for alias in aliases.split("|"):
                kind.aliases[alias] = None
                yield alias, kind

    def _stated(self, data: Path) -> None:
        header = ("subject", "subject_label", "property", "property_label", "object")
        for row in read_rows(data / "household_facts.tsv", header):
            subject, value = self._item(row[0], row[1]), self._item(row[4], row[5])
            self._add(subject, row[2], value, WIKIDATA)
            self.sample.origins[WIKIDATA.name][row[6]] += 1

    def _item(self, id_: str, label: str) -> Kind:
        kind = self.kinds.by_id.get(id_)
        if kind is None:
            kind = self.kinds.find(label)
            if kind is None:
                kind = self.kinds.by_id.setdefault(id_, Kind(id_, label))
                self.kinds.call(kind, label)
            else:
                kind.matches[iri_of(id_)] = None
        return kind

    def _abilities(self, nodes: Mapping[str, Node]) -> None:
        for node in nodes.values():
            kind = self._kind_of[node.synset]
            for name, warm in node.abilities.items():
                more = ((TEMPERATURE, QuantityValue(Decimal(str(warm)), CELSIUS)),) if warm else ()
                self._add(kind, "P1552", self.kinds.by_id[ABILITY + name], BDDL, *more)
            for name in sorted(node.inherited):
                self._add(kind, "P1552", self.kinds.by_id[ABILITY + name], HANDED_DOWN)
        self._slicing(nodes)

    def _wordnet(self, path: Path) -> list[Kind]:
        """Add WordNet's names and kinds; return these, what is above first."""
        new = []
        for kind, above in add_kinds(path, self.kinds, self._kind_of, self._may_be):
            self._add(kind, "P279", above, WORDNET)
            new.append(kind)
        return new

    def _may_be(self, kind: Kind, synset: str) -> bool:
        """Tell whether a kind of that name is a synset's, by what is said to be above it."""
        row = self._rows.get(kind.label)
        if row is None or self._synsets(kind):
            return True
        if synset in row.not_meant:
            return False
        return self._senses.is_close(row.aliases, self._above(row.above), synset)

    def _told(self, path: Path) -> None:
        """Add what WordNet says kinds have as parts, are made of and are for."""
        known: dict[str, set[str]] = defaultdict(set)
        for fact in self.sample.facts.values():
            if isinstance(fact.value, EntityValue):
                known[fact.prop].add(fact.value.id)
        for kind, prop, value in told_of(
            path, self.kinds, known["P366"], known["P527"], self._may_be
        ):
            self._add(kind, prop, value, TYPICAL)

    def _hand_down(self, kinds: Iterable[Kind]) -> None:
        """State of kinds that are no synsets of BDDL what can be done with all kinds above."""
        above: dict[str, set[str]] = defaultdict(set)
        able: dict[str, set[str]] = defaultdict(set)
        for fact in self.sample.facts.values():
            if isinstance(fact.value, EntityValue) and fact.prop in ("P279", "P1552"):
                (above if fact.prop == "P279" else able)[fact.subject].add(fact.value.id)
        synsets = {kind.id for kind in self._kind_of.values()}
        for kind in kinds:
            known = [able[id_] for id_ in above[kind.id] if able[id_]]
            if known and kind.id not in synsets:
                for value in sorted(set.intersection(*known) - able[kind.id]):
                    self._add(kind, "P1552", self.kinds.by_id[value], HANDED_DOWN)
                    able[kind.id].add(value)

    def _slicing(self, nodes: Mapping[str, Node]) -> None:
        """State what follows of food and knives; with saws and gauze it is not what people mean."""
        tools = [n for n in nodes.values() if "slicer" in n.abilities and _below(n, KNIVES, nodes)]
        things = [
            n for n in nodes.values() if "sliceable" in n.abilities and _below(n, FOOD, nodes)
        ]
        for thing in things:
            for tool in tools:
                one, other = self._kind_of[thing.synset], self._kind_of[tool.synset]
                self._add(other, CAN_SLICE, one, HANDED_DOWN)

    def _activities(self, activities: list[Activity]) -> None:
        above = self._chore()
        for activity in activities:
            name = activity.name
            kind = self.kinds.find(name) or self.kinds.add(name, own="activity:" + name)
            for name in said(activity.name):
                self.kinds.call(kind, name)
            self._add(kind, "P279", above, BDDL)
            fixed = set(activity.rooms) - {p for ps in activity.belongs.values() for p in ps}
            for thing in activity.needs:
                if thing not in fixed and thing in self._kind_of:
                    self._add(kind, "P2283", self._kind_of[thing], BDDL)
            for prop, places in (("P276", activity.belongs), (FOUND, activity.found)):
                self._places(prop, places)
            for thing, rooms in activity.rooms.items():
                for room in rooms:
                    if thing in self._kind_of:
                        self._add(self._kind_of[thing], "P276", self._room(room), BDDL)

    def _chore(self) -> Kind:
        """Return the kind of all activities, by all of its names."""
        kind = self.kinds.get("household activity")
        for name in CHORES:
            if self.kinds.find(name) is None:
                self.kinds.call(kind, name)
        self._add(kind, "P279", self.kinds.get("activity"), THINGS)
        return kind

    def _everyday(self, path: Path) -> None:
        above = self.kinds.get("household activity")
        chores = {
            fact.subject
            for fact in self.sample.facts.values()
            if fact.prop == "P279" and fact.value == EntityValue(above.id)
        }
        header = ("activity", "names", "needs", "place", "result")
        for name, names, *cells in read_table(path, header):
            known = (self.kinds.find(one) for one in (name, *names.split("|")))
            done = (kind for kind in known if kind and kind.id in chores)
            kind = next(done, None) or self.kinds.find(name)
            kind = kind or self.kinds.add(name, own="activity:" + name)
            for other in (name, *names.split("|")):
                if self.kinds.find(other) in (None, kind):
                    self.kinds.call(kind, other)
            self._add(kind, "P279", above, THINGS)
            for prop, cell in zip(("P2283", "P276", "P1056"), cells, strict=True):
                for value in filter(None, cell.split("|")):
                    self._add(kind, prop, self.kinds.get(value), THINGS)

    def _places(self, prop: str, places: Mapping[str, tuple[str, ...]]) -> None:
        for thing, where in places.items():
            for place in where:
                if thing in self._kind_of and place in self._kind_of:
                    self._add(self._kind_of[thing], prop, self._kind_of[place], BDDL)

    def _room(self, name: str) -> Kind:
        label = spelled(name)
        kind = self.kinds.find(label)
        if kind is None:
            id_ = ROOMS.get(label, f"{BASE}room:{label.replace(' ', '-')}")
            kind = self.kinds.by_id.setdefault(id_, Kind(id_, label))
            self.kinds.call(kind, label)
        self._add(kind, "P279", self.kinds.get("room"), THINGS)
        return kind

    def _soma(self, data: Path) -> None:
        rows = list(
            read_rows(
                data / "soma/soma_classes.tsv.gz", ("file", "class", "superclasses", "comment")
            )
        )
        kinds = {iri: self._soma_kind(iri) for iri in (_iri(row[1]) for row in rows)}
        for _, class_, above, comment in rows:
            kind = kinds[_iri(class_)]
            kind.description = kind.description or " ".join(comment.split())[:200]
            for name in above.split(" | "):
                if (iri := _iri(name)) in kinds:
                    self._add(kind, "P279", kinds[iri], SOMA)

    def _soma_kind(self, iri: str) -> Kind:
        """Return our kind of a class of SOMA, which is matched by name, or one of its own."""
        own = iri.rpartition("#")[2]
        name = own if own in WIDER else re.sub(r"^Designed", "", own)
        kind = self.kinds.find(name)
        if kind is None:
            kind = self.kinds.by_id.setdefault(iri, Kind(iri, spelled(name)))
            self.kinds.call(kind, name)
        elif kind.id != iri:
            kind.matches[iri] = None
        return kind

    def quads(self) -> Iterator[Quad]:
        """Yield the whole graph."""
        yield from quads_of(self.sample, self.kinds, self._labels)


def _below(node: Node, tops: Collection[str], nodes: Mapping[str, Node]) -> bool:
    """Tell whether a synset is one of ``tops`` or below one."""
    while node.synset not in tops:
        if not node.parent:
            return False
        node = nodes[node.parent]
    return True


def _wikidata_ids(data: Path) -> dict[str, str]:
    """Return the ids of everyday things by their names."""
    found: dict[str, str] = {}
    for id_, label, _ in read_rows(
        data / "wikidata_facts/household_qids.tsv.gz", ("qid", "label", "description")
    ):
        found.setdefault(spelled(label), id_)
    for row in read_rows(data / "household_facts.tsv", ("subject", "subject_label")):
        found.setdefault(spelled(row[1]), row[0])
        found.setdefault(spelled(row[5]), row[4])
    return found


def _read_entries(path: Path) -> list[_Entry]:
    header = (
        "thing", "aliases", "above", "material", "use", "place", "parts", "characteristic",
        "color", "energy",
    )  # fmt: skip
    props = ("P279", "P186", "P366", "P276", "P527", "P1552", "P462", "P516")
    return [_entry(row, props) for row in read_table(path, header)]


def _entry(row: list[str], props: tuple[str, ...]) -> _Entry:
    names = list(filter(None, row[1].split("|")))
    same = frozenset(name[1:] for name in names if name.startswith("="))
    return _Entry(
        row[0],
        tuple(name.removeprefix("=") for name in names if not name.startswith("!")),
        tuple(
            (prop, tuple(filter(None, cell.split("|"))))
            for prop, cell in zip(props, row[2:], strict=True)
        ),
        same,
        frozenset(name[1:] for name in names if name.startswith("!")),
    )


def _iri(name: str) -> str:
    name = name.strip()
    if name.startswith("SOMA:"):
        return SOMA_BASE + name.removeprefix("SOMA:")
    return name[1:-1] if name.startswith("<") else ""
