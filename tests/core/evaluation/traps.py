"""Questions whose words change the meaning: ``python -m tests.core.evaluation.traps [NUMBER]``.

Every trap is drawn from statements of a source and knows from them which answers would be false.
Not to know is never false here. A name that several things go by is not drawn.
"""

from __future__ import annotations

import random
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from robodata_core import RoboData
from robodata_core.model import Answer, AnswerStatus, Direction, EntityValue
from robodata_core.sources.base import KnowledgeSource

__all__ = ["FAMILIES", "Facts", "Trap", "false_ones", "traps"]

BORN, DIED, CAPITAL, LANGUAGE, SPOUSE = "P19", "P20", "P36", "P37", "P26"
FATHER, CHILD, SIBLING, OCCUPATION, BORDER = "P22", "P40", "P3373", "P106", "P47"
COUNTRY, CONTINENT, INSTRUMENT, DIRECTOR, STUDIED = "P17", "P30", "P1303", "P57", "P69"
#: How a fact is asked for, with the subject and the object in place.
_WHETHER: Final = {
    BORN: "Was {s} born in {o}?",
    DIED: "Did {s} die in {o}?",
    CAPITAL: "Is {o} the capital of {s}?",
    LANGUAGE: "Is {o} an official language of {s}?",
    SPOUSE: "Is {s} married to {o}?",
    FATHER: "Is {o} the father of {s}?",
    CHILD: "Is {o} a child of {s}?",
    BORDER: "Does {s} border {o}?",
    CONTINENT: "Is {s} in {o}?",
    INSTRUMENT: "Does {s} play the {o}?",
    DIRECTOR: "Did {o} direct {s}?",
    STUDIED: "Did {s} study at {o}?",
}
_NOUNS: Final = {
    CAPITAL: "capital",
    LANGUAGE: "official language",
    SPOUSE: "spouse",
    FATHER: "father",
    CHILD: "child",
}
_SYMMETRIC: Final = frozenset({SPOUSE, SIBLING, BORDER})
_DRAWN: Final = (*_WHETHER, OCCUPATION, SIBLING)
_DRAWN_FROM: Final = 300
_MANY: Final = 3_000


@dataclass(frozen=True, slots=True)
class Trap:
    """A question, and what of it would be a false answer.

    Attributes:
        family: How its words change the meaning.
        question: The question.
        is_false: Tells whether an answer with results is false.
    """

    family: str
    question: str
    is_false: Callable[[Answer], bool]


@dataclass(slots=True)
class Facts:
    """Statements between things of a source that are known by names of their own.

    Attributes:
        values: By property and subject, the ids of the values.
        names: The names by ids.
    """

    source: KnowledgeSource
    values: dict[str, dict[str, set[str]]] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    nouns: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, source: KnowledgeSource) -> Facts:
        """Read the facts that traps are drawn from."""
        facts = cls(source)
        ids: set[str] = set()
        for property_ in _DRAWN:
            predicate = f"<http://www.wikidata.org/prop/direct/{property_}>"
            found = source.sparql(f"SELECT ?s ?o WHERE {{ ?s {predicate} ?o }} LIMIT {_DRAWN_FROM}")
            values: dict[str, set[str]] = defaultdict(set)
            for subject, value in found.rows:
                if isinstance(subject, EntityValue) and isinstance(value, EntityValue):
                    values[subject.id].add(value.id)
                    ids |= {subject.id, value.id}
            facts.values[property_] = dict(values)
        entities = source.entities(sorted(ids))
        shared = Counter(
            name.casefold()
            for entity in entities.values()
            for name in {entity.label, *entity.aliases}
        )
        facts.names = {
            id_: entity.label
            for id_, entity in entities.items()
            if entity.label and entity.label.isascii() and shared[entity.label.casefold()] == 1
        }
        return facts

    def holds(self, property_: str, subject: str, value: str) -> bool:
        """Tell whether something is stated, looked up afresh."""
        return value in self.all_of(property_, subject)

    def all_of(self, property_: str, subject: str, way: Direction = Direction.OUT) -> set[str]:
        """Return the ids of all values of a property, or of what has something as a value."""
        page = self.source.statements(subject, property=property_, direction=way, limit=_MANY)
        outwards = way is Direction.OUT
        return {
            one.value.id if isinstance(one.value, EntityValue) else ""
            for one in page.statements
            if outwards
        } or {one.subject for one in page.statements if not outwards}

    def draw(self, drawn: random.Random, property_: str) -> tuple[str, str]:
        """Return subject and value of a fact whose ends have names."""
        subjects = sorted(self.values[property_])
        while True:
            subject = drawn.choice(subjects)
            value = drawn.choice(sorted(self.values[property_][subject]))
            if subject in self.names and value in self.names and subject != value:
                return subject, value


def _yes(answer: Answer) -> bool:
    return any(item.value is True for item in answer.results)


def _gives(*ids: str) -> Callable[[Answer], bool]:
    return lambda answer: any(
        item.value == EntityValue(id_) for item in answer.results for id_ in ids
    )


def _gives_others(*ids: str) -> Callable[[Answer], bool]:
    wanted = {EntityValue(id_) for id_ in ids}
    return lambda answer: any(
        isinstance(item.value, EntityValue) and item.value not in wanted for item in answer.results
    )


_Maker = Callable[[Facts, random.Random], Iterator[tuple[str, Callable[[Answer], bool]]]]


def _turned(facts: Facts, drawn: random.Random) -> Iterator[tuple[str, Callable[[Answer], bool]]]:
    """Subject and object change places."""
    property_ = drawn.choice(sorted(set(_WHETHER) - _SYMMETRIC))
    subject, value = facts.draw(drawn, property_)
    if not facts.holds(property_, value, subject):
        yield _WHETHER[property_].format(s=facts.names[value], o=facts.names[subject]), _yes


def _others(facts: Facts, drawn: random.Random) -> Iterator[tuple[str, Callable[[Answer], bool]]]:
    """The value is that of something else."""
    property_ = drawn.choice(sorted(set(_WHETHER) - {CONTINENT, BORN, DIED}))
    (subject, _), (_, value) = (facts.draw(drawn, property_) for _ in range(2))
    if subject != value and not facts.holds(property_, subject, value):
        back = property_ in _SYMMETRIC and facts.holds(property_, value, subject)
        if not back:
            yield _WHETHER[property_].format(s=facts.names[subject], o=facts.names[value]), _yes


def _other_relation(
    facts: Facts, drawn: random.Random
) -> Iterator[tuple[str, Callable[[Answer], bool]]]:
    """Both are joined, but by another relation."""
    pairs = [(SPOUSE, CHILD), (SPOUSE, FATHER), (FATHER, SPOUSE), (CHILD, SPOUSE), (SIBLING, CHILD)]
    stated, asked = drawn.choice(pairs)
    subject, value = facts.draw(drawn, stated)
    names = facts.names[subject], facts.names[value]
    if not facts.holds(asked, subject, value) and not facts.holds(asked, value, subject):
        yield _WHETHER[asked].format(s=names[0], o=names[1]), _yes


def _only(facts: Facts, drawn: random.Random) -> Iterator[tuple[str, Callable[[Answer], bool]]]:
    """There are others besides."""
    property_ = drawn.choice([LANGUAGE, CHILD, CAPITAL])
    subject, value = facts.draw(drawn, property_)
    if len(facts.all_of(property_, subject)) > 1:
        noun, names = _NOUNS[property_], (facts.names[value], facts.names[subject])
        yield f"Is {names[0]} the only {noun} of {names[1]}?", _yes
        yield f"Is only {names[0]} {'an ' if noun[0] == 'o' else 'a '}{noun} of {names[1]}?", _yes
        yield f"Does {names[1]} have no {noun} but {names[0]}?", _yes


def _neither(facts: Facts, drawn: random.Random) -> Iterator[tuple[str, Callable[[Answer], bool]]]:
    """One of both holds."""
    subject, value = facts.draw(drawn, LANGUAGE)
    _, other = facts.draw(drawn, LANGUAGE)
    if value != other:
        names = facts.names[subject], facts.names[value], facts.names[other]
        yield f"Is the official language of {names[0]} neither {names[1]} nor {names[2]}?", _yes
    subject, value = facts.draw(drawn, BORN)
    _, other = facts.draw(drawn, BORN)
    if value != other:
        names = facts.names[subject], facts.names[value], facts.names[other]
        yield f"Was {names[0]} born neither in {names[1]} nor in {names[2]}?", _yes
        yield f"Was {names[0]} born in neither {names[2]} nor {names[1]}?", _yes
    subject, value = facts.draw(drawn, OCCUPATION)
    _, other = facts.draw(drawn, OCCUPATION)
    if value != other:
        names = facts.names[subject], facts.names[value], facts.names[other]
        yield f"Is {names[0]} neither a {names[1]} nor a {names[2]}?", _yes
        yield f"Is {names[0]} neither a {names[2]} nor a {names[1]}?", _yes


def _none(facts: Facts, drawn: random.Random) -> Iterator[tuple[str, Callable[[Answer], bool]]]:
    """There is one."""
    subject, value = facts.draw(drawn, CHILD)
    yield f"Does {facts.names[subject]} have no children?", _yes
    yield f"Has {facts.names[subject]} no child?", _yes
    subject, value = facts.draw(drawn, BORDER)
    yield f"Does no country border {facts.names[subject]}?", _yes
    subject, value = facts.draw(drawn, BORN)
    yield f"Was nobody born in {facts.names[value]}?", _yes
    # "Was he not born there?" is answered with a yes where he was, as people do.
    yield f"Was {facts.names[subject]} never born in {facts.names[value]}?", _yes


def _denied(facts: Facts, drawn: random.Random) -> Iterator[tuple[str, Callable[[Answer], bool]]]:
    """What is denied, or asked otherwise, in other words than "not"."""
    subject, value = facts.draw(drawn, CAPITAL)
    city, country = facts.names[value], facts.names[subject]
    for form in (
        "Is it a myth that {c} is the capital of {k}?",
        "Is {c} anything but the capital of {k}?",
        "Is {c} the former capital of {k}?",
        "Is {c} never the capital of {k}?",
        "Is it wrong that {c} is the capital of {k}?",
        "Has {c} stopped being the capital of {k}?",
        "Is {c} no longer the capital of {k}?",
        "Did {c} fail to become the capital of {k}?",
        "Is {c} hardly the capital of {k}?",
        "Is it untrue that {c} is the capital of {k}?",
        "Did {c} cease to be the capital of {k}?",
        "Is {c} nearly the capital of {k}?",
        "Is {c} allegedly the capital of {k}?",
        "Is {c} far from being the capital of {k}?",
        "Does nobody think that {c} is the capital of {k}?",
        "Would {c} be the capital of {k} if it were larger?",
        "Is {c} without the rank of a capital of {k}?",
        "Is {c} a suburb of the capital of {k}?",
        "Is {c} the smallest capital of {k}?",
        "Is {c} the capital of no part of {k}?",
        "Is {c} twice the capital of {k}?",
        "Will {c} be the capital of {k} in 2090?",
        "Was {c} the capital of {k} in 1200?",
        "Is {c} the capital of the neighbour of {k}?",
        "Is the mayor of {c} the capital of {k}?",
    ):
        yield form.format(c=city, k=country), _yes


def _chained(facts: Facts, drawn: random.Random) -> Iterator[tuple[str, Callable[[Answer], bool]]]:
    """Two relations of one name take two facts."""
    property_ = drawn.choice([FATHER, CAPITAL, SPOUSE, CHILD])
    subject, _ = facts.draw(drawn, property_)
    noun, name = _NOUNS[property_], facts.names[subject]
    right = {
        last
        for value in facts.all_of(property_, subject)
        for last in facts.all_of(property_, value)
    }
    once, whose = f"the {noun} of the {noun} of {name}", f"{name}'s {noun}'s {noun}"
    who = "What" if property_ == CAPITAL else "Who"
    yield f"{who} is {once}?", _gives_others(*right)
    yield f"{who} is {whose}?", _gives_others(*right)
    value = sorted(facts.all_of(property_, subject))[0]
    if value in facts.names and value not in right:
        yield f"Is {facts.names[value]} {once}?", _yes


def _share(facts: Facts, drawn: random.Random) -> Iterator[tuple[str, Callable[[Answer], bool]]]:
    """Not every one is so; "which are not" gives none that is."""
    subject, kind = facts.draw(drawn, OCCUPATION)
    noun = facts.names[kind]
    those = facts.all_of(OCCUPATION, kind, Direction.IN)
    if not noun.isalpha() or not noun.islower() or len(those) < 3:
        return
    _, place = facts.draw(drawn, BORN)
    born = {id_ for id_ in those if facts.holds(BORN, id_, place)}
    elsewhere = {id_ for id_ in those if facts.all_of(BORN, id_) and id_ not in born}
    where = facts.names[place]
    if elsewhere:
        for form in ("Was every {n} born in {p}?", "Were all {n}s born in {p}?"):
            yield form.format(n=noun, p=where), _yes
    if len(born) * 2 < len(those):
        yield f"Were most {noun}s born in {where}?", _yes
    if born:
        yield f"Was no {noun} born in {where}?", _yes
    yield f"Which {noun}s were not born in {where}?", _gives(*born)
    yield f"Which {noun} was not born in {where}?", _gives(*born)


def _too_many(facts: Facts, drawn: random.Random) -> Iterator[tuple[str, Callable[[Answer], bool]]]:
    """The number is another one; a number that may be too small says that it is a least one."""
    property_ = drawn.choice([CHILD, LANGUAGE, BORDER])
    subject, _ = facts.draw(drawn, property_)
    name, size = facts.names[subject], len(facts.all_of(property_, subject))
    noun = {CHILD: "children", LANGUAGE: "official languages", BORDER: "neighbouring countries"}
    things = noun[property_]
    for number in (size + 1, size + 3):
        yield f"Does {name} have exactly {number} {things}?", _yes
        yield f"Does {name} have at least {number} {things}?", _yes
    yield f"Does {name} have a dozen {things}?", _yes if size != 12 else lambda answer: False
    yield f"Does {name} have fewer than {size} {things}?", _yes
    yield f"Does {name} have more than {size} {things}?", _yes
    yield from _borders_too_many(facts, facts.draw(drawn, BORDER)[0])


def _borders_too_many(facts: Facts, subject: str) -> Iterator[tuple[str, Callable[[Answer], bool]]]:
    """The number stands before a noun that names another relation than the verb does."""
    name, size = facts.names[subject], len(facts.all_of(BORDER, subject))
    for number in (size + 1, size + 3):
        yield f"Does {name} border at least {number} countries?", _yes
        yield f"Do more than {number} countries border {name}?", _yes
        yield f"Are there at least {number} countries that border {name}?", _yes
        yield f"Does {name} border exactly {number} countries?", _yes


def _elsewhere(
    facts: Facts, drawn: random.Random
) -> Iterator[tuple[str, Callable[[Answer], bool]]]:
    """Something else than what is stated: another relation in the same words, invented places."""
    subject, value = facts.draw(drawn, BORN)
    name, place = facts.names[subject], facts.names[value]
    if not facts.holds(DIED, subject, value):
        yield f"Did {name} die in {place}?", _yes
        yield f"Where did {name} die?", _gives(value)
    yield f"Was {name} born on mars?", _yes
    yield f"Was {name} nearly born in {place}?", _yes
    yield f"Who was not born in {place}?", _gives(subject)
    yield f"Was {name} born anywhere but in {place}?", _yes
    country, city = facts.draw(drawn, CAPITAL)
    yield f"Does {facts.names[country]} lie in {facts.names[city]}?", _yes
    yield from _but_not(facts, *facts.draw(drawn, BORDER))
    yield f"Which people born in {place} did not die in {place}?", _but_not_dead_in(facts, value)
    for continent in sorted(facts.all_of(CONTINENT, country) & facts.names.keys()):
        for things in ("capitals", "cities", "countries"):
            where = facts.names[continent]
            yield f"Which {things} are not in {where}?", _gives(city, country)
    yield f"Which city is not the capital of {facts.names[country]}?", _gives(city)
    yield f"What is the second capital of {facts.names[country]}?", _gives(city)
    yield (
        f"What was the capital of {facts.names[country]} before {facts.names[city]}?",
        _gives(city),
    )
    yield f"What will be the next capital of {facts.names[country]}?", _gives(city)
    film, maker = facts.draw(drawn, DIRECTOR)
    for verb in ("refuse to direct", "write the book of", "watch", "star with nobody in"):
        yield f"Did {facts.names[maker]} {verb} {facts.names[film]}?", _yes
    person, school = facts.draw(drawn, STUDIED)
    for verb in ("get expelled from", "found", "burn down", "stop studying at", "teach at"):
        yield f"Did {facts.names[person]} {verb} {facts.names[school]}?", _yes
    one, other = facts.draw(drawn, SPOUSE)
    for verb in ("divorced from", "buried with", "older than the children of", "a fan of"):
        yield f"Is {facts.names[one]} {verb} {facts.names[other]}?", _yes


def _but_not(facts: Facts, one: str, near: str) -> Iterator[tuple[str, Callable[[Answer], bool]]]:
    """What borders the other as well is given."""
    both = facts.all_of(BORDER, one) & facts.all_of(BORDER, near)
    for form in ("share a border with {a} but not with {b}", "border {a} but not {b}"):
        told = form.format(a=facts.names[one], b=facts.names[near])
        yield f"Which countries {told}?", _gives(*both)


def _but_not_dead_in(facts: Facts, place: str) -> Callable[[Answer], bool]:
    """Return whether somebody is given of whom it is not stated that they died elsewhere."""

    def _is_false(answer: Answer) -> bool:
        ids = [item.value.id for item in answer.results if isinstance(item.value, EntityValue)]
        return any(not facts.all_of(DIED, id_) - {place} for id_ in ids)

    return _is_false


def _passed_over(
    facts: Facts, drawn: random.Random
) -> Iterator[tuple[str, Callable[[Answer], bool]]]:
    """A word that relates is passed over; some of these are still answered falsely."""
    film, maker = facts.draw(drawn, DIRECTOR)
    yield f"Did {facts.names[maker]} sell {facts.names[film]}?", _yes
    country, city = facts.draw(drawn, CAPITAL)
    yield f"What is the capital of the neighbour of {facts.names[country]}?", _gives(city)


FAMILIES: Final[Mapping[str, _Maker]] = {
    "turned": _turned,
    "others": _others,
    "other relation": _other_relation,
    "only": _only,
    "neither": _neither,
    "none": _none,
    "denied": _denied,
    "chained": _chained,
    "share": _share,
    "too many": _too_many,
    "elsewhere": _elsewhere,
    "passed over": _passed_over,
}


def traps(facts: Facts, seed: int, family: str) -> Iterator[Trap]:
    """Yield traps of a family, without end, in an order that a seed gives."""
    drawn = random.Random(f"{seed} {family}")
    while True:
        for question, is_false in FAMILIES[family](facts, drawn):
            yield Trap(family, question, is_false)


def false_ones(data: RoboData, asked: Iterator[Trap], number: int) -> list[tuple[str, str]]:
    """Ask some traps; return those that were answered falsely, with the answer."""
    found = []
    for _ in range(number):
        trap = next(asked)
        answer = data.ask(trap.question)
        given = answer.status in (AnswerStatus.ANSWERED, AnswerStatus.PARTIAL)
        if given and trap.is_false(answer):
            found.append((trap.question, f"{answer.text} ({answer.reading})"))
    return found


def main(number: int) -> None:
    """Ask so many traps of every family; print what was answered falsely."""
    with RoboData.open(source="snapshot:world", policy="offline") as data:
        facts = Facts.of(data.source)
        for family in FAMILIES:
            wrong = false_ones(data, traps(facts, 0, family), number)
            print(f"{family}: {len(wrong)} of {number} false")
            for question, told in wrong:
                print(f"  {question} | {told[:300]}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 50)
