"""What people go on about: two that share something, people among jobs, things and not places."""

from __future__ import annotations

import re

import pytest

from robodata_core import RoboData
from robodata_core.model import Answer


def asked(robodata: RoboData, *questions: str) -> Answer:
    """Ask one after the other; the last answer."""
    talk = robodata.conversation()
    return [talk.ask(question) for question in questions][-1]


@pytest.mark.parametrize("second", ["And Portugal?", "What is the capital of Portugal?"])
@pytest.mark.parametrize("question", ["Do they share a border?", "Do they have a common border?"])
def test_two_in_turn_are_asked_whether_they_share_something(
    world: RoboData, second: str, question: str
) -> None:
    answer = asked(world, "What is the capital of Spain?", second, question)
    both = "Spain (Q29) and Portugal (Q45)"
    assert answer.understood_as == question.replace("they", both)
    assert [item.value for item in answer.results] == [True]


def test_two_that_do_not_share_it_are_told_no(world: RoboData) -> None:
    answer = asked(world, "What is the capital of Spain?", "And Italy?", "Do they share a border?")
    assert answer.understood_as == "Do Spain (Q29) and Italy (Q38) share a border?"
    assert [item.value for item in answer.results] == [False]


def test_what_names_another_thing_is_asked_of_each(world: RoboData) -> None:
    # A yes would not say whether both are meant.
    answer = asked(world, "Is Spain larger than Portugal?", "Are they members of NATO?")
    assert answer.understood_as == "Which of these 2 (Q29, Q45) are members of NATO?"
    # What is no yes or no is asked of the last one.
    last = asked(world, "What is the capital of Spain?", "And Portugal?", "What is its area?")
    assert last.understood_as == "What is the area of Portugal (Q45)?"


def test_they_are_people_where_only_people_have_what_is_asked(world: RoboData) -> None:
    couple = ("Who is the wife of Barack Obama?", "What is her job?")
    asked_of = asked(world, *couple, "Do they have children?").understood_as
    assert asked_of == "Do Barack Obama (Q76) and Michelle Obama (Q13133) have children?"
    alone = asked(world, "What is the job of Michelle Obama?", "Do they have children?")
    assert alone.understood_as == "Do Michelle Obama (Q13133) have children?"
    films = ("Which films did Christopher Nolan direct?", "When were they released?")
    released = asked(world, *films).understood_as
    assert re.match(r"When were these 8 \([^)]*\bQ25188, ", released)


@pytest.mark.parametrize(
    "first", [("What is a knife used for?", "And a fork?"), ("What is a fork made of?",)]
)
def test_it_is_the_kind_and_not_what_it_is_made_of(first: tuple[str, ...]) -> None:
    with RoboData.open(source="snapshot:household") as household:
        answer = asked(household, *first, "Is it breakable?")
    assert answer.understood_as == "Is a fork breakable?"


def test_them_are_the_things_and_not_where_they_are(flat: RoboData) -> None:
    cups = ("How many cups are there?", "Where are they?")
    answer = asked(flat, *cups, "Which of them are on the table?")
    assert {item.label for item in answer.results} == {"cup 1", "cup 2"}
    assert not asked(flat, *cups, "Which of them is in the bathroom?").results
    named = asked(flat, "Where are the cups?", "Which of them are on the table?")
    assert named.understood_as == "Which of the cups are on the table?"
    assert {item.label for item in named.results} == {"cup 1", "cup 2"}


def test_it_is_the_thing_and_not_where_it_is(flat: RoboData) -> None:
    answer = asked(flat, "Where is the spoon?", "Is it on the shelf?")
    assert "spoon" in answer.understood_as and "on the shelf?" in answer.understood_as
    assert [item.value for item in answer.results] != [True]


def test_a_number_that_nobody_knows_is_no_thing_to_go_on_about(world: RoboData) -> None:
    talk = world.conversation()
    talk.ask("What is the population of Madrid?")
    for question in ("And its mayor?", "What is its population?"):
        asked_of = talk.ask(question).understood_as
        assert asked_of.endswith("of Madrid (Q2807)?") and "population of the" not in asked_of


def test_it_after_several_things_is_asked_back(world: RoboData) -> None:
    answer = asked(world, "What did Albert Einstein win?", "Who else won it?")
    assert answer.text.startswith("“it” may mean Nobel Prize in Physics (Q38104), ")


def test_both_are_the_two_in_turn_and_a_name_takes_the_place_of_no_set(world: RoboData) -> None:
    two = ("When did Albert Einstein die?", "And Niels Bohr?", "Were they both physicists?")
    both = "Were Albert Einstein (Q937) and Niels Bohr (Q7085) physicists?"
    answer = asked(world, *two)
    assert answer.understood_as == both
    assert [item.value for item in answer.results] == [True]
    band = ("Who are the members of The Beatles?", "Which of them was born first?")
    assert "Which of Paul" not in asked(world, *band, "And Paul McCartney?").understood_as
