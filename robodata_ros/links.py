"""What detectors' labels are linked to, without waiting: look-ups happen in a thread of their own.

A label that takes long, or that no source can answer about right now, so never holds up another
one. What a source could not answer is asked again after a while. No ROS in here.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from robodata_core.errors import RoboDataError

if TYPE_CHECKING:
    from robodata_core.model import Entity
    from robodata_ros.enrichment import ClassKnowledge, ClassLookup

__all__ = ["ClassLinks"]

_log = logging.getLogger("robodata.ros")
_RETRY_AFTER: Final = 2.0
_MOST_WANTED: Final = 5_000


class ClassLinks:
    """Looks classes up in the background. Thread-safe.

    Args:
        lookup: Does it.
        on_known: Called, in some thread, when something new is known.

    Attributes:
        problem: Why the last look-up failed, or empty.
    """

    def __init__(self, lookup: ClassLookup, on_known: Callable[[], None] = lambda: None) -> None:
        self._lookup = lookup
        self.on_known = on_known
        self.problem = ""
        self._wanted: OrderedDict[str, float] = OrderedDict()
        self._changed = threading.Condition()
        self._stopped = False
        self._thread = threading.Thread(target=self._work, name="robodata-classes", daemon=True)
        self._thread.start()

    def knowledge(self, label: str) -> ClassKnowledge | None:
        """Return what is known about a label; None where that is being looked up."""
        found = self._lookup.known(label)
        if found is None:
            self._want(label)
        return found

    def entity(self, label: str) -> Entity | None:
        """Return what a label is linked to; None where that is nothing, or not known yet."""
        found = self.knowledge(label)
        return found.entity if found is not None else None

    def settle(self, timeout: float) -> bool:
        """Wait until nothing is being looked up; tells whether that happened in time."""
        end = time.monotonic() + timeout
        with self._changed:
            return self._changed.wait_for(
                lambda: not self._wanted, max(0.0, end - time.monotonic())
            )

    def stop(self, timeout: float = 2.0) -> None:
        """End; a look-up under way is left to itself."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
        self._thread.join(timeout)

    def _want(self, label: str) -> None:
        with self._changed:
            if label not in self._wanted and len(self._wanted) < _MOST_WANTED:
                self._wanted[label] = -math.inf
                self._changed.notify_all()

    def _next(self) -> str | None:
        with self._changed:
            while not self._stopped:
                now = time.monotonic()
                label, due = min(
                    self._wanted.items(), key=lambda item: item[1], default=("", math.inf)
                )
                if due <= now:
                    return label
                self._changed.wait(None if math.isinf(due) else due - now)
            return None

    def _work(self) -> None:
        while (label := self._next()) is not None:
            failed = False
            try:
                self._lookup.look_up(label)
                self.problem = ""
            except Exception as error:  # the thread must outlive whatever a source does
                failed = True
                told = str(error) if isinstance(error, RoboDataError) else repr(error)
                if not self.problem:
                    _log.warning("Nothing can be looked up about %r: %s", label, told)
                self.problem = told
            with self._changed:
                if failed:
                    self._wanted[label] = time.monotonic() + _RETRY_AFTER
                else:
                    self._wanted.pop(label, None)
                self._changed.notify_all()
            if not failed:
                with suppress(Exception):
                    self.on_known()
