"""Processes that ask items side by side; one that dies costs its question, never the run."""

from __future__ import annotations

import logging
import multiprocessing
import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from multiprocessing.connection import Connection, wait
from typing import Any, Final

from robodata_core.errors import ConfigurationError, RoboDataError
from robodata_core.evaluation._asking import Asker, failed
from robodata_core.evaluation.datasets import GoldDialogue, GoldItem
from robodata_core.evaluation.results import Row

__all__ = ["ask_all"]

# A question that does not mind its deadline is ended with its process, this much later.
_GRACE: Final = 10.0
_LOOK: Final = 1.0
# Processes that may end before their first question until the run is given up.
_MOST_UNBORN: Final = 5

Work = tuple[int, GoldItem]


def ask_all(
    work: Sequence[Work],
    settings: Mapping[str, Any],
    config: str | None,
    processes: int,
    timeout: float,
    turns_alone: bool = False,
) -> Iterator[tuple[Row, ...]]:
    """Ask all items, yielding each one's rows as they come.

    Args:
        work: Place in the data set and item.
        settings: Settings by name, for every process.
        config: Settings file.
        processes: How many; 1 asks in this process.
        timeout: Seconds a question may take.
        turns_alone: Whether the turns of a dialogue are asked each by itself.

    Raises:
        ConfigurationError: If what the settings name cannot be opened.
    """
    if processes <= 1:
        with Asker(settings, config, timeout, turns_alone) as asker:
            for place, item in work:
                yield asker.ask(item, place)
        return
    yield from _Crew(settings, config, timeout, turns_alone).run(work, min(processes, len(work)))


class _Worker:
    """One process and what it is doing."""

    def __init__(self, arguments: tuple[Any, ...]) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, *arguments), daemon=True)
        self.process.start()
        theirs.close()
        self.ready = False
        self.work: Work | None = None
        self.since = 0.0

    def give(self, work: Work) -> bool:
        """Hand work over; tells whether the process was there to take it."""
        try:
            self.pipe.send(work)
        except OSError:
            return False
        self.work, self.since = work, time.monotonic()
        return True

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()


class _Crew:
    def __init__(
        self, settings: Mapping[str, Any], config: str | None, timeout: float, turns_alone: bool
    ) -> None:
        self._arguments = (dict(settings), config, timeout, turns_alone)
        self._limit = timeout + _GRACE
        self._workers: list[_Worker] = []
        self._unborn = 0

    def run(self, work: Sequence[Work], size: int) -> Iterator[tuple[Row, ...]]:
        waiting = list(reversed(work))
        left = len(work)
        try:
            self._workers = [_Worker(self._arguments) for _ in range(size)]
            while left:
                for rows in self._round(waiting):
                    left -= 1
                    yield rows
        finally:
            for worker in self._workers:
                worker.end()

    def _round(self, waiting: list[Work]) -> Iterator[tuple[Row, ...]]:
        """Wait for a sign of life, and hand out what is next."""
        signs = wait([worker.pipe for worker in self._workers], timeout=_LOOK)
        for worker in list(self._workers):
            if worker.pipe in signs:
                rows = self._heard(worker)
                if rows is not None:
                    yield rows
            elif worker.work:
                limit = self._limit * _questions(worker.work[1])
                if time.monotonic() - worker.since > limit:
                    yield self._replace(worker, f"no answer within {limit:g} s")
        for worker in self._workers:
            if worker.ready and worker.work is None and waiting:
                work = waiting.pop()
                if not worker.give(work):
                    waiting.append(work)  # it is dead, which the next round will notice

    def _heard(self, worker: _Worker) -> tuple[Row, ...] | None:
        try:
            message = worker.pipe.recv()
        except (EOFError, OSError):
            return self._died(worker)
        if isinstance(message, RoboDataError):
            raise message
        if message == "ready":
            worker.ready = True
            return None
        worker.work = None
        rows: tuple[Row, ...] = message
        return rows

    def _died(self, worker: _Worker) -> tuple[Row, ...] | None:
        worker.process.join()
        code = worker.process.exitcode
        if not worker.ready:
            self._unborn += 1
            if self._unborn >= _MOST_UNBORN:
                raise ConfigurationError(f"No process to ask with can be started (code {code}).")
        how = f"signal {-code}" if code is not None and code < 0 else f"code {code}"
        if worker.work is None:
            self._fresh(worker)
            return None
        return self._replace(worker, f"the process that asked it ended ({how})")

    def _replace(self, worker: _Worker, problem: str) -> tuple[Row, ...]:
        assert worker.work is not None
        place, item = worker.work
        rows = failed(item, place, problem, time.monotonic() - worker.since)
        self._fresh(worker)
        return rows

    def _fresh(self, worker: _Worker) -> None:
        worker.end()
        self._workers[self._workers.index(worker)] = _Worker(self._arguments)


def _questions(item: GoldItem) -> int:
    return len(item.turns) if isinstance(item, GoldDialogue) else 1


def _serve(
    pipe: Connection,
    settings: dict[str, Any],
    config: str | None,
    timeout: float,
    turns_alone: bool,
) -> None:
    """Be a worker: ask what comes through the pipe until it is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is the parent's to answer
    # What fails stands in the results; without a handler the log would go to the terminal.
    logging.getLogger("robodata").addHandler(logging.NullHandler())
    try:
        asker = Asker(settings, config, timeout, turns_alone)
    except RoboDataError as error:
        pipe.send(ConfigurationError(str(error)))
        return
    with asker:
        pipe.send("ready")
        while True:
            try:
                place, item = pipe.recv()
            except (EOFError, OSError):
                return
            pipe.send(asker.ask(item, place))
