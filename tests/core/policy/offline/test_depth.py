"""Limits, extremes, denials, exceptions, alternatives and questions within questions.

Asked of an invented atlas (``atlas.ttl``) that has the numbers, dates and ties the sample lacks,
with relations and ids of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from robodata_core.model import Answer
from robodata_core.sources.snapshot import SnapshotSource

from .conftest import Ask, Asker, check_query, found, small_graph

_HOME = "http://atlas.example/"


@pytest.fixture(scope="module")
def atlas(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SnapshotSource]:
    """The invented atlas."""
    file = Path(__file__).with_name("atlas.ttl")
    with small_graph(tmp_path_factory, "atlas", file) as source:
        yield source


@pytest.fixture(scope="module")
def ask_atlas(atlas: SnapshotSource, asker: Asker) -> Ask:
    """Asks the atlas."""
    return asker(atlas)


def _found(answer: Answer) -> set[str]:
    return found(answer, _HOME, iso=True)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        # extremes, ranks, several at once, ties
        ("Who is the oldest child of Ada Lind?", "Bo"),
        ("Which of the children of Ada Lind is the tallest?", "Dag"),
        ("Which child of Ada Lind was born last?", "Dag"),
        ("What is the highest mountain?", "Holm"),
        ("What is the second highest mountain in Norvia?", "Glitt"),
        ("list the three highest mountains", "Holm Glitt Snoe"),
        ("Which country has the largest population?", "Sudia Quell"),
        ("Which country in Arda has the smallest area?", "Ostland"),
        ("What is the oldest film?", "F1"),
        ("What is the longest film directed by Bo Lind?", "F3"),
        ("Which painter has the most children?", "Ada"),
        # choices
        ("Who is older, Bo Lind or Cia Lind?", "Bo"),
        ("Which is higher: Mount Holm, Kebne Peak or Glitter Peak?", "Holm"),
        ("Which of Bo Lind and Dag Lind is taller?", "Dag"),
        # limits of numbers and times
        ("Which countries have a population of more than 5 million?", "Norvia Sudia Quell"),
        ("Which countries have more than 5 million inhabitants?", "Norvia Sudia Quell"),
        ("Which mountains are higher than 2,400 metres?", "Holm Glitt"),
        ("Which mountains in Norvia are higher than Kebne Peak?", "Holm Glitt Snoe"),
        ("Which films are longer than 100 minutes?", "F1 F4"),
        ("Which films last at least 95 minutes?", "F1 F3 F4"),
        ("Who was born before 1950?", "Erik Frans Gry"),
        ("Who was born between 1970 and 1976?", "Bo Cia"),
        ("Who was born in the 1970s?", "Bo Cia Dag"),
        ("Which films were released after 1990?", "F3 F4"),
        ("Which films came out in the 20th century?", "F1 F2 F3"),
        ("Which films were released after Short Summer?", "F3 F4"),
        ("Which films by Bo Lind were released before 1990?", "F2"),
        ("Which countries were founded before 1910 or after 1915?", "Norvia Sudia Ostland"),
        ("Which cities have more inhabitants than Velm?", "Karst Mirr"),
        # a number that is stated wins over counting
        ("Do more people live in Norvia or Sudia?", "Sudia"),
        ("Which has fewer inhabitants, Norvia or Sudia?", "Norvia"),
        ("Do more people live in Norvia than in Ostland?", "yes"),
        ("Does Norvia have more inhabitants than Sudia?", "no"),
        ("Do as many people live in Sudia as in Quell?", "yes"),
        ("How many more people live in Sudia than in Norvia?", "4,800,000"),
        ("How many fewer inhabitants has Ostland than Norvia?", "4,100,000"),
        ("Who is taller than 180 cm?", "Dag Erik"),
        ("Who has more than two children?", "Ada Erik"),
        ("Who has the most children?", "Ada Erik"),
        ("How many mountains are higher than 2000 metres?", "4"),
        ("How many children of Ada Lind were born after 1973?", "2"),
        # yes or no
        ("Is Ada Lind older than Erik Lind?", "no"),
        ("Was Ada Lind born before 1960?", "yes"),
        ("Is Mount Holm higher than 2500 metres?", "no"),
        ("Is the population of Norvia larger than 5 million?", "yes"),
        ("Is the population of Norvia larger than that of Sudia?", "no"),
        ("Is Bo Lind the oldest child of Ada Lind?", "yes"),
        ("Is Dag Lind the oldest child of Ada Lind?", "no"),
        # denials and exceptions
        ("Which painters are not poets?", "Ada Cia"),
        ("Which children of Ada Lind are not painters?", "Bo Dag"),
        ("Which painters have no children?", "Cia Frans"),
        ("Who influenced Bo Lind except Ada Lind?", "Frans"),
        ("Which countries border Norvia other than Sudia?", "Ostland"),
        # alternatives
        ("Which mountains are in Norvia or Sudia?", "Holm Glitt Snoe Kebne"),
        ("Which painters or poets were born in Tarn?", "Frans Gry"),
        ("Who was influenced by both Ada Lind and Frans Moe?", "Bo"),
        # questions within questions
        ("When was the oldest child of Ada Lind born?", "1972-03-04"),
        ("What is the capital of the largest country?", "Karst"),
        ("What is the capital of the country with the largest population?", "Karst Mirr"),
        ("Who directed the longest film?", "Frans Cia"),
        ("Who directed films released after 1990?", "Bo Cia"),
        ("Which films star the youngest child of Ada Lind?", "F3 F4"),
        ("In which country is the highest mountain?", "Norvia"),
        # not known, or not asked clearly
        ("Who is the richest painter?", "-"),
        ("Who is taller, Ada Lind or Gry Moe?", "-"),
        ("Which mountains are higher than Mount Nowhere?", "-"),
        ("Which films are longer than 500 minutes?", "-"),
        ("Is Gry Moe taller than Ada Lind?", "-"),
    ],
)
def test_the_atlas_is_asked_in_depth(
    ask_atlas: Ask, atlas: SnapshotSource, question: str, expected: str
) -> None:
    answer = ask_atlas(question)
    if expected == "-":
        assert answer.status.value == "unknown" and answer.missing, answer
        return
    assert _found(answer) == set(expected.split()), answer.program
    assert answer.claims and all(claim.supported for claim in answer.claims)
    assert answer.program
    check_query(answer, atlas)


def test_an_extreme_shows_what_was_compared(ask_atlas: Ask) -> None:
    answer = ask_atlas("What is the highest mountain in Norvia?")
    cited = {(e.triple.subject, e.triple.predicate) for c in answer.claims
             for e in c.support.evidence}  # fmt: skip
    assert (_HOME + "Holm", _HOME + "elevation") in cited
    assert (_HOME + "Glitt", _HOME + "elevation") in cited, "the runner-up is shown"
    assert any("3 of 3" in note for note in answer.notes)
    assert answer.status.value == "answered"


def test_ties_are_given_whole_and_said_and_so_is_what_cannot_be_compared(ask_atlas: Ask) -> None:
    answer = ask_atlas("Which country has the largest population?")
    assert len(answer.results) == 2
    assert any("share the same population" in note for note in answer.notes)
    assert answer.status.value == "partial"
    assert any("no population for 1 of the 5" in text for text in answer.missing)


def test_a_comparison_shows_both_sides(ask_atlas: Ask) -> None:
    answer = ask_atlas("Is Ada Lind older than Erik Lind?")
    shown = {e.triple.subject for c in answer.claims for e in c.support.evidence}
    assert shown == {_HOME + "Ada", _HOME + "Erik"}


def test_a_denial_shows_what_was_left_out(ask_atlas: Ask) -> None:
    answer = ask_atlas("Which painters are not poets?")
    assert any("Frans Moe" in note and "1 of 3" in note for note in answer.notes)
    assert any(e.triple.subject == _HOME + "Frans" for c in answer.claims
               for e in c.support.evidence)  # fmt: skip


def test_numbers_without_a_unit_are_said_to_be_read_as_one(ask_atlas: Ask) -> None:
    answer = ask_atlas("Which films are longer than 2 hours?")
    assert _found(answer) == {"F1", "F4"} or answer.status.value == "unknown"
    answer = ask_atlas("Who is taller than 180 cm?")
    assert any("metre" in note for note in answer.notes)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Who is taller, Ada Lind or Gry Moe?", "no height for Gry Moe"),
        ("Who is the mayor of ?", "nothing follows “mayor of”"),
        ("Which mountains are higher than Mount Nowhere?", "Mount Nowhere"),
        ("Is Gry Moe taller than Ada Lind?", "no height for Gry Moe"),
        ("What is the tallest painter's favourite colour?", ""),
    ],
)
def test_the_reason_for_not_knowing_is_specific(ask_atlas: Ask, question: str, words: str) -> None:
    answer = ask_atlas(question)
    assert answer.status.value == "unknown"
    assert words in " ".join(answer.missing)


def test_a_name_one_letter_off_is_put_right_and_that_is_said(ask_atlas: Ask) -> None:
    answer = ask_atlas("Who are the children of Ada Lindt?")
    assert _found(answer) == {"Bo", "Cia", "Dag"}
    assert any("“Ada Lindt” was read as “Ada Lind”" in note for note in answer.notes)
    assert ask_atlas("Who are the children of Ede Lindt?").status.value == "unknown"
