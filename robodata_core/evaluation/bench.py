"""Running a data set: in parallel, resumable, and never stopped by one bad question.

Every answer is a line of a results file, written as soon as it is there; a second run with the
same file goes on where the first one ended, and refuses if it is another run's or other code's.
Processes ask side by side; one that dies costs its question, never the run.
"""

from __future__ import annotations

import json
import logging
import os
import pickle
import select
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeVar

from robodata_core.config import load_settings
from robodata_core.errors import ConfigurationError, RoboDataError
from robodata_core.evaluation._asking import Asker, failed
from robodata_core.evaluation._setup import code_fingerprint, setup_of
from robodata_core.evaluation.datasets import DataSet, GoldDialogue, GoldItem
from robodata_core.evaluation.results import (
    Header,
    Results,
    Row,
    append_rows,
    read_results,
    write_line,
)
from robodata_core.worker import TimeOverError, Worker, WorkerEndedError

__all__ = [
    "TIMEOUT",
    "header_of",
    "run_dataset",
    "spread",
]

_Item = TypeVar("_Item", bound=GoldItem)

TIMEOUT: Final = 300.0
"""Seconds a question may take, unless told otherwise."""


def spread(items: Sequence[_Item], limit: int | None) -> tuple[_Item, ...]:
    """Return at most ``limit`` items, spread evenly over all; always the same ones."""
    if limit is None or limit >= len(items):
        return tuple(items)
    step = len(items) / limit
    return tuple(items[int(index * step)] for index in range(limit))


def header_of(
    data: DataSet,
    settings: Mapping[str, Any],
    *,
    config: str | None = None,
    turns_alone: bool = False,
) -> Header:
    """Describe a run.

    Raises:
        ConfigurationError: If the settings are wrong.
    """
    return Header(
        data=data.name,
        sha256=data.sha256,
        format=data.format,
        task=data.task,
        items=sum(len(_ids(item)) for item in data.items),
        setup=setup_of(load_settings(config, **settings)),
        turns_alone=turns_alone,
        code=code_fingerprint(),
        left_out=tuple(f"line {bad.line}: {bad.problem}" for bad in data.bad)[:100],
    )


def run_dataset(
    data: DataSet,
    settings: Mapping[str, Any],
    output: str | Path,
    *,
    config: str | None = None,
    limit: int | None = None,
    processes: int = 1,
    timeout: float = TIMEOUT,
    turns_alone: bool = False,
    retry_errors: bool = False,
    other_code: bool = False,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Results:
    """Ask everything that ``output`` does not hold yet, append the rows, and return all of them.

    Args:
        data: What to ask.
        settings: Settings by name, for every process.
        output: Results file, begun or continued.
        config: Settings file.
        limit: Only so many items, spread evenly.
        processes: How many processes ask at the same time.
        timeout: Seconds a question may take.
        turns_alone: Ask the turns of dialogues each by itself.
        retry_errors: Ask again what ended in an error.
        other_code: Go on with an output that other code began.
        progress: Told how many items are done, of how many; at the start with those done before.

    Raises:
        ConfigurationError: If the output cannot be written or is another run's or other
            code's, the settings are wrong, or the core cannot do what the data set asks for.
    """
    if processes > 1 and settings.get("record"):
        raise ConfigurationError("Several processes cannot record into one file: use one.")
    items = spread(data.items, limit)
    header = header_of(data, settings, config=config, turns_alone=turns_alone)
    descriptor, old = append_rows(output, header, other_code=other_code)
    try:
        done = {row.id for row in old if not (retry_errors and row.status == "error")}
        places = {item.id: place for place, item in enumerate(data.items)}
        waiting = [(places[item.id], item) for item in items if not _ids(item) <= done]
        count = len(items) - len(waiting)
        progress(count, len(items))
        if waiting:
            for rows in ask_all(waiting, settings, config, processes, timeout, turns_alone):
                for row in rows:
                    write_line(descriptor, asdict(replace(row, code=header.code)))
                count += 1
                progress(count, len(items))
    finally:
        os.close(descriptor)
    return _only(read_results(output), {id_ for item in items for id_ in _ids(item)}, header)


def _ids(item: GoldItem) -> set[str]:
    return {turn.id for turn in item.turns} if isinstance(item, GoldDialogue) else {item.id}


def _only(results: Results, wanted: set[str], header: Header) -> Results:
    """Leave out rows of an earlier run with a higher ``limit``."""
    rows: tuple[Row, ...] = tuple(row for row in results.rows if row.id in wanted)
    return Results(header, rows)


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
