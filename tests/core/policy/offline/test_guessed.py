"""Readings that leave part of a name, or join two things by a relation that no word says."""

from __future__ import annotations

import pytest

from robodata_core import RoboData
from robodata_core.model import Answer, AnswerStatus, EntityValue


def _ids(answer: Answer) -> set[str]:
    return {item.value.id for item in answer.results if isinstance(item.value, EntityValue)}


@pytest.mark.parametrize(
    "question",
    [
        "who wrote the brothers ashkenazi",  # There is a film "Brothers".
        "who wrote the titanic exile",  # There is a film "Titanic".
        "the beatles bass player",  # Some who play a bass were influenced by them.
        "Which EU members are island states?",  # "Island" is Iceland in its own language.
    ],
)
def test_what_is_only_guessed_is_not_answered(world: RoboData, question: str) -> None:
    assert world.ask(question).status is AnswerStatus.UNKNOWN


@pytest.mark.parametrize(
    "question", ["Which countries does Tennessee border?", "How many states border Tennessee?"]
)
def test_what_a_verb_has_is_not_walked_on_from(world: RoboData, question: str) -> None:
    assert "Q30" not in _ids(world.ask(question))


@pytest.mark.parametrize(
    "question", ["of what did Amy Winehouse die", "What did Amy Winehouse die of?"]
)
def test_a_verb_is_read_with_the_preposition_that_ends_a_question(
    world: RoboData, question: str
) -> None:
    assert world.ask(question).status is AnswerStatus.UNKNOWN
    assert _ids(world.ask("Where did Amy Winehouse die?"))
    assert len(_ids(world.ask(question.replace("Amy Winehouse", "Heath Ledger")))) > 1


def test_whom_somebody_influenced_may_be_asked_by_a_preposition_in_front(world: RoboData) -> None:
    found = _ids(world.ask("On which philosophers did Schopenhauer have an influence?"))
    assert "Q9358" in found  # Friedrich Nietzsche
    assert "Q9312" not in found  # Immanuel Kant, who influenced him


def test_where_somebody_is_from_is_no_matter_of_diplomacy(world: RoboData) -> None:
    answer = world.ask("Which is the biggest Central American country by area?")
    assert answer.status is AnswerStatus.UNKNOWN


def test_a_noun_in_the_plural_is_parted_from_its_verb(world: RoboData) -> None:
    assert len(_ids(world.ask("Which countries border Chad?"))) > 3


def test_what_a_verb_leads_to_may_be_asked_of_by_a_preposition(world: RoboData) -> None:
    assert _ids(world.ask("In which country was Steve Jobs born?")) == {"Q30"}


def test_a_name_in_capitals_is_no_small_word(world: RoboData) -> None:
    assert "Q30" not in _ids(world.ask("In which US state was Steve Jobs born?"))


@pytest.mark.parametrize(
    ("typed", "written"),
    [
        ("what language do ppl speak in brazil", "What language do people speak in Brazil?"),
        (
            "Which is the world's smallest country by area?",
            "Which is the smallest country by area?",
        ),
        ("The mother of Liza Minnelli, who is she?", "Who is the mother of Liza Minnelli?"),
    ],
)
def test_what_is_typed_is_read_as_it_is_written(world: RoboData, typed: str, written: str) -> None:
    found = _ids(world.ask(typed))
    assert found
    assert found == _ids(world.ask(written))


def test_most_of_what_a_graph_has_is_not_most_there_is(world: RoboData) -> None:
    asked = world.ask("What religion do most people in Thailand follow?")
    assert asked.status is AnswerStatus.UNKNOWN


def test_what_has_most_of_its_own_is_told_as_counted() -> None:
    with RoboData.open(source="snapshot:wikidata-sample", policy="offline") as sample:
        asked = sample.ask("Which record producer works in the most genres?")
    assert asked.status is AnswerStatus.PARTIAL
    assert _ids(asked) == {"Q935369"}
    assert any("was counted" in said for said in asked.missing), asked.missing
