"""How a name is written tells names apart, and from the words of the question around them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from robodata_core.policy.offline.question import analyse

from .conftest import Ask, Asker, small_graph

_SONGS = """\
Up!|sung_by|Ada Moss
Up|sung_by|Ben Reed
C++|sung_by|Cleo Vine
C|sung_by|Dan Holt
In Hell|sung_by|Eva Pike
Hell|sung_by|Fay Lund
The Sky|sung_by|Gus Bell
Salt 'n' Sea|sung_by|Hal Frost
Guess Who|sung_by|Ida Stone
The Shopping List|sung_by|Jan Wood
Show and Tell|sung_by|Kim Hart
Rome When It Rains|sung_by|Lea Mint
More Dead Than Gone|sung_by|Max Nord
Cry If You Can|sung_by|Ned Opal
The Sky|has_tags|cloudy
Something of Value|has_genre|Ballad
Une chambre en ville|has_tags|Nantes
"""


@pytest.fixture(scope="module")
def ask(asker: Asker, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    with small_graph(tmp_path_factory, "written", _SONGS) as source:
        yield asker(source)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who is Up! sung by?", ["Ada Moss"]),
        ("By whom was Up! sung?", ["Ada Moss"]),
        ("Who sung Up?", ["Ben Reed"]),
        ("By whom was C sung?", ["Dan Holt"]),
        ("Who is the one that has sung In Hell?", ["Eva Pike"]),
        ("Who sung the Sky?", ["Gus Bell"]),
        ("Who sung Salt 'n' Sea?", ["Hal Frost"]),
        ("Guess Who was sung by whom?", ["Ida Stone"]),
        ("The Shopping List, by whom was it sung?", ["Jan Wood"]),
        ("By whom was Show and Tell sung?", ["Kim Hart"]),
        ("Who sung Rome When It Rains?", ["Lea Mint"]),
        ("Who sung More Dead Than Gone?", ["Max Nord"]),
        ("Cry If You Can, by whom was it sung?", ["Ned Opal"]),
    ],
)
def test_the_writing_decides(ask: Ask, question: str, expected: list[str]) -> None:
    answer = ask(question)
    assert [item.label for item in answer.results] == expected, answer.text


def test_what_something_is_may_be_a_relation_of_it(ask: Ask) -> None:
    answer = ask("what genre is Something of Value")
    assert [item.label for item in answer.results] == ["Ballad"], answer.text


def test_a_title_may_have_one_capital(ask: Ask) -> None:
    answer = ask("Can you give a few words describing what Une chambre en ville is about?")
    assert [item.label for item in answer.results] == ["Nantes"], answer.text


def test_an_order_asks_for_what_a_thing_has(ask: Ask) -> None:
    assert [item.label for item in ask("Describe the Sky.").results] == ["cloudy"]


@pytest.mark.parametrize(
    ("text", "requests"),
    [
        ("The Bucket List, when was it released?", ["The Bucket List, when was it released?"]),
        ("Who wrote Kiss and Tell?", ["Who wrote Kiss and Tell?"]),
        ("who wrote Tomorrow, When the War Began", ["who wrote Tomorrow, When the War Began"]),
        (
            "Who Was the Director of Jaws and When Was It Released",
            ["Who Was the Director of Jaws and", "When Was It Released"],
        ),
        ("Who rules Spain? Where was he born?", ["Who rules Spain?", "Where was he born?"]),
    ],
)
def test_words_that_ask_may_be_part_of_a_name(text: str, requests: list[str]) -> None:
    question = analyse(text)
    assert [question.raw(one.start, one.end) for one in question.requests] == requests


def test_a_capital_alone_does_not_take_the_question_away() -> None:
    (request,) = analyse("In 1990 Who was the president?").requests
    assert request.wanted == "person"
