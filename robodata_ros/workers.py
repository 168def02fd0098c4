"""Work in threads, a bounded number at a time, that ends when it is told to or its time is over.

A job gets a ``CancelToken``; most work heeds it within moments. Work that does not (a source that
does not answer) is given up after ``GRACE`` seconds: whoever waits gets its end, and the thread
keeps its place until it is really over. No ROS in here.
"""

from __future__ import annotations

import logging
import math
import queue
import threading
import time
from collections.abc import Callable
from typing import Any, Final

from robodata_core.cancellation import CancelToken
from robodata_core.errors import CancelledError, DeadlineExceededError

__all__ = ["GRACE", "Job", "Workers"]

_log = logging.getLogger("robodata.ros")

GRACE: Final = 0.3
"""Seconds between a cancel or a deadline and giving up on work that does not heed it."""


class Job:
    """A piece of work under way.

    Attributes:
        token: What the work asks whether to go on.
        started: When it began, on the monotonic clock.
    """

    def __init__(self, budget: float | None, on_done: Callable[[Any], None]) -> None:
        self.token = CancelToken(budget)
        self.started = time.monotonic()
        self.deadline = None if budget is None else self.started + budget
        self.cancelled_at: float | None = None
        self.over = False
        self._on_done = on_done
        self._lock = threading.Lock()

    @property
    def elapsed(self) -> float:
        """Seconds since it began."""
        return time.monotonic() - self.started

    @property
    def give_up_at(self) -> float | None:
        """When to stop waiting for it."""
        moments = [at for at in (self.deadline, self.cancelled_at) if at is not None]
        return min(moments) + GRACE if moments else None

    def finish(self, outcome: Any) -> None:
        """Hand over the outcome; only the first one counts."""
        with self._lock:
            if self.over:
                return
            self.over = True
        try:
            self._on_done(outcome)
        except Exception:  # the thread goes on to serve others
            _log.exception("The outcome of a job could not be handed over.")


_Work = tuple[Job, Callable[[CancelToken], Any]]


class Workers:
    """Runs jobs, at most ``limit`` at a time. Thread-safe.

    Threads are started when they are needed and wait for further jobs, because starting one costs
    more than handing a job over.

    Args:
        limit: How many.
        name: What their threads are called.
        waiting: How many further ones may wait for their turn, first come, first served. Their
            time runs while they wait.
    """

    def __init__(self, limit: int, name: str, waiting: int = 0) -> None:
        self._limit = limit
        self._most = limit + waiting
        self._name = name
        self._changed = threading.Condition()
        self._jobs: set[Job] = set()
        self._threads: list[threading.Thread] = []
        self._busy = 0
        self._stopped = False
        self._handed: queue.SimpleQueue[_Work | None] = queue.SimpleQueue()
        self._looks_at = math.inf
        self._watchdog = threading.Thread(target=self._watch, name=f"{name}-watch", daemon=True)
        self._watchdog.start()

    @property
    def busy(self) -> int:
        """How many jobs are under way or wait."""
        with self._changed:
            return self._busy

    def start(
        self,
        work: Callable[[CancelToken], Any],
        budget: float | None,
        on_done: Callable[[Any], None],
    ) -> Job | None:
        """Begin a job, or return None if as many as allowed are under way and waiting.

        Args:
            work: What to do.
            budget: Seconds it may take.
            on_done: Called once, from some thread, with what ``work`` returned, or with the
                exception that ended it.
        """
        job = Job(budget, on_done)
        with self._changed:
            if self._stopped or self._busy >= self._most:
                return None
            self._busy += 1
            self._jobs.add(job)
            # The watchdog is woken only for what it would miss: it competes with the work.
            if (job.give_up_at or math.inf) < self._looks_at:
                self._changed.notify()
            if len(self._threads) < min(self._busy, self._limit):
                self._add_thread()
        self._handed.put((job, work))
        return job

    def cancel(self, job: Job) -> None:
        """Ask a job to stop."""
        job.token.cancel()
        with self._changed:
            if job.cancelled_at is None:
                job.cancelled_at = time.monotonic()
            self._changed.notify()

    def cancel_all(self) -> None:
        """Ask every job to stop."""
        with self._changed:
            jobs = tuple(self._jobs)
        for job in jobs:
            self.cancel(job)

    def stop(self, timeout: float = 2.0) -> bool:
        """Cancel everything, wait for it, and take no more.

        Returns:
            Whether all threads ended in time; the others are daemons and end with the process.
        """
        with self._changed:
            self._stopped = True
            threads = tuple(self._threads)
            self._changed.notify()
        for _ in threads:
            self._handed.put(None)
        self.cancel_all()
        end = time.monotonic() + timeout
        for thread in (*threads, self._watchdog):
            if thread is not threading.current_thread():
                thread.join(max(0.0, end - time.monotonic()))
        return not any(thread.is_alive() for thread in threads)

    def _add_thread(self) -> None:
        thread = threading.Thread(target=self._serve, name=self._name, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _serve(self) -> None:
        while (handed := self._handed.get()) is not None:
            job, work = handed
            outcome: Any
            try:
                job.token.check()  # it may have waited for too long, or been cancelled meanwhile
                outcome = work(job.token)
            except BaseException as error:
                outcome = error
            # The place is free before anybody hears that the job is over: who hears it may ask
            # again.
            with self._changed:
                self._busy -= 1
                self._jobs.discard(job)
                if self._stopped:
                    self._changed.notify()
            job.finish(outcome)
            # Waiting for the next job must not keep what the last one was about.
            del handed, job, work, outcome

    def _watch(self) -> None:
        while True:
            with self._changed:
                if self._stopped and not self._jobs:
                    return
                now = time.monotonic()
                moments = [at for job in self._jobs if (at := job.give_up_at) is not None]
                self._looks_at = min(moments, default=math.inf)
                if self._looks_at > now:
                    self._changed.wait(None if math.isinf(self._looks_at) else self._looks_at - now)
                    continue
                late = [job for job in self._jobs if (job.give_up_at or math.inf) <= now]
                self._jobs.difference_update(late)
            for job in late:
                self._give_up(job)

    @staticmethod
    def _give_up(job: Job) -> None:
        asked = job.cancelled_at is not None
        message = "It was cancelled." if asked else "The time for it ran out."
        kind = CancelledError if asked else DeadlineExceededError
        job.token.cancel()
        job.finish(kind(message))
