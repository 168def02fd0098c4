"""Small words, signs and places of words that change what is asked, over the world."""

from __future__ import annotations

import pytest

from robodata_core import RoboData
from robodata_core.model import Answer, AnswerStatus


def _labels(answer: Answer) -> set[str]:
    return {item.label for item in answer.results}


@pytest.mark.parametrize(
    ("question", "plain"),
    [
        ("official languages kenya", "What are the official languages of Kenya?"),
        ("capital kenya", "What is the capital of Kenya?"),
        ("movies by Stanley Kubrick", "films by Stanley Kubrick"),
        ("Which OECD countries are not in NATO?", "Which members of the OECD are not in NATO?"),
        ("By area, which is larger, Chile or Peru?", "Which is larger by area, Chile or Peru?"),
        ("How many countries are there in Africa?", "How many countries are in Africa?"),
        ("Who was Patrick Schwarzenegger's mother's father?",
         "Who is the father of the mother of Patrick Schwarzenegger?"),
    ],
)  # fmt: skip
def test_the_same_is_asked_in_other_places(world: RoboData, question: str, plain: str) -> None:
    said, bare = world.ask(question), world.ask(plain)
    assert bare.status is not AnswerStatus.UNKNOWN
    assert _labels(said) == _labels(bare)
    assert all(claim.supported for claim in said.claims)


def test_what_is_of_its_kind_no_more_is_none_now(world: RoboData) -> None:
    now, then = (world.ask(f"Which countries {verb} in Europe?") for verb in ("are", "were"))
    assert {"France", "Poland"} <= _labels(now)
    assert not {"Soviet Union", "Prussia", "West Germany"} & _labels(now)
    assert {"Soviet Union", "Prussia", "West Germany"} <= _labels(then)
    assert "historical country" in now.reading


def test_others_are_not_what_is_named(world: RoboData) -> None:
    answer = world.ask("other movies shot by the godfather's cinematographer")
    assert "Manhattan" in _labels(answer) and "The Godfather" not in _labels(answer)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Is France the only country that borders Germany?", "no"),
        ("Is English the only official language of Kenya?", "no"),
        ("Is Jaws the only film directed by Steven Spielberg?", "no"),
        # That no other is stated shows nothing of what is not.
        ("Is Lisbon the only capital of Portugal?", ""),
        ("Was Mozart the only composer born in Salzburg?", ""),
    ],
)
def test_the_only_one_is_denied_by_another(world: RoboData, question: str, told: str) -> None:
    answer = world.ask(question)
    assert [item.label for item in answer.results] == ([told] if told else [])
    assert told or "states no other" in answer.text


def test_a_year_beside_a_name_says_which_one(world: RoboData) -> None:
    assert _labels(world.ask("who did the music for Psycho 1960")) == {"Bernard Herrmann"}


@pytest.mark.parametrize(
    ("question", "never"),
    [
        ("Who directed Titanic 1953?", "James Cameron"),
        ("Which OECD countries aren't NATO members?", "United States of America"),
        ("What languages do Brazil and Portugal speak?", "English"),
        ("Who was Patrick Schwarzenegger's mother's father?", "Arnold Schwarzenegger"),
    ],
)
def test_nothing_is_read_over(world: RoboData, question: str, never: str) -> None:
    answer = world.ask(question)
    assert never not in _labels(answer)
    assert "Pedro" not in answer.reading and "Rent" not in answer.reading


def test_those_whom_a_graph_knows_to_live_somewhere_are_not_its_population(world: RoboData) -> None:
    assert not world.ask("How many people live in Malibu?").results
    assert world.ask("How many people live in Germany?").results
    assert world.ask("How many children does John Lennon have?").results


def test_a_likely_reading_of_sharing_answers(world: RoboData) -> None:
    answer = world.ask("What influences do Prince and Michael Jackson have in common?")
    assert _labels(answer) == {"James Brown", "The Beatles"}


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("titanic 1997 director", "James Cameron"),
        ("Who directed Titanic (1997)?", "James Cameron"),
        ("Where were the Summer Olympics of 2012 held?", "London"),
        ("In which city were the Summer Olympics in 1936?", "Berlin"),
    ],
)
def test_a_year_is_part_of_what_it_dates(world: RoboData, question: str, answer: str) -> None:
    assert _labels(world.ask(question)) == {answer}


def test_a_year_that_dates_something_else_keeps_an_answer_back(world: RoboData) -> None:
    for question in ("titanic 1953 director", "Where did Barack Obama live in 1961?"):
        assert world.ask(question).status is AnswerStatus.UNKNOWN


def test_what_holds_under_a_condition_is_asked_for_and_not_the_condition(world: RoboData) -> None:
    assert _labels(world.ask("If I am in Cairo, which country am I in?")) == {"Egypt"}
    money = world.ask("If I pay in the country whose capital is Warsaw, what currency is it?")
    assert all(one.value is not False for one in money.results if hasattr(one, "value"))
    assert [
        one.value for one in world.ask("Tell me if Paris is the capital of France").results
    ] == [True]


def test_a_noun_is_not_cut_from_what_it_is_like(world: RoboData) -> None:
    asked = "Tell me one South American country where Spanish isn't the official language"
    assert "German" not in _labels(world.ask(asked))


def test_a_class_is_told_by_what_an_answer_rests_on(world: RoboData) -> None:
    answer = world.ask("Which countries sent athletes to the Summer Olympics of 1900?")
    assert answer.reading == "any country whose Olympic Games with athletes is 1900 Summer Olympics"
    either = world.ask("Which is larger, Spain or Portugal?")
    assert either.reading == "one of Spain and Portugal with the largest area"


def test_a_pronoun_in_words_that_were_not_read_may_be_read(world: RoboData) -> None:
    answer = world.ask("Where was John Lennon standing when he was shot?")
    assert answer.status is AnswerStatus.UNKNOWN or _labels(answer) == {"New York City"}
