"""What stands before a question, behind a comma, asks what it asks behind it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from robodata_core import RoboData
from robodata_core.language.grammar.framing import unfronted
from robodata_core.language.lexicon import open_lexicon
from robodata_core.language.text import read_text
from robodata_core.model import AnswerStatus


@pytest.fixture(scope="module")
def household() -> Iterator[RoboData]:
    with RoboData.open(source="snapshot:household") as robodata:
        yield robodata


@pytest.mark.parametrize(
    ("fronted", "plain"),
    [
        ("In the kitchen, which appliances are there?", "Which appliances are in the kitchen?"),
        ("In order to clean the floor, what do I need?", "What do I need to clean the floor?"),
        ("If I want to bake a cake, what do I need?", "What do I need to bake a cake?"),
        ("For making coffee, what do people use?", "What do people use for making coffee?"),
    ],
)
def test_what_is_put_first_is_read_as_if_it_were_last(
    household: RoboData, fronted: str, plain: str
) -> None:
    first, last = household.ask(fronted), household.ask(plain)
    assert last.status is not AnswerStatus.UNKNOWN
    assert {str(item.value) for item in first.results} == {str(item.value) for item in last.results}


@pytest.mark.parametrize(
    "text", ["In the kitchen, please.", "Well, which appliances are there?", "In, what is it?"]
)
def test_what_is_no_phrase_is_left_where_it_is(text: str) -> None:
    assert not unfronted(read_text(text), open_lexicon("en"))
