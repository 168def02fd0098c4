"""Names with what tells them apart in parentheses or behind a comma."""

from __future__ import annotations

import pytest

from robodata_core.api import RoboData
from robodata_core.model import AnswerStatus
from robodata_core.policy.offline.qualified import qualified


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Who directed The Mission (1986 film)?", "Who directed The Mission?"),
        ("Where was Prince (musician) born?", "Where was Prince born?"),
        ("Where was Prince (Q7542) born?", None),
        ("Where was Prince born?", None),
        ("(really) who is Prince?", None),
        ("Who was born in Boston, Massachusetts?", "Who was born in Boston?"),
        ("In 1990, who led France?", None),
    ],
)
def test_parentheses_behind_names_are_taken_out(text: str, plain: str | None) -> None:
    told = qualified(text)
    assert (told.text if told else None) == plain


def test_what_fits_is_taken(world: RoboData) -> None:
    answer = world.ask("Who directed Psycho (film)?")
    assert "Alfred Hitchcock" in [item.label for item in answer.results]
    assert all(claim.supported for claim in answer.claims)


def test_a_place_behind_a_comma_tells_which_place_it_is(world: RoboData) -> None:
    born = {item.label for item in world.ask("Who was born in London, Ontario?").results}
    assert "Justin Bieber" in born
    assert not born & {item.label for item in world.ask("Who was born in London?").results}


def test_what_it_tells_is_not_passed_over(world: RoboData) -> None:
    answer = world.ask("Who was born in Paris, Texas?")
    assert answer.status is AnswerStatus.UNKNOWN
    assert "Texas" in answer.text


def test_what_does_not_fit_is_not(world: RoboData) -> None:
    assert world.ask("Who directed Psycho (river)?").status is AnswerStatus.UNKNOWN


@pytest.mark.parametrize(
    "question",
    [
        "Is Isaac Newton a scientist?",
        "Is Freddie Mercury a musician?",
        "Is a violin a musical instrument?",
    ],
)
def test_what_occupations_and_instruments_are_kinds_of_is_known(
    world: RoboData, question: str
) -> None:
    answer = world.ask(question)
    assert [item.value for item in answer.results] == [True]
    origins = {origin for claim in answer.claims for origin in str(claim.support).split()}
    assert any("wordnet-kinds" in origin for origin in origins)


@pytest.mark.parametrize(
    "question", ["Was Demi Moore born in France?", "Was Kevin Spacey born in Kenya?"]
)
def test_where_no_place_of_birth_is_stated_none_is_denied(world: RoboData, question: str) -> None:
    answer = world.ask(question)
    assert answer.status is AnswerStatus.UNKNOWN
    assert "may be any" in answer.text
    # Of whom one is stated, another place is denied.
    stated = world.ask("Was Barack Obama born in Kenya?")
    assert [item.value for item in stated.results] == [False]
