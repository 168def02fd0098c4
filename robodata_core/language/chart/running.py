"""Runs the parts of readings, each once: what leads nowhere is dropped, what is left is looked at.

Plain parts are followed on what the view remembers of the graph; everything else is run as a
program, over what its parts led to. The program of a whole reading is run anew when it is answered.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Final

from robodata_core.cancellation import CancelToken
from robodata_core.errors import ProgramError, QueryLimitError, SourceTimeoutError
from robodata_core.language.meaning import (
    AllOf,
    AnyOf,
    Except,
    Given,
    Meaning,
    OfKind,
    Reach,
    lower,
    parts_of,
    with_parts,
)
from robodata_core.language.view import View
from robodata_core.model import EntityValue, Value
from robodata_core.programs.executor import Executor

__all__ = ["Ran", "Runner"]

_log = logging.getLogger("robodata.understanding")
#: Most members of a part that are handed on to what is made of it, or followed one by one.
_HANDED_ON: Final = 500
#: Most values that are read of one thing.
_ENDS: Final = 1_000


@dataclass(frozen=True, slots=True)
class Ran:
    """What a meaning gives.

    Attributes:
        members: The set, or what was counted or judged.
        boolean: What was judged, else None.
    """

    members: tuple[Value, ...]
    boolean: bool | None = None


class Runner:
    """Runs the meanings of one text.

    Args:
        view: What is really there.
        executor: Runs programs.
        most: How many meanings are run at most.
        cancel: Asked before each.
    """

    def __init__(
        self, view: View, executor: Executor, most: int, cancel: CancelToken | None = None
    ) -> None:
        self._view = view
        self._executor = executor
        self._most = most
        self._cancel = cancel
        self._results: dict[Meaning, Ran | None] = {}

    def run(self, meaning: Meaning) -> Ran | None:
        """Return what a meaning gives; None where it cannot be run, or too much was run.

        Raises:
            SourceError: If the source fails.
            CancelledError: If the token says so; DeadlineExceededError likewise.
        """
        if meaning not in self._results:
            if len(self._results) >= self._most:
                return None
            if self._cancel is not None:
                self._cancel.check()
            self._results[meaning] = self._looked(meaning) or self._executed(meaning)
        return self._results[meaning]

    def _known(self, part: Meaning) -> Ran | None:
        """Return what a part led to, where that is no more than may be handed on."""
        found = Ran(part.values) if isinstance(part, Given) else self._results.get(part)
        return found if found is not None and len(found.members) <= _HANDED_ON else None

    def _looked(self, meaning: Meaning) -> Ran | None:
        """Follow a plain meaning on what is remembered; None where that is not enough."""
        if not isinstance(meaning, (Reach, OfKind, AllOf, AnyOf, Except)):
            return None
        parts = [self._known(part) for part in parts_of(meaning)]
        sets = [part.members for part in parts if part is not None]
        if len(sets) < len(parts):
            return None
        if isinstance(meaning, Reach):
            return self._reached(meaning, sets[0])
        if isinstance(meaning, OfKind):
            return self._of_kind(meaning, sets[0])
        first, others = sets[0], [frozenset(one) for one in sets[1:]]
        if isinstance(meaning, AnyOf):
            return Ran(tuple(dict.fromkeys(value for one in sets for value in one)))
        if isinstance(meaning, AllOf):
            return Ran(tuple(v for v in first if all(v in one for one in others)))
        return Ran(tuple(v for v in first if v not in others[0]))

    def _reached(self, meaning: Reach, members: tuple[Value, ...]) -> Ran | None:
        ids = [value.id for value in members if isinstance(value, EntityValue)]
        if len(ids) < len(members):
            return None  # What has a literal is looked up by a program.
        found: dict[Value, None] = {}
        for edge in meaning.edges:
            found.update(dict.fromkeys(self._view.ends(ids, edge, _ENDS)))
        return Ran(tuple(found))

    def _of_kind(self, meaning: OfKind, members: tuple[Value, ...]) -> Ran:
        view, wanted = self._view, frozenset(meaning.classes)
        things = [value for value in members if isinstance(value, EntityValue)]
        kinds = view.kinds_of(value.id for value in things)
        kept = (
            value
            for value in things
            if any(not wanted.isdisjoint(view.superclasses(kind)) for kind in kinds[value.id])
        )
        return Ran(tuple(kept))

    def _executed(self, meaning: Meaning) -> Ran | None:
        try:
            result = self._executor.run(lower(self._begun(meaning)))
        except ProgramError:  # The graph has no relation that says what things are.
            return None
        except (QueryLimitError, SourceTimeoutError) as error:
            _log.info("A part of a reading was too dear to look up: %s", error)
            return None
        return Ran(result.members, result.boolean)

    def _begun(self, meaning: Meaning) -> Meaning:
        """Return a meaning whose parts are given as what they led to, so that none is run twice."""
        parts = parts_of(meaning)
        known = [self._known(part) for part in parts]
        given = [
            Given(found.members) if found is not None and found.members else part
            for part, found in zip(parts, known, strict=True)
        ]
        return with_parts(meaning, tuple(given)) if parts else meaning
