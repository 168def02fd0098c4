"""How far ``robodata bench run`` is: a bar on a terminal, now and then a line elsewhere."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Any, TextIO

__all__ = ["BenchProgress"]

_EVERY_LINE = 15.0


class BenchProgress:
    """Shows done, all, rate and time left.

    Args:
        stream: Where to draw.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._bar: Any = None
        self._task: Any = None
        self._start = self._last = time.monotonic()
        self._before: int | None = None

    def __enter__(self) -> BenchProgress:
        if self._stream.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

            self._bar = Progress(
                TextColumn("Asking"),
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("{task.fields[rate]}"),
                console=Console(file=self._stream),
                transient=True,
            )
            self._bar.start()
            self._task = self._bar.add_task("", total=None, rate="")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def update(self, done: int, total: int) -> None:
        """Take note that ``done`` of ``total`` items are done."""
        if self._before is None:
            self._begin(done, total)
            return
        now = time.monotonic()
        rate = (done - self._before) / max(now - self._start, 1e-6)
        left = (total - done) / rate if rate else 0.0
        said = f"{rate:,.1f}/s, {_spell(left)} left"
        if self._bar is not None:
            self._bar.update(self._task, completed=done, total=total, rate=said)
        elif now - self._last >= _EVERY_LINE:
            self._last = now
            print(f"{done:,} of {total:,}, {said}", file=self._stream, flush=True)

    def _begin(self, done: int, total: int) -> None:
        """Start the clock; what an earlier run has done does not count in the rate."""
        self._before = done
        self._start = self._last = time.monotonic()
        if self._bar is not None:
            self._bar.update(self._task, completed=done, total=total)
        if done:
            print(f"{done:,} of {total:,} are there already.", file=self._stream, flush=True)


def _spell(seconds: float) -> str:
    whole = round(seconds)
    if whole < 90:
        return f"{whole} s"
    return f"{whole // 60} min" if whole < 5400 else f"{whole // 3600} h {whole % 3600 // 60} min"
