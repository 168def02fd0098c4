"""Programs in few words: kinds, things of one name, relations of which any counts."""

from __future__ import annotations

from robodata_core.model import Direction, EntityValue
from robodata_core.programs.describe import Verbaliser
from robodata_core.programs.steps import End, FilterByType, Follow, Program, Start, Step

_LABELS = {
    "Q1": "apple", "Q2": "fruit", "Q3": "egg", "Q4": "egg", "Q5": "kind of tool",
    "P1": "occupation", "P2": "dated", "P3": "instance of", "P4": "member of", "P5": "country",
    "P6": "place", "P7": "genre", "P8": "title", "P279": "subclass of",
}  # fmt: skip
_WORDS = Verbaliser(lambda id_: _LABELS.get(id_, ""))
_APPLE = Start("a", (EntityValue("Q1"),))
_FRUIT = (EntityValue("Q2"),)


def _program(*steps: Step) -> Program:
    last = steps[-1]
    assert not isinstance(last, End)
    return Program((*steps, End(last.out)))


def _of_class(class_: str, *via: str) -> str:
    return _WORDS.reading(_program(_APPLE, FilterByType("b", "a", (class_,), via)))


def test_what_is_below_a_class_is_a_kind_of_it() -> None:
    told = [
        _of_class("Q2", "P279"), _of_class("Q2", "P31"), _of_class("Q2", "P31", "P279"),
        _of_class("Q2", "P1", "P31", "P279"), _of_class("Q2", "P1", "P31"),
        _of_class("Q5", "P31"), _of_class("Q5", "P279"),
    ]  # fmt: skip
    assert told[:4] == [
        "apple that is a kind of fruit",
        "apple that is a fruit",
        "apple that is a fruit of any kind",
        "apple that is a fruit by occupation or any kind",
    ]
    assert len({*told}) == len(told)


def test_what_several_are_called_is_said_once() -> None:
    eggs = Start("a", (EntityValue("Q3"), EntityValue("Q4")))
    one = _program(eggs, Follow("b", "a", ("P5",)))
    assert _WORDS.sentence(one, _FRUIT) == "The country of egg (any of 2) is fruit."
    same = Start("a", (EntityValue("Q3"), EntityValue("Q3")))
    assert "any of 2" not in _WORDS.reading(_program(same, Follow("b", "a", ("P5",))))


def test_relations_of_which_any_counts_are_told_as_verbs_where_they_are() -> None:
    told = _WORDS.sentence(_program(_APPLE, Follow("b", "a", ("P279", "P3"))), _FRUIT)
    assert told == "Apple “is a subclass of” or “is an instance of” fruit."
    back = _program(_APPLE, Follow("b", "a", ("P279", "P3"), Direction.IN))
    assert _WORDS.sentence(back, _FRUIT) != told
    assert "of of" not in _WORDS.sentence(back, _FRUIT)


def test_of_very_many_relations_the_first_are_named() -> None:
    many = ("P5", "P6", "P7", "P8", "P1", "P2", "P3")
    others = (*many, "P4")
    readings = [
        _WORDS.reading(_program(_APPLE, Follow("b", "a", names))) for names in (many, others)
    ]
    assert readings[0] != readings[1]
    assert readings[0].startswith("“country”, “place”, “genre”, “title”, “occupation” or 2 more [")


def test_a_participle_is_told_of_what_it_leads_to() -> None:
    back = _program(_APPLE, Follow("b", "a", ("P2",), Direction.IN))
    assert _WORDS.sentence(back, _FRUIT) == "fruit: dated apple."
