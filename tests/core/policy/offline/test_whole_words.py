"""Words that a reading must take whole, and the right way round, or it answers something else."""

from __future__ import annotations

import pytest

from robodata_core import RoboData
from robodata_core.model import AnswerStatus


@pytest.mark.parametrize(
    "question",
    [
        # Who heads a government now is not who did then.
        "who is the leader of italy 2010?",
        # Martin Luther King has these names, and another one.
        "where did martin luther live?",
        # A state's fish is no state, and a part of a tournament's name no league.
        "what is the state fish of texas?",
        "how many teams are there in the ncaa football?",
        # A country may have more time zones than a state in it.
        "what timezone is minnesota in?",
        # What lies in a country is not what that belongs to.
        "what countries are located in the netherlands?",
        # Nobody asks where somebody was born by "in" alone.
        "what has david spade been in?",
        # What there is to do is not who lives there.
        "what is there to do in miami?",
        # In what a country lies is no county, and those nominated together play nobody.
        "what county is shakira from?",
        "who does larry david play in seinfeld?",
        # Another word, and no slip of the pen.
        "what is the capital of the assyrian empire?",
    ],
)
def test_what_passes_a_word_over_is_no_answer(world: RoboData, question: str) -> None:
    answer = world.ask(question)
    assert answer.status is AnswerStatus.UNKNOWN, answer.reading


@pytest.mark.parametrize(
    ("question", "some", "none"),
    [
        ("where is the country of bolivia located?", "South America", ""),
        ("where is colombia the country?", "South America", "Bogotá"),
        ("what is the capital of alaska state?", "Juneau", "Washington, D.C."),
        ("what is the capital of the state of georgia?", "Atlanta", "Tbilisi"),
        ("what timezone is the state of texas?", "Central Time Zone", "Pacific Time Zone"),
        ("what kind of government does italy have?", "parliamentary republic", "Mauritius"),
        ("what kind of language does switzerland speak?", "Romansh", "American English"),
        ("what other writers influenced franz kafka?", "Charles Dickens", "Albert Camus"),
    ],
)
def test_what_names_and_nouns_say_is_read(
    world: RoboData, question: str, some: str, none: str
) -> None:
    found = {item.label for item in world.ask(question).results}
    assert some in found
    assert none not in found


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("what countries do they speak italian?", "Italy"),
        ("what is the country of mount everest?", "Nepal"),
        ("what city was leonardo da vinci from?", "Florence"),
    ],
)
def test_what_says_as_much_as_it_asks_stays(world: RoboData, question: str, expected: str) -> None:
    assert expected in {item.label for item in world.ask(question).results}


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("date of birth of Demi Moore", "states no “date of birth” of Demi Moore"),
        ("Where was Kevin Spacey born?", "states no “place of birth” of Kevin Spacey"),
        ("Who is the wife of Brad Pitt's zorb?", "zorb"),
        ("What city is the headquarters of Touchstone Pictures in?", "I do not know"),
        # Where it lies does not tell where the headquarters are.
        ("What city is the headquarters of the University of Sydney in?", "I do not know"),
    ],
)
def test_part_of_what_a_relation_is_called_is_no_relation(
    world: RoboData, question: str, reason: str
) -> None:
    answer = world.ask(question)
    assert answer.status is AnswerStatus.UNKNOWN and reason in answer.text, answer.text


@pytest.mark.parametrize(
    ("question", "one"),
    [("Germany but not France", "Denmark"), ("France but not Germany", "Spain")],
)
def test_what_is_denied_by_name_is_left_out(world: RoboData, question: str, one: str) -> None:
    labels = {item.label for item in world.ask(f"Which countries border {question}?").results}
    assert one in labels
    assert labels.isdisjoint(question.split(" but not "))


@pytest.mark.parametrize(
    ("question", "some"),
    [
        ("Who directed The Return of the King?", "Peter Jackson"),
        ("Who played in The Curse of the Black Pearl?", "Johnny Depp"),
        ("Name films by Quentin Tarantino.", "Pulp Fiction"),
        ("Quentin Tarantino films", "Pulp Fiction"),
        ("What movies did Brad Pitt play in?", "Fight Club"),
    ],
)
def test_works_go_by_what_they_are_called(world: RoboData, question: str, some: str) -> None:
    assert some in {item.label for item in world.ask(question).results}


@pytest.mark.parametrize(
    "question",
    ["Where was the capital of France born?", "Who directed The Zorbing of the King?"],
)
def test_what_else_is_asked_is_not_left_out(world: RoboData, question: str) -> None:
    assert world.ask(question).status is AnswerStatus.UNKNOWN
