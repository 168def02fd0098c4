"""The opened core behind the node, without ROS."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

import pytest

from robodata_core.belief import MapSource, WorldSource
from robodata_core.cancellation import CancelToken
from robodata_core.config import load_settings
from robodata_core.errors import ConfigurationError
from robodata_core.events import RunEvent
from robodata_core.model import Entity
from robodata_core.sources.base import KnowledgeSource
from robodata_core.store.open import open_graph
from robodata_ros.codes import Code
from robodata_ros.logs import RosLog
from robodata_ros.runtime import Asked, Runtime
from tests.core.belief.worlds import Clock, at, empty_map, see
from tests.core.store.endpoint import Endpoint

QUESTIONS = ("What is a knife made of?", "What is the capital of Canada?")


def ask(runtime: Runtime, question: str) -> Asked:
    events: list[RunEvent] = []
    return runtime.ask(question, CancelToken(), events.append)


def test_a_local_graph_in_memory_is_given_up_when_it_is_too_large() -> None:
    runtime = Runtime(load_settings(), 1, max_graph=1)
    try:
        sizes = []
        for question in (*QUESTIONS, *QUESTIONS):
            asked = ask(runtime, question)
            assert asked.code is Code.NONE and asked.answer is not None and asked.answer.results
            sizes.append(runtime.graphs[0].edge_count)
        assert sizes == [1, 0, 1, 0]
    finally:
        runtime.close()


def test_what_was_dropped_from_a_local_graph_counts_as_well() -> None:
    clock = Clock()
    belief = empty_map(clock)
    see(belief, clock, at("cup", 2.0, 2.0, id_="cup_1"))

    def seen(sources: Sequence[KnowledgeSource]) -> WorldSource:
        return WorldSource(MapSource(belief, {"cup": Entity("Q81727", "cup")}.get), sources)

    runtime = Runtime(load_settings(), 1, max_graph=30, see=seen)
    try:
        first, sizes = runtime.graphs[0], []
        while runtime.graphs[0] is first and len(sizes) < 30:
            asked = ask(runtime, "Where is cup 1?")
            assert asked.answer is not None and asked.answer.results
            sizes.append(first.edge_count)
        assert runtime.graphs[0] is not first
        assert len(sizes) > 1 and 0 < max(sizes) < 30
    finally:
        runtime.close()


def test_a_local_graph_on_disk_stays(tmp_path: Path) -> None:
    runtime = Runtime(load_settings(store=str(tmp_path / "graph")), 1, max_graph=1)
    try:
        for question in QUESTIONS:
            assert ask(runtime, question).code is Code.NONE
        assert runtime.graphs[0].edge_count == 2
    finally:
        runtime.close()
    with pytest.raises(ConfigurationError):
        Runtime(load_settings(store=str(tmp_path / "graph")), 2)


def test_a_graph_at_a_server_is_shared_by_all_runs() -> None:
    with Endpoint() as server:
        runtime = Runtime(load_settings(store=f"sparql:{server.url}"), 2, max_graph=1)
        try:
            for question in QUESTIONS:
                asked = ask(runtime, question)
                assert asked.code is Code.NONE and asked.answer is not None
                assert asked.answer.results
        finally:
            runtime.close()
        with open_graph(load_settings(store=f"sparql:{server.url}")) as graph:
            assert graph.edge_count == 2


def test_runs_at_the_same_time_have_a_graph_each() -> None:
    runtime = Runtime(load_settings(), 3)
    try:
        assert len({id(graph) for graph in runtime.graphs}) == 3
        assert ask(runtime, QUESTIONS[0]).code is Code.NONE
        assert sum(graph.edge_count for graph in runtime.graphs) == 1
    finally:
        runtime.close()
        runtime.close()


class Told:
    """A ROS logger that keeps what it is told."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, str]] = []

    def error(self, text: str) -> None:
        self.lines.append(("error", text))

    def warning(self, text: str) -> None:
        self.lines.append(("warning", text))

    def info(self, text: str) -> None:
        self.lines.append(("info", text))

    def debug(self, text: str) -> None:
        self.lines.append(("debug", text))


def test_the_cores_log_is_told_in_sentences_and_traces_for_debugging(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "sk-0123456789")
    told = Told()
    log = RosLog(told)
    core = logging.getLogger("robodata.core")
    monkeypatch.setattr(core, "propagate", True)  # with launch installed, new loggers keep it all
    log.attach()
    try:
        core.warning("Slow: %s s, sk-0123456789.", 3)
        try:
            raise ValueError("no, sk-0123456789")
        except ValueError:
            core.exception("It failed.")
    finally:
        log.detach()
    core.error("Nobody hears this.")
    assert told.lines[:2] == [("warning", "Slow: 3 s, [removed]."), ("error", "It failed.")]
    ((level, trace),) = told.lines[2:]
    assert level == "debug" and "ValueError: no, [removed]" in trace


def test_conversations_are_held_by_id_whichever_run_is_free() -> None:
    runtime = Runtime(load_settings(), 2)

    def said(question: str, conversation: str) -> str:
        asked = runtime.ask(question, CancelToken(), lambda event: None, conversation)
        assert asked.answer is not None
        return asked.answer.understood_as

    try:
        for name, country in (("one", "Canada"), ("two", "Russia")):
            assert said(f"Who is the head of state of {country}?", name) == ""
        for _ in range(3):
            assert said("What is its continent?", "one") == "What is the continent of Canada (Q16)?"
        assert "Russia (Q159)" in said("What is its continent?", "two")
        assert said("What is its continent?", "three") == ""
    finally:
        runtime.close()


def test_conversations_are_few_and_the_one_unused_longest_is_forgotten() -> None:
    runtime = Runtime(load_settings(), 1)

    def said(question: str, conversation: str) -> str:
        asked = runtime.ask(question, CancelToken(), lambda event: None, conversation)
        assert asked.answer is not None
        return asked.answer.understood_as

    try:
        for name in ("old", "kept"):
            said("What is the capital of Canada?", name)
        for number in range(63):
            said("hello", f"c{number}")
            if number == 30:
                said("hello", "kept")
        assert "Canada (Q16)" in said("Who is its head of state?", "kept")
        assert said("Who is its head of state?", "old") == ""
    finally:
        runtime.close()


def test_a_conversation_has_one_question_at_a_time() -> None:
    runtime = Runtime(load_settings(), 2)
    seen: list[Asked] = []

    def meanwhile(event: RunEvent) -> None:
        if not seen:
            token = CancelToken()
            seen.append(runtime.ask("hello", token, lambda event: None, "one"))

    try:
        first = runtime.ask("What is the capital of Canada?", CancelToken(), meanwhile, "one")
        assert first.code is Code.NONE
        assert [one.code for one in seen] == [Code.BUSY]
        assert runtime.ask("thanks", CancelToken(), meanwhile, "one").code is Code.NONE
    finally:
        runtime.close()
