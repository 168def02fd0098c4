"""The progress bar of ``robodata kg load``: on a terminal only, and on stderr."""

from __future__ import annotations

import time
from types import TracebackType
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from robodata_core.sources._loader import Progress

__all__ = ["LoadProgress"]

_STAGES = {"reading": "Reading", "indexing": "Building the index", "finishing": "Finishing"}
_EVERY = 0.1


class LoadProgress:
    """Shows how far a load is; silent where nobody watches.

    Args:
        stream: Where to draw.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._bar: Any = None
        self._task: Any = None
        self._start = time.monotonic()
        self._last = 0.0
        self._stage = ""

    @property
    def seconds(self) -> float:
        """Seconds since the beginning."""
        return time.monotonic() - self._start

    def __enter__(self) -> LoadProgress:
        if self._stream.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

            self._bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.percentage:>3.0f}%"),
                TextColumn("{task.fields[rate]}"),
                TimeRemainingColumn(),
                console=Console(file=self._stream),
                transient=True,
            )
            self._bar.start()
            self._task = self._bar.add_task("Reading", total=None, rate="")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def update(self, progress: Progress) -> None:
        """Take a report of the loader; draws at most a few times a second."""
        if self._bar is None:
            return
        now = time.monotonic()
        if now - self._last < _EVERY and progress.stage == self._stage:
            return
        self._last, self._stage = now, progress.stage
        rate = progress.triples / max(self.seconds, 0.001)
        self._bar.update(
            self._task,
            description=_STAGES.get(progress.stage, progress.stage),
            completed=progress.done,
            # Only reading can be measured in bytes; the bar pulses through the rest.
            total=progress.total if progress.stage == "reading" else None,
            rate=f"{progress.triples:,} triples, {rate:,.0f}/s",
        )
