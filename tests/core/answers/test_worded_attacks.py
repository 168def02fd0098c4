"""One fact, asked for in many words: the wrong way round, as another kind, or as the most of it.

Every question is drawn from a fact of a graph, with what a model may hand in for it: the same
relation either way. Which of them answers it is known from the fact.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, Final

import pytest

from robodata_core.model import AnswerStatus, EntityValue, Statement
from robodata_core.programs import english
from tests.core.answers.worlds import World, asking

Part = dict[str, Any]
Asked = tuple[str, Part]

_DRAWN: Final = 120
#: So many facts of each relation, and so many questions about each of them.
_FACTS: Final = 4
_WORDINGS: Final = 8
#: Relations that lead to people, and those that lead to places, by their labels.
_PEOPLE: Final = frozenset(
    ["child", "father", "mother", "spouse", "sibling", "author", "director", "composer"]
)
_PLACES: Final = frozenset(["place of birth", "place of death", "capital", "residence", "country"])
#: "X" is what is the R of something; "of X" is what has it.
_IS_IT: Final = (
    "Whose {r} is {x}?", "Whose {r} was {x}?", "Of what is {x} the {r}?",
    "Of which thing was {x} the {r}?", "What is {x} the {r} of?",
    "What has {x} as its {r}?", "Which one had {x} as a {r}?",
    "{x} is the {r} of what?", "Which thing's {r} is {x}?", "To what is {x} a {r}?",
)  # fmt: skip
_HAS_IT: Final = (
    "What is {x}'s {r}?", "What does {x} have as its {r}?", "What did {x} have as a {r}?",
    "Which {r} has {x}?", "Which {r} does {x} have?", "What was the {r} of {x}?",
)  # fmt: skip
#: The same of two: "X" is the R of "Y".
_BOTH: Final = (
    "Is {x} {y}'s {r}?", "Was {x} the {r} of {y}?", "Does {y} have {x} as its {r}?",
    "Did {y} have the {r} {x}?", "Is {x} a {r} to {y}?", "Is {y}'s {r} {x}?",
    "Has {y} the {r} {x}?",
)  # fmt: skip
#: "X" was done by "Y".
_DONE: Final = (
    "By whom was {x} {v}?", "By what was {x} {v}?", "Who was {x} {v} by?", "Who {v} {x}?",
    "Which people {v} {x}?", "By which people was {x} {v}?",
)  # fmt: skip
_DOES: Final = (
    "What was {v} by {y}?",
    "Which things were {v} by {y}?",
    "What has been {v} by {y}?",
)
_MOST: Final = (
    "Which {r} of {x} is most popular?", "Which {r} of {x} has the most friends?",
    "Which {r} of {x} is spoken by most people?", "What is the most common {r} of {x}?",
    "Which {r} of {x} is the oldest?", "Which {r} of {x} has the fewest enemies?",
)  # fmt: skip
_OTHER_NUMBERS: Final = (
    "How many years old is the {r} of {x}?", "How many years did the {r} of {x} live?",
    "How many years has {x} had a {r}?",
)  # fmt: skip


def _follow(of: str, property_: str, *, back: bool = False) -> Part:
    step: Part = {"follow": property_, "from": of}
    return {"kind": "list", "steps": [step | ({"back": True} if back else {})]}


def _facts(world: World) -> Iterator[tuple[Statement, str, str, str]]:
    """Yield facts that hold one way only, between things known by names of their own."""
    names = list(world.names.values())
    for one in world.facts:
        assert isinstance(one.value, EntityValue)
        subject, value = world.names[one.subject], world.names[one.value.id]
        if names.count(subject) > 1 or names.count(value) > 1 or subject in value:
            continue
        back = {
            id_
            for id_ in world.values(one.subject, one.property)
            if isinstance(id_, EntityValue)
            and EntityValue(one.subject) in world.values(id_.id, one.property)
        }
        if not back and "_" not in subject + value:
            yield one, world.names[one.property].replace("_", " "), subject, value


def _worded(one: Statement, label: str, subject: str, value: str) -> Iterator[tuple[bool, Asked]]:
    """Yield questions with what is handed in, and whether that is the answer."""
    assert isinstance(one.value, EntityValue)
    ahead = _follow(one.subject, one.property)
    back = _follow(one.value.id, one.property, back=True)
    judge: Part = {"judge": True, "contains": one.value.id}
    yes: Part = {"kind": "yes_no", "steps": [*ahead["steps"], judge]}
    words = label.split()
    if words[1:] == ["by"]:
        for told in _DONE:
            yield True, (told.format(x=subject, v=words[0]), ahead)
            yield False, (told.format(x=value, v=words[0]), back)
        for told in _DOES:
            yield True, (told.format(y=value, v=words[0]), back)
            yield False, (told.format(y=subject, v=words[0]), ahead)
    elif english.is_noun(label) and not english.ends_open(label):
        for told in _IS_IT:
            yield True, (told.format(x=value, r=label), back)
            yield False, (told.format(x=subject, r=label), ahead)
        for told in _HAS_IT:
            yield True, (told.format(x=subject, r=label), ahead)
            yield False, (told.format(x=value, r=label), back)
        for told in _BOTH:
            yield True, (told.format(x=value, y=subject, r=label), yes)
            yield False, (told.format(x=subject, y=value, r=label), yes)
        yield from _of_another_kind(label, subject, ahead)


def _of_another_kind(label: str, subject: str, ahead: Part) -> Iterator[tuple[bool, Asked]]:
    """Yield questions for the most of it, for a number of others, for places and for people."""
    number = ahead | {"kind": "number"}
    for told in _MOST:
        yield False, (told.format(x=subject, r=label), ahead)
    for told in _OTHER_NUMBERS:
        yield False, (told.format(x=subject, r=label), number)
    yield True, (f"How many different {label} has {subject}?", number)
    if label in _PEOPLE:
        yield False, (f"Where is the {label} of {subject}?", ahead)
        yield False, (f"Where was {subject}'s {label}?", ahead)
        yield False, (f"How many cities has the {label} of {subject}?", number)
        yield True, (f"Who is the {label} of {subject}?", ahead)
    if label in _PLACES:
        yield False, (f"Who is the {label} of {subject}?", ahead)
        yield False, (f"How many people has the {label} of {subject}?", number)
        yield True, (f"Where is the {label} of {subject}?", ahead)


def _drawn(world: World, *, true: bool) -> list[Asked]:
    drawn = random.Random(13 + true)
    facts = list(_facts(world))
    by_label: dict[str, list[tuple[Statement, str, str, str]]] = {}
    for fact in facts:
        by_label.setdefault(fact[1], []).append(fact)
    found: list[Asked] = []
    for label in sorted(by_label):  # every relation gets its turn
        for some in drawn.sample(by_label[label], min(len(by_label[label]), _FACTS)):
            asked = [given for is_true, given in _worded(*some) if is_true is true]
            found += drawn.sample(asked, min(len(asked), _WORDINGS))
    drawn.shuffle(found)
    return found[:_DRAWN]


@pytest.mark.parametrize("part", range(2))
def test_what_is_worded_otherwise_is_not_answered(world: World, part: int) -> None:
    slipped = []
    with asking(world) as ask:
        for question, given in _drawn(world, true=False)[part::2]:
            answer = ask(question, **given)
            if answer.status is AnswerStatus.ANSWERED:
                slipped.append((question, answer.reading, answer.text))
    assert not slipped


@pytest.mark.parametrize("part", range(2))
def test_what_is_asked_for_is_answered_in_many_words(world: World, part: int) -> None:
    refused = []
    with asking(world) as ask:
        for question, given in _drawn(world, true=True)[part::2]:
            answer = ask(question, **given)
            assert answer.results and all(claim.supported for claim in answer.claims), question
            # That not all of it was fetched is another matter.
            doubts = [text for text in answer.missing if not text.startswith("The source has")]
            if doubts:
                refused.append((question, doubts))
    assert not refused
