"""Questions that offer their answers: one of them is asked for, not yes or no."""

from __future__ import annotations

import pytest

from robodata_core.model import AnswerStatus
from robodata_core.policy.offline.offers import read_offered
from robodata_core.sources.base import QueryLimits
from robodata_core.sources.snapshot import SnapshotSource

from .conftest import Ask


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Broccoli, is it a fruit or a vegetable?", "vegetable"),
        ("broccoli - fruit or vegetable?", "vegetable"),
        ("What is broccoli, a fruit or a vegetable?", "vegetable"),
        ("A teddy bear, is that a toy or a tool?", "toy"),
        ("Scissors: plastic or steel?", "steel"),
        ("What are scissors made of, plastic or steel?", "steel"),
        ("hugh laurie's music, is that blues or jazz?", "blues"),
        ("Is Turin's partner city in Japan Nagoya or Kobe?", "Nagoya"),
        ("Is the capital of Canada Toronto or Ottawa?", "Ottawa"),
        ("Which city is the capital of Canada: Toronto or Ottawa?", "Ottawa"),
        ("Where was Harold Pinter born, London or Paris?", "London"),
        ("In which city did Wittgenstein die, Cambridge or Vienna?", "Cambridge"),
        ("Was Elvis Presley's cause of death cancer or heart attack?", "myocardial infarction"),
        ("Umberto Eco: mathematician or philosopher?", "philosopher"),
        ("What is the capital of Canada? Ottawa or Toronto?", "Ottawa"),
        ("Is it Nagoya or Kobe that Turin is twinned with?", "Nagoya"),
        ("Was it Plato or Goethe who influenced Kant?", "Plato"),
        ("Which of the two, plastic or steel, are scissors made of?", "steel"),
    ],
)
def test_one_of_what_is_offered(
    question: str, expected: str, ask: Ask, sample: SnapshotSource
) -> None:
    answer = ask(question)
    assert [item.label for item in answer.results] == [expected]
    assert answer.claims and all(claim.supported for claim in answer.claims)
    assert len(sample.sparql(answer.sparql, limits=QueryLimits(10, 60.0)).rows) == 1


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        # whether one of two holds, said so
        ("Is Umberto Eco either a mathematician or a philosopher?", ["yes"]),
        # what is compared, not offered
        ("Who is older, Olof Palme or Lars Løkke Rasmussen?", ["Olof Palme"]),
        ("Do more people play the violin or the accordion?", ["violin"]),
        # limits of a set
        ("Who is buried in Highgate Cemetery or in Montmartre?", None),
    ],
)
def test_near_forms_are_not_taken_so(question: str, expected: list[str] | None, ask: Ask) -> None:
    assert read_offered(question) is None
    if expected is not None:
        assert [item.label for item in ask(question).results] == expected


def test_where_none_of_it_is_stated_nothing_is_said(ask: Ask) -> None:
    answer = ask("Scissors: violin or accordion?")
    assert answer.status is AnswerStatus.UNKNOWN
    assert "none of" in answer.missing[0]


@pytest.mark.parametrize(
    "text", ["'s music: a or b", "\t, a or b", "a,   , or b", "What is X,  or b"]
)
def test_what_is_hardly_a_list_offers_nothing(text: str) -> None:
    assert read_offered(text) is None
