"""Jobs in threads: bounded, cancelled, given up, stopped."""

from __future__ import annotations

import queue
import threading
from typing import Any

from robodata_core.cancellation import CancelToken
from robodata_core.errors import CancelledError, DeadlineExceededError
from robodata_ros.workers import Workers


def test_outcomes_and_errors_come_back_once() -> None:
    workers, done = Workers(1, "test"), queue.SimpleQueue[Any]()
    assert workers.start(lambda token: 42, 5.0, done.put) is not None
    assert done.get(timeout=10) == 42

    def fail(token: CancelToken) -> None:
        raise ValueError("no")

    assert workers.start(fail, None, done.put) is not None
    assert isinstance(done.get(timeout=10), ValueError)
    assert workers.stop()
    assert workers.start(lambda token: 1, None, done.put) is None
    assert done.empty()


def test_there_are_only_so_many_at_a_time() -> None:
    workers, done, go = Workers(2, "test"), queue.SimpleQueue[Any](), threading.Event()
    for _ in range(2):
        assert workers.start(lambda token: go.wait(10), None, done.put) is not None
    assert workers.start(lambda token: None, None, done.put) is None
    go.set()
    assert [done.get(timeout=10), done.get(timeout=10)] == [True, True]
    assert workers.start(lambda token: 3, None, done.put) is not None
    assert done.get(timeout=10) == 3
    assert workers.stop()


def test_a_token_is_heeded() -> None:
    workers, done = Workers(1, "test"), queue.SimpleQueue[Any]()
    job = workers.start(lambda token: token.wait(60.0), None, done.put)
    assert job is not None
    workers.cancel(job)
    assert isinstance(done.get(timeout=10), CancelledError)
    workers.start(lambda token: token.wait(60.0), 0.05, done.put)
    assert isinstance(done.get(timeout=10), DeadlineExceededError)
    assert workers.stop()


def test_work_that_heeds_nothing_is_given_up_but_keeps_its_place() -> None:
    workers, done, go = Workers(1, "test"), queue.SimpleQueue[Any](), threading.Event()
    job = workers.start(lambda token: go.wait(60), None, done.put)
    assert job is not None
    workers.cancel(job)
    assert isinstance(done.get(timeout=10), CancelledError)
    assert workers.start(lambda token: None, None, done.put) is None
    go.set()
    assert workers.stop()
    assert done.empty()


def test_a_deadline_gives_up_too() -> None:
    workers, done, go = Workers(1, "test"), queue.SimpleQueue[Any](), threading.Event()
    workers.start(lambda token: go.wait(60), 0.05, done.put)
    assert isinstance(done.get(timeout=10), DeadlineExceededError)
    go.set()
    assert workers.stop()
