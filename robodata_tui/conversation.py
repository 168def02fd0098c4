"""What a reader looks at: the runs of the session, which one, how far, and what is selected.

Plain state without widgets; the application turns its ``view`` into panes.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timezone
from functools import partial
from typing import Final

from robodata_core.events import RunEvent, RunStarted
from robodata_core.model import Evidence
from robodata_tui.records import Record, Shelf, View, supports_of

__all__ = ["Conversation"]

_MOST_WATCHED: Final = 200
_MOST_AT_HAND: Final = 2
"""Runs that stay as they are; older ones are put out of the way until somebody goes there."""


class Conversation:
    """The runs of a session and the place in them.

    Attributes:
        records: All runs, oldest first: asked here or read from journals.
        number: Which one is shown.
        claim: Id of the selected claim, or empty.
        handle: Handle of the selected triple, or empty.
        member: Id of the result selected below a claim about many, or empty.
        kept: Triples that were in the local graph when the core was opened.
        turns: How many questions were asked in the present conversation.
        fresh: Whether another conversation has begun, and nothing was asked in it yet.
        last_asked: The run asked last, or None.
    """

    def __init__(self) -> None:
        self.records: list[Record] = []
        self.number = 0
        self.claim = ""
        self.handle = ""
        self.member = ""
        self.kept: Mapping[str, Evidence] = {}
        self.turns = 0
        self.fresh = False
        self.last_asked: Record | None = None
        self._shelf = Shelf()

    @property
    def record(self) -> Record | None:
        """The run that is shown."""
        return self.records[self.number] if self.records else None

    def asked(self, question: str, *, part: bool = False) -> Record:
        """Begin a record for a question, or for a part of one, and show it."""
        record = Record(question, partial(self._before, len(self.records)))
        record.opens, self.fresh = self.fresh, False
        self.turns += not part
        self.last_asked = record
        self.append(record)
        return record

    def renew(self) -> bool:
        """Begin another conversation, behind all runs; tell whether anything was asked in this."""
        if not self.turns:
            return False
        self.turns, self.fresh = 0, True
        self.go(len(self.records) - 1)
        return True

    def append(self, record: Record) -> None:
        """Add a run and show it."""
        self.records.append(record)
        self.go(len(self.records) - 1)
        for old in self.records[:-_MOST_AT_HAND]:
            old.pack(self._shelf)

    def watched(self, event: RunEvent) -> Record:
        """Take an event of a run that somebody else asked for; return the run.

        A run that begins is shown, unless the reader looks at an earlier one.
        """
        run_id = event.header.run_id
        for record in reversed(self.records):
            if record.watched and record.run_id == run_id:
                record.add(event)
                return record
        asked = event.question if isinstance(event, RunStarted) else "(began before this screen)"
        record = Record(asked)
        record.watched = True
        record.add(event)
        at_end = self.number >= len(self.records) - 1
        self.records.append(record)
        if len(self.records) > _MOST_WATCHED:
            del self.records[0]
            self.number = max(0, self.number - 1)
        if at_end:
            self.go(len(self.records) - 1)
        return record

    def go(self, number: int) -> bool:
        """Show another run; tell whether it is another one."""
        number = min(max(number, 0), max(0, len(self.records) - 1))
        changed = number != self.number
        self.number = number
        self.claim = self.handle = self.member = ""
        if self.record is not None and self.record.packed:
            self.record.unpack()
        self._settle()
        return changed

    def _before(self, number: int) -> Mapping[str, Evidence]:
        """Return what stood in the local graph before a run: what those before it left there."""
        asked = [record for record in self.records[:number] if record.path is None]
        last = next((n for n in reversed(range(len(asked))) if asked[n].looked_at), -1)
        graph = dict(asked[last].whole if last >= 0 else self.kept)
        for record in asked[last + 1 :]:
            record.change(graph)
        return graph

    def find_run(self, run_id: str) -> int | None:
        """Return the place of a run by its id."""
        for number, record in enumerate(self.records):
            if record.state.run_id == run_id:
                return number
        return None

    def select_claim(self, claim_id: str, member: str = "") -> None:
        """Select a claim of the run shown, or one of the results that it is about."""
        self.claim, self.handle, self.member = claim_id, "", member

    def select_triple(self, handle: str) -> None:
        """Select a triple of the local graph."""
        self.claim, self.handle, self.member = "", handle, ""

    def step(self, by: int) -> bool:
        """Step through the visits of the run shown; tell whether anything changed."""
        return self.record is not None and self.record.move(by)

    def _settle(self) -> None:
        """Select the first claim where nothing is selected and there is one."""
        if self.claim or self.handle or self.record is None:
            return
        claims = self.record.shown.claims
        if claims and self.record.shown.answer is not None:
            self.claim = claims[0].id

    def view(self, *, live: bool = False, queued: tuple[str, ...] = ()) -> View | None:
        """Return what the panes show, or None before the first run.

        Args:
            live: Whether the run that is shown goes on.
            queued: Questions that wait for the end of the run.
        """
        record = self.record
        if record is None:
            return None
        self._settle()
        state = record.shown
        return View(
            record=record,
            number=self.number,
            state=state,
            claim=self.claim,
            handle=self.handle,
            member=self.member,
            records=tuple(self.records),
            supports=supports_of(state.claims),
            fresh=self.fresh,
            live=live,
            queued=queued,
            now=datetime.now(timezone.utc) if live else None,
        )
