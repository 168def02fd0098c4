"""Questions one after the other on one local graph: what is there already changes no answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from robodata_core import RoboData
from robodata_core.config import load_settings
from robodata_core.evaluation.datasets import load_questions
from robodata_core.model import Answer, AnswerStatus
from robodata_core.store.graph import LocalGraph

DEVELOPMENT = Path(__file__).with_name("questions_dev.tsv")


def _told(answer: Answer) -> tuple[AnswerStatus, frozenset[str], bool]:
    results = frozenset(str(result.value) for result in answer.results)
    return answer.status, results, all(claim.supported for claim in answer.claims)


@pytest.mark.parametrize("first", [0, 9])
def test_a_graph_that_has_grown_changes_no_answer(first: int) -> None:
    questions = [item.text for item in load_questions(DEVELOPMENT)][first::18]
    # A relation whose name begins another one's: "member of", "member of political party".
    questions += [
        "Who are members of the European Union?",
        "Which politicians belong to the Democratic Party?",
    ]
    with RoboData.open() as shared:
        for question in questions:
            # The same open source: only what is known locally is new.
            fresh = RoboData(load_settings(), shared.source, LocalGraph.in_memory())
            assert _told(shared.ask(question)) == _told(fresh.ask(question)), question


def test_a_word_for_less_than_a_relation_is_no_full_answer() -> None:
    with RoboData.open() as robodata:
        head = robodata.ask("Who is the head of state of Canada?")
        president = robodata.ask("Who is the president of Canada?")
    assert head.status is AnswerStatus.ANSWERED
    assert president.status is AnswerStatus.PARTIAL
    assert "head of state" in president.text + " ".join(president.missing)


def test_a_relation_is_not_turned_round_where_its_own_way_gives_nothing() -> None:
    # The sample has French writers among those who influenced him, none among those he influenced.
    with RoboData.open() as robodata:
        answer = robodata.ask("Which French writers were influenced by Fyodor Dostoyevsky?")
    assert answer.status is AnswerStatus.UNKNOWN
    assert not answer.results


def test_a_pronoun_for_what_is_asked_for_is_not_guessed_at() -> None:
    with RoboData.open() as robodata:
        bound = robodata.ask("Who studied in Vienna where he was born?")
        named = robodata.ask("When was Olof Palme born, and when did he die?")
    assert bound.status is AnswerStatus.UNKNOWN
    assert "“he”" in bound.text
    assert named.status is AnswerStatus.ANSWERED
