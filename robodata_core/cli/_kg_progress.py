"""The progress bar of ``robodata kg load``: on a terminal only, and on stderr."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, TextIO

from robodata_core.cli._progress import ProgressBar

if TYPE_CHECKING:
    from robodata_core.sources.snapshot.loading import Progress

__all__ = ["LoadProgress"]

_STAGES = {"reading": "Reading", "indexing": "Building the index", "finishing": "Finishing"}
_EVERY = 0.1


class LoadProgress(ProgressBar):
    """Shows how far a load is; silent where nobody watches.

    Args:
        stream: Where to draw.
    """

    title = "Reading"

    def __init__(self, stream: TextIO) -> None:
        super().__init__(stream)
        self._last = 0.0
        self._stage = ""

    @property
    def seconds(self) -> float:
        """Seconds since the beginning."""
        return time.monotonic() - self.started

    def columns(self) -> tuple[Any, ...]:
        """Return what stands on the line."""
        from rich.progress import BarColumn, TextColumn, TimeRemainingColumn

        return (
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f}%"),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
        )

    def update(self, progress: Progress) -> None:
        """Take a report of the loader; draws at most a few times a second."""
        if not self.drawn:
            return
        now = time.monotonic()
        if now - self._last < _EVERY and progress.stage == self._stage:
            return
        self._last, self._stage = now, progress.stage
        rate = progress.triples / max(self.seconds, 0.001)
        self.draw(
            description=_STAGES.get(progress.stage, progress.stage),
            completed=progress.done,
            # Only reading can be measured in bytes; the bar pulses through the rest.
            total=progress.total if progress.stage == "reading" else None,
            rate=f"{progress.triples:,} triples, {rate:,.0f}/s",
        )
