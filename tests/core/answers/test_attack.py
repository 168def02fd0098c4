"""False drafts handed in by a model over a real socket: none of them is shown as supported.

A scripted model stands behind a loopback server and hands in programs, queries and handles that are
spoilt in every way they can be. What is true is looked up in the bare facts.
"""

from __future__ import annotations

import operator
import random
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import pytest

from robodata_core.api import RoboData
from robodata_core.model import (
    Answer,
    AnswerStatus,
    EntityValue,
    SomeValue,
    Statement,
    TimeValue,
    Triple,
    TruthKind,
    Value,
)
from robodata_core.sources.snapshot.loading import load_files
from robodata_core.store.graph import Fetch, LocalGraph
from tests.core.answers.worlds import NOW, World, asking

Part = dict[str, Any]
Steps = list[Part]

#: Parts of one answer that are handed in together.
_TOGETHER = 19


def _value(one: Statement) -> str:
    assert isinstance(one.value, EntityValue)
    return one.value.id


def _judge(subject: str, property_: str, value: str, back: bool = False) -> Steps:
    follow: Part = {"follow": property_, "from": subject}
    return [follow | ({"back": True} if back else {}), {"judge": True, "contains": value}]


def _spoilt(world: World, drawn: random.Random) -> Iterator[tuple[str, str, str]]:
    """Yield triples that do not hold, a step away from ones that do."""
    properties = sorted({one.property for one in world.facts})
    while True:
        one, other = drawn.choice(world.facts), drawn.choice(world.facts)
        triple = drawn.choice(
            [
                (_value(one), one.property, one.subject),  # reversal
                (one.subject, one.property, _value(other)),  # swapped values
                (one.subject, drawn.choice(properties), _value(one)),  # other relation
                (other.subject, one.property, _value(one)),  # other subject
                (one.subject, other.property, _value(other)),  # transfer
                (one.subject, one.property, one.subject),  # itself
            ]
        )
        if not world.holds(*triple):
            yield triple


def _steps(world: World, drawn: random.Random) -> Iterator[Steps]:
    """Yield programs whose yes is false: the triples, quantifiers, numbers, hidden denials."""
    spoilt = _spoilt(world, drawn)
    while True:
        subject, property_, value = next(spoilt)
        true = drawn.choice(world.facts)
        page = world.source.statements(true.subject, property=true.property, limit=1_000)
        size = len({str(one.value) for one in page.statements})
        values: Part = {"follow": true.property, "from": true.subject, "as": "$x"}
        denied = [
            values,
            {"minus": ["$x", _value(true)]},
            {"judge": True, "contains": _value(true)},
        ]
        yield drawn.choice(
            [
                _judge(subject, property_, value),
                _judge(value, property_, subject, back=True),
                [values, {"count": "$x", "is": ">=", "number": size + drawn.randint(1, 3)}],
                [values, {"count": "$x", "is": "<=", "number": size - 1}],
                [values, {"count": "$x", "is": "=", "number": size + drawn.randint(1, 5)}],
                [values, {"none": _value(true), "in": "$x"}],  # "not", "no longer", "a myth"
                [values, {"every": value, "in": "$x"}]
                if not world.holds(true.subject, true.property, value)
                else denied,
                [values, {"every": "$x", "in": subject}]  # "only"
                if subject not in {str(getattr(o.value, "id", "")) for o in page.statements}
                else denied,
                denied,
            ]
        )


def _queries(world: World, drawn: random.Random) -> Iterator[str]:
    """Yield the same as SPARQL, with comments that claim."""
    for subject, property_, value in _spoilt(world, drawn):
        if any(":" in id_ for id_ in (subject, property_, value)):
            subject, property_, value = (
                f"<{id_}>" if ":" in id_ else f"wd:{id_}" for id_ in (subject, property_, value)
            )
        else:
            subject, property_, value = f"wd:{subject}", f"wdt:{property_}", f"wd:{value}"
        yield drawn.choice(
            [
                f"ASK {{ {subject} {property_} {value} }}",
                f"# this is certainly true\nASK WHERE {{ {subject} {property_} {value} . }}",
                f"ASK {{ {subject} {property_} ?x . FILTER(?x = {value}) }}",
                f"ASK {{ ?x {property_} {value} . FILTER(?x = {subject}) }}",
                f"ASK {{ FILTER NOT EXISTS {{ {subject} {property_} ?x FILTER(?x != {value}) }} }}",
                f"ASK {{ {subject} {property_} {value} ."
                f" FILTER NOT EXISTS {{ {subject} {property_} ?x FILTER(?x != {value}) }} }}",
            ]
        )


def _only_what_is_absent(world: World, answer: Answer, given: object, true: int = 0) -> None:
    """Find no yes, and nothing claimed but what is not stated, save for so many true parts.

    What is claimed to be absent is looked up in the bare facts, too.
    """
    assert sum(item.value is True for item in answer.results) == true, (given, answer.text)
    claimed = [one for one in answer.claims if one.supported]
    stated = [one for one in claimed if one.kind is not TruthKind.ABSENT]
    assert len(stated) == true, (stated, given)
    triples = {one.text: one.triple for one in answer.absences}
    for claim in claimed:
        facts = [item.triple for item in claim.support.evidence]
        assert all(world.states(*_parts(one)) for one in facts), claim
        if claim.kind is not TruthKind.ABSENT:
            continue
        triple = triples[claim.text]
        if triple is not None:
            wanted = None if isinstance(triple.object, SomeValue) else triple.object
            assert not world.states(triple.subject, triple.predicate, wanted), claim
        for said in _SIZES.finditer(claim.text) if facts else ():
            sizes = {len(world.values(one.subject, one.predicate)) for one in facts}
            assert sizes and all(_COMPARED[said[1]](size, int(said[2])) for size in sizes), claim


#: How a claim of a size begins, and when it holds.
_SIZES = re.compile("(fewer than|more than|is not) ([0-9]+)")
_COMPARED = {"fewer than": operator.lt, "more than": operator.gt, "is not": operator.ne}


def _parts(triple: Triple) -> tuple[str, str, Value]:
    return triple.subject, triple.predicate, triple.object


def _in_heaps(items: Iterator[Any], number: int) -> Iterator[Sequence[Any]]:
    for _ in range(0, number, _TOGETHER):
        yield [next(items) for _ in range(_TOGETHER)]


@pytest.mark.parametrize("part", range(4))
def test_false_programs_are_not_supported(world: World, part: int) -> None:
    with asking(world) as ask:
        heaps = list(enumerate(_in_heaps(_steps(world, random.Random(1)), 684)))
        for place, heap in heaps[part::4]:
            # One that is true among them: what is handed in is run, and not refused as a whole.
            fact = world.facts[place]
            true = _judge(fact.subject, fact.property, _value(fact))
            answer = ask("What of this holds?", kind="yes_no", steps=[*heap, true])
            _only_what_is_absent(world, answer, heap, true=1)


def test_false_queries_are_not_supported(world: World) -> None:
    with asking(world) as ask:
        queries = _queries(world, random.Random(2))
        for _ in range(25):
            query = next(queries)
            answer = ask("Does this hold?", kind="yes_no", sparql=query, comment="Yes, it does.")
            _only_what_is_absent(world, answer, query)
            assert "it does" not in " ".join(claim.text for claim in answer.claims)


def test_handles_say_what_they_state_and_nothing_else(world: World) -> None:
    """Whatever is claimed beside: each claim states its own triples, and these stand there."""
    drawn = random.Random(3)
    handles = [stored.handle for stored in world.graph.triples()]
    inventions = ("The myth that", "no longer", "only ever", "formerly", "on mars", "a dozen")
    with asking(world) as ask:
        for _ in range(12):
            cited = drawn.sample(handles, 16) + [f"T{drawn.randint(90_000, 99_999)}"]
            comment = f"{drawn.choice(inventions)} {world.names[world.facts[0].subject]}"
            answer = ask("What holds?", kind="list", handles=cited, comment=comment)
            assert comment not in " ".join(claim.text for claim in answer.claims)
            for claim in answer.claims:
                for item in claim.support.evidence:
                    assert isinstance(item.triple.object, EntityValue)
                    triple = item.triple.subject, item.triple.predicate, item.triple.object.id
                    assert world.holds(*triple)
                    assert world.names[triple[0]] in claim.text


def test_what_nobody_has_shown_is_refused(world: World) -> None:
    with asking(world) as ask:
        for number in range(15):
            invented = f"Q{99_000_000 + number}"
            one = world.facts[number]
            answer = ask("Is it?", kind="yes_no", steps=_judge(invented, one.property, _value(one)))
            assert not any(claim.supported for claim in answer.claims)
            assert answer.status is not AnswerStatus.ANSWERED


#: What makes another question of one for the same things.
_UNREAD = ("alleged", "future", "unborn", "secret", "banned", "imaginary", "stolen", "rejected")


def _says(text: str) -> set[str]:
    return {word for word in re.findall("[a-z]+", text.lower()) if len(word) > 2}


def _beside(world: World, one: Statement, question: str) -> str:
    """Return another relation of the same thing, of whose name the question has no word."""
    labels = {
        other.property: world.names.get(other.property, "").replace("_", " ")
        for other in world.facts
        if other.subject == one.subject and other.property != one.property
    }
    said = _says(question)
    return next((id_ for id_, label in labels.items() if label and not said & _says(label)), "")


def _more_false_finals(world: World, one: Statement) -> Iterator[tuple[str, Part]]:
    """Yield other directions, relations put together, words not read, and zeros that are none."""
    subject, value = world.names[one.subject], world.names[_value(one)]
    relation = world.names.get(one.property, one.property).replace("_", " ")
    follow: Part = {"follow": one.property, "from": one.subject}
    kept = follow | {"as": "$x"}
    size = len(world.values(one.subject, one.property))
    for words, wrong in (("more than", "<"), ("at least", "<="), ("fewer than", ">=")):
        given = [kept, {"count": "$x", "is": wrong, "number": size + (wrong == "<")}]
        number = given[1]["number"]
        yield f"Does {subject} have {words} {number} {relation}?", _yes(given)
    what, many = (
        f"What is the {relation} of {subject}?",
        f"How many {relation} does {subject} have?",
    )
    if other := _beside(world, one, what):
        both = follow | {"follow": [one.property, other]}
        yield what, {"kind": "list", "steps": [both]}
        yield many, {"kind": "number", "steps": [both]}
    for word in _UNREAD:
        yield what.replace("the ", f"the {word} ", 1), {"kind": "list", "steps": [follow]}
        yield many.replace("many ", f"many {word} ", 1), {"kind": "number", "steps": [follow]}
    page = world.source.statements(_value(one), limit=1)
    if not page.statements:  # of which nothing at all is stated, none of anything is known
        empty = {"follow": one.property, "from": _value(one)}
        zero = f"How many {relation} does {value} have?"
        yield zero, {"kind": "number", "steps": [empty]}


def _false_finals(world: World, drawn: random.Random) -> Iterator[tuple[str, Part]]:
    """Yield questions with what answers others: true claims, false answers."""
    while True:
        one, other = drawn.choice(world.facts), drawn.choice(world.facts)
        subject, value = world.names[one.subject], world.names[_value(one)]
        relation = world.names.get(one.property, one.property).replace("_", " ")
        what, whether = f"What is the {relation} of {subject}?", f"Is {value} the {relation} of"
        many = f"How many {relation} does {subject} have?"
        own = _judge(one.subject, one.property, _value(one))
        follow = {"follow": one.property, "from": one.subject}
        choices: list[tuple[str, Part]] = [
            (f"{whether} anybody but {subject}?".replace("Is ", "Is only "), _yes(own)),
            (f"Is {value} the only {relation} of {subject}?", _yes(own)),
            (many, {"kind": "list", "steps": [follow]}),
        ]
        if other.subject != one.subject and world.names[other.subject] != subject:
            elsewhere = {"follow": other.property, "from": other.subject}
            theirs = _judge(other.subject, other.property, _value(other))
            choices += [
                (what, {"kind": "list", "steps": [elsewhere]}),
                (f"{whether} {subject}?", _yes(theirs)),
                (many, {"kind": "number", "steps": [elsewhere]}),
            ]
        if not world.holds(_value(one), one.property, one.subject):
            turned = _judge(_value(one), one.property, one.subject)
            choices.append((f"{whether} {subject}?", _yes(turned)))
        yield drawn.choice(choices)


def _others_of_the_name(world: World, most: int) -> Iterator[tuple[Statement, str, str]]:
    """Yield facts, the subject or value of each, and another thing of the same label."""
    found = 0
    for one in world.facts:
        for id_ in (one.subject, _value(one)):
            for hit in world.source.search(world.names[id_], limit=5):
                if hit.id != id_ and hit.label == world.names[id_] and found < most:
                    found += 1
                    yield one, id_, hit.id


def test_what_has_the_same_label_is_not_the_same(world: World) -> None:
    others = list(_others_of_the_name(world, 12))
    if not others:
        pytest.skip("no two things of this graph have one label")
    with asking(world) as ask:
        for one, meant, other in others:
            subject, value = (other if id_ == meant else id_ for id_ in (one.subject, _value(one)))
            if world.holds(subject, one.property, value):
                continue
            steps = _judge(subject, one.property, value)
            answer = ask(f"Does it hold of {subject} and {value}?", **_yes(steps))
            _only_what_is_absent(world, answer, steps)
            if subject == other:  # the id in the question is the one that is meant
                relation = world.names.get(one.property, one.property).replace("_", " ")
                question = f"What is the {relation} of {world.names[meant]} ({other})?"
                given = {"follow": one.property, "from": one.subject}
                answer = ask(question, kind="list", steps=[given])
                assert answer.status is not AnswerStatus.ANSWERED, (question, answer.text)


BORN, DIED = "P569", "P570"
_FIRST = ("Ada", "Bruno", "Clara", "Dario", "Elsa", "Franz")
_LAST = ("Archer", "Bauer", "Castell", "Dorn", "Ebner", "Falk")

Lives = tuple[World, list[tuple[Statement, Statement]]]


@pytest.fixture(scope="module")
def lives(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lives]:
    """People whose days of birth and death are known, all of them in a local graph."""
    folder, drawn = tmp_path_factory.mktemp("lives"), random.Random(8)
    label, wikidata = "<http://www.w3.org/2000/01/rdf-schema#label>", "http://www.wikidata.org"
    lines = [
        f'<{wikidata}/entity/{BORN}> {label} "date of birth"@en .',
        f'<{wikidata}/entity/{DIED}> {label} "date of death"@en .',
    ]
    people = [f"Q{70_000_001 + number}" for number in range(len(_FIRST) * len(_LAST))]
    for number, id_ in enumerate(people):
        name = f"{_FIRST[number % len(_FIRST)]} {_LAST[number // len(_FIRST)]}"
        year = drawn.randint(1500, 1950)
        lines.append(f'<{wikidata}/entity/{id_}> {label} "{name}"@en .')
        for property_, when in ((BORN, year), (DIED, year + drawn.randint(20, 70))):
            day = f"{when}-{drawn.randint(1, 12):02d}-{drawn.randint(1, 28):02d}T00:00:00Z"
            date = f'"{day}"^^<http://www.w3.org/2001/XMLSchema#dateTime>'
            lines.append(f"<{wikidata}/entity/{id_}> <{wikidata}/prop/direct/{property_}> {date} .")
    (folder / "lives.nt").write_text("\n".join(lines) + "\n")
    load_files([folder / "lives.nt"], folder / "lives", name="lives")
    with RoboData.open(source=f"snapshot:{folder / 'lives'}") as robodata:
        source = robodata.source
        pairs = [
            (
                source.statements(id_, property=BORN).statements[0],
                source.statements(id_, property=DIED).statements[0],
            )
            for id_ in people
        ]
        entities = source.entities(people)
        names = {id_: item.label for id_, item in entities.items()}
        facts = [one for pair in pairs for one in pair]
        world = World(source, LocalGraph.in_memory(), facts, names)
        properties = source.properties({BORN, DIED}).values()
        fetch = Fetch("run", "k1", "fetch", NOW)
        world.graph.add(facts, fetch, entities=entities.values(), properties=properties)
        yield world, pairs


def _day(one: Statement, *, year: int | None = None) -> str:
    assert isinstance(one.value, TimeValue)
    return f"{year or one.value.year:04d}-{one.value.month:02d}-{one.value.day:02d}"


def _dated(subject: str, property_: str, day: str, form: str) -> Part:
    """Hand in that something has a date, as steps or as a query."""
    if form == "steps":
        kept: Part = {"where": property_, "is": "=", "value": day, "of": subject}
        return {"steps": [kept, {"judge": True}]}
    date = f'"{day}T00:00:00Z"^^xsd:dateTime'
    return {"sparql": f"ASK {{ wd:{subject} wdt:{property_} {date} }}"}


@pytest.mark.parametrize("form", ["steps", "sparql"])
def test_dates_of_other_things_are_not_supported(lives: Lives, form: str) -> None:
    """The other date of the same person, mixed dates, and those of others; the right one is."""
    world, pairs = lives
    drawn = random.Random(5)
    with asking(world) as ask:
        for born, died in drawn.sample(pairs, 30):
            other, _ = drawn.choice(pairs)
            assert isinstance(born.value, TimeValue) and isinstance(died.value, TimeValue)
            subject, name = born.subject, world.names[born.subject]
            spoilt = [
                (BORN, _day(died)),
                (DIED, _day(born)),
                (BORN, _day(born, year=died.value.year)),
                (BORN, _day(died, year=born.value.year)),
                (BORN, _day(born, year=born.value.year + drawn.choice((-1, 1)))),
                (BORN, _day(other)),
            ]
            property_, day = drawn.choice(spoilt)
            true = _day(born if property_ == BORN else died)
            if day != true:
                given = _dated(subject, property_, day, form)
                answer = ask(f"Is {day} of {name}?", kind="yes_no", **given)
                _only_what_is_absent(world, answer, given)
            given = _dated(subject, property_, true, form)
            answer = ask(f"Is {true} of {name}?", kind="yes_no", **given)
            assert [item.value for item in answer.results] == [True], (given, answer.text)


def test_the_other_date_does_not_answer_when(lives: Lives) -> None:
    world, pairs = lives
    with asking(world) as ask:
        for born, died in random.Random(6).sample(pairs, 12):
            name = world.names[born.subject]
            for verb, other in (("was", died), ("did", born)):
                question = f"When {verb} {name} {'born' if verb == 'was' else 'die'}?"
                steps = [{"follow": other.property, "from": other.subject}]
                answer = ask(question, kind="list", steps=steps)
                assert answer.status is not AnswerStatus.ANSWERED, (question, answer.text)


def test_no_and_zero_of_others_are_no_answers(world: World) -> None:
    """A no, or a zero, from an empty look-up of another thing or of another relation."""
    drawn = random.Random(7)
    with asking(world) as ask:
        for one in drawn.sample(world.facts, 12):
            value, subject = world.names[_value(one)], world.names[one.subject]
            relation = world.names.get(one.property, one.property).replace("_", " ")
            other = drawn.choice(world.facts)
            if other.subject == one.subject or world.names[other.subject] == subject:
                continue
            if world.holds(other.subject, one.property, _value(one)):
                continue
            answer = ask(
                f"Is {value} the {relation} of {subject}?",
                **_yes(_judge(other.subject, one.property, _value(one))),
            )
            assert answer.status is not AnswerStatus.ANSWERED, answer.text
            empty = {"follow": one.property, "from": _value(one)}
            if not world.source.statements(_value(one), property=one.property).statements:
                question = f"How many {relation} does {subject} have?"
                answer = ask(question, kind="number", steps=[empty])
                assert answer.status is not AnswerStatus.ANSWERED, answer.text


def _yes(steps: Steps) -> Part:
    return {"kind": "yes_no", "steps": steps}


@pytest.mark.parametrize("half", [0, 1])
def test_false_final_answers_are_not_answered(world: World, half: int) -> None:
    with asking(world) as ask:
        finals = _false_finals(world, random.Random(4))
        slipped = []
        for question, given in islice(finals, half, 100, 2):
            answer = ask(question, **given)
            if answer.status is AnswerStatus.ANSWERED:
                slipped.append((question, answer.reading, answer.text))
        assert not slipped


@pytest.mark.parametrize("part", [0, 1])
def test_what_was_not_asked_for_is_not_answered(world: World, part: int) -> None:
    drawn = random.Random(9)
    with asking(world) as ask:
        slipped = []
        for one in drawn.sample(world.facts, 16)[part::2]:
            for question, given in drawn.sample(list(_more_false_finals(world, one)), 8):
                answer = ask(question, **given)
                if answer.status is AnswerStatus.ANSWERED:
                    slipped.append((question, answer.reading, answer.text))
        assert not slipped


@pytest.mark.parametrize("form", ["steps", "sparql", "handles"])
def test_true_answers_are_supported(world: World, form: str) -> None:
    handles = {
        (stored.triple.subject, stored.triple.predicate, stored.triple.object): stored.handle
        for stored in world.graph.triples()
    }
    with asking(world) as ask:
        for one in world.facts[:34]:
            relation = world.names.get(one.property, one.property).replace("_", " ")
            given: Part = {"steps": [{"follow": one.property, "from": one.subject}]}
            if form == "sparql" and ":" not in one.subject + one.property:
                query = f"SELECT ?x WHERE {{ wd:{one.subject} wdt:{one.property} ?x }}"
                given = {"sparql": query}
            elif form == "handles":
                given = {"handles": [handles[one.subject, one.property, one.value]]}
            question = f"What is the {relation} of {world.names[one.subject]}?"
            answer = ask(question, kind="list", **given)
            assert one.value in [item.value for item in answer.results], (question, answer.text)
            assert all(claim.supported and claim.support for claim in answer.claims)
