"""The application with a core that only makes events, for ``bench_tui``: started in a terminal.

python -m benchmarks._tui_child RATE
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from datetime import datetime, timezone
from functools import partial
from types import SimpleNamespace
from typing import Any

from robodata_core.cancellation import CancelToken
from robodata_core.config import Settings
from robodata_core.events import (
    GraphChanged,
    Header,
    RunEnded,
    RunEvent,
    RunStarted,
    StateEntered,
    ToolCalled,
    ToolReturned,
)
from robodata_core.model import EntityValue, Evidence, Triple
from robodata_tui.bridge import Bridge
from robodata_tui.dialogs import Options
from robodata_tui.starting import set_pace

_STATE = "REMOTE_GRAPH_EXPLORATION"


class _Core:
    """Makes ``rate`` events a second until it is cancelled: turns of ten calls, with triples."""

    def __init__(self, rate: float) -> None:
        self._pause = 1 / rate
        self.settings = Settings()
        self.source = SimpleNamespace(name="snapshot:none")
        self.store = SimpleNamespace(match=lambda limit: ((), 0))

    def ask(
        self, question: str, *, on_event: Callable[[RunEvent], None], cancel: CancelToken
    ) -> None:
        seq, due = 0, time.monotonic()

        def emit(make: Callable[[Header], RunEvent]) -> None:
            nonlocal seq, due
            seq += 1
            on_event(make(Header("run", seq, datetime.now(timezone.utc))))
            due += self._pause
            time.sleep(max(0.0, due - time.monotonic()))

        emit(lambda h: RunStarted(h, question, "offline", "snapshot:none", 10_000))
        turn = 0
        while not cancel.cancelled:
            turn += 1
            emit(partial(StateEntered, state=_STATE, turn=turn, urgency="none"))
            for call in range(10):
                self._call(emit, turn, f"k{turn}-{call}")
        emit(lambda h: RunEnded(h, "cancelled", 1.0))

    def _call(self, emit: Callable[[Any], None], turn: int, id_: str) -> None:
        item = Evidence(f"T{id_}", Triple(f"Q{turn}", "P31", EntityValue(id_)))
        emit(lambda h: ToolCalled(h, turn, id_, "fetch_node", {"nodes": [id_]}))
        emit(lambda h: ToolReturned(h, turn, id_, "fetch_node", True, "one", 1, 1, False, 0.01))
        emit(lambda h: GraphChanged(h, turn, id_, (item,), (), turn * 11, turn * 10))

    def conversation(self) -> _Core:
        """Return itself: no question points back."""
        return self

    def move_to(self, core: _Core) -> None:
        """Go on over another core: there is none."""

    def rest(self) -> None:
        """Nothing is kept."""

    def close(self) -> None:
        """Nothing is held."""


def main(rate: float) -> int:
    set_pace()
    from robodata_tui.app import RoboDataApp

    core: Any = _Core(rate)
    app = RoboDataApp(
        Options(settings=Settings(), open_core=lambda settings: core), Bridge(lambda: core)
    )
    return app.run() or 0


if __name__ == "__main__":
    raise SystemExit(main(float(sys.argv[1])))
