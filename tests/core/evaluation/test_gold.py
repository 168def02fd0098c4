"""The gold of the question files is what their queries give on the embedded sample, today."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from robodata_core.evaluation.datasets import load_questions
from robodata_core.sources.snapshot import SnapshotSource, open_snapshot

from .gold import computed, lines_of

TEST_HALF = Path(__file__).with_name("data") / "questions_test.tsv"
_DEVELOPMENT_QUERIES = TEST_HALF.with_name("questions_dev_queries.tsv")
_LINES = tuple(lines_of(TEST_HALF))
_DEVELOPMENT = Path(__file__).parent.parent / "policy" / "offline" / "questions_dev.tsv"


@pytest.fixture(scope="module")
def sample() -> Iterator[SnapshotSource]:
    with open_snapshot("wikidata-sample") as source:
        yield source


def test_expected_is_what_the_query_gives(sample: SnapshotSource) -> None:
    drifted = [line.question for line in _LINES if computed(line.query, sample) != line.expected]
    assert drifted == []


def test_the_development_half_is_what_its_queries_give(sample: SnapshotSource) -> None:
    text = _DEVELOPMENT_QUERIES.read_text("utf-8")
    rows = [line.split("\t") for line in text.splitlines() if line[0] != "#"][1:]
    lines = [line.split("\t") for line in _DEVELOPMENT.read_text("utf-8").splitlines()]
    expected = {line[0]: set(line[1].split("|")) for line in lines if len(line) >= 2}
    known = [(question, query) for question, query in rows if question in expected]
    assert len(known) >= 100
    drifted = [
        question
        for question, query in known
        if set(computed(query, sample).split("|")) != expected[question]
    ]
    assert drifted == []


def test_the_test_half_is_large_and_mixed() -> None:
    kinds = {line.kind for line in _LINES}
    assert len(_LINES) >= 90
    assert len(kinds) >= 15
    assert len({line.question.lower() for line in _LINES}) == len(_LINES)


def test_nothing_is_expected_only_where_the_kind_says_so() -> None:
    assert all((line.expected == "-") == (line.kind == "unknown") for line in _LINES)


def test_the_test_half_shares_no_question_with_the_development_half() -> None:
    known = {question.text.lower() for question in load_questions(_DEVELOPMENT)}
    assert known.isdisjoint(line.question.lower() for line in _LINES)


def test_the_test_half_says_that_it_is_not_for_tuning() -> None:
    assert "not for tuning" in TEST_HALF.read_text("utf-8").splitlines()[0]
