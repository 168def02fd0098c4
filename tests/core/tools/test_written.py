"""Steps as a model writes them: what is written from a program is read as that program."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robodata_core.errors import ProgramError
from robodata_core.language.meaning import (
    AllOf,
    AnyOf,
    Except,
    Given,
    Holds,
    Kind,
    Linked,
    Meaning,
    Most,
    Number,
    OfKind,
    Reach,
    Where,
    lower,
)
from robodata_core.model import Direction, EntityValue, StringValue, Value
from robodata_core.programs.steps import Comparison, FilterByType, Program
from robodata_core.tools.written import ProgramReader, Surroundings, write_steps

_items = st.sampled_from(["Q1", "Q2", "Q3"])
_properties = st.sampled_from(["P31", "P36", "P50"])
_edges = st.lists(st.tuples(_properties, st.sampled_from(Direction)), min_size=1, max_size=3)
_things = st.lists(_items, min_size=1, max_size=3, unique=True)
_given = _things.map(lambda ids: Given(tuple(map(EntityValue, ids))))
_classes = st.lists(_items, min_size=1, max_size=2, unique=True).map(tuple)
_via = st.lists(_properties, min_size=1, max_size=2, unique=True).map(tuple)


def _more(of: st.SearchStrategy[Meaning]) -> st.SearchStrategy[Meaning]:
    several = st.lists(of, min_size=2, max_size=3).map(tuple)
    anything = st.one_of(st.none(), of)
    texts = st.sampled_from(["1990", "white"]).map(StringValue)
    same = st.sampled_from([Comparison.EQ, Comparison.NE])
    return st.one_of(
        st.builds(Reach, of, _edges.map(tuple)),
        st.builds(OfKind, of, _classes, _via),
        st.builds(Kind, _classes, _via),
        st.builds(Where, anything, _properties, same, _items.map(EntityValue)),
        st.builds(Where, anything, _properties, st.sampled_from(Comparison), texts),
        st.builds(Most, of, _properties, st.booleans()),
        st.builds(AllOf, several),
        st.builds(AnyOf, several),
        st.builds(Except, of, of),
    )


_sets = st.recursive(_given, _more, max_leaves=6).filter(lambda one: not isinstance(one, Given))
_meanings = st.one_of(
    _sets,
    _sets.map(Number),
    st.builds(Holds, _sets, st.one_of(st.none(), _items.map(EntityValue))),
)


def _read(written: list[dict[str, Any]]) -> Program:
    def _value(given: Any, property_: str, unit: str | None) -> Value:
        return EntityValue(given) if re.fullmatch(r"Q\d", given) else StringValue(given)

    around = Surroundings(lambda ids: None, _value, EntityValue, lambda name: [])
    return ProgramReader(around).read(json.loads(json.dumps(written)))


def _named_alike(written: list[dict[str, Any]]) -> str:
    """Return written steps with their names counted from the first."""
    text = json.dumps(written)
    names = {name: f"${n}" for n, name in enumerate(dict.fromkeys(re.findall(r"\$\w+", text)))}
    return re.sub(r"\$\w+", lambda name: names[name[0]], text)


@given(_meanings)
def test_what_is_written_is_read_as_what_was_meant(meaning: Meaning) -> None:
    written = write_steps(lower(meaning))
    assert _named_alike(write_steps(_read(written))) == _named_alike(written)


def test_a_set_that_begins_anew_is_not_of_the_step_before() -> None:
    both = AllOf((Reach(Given((EntityValue("Q1"),)), (("P36", Direction.OUT),)),
                  Kind(("Q2",), ("P31",))))  # fmt: skip
    read = _read(write_steps(lower(both)))
    kinds = [step for step in read.steps if isinstance(step, FilterByType)]
    assert [step.source for step in kinds] == [""]


def test_what_has_no_written_form_says_so() -> None:
    linked = Linked(None, ("P50",), Direction.OUT, Comparison.GT, 2)
    with pytest.raises(ProgramError, match="no written form"):
        write_steps(lower(linked))
