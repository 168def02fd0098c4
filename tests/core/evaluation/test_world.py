"""Questions of the paper over the whole world, with more names and relations than the sample."""

from __future__ import annotations

import pytest

from robodata_core import RoboData
from robodata_core.evaluation.paper import paper_questions
from robodata_core.model import Answer, AnswerStatus, EntityValue, Value
from robodata_core.sources.base import QueryLimits

#: The paper's question B2 from another class than the root.
_BELOW = (
    "Explore the ontology: Start from {start} and list all direct subclasses. "
    "Then for each subclass, list its direct subclasses"
)
_ALL = QueryLimits(rows=100_000)


def _given(answer: Answer) -> set[Value]:
    return {EntityValue(item.value.id) for item in answer.results if hasattr(item.value, "id")}


@pytest.mark.parametrize(
    "number",
    [
        "A3",  # a name without its small words that is another name of what is meant
        "B1",  # neighbours by any relation, of what an id names
    ],
)
def test_the_papers_questions_stay_answered(number: str) -> None:
    asked = next(one for one in paper_questions() if one.id == number)
    with RoboData.open(source="snapshot:world", policy="offline") as data:
        answer = data.ask(asked.question)
        gold = {row[0] for row in data.source.sparql(asked.gold).rows}
    assert gold
    assert _given(answer) == gold


@pytest.mark.parametrize(
    ("start", "id_"),
    [("musical instrument", "Q34379"), ("creative work", "Q386724"), ("landform", "Q271669")],
)
def test_every_class_of_a_level_is_gone_on_from(start: str, id_: str) -> None:
    two = f"SELECT DISTINCT ?x WHERE {{ ?x wdt:P279/wdt:P279 wd:{id_} }}"
    one = f"SELECT DISTINCT ?x WHERE {{ ?x wdt:P279 wd:{id_} }}"
    with RoboData.open(source="snapshot:world", policy="offline") as data:
        answer = data.ask(_BELOW.format(start=start))
        levels = [{row[0] for row in data.source.sparql(query).rows} for query in (one, two)]
    assert len(levels[0]) > 10 and levels[1] - levels[0]
    assert answer.status is AnswerStatus.ANSWERED
    assert _given(answer) == levels[0] | levels[1]


def test_a_level_of_more_than_can_be_fetched_is_given_in_part() -> None:
    """Two levels below the root are thousands of classes (B2): the first one is whole."""
    asked = next(one for one in paper_questions() if one.id == "B2")
    first = "SELECT DISTINCT ?x WHERE { ?x wdt:P279 wd:Q35120 }"
    with RoboData.open(source="snapshot:world", policy="offline") as data:
        answer = data.ask(asked.question)
        gold = {row[0] for row in data.source.sparql(asked.gold, limits=_ALL).rows}
        level = {row[0] for row in data.source.sparql(first, limits=_ALL).rows}
    given = _given(answer)
    assert answer.status is AnswerStatus.PARTIAL
    assert level <= given < gold
    assert len(given - level) > 500
