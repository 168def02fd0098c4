"""The bars that long work draws: on a terminal only, on stderr, and gone when the work is over."""

from __future__ import annotations

import time
from datetime import timedelta
from typing import TYPE_CHECKING, Any, TextIO, TypeVar

if TYPE_CHECKING:
    from robodata_core.sources.snapshot.loading import Progress

_Bar = TypeVar("_Bar", bound="ProgressBar")
_STAGES = {"reading": "Reading", "indexing": "Building the index", "finishing": "Finishing"}
_EVERY = 0.1
_EVERY_LINE = 15.0


class ProgressBar:
    """A bar with one task; how far it is, a subclass says.

    Args:
        stream: Where to draw.
    """

    title = ""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.started = self._last = time.monotonic()
        self._bar: Any = None
        self._task: Any = None

    @property
    def seconds(self) -> float:
        """Seconds since the beginning."""
        return time.monotonic() - self.started

    def draw(self, **what: Any) -> None:
        """Show the work as it is now: ``completed``, ``total``, ``description``, ``rate``."""
        if self._bar is not None:
            self._bar.update(self._task, **what)

    def __enter__(self: _Bar) -> _Bar:
        if self.stream.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

            self._bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.percentage:>3.0f}%"),
                TextColumn("{task.fields[rate]}"),
                TimeRemainingColumn(),
                console=Console(file=self.stream),
                transient=True,
            )
            self._bar.start()
            self._task = self._bar.add_task(self.title, total=None, rate="")
        return self

    def __exit__(self, *exc_info: object) -> None:
        if self._bar is not None:
            self._bar.stop()


class LoadProgress(ProgressBar):
    """Shows how far a load is; silent where nobody watches."""

    title = "Reading"

    def update(self, progress: Progress) -> None:
        """Take a report of the loader; draws at most a few times a second."""
        now, title = time.monotonic(), _STAGES.get(progress.stage, progress.stage)
        if now - self._last < _EVERY and title == self.title:
            return
        self._last, self.title = now, title
        rate = progress.triples / max(self.seconds, 0.001)
        # Only reading can be measured in bytes; the bar pulses through the rest.
        total = progress.total if progress.stage == "reading" else None
        told = f"{progress.triples:,} triples, {rate:,.0f}/s"
        self.draw(description=title, completed=progress.done, total=total, rate=told)


class BenchProgress(ProgressBar):
    """Shows done, all, rate and time left; elsewhere than on a terminal a line now and then."""

    title = "Asking"
    _before: int | None = None

    def update(self, done: int, total: int) -> None:
        """Take note that ``done`` of ``total`` items are done; those of the first call before."""
        if self._before is None:
            self._before = done
            self.started = self._last = time.monotonic()
            if done:
                print(f"{done:,} of {total:,} are there already.", file=self.stream, flush=True)
        rate = (done - self._before) / max(self.seconds, 1e-6)
        told = f"{done:,} of {total:,}, {rate:,.1f}/s"
        self.draw(completed=done, total=total, rate=told)
        if self._bar is None and time.monotonic() - self._last >= _EVERY_LINE:
            self._last = time.monotonic()
            left = timedelta(seconds=round((total - done) / rate)) if rate else "unknown time"
            print(f"{told}, {left} left", file=self.stream, flush=True)
