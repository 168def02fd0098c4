"""The Python front door."""

from __future__ import annotations

import subprocess
import sys
import threading
import time

import pytest

from robodata_core import RoboData
from robodata_core.cancellation import CancelToken
from robodata_core.errors import ConfigurationError, InvalidRequestError
from robodata_core.events import AnswerReady, RunEnded, RunStarted
from robodata_core.model import AnswerStatus, EntityValue
from robodata_core.values import format_value
from tests.core._steps import steps

CAPITAL = "What is the capital of Canada?"


def test_open_ask_close() -> None:
    with RoboData.open() as robodata:
        answer = robodata.ask(CAPITAL)
    assert answer.status is AnswerStatus.ANSWERED
    assert [item.value for item in answer.results] == [EntityValue("Q1930")]
    assert [(item.id, item.label, item.datatype) for item in answer.results] == [
        ("Q1930", "Ottawa", "item")
    ]
    assert answer.claims[0].supported
    assert answer.claims[0].support.evidence[0].triple.subject == "Q16"
    assert "Ottawa" in answer.text


def test_stream_yields_the_run() -> None:
    with RoboData.open() as robodata:
        events = list(robodata.stream(CAPITAL))
    assert isinstance(events[0], RunStarted)
    assert isinstance(events[-1], RunEnded)
    assert [event.header.seq for event in events] == list(range(1, len(events) + 1))
    (ready,) = (event for event in events if isinstance(event, AnswerReady))
    assert ready.answer.status is AnswerStatus.ANSWERED


def test_leaving_a_stream_early_leaves_nothing_running() -> None:
    before = threading.active_count()
    with RoboData.open() as robodata:
        for _ in robodata.stream(CAPITAL):
            break
        assert robodata.ask(CAPITAL).status is AnswerStatus.ANSWERED
    # Threads of calls are told to end, not waited for.
    limit = time.monotonic() + 30
    while threading.active_count() > before and time.monotonic() < limit:
        time.sleep(0.01)
    assert threading.active_count() <= before


def test_a_cancelled_run_says_so() -> None:
    token = CancelToken()
    token.cancel()
    with RoboData.open() as robodata:
        assert robodata.ask(CAPITAL, cancel=token).status is AnswerStatus.CANCELLED
        assert robodata.ask(CAPITAL).status is AnswerStatus.ANSWERED


def test_a_run_out_of_time_claims_nothing_it_did_not_find() -> None:
    with RoboData.open() as robodata:
        answer = robodata.ask(CAPITAL, time_budget=1e-9)
    assert answer.status in (AnswerStatus.UNKNOWN, AnswerStatus.PARTIAL)
    assert answer.missing


def test_questions_from_several_threads_take_turns() -> None:
    answers = []
    with RoboData.open() as robodata:
        threads = [
            threading.Thread(target=lambda: answers.append(robodata.ask(CAPITAL))) for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert [answer.status for answer in answers] == [AnswerStatus.ANSWERED] * 4


def test_a_question_takes_no_more_steps_the_more_were_asked_before() -> None:
    named = "SELECT DISTINCT ?l { ?s wdt:P106 ?o ; rdfs:label ?l } ORDER BY ?l LIMIT 70"
    with RoboData.open(source="snapshot:wikidata-sample") as robodata:
        names = [format_value(row[0], str) for row in robodata.source.sparql(named).rows if row[0]]

        def ask(those: list[str]) -> None:
            for name in those:
                robodata.ask(f"What is the occupation of {name}?")

        ask(names[:10])
        early = steps(lambda: ask(names[10:20]))
        ask(names[20:-10])
        late = steps(lambda: ask(names[-10:]))
        assert robodata.store.edge_count > 300
    assert late < 1.1 * early, (early, late)


@pytest.mark.parametrize("question", ["", " \n", "…", "x" * 10_001])
def test_what_is_no_question_is_refused(question: str) -> None:
    with RoboData.open() as robodata:
        with pytest.raises(InvalidRequestError):
            robodata.ask(question)
        with pytest.raises(InvalidRequestError):
            robodata.stream(question)


@pytest.mark.parametrize(
    "settings",
    [{"policy": "llm"}, {"source": "nonsense"}, {"source": "sparql:nonsense"}, {"x": 1}],
)
def test_what_is_not_there_is_a_sentence(settings: dict[str, object]) -> None:
    with pytest.raises(ConfigurationError):
        RoboData.open(**settings)


def test_a_source_that_fails_shows_a_python_user_no_traceback() -> None:
    """In a process of its own: where no log is set up, Python shows warnings on stderr."""
    code = """
from robodata_core.api import RoboData
from robodata_core.errors import SourceRefusedError

with RoboData.open(source="snapshot:wikidata-sample") as robodata:
    def refuse(*_, **__):
        raise SourceRefusedError("It is gone.")
    for name in ("search", "search_written", "lookup_names", "relations", "statements"):
        setattr(robodata.source, name, refuse)
    answer = robodata.ask("Who wrote The Hitchhiker's Guide to the Galaxy?")
    print(answer.status.value, answer.text)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.startswith(("failed", "unknown")), done
    assert "gone" in done.stdout
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) <= 1
