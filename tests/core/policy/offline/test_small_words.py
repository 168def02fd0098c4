"""Small words that change what is asked: "in" an organization, "are", "not", names in part."""

from __future__ import annotations

import pytest

from robodata_core.model import Answer, Direction
from robodata_core.policy.offline.candidate import Candidate, EdgeUse
from robodata_core.policy.offline.options import doubles
from robodata_core.policy.offline.words import tokenize

from .conftest import Ask, Asker, small_graph


def _labels(answer: Answer) -> set[str]:
    return {result.label for result in answer.results}


def test_a_class_may_begin_with_an_adjective_in_capitals(ask: Ask) -> None:
    answer = ask("List the Islamic republics.")
    assert _labels(answer) == {"Iran", "Afghanistan", "Mauritania"}


def test_to_be_in_an_organization_is_to_be_a_member(ask: Ask) -> None:
    members = _labels(ask("Which countries are members of NATO?"))
    assert _labels(ask("Which countries are in NATO?")) == members != set()
    assert _labels(ask("Is Canada in NATO?")) == {"yes"}
    assert _labels(ask("Is Vienna in Austria?")) == {"yes"}


def test_members_of_one_that_are_not_in_another(ask: Ask) -> None:
    left = _labels(ask("Which members of NATO are not in the European Union?"))
    assert {"Canada", "Norway"} <= left
    assert not left & {"Spain", "Hungary", "Belgium"}


def test_what_is_a_class_is_not_led_away_from_it(ask: Ask) -> None:
    answer = ask("Which states are constitutional monarchies?")
    assert _labels(answer) == {"Norway", "Thailand", "Morocco"}


def test_in_behind_a_verb_is_of_the_verb(ask: Ask) -> None:
    there = _labels(ask("Who died of lung cancer in Los Angeles?"))
    died = _labels(ask("Who died in Los Angeles?"))
    assert len(there) >= 2
    assert there < died


def test_not_is_no_part_of_a_relation(ask: Ask) -> None:
    asked = "Which member of the Arab League does not have Arabic as an official language?"
    assert _labels(ask(asked)) == {"Lebanon"}


_SHIRE = """\
@prefix s: <http://shire.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
s:Town a rdfs:Class ; rdfs:label "town"@en .
s:Capital rdfs:subClassOf s:Town ; rdfs:label "capital"@en .
s:capital rdfs:label "capital"@en .
s:Country a rdfs:Class ; rdfs:label "country"@en .
s:Fens a s:Country ; rdfs:label "The Fens"@en ; s:capital s:Ely .
s:Ely a s:Town ; rdfs:label "Elymouth"@en .
s:Lynn a s:Town ; rdfs:label "Lynnholm"@en .
"""


def test_what_is_denied_of_a_name_of_two_words_is_no_list_of_names(
    asker: Asker, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with small_graph(tmp_path_factory, "shire", _SHIRE) as source:
        answer = asker(source)("Which town is not the capital of The Fens?")
    assert "Elymouth" not in _labels(answer)
    assert not any("was not among them" in note for note in answer.notes)


def test_a_relation_of_a_relative_is_not_passed_over(ask: Ask) -> None:
    answer = ask("Who is the mother of Jack Pratt's stepmother?")
    assert "Anna Faris" not in _labels(answer)


def test_a_name_in_part_is_told(ask: Ask) -> None:
    answer = ask("Who influenced Kant?")
    assert any("Immanuel Kant (Q9312)" in note for note in answer.notes)


def test_a_relation_named_has_something_is_named_by_that(
    asker: Asker, tmp_path_factory: pytest.TempPathFactory
) -> None:
    facts = "Blue Dawn|has_critic_score|7.5\nBlue Dawn|made_by|Ada Moss\n"
    with small_graph(tmp_path_factory, "scores", facts) as source:
        answer = asker(source)("What is the score of Blue Dawn?")
        assert [str(result.label) for result in answer.results] == ["7.5"]


@pytest.mark.parametrize(
    ("question", "one", "other", "doubled"),
    [
        ("those were released in which years", {2}, {2, 3, 4, 5}, True),
        ("those were released in which years", {2}, {5}, True),
        ("who is the father of the father of X", {3}, {6}, False),
        ("who is X's mother's mother", {4}, {6}, False),
        ("who are the grandparents of X", {3}, {3}, False),
    ],
)
def test_two_phrases_for_one_step_are_one_step(
    question: str, one: set[int], other: set[int], doubled: bool
) -> None:
    hop = (("P1", Direction.OUT),)
    path = tuple(EdgeUse(hop, span=frozenset(span)) for span in (one, other))
    candidate = Candidate((), "n0", (), edges=path)
    assert doubles(candidate, tokenize(question)) is doubled
