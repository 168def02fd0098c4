from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robodata_core.model import Direction
from robodata_core.tools.similarity import Phrase, stem

from .desk import Desk
from .fakes import FakeSource


def test_relations_that_are_there_are_ranked(desk: Desk) -> None:
    result = desk.call("retrieve_relation", entities="Q42", phrase="his wife")
    first = result.output.data[0]
    assert (first.property.id, first.direction, first.count) == ("P26", Direction.OUT, 1)
    assert result.output.text.splitlines()[1] == "0.95 out: spouse (P26), 1 statement"
    assert "NOTICE" not in result.output.text


def test_the_question_is_the_phrase_when_none_is_given(desk: Desk) -> None:
    assert desk.data("retrieve_relation", entities="Q16")[0].property.id == "P36"
    assert "likest to the question first" in desk.text("retrieve_relation", entities="Q16")


def test_the_global_index_comes_with_a_notice(desk: Desk) -> None:
    result = desk.call("retrieve_relation", entities="Q16", phrase="date of birth")
    assert result.output.text.startswith(
        'None of the 3 relations of Canada (Q16) resembles "date of birth". NOTICE: these come'
    )
    (found,) = result.output.data
    assert (found.property.id, found.direction, found.count) == ("P569", None, 0)
    assert "P569" in desk.known


def test_nothing_resembles_at_all(desk: Desk) -> None:
    result = desk.call("retrieve_relation", entities="Q16", phrase="xyzzy")
    assert "Nor does any property of the ontology." in result.output.text
    assert result.output.data == ()


def test_a_direction_without_relations(desk: Desk) -> None:
    text = desk.text("retrieve_relation", entities="Q42", phrase="spouse", direction="in")
    assert "Douglas Adams (Q42) has no relations this way." in text
    assert "spouse (P26)" in text


@pytest.mark.parametrize(
    ("context", "first"),
    [("the capital city", "Q1930"), ("which river flows there", "Q777"), (None, "Q1930")],
)
def test_context_words_decide_between_namesakes(
    desk: Desk, context: str | None, first: str
) -> None:
    data = desk.data("disambiguate_entity", name="Ottawa", context=context)
    assert [one.entity.id for one in data][0] == first
    assert len(data) == 2


def test_given_candidates_must_be_known(desk: Desk) -> None:
    assert "Q1930 has not been shown" in desk.refusal(
        "disambiguate_entity", name="Ottawa", candidates=["Q1930", "Q16"]
    )
    desk.known.add(["Q1930"])
    data = desk.data("disambiguate_entity", name="Ottawa", candidates=["Q16", "Q1930"])
    assert [one.entity.id for one in data] == ["Q1930", "Q16"]


def test_a_name_nobody_has(desk: Desk, source: FakeSource) -> None:
    assert 'Nothing is called "Atlantis"' in desk.text("disambiguate_entity", name="Atlantis")


@pytest.mark.parametrize(
    ("phrase", "better", "worse"),
    [
        ("When was he born?", ["date of birth", "born on"], ["place of death"]),
        ("Which films did he direct?", ["directed by"], ["producer"]),
        ("What is it made of?", ["made from material"], ["maker of the cover"]),
        ("Who are its members", ["member of"], ["meme"]),
    ],
)
def test_likeness_prefers_the_name_that_says_it(
    phrase: str, better: list[str], worse: list[str]
) -> None:
    asked = Phrase.of(phrase)
    assert asked.likeness(better) > asked.likeness(worse)


@given(st.text(max_size=80), st.lists(st.text(max_size=40), max_size=4))
def test_likeness_is_between_nothing_and_all(phrase: str, names: list[str]) -> None:
    asked = Phrase.of(phrase)
    assert 0.0 <= asked.likeness(names) <= 1.0
    assert 0.0 <= asked.overlap(names) <= 1.0


def test_stems() -> None:
    assert stem("directed") == stem("director") == stem("direct") == "direct"
    assert stem("spouses") == stem("spouse")
    assert stem("bed") == "bed"
