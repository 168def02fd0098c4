"""Reads years, directors and actresses out of Wikidata's descriptions, by a small grammar.

A description is no statement, but many say one: "1994 film by Quentin Tarantino", "American actor
(born 1954)", "monarchy in Central Europe between 1804-1867", "rock band formed in Seattle in 1994".
What such a year means follows from what the thing is, so a class comes first; a year anywhere else
("film based on a 1950 novel", "in office from 1953 to 1961") is passed over, and so is everything
about a property of which a value is stated already. What is read so stands in a data set of its
own.
"""

from __future__ import annotations

import re
from calendar import month_name
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final

from wikidata_sample.facts import Fact

from robodata_core.model import EntityValue, TimeValue, Value
from world.classes import BEFORE
from world.classes import DATASET as DERIVED
from world.glosses import year_value
from world.joining import upward
from world.things import Thing

__all__ = ["DATASET", "read_descriptions"]

DATASET = "wikidata-descriptions"
FILM, HUMAN, FEMALE = "Q11424", "Q5", "Q6581072"

# What a year says of things below a class: (alone, from, until). The first class that fits counts.
YEARS: Final[Mapping[str, tuple[str, str, str]]] = {
    HUMAN: ("", "P569", "P570"),
    FILM: ("P577", "", ""),
    "Q15416": ("P580", "P580", "P582"),  # television program
    "Q386724": ("P577", "", ""),  # creative work
    "Q1656682": ("P585", "P580", "P582"),  # event
    "Q6256": ("", "P571", "P576"),  # country
    "Q48349": ("", "P571", "P576"),  # empire
    "Q1307214": ("", "P571", "P576"),  # form of government, which some states bear as a class
    "Q43229": ("", "P571", "P576"),  # organization
    "Q11514315": ("", "P580", "P582"),  # historical period
}
_MONTH: Final = rf"(?:{'|'.join(month_name[1:])})"
#: The month of a span's end is passed over.
_YEAR: Final = rf"(?:{_MONTH} )?([12]\d{{3}})"
_SPAN: Final = rf"(?:{_MONTH} )?([1-9]\d{{2,3}})-(?:{_MONTH} )?([12]\d{{3}}|\d\d|present|)"
_ADJECTIVES: Final = r"^(?:[A-Z][\w.-]* ){0,2}"
_CLOSED: Final = r"(?=$|[;,.)])"
#: A span, where it is said of the thing itself: in front, in brackets or behind a comma at the end.
_SPANS: Final = (
    re.compile(rf"{_ADJECTIVES}\(?{_SPAN}\)?(?=$|[; ])"),
    re.compile(rf"[(,;] ?{_SPAN}\)?$"),
    re.compile(rf"^[^(]* \({_SPAN}\)"),
    re.compile(rf"\b(?:from|between|in) {_SPAN}{_CLOSED}"),
)
#: What makes a span one of something else: an office, a former name, a role.
_ASIDE: Final = re.compile(r"\b(?:office|known|formerly|as|various|served|reigned?|member)\b", re.I)
#: Years behind an office ("King of France (1643-1715)") are those in it, not a life's.
_OFFICE: Final = re.compile(r"\bof (?:the )?[A-Z]|\b(?:from|between|in) \d")
_LONE: Final = re.compile(rf"(?<![\d-]){_YEAR}(?=[ ,])")
_FOUNDED: Final = re.compile(
    rf"\b(?:founded|formed|established)(?: [^\d;,()]*)?? (?:in )?{_YEAR}{_CLOSED}", re.I
)
_HELD: Final = re.compile(
    rf"\b(?:(?:held|celebrated) in [^\d;]*? in|(?:held|presented|ceremony)(?: on)?(?: \d{{1,2}})?)"
    rf" (?:{_MONTH} \d{{1,2}}, )?{_YEAR}\b"
)
_BORN: Final = re.compile(rf"\b(?:born|b\.) ?(?:in )?{_YEAR}{_CLOSED}")
_DIED: Final = re.compile(rf"\b(?:died|d\.) ?(?:in )?{_YEAR}{_CLOSED}")
_DASH: Final = re.compile(
    rf"(?<=\d{{3}})(?:\s?[\u2010-\u2015-]\s?| to | and )(?={_MONTH} \d{{4}}|\d|present|[ )]|$)"
)
#: The one occupation that says a sex or gender; "actor" is said of all.
_ACTRESS: Final = re.compile(r"^(?:(?!\b(?:of|by|to|for|from|with|in)\b)[^;(])*\bactress\b")
_DIRECTED: Final = re.compile(r"\b(?:film|movie|[Dd]irected) (?:[Dd]irected )?by (.+)")
_NAMES_END: Final = re.compile(
    r"[,;(]? ?\b(?:based|starring|about|from|for|with|featuring|in|produced|written|set)\b|[;(]"
)
#: Sex or gender, places of birth and death, citizenship, occupation: what is said of people alone.
PERSONAL: Final = frozenset({"P21", "P19", "P20", "P27", "P106"})
LATEST = 2026
LIFE = range(20, 110)


def read_descriptions(things: Mapping[str, Thing], facts: Collection[Fact]) -> Iterator[Fact]:
    """Yield what descriptions say and no data set states.

    Args:
        things: What is known of the things.
        facts: What is stated of them, classes and what is above these among it.
    """
    stated = {(fact.subject, fact.prop) for fact in facts}
    above, classes = _pairs(facts, "P279"), _pairs(facts, "P31")
    people = _people(facts)
    named = _by_name(things, people)
    for id_, own in classes.items():
        text, of = things[id_].description if id_ in things else "", upward(own, above)
        told: list[tuple[str, Value]] = []
        if HUMAN not in of or id_ in people:
            told += _years(text, of)
        if HUMAN in of and _ACTRESS.search(text):
            told.append(("P21", EntityValue(FEMALE)))
        if FILM in of:
            told += [("P57", EntityValue(one)) for one in _directors(text, named)]
        yield from (
            Fact(id_, prop, value, (DATASET,)) for prop, value in told if (id_, prop) not in stated
        )


def _pairs(facts: Iterable[Fact], prop: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for fact in facts:
        if fact.prop == prop and isinstance(fact.value, EntityValue):
            found[fact.subject].add(fact.value.id)
    return found


def _people(facts: Iterable[Fact]) -> set[str]:
    """Return who is a person for sure.

    Whom only a description makes one may be a company ("developer and publisher").
    """
    found: set[str] = set()
    for fact in facts:
        derived = fact.datasets == (DERIVED,)
        if fact.prop in PERSONAL or (fact.value == EntityValue(HUMAN) and not derived):
            found.add(fact.subject)
        elif fact.prop == "P57" and isinstance(fact.value, EntityValue):
            found.add(fact.value.id)
    return found


def _years(text: str, classes: set[str]) -> Iterator[tuple[str, TimeValue]]:
    """Yield properties and years that a description of a thing of some classes says."""
    kind = next((one for one in YEARS if one in classes), None)
    if kind is None:
        return
    alone, since, until = YEARS[kind]
    text = _DASH.sub("-", text)
    span = _span(text) if since else None
    if kind == HUMAN and span and (_OFFICE.search(text) or span[1] - span[0] not in LIFE):
        return
    if span:
        yield since, year_value(span[0])
        if span[1]:
            yield until, year_value(span[1])
        return
    if kind == HUMAN:
        lone = [(since, _BORN.search(text)), (until, _DIED.search(text))]
    elif not alone:
        lone = [(since, _FOUNDED.search(text))]
    else:
        lone = [(alone, _first(text) or (_HELD.search(text) if alone == "P585" else None))]
    for prop, found in lone:
        if found and int(found[1]) <= LATEST:
            yield prop, year_value(int(found[1]))


def _span(text: str) -> tuple[int, int] | None:
    """Return the years between which a thing was; 0 for an end that is open or not said."""
    if len(re.findall(_SPAN, text)) > 1:
        return None
    for form in _SPANS:
        found = form.search(text)
        if found and not _ASIDE.search(text[: found.start(1)]):
            start, end = int(found[1]), found[2]
            last = int(found[1][: 4 - len(end)] + end) if end.isdigit() else 0
            return (start, last) if start <= (last or LATEST) <= LATEST else None
    return None


def _first(text: str) -> re.Match[str] | None:
    """Find a year in the first noun phrase: "American 1971 film directed by ..."."""
    found = _LONE.search(text)
    return found if found and not BEFORE.search(text[: found.start()]) else None


def _by_name(things: Mapping[str, Thing], ids: Iterable[str]) -> dict[str, set[str]]:
    named: dict[str, set[str]] = defaultdict(set)
    for id_ in ids:
        for name in (things[id_].label, *things[id_].aliases):
            named[name].add(id_)
    return named


def _directors(text: str, named: Mapping[str, set[str]]) -> list[str]:
    """Return who a film is by; nobody if any of the names is of nobody or of several people."""
    found = _DIRECTED.search(text)
    if not found:
        return []
    names = re.split(r" ?(?:,|&|\band\b) ?", _NAMES_END.split(found[1])[0].strip(" .,"))
    meant = [named.get(name, set()) for name in names if name]
    return [id_ for ids in meant for id_ in ids] if all(len(ids) == 1 for ids in meant) else []
