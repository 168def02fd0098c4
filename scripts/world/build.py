"""Puts the world together: facts of all data sets, joined, with names, classes and descriptions."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from pyoxigraph import Quad
from wikidata_sample.facts import YEAR_PRECISION, Fact, Sample, collect, read_rows
from wikidata_sample.names import DATATYPES, MISPRINTS, ItemName, PropertyName, read_table
from wikidata_sample.quads import fact_quads, item_quads, property_quads

from robodata_core.model import EntityValue, Rank, TimeValue, Value
from world import birthdays, elements, factbook, freebase, general, geonames, wordnet
from world.classes import DATASET as DERIVED
from world.classes import derive_classes
from world.described import read_descriptions
from world.glosses import year_value
from world.joining import Known
from world.mapping import Decision, Pairs, decide
from world.sources import CLASSES, CODEX, DATASETS, KINDS
from world.things import Things, read_things
from world.wordnet_join import Joined
from world.wordnet_table import class_facts

__all__ = ["World"]

# What a thing that only the Factbook names is, by the kind it was looked up as.
ITEMS = {
    "person": "Q5", "mountain": "Q8502", "city": "Q515", "place": "Q82794", "people": "Q41710",
    "religion": "Q9174", "language": "Q34770", "currency": "Q8142", "anthem": "Q23691",
    "government": "Q1307214", "country": "Q161243",
}  # fmt: skip
DECISIONS = "freebase_decisions.tsv"
ROOT = "Q35120"  # entity
CHANGING = frozenset({"P6", "P35", "P122", "P1082"})


class World:
    """All facts and names of the world.

    Args:
        data: Folder with the data sets.
        tables: Folder with the tables written for this project; decisions are written there, too.
    """

    def __init__(self, data: Path, tables: Path) -> None:
        self._data = data
        self._tables = tables
        self.sample: Sample = collect(data)
        self._things: Things = read_things(data, tables)
        self._add_tables()
        self._countries: set[EntityValue] = set()
        self._relations = freebase.read_relations(tables / "freebase_relations.tsv")
        triples = freebase.read_triples(data, self._things, tables / "freebase_values.tsv")
        self._codex()
        self._factbook(triples)
        self.decisions = self._decide(triples)
        for fact in freebase.statements(triples, self._relations, self.decisions):
            self._add(fact)
        self._classes(triples)
        for fact in read_descriptions(self._things.by_id, self.facts):
            self._add(fact)
        self._join()
        self._underive()
        self._newest()
        self._present_countries()

    def _join(self) -> None:
        """Add what data sets that name things otherwise say and no other one does."""
        facts = self.facts
        known = Known(self._things, facts, _mentioned(facts))
        countries = {value.id for value in self._countries}
        for fact in class_facts(self._tables, known, self._things, CLASSES):
            self._add(fact)
        joined = Joined(self._tables, known, self._things, countries)
        for origin in (
            wordnet.WordNet(joined, known, self._things).facts(),
            birthdays.birthdays(self._tables, known),
            elements.elements(self._tables, known, self._things),
            geonames.GeoNames(self._tables, known, self._things).facts(),
            self._general(known),
        ):
            # All of an origin first: it must not take its own facts for stated ones.
            for fact in list(origin):
                if self._finer(fact):
                    known.note(fact)
                    self._add(fact)

    def _underive(self) -> None:
        """Take back the classes that were derived of what a later data set gives one."""
        classes = [fact for fact in self.facts if fact.prop == "P31"]
        told = {fact.subject for fact in classes if fact.datasets != (DERIVED,)}
        for fact in classes:
            if fact.datasets == (DERIVED,) and fact.subject in told:
                del self.sample.facts[fact.key]

    def _general(self, known: Known) -> Iterator[Fact]:
        """Read last what everybody knows: it begins when all others have told what they know."""
        self.general = general.General(self._tables, known, self._things, self.facts)
        yield from self.general.facts()

    def _finer(self, fact: Fact) -> bool:
        """Tell whether a fact may stand; a day takes the place of a year that WordNet gave."""
        dated = isinstance(fact.value, TimeValue) and fact.value.precision > YEAR_PRECISION
        if not dated or not {birthdays.DATASET, general.DATASET} & set(fact.datasets):
            return True
        year = replace(fact, value=year_value(fact.value.year))
        stated = self.sample.facts.get(year.key)
        if stated is not None and stated.datasets == (wordnet.DATASET,):
            del self.sample.facts[year.key]
        return stated is None or stated.datasets == (wordnet.DATASET,)

    def _newest(self) -> None:
        """Let the newest of what changes stand, and older statements beside it with their year."""
        years = {dataset.name: dataset.year for dataset in DATASETS}
        renewed = {
            (fact.subject, fact.prop)
            for fact in self.facts
            if fact.prop in CHANGING and factbook.DATASET in fact.datasets
        }
        for key, fact in self.sample.facts.items():
            if (fact.subject, fact.prop) not in renewed:
                continue
            if factbook.DATASET in fact.datasets:
                self.sample.facts[key] = replace(fact, rank=Rank.PREFERRED)
            else:
                year = TimeValue(int(years[fact.datasets[0]]), precision=9)
                dated = (*fact.qualifiers, ("P585", year))
                self.sample.facts[key] = replace(fact, qualifiers=dated, truthy=False)

    def _present_countries(self) -> None:
        """Let a country of today stand where a place was of others before, as Wikidata ranks it."""
        named: dict[str, list[Fact]] = defaultdict(list)
        for fact in self.facts:
            if fact.prop == "P17":
                named[fact.subject].append(fact)
        within: dict[str, set[str]] = defaultdict(set)
        for fact in self.facts:
            if fact.prop == "P131" and isinstance(fact.value, EntityValue):
                within[fact.subject].add(fact.value.id)
        for place, stated in named.items():
            today = [fact for fact in stated if fact.value in self._countries]
            # A town that was French once is in the country of the region that it lies in.
            around = {fact.value for region in within[place] for fact in named.get(region, ())}
            today = [fact for fact in today if fact.value in around] or today
            if not 0 < len(today) < len(stated):
                continue
            for fact in stated:
                here = fact in today
                rank = Rank.PREFERRED if here else fact.rank
                self.sample.facts[fact.key] = replace(fact, rank=rank, truthy=here)

    @property
    def facts(self) -> list[Fact]:
        """Every triple once, with all data sets that state it."""
        return list(self.sample.facts.values())

    def _add(self, fact: Fact) -> None:
        known = self.sample.facts.get(fact.key)
        self.sample.add(fact)
        if known is not None and fact.qualifiers and not known.qualifiers:
            joined = self.sample.facts[fact.key]
            self.sample.facts[fact.key] = replace(joined, qualifiers=fact.qualifiers)

    def _add_tables(self) -> None:
        for id_, label, aliases in read_table(
            self._tables / "world_names.tsv", ("item", "label", "aliases")
        ):
            self._things[id_].name(label, prefer=True)
            for alias in aliases.split("|"):
                self._things[id_].name(alias, votes=0)
        for id_, given in self.sample.labels.items():
            for label in given.values():
                self._things[id_].name(label)
        for id_, names in self.sample.name_values.items():
            for name, _ in names:
                self._things[id_].name(name, votes=0)

    def _codex(self) -> None:
        # CoDEx-S's validation triples stand in CoDEx-M's training part; they are for measuring.
        valid = {tuple(row) for row in read_rows(self._data / "codex/codex_s_valid.tsv.gz")}
        for head, prop, tail in read_rows(
            self._data / "world/codex_m_labelled.tsv.gz", ("head", "relation", "tail")
        ):
            if (head, prop, tail) in valid:
                continue
            self._add(Fact(head, prop, EntityValue(tail), (CODEX,)))
        header = ("qid", "label", "description", "types")
        for id_, _, _, classes in read_rows(self._data / "world/entities.tsv.gz", header):
            for class_ in classes.split():
                self._add(Fact(id_, "P31", EntityValue(class_), (CODEX,)))

    def _factbook(self, triples: freebase.Triples) -> None:
        names = factbook.Names(self._known(triples), self._lies_in(triples))
        placed = {fact.subject for fact in self.facts if fact.prop == "P30"}
        for profile in factbook.read_profiles(self._data / "world/factbook.jsonl.gz"):
            found = (names.find("country", name) for name in (profile.name, *profile.names()))
            country = next((id_ for id_ in found if id_), None)
            country = country or names.get("country", profile.name)
            self._things[country].name(profile.name)
            self._countries.add(EntityValue(country))
            for name in profile.names():
                self._things[country].name(name, votes=0)
            for fact in factbook.statements(profile, country, names):
                if fact.prop != "P30" or country not in placed:
                    self._add(fact)
        for id_, (label, kind) in names.new.items():
            self._things[id_].name(label)
            self._add(Fact(id_, "P31", EntityValue(ITEMS[kind]), (factbook.DATASET,)))

    def _known(self, triples: freebase.Triples) -> dict[str, dict[str, str]]:
        """Return what the Factbook's names may mean, by kind."""
        uses: Counter[str] = Counter()
        for pairs in triples.values():
            uses.update(id_ for pair in pairs for id_ in pair)
        known = self._things.known(uses)
        for kind, name, id_ in read_table(
            self._tables / "factbook_names.tsv", ("kind", "name", "item")
        ):
            if id_ and id_ not in self._things.by_id:
                raise ValueError(f"factbook_names.tsv: no data set has {id_}")
            known.setdefault(kind, {})[factbook.fold(name)] = id_
            if id_ and kind in ("person", "city", "country"):
                self._things[id_].name(name, votes=0)
        capitals = [
            (fact.subject, fact.value.id)
            for fact in self.facts
            if fact.prop == "P36" and isinstance(fact.value, EntityValue)
        ]
        for country, city in (*triples["/location/country/capital"], *capitals):
            for name in (self._things[city].label, *self._things[city].aliases):
                known.setdefault(f"capital of {country}", {})[factbook.fold(name)] = city
        return known

    def _lies_in(self, triples: freebase.Triples) -> dict[str, set[str]]:
        """Return which countries places are known to lie in, to tell places of one name apart."""
        found: dict[str, set[str]] = defaultdict(set)
        for fact in self.facts:
            if fact.prop == "P17" and isinstance(fact.value, EntityValue):
                found[fact.subject].add(fact.value.id)
        for country, place in triples[freebase.IN_COUNTRY]:
            found[place].add(country)
        for place, country in triples["/base/biblioness/bibs_location/country"]:
            found[place].add(country)
        return found

    def _decide(self, triples: freebase.Triples) -> dict[str, Decision]:
        facts: dict[str, Pairs] = defaultdict(set)
        for fact in self.facts:
            if isinstance(fact.value, EntityValue):
                facts[fact.prop].add((fact.subject, fact.value.id))
        questions: dict[str, Pairs] = defaultdict(set)
        for part in ("train", "valid"):
            path = self._data / f"questions_real/simplequestions_wd_{part}.tsv.gz"
            for subject, prop, object_, *_ in read_rows(path):
                turned = prop.startswith("R")
                pair = (object_, subject) if turned else (subject, object_)
                questions["P" + prop[1:] if turned else prop].add(pair)
        refused = {(one.name, prop) for one in self._relations.values() for prop in one.refused}
        return decide(freebase.as_pairs(triples), facts, questions, refused)

    def _classes(self, triples: freebase.Triples) -> None:
        nouns: dict[str, str] = {}
        rows = read_table(self._tables / "classes.tsv", ("item", "label", "above", "nouns"))
        for id_, label, above, words in rows:
            if not self._things[id_].label:
                self._things[id_].name(label)
            # What has nothing above it is below the root.
            for class_ in (above or ROOT).split("|"):
                self._add(Fact(id_, "P279", EntityValue(class_), (CLASSES,)))
            for word in (self._things[id_].label.casefold(), *words.split("|")):
                if word:
                    nouns.setdefault(word, id_)
        header = ("item", "label", "above", "label above", "synset")
        for id_, _, above, _, _ in read_table(self._tables / "kinds.tsv", header):
            self._add(Fact(id_, "P279", EntityValue(above), (KINDS,)))
        classed = {fact.subject for fact in self.facts if fact.prop == "P31"}
        used = {id_ for pairs in triples.values() for pair in pairs for id_ in pair}
        for id_, class_ in derive_classes(self._things.by_id, triples, nouns).items():
            if id_ in used and id_ not in classed:
                self._add(Fact(id_, "P31", EntityValue(class_), (DERIVED,)))

    # -- what is written ------------------------------------------------------------------------

    def write_decisions(self) -> None:
        """Write which Freebase relation is which property, and on what grounds."""
        rows = [
            "# Which Freebase relations are which Wikidata properties, decided by",
            "# scripts/world/mapping.py from shared facts; written by build_snapshot.py world.",
            "relation\tproperty\tinverse\tbasis\tagree\tprecision\trecall",
        ]
        for relation, one in sorted(self.decisions.items()):
            figures = ("", "", "")
            if one.prop:
                precision = f"{one.precision:.2f}" if one.basis == "facts" else ""
                figures = (str(one.agree), precision, f"{one.recall:.2f}")
            inverse = "yes" if one.inverse else ""
            rows.append("\t".join((relation, one.prop, inverse, one.basis, *figures)))
        (self._tables / DECISIONS).write_text("\n".join(rows) + "\n", encoding="utf-8")

    def quads(self) -> Iterator[Quad]:
        """Yield the whole graph."""
        facts = self.facts
        for fact in facts:
            yield from fact_quads(fact)
        for id_ in sorted(_mentioned(facts)):
            thing = self._things[id_]
            aliases = tuple((name, "en") for name in thing.aliases)
            yield from item_quads(id_, ItemName(thing.label, aliases), thing.description)
        for prop, (name, description) in self._properties(facts).items():
            yield from property_quads(prop, name, description)

    def _names_left(
        self,
        relation: freebase.Relation,
        aliases: Mapping[str, Collection[str]],
        subjects: Mapping[str, set[str]],
    ) -> list[str]:
        """Return a relation's label and aliases without those that a property has already.

        A relation of Freebase that no property agrees with must not answer in the place of a
        property of the same name that most of its subjects have.
        """
        of_it = subjects[relation.iri]
        taken = {
            name.casefold()
            for prop, names in aliases.items()
            if 2 * len(of_it & subjects.get(prop, set())) >= len(of_it)
            for name in (*names, *self.sample.property_labels.get(prop, ()))
        }
        label = relation.label or relation.name.rpartition("/")[2].replace("_", " ")
        if label.casefold() in taken:
            label += " (Freebase)"
        return [label, *(name for name in relation.aliases if name.casefold() not in taken)]

    def _properties(self, facts: list[Fact]) -> dict[str, tuple[PropertyName, str]]:
        used: dict[str, Value] = {}
        facts_of: dict[str, set[str]] = defaultdict(set)
        for fact in facts:
            facts_of[fact.prop].add(fact.subject)
            for prop, value in ((fact.prop, fact.value), *fact.qualifiers):
                used.setdefault(prop, value)
        tables = [
            read_table(self._tables / table, header)
            for table, header in (
                ("property_aliases.tsv", ("property", "aliases", "role")),
                ("world_properties.tsv", ("property", "aliases", "label")),
            )
        ]
        rows = [row for table in tables for row in table]
        aliases = {row[0]: [name for name in row[1].split("|") if name] for row in rows}
        labels = {row[0]: row[2] for row in tables[1]}
        rows = read_rows(self._data / "codex/relations.tsv.gz", ("pid", "label", "description"))
        descriptions = {prop: text for prop, _, text in rows}
        relations = [
            self._relations.get(name) or freebase.Relation(name) for name in self.decisions
        ]
        own = {relation.iri: relation for relation in relations}
        named: dict[str, tuple[PropertyName, str]] = {}
        ours = self.general.properties()
        for prop, value in sorted(used.items()):
            datatype = _DATATYPES[type(value).__name__]
            if prop in own:
                relation = own[prop]
                label, *others = self._names_left(relation, aliases, facts_of)
                text = "Freebase: " + relation.name.strip("/").replace("./", " · ").replace(
                    "/", " "
                )
                name = PropertyName(label, tuple(others), datatype, "")
                named[prop] = (name, text.replace("_", " "))
            elif prop in ours:
                named[prop] = (PropertyName(ours[prop].label, ours[prop].aliases, datatype, ""), "")
            else:
                met = self.sample.property_labels.get(prop, [])
                label = self.sample.property_names.get(prop, ("", ""))[0] or "".join(met[:1])
                label = label or labels.get(prop, "")
                if not label:
                    raise ValueError(f"{prop} has no label in any file")
                names = dict.fromkeys((*met, *aliases.get(prop, ())))
                other = tuple(name for name in names if name not in (label, *MISPRINTS))
                named[prop] = (PropertyName(label, other, datatype, ""), descriptions.get(prop, ""))
        return named


_DATATYPES: Mapping[str, str] = {
    "EntityValue": DATATYPES["item"],
    "TimeValue": DATATYPES["time"],
    "QuantityValue": DATATYPES["quantity"],
    "CoordinateValue": "GlobeCoordinate",
    "MonolingualTextValue": "Monolingualtext",
    "StringValue": "String",
    "ExternalIdValue": "ExternalId",
}


def _mentioned(facts: list[Fact]) -> set[str]:
    found: set[str] = set()
    for fact in facts:
        found.add(fact.subject)
        for value in (fact.value, *(value for _, value in fact.qualifiers)):
            if isinstance(value, EntityValue):
                found.add(value.id)
            elif unit := getattr(value, "unit", None):
                found.add(unit)
    return found
