"""The calls of one decision as they are carried out: which of them may run at the same time."""

from __future__ import annotations

import contextvars
import queue
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

from robodata_core.tools.base import ToolCall


@dataclass(frozen=True, slots=True)
class Job:
    """A numbered call with what is known about it."""

    call: ToolCall
    key: str
    writes: bool
    local: bool
    texts: frozenset[str]

    @property
    def names(self) -> frozenset[str]:
        """The named results (``$x``) it reads or writes."""
        return frozenset(text for text in self.texts if text.startswith("$"))

    def waits_for(self, other: Job) -> bool:
        """Tell whether ``other``, asked for before, must have ended first."""
        if self.writes or self.key == other.key:
            return True  # a call repeated at once is answered like its elder
        # A name may be given without its dollar sign where a result is stored.
        return any(name in other.texts or name[1:] in other.texts for name in self.names)


def groups(jobs: Sequence[Job]) -> Iterator[list[Job]]:
    """Split calls into groups that may run at the same time; their order is kept."""
    group: list[Job] = []
    for job in jobs:
        if group and (group[-1].writes or any(job.waits_for(other) for other in group)):
            yield group
            group = []
        group.append(job)
    if group:
        yield group


def texts(arguments: Any) -> Iterator[str]:
    """Yield every string in a call's arguments, at any depth."""
    if isinstance(arguments, str):
        yield arguments
    elif isinstance(arguments, Mapping):
        for item in arguments.values():
            yield from texts(item)
    elif isinstance(arguments, (list, tuple)):
        for item in arguments:
            yield from texts(item)


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
