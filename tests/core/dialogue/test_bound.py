"""Names and sets bound to ids: what is bound is meant, whatever else has the same name."""

from __future__ import annotations

import pytest

from robodata_core import RoboData
from robodata_core.model import AnswerStatus, TruthKind
from robodata_core.policy.offline.words import tokenize

#: Dostoyevsky, Pascal, Rousseau, Leibniz, Schopenhauer: Kant was influenced by two of them.
PEOPLE = "these 5 (Q991, Q1290, Q6527, Q9047, Q38193)"
BEFORE_KANT = {"Q6527", "Q9047"}
AFTER_KANT = {"Q991", "Q38193"}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which of {} influenced Kant?", BEFORE_KANT),
        ("Which of {} also influence Kant?", BEFORE_KANT),
        ("Which of {} was Kant influenced by?", BEFORE_KANT),
        ("Which of {} were influenced by Kant?", AFTER_KANT),
        ("Which of {} did Kant influence?", AFTER_KANT),
    ],
)
def test_the_wording_says_which_way_members_are_joined(
    sample: RoboData, question: str, expected: set[str]
) -> None:
    answer = sample.ask(question.format(PEOPLE))
    assert answer.status is AnswerStatus.ANSWERED
    assert {item.id for item in answer.results} == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which of these 3 (Q42, Q53713, Q8413) were born before 1940?", {"Q53713", "Q8413"}),
        ("Which of these 3 (Q42, Q53713, Q8413) is the oldest?", {"Q8413"}),
        ("Who of these 3 (Q42, Q53713, Q8413) died first?", {"Q8413"}),
        ("Which of these 3 (Q16, Q39, Q142) have German as an official language?", {"Q39"}),
        ("Which of these 3 (Q1065, Q7184, Q458) is Canada a member of?", {"Q1065", "Q7184"}),
        ("Which of these 3 (Q61597, Q77109, Q77087) is married?", {"Q61597"}),
        ("Which of these 3 (Q313696, Q9696, Q316064) are fathers?", {"Q313696", "Q9696"}),
        ("Which of these 3 (Q42, Q53713, Q2831) are not writers?", {"Q53713", "Q2831"}),
    ],
)
def test_members_of_a_set_are_asked_for(
    sample: RoboData, question: str, expected: set[str]
) -> None:
    answer = sample.ask(question)
    assert {item.id for item in answer.results} == expected
    absent = TruthKind.ABSENT
    assert all(claim.supported for claim in answer.claims)
    assert all(claim.support or claim.kind is absent for claim in answer.claims)


def test_a_set_is_counted_and_gone_on_from(sample: RoboData) -> None:
    count = sample.ask("How many of these 3 (Q16, Q39, Q142) are in Europe?")
    languages = sample.ask("What are the official languages of these 2 (Q39, Q16)?")
    assert [item.value for item in count.results] == [2]
    assert {item.label for item in languages.results} == {"English", "French", "German", "Italian"}


def test_what_nobody_of_a_set_is_gives_nobody(sample: RoboData) -> None:
    answer = sample.ask("Which of these 2 (Q42, Q53713) play the harp?")
    assert answer.status is AnswerStatus.UNKNOWN
    assert not answer.results


def test_a_bound_name_is_never_another_thing(in_town: RoboData) -> None:
    for id_, label in (("Orla", "212"), ("Orlatown", "40,100")):
        question = "What is the {} of Orla (<http://town.example/{}>)?"
        relation = "length" if id_ == "Orla" else "population"
        answer = in_town.ask(question.format(relation, id_))
        assert [item.label for item in answer.results] == [label]
        other = in_town.ask(question.format("population" if id_ == "Orla" else "length", id_))
        assert other.status is AnswerStatus.UNKNOWN


def test_ids_are_no_words_of_the_question() -> None:
    tokens = tokenize("Who is John F. Kennedy (Q9696)'s wife and (Q5) of these 2 (Q1, <a:b/c>)?")
    assert [(token.text, token.ids) for token in tokens if token.ids] == [
        ("Kennedy", ("Q9696",)),
        ("2", ("Q1", "a:b/c")),
    ]
    words = [token.text for token in tokens]
    assert "Q9696" not in words and "Q5" in words
    assert words[words.index("Kennedy") + 1 :][:2] == ["s", "wife"]
