"""Threads for tool calls: few, and never in the way of a program that wants to end.

The standard executor waits for its threads when the interpreter exits, so one source that never
answers would hold up Ctrl+C for ever. These threads are daemons.
"""

from __future__ import annotations

import contextvars
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Generic, TypeVar

T = TypeVar("T")


class DaemonPool(Generic[T]):
    """Runs functions in at most ``size`` daemon threads, started when they are needed."""

    def __init__(self, size: int, name: str) -> None:
        self._size = size
        self._name = name
        self._queue: queue.SimpleQueue[tuple[Callable[[], T], Future[T]] | None]
        self._queue = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._threads = 0
        self._idle = 0

    def submit(self, job: Callable[[], T]) -> Future[T]:
        """Run ``job`` as soon as a thread is free, in the context of the caller."""
        job = partial(contextvars.copy_context().run, job)
        future: Future[T] = Future()
        with self._lock:
            if self._idle > 0:
                self._idle -= 1
            elif self._threads < self._size:
                self._threads += 1
                name = f"{self._name}-{self._threads}"
                threading.Thread(target=self._work, name=name, daemon=True).start()
        self._queue.put((job, future))
        return future

    def close(self) -> None:
        """Let the threads end after the jobs they are at; waits for none of them."""
        for _ in range(self._threads):
            self._queue.put(None)

    def _work(self) -> None:
        while (item := self._queue.get()) is not None:
            job, future = item
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(job())
                except BaseException as error:
                    future.set_exception(error)
            del job, future, item
            with self._lock:
                self._idle += 1
