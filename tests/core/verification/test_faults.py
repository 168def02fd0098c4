"""Verification under bad conditions: sources that fail, runs that are stopped, huge hubs."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyoxigraph as ox
import pytest

from robodata_core import RoboData
from robodata_core.cancellation import CancelToken
from robodata_core.errors import ConfigurationError, SourceError, SourceRefusedError
from robodata_core.events import RunEnded, RunEvent, StateEntered, ToolReturned
from robodata_core.journal import read
from robodata_core.model import AnswerStatus
from robodata_core.sources.snapshot.loading import write_snapshot
from robodata_core.verification.verdict import Judgement
from tests.core.verification.conftest import CITIZEN, PREFIXES, country, person
from tests.core.verification.test_verdicts import stands


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


class Failing:
    """A source that is there for some calls and then no longer."""

    def __init__(self, source: Any, method: str, after: int) -> None:
        self._source, self._method, self._left = source, method, after
        self.name = source.name

    def __getattr__(self, name: str) -> Any:
        real = getattr(self._source, name)
        if name != self._method:
            return real

        def call(*args: Any, **options: Any) -> Any:
            self._left -= 1
            if self._left < 0:
                raise SourceRefusedError("The source cannot be reached.")
            return real(*args, **options)

        return call


@pytest.mark.parametrize("method", ["statements", "entities", "sparql", "statements_many"])
@pytest.mark.parametrize("after", [0, 1, 2, 5, 20])
def test_a_source_that_fails_ends_in_a_status(robodata: RoboData, method: str, after: int) -> None:
    robodata.source = Failing(robodata.source, method, after)  # type: ignore[assignment]
    try:
        verdict = robodata.verify(person(11), CITIZEN, country(11), without_itself=True)
    except SourceError:
        return  # not even the names could be read
    if verdict.status is AnswerStatus.FAILED:
        assert verdict.judgement is Judgement.UNKNOWN
        assert "cannot be reached" in verdict.explanation
        assert isinstance(robodata.failure, SourceRefusedError)
    assert stands(verdict, robodata)


def test_a_cancelled_verification_says_so(robodata: RoboData) -> None:
    token = CancelToken()
    token.cancel()
    verdict = robodata.verify("Land 3", "capital", "Town 3 0", cancel=token)
    assert (verdict.status, verdict.judgement) == (AnswerStatus.CANCELLED, Judgement.UNKNOWN)


def test_cancelling_in_the_middle_keeps_what_was_told(robodata: RoboData) -> None:
    token = CancelToken()
    events: list[RunEvent] = []

    def watch(event: RunEvent) -> None:
        events.append(event)
        if isinstance(event, ToolReturned):
            token.cancel()

    verdict = robodata.verify(person(11), CITIZEN, country(11), on_event=watch, cancel=token)
    assert verdict.status is AnswerStatus.CANCELLED
    assert isinstance(events[-1], RunEnded)


def test_cancelling_after_the_judgement_keeps_what_was_measured(robodata: RoboData) -> None:
    token = CancelToken()

    def watch(event: RunEvent) -> None:
        if isinstance(event, StateEntered) and event.state == "LOCAL_GRAPH_UPDATE":
            token.cancel()

    verdict = robodata.verify("Land 3", "capital", "Town 3 0", on_event=watch, cancel=token)
    assert (verdict.status, verdict.judgement) == (AnswerStatus.CANCELLED, Judgement.UNKNOWN)
    assert verdict.explanation.startswith("The run was cancelled.")
    assert [reason.kind for reason in verdict.reasons] == ["stated"]
    assert (verdict.confidence, verdict.evidence) == (0.0, ())


def test_a_deadline_ends_it(robodata: RoboData) -> None:
    verdict = robodata.verify("Land 3", "capital", "Town 3 0", time_budget=1e-9)
    assert verdict.judgement is Judgement.UNKNOWN
    assert "ran out" in verdict.explanation


def test_one_turn_is_too_few_and_said_to_be(folder: Path) -> None:
    with RoboData.open(source=f"snapshot:{folder}", max_turns=1) as robodata:
        verdict = robodata.verify("Land 3", "capital", "Town 3 0")
        assert verdict.judgement is Judgement.UNKNOWN


def test_a_run_is_journaled_like_any_other(folder: Path, tmp_path: Path) -> None:
    with RoboData.open(source=f"snapshot:{folder}", journal=str(tmp_path)) as robodata:
        verdict = robodata.verify("Land 3", "capital", "Town 3 0")
    (path,) = tmp_path.glob("*.jsonl")
    assert path.stem == verdict.run_id
    assert isinstance(list(read(path))[-1], RunEnded)


def test_a_calibration_that_cannot_be_read_is_told(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text('{"file": "something else"}')
    for name in ("c.json", "missing.json"):
        with (
            RoboData.open(source=f"snapshot:{folder}", calibration=str(tmp_path / name)) as opened,
            pytest.raises(ConfigurationError, match="calibration"),
        ):
            opened.verify("Land 3", "capital", "Town 3 0")


def test_hubs_are_bounded(tmp_path: Path) -> None:
    """Twelve thousand things at one hub, each with a kind: judged from a part, which is told."""
    count = 24_000
    lines = [PREFIXES, 'wd:P1 rdfs:label "kind"@en . wd:P2 rdfs:label "at"@en .']
    for n in range(count):
        lines.append(f"wd:Q{n + 100} wdt:P1 wd:Q{n % 7 + 1} ; wdt:P2 wd:Q50 .")
    quads = ox.parse("\n".join(lines).encode(), format=ox.RdfFormat.TRIG)
    write_snapshot(quads, tmp_path / "hub", name="hub")
    with RoboData.open(source=f"snapshot:{tmp_path / 'hub'}") as robodata:
        verdict = robodata.verify("Q100", "P2", "Q50", without_itself=True, decide=True)
        assert verdict.judgement in (Judgement.SUPPORTED, Judgement.REFUTED)
        assert any("of its statements" in note for note in verdict.notes)
        assert stands(verdict, robodata)
        assert robodata.verify("Q100", "P1", "Q1").confidence == 1.0
        wrong = robodata.verify("Q100", "P1", "Q2")
        assert wrong.judgement is Judgement.REFUTED
        assert stands(wrong, robodata)
