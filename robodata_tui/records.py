"""The runs of a session: their events, what they fold to, and where a reader stands in them.

A record is the same thing for a run that goes on, one that is over, and one read from a journal.
Nothing here knows about widgets, threads or clocks. What is seldom looked at again is put on a
``Shelf``: a file without a name, gone with the session.
"""

from __future__ import annotations

import pickle
import tempfile
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import IO

from robodata_core import journal
from robodata_core.answers.text import labelled, shown_question
from robodata_core.events import (
    AnswerReady,
    ClaimValidated,
    GraphChanged,
    QuestionUnderstood,
    RequestTold,
    RunEvent,
    StateEntered,
)
from robodata_core.model import (
    Absence,
    Answer,
    Claim,
    EntityValue,
    Evidence,
    ResultItem,
    SupportSet,
    TruthKind,
)
from robodata_core.question import without_ids
from robodata_core.run_state import CallView, RunState, TurnView, apply, fold
from robodata_tui.proof import Proof, make_proof
from robodata_tui.supporting import gap_of, in_place_of, of_member
from robodata_tui.words import steady

__all__ = [
    "Record",
    "Shelf",
    "View",
    "find_call",
    "read_record",
]


class Shelf:
    """Keeps bytes in a file that has no name; in memory where there can be no such file."""

    def __init__(self) -> None:
        self._file: IO[bytes] | None = None

    def put(self, data: bytes) -> Callable[[], bytes]:
        """Keep some bytes; return what reads them."""
        packed = zlib.compress(data, 6)
        try:
            self._file = file = self._file or tempfile.TemporaryFile(buffering=0)  # noqa: SIM115
            place = file.seek(0, 2)
            if file.write(packed) == len(packed):
                return partial(self._read, place, len(packed))
        except OSError:  # a full disk, or none to write to
            pass
        return partial(zlib.decompress, packed)

    def _read(self, place: int, size: int) -> bytes:
        assert self._file is not None
        self._file.seek(place)
        return zlib.decompress(self._file.read(size))


class Record:
    """One run.

    Args:
        question: What was typed.
        earlier: Puts together the triples that stood in the local graph before the run, by
            handle: asked where somebody looks at the graph, for it takes the graph's size.
        path: The journal it was read from, if any.

    Attributes:
        question: What was typed.
        asked: What was asked in its place, as people read it; empty where it stands alone.
        events: All events so far.
        state: What they fold to.
        path: The journal it was read from, if any.
        step: Number of visits shown while stepping, or None for all there is.
        notice: What a reader should know about the record itself (a journal cut short).
        watched: Whether somebody else asked, and the run is only watched.
        opens: Whether another conversation begins with it.
        run_id: Id of the run, as its first event that was seen says.
    """

    def __init__(
        self,
        question: str,
        earlier: Callable[[], Mapping[str, Evidence]] = dict,
        path: Path | None = None,
    ) -> None:
        self.watched = False
        self.opens = False
        self.run_id = ""
        self.question = question
        self.asked = ""
        self.events: list[RunEvent] = []
        self.state = RunState()
        self.path = path
        self.step: int | None = None
        self.notice = ""
        self._early = RunState()
        self._stepped: tuple[int, RunState] | None = None
        self._packed: Callable[[], bytes] | None = None
        self._earlier = earlier
        # The graph of the whole run, once it was looked at: kept up to date from then on.
        self._whole: dict[str, Evidence] | None = None
        self._before: Mapping[str, Evidence] | None = None

    def add(self, event: RunEvent) -> None:
        """Take the next event, or a request that is made before the run begins."""
        if not event.header.run_id and isinstance(event, RequestTold):
            if not self.events:
                self._early = apply(self._early, event)
            return
        self.run_id = self.run_id or event.header.run_id
        self.events.append(event)
        self.state = apply(self.state, event)
        if self._whole is not None:
            _change(self._whole, event)
        if isinstance(event, QuestionUnderstood) and event.rewriting.understood_as:
            # What it points back to stands in the graph of the runs before.
            told = shown_question(
                self.state.understood_as, lambda id_: labelled(self.before.values())(id_)
            )
            self.asked = steady(told)

    # -- rest ---------------------------------------------------------------------------------

    @property
    def packed(self) -> bool:
        """Whether only the question, the answer and how it ended are at hand."""
        return self._packed is not None

    def pack(self, shelf: Shelf) -> None:
        """Put what only a reader of this run needs out of the way; ``unpack`` brings it back.

        A run is more than a megabyte of objects; packed it is some ten kilobytes of a file.
        """
        if self.packed or not self.state.ended:
            return
        # Not as a journal: that takes three times as long, and twice the memory meanwhile.
        self._packed = shelf.put(pickle.dumps(self.events, pickle.HIGHEST_PROTOCOL))
        self.events, self._whole, self._before = [], None, None
        self.step, self._stepped = None, None
        state, answer = self.state, self.state.answer
        # The screen shows the answers to earlier questions, and claims by their signs alone.
        claims = tuple(replace(claim, support=SupportSet()) for claim in state.claims)
        self.state = RunState(
            run_id=state.run_id,
            seq=state.seq,
            question=state.question,
            rewriting=state.rewriting,
            source=state.source,
            started=state.started,
            time=state.time,
            status=state.status,
            error=state.error,
            claims=claims,
            answer=_bare(answer, claims) if answer is not None else None,
        )

    def unpack(self) -> None:
        """Bring back what was put out of the way."""
        if self._packed is None:
            return
        events = self._unpacked()
        self._packed, self.state = None, RunState()
        for event in events:
            self.add(event)

    def _unpacked(self) -> list[RunEvent]:
        assert self._packed is not None
        events: list[RunEvent] = pickle.loads(self._packed())
        return events

    @property
    def full(self) -> RunState:
        """The whole run, also where most of it was put out of the way."""
        return fold(self._unpacked()) if self.packed else self.state

    @property
    def shown(self) -> RunState:
        """The run as far as it is shown: all of it, or up to the step the reader chose."""
        state, early = self._at_step(), self._early.requests
        return replace(state, requests=(*early, *state.requests)) if early else state

    def _at_step(self) -> RunState:
        if self.step is None:
            return self.state
        if self._stepped is None or self._stepped[0] != self.step:
            self._stepped = (self.step, fold(self.events[: self._end(self.step)]))
        return self._stepped[1]

    def _end(self, step: int) -> int:
        """Return how many events belong to the first ``step`` visits."""
        entered = [n for n, event in enumerate(self.events) if isinstance(event, StateEntered)]
        return entered[step] if step < len(entered) else len(self.events)

    def move(self, by: int) -> bool:
        """Step by ``by`` visits; return whether anything changed."""
        visits = len(self.state.timeline)
        here = visits if self.step is None else self.step
        there = min(max(here + by, 1), visits)
        if there == here:
            return False
        self.step = None if there == visits else there
        return True

    # -- the graph ----------------------------------------------------------------------------

    @property
    def before(self) -> Mapping[str, Evidence]:
        """Triples that stood in the local graph before the run, by handle."""
        if self._before is None:
            self._before = self._earlier()
        return self._before

    @property
    def looked_at(self) -> bool:
        """Whether the graph of the whole run is put together."""
        return self._whole is not None

    @property
    def whole(self) -> Mapping[str, Evidence]:
        """Triples in the local graph at the end: from before, and from this run."""
        if self._whole is None:
            self._whole = self.change(dict(self.before))
        return self._whole

    @property
    def graph(self) -> Mapping[str, Evidence]:
        """Triples in the local graph at the step shown."""
        if self.step is None:
            return self.whole
        return self.change(dict(self.before), self._end(self.step))

    def change(self, graph: dict[str, Evidence], most: int | None = None) -> dict[str, Evidence]:
        """Carry out on a graph what the run, or the first ``most`` events of it, did to it."""
        for event in self._unpacked() if self.packed else self.events[:most]:
            _change(graph, event)
        return graph


def _change(graph: dict[str, Evidence], event: RunEvent) -> None:
    if isinstance(event, GraphChanged):
        for handle in event.removed:
            graph.pop(handle, None)
        graph.update((item.handle, item) for item in event.added)
    elif isinstance(event, (ClaimValidated, AnswerReady)):
        # What claims rest on and no event brought: a store from before, a cut journal.
        claims = (event.claim,) if isinstance(event, ClaimValidated) else event.answer.claims
        for item in (item for claim in claims for item in claim.support.evidence):
            graph.setdefault(item.handle, item)


def _bare(answer: Answer, claims: tuple[Claim, ...]) -> Answer:
    """Return an answer with what is shown of it once another question was asked."""
    return Answer(
        answer.question,
        answer.status,
        answer.text,
        answer.policy,
        claims,
        answer.results,
        answer.completeness,
        missing=answer.missing[:1],
        run_id=answer.run_id,
    )


@dataclass(frozen=True, slots=True)
class View:
    """What the panes show: one record at one step, and what is selected in it.

    Attributes:
        record: The record.
        number: Its place in the conversation, from 0.
        state: The run as far as it is shown.
        claim: Id of the selected claim, or empty.
        handle: Handle of the selected triple, or empty; at most one of the two is set.
        member: Id of the result selected below a claim about many, or empty.
        records: The whole conversation, oldest first.
        supports: Ids of the claims a triple supports, by handle.
        fresh: Whether another conversation has begun after the last record.
        live: Whether the run goes on.
        now: What time it is, while it does: ages are reckoned from it.
        queued: Questions that wait for the end of the last run, oldest first.
    """

    record: Record
    number: int
    state: RunState
    claim: str = ""
    handle: str = ""
    member: str = ""
    records: tuple[Record, ...] = ()
    supports: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    fresh: bool = False
    live: bool = False
    now: datetime | None = None
    queued: tuple[str, ...] = ()

    @property
    def graph(self) -> Mapping[str, Evidence]:
        """Triples by handle."""
        return self.record.graph

    def members(self, claim: Claim) -> tuple[ResultItem, ...]:
        """Return the entities that a claim is about, where it is about many: results or counted."""
        results = self.state.answer.results if self.state.answer is not None else ()
        found = tuple(item for item in results if claim.id in item.claims and item.id is not None)
        numbers = [item.value for item in results if type(item.value) is int]
        if not found and len(numbers) == 1:
            found = _counted(claim, numbers[0])
        return found if len(found) > 1 else ()

    def proof(self, claim: Claim) -> Proof:
        """Return how a claim holds: one about many for the result that is chosen among them."""
        question = without_ids(self.record.asked) or self.state.question
        absence = self.absence(claim)
        if absence is not None:
            gap = gap_of(absence)
            return make_proof(claim, question, in_place_of(gap, self.state.claims), gap)
        names = [item.id or "" for item in self.members(claim)]
        chosen = self.member if self.member in names else next(iter(names), "")
        results = self.state.answer.results if self.state.answer is not None else ()
        only = next((item.id for item in results if item.id and claim.id in item.claims), "")
        return make_proof(claim, question, of_member(claim, names, chosen), result=chosen or only)

    def absence(self, claim: Claim) -> Absence | None:
        """Return the look-up that found nothing, where a claim rests on that alone."""
        if claim.kind is not TruthKind.ABSENT or claim.support or self.state.answer is None:
            return None
        found = (item for item in self.state.answer.absences if item.text == claim.text)
        return next(found, None)

    def claim_by_id(self, claim_id: str) -> Claim | None:
        """Return the claim of that id, as far as the run is shown."""
        return next((claim for claim in self.state.claims if claim.id == claim_id), None)


def _counted(claim: Claim, number: int) -> tuple[ResultItem, ...]:
    """Return the entities that a count counted: as many as begin or end triples of one relation."""
    ends: dict[tuple[str, bool], dict[str, str]] = {}
    for item in claim.support.evidence:
        triple = item.triple
        begin = ends.setdefault((triple.predicate, False), {})
        begin.setdefault(triple.subject, item.subject_label)
        if isinstance(triple.object, EntityValue):
            end = ends.setdefault((triple.predicate, True), {})
            end.setdefault(triple.object.id, item.object_label)
    found = next((labels for labels in ends.values() if len(labels) == number), {})
    return tuple(
        ResultItem(EntityValue(id_), label, claims=(claim.id,)) for id_, label in found.items()
    )


def supports_of(claims: Iterable[Claim]) -> dict[str, tuple[str, ...]]:
    """Return which claims each triple supports."""
    found: dict[str, tuple[str, ...]] = {}
    for claim in claims:
        for item in claim.support.evidence if claim.supported else ():
            found[item.handle] = (*found.get(item.handle, ()), claim.id)
    return found


def find_call(state: RunState, call_id: str) -> tuple[TurnView, CallView] | None:
    """Return the call of that id with its turn, or None where the run does not hold it."""
    for turn in state.timeline:
        for call in turn.calls:
            if call.id == call_id:
                return turn, call
    return None


def read_record(path: Path) -> Record:
    """Read a journal into a record.

    Raises:
        ConfigurationError: If it is no journal, or a damaged one.
    """
    notices: list[str] = []
    record = Record("", path=path)
    for event in journal.read(path, notice=notices.append):
        record.add(event)
    record.question = record.state.question
    record.notice = " ".join(notices)
    return record
