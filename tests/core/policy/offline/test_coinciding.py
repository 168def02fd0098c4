"""Two relations of one thing that lead to the same: "who died where they were born"."""

from __future__ import annotations

import pytest

from robodata_core.model import AnswerStatus, EntityValue
from robodata_core.policy.offline.coinciding import read_same
from robodata_core.sources.base import QueryLimits
from robodata_core.sources.snapshot import SnapshotSource

from .conftest import Ask

_DIED_AT_HOME = """
SELECT DISTINCT ?x WHERE { ?x wdt:P19 ?place . ?x wdt:P20 ?place %s }
"""
_WRITERS = "?x wdt:P106/wdt:P279* wd:Q36180"


def _known(source: SnapshotSource, more: str = "") -> set[str]:
    limits = QueryLimits(1_000, 60.0)
    rows = source.sparql(_DIED_AT_HOME % (f". {more}" if more else ""), limits=limits).rows
    return {row[0].id for row in rows if isinstance(row[0], EntityValue)}


@pytest.mark.parametrize(
    "question",
    [
        "Who died where he was born?",
        "Who died in the same city they were born in?",
        "Which people were born and died in the same place?",
        "Name the people who died in the town of their birth.",
        "people whose place of birth and place of death are the same",
        "Which persons have the same place of birth and death?",
        "who died in their birthplace",
        "Who passed away in the city of his birth?",
        "List people who died in their native city",
        "Which people died in their home town?",
        "Which people died in the very city they had been born in?",
        "Tell me who died in the very same city in which he was born.",
    ],
)
def test_everybody_who_died_where_they_were_born(
    question: str, ask: Ask, sample: SnapshotSource
) -> None:
    answer = ask(question)
    found = {item.value.id for item in answer.results if isinstance(item.value, EntityValue)}
    assert answer.status is AnswerStatus.ANSWERED
    assert found == _known(sample)
    assert all(claim.supported for claim in answer.claims)


def test_of_a_class_only_its_own(ask: Ask, sample: SnapshotSource) -> None:
    answer = ask("Which writers died in the same city they were born in?")
    found = {item.value.id for item in answer.results if isinstance(item.value, EntityValue)}
    assert found == _known(sample, _WRITERS)
    result = sample.sparql(answer.sparql, limits=QueryLimits(1_000, 60.0))
    assert {row[0].id for row in result.rows if isinstance(row[0], EntityValue)} == found


def test_they_can_be_counted(ask: Ask, sample: SnapshotSource) -> None:
    answer = ask("How many people died in the city where they were born?")
    assert [item.value for item in answer.results] == [len(_known(sample))]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Did Harold Pinter die in the same city he was born in?", True),
        ("Did Harold Pinter die in his birthplace?", True),
        ("Are Harold Pinter's place of birth and place of death the same?", True),
        ("Did Walt Disney die where he was born?", False),
        ("Was Karl Popper's birthplace also his place of death?", False),
    ],
)
def test_one_alone_is_judged_by_both_facts(question: str, expected: bool, ask: Ask) -> None:
    answer = ask(question)
    assert [item.value for item in answer.results] == [expected]
    properties = {one.triple.predicate for claim in answer.claims for one in claim.support.evidence}
    assert properties == {"P19", "P20"}


def test_whether_there_is_any(ask: Ask) -> None:
    for question in (
        "Did any writer die in the same city he was born in?",
        "Is there anyone who died where they were born?",
    ):
        assert [item.value for item in ask(question).results] == [True]


def test_what_is_not_stated_is_not_judged(ask: Ask) -> None:
    answer = ask("Did Oscar Wilde die where he was born?")
    assert answer.status is AnswerStatus.UNKNOWN
    assert "states no place of birth" in answer.missing[0]


@pytest.mark.parametrize(
    "question",
    [
        "Who did not die where he was born?",
        "Who died in the same city as Franz Kafka?",
        "Which writers died in the city where Franz Kafka was born?",
        "Who died where she was born?",
        "Did Mozart die where Beethoven was born?",
        "Who was born in Vienna and died in London?",
        "Who was born in their father's native city?",
        "Which writers lived and died in Paris?",
    ],
)
def test_near_forms_are_not_taken_so(question: str) -> None:
    assert read_same(question) is None


def test_another_kind_of_place_is_not_taken_for_the_one_stated(ask: Ask) -> None:
    answer = ask("Which people died in the same country they were born in?")
    assert answer.status is AnswerStatus.UNKNOWN
