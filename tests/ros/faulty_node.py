"""The real node over a real snapshot whose answers come late, or not at all.

Only the source is wrapped, at the protocol that every source implements; everything above it is
what a robot runs. ``ROBODATA_TEST_SLOW`` is a number of seconds, or ``down``; with ``unsent`` the
source is as it is, and no answer becomes a message, as with messages built for another edition.
"""

from __future__ import annotations

import os
import sys
import time
from typing import Any

from robodata_core import api
from robodata_core.errors import SourceRefusedError
from robodata_core.sources.snapshot import open_snapshot
from robodata_ros import convert, process, runtime


class FaultySource:
    """A source that forwards everything, late or never."""

    def __init__(self, inner: Any, fault: str) -> None:
        self._inner = inner
        self._fault = fault
        self.name = inner.name

    def __getattr__(self, name: str) -> Any:
        member = getattr(self._inner, name)
        if name not in ("search", "statements", "statements_many", "entity", "relations"):
            return member

        def late(*args: Any, **more: Any) -> Any:
            if self._fault == "down":
                raise SourceRefusedError("The knowledge source cannot be reached.")
            time.sleep(float(self._fault))
            return member(*args, **more)

        return late


def main() -> int:
    """Run the node with such a source."""
    fault = os.environ["ROBODATA_TEST_SLOW"]
    if fault == "unsent":
        convert.answer_to_msg = lambda _: object().no_such_field  # type: ignore[attr-defined]
        return process.main()

    def open_source(*_: Any) -> Any:
        return FaultySource(open_snapshot("wikidata-sample"), fault)

    api.open_source = open_source
    runtime.open_source = open_source
    return process.main()


if __name__ == "__main__":
    sys.exit(main())
