"""How far ``robodata bench run`` is: a bar on a terminal, now and then a line elsewhere."""

from __future__ import annotations

import time
from typing import Any, TextIO

from robodata_core.cli._progress import ProgressBar

__all__ = ["BenchProgress"]

_EVERY_LINE = 15.0


class BenchProgress(ProgressBar):
    """Shows done, all, rate and time left.

    Args:
        stream: Where to draw.
    """

    def __init__(self, stream: TextIO) -> None:
        super().__init__(stream)
        self._last = self.started
        self._before: int | None = None

    def columns(self) -> tuple[Any, ...]:
        """Return what stands on the line."""
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn

        rate = TextColumn("{task.fields[rate]}")
        return TextColumn("Asking"), BarColumn(), MofNCompleteColumn(), rate

    def update(self, done: int, total: int) -> None:
        """Take note that ``done`` of ``total`` items are done."""
        if self._before is None:
            self._begin(done, total)
            return
        now = time.monotonic()
        rate = (done - self._before) / max(now - self.started, 1e-6)
        left = (total - done) / rate if rate else 0.0
        said = f"{rate:,.1f}/s, {_spell(left)} left"
        if self.drawn:
            self.draw(completed=done, total=total, rate=said)
        elif now - self._last >= _EVERY_LINE:
            self._last = now
            print(f"{done:,} of {total:,}, {said}", file=self.stream, flush=True)

    def _begin(self, done: int, total: int) -> None:
        """Start the clock; what an earlier run has done does not count in the rate."""
        self._before = done
        self.started = self._last = time.monotonic()
        self.draw(completed=done, total=total)
        if done:
            print(f"{done:,} of {total:,} are there already.", file=self.stream, flush=True)


def _spell(seconds: float) -> str:
    whole = round(seconds)
    if whole < 90:
        return f"{whole} s"
    return f"{whole // 60} min" if whole < 5400 else f"{whole // 3600} h {whole % 3600 // 60} min"
