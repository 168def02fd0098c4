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


def test_further_ones_wait_for_their_turn_within_their_time() -> None:
    workers, done, go = Workers(1, "test", waiting=2), queue.SimpleQueue[Any](), threading.Event()
    assert workers.start(lambda token: go.wait(10) and "first", None, done.put) is not None
    assert workers.start(lambda token: "second", None, done.put) is not None
    assert workers.start(lambda token: "never", 0.05, done.put) is not None
    assert workers.start(lambda token: "too many", None, done.put) is None
    # Whoever waits gets its end when its time is over, not when its turn comes.
    assert isinstance(done.get(timeout=10), DeadlineExceededError)
    go.set()
    assert [done.get(timeout=10), done.get(timeout=10)] == ["first", "second"]
    assert workers.stop()
    assert done.empty()


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
    begun = threading.Event()
    job = workers.start(lambda token: begun.set() or go.wait(60), None, done.put)
    assert job is not None and begun.wait(10)
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


def test_a_thread_serves_one_job_after_the_other() -> None:
    workers, done = Workers(3, "test"), queue.SimpleQueue[Any]()
    seen = set()
    for _ in range(20):
        assert workers.start(lambda token: threading.get_ident(), None, done.put) is not None
        seen.add(done.get(timeout=10))
    assert len(seen) <= 3
    assert workers.stop()


def test_whoever_cannot_take_an_outcome_stops_nobody_else() -> None:
    workers, done = Workers(1, "test"), queue.SimpleQueue[Any]()

    def fail(outcome: Any) -> None:
        done.put(outcome)
        raise RuntimeError("gone")

    for number in range(3):
        assert workers.start(lambda token, number=number: number, None, fail) is not None
        assert done.get(timeout=10) == number
    assert workers.stop()


def test_a_shorter_deadline_counts_beside_a_longer_one() -> None:
    workers, done, go = Workers(2, "test"), queue.SimpleQueue[Any](), threading.Event()
    assert workers.start(lambda token: go.wait(60), 3_600.0, lambda outcome: None) is not None
    assert workers.start(lambda token: go.wait(60), 0.05, done.put) is not None
    assert isinstance(done.get(timeout=10), DeadlineExceededError)
    go.set()
    assert workers.stop()


def test_stopping_ends_jobs_under_way_and_idle_threads() -> None:
    before = threading.active_count()
    workers, done = Workers(4, "test"), queue.SimpleQueue[Any]()
    for _ in range(4):
        assert workers.start(lambda token: token.wait(60.0), None, done.put) is not None
    assert workers.busy == 4
    assert workers.stop(timeout=10.0)
    assert all(isinstance(done.get(timeout=10), CancelledError) for _ in range(4))
    assert threading.active_count() == before
    assert workers.start(lambda token: 1, None, done.put) is None
