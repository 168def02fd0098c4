"""The bar that long work draws: on a terminal only, on stderr, and gone when the work is over."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Any, TextIO, TypeVar

__all__ = ["ProgressBar"]

_Bar = TypeVar("_Bar", bound="ProgressBar")


class ProgressBar:
    """A bar with one task; what stands on its line, and when it moves, a subclass says.

    Args:
        stream: Where to draw.

    Attributes:
        stream: Where it draws.
        started: When the work began, by ``time.monotonic``.
    """

    #: What stands before the work has told anything.
    title = ""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.started = time.monotonic()
        self._bar: Any = None
        self._task: Any = None

    @property
    def drawn(self) -> bool:
        """Whether somebody can see it: between entering and leaving, on a terminal."""
        return self._bar is not None

    def columns(self) -> tuple[Any, ...]:
        """Return what stands on the line: columns of ``rich.progress``."""
        raise NotImplementedError

    def draw(self, **what: Any) -> None:
        """Show the work as it is now: ``completed``, ``total`` and what the columns name."""
        if self._bar is not None:
            self._bar.update(self._task, **what)

    def __enter__(self: _Bar) -> _Bar:
        if self.stream.isatty():
            from rich.console import Console
            from rich.progress import Progress

            console = Console(file=self.stream)
            self._bar = Progress(*self.columns(), console=console, transient=True)
            self._bar.start()
            self._task = self._bar.add_task(self.title, total=None, rate="")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
