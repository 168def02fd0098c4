"""Running a data set: in parallel, resumable, and never stopped by one bad question.

Every answer is a line of a results file, written as soon as it is there; a second run with the
same file goes on where the first one ended, and refuses if it is another run's or other code's.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Final

from robodata_core.config import load_settings
from robodata_core.errors import ConfigurationError
from robodata_core.evaluation._setup import code_fingerprint, setup_of
from robodata_core.evaluation._workers import ask_all
from robodata_core.evaluation.datasets import DataSet, GoldDialogue, GoldItem
from robodata_core.evaluation.results import (
    Header,
    Results,
    Row,
    append_rows,
    read_results,
    write_line,
)

__all__ = ["TIMEOUT", "header_of", "run_dataset", "spread"]

TIMEOUT: Final = 300.0
"""Seconds a question may take, unless told otherwise."""


def spread(items: Sequence[GoldItem], limit: int | None) -> tuple[GoldItem, ...]:
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
