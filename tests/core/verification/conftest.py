"""An atlas made by rule, so that what verification measures in it is known beforehand.

Thirty countries, each with one capital and two more cities; people born in a city are citizens of
its country, but for one in ten, and speak its language. Siblings are stated both ways, parents and
children by a property each. One hub that all people belong to.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyoxigraph as ox
import pytest

from robodata_core import RoboData
from robodata_core.sources.snapshot.loading import write_snapshot

COUNTRIES = 30
PEOPLE = 120
CAPITAL, COUNTRY, BORN, CITIZEN, SPEAKS, SIBLING, PARENT, CHILD, BIRTH, HEIGHT, MEMBER = (
    f"P{n}" for n in range(1001, 1012)
)
LABELS = {
    CAPITAL: "capital",
    COUNTRY: "country",
    BORN: "place of birth",
    CITIZEN: "country of citizenship",
    SPEAKS: "language spoken",
    SIBLING: "sibling",
    PARENT: "parent",
    CHILD: "child",
    BIRTH: "date of birth",
    HEIGHT: "height",
    MEMBER: "member of",
    "P31": "instance of",
    "P582": "end time",
}
PREFIXES = """
@prefix wd: <http://www.wikidata.org/entity/> .
@prefix wdt: <http://www.wikidata.org/prop/direct/> .
@prefix wds: <http://www.wikidata.org/entity/statement/> .
@prefix p: <http://www.wikidata.org/prop/> .
@prefix ps: <http://www.wikidata.org/prop/statement/> .
@prefix pq: <http://www.wikidata.org/prop/qualifier/> .
@prefix wdno: <http://www.wikidata.org/prop/novalue/> .
@prefix wikibase: <http://wikiba.se/ontology#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""


def country(n: int) -> str:
    return f"Q{1000 + n}"


def city(n: int, which: int = 0) -> str:
    return f"Q{2000 + 10 * n + which}"


def person(n: int) -> str:
    return f"Q{5000 + n}"


def language(n: int) -> str:
    return f"Q{8000 + n // 2}"


def home(n: int) -> int:
    """The country a person was born in."""
    return n % COUNTRIES


def atlas() -> str:
    lines = [PREFIXES]
    add = lines.append
    for id_, label in LABELS.items():
        add(f'wd:{id_} a wikibase:Property ; rdfs:label "{label}"@en .')
    for id_, label in {"Q1": "state", "Q2": "town", "Q3": "person", "Q4": "tongue",
                       "Q5": "world club", "Q6": "metre"}.items():  # fmt: skip
        add(f'wd:{id_} rdfs:label "{label}"@en .')
    for n in range(COUNTRIES):
        add(f'wd:{country(n)} rdfs:label "Land {n}"@en ; wdt:P31 wd:Q1 ;')
        add(f"  wdt:{CAPITAL} wd:{city(n)} .")
        add(f'wd:{language(n)} rdfs:label "Tongue {n // 2}"@en ; wdt:P31 wd:Q4 .')
        for which in range(3):
            add(f'wd:{city(n, which)} rdfs:label "Town {n} {which}"@en ; wdt:P31 wd:Q2 ;')
            add(f"  wdt:{COUNTRY} wd:{country(n)} .")
    for n in range(PEOPLE):
        citizen = country(home(n) if n % 10 else home(n + 1))
        add(f'wd:{person(n)} rdfs:label "Person {n}"@en ; wdt:P31 wd:Q3 ; wdt:{MEMBER} wd:Q5 ;')
        add(f"  wdt:{BORN} wd:{city(home(n), n % 3)} ; wdt:{CITIZEN} wd:{citizen} ;")
        add(f"  wdt:{SPEAKS} wd:{language(home(n))} ;")
        add(f'  wdt:{BIRTH} "{1900 + n}-03-11T00:00:00Z"^^xsd:dateTime .')
        if n % 2 == 0:
            add(f"wd:{person(n)} wdt:{SIBLING} wd:{person(n + 1)} .")
            add(f"wd:{person(n + 1)} wdt:{SIBLING} wd:{person(n)} .")
        if n % 3 == 0:
            add(f"wd:{person(n)} wdt:{CHILD} wd:{person(n + 2)} .")
            if n != 60:
                add(f"wd:{person(n + 2)} wdt:{PARENT} wd:{person(n)} .")
    add(RANKS)
    return "\n".join(lines)


RANKS = f"""
# Person 7 was a citizen of another land; one statement is outranked, one withdrawn.
wd:Q5007 p:{MEMBER} wds:Q5007-a , wds:Q5007-b .
wds:Q5007-a wikibase:rank wikibase:NormalRank ; ps:{MEMBER} wd:Q5 ;
    pq:P582 "1990-01-01T00:00:00Z"^^xsd:dateTime .
wds:Q5007-b wikibase:rank wikibase:DeprecatedRank ; ps:{MEMBER} wd:Q1 .
wd:Q5008 a wdno:{SIBLING}0 .
"""


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The snapshot of the atlas."""
    output = tmp_path_factory.mktemp("atlas") / "atlas"
    quads = ox.parse(atlas().encode(), format=ox.RdfFormat.TRIG)
    write_snapshot(quads, output, name="atlas")
    return output


@pytest.fixture
def robodata(folder: Path) -> Iterator[RoboData]:
    """The atlas, opened."""
    with RoboData.open(source=f"snapshot:{folder}") as opened:
        yield opened
