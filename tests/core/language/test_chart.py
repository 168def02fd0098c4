"""What the chart proposes on the embedded sample: the right reading is among its readings."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from robodata_core.cancellation import CancelToken
from robodata_core.errors import CancelledError
from robodata_core.language import Understanding
from robodata_core.language.meaning import AllOf, Except, Given, Holds, Number, Reach, lower
from robodata_core.language.text import read_text
from robodata_core.language.types import Reading
from robodata_core.model import Direction, EntityValue
from robodata_core.programs.executor import execute
from robodata_core.programs.steps import Count, Difference, Follow, Judge, Program, Start
from robodata_core.sources.snapshot import open_snapshot

_KANT = Given((EntityValue("Q9312"),))


@pytest.fixture(scope="module")
def understanding() -> Understanding:
    return Understanding(open_snapshot("wikidata-sample"))


def _proposed(understanding: Understanding, question: str) -> tuple[Reading, ...]:
    text = read_text(question)
    mentions = understanding.linker.mentions(text)
    evidence = understanding.relations.evidence(text)
    return understanding.proposer.propose(text, mentions, evidence)


def _answers(understanding: Understanding, question: str) -> Iterator[object]:
    for reading in _proposed(understanding, question):
        found = execute(reading.program, understanding.view.source)
        if found.boolean is not None:
            yield found.boolean
        elif found.number is not None:
            yield found.number
        else:
            yield frozenset(v.id if isinstance(v, EntityValue) else str(v) for v in found.values)


def _run(understanding: Understanding, query: str) -> frozenset[str]:
    rows = understanding.view.source.sparql(query).rows
    return frozenset(row[0].id for row in rows if isinstance(row[0], EntityValue))


@pytest.mark.parametrize(
    ("question", "query"),
    [
        (
            "Who influenced both Nietzsche and Kant?",
            "SELECT ?x { wd:Q9358 wdt:P737 ?x . wd:Q9312 wdt:P737 ?x }",
        ),
        (
            "Which rappers are from Brooklyn?",
            "SELECT ?x { ?x wdt:P19 wd:Q18419 ; wdt:P106 wd:Q2252262 }",
        ),
        (
            "Who was born before 1960?",
            'SELECT ?x { ?x wdt:P569 ?d . FILTER(?d < "1960-01-01T00:00:00Z"^^xsd:dateTime) }',
        ),
        (
            "Who has more than eight children?",
            "SELECT ?x { { SELECT ?x (COUNT(DISTINCT ?c) AS ?n) { ?x wdt:P40 ?c } GROUP BY ?x } "
            "FILTER(?n > 8) }",
        ),
        (
            "Which philosophers did Kant not influence?",
            "SELECT DISTINCT ?x { ?x (wdt:P31|wdt:P106)/wdt:P279* wd:Q4964182 . "
            "FILTER NOT EXISTS { ?x wdt:P737 wd:Q9312 } }",
        ),
    ],
)
def test_the_right_set_is_proposed(understanding: Understanding, question: str, query: str) -> None:
    wanted = _run(understanding, query)
    assert wanted
    assert wanted in set(_answers(understanding, question))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How many children does Joseph P. Kennedy Sr. have?", 9),
        ("Was Immanuel Kant a philosopher?", True),
        ("Was Douglas Adams born in Cambridge?", True),
        ("In which year was born Douglas Adams?", None),
    ],
)
def test_numbers_and_truths_are_proposed(
    understanding: Understanding, question: str, answer: object
) -> None:
    found = list(_answers(understanding, question))
    assert answer in found if answer is not None else found


def test_two_hops_need_two_words(understanding: Understanding) -> None:
    """Of "capital of the capital of France" no reading walks to the capital and stays there."""
    for question, most in (
        ("What is the capital of the capital of France?", 2),
        ("What is the capital of France?", 1),
    ):
        for reading in _proposed(understanding, question):
            used = [
                step
                for step in reading.program.steps
                if isinstance(step, Follow) and step.properties == ("P36",)
            ]
            assert len(used) <= most
    twice = "Who is the father of the father of Caroline Kennedy?"
    words = [
        [hop.words for hop in reading.hops]
        for reading in _proposed(understanding, twice)
        if len(reading.hops) == 2
    ]
    assert words
    assert all(not (first & second) for first, second in words)


def test_letter_case_changes_no_reading(understanding: Understanding) -> None:
    question = "Which philosophers influenced by Immanuel Kant were born before 1900?"
    programs = [
        {reading.program for reading in _proposed(understanding, form)}
        for form in (question, question.upper(), question.lower(), question.title())
    ]
    assert programs[0]
    assert all(found == programs[0] for found in programs)


def test_a_long_text_is_bounded_and_can_be_cancelled(understanding: Understanding) -> None:
    question = "Which philosophers who were influenced by Kant or Hume and born before 1900 " * 28
    assert len(question) > 2_000
    readings = _proposed(understanding, question)
    assert len(readings) <= 60
    cancel = CancelToken()
    cancel.cancel()
    text = read_text(question)
    mentions = understanding.linker.mentions(text)
    evidence = understanding.relations.evidence(text)
    with pytest.raises(CancelledError):
        understanding.proposer.propose(text, mentions, evidence, cancel=cancel)


def test_meanings_are_lowered_once() -> None:
    """Equal parts become one step, and the whole ends in what is asked."""
    influenced = Reach(_KANT, (("P737", Direction.IN),))
    both = lower(Number(AllOf((influenced, Except(influenced, _KANT)))))
    assert isinstance(both, Program)
    assert [type(step) for step in both.steps].count(Follow) == 1
    assert [type(step) for step in both.steps].count(Start) == 1
    assert any(isinstance(step, Difference) for step in both.steps)
    assert isinstance(both.steps[-2], Count)
    assert isinstance(lower(Holds(influenced)).steps[-2], Judge)


def test_a_graph_that_says_of_nothing_what_it_is() -> None:
    """Without relations to classes, or without any, the chart proposes what it can."""
    for question in ("Which tools are not in the kitchen?", "How many cups are in the kitchen?"):
        for name in ("household", "conceptnet-kitchen"):
            other = Understanding(open_snapshot(name))
            other.view.refresh()
            assert isinstance(_proposed(other, question), tuple)
            assert other.understand(question)
