"""How good the answers are on the development questions (gold computed from the facts).

The questions were used to tune the policy, so this is a floor against falling back, not a measure
of how well it does on questions it has never seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from robodata_core.model import Answer, EntityValue, QuantityValue, ResultItem, TimeValue, TruthKind
from robodata_core.sources.base import QueryLimits
from robodata_core.sources.snapshot import SnapshotSource
from robodata_core.values import iso_time

from .conftest import Ask

_FILE = Path(__file__).with_name("questions_dev.tsv")


def _questions() -> list[tuple[str, frozenset[str], str]]:
    lines = [line for line in _FILE.read_text(encoding="utf-8").splitlines() if line[:1] != "#"]
    rows = [line.split("\t") for line in lines[1:]]
    return [(text, frozenset(gold.split("|")) - {"-"}, kind) for text, gold, kind in rows]


_QUESTIONS = _questions()


class _Answers(Mapping[str, Answer]):
    """The answers to all development questions, each asked when it is first wanted."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._known: dict[str, Answer] = {}

    def __getitem__(self, text: str) -> Answer:
        if text not in self._known:
            self._known[text] = self._ask(text)
        return self._known[text]

    def __iter__(self) -> Iterator[str]:
        return iter(text for text, _, _ in _QUESTIONS)

    def __len__(self) -> int:
        return len(_QUESTIONS)


@pytest.fixture(scope="module")
def answers(ask: Ask) -> Mapping[str, Answer]:
    return _Answers(ask)


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, EntityValue):
        return value.id
    if isinstance(value, TimeValue):
        return iso_time(value)
    if isinstance(value, QuantityValue):
        return f"{value.amount.normalize():f}"
    return str(value)


def _plain(result: ResultItem) -> str:
    return _value(result.value)


def _f1(answer: Answer, gold: frozenset[str]) -> float:
    found = {_plain(result) for result in answer.results}
    if not gold:
        return float(answer.status.value == "unknown")
    right = len(found & gold)
    return 2 * right / (len(found) + len(gold))


@pytest.mark.parametrize("kind", sorted({kind for _, _, kind in _QUESTIONS}))
def test_development_questions_are_answered(answers: Mapping[str, Answer], kind: str) -> None:
    scores = {text: _f1(answers[text], gold) for text, gold, own in _QUESTIONS if own == kind}
    wrong = {text: score for text, score in scores.items() if score < 0.99}
    assert sum(scores.values()) / len(scores) >= 0.7, wrong


def test_nearly_all_are_answered_and_hardly_any_wrongly(answers: Mapping[str, Answer]) -> None:
    scores = {text: _f1(answers[text], gold) for text, gold, _ in _QUESTIONS}
    unknown = {text for text in scores if answers[text].status.value == "unknown"}
    wrong = {text for text, score in scores.items() if score < 0.99} - unknown
    assert sum(scores.values()) / len(scores) >= 0.85
    assert len(wrong) <= 0.01 * len(scores), wrong


def test_every_claim_of_every_answer_holds(answers: Mapping[str, Answer]) -> None:
    for text, answer in answers.items():
        assert all(claim.supported for claim in answer.claims), text
        absent = TruthKind.ABSENT
        assert all(claim.support or claim.kind is absent for claim in answer.claims), text
        named = {value for c in answer.claims for e in c.support.evidence
                 for value in (EntityValue(e.triple.subject), e.triple.object)}  # fmt: skip
        for result in answer.results:
            if not isinstance(result.value, (bool, int)):
                assert result.value in named, text


def test_every_answer_gives_its_program_in_words_and_as_a_query_with_the_same_result(
    answers: Mapping[str, Answer], sample: SnapshotSource
) -> None:
    asked = 0
    for text, answer in answers.items():
        assert bool(answer.program) is (answer.status.value != "unknown"), text
        if not answer.program:
            continue
        found: set[str] = set()
        for query in answer.sparql.split("\n\n"):
            result = sample.sparql(query, limits=QueryLimits(5_000, 60.0))
            if result.boolean is not None:
                found.add(_value(result.boolean))
            found |= {_value(row[0]) for row in result.rows if row[0] is not None}
        # A query tells of direct values only: a time to the day it is written with, no units.
        given = {_plain(item) for item in answer.results}
        assert {item[:10] for item in found} == {item[:10] for item in given}, (text, answer.sparql)
        asked += 1
    assert asked > 150
