"""Reads FB15k-237: Freebase's relations with Wikidata's ids, properties where they agree.

A relation of two steps goes through a node that Freebase had and this data set has not (a marriage,
a nomination, a term of study). Such a node joins several facts; what belonged to one node can be
told where only one combination is possible, and then the further facts become qualifiers.

Freebase has one topic where Wikidata has two items, one for humans and one for other living things
(male, female). The ids were matched with the wrong one of the two; a table says which is meant in
which relation and why, before any relation is compared with a property.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from wikidata_sample.facts import Fact, read_rows
from wikidata_sample.names import read_table

from robodata_core.model import EntityValue, Value
from world.mapping import Decision, Pairs
from world.things import FREEBASE, Things

__all__ = ["DATASET", "Relation", "Triples", "read_relations", "read_triples", "statements"]

DATASET = "fb15k237-2015"
CONTAINS, IN_COUNTRY = "/location/location/contains", "/location/country/contains"

# Statements of one kind of joining node: the relation that makes the statement, and those that
# hang on it. "~" turns a relation around; a part is tied to the statement's head, to its value, or
# to both ("head|value").
JOINED: tuple[tuple[str, str, tuple[tuple[str, str, str], ...]], ...] = (
    (
        "/people/person/spouse_s./people/marriage/spouse",
        "",
        (
            ("own", "/people/person/spouse_s./people/marriage/location_of_ceremony", ""),
            ("own", "/people/person/spouse_s./people/marriage/type_of_union", ""),
        ),
    ),
    (
        "/award/award_nominee/award_nominations./award/award_nomination/award",
        "",
        (
            (
                "P1686",
                "/award/award_nominee/award_nominations./award/award_nomination/nominated_for",
                "/award/award_category/nominees./award/award_nomination/nominated_for",
            ),
        ),
    ),
    (
        "/award/award_category/winners./award/award_honor/award_winner",
        "~",
        (
            (
                "P1686",
                "~/award/award_winning_work/awards_won./award/award_honor/award_winner",
                "~/award/award_winning_work/awards_won./award/award_honor/award",
            ),
            (
                "P805",
                "~/award/award_ceremony/awards_presented./award/award_honor/award_winner",
                "/award/award_category/winners./award/award_honor/ceremony",
            ),
        ),
    ),
    (
        "/education/educational_institution/students_graduates./education/education/student",
        "~",
        (
            (
                "P512",
                "~/education/educational_degree/people_with_this_degree./education/education/student",
                "~/education/educational_degree/people_with_this_degree./education/education/institution",
            ),
            (
                "P812",
                "~/education/field_of_study/students_majoring./education/education/student",
                "/education/educational_institution/students_graduates./education/education/major_field_of_study",
            ),
        ),
    ),
    (
        "/sports/pro_athlete/teams./sports/sports_team_roster/team",
        "",
        (
            (
                "P413",
                "~/sports/sports_position/players./sports/sports_team_roster/position",
                "~/sports/sports_position/players./sports/sports_team_roster/team",
            ),
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class Relation:
    """How a relation is called where it keeps its own IRI.

    Attributes:
        name: Freebase's name of it.
        label: A noun phrase for the tail.
        aliases: What people say for it.
        kept: Whether it says something of the world; a few are Freebase's own bookkeeping.
        refused: Properties it is not mapped to although facts agree.
    """

    name: str
    label: str = ""
    aliases: tuple[str, ...] = ()
    kept: bool = True
    refused: tuple[str, ...] = ()

    @property
    def iri(self) -> str:
        """Its own IRI; the two steps of a relation are joined by a slash."""
        return FREEBASE + "/".join(
            step.strip("/").replace("/", ".") for step in self.name.split("./")
        )


Triples = dict[str, list[tuple[str, str]]]
"""Relation -> (head, tail) with the ids of things."""


def read_relations(table: Path) -> dict[str, Relation]:
    """Read the names of Freebase's relations.

    Raises:
        ValueError: If the table is not shaped as expected.
    """
    rows = read_table(table, ("relation", "label", "aliases", "kept", "refused"))
    return {
        name: Relation(
            name,
            label,
            tuple(alias for alias in aliases.split("|") if alias),
            kept != "no",
            tuple(refused.partition(" ")[0].split(",")),
        )
        for name, label, aliases, kept, refused in rows
    }


def read_triples(data: Path, things: Things, table: Path) -> Triples:
    """Read the train part; valid and test are left for measuring.

    Args:
        data: Folder with the data sets.
        things: What Freebase's topics are.
        table: Which item the tails of a relation mean where their ids say another one.

    Raises:
        ValueError: If the table names a relation or an item that does not occur.
    """
    rows = read_table(table, ("relation", "item", "meant", "reason"))
    meant = {(relation, item): other for relation, item, other, _ in rows}
    met: set[tuple[str, str]] = set()
    triples: Triples = defaultdict(list)
    for head, relation, tail in read_rows(data / "fb15k237/train.tsv.gz"):
        key = (relation, things.topic[tail])
        met.add(key)
        triples[relation].append((things.topic[head], meant.get(key, key[1])))
    if unmet := meant.keys() - met:
        raise ValueError(f"{table.name}: nothing is said with {sorted(unmet)}")
    # What a country contains lies in that country; what a state or a town contains, in that one.
    countries = {
        head
        for relation, pairs in triples.items()
        if relation.startswith("/location/country/")
        for head, _ in pairs
    }
    contained = triples.pop(CONTAINS)
    triples[CONTAINS] = [pair for pair in contained if pair[0] not in countries]
    triples[IN_COUNTRY] = [pair for pair in contained if pair[0] in countries]
    return triples


def statements(
    triples: Triples, relations: Mapping[str, Relation], decisions: Mapping[str, Decision]
) -> Iterator[Fact]:
    """Yield all facts, with qualifiers where only one combination is possible."""
    qualified = _qualified(triples)
    for relation, pairs in triples.items():
        named = relations.get(relation) or Relation(relation)
        decision = decisions[relation]
        if not named.kept:
            continue
        prop = decision.prop or named.iri
        for head, tail in pairs:
            one, other = (tail, head) if decision.prop and decision.inverse else (head, tail)
            qualifiers = qualified.get((relation, head, tail), ())
            spelled = tuple((_property(part, relations), value) for part, value in qualifiers)
            yield Fact(one, prop, EntityValue(other), (DATASET,), qualifiers=spelled)


def _property(part: str, relations: Mapping[str, Relation]) -> str:
    return relations[part].iri if part.startswith("/") else part


def _qualified(triples: Triples) -> dict[tuple[str, str, str], list[tuple[str, Value]]]:
    found: dict[tuple[str, str, str], list[tuple[str, Value]]] = defaultdict(list)
    for main, turned, parts in JOINED:
        pairs = [(t, h) if turned else (h, t) for h, t in triples[main]]
        values_of = _index(pairs)
        for prop, by_head, by_value in parts:
            near = _index(_turn(triples, by_head))
            far = _index(_turn(triples, by_value)) if by_value else None
            name = prop if prop != "own" else by_head
            for head, value in pairs:
                if far is not None:
                    options = near.get(head, set()) & far.get(value, set())
                else:
                    options = near.get(head, set()) if len(values_of[head]) == 1 else set()
                if len(options) == 1:
                    key = (main, value, head) if turned else (main, head, value)
                    found[key].append((name, EntityValue(next(iter(options)))))
    return found


def _turn(triples: Triples, relation: str) -> list[tuple[str, str]]:
    if relation.startswith("~"):
        return [(t, h) for h, t in triples[relation[1:]]]
    return triples[relation]


def _index(pairs: list[tuple[str, str]]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for head, tail in pairs:
        found[head].add(tail)
    return found


def as_pairs(triples: Triples) -> dict[str, Pairs]:
    """Return the relations as sets of pairs, for the mapping."""
    return {relation: set(pairs) for relation, pairs in triples.items()}
