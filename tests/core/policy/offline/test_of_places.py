"""What belongs to a place or a group, what is not of it, and names that only look like it."""

from __future__ import annotations

import pytest

from robodata_core.api import RoboData
from robodata_core.model import Answer, AnswerStatus
from robodata_core.policy.offline.lexicon import spoken_of

from .conftest import Ask


def _labels(answer: Answer) -> set[str]:
    return {value.label for value in answer.results}


def test_members_go_before_whoever_has_relations_with_it(ask: Ask) -> None:
    answer = ask("Which countries of the European Union are there?")
    assert "member of" in answer.program
    assert {"Ireland", "Hungary"} <= _labels(answer)
    assert not {"Canada", "Japan"} & _labels(answer)


@pytest.mark.parametrize(
    ("question", "there", "not_there"),
    [
        ("Which children of John Lennon are not children of Yoko Ono?", "Julian Lennon", "Sean"),
        ("Which containers are not glass?", "cup", "bottle"),
        ("all containers except the glass ones", "bowl", "vase"),
        ("Which West African countries speak French?", "Mali", "France"),
    ],
)
def test_what_is_said_of_it_counts(ask: Ask, question: str, there: str, not_there: str) -> None:
    found = _labels(ask(question))
    assert there in found
    assert not any(not_there in label for label in found)


@pytest.mark.parametrize(
    "question",
    [
        "Which German languages are there?",  # not all languages
        "Japanese islands",
        "provinces of Canada",  # not what lies there, not what Canada is part of
        "What are the provinces of Canada?",
        "states of the United States",
        "languages of Africa",  # not of South Africa
    ],
)
def test_what_is_not_told_is_unknown(ask: Ask, question: str) -> None:
    answer = ask(question)
    assert answer.status is not AnswerStatus.ANSWERED
    assert not answer.results or answer.text.startswith("If you mean")


@pytest.mark.parametrize("question", ["cities of Italy", "Which cities are in Italy?"])
def test_what_lies_in_a_place_is_found(ask: Ask, question: str) -> None:
    assert "Rome" in _labels(ask(question))


def test_a_side_of_a_place_is_another_place() -> None:
    names, held = spoken_of("west african")
    assert not held
    assert "West Africa" in names or "Western Africa" in names
    assert "Africa" not in names


@pytest.mark.parametrize(
    "question",
    ["Who has died from tuberculosis?", "Which composers died from tuberculosis?"],
)
def test_from_what_somebody_died_is_no_time(ask: Ask, question: str) -> None:
    answer = ask(question)
    assert "cause of death" in answer.program
    assert "Frédéric Chopin" in _labels(answer)


def test_what_is_counted_is_what_was_asked_for(ask: Ask) -> None:
    answer = ask("How many grandchildren did Gustav Schwarzenegger have through his sons?")
    assert answer.status is AnswerStatus.UNKNOWN or _labels(answer) == {"6"}


def test_a_name_beside_a_class_is_not_left_out(ask: Ask) -> None:
    assert ask("Japan capital").status is AnswerStatus.UNKNOWN


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("How did Elvis die?", "myocardial infarction"),
        ("Who was Yoko married to?", "John Lennon"),
        ("Who was influenced by Dostoevsky?", "Anton Chekhov"),
    ],
)
def test_the_only_one_of_a_first_or_last_name_is_meant(ask: Ask, question: str, found: str) -> None:
    assert found in _labels(ask(question))


def test_one_of_many_of_a_first_name_is_not_picked(ask: Ask) -> None:
    assert ask("Where was Thomas born?").status is AnswerStatus.UNKNOWN


@pytest.mark.parametrize(
    "question",
    [
        "Who was the first prime minister of Sweden?",  # not "I prime minister"
        "Does Belgium have one official language?",  # "language" is part of what is asked for
    ],
)
def test_a_word_is_not_taken_for_two_things(ask: Ask, question: str) -> None:
    assert ask(question).status is AnswerStatus.UNKNOWN


def test_what_is_offered_to_anyone_is_judged_by_what_is_offered(ask: Ask) -> None:
    answer = ask("Does anyone play the violin or the accordion?")  # "play" is no thing
    assert answer.text.startswith("Yes")
    assert "violin or accordion" in answer.reading


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Was Leibniz born in Germany?", "yes"),
        ("Was Heinrich Rudolf Hertz born in Germany?", "yes"),
        ("Was Benjamin Franklin born in Germany?", "no"),
    ],
)
def test_who_was_born_in_a_town_was_born_in_its_country(
    ask: Ask, question: str, answer: str
) -> None:
    assert _labels(ask(question)) == {answer}


def test_what_is_in_a_place_counts_where_it_is_asked_for() -> None:
    """Which physicists were born, or were not: of whom no place is stated, neither is said."""
    with RoboData.open(source="snapshot:wikidata-sample") as robodata:
        found, others = (
            robodata.ask(f"Which physicists were {word}born in Germany?") for word in ("", "not ")
        )
    born, elsewhere = _labels(found), _labels(others)
    assert {"Heinrich Rudolf Hertz", "Gottfried Wilhelm Leibniz"} <= born
    assert "John von Neumann" in elsewhere
    assert "Benjamin Franklin" not in elsewhere  # of Boston it is not stated where it lies
    assert not born & elsewhere
    assert "Galileo Galilei" not in elsewhere  # no place of birth of his is stated there
    assert all(claim.supported for claim in (*found.claims, *others.claims))


def test_a_capital_of_a_place_within_is_not_asked_for(ask: Ask) -> None:
    """Only what says where something is goes to the places in a place."""
    assert _labels(ask("What is the capital of Germany?")) <= {"Berlin"}
    assert "yes" not in _labels(ask("Is Europe the capital of Germany?"))


@pytest.mark.parametrize(
    ("question", "there", "not_there"),
    [
        ("Which cities are in Germany?", "Cologne", "Bavaria"),
        ("Which countries are in Europe?", "Vatican City", "Alps"),
        ("Which counties are in England?", "Somerset", "London"),
    ],
)
def test_what_lies_in_a_place_is_of_the_kind_asked_for(
    world: RoboData, question: str, there: str, not_there: str
) -> None:
    found = _labels(world.ask(question))
    assert there in found
    assert not_there not in found


def test_the_parts_of_a_country_are_not_all_that_lies_in_it(world: RoboData) -> None:
    assert len(world.ask("What are the provinces of Canada?").results) == 10


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What river flows through Paris?", "Seine"),
        ("Which river flows through London?", "River Thames"),
        ("What sea does the Volga flow into?", "Caspian Sea"),
        ("Which countries does the Danube flow through?", "Hungary"),
    ],
)
def test_what_flows_through_a_place_does_not_end_there(
    world: RoboData, question: str, expected: str
) -> None:
    assert expected in _labels(world.ask(question))


def test_an_extreme_is_among_all_that_lie_there(world: RoboData) -> None:
    assert _labels(world.ask("What's the smallest country in Europe?")) == {"Vatican City"}


def test_borders_are_not_followed_until_something_fits(world: RoboData) -> None:
    assert "Atlantic Ocean" not in _labels(world.ask("Which ocean borders Austria?"))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Are Canada and Mexico neighbours?", "no"),
        ("Are Spain and Portugal neighbours?", "yes"),
        ("Is there a country that borders Canada and Mexico?", "yes"),
    ],
)
def test_neighbours_are_of_each_other(world: RoboData, question: str, answer: str) -> None:
    assert _labels(world.ask(question)) == {answer}


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("Does Germany border at least eight countries?", True),
        ("Does Germany border at most eight countries?", False),
        ("Are there more than eight countries that border Germany?", True),
        ("Do at most eight countries border Germany?", False),
        ("Does at most one country border Portugal?", True),
        ("Does Germany border at least twelve countries?", None),
        ("Does more than one country border Portugal?", None),
    ],
)
def test_a_number_of_what_a_verb_leads_to_counts_its_objects(
    world: RoboData, question: str, truth: bool | None
) -> None:
    """Never what these are joined to by a relation that is called like the noun."""
    answer = world.ask(question)
    assert [item.value for item in answer.results] == [truth] * (truth is not None)


def test_what_lies_in_a_place_by_what_it_lies_in_is_not_outside_of_it(world: RoboData) -> None:
    found = _labels(world.ask("Which capitals are not in Europe?"))
    assert {"Cairo", "Tokyo"} <= found and not {"Berlin", "Rome", "Oslo"} & found


def test_who_borders_two_is_left_out_by_one_of_them(world: RoboData) -> None:
    near = _labels(world.ask("Which countries border France but not Germany?"))
    assert "Spain" in near and not {"Belgium", "Luxembourg"} & near


def test_a_name_that_holds_a_word_is_not_what_the_word_denies(world: RoboData) -> None:
    answer = world.ask("Which country has no coast?")
    assert not answer.results  # it is not Ivory Coast that has none
