"""Processes that ask items side by side; one that dies costs its question, never the run."""

from __future__ import annotations

import json
import logging
import pickle
import select
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, BinaryIO, Final

from robodata_core.errors import ConfigurationError, RoboDataError
from robodata_core.evaluation._asking import Asker, failed
from robodata_core.evaluation.datasets import GoldDialogue, GoldItem
from robodata_core.evaluation.results import Row
from robodata_core.worker import TimeOverError, Worker, WorkerEndedError

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


class _Asking:
    """One process and what it is doing."""

    def __init__(self, arguments: tuple[Any, ...]) -> None:
        self.worker = Worker(f"{__name__}:serve")
        self.ready = False
        self.work: Work | None = None
        self.since = 0.0
        self._send(arguments)

    def give(self, work: Work) -> bool:
        """Hand work over; tells whether the process was there to take it."""
        if not self._send(work):
            return False
        self.work, self.since = work, time.monotonic()
        return True

    def heard(self) -> Any:
        """Return what it has to say; it has begun to.

        Raises:
            WorkerEndedError: If it has ended instead.
            TimeOverError: If it stopped in the middle.
        """
        _, data = next(self.worker.replies(_GRACE))
        return pickle.loads(data)  # noqa: S301 - written by this project's own process

    def _send(self, what: Any) -> bool:
        data = pickle.dumps(what)
        try:
            self.worker.send({"size": len(data)}, data)
        except WorkerEndedError:
            return False
        return True


class _Crew:
    def __init__(
        self, settings: Mapping[str, Any], config: str | None, timeout: float, turns_alone: bool
    ) -> None:
        self._arguments = (dict(settings), config, timeout, turns_alone)
        self._limit = timeout + _GRACE
        self._workers: list[_Asking] = []
        self._unborn = 0

    def run(self, work: Sequence[Work], size: int) -> Iterator[tuple[Row, ...]]:
        """Share work out among ``size`` processes; yield the rows of each piece as it is done."""
        waiting = list(reversed(work))
        left = len(work)
        try:
            self._workers = [_Asking(self._arguments) for _ in range(size)]
            while left:
                for rows in self._round(waiting):
                    left -= 1
                    yield rows
        finally:
            for worker in self._workers:
                worker.worker.end()

    def _round(self, waiting: list[Work]) -> Iterator[tuple[Row, ...]]:
        """Wait for a sign of life, and hand out what is next."""
        signs, _, _ = select.select([one.worker for one in self._workers], [], [], _LOOK)
        for worker in list(self._workers):
            if worker.worker in signs:
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

    def _heard(self, worker: _Asking) -> tuple[Row, ...] | None:
        try:
            message = worker.heard()
        except (WorkerEndedError, TimeOverError):
            return self._died(worker)
        if isinstance(message, RoboDataError):
            raise message
        if message == "ready":
            worker.ready = True
            return None
        worker.work = None
        rows: tuple[Row, ...] = message
        return rows

    def _died(self, worker: _Asking) -> tuple[Row, ...] | None:
        code = worker.worker.end()
        if not worker.ready:
            self._unborn += 1
            if self._unborn >= _MOST_UNBORN:
                raise ConfigurationError(f"No process to ask with can be started (code {code}).")
        how = f"signal {-code}" if code < 0 else f"code {code}"
        if worker.work is None:
            self._fresh(worker)
            return None
        return self._replace(worker, f"the process that asked it ended ({how})")

    def _replace(self, worker: _Asking, problem: str) -> tuple[Row, ...]:
        assert worker.work is not None
        place, item = worker.work
        rows = failed(item, place, problem, time.monotonic() - worker.since)
        self._fresh(worker)
        return rows

    def _fresh(self, worker: _Asking) -> None:
        worker.worker.end()
        self._workers[self._workers.index(worker)] = _Asking(self._arguments)


def _questions(item: GoldItem) -> int:
    return len(item.turns) if isinstance(item, GoldDialogue) else 1


def serve(stdin: BinaryIO, stdout: BinaryIO) -> None:
    """Ask what comes until there is no more; a job of a worker."""
    sys.stdout = sys.stderr  # what a source of somebody's own prints is no reply
    # What fails stands in the results; without a handler the log would go to the terminal.
    logging.getLogger("robodata").addHandler(logging.NullHandler())
    try:
        asker = Asker(*_read(stdin))
    except RoboDataError as error:
        _write(stdout, ConfigurationError(str(error)))
        return
    with asker:
        _write(stdout, "ready")
        while (work := _read(stdin)) is not None:
            place, item = work
            _write(stdout, asker.ask(item, place))


def _read(stdin: BinaryIO) -> Any:
    line = stdin.readline()
    # What comes is written by this project's own process.
    return pickle.loads(stdin.read(json.loads(line)["size"])) if line else None  # noqa: S301


def _write(stdout: BinaryIO, what: Any) -> None:
    data = pickle.dumps(what)
    stdout.write(json.dumps({"size": len(data)}).encode() + b"\n" + data)
    stdout.flush()
