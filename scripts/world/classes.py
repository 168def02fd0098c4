"""Tells what things are that no data set gives a class: from their relations and descriptions.

Both ways are learned from the things whose classes Wikidata gives. A place in a Freebase relation
(the head of "film director", the tail of "cast") tells a class if nearly all known things in that
place are of it. The last words of the first noun phrase of a description ("1994 American *film*
directed by ...") tell one if nearly all known things described so are of it. What is told so is
marked as derived: it stands in a data set of its own.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping

from world.freebase import Triples
from world.things import Thing

__all__ = ["DATASET", "derive_classes"]

DATASET = "derived-classes"
LEAST_KNOWN = 8
LEAST_SHARE = 0.85
LEAST_PLACES = 2
LEAST_NAMED = 0.95
MOST_PEOPLE = 0.02
LEAST_SUPPORT = 0.8
HUMAN = "Q5"
OCCUPATIONS = frozenset({"Q28640", "Q12737077", "Q66715801", "Q4220920", "Q15839299"})
BEFORE = re.compile(
    r"[,;(:–—]|\b(?:of|in|by|from|for|on|at|with|directed|who|that|which|released|based|written|"
    r"located|situated|founded|between|to|as|and|created|produced|known|born|set)\b"
)
#: "1939–1945 global war": the dash is none between phrases.
YEARS = re.compile(r"^\(?\d{4}\s?[–—-]\s?\d{2,4}\)?[,;]? ")


def derive_classes(
    things: Mapping[str, Thing], triples: Triples, nouns: Mapping[str, str]
) -> dict[str, str]:
    """Return the class of things without one, as far as it can be told.

    Args:
        things: What is known of the things.
        triples: Freebase's relations.
        nouns: Nouns of descriptions and the classes they mean, where nothing was learned.
    """
    known = {id_: set(thing.classes) for id_, thing in things.items() if thing.classes}
    phrases = {id_: list(_phrases(thing.description)) for id_, thing in things.items()}
    marks = [(id_, phrase) for id_, found in phrases.items() for phrase in found]
    by_phrase = _learn(marks, known, LEAST_KNOWN, LEAST_SHARE)
    by_phrase = {phrase: class_ for phrase, class_ in by_phrase.items() if phrase not in nouns}
    # Occupations end the descriptions of those who have them.
    jobs = {things[id_].label.casefold() for id_, found in known.items() if found & OCCUPATIONS}
    places = _places(triples)
    marks = [(id_, place) for id_, found in places.items() for place in found]
    by_place = _learn(marks, known, LEAST_KNOWN, LEAST_SHARE)
    people = _of_people(marks, known)
    proper = _proper(things, known)
    derived: dict[str, str] = {}
    for id_ in things:
        if id_ in known:
            continue
        held = places.get(id_, set())
        # A "video game developer" may be a firm, and what won a prize for a director a film.
        human = sum(people.get(place, 0) for place in held) >= 0
        told = HUMAN if human and _has_job(things[id_].description, jobs) else None
        for phrase in () if told else phrases[id_]:
            told = nouns.get(phrase) or by_phrase.get(phrase)
            if told:
                break
        told = told or _elected(held, by_place)
        if told == HUMAN and not human:
            continue
        # The animals are a kingdom that nobody writes with a capital, as all states are.
        if told and not (told in proper and things[id_].label.islower()):
            derived[id_] = told
    return derived


def _proper(things: Mapping[str, Thing], known: Mapping[str, set[str]]) -> set[str]:
    """Return the classes whose members have names of their own, nearly all."""
    members: dict[str, list[bool]] = defaultdict(list)
    for id_, classes in known.items():
        for class_ in classes:
            members[class_].append(not things[id_].label.islower())
    return {
        class_ for class_, named in members.items()
        if len(named) >= LEAST_KNOWN and sum(named) >= LEAST_NAMED * len(named)
    }  # fmt: skip


def _places(triples: Triples) -> dict[str, set[str]]:
    places: dict[str, set[str]] = defaultdict(set)
    for relation, pairs in triples.items():
        for head, tail in pairs:
            places[head].add(relation)
            places[tail].add("^" + relation)
    return places


def _phrases(description: str) -> Iterable[str]:
    """Yield the ends of the first noun phrase, the longest first."""
    head = BEFORE.split(YEARS.sub("", description), maxsplit=1)[0].strip().casefold()
    words = head.split()
    for start in range(len(words)):
        yield " ".join(words[start:])


def _has_job(description: str, jobs: Collection[str]) -> bool:
    """Tell whether a list of occupations comes first: "film, television and stage actor"."""
    head = re.split(r"[;(]| (?:of|in|by|from|for|who|with|known|born) ", description.casefold())[0]
    words = re.split(r"[\s,]+", head.strip(" ,"))
    return any(
        " ".join(words[start:]) in jobs for start in range(max(0, len(words) - 3), len(words))
    )


def _learn(
    marks: Iterable[tuple[str, str]], known: Mapping[str, set[str]], least: int, share: float
) -> dict[str, str]:
    """Return which class a mark tells, for the marks that tell one."""
    members: dict[str, list[str]] = defaultdict(list)
    for id_, mark in marks:
        if id_ in known:
            members[mark].append(id_)
    uses = Counter(class_ for classes in known.values() for class_ in classes)
    learned: dict[str, str] = {}
    for mark, ids in members.items():
        if len(ids) < least:
            continue
        counts = Counter(class_ for id_ in ids for class_ in known[id_])
        # Of several, the most general one.
        fits = [(-uses[c], c) for c, n in counts.items() if n >= share * len(ids)]
        if fits:
            learned[mark] = min(fits)[1]
    return learned


def _of_people(marks: Iterable[tuple[str, str]], known: Mapping[str, set[str]]) -> dict[str, int]:
    """Return the places in relations where nearly all are people, as 1, and next to none, as -1."""
    people: dict[str, list[bool]] = defaultdict(list)
    for id_, place in marks:
        if id_ in known:
            people[place].append(HUMAN in known[id_])
    shares = {
        place: sum(found) / len(found)
        for place, found in people.items() if len(found) >= LEAST_KNOWN
    }  # fmt: skip
    return {
        place: 1 if share >= LEAST_SHARE else -1
        for place, share in shares.items() if share >= LEAST_SHARE or share <= MOST_PEOPLE
    }  # fmt: skip


def _elected(places: Iterable[str], by_place: Mapping[str, str]) -> str | None:
    """Return the class that nearly all of a thing's places tell, if there are several."""
    votes = Counter(by_place[place] for place in places if place in by_place)
    if votes.total() < LEAST_PLACES:
        return None
    class_, most = min(votes.items(), key=lambda vote: (-vote[1], vote[0]))
    return class_ if most >= LEAST_SUPPORT * sum(votes.values()) else None
