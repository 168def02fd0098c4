"""Questions that say more, or less, than a graph needs to hear: put otherwise, or kept back."""

from __future__ import annotations

import pytest

from robodata_core import RoboData
from robodata_core.model import Answer, AnswerStatus, EntityValue


def _labels(answer: Answer) -> set[str]:
    return {item.label for item in answer.results}


def _ids(answer: Answer) -> set[str]:
    return {item.value.id for item in answer.results if isinstance(item.value, EntityValue)}


@pytest.mark.parametrize(
    ("question", "plain"),
    [
        ("What is the current population of Japan?", "What is the population of Japan?"),
        ("Who is the president of Chile right now?", "Who is the president of Chile?"),
        ("which countries in the world speak german", "which countries speak german"),
        ("I forgot: who directed The Godfather?", "Who directed The Godfather?"),
        ("the five official languages of Spain", "the official languages of Spain"),
        ("where did pres. obama go to school?", "where did Barack Obama go to school?"),
        ("where was ben franklin born?", "where was Benjamin Franklin born?"),
        ("which countries border the us?", "which countries border the US?"),
        (
            "who directed lord of the rings return of the king",
            "who directed The Lord of the Rings: The Return of the King",
        ),
        ("what do mali people speak?", "what do people speak in Mali?"),
        ("what do costa ricans speak?", "what do people speak in Costa Rica?"),
    ],
)  # fmt: skip
def test_what_adds_nothing_changes_nothing(world: RoboData, question: str, plain: str) -> None:
    said, bare = world.ask(question), world.ask(plain)
    assert bare.results and bare.status is not AnswerStatus.UNKNOWN
    assert said.results == bare.results, said.text


def test_of_several_values_without_a_time_nobody_knows_which_holds_now(world: RoboData) -> None:
    assert len(world.ask("What team does Allen Iverson play for?").results) > 1
    now = world.ask("What team does Allen Iverson play for now?")
    assert now.status is AnswerStatus.UNKNOWN and "holds now" in now.text


def test_one_value_without_a_time_is_told_as_one_that_may_have_ended(world: RoboData) -> None:
    answer = world.ask("Who is Paul McCartney's current wife?")
    assert answer.status is AnswerStatus.PARTIAL
    assert any("still holds" in told for told in answer.missing)


def test_now_may_be_part_of_a_name(world: RoboData) -> None:
    assert _labels(world.ask("who directed apocalypse now")) == {"Francis Ford Coppola"}


def test_a_title_may_be_part_of_a_name(world: RoboData) -> None:
    assert _labels(world.ask("who directed doctor zhivago")) == {"David Lean"}
    assert world.ask("who starred in captain america").status is AnswerStatus.UNKNOWN


def test_fewer_than_the_question_takes_for_granted_are_told_as_such(world: RoboData) -> None:
    answer = world.ask("What are the four official languages of Nigeria?")
    assert answer.status is AnswerStatus.PARTIAL
    assert any("speaks of 4" in told for told in answer.missing)


def test_a_place_is_the_one_in_the_larger_one_beside_it(world: RoboData) -> None:
    answer = world.ask("where is birmingham england?")
    cited = {one.triple.subject for claim in answer.claims for one in claim.support.evidence}
    assert "Q2256" in cited and "Q79867" not in cited


@pytest.mark.parametrize("place", ["atlanta texas", "amsterdam ohio", "mount vernon virginia"])
def test_a_place_elsewhere_is_not_the_one_that_is_asked_about(world: RoboData, place: str) -> None:
    answer = world.ask(f"where is {place}?")
    assert answer.status is AnswerStatus.UNKNOWN
    assert "No place of that name" in answer.text


def test_which_county_a_graph_leaves_out_shows_nothing(world: RoboData) -> None:
    assert world.ask("what timezone is indianapolis indiana in?").status is AnswerStatus.ANSWERED


def test_schools_are_places_and_parties_no_times(world: RoboData) -> None:
    assert len(world.ask("where was Barack Obama educated?").results) > 1
    assert world.ask("when was reagan inaugurated?").status is AnswerStatus.UNKNOWN


def test_which_bearer_of_a_surname_is_meant_is_asked(world: RoboData) -> None:
    answer = world.ask("where did kennedy go to school?")
    assert answer.status is AnswerStatus.PARTIAL
    assert any("was not said" in told for told in answer.missing)
    assert any("Ted Kennedy" in note for note in answer.notes)
    # Films and towns called so are better known to this graph, and are in no party.
    assert world.ask("what political party was lincoln?").reading.endswith("Abraham Lincoln")
    assert _labels(world.ask("what town was abe lincoln born in?")) == {"Hodgenville"}
    assert world.ask("what town was joe lincoln born in?").status is AnswerStatus.UNKNOWN


def test_kinds_of_a_class_are_not_counted_among_its_members(world: RoboData) -> None:
    countries = world.ask("Which countries are there?")
    assert "island nation" not in _labels(countries) and len(countries.results) > 200
    # What instruments a graph has are kinds themselves.
    assert "acoustic guitar" in _labels(world.ask("Which musical instruments are there?"))


def test_countries_are_large_by_area_where_nothing_else_is_named(world: RoboData) -> None:
    assert _labels(world.ask("Is Russia bigger than China?")) == {"yes"}
    assert _labels(world.ask("Is the population of Russia larger than 100 million?")) == {"yes"}
    three = world.ask("What are the three largest countries in Africa?")
    assert _labels(three) == {"Algeria", "Democratic Republic of the Congo", "Sudan"}
    assert three.reading.startswith("one of the first 3 of (")


def test_what_a_question_begins_with_is_what_it_asks_for(world: RoboData) -> None:
    assert "Q8877" not in _ids(world.ask("movies by the guy who directed jaws"))


@pytest.mark.parametrize(
    "question", ["Is Paris still the capital of France?", "Is Barack Obama still president?"]
)
def test_that_something_still_holds_is_not_said_without_a_time(
    world: RoboData, question: str
) -> None:
    answer = world.ask(question)
    assert answer.status is AnswerStatus.PARTIAL
    assert any("still holds" in told for told in answer.missing)


def test_no_one_is_a_date(world: RoboData) -> None:
    assert world.ask("When will Tom Hanks die?").status is AnswerStatus.UNKNOWN
