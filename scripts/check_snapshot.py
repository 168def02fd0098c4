#!/usr/bin/env python3
"""Compares random statements of a shipped snapshot with the files they were taken from.

    python scripts/check_snapshot.py NAME --data ../shared/data [--number 300] [--seed 1]
    python scripts/check_snapshot.py NAME --contradictions

The check does not use the readers that built the snapshot: it looks for what a statement says in
the raw rows and prose of the data set that the statement names. Derived statements have no source;
they are counted and left out. The report of contradictions lists where data sets of the snapshot
give different values of a property that has one value at a time.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import sys
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from html import unescape
from pathlib import Path

from robodata_core.model import EntityValue, QuantityValue, Statement, TimeValue, Value
from robodata_core.sources.snapshot import SnapshotSource, open_snapshot

DERIVED = frozenset({"derived-classes", "bddl-derived"})
#: Above all classes.
ROOT = "Q35120"
OWN = frozenset(
    {"classes", "household-things", "wordnet-kinds", "wordnet-household", "wordnet-typical"}
)
#: Tables a row of which says it all: the name of the subject and the value.
TABLES = {
    "calendar-birthdays": ("birthdays.tsv",),
    "mendeleev-elements": ("elements.tsv",),
    "geonames": ("geonames_cities.tsv", "geonames_countries.tsv"),
}
#: Tables that rest on no source: what is checked is that a row says what the graph does.
GENERAL = "general-knowledge"
HUMAN = "Q5"
FEET, MILES = 0.3048, 1.609344
ONE_VALUE = ("P19", "P20", "P36", "P38", "P30", "P35", "P6", "P610", "P17", "P159", "P571")
FREEBASE = "http://rdf.freebase.com/ns/"
EXACT = "http://www.w3.org/2004/02/skos/core#exactMatch"
#: Before the name of a kind in another source.
ELSEWHERE = re.compile(r"^(?:urn:\w+:synset:|http://conceptnet\.io)")
CONTAINS, IN_COUNTRY = "/location/location/contains", "/location/country/contains"


class Evidence:
    """The raw data, by data set.

    Args:
        data: Folder with the data sets.
        tables: Folder with the tables written for this project.
    """

    def __init__(self, data: Path, tables: Path) -> None:
        self._data = data
        self._tables = tables
        self._made: dict[str, object] = {}

    def has(self, dataset: str, statement: Statement, names: Callable[[str], set[str]]) -> bool:
        """Tell whether the data set says what the statement says.

        Args:
            dataset: One of the data sets the statement names.
            statement: The statement.
            names: Gives all names of an id.
        """
        if dataset == "fb15k237-2015":
            return self._freebase(statement)
        if dataset == "factbook-2026":
            return self._factbook(statement, names)
        if dataset == "wordnet-things":
            return self._wordnet(statement, names)
        if dataset == GENERAL:
            return self._general(statement, names)
        if dataset in TABLES:
            return self._tabled(TABLES[dataset], statement, names)
        if dataset in OWN or dataset == "bddl-2021":
            return self._named(dataset, statement, names)
        return self._rows(dataset, statement, names)

    def _lines(self, name: str) -> list[str]:
        lines = self._made.get(name)
        if lines is None:
            path = self._data / name if (self._data / name).is_file() else self._tables / name
            raw = path.read_bytes()
            text = gzip.decompress(raw) if path.suffix == ".gz" else raw
            lines = self._made[name] = text.decode("utf-8").splitlines()
        assert isinstance(lines, list)
        return lines

    def _freebase(self, statement: Statement) -> bool:
        pairs = self._made.get("pairs")
        if pairs is None:
            topics = {}
            for line in self._lines("fb15k237/entities.tsv.gz"):
                mid, _, id_, *_ = line.split("\t")
                topics[mid] = id_ or FREEBASE + mid[1:].replace("/", ".")
            found: dict[tuple[str, str], set[str]] = defaultdict(set)
            for line in self._lines("fb15k237/train.tsv.gz"):
                head, relation, tail = line.split("\t")
                found[topics[head], topics[tail]].add(relation)
            pairs = self._made["pairs"] = found
        assert isinstance(pairs, dict)
        if not isinstance(statement.value, EntityValue):
            return False
        ends = (statement.subject, statement.value.id)
        relations = pairs.get(ends, set()) | pairs.get(ends[::-1], set())
        for relation, item, meant in self._meant():
            if meant == ends[1]:
                relations |= pairs.get((ends[0], item), set()) & {relation}
        if statement.property.startswith(FREEBASE):
            name = statement.property[len(FREEBASE) :]
            return name in {r.strip("/").replace("./", "!").replace("/", ".").replace("!.", "/")
                            .replace("!", "/") for r in relations}  # fmt: skip
        mapped = self._mapped()
        return any(statement.property in mapped.get(relation, ()) for relation in relations)

    def _mapped(self) -> Mapping[str, set[str]]:
        rows = (line.split("\t") for line in self._lines("freebase_decisions.tsv"))
        mapped = {row[0]: {row[1]} for row in rows if len(row) > 1}
        # One relation was decided in two parts: what countries contain, and what others do.
        mapped[CONTAINS] |= mapped.get(IN_COUNTRY, set())
        return mapped

    def _meant(self) -> list[list[str]]:
        rows = (line.split("\t") for line in self._lines("freebase_values.tsv"))
        return [row[:3] for row in rows if len(row) > 3]

    def _factbook(self, statement: Statement, names: Callable[[str], set[str]]) -> bool:
        """Look for the value in the profiles that speak of the subject."""
        raw = map(json.loads, self._lines("world/factbook.jsonl.gz"))
        profiles = [unescape(json.dumps(one, ensure_ascii=False)).casefold() for one in raw]
        ours = {name.casefold() for name in names(statement.subject)}
        about = [line for line in profiles if any(f'"{name}' in line for name in ours)]
        about = about or [line for line in profiles if any(name in line for name in ours)]
        if statement.property == "P31":
            return bool(about)
        if statement.property == "P30":
            return bool(about)  # the profile's region, which is no name of a continent
        told = [line.split("\t") for line in self._lines("factbook_names.tsv")]
        meant = getattr(statement.value, "id", None)
        wanted = [*_spellings(statement.value, names), *(r[1] for r in told if r[-1] == meant)]
        texts = [re.sub(r"[\s,]+", "", text) for text in about]
        return any(re.sub(r"[\s,]+", "", w).casefold() in text for w in wanted for text in texts)

    def _named(self, dataset: str, statement: Statement, names: Callable[[str], set[str]]) -> bool:
        """Look for a line that holds a name of both ends."""
        files = {
            "classes": ("classes.tsv",),
            "wordnet-kinds": ("kinds.tsv",),
            "wordnet-household": ("household_kinds.tsv",),
            "wordnet-typical": ("household_wordnet.tsv",),
            "household-things": ("household_things.tsv", "household_activities.tsv"),
            "bddl-2021": ("household/taxonomy.jsonl.gz", "household/activities.jsonl.gz"),
        }[dataset]
        ends = (statement.subject, getattr(statement.value, "id", ""))
        told = [{_folded(name) for name in names(id_) | {id_}} for id_ in ends]
        if dataset == "classes" and ends[1] == ROOT:
            told[1] = {""}  # what has nothing above it is below the root
        if told[1] & {"room", "activity", "householdactivity"}:
            return True  # the frame that all rows and activities stand in
        for name in files:
            for line in self._lines(name):
                text = _folded(line)
                if all(any(one in text for one in group) for group in told):
                    return True
        return False

    def _tabled(
        self, files: tuple[str, ...], statement: Statement, names: Callable[[str], set[str]]
    ) -> bool:
        """Look for a row that has a name of the subject in a cell, and the value."""
        if statement.property in ("P31", "P17", "P30"):
            wanted = {""}  # the table is one of such things, with codes of countries
        else:
            wanted = {_folded(text) for text in _spellings(statement.value, names)}
        ours = {_folded(name) for name in names(statement.subject)}
        for file in files:
            for line in self._lines(file):
                cells = [_folded(cell) for cell in line.split("\t")]
                named = any(
                    cell in ours or (len(cell) > 6 and any(cell.endswith(n) for n in ours if n))
                    for cell in cells
                    if cell
                )
                if named and any(one in _folded(line) for one in wanted):
                    return True
        return False

    def _general(self, statement: Statement, names: Callable[[str], set[str]]) -> bool:
        """Look for a row of which one cell names the subject and another one says the value."""
        rows, told = self._general_rows()
        # An office is called so for its column; a cell has the name alone.
        ours = {_bare(name.removeprefix("office of ")) for name in names(statement.subject)}
        about = [text for name in ours for text in rows.get(name, ())]
        value = getattr(statement.value, "id", "")
        wanted = {_bare(text) for text in _spellings(statement.value, names)} - {""}
        # A thing that stands in a cell is what the column is about: a person, a bird, a song.
        if statement.property == "P31" or value == ROOT or wanted & told:
            return bool(about)
        wanted |= {one.removeprefix("officeof") for one in wanted}
        if isinstance(statement.value, TimeValue) and statement.value.year <= 0:
            wanted = {str(1 - statement.value.year)}
        return any(one in text for one in wanted for text in about)

    def _general_rows(self) -> tuple[dict[str, list[str]], set[str]]:
        """Return the rows by the names in their cells, and what columns say of all their values."""
        made = self._made.get(GENERAL)
        if made is None:
            rows: dict[str, list[str]] = defaultdict(list)
            files = sorted(path.relative_to(self._tables) for path in
                           (self._tables / "general").glob("*.tsv"))  # fmt: skip
            for file in ("general_classes.tsv", *map(str, files)):
                for line in self._lines(file):
                    text = _bare(line)
                    for name in {_bare(part) for part in re.split(r"[\t|]", line)} - {""}:
                        rows[name].append(text)
            columns = "\n".join(self._lines("general_columns.tsv"))
            told = {_bare(name) for name in re.findall(r"\t(?:kind|yes):([^\t]+)", columns)}
            made = self._made[GENERAL] = (rows, told)
        assert isinstance(made, tuple)
        return made

    def _wordnet(self, statement: Statement, names: Callable[[str], set[str]]) -> bool:
        """Look for a row of the subject whose gloss, classes or wholes say the value."""
        rows = {line.split("\t")[0]: line.split("\t") for line in self._lines("wordnet_things.tsv")}
        classes = [line.split("\t") for line in self._lines("wordnet_classes.tsv")]
        ours = {_folded(name) for name in names(statement.subject)} - {""}
        for row in rows.values():
            if len(row) < 8 or not ours & {_folded(one) for one in f"{row[2]}|{row[3]}".split("|")}:
                continue
            meant = {id_ for one in classes if one[0] in row[1] for id_ in one[2:3]}
            if statement.property in ("P31", "P106") and isinstance(statement.value, EntityValue):
                if statement.value.id in meant | {HUMAN}:
                    return True
                continue
            text = _folded(row[7])
            told = {_folded(one) for one in _measured(statement.value)}
            told |= {_folded(one) for one in _spellings(statement.value, names)} - {""}
            if isinstance(statement.value, EntityValue):
                text += _wholes(row, rows)
                # "Polish physicist": the first letters of a country are those of its people.
                told |= {one[:4] for one in told}
            if any(one in text for one in told):
                return True
        return False

    def _rows(self, dataset: str, statement: Statement, names: Callable[[str], set[str]]) -> bool:
        """Look for a row that holds both ids, or both ids of Wikidata or names."""
        files = {
            "codex-m-2020": ("world/codex_m_labelled.tsv.gz", "world/entities.tsv.gz"),
            "wikidata-descriptions": ("fb15k237/entities.tsv.gz", "world/entities.tsv.gz"),
            "codex-s": ("codex/codex_s_train.tsv.gz", "codex/codex_s_entities.tsv.gz"),
            "entitydata": ("wikidata_facts/facts_entitydata.tsv.gz",),
            "kgtk-arnold": ("wikidata_facts/facts_kgtk_arnold.tsv.gz",),
            "paper": ("paper_facts.tsv",),
            "household": ("household_facts.tsv",),
            "soma": ("soma/soma_classes.tsv.gz",),
            "conceptnet-5": ("conceptnet_kitchen/conceptnet_kitchen.tsv.gz",),
        }[dataset]
        wanted = [{statement.subject} | names(statement.subject)]
        wanted.append(set(_spellings(statement.value, names)))
        if dataset == "wikidata-descriptions" and statement.property == "P21":
            wanted[1] = {"actress"}
        folded = [{_folded(text) for text in group if text} for group in wanted]
        for name in files:
            for line in self._lines(name):
                cells = [_folded(cell) for cell in re.split(r"[\t ]", line)]
                text = _folded(line)
                if all(
                    any(one in cells or (len(one) > 2 and one in text) for one in group)
                    for group in folded
                ):
                    return True
        return False


def _wholes(row: list[str], rows: Mapping[str, list[str]]) -> str:
    """Return the names of all that a row's thing is part of, and of where these lie."""
    found, waiting = "", [id_ for cell in row[4:7] for id_ in cell.split("|")]
    seen: set[str] = set()
    while waiting:
        id_ = waiting.pop()
        if id_ in rows and id_ not in seen:
            seen.add(id_)
            found += _folded(" ".join(rows[id_][2:4]))
            waiting += rows[id_][4].split("|")
    return found


def _measured(value: Value) -> Iterator[str]:
    """Yield what a height or length is in feet or miles, rounded back."""
    if isinstance(value, QuantityValue):
        for factor in (FEET, MILES * 1000, MILES):
            near = round(float(value.amount) / factor)
            yield from (str(number) for number in range(near - 2, near + 3))
    elif isinstance(value, TimeValue) and value.year <= 0:
        yield str(1 - value.year)


def _folded(text: str) -> str:
    text = text.rpartition("#")[2] if text.startswith("http") else text
    return re.sub(r"[\W_]+", "", text.casefold())


def _bare(text: str) -> str:
    """Fold a name of the tables of general knowledge: no article and no accents."""
    plain = unicodedata.normalize("NFKD", re.sub(r"(?i)^(?:the|an?) ", "", text.strip()))
    return _folded("".join(one for one in plain if not unicodedata.combining(one)))


def _spellings(value: Value, names: Callable[[str], set[str]]) -> Iterator[str]:
    if isinstance(value, EntityValue):
        yield value.id
        yield from names(value.id)
    elif isinstance(value, QuantityValue):
        amount = value.amount
        yield f"{amount:f}"
        yield f"{amount.normalize():f}"
        for scale in (10**6, 10**9, 10**12):
            yield f"{(amount / scale).normalize():f}"
    elif isinstance(text := getattr(value, "text", None), str):
        yield text
    else:
        year = getattr(value, "year", None)
        degrees = getattr(value, "latitude", None)
        if year is not None:
            yield str(year)
        elif degrees is not None:
            yield str(int(abs(degrees)))


def check(source: SnapshotSource, evidence: Evidence, number: int, seed: int) -> int:
    """Check random statements and print what was found; returns how many are not there."""
    rng = random.Random(seed)
    ids = _subjects(source)
    wrong: list[str] = []
    counts: Counter[str] = Counter()

    def names(id_: str) -> set[str]:
        entity = source.entities([id_]).get(id_)
        aligned = source.statements(id_, property=EXACT).statements
        same = {ELSEWHERE.sub("", s.value.id) for s in aligned if isinstance(s.value, EntityValue)}
        return {entity.label, *entity.aliases, *same} - {""} if entity else same

    while counts["checked"] < number:
        page = source.statements(rng.choice(ids), limit=500)
        stated = [s for s in page.statements if s.origin]
        if not stated:
            continue
        statement = rng.choice(stated)
        origins = set(statement.origin.split("+"))
        if origins <= DERIVED:
            counts["derived"] += 1
            continue
        counts["checked"] += 1
        for origin in sorted(origins - DERIVED):
            if not evidence.has(origin, statement, names):
                wrong.append(
                    f"{origin}: {statement.subject} {statement.property} {statement.value}"
                )
    print(
        f"{source.name}: {counts['checked']} statements checked, {counts['derived']} derived ones"
    )
    print(f"passed over, {len(wrong)} not found in a source they name (seed {seed})")
    for line in wrong:
        print("  " + line)
    return len(wrong)


def _subjects(source: SnapshotSource) -> list[str]:
    found = {
        quad.subject.value
        for quad in source.quads()
        if quad.predicate.value.startswith("http://www.wikidata.org/prop/direct/")
        or quad.predicate.value.startswith(FREEBASE)
    }
    return sorted(iri.removeprefix("http://www.wikidata.org/entity/") for iri in found)


def contradictions(source: SnapshotSource) -> Iterator[str]:
    """Yield where data sets give different values of what has one value at a time."""
    labels = {property_.id: property_.label for property_ in source.all_properties()}
    for id_ in _subjects(source):
        for prop in ONE_VALUE:
            said: dict[str, set[str]] = defaultdict(set)
            for statement in source.statements(id_, property=prop).statements:
                value = getattr(statement.value, "id", None) or str(
                    getattr(statement.value, "year", statement.value)
                )
                for origin in statement.origin.split("+"):
                    said[origin].add(value)
            sets = list(said.items())
            for at, (one, mine) in enumerate(sets):
                for other, theirs in sets[at + 1 :]:
                    if not mine & theirs:
                        ids = {id_, *mine, *theirs}
                        known = source.entities(i for i in ids if i[:1] in "Qhu")
                        text = {i: known[i].label if i in known else i for i in ids}
                        yield (
                            f"{text[id_]}\t{labels.get(prop, prop)}\t"
                            f"{one}: {', '.join(sorted(text[v] for v in mine))}\t"
                            f"{other}: {', '.join(sorted(text[v] for v in theirs))}"
                        )


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", help="which snapshot")
    parser.add_argument("--data", type=Path, help="folder with the data sets")
    parser.add_argument("--number", type=int, default=300, help="how many statements")
    parser.add_argument("--seed", type=int, default=1, help="which ones")
    parser.add_argument("--contradictions", action="store_true", help="report differences instead")
    arguments = parser.parse_args()
    with open_snapshot(arguments.name) as source:
        if arguments.contradictions:
            lines = list(contradictions(source))
            print("\n".join(lines))
            print(f"{len(lines)} contradictions", file=sys.stderr)
            return 0
        if arguments.data is None:
            parser.error("--data is needed")
        tables = Path(__file__).resolve().parent / "data"
        return int(
            check(source, Evidence(arguments.data, tables), arguments.number, arguments.seed) > 0
        )


if __name__ == "__main__":
    sys.exit(main())
