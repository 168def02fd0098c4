"""The opened core behind the node: sources, local graphs, threads. No ROS in here.

Runs at the same time have a local graph each, because runs on one graph take turns; a graph on
disk therefore allows one run at a time. A graph at a SPARQL server is opened once for each run.
"""

from __future__ import annotations

import queue
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from robodata_core.api import RoboData, open_source
from robodata_core.belief import Call, Planning, WorldSource, is_of_map
from robodata_core.beyond import asked_alone, ends_here
from robodata_core.cancellation import CancelToken
from robodata_core.errors import ConfigurationError, RoboDataError, StoreError
from robodata_core.language.lexicon import open_lexicon
from robodata_core.model import Answer, AnswerStatus, Triple
from robodata_core.sources.http import Traffic, open_traffic
from robodata_core.store.graph import LocalGraph
from robodata_core.store.open import is_server, open_graph
from robodata_ros.codes import Code, code_of, sentence_of
from robodata_ros.verification import CheckedTriple, check_triple, judge_triple
from robodata_ros.workers import Workers

if TYPE_CHECKING:
    from robodata_core.config import Settings
    from robodata_core.dialogue import Conversation
    from robodata_core.events import RunEvent
    from robodata_core.model import Answer
    from robodata_core.sources.base import KnowledgeSource

__all__ = ["Asked", "Runtime"]

_CHECKS_AT_ONCE = 4
_QUERIES_AT_ONCE = 2
_MOST_QUERIES = 1_000
_MOST_CONVERSATIONS = 64
_MOST_TURNS = 30


@dataclass(frozen=True, slots=True)
class Asked:
    """How a run ended: its answer, and an error code where it did not answer."""

    answer: Answer | None
    code: Code = Code.NONE
    problem: str = ""


class _Talks:
    """Conversations by id: so many at most, the one used least recently is forgotten first."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._by_id: OrderedDict[str, Conversation] = OrderedDict()
        self._busy: set[str] = set()

    def take(self, id_: str, robodata: RoboData) -> Conversation | None:
        """Return the conversation of an id, for one question; None while it has another."""
        with self._lock:
            if id_ in self._busy:
                return None
            self._busy.add(id_)
            conversation = self._by_id.pop(id_, None)
            if conversation is None:
                conversation = robodata.conversation(most_turns=_MOST_TURNS)
            else:
                conversation.move_to(robodata)
            self._by_id[id_] = conversation
            while len(self._by_id) > _MOST_CONVERSATIONS:
                self._by_id.popitem(last=False)
            return conversation

    def give_back(self, id_: str) -> None:
        """Let the conversation have its next question."""
        with self._lock:
            self._busy.discard(id_)


class Runtime:
    """What is open while the node is configured.

    Args:
        settings: The core's settings.
        runs: Most runs at the same time.
        more_sources: Further sources, for facts about objects.
        max_graph: Triples after which a local graph in memory is given up for an empty one.
        see: Makes one source of the map and the ontologies; None where there is no map.
        max_waiting: Most requests that wait for others to end.
        judge: Whether the verifier judges triples that a lookup does not find.

    Raises:
        RoboDataError: If a source or the local graph cannot be opened.
    """

    def __init__(
        self,
        settings: Settings,
        runs: int,
        more_sources: Sequence[str] = (),
        max_graph: int = 20_000,
        see: Callable[[Sequence[KnowledgeSource]], WorldSource] | None = None,
        max_waiting: int = 0,
        judge: bool = False,
    ) -> None:
        if settings.store and not is_server(settings.store) and runs > 1:
            raise ConfigurationError("A local graph on disk allows one run at a time.")
        self.settings = settings
        self._max_graph = max_graph
        self.sources: list[KnowledgeSource] = []
        self._opened: list[RoboData] = []
        self._dropped: Counter[RoboData] = Counter()
        self._traffic: Traffic | None = None
        self.world: WorldSource | None = None
        self.planning: Planning | None = None
        self._judging: RoboData | None = None
        try:
            self._open(runs, more_sources, see)
            if judge:
                plain = settings.model_copy(update={"store": ""})
                graph = LocalGraph.in_memory(language=settings.language)
                self._judging = RoboData(plain, self.sources[0], graph, self._traffic)
        except BaseException:
            self._close_all()
            raise
        self._free: queue.SimpleQueue[RoboData] = queue.SimpleQueue()
        for robodata in self._opened:
            self._free.put(robodata)
        self._talks = _Talks()
        self.runs = Workers(runs, "robodata-run", max_waiting)
        self.checks = Workers(_CHECKS_AT_ONCE, "robodata-check", max_waiting)
        self.queries = Workers(_QUERIES_AT_ONCE, "robodata-map-query", _MOST_QUERIES)

    def _open(
        self,
        runs: int,
        more_sources: Sequence[str],
        see: Callable[[Sequence[KnowledgeSource]], WorldSource] | None,
    ) -> None:
        self._traffic = open_traffic(self.settings)
        ontology = open_source(self.settings, self._traffic)
        self.sources.append(ontology)
        for name in more_sources:
            other = self.settings.model_copy(update={"source": (name,)})
            self.sources.append(open_source(other))
        self.world = see(self.sources) if see is not None else None
        small = open_lexicon("en").is_small
        self.planning = Planning(self.world, small=small) if self.world is not None else None
        for _ in range(runs):
            graph = open_graph(self.settings)
            try:
                opened = RoboData(self.settings, self.source, graph, self._traffic)
            except BaseException:
                graph.close()
                raise
            self._opened.append(opened)
        warm = getattr(self.source, "warm", None)
        if warm is not None:
            warm()

    @property
    def source(self) -> KnowledgeSource:
        """The source that questions are answered from: the map with the ontology, or that alone."""
        return self.world if self.world is not None else self.sources[0]

    @property
    def graphs(self) -> tuple[LocalGraph, ...]:
        """The local graphs."""
        return tuple(robodata.store for robodata in self._opened)

    def ask(
        self,
        question: str,
        cancel: CancelToken,
        on_event: Callable[[RunEvent], None],
        conversation: str = "",
    ) -> Asked:
        """Answer a question; blocks, so it is work for ``runs``.

        Args:
            question: The cleaned question.
            cancel: Stops the run.
            on_event: Told every event.
            conversation: Id of the conversation it belongs to; empty where it stands alone.
        """
        robodata = self._free.get_nowait()
        try:
            self._forget_places(robodata)
            if conversation:
                return self._said(robodata, question, cancel, on_event, conversation)
            answer = robodata.ask(question, on_event=on_event, cancel=cancel)
            return _asked(self._ended(answer), robodata.failure, cancel)
        finally:
            self._renew(robodata)
            self._free.put(robodata)

    def _said(
        self,
        robodata: RoboData,
        question: str,
        cancel: CancelToken,
        on_event: Callable[[RunEvent], None],
        id_: str,
    ) -> Asked:
        talk = self._talks.take(id_, robodata)
        if talk is None:
            return Asked(None, Code.BUSY, "This conversation's last question is still under way.")
        try:
            answer = talk.ask(question, on_event=on_event, cancel=cancel)
            return _asked(self._ended(answer), robodata.failure, cancel)
        finally:
            self._talks.give_back(id_)

    def _ended(self, answer: Answer) -> Answer:
        """Return an answer with a note of what alone was asked, where that did not know.

        Beside a map nothing is said of other sources: none knows what this robot has seen.
        """
        if self.world is None:
            return ends_here(self.settings, answer)
        asked = asked_alone(self.settings, answer)
        note = f"Beside the map, {asked[:1].lower()}{asked[1:]}"
        return replace(answer, notes=(*answer.notes, note)) if asked else answer

    def _forget_places(self, robodata: RoboData) -> None:
        """Drop what earlier runs took from the map: things may have moved since."""
        if self.world is not None:
            store = robodata.store
            gone = [store.remove_node(id_) for id_ in store.nodes() if is_of_map(id_)]
            self._dropped[robodata] += sum(map(len, gone))

    def _renew(self, robodata: RoboData) -> None:
        """Begin a new local graph if the old one is too large; a robot asks for weeks.

        A graph in memory never gives back what was dropped from it, so that counts, too. One on
        disk is somebody's wish and stays. The old one is not closed: a verification may be reading
        it.
        """
        with suppress(StoreError):  # closed meanwhile: the node is being cleaned up
            held = robodata.store.edge_count + self._dropped[robodata]
            if not robodata.settings.store and held > self._max_graph:
                robodata.store = LocalGraph.in_memory(language=self.settings.language)
                self._dropped[robodata] = 0

    def verify(
        self, triples: Sequence[Triple], cancel: CancelToken, run_id: str = ""
    ) -> tuple[CheckedTriple, ...]:
        """Look for triples; blocks, so it is work for ``checks``.

        Args:
            triples: What to look for.
            cancel: Stops it.
            run_id: Id of the request, for provenance.

        Raises:
            RoboDataError: If the source cannot answer, or the work was cancelled.
        """
        # Graphs hold what runs took from the map, which may be otherwise by now.
        checked = []
        for number, item in enumerate(triples, 1):
            found = check_triple(
                item,
                self.world.plain if self.world is not None else self.source,
                () if is_of_map(item.subject) else self.graphs,
                cancel,
                Call("verify", run_id, f"c{number}"),
            )
            if self._judging is not None and not found.found and not is_of_map(item.subject):
                self._renew(self._judging)
                found = judge_triple(found, self._judging, cancel)
            checked.append(found)
        return tuple(checked)

    def cancel_all(self) -> None:
        """Cancel everything under way."""
        for workers in (self.runs, self.checks, self.queries):
            workers.cancel_all()

    def close(self) -> None:
        """Stop all work and release everything."""
        self.runs.stop()
        self.checks.stop()
        self.queries.stop()
        self._close_all()

    def _close_all(self) -> None:
        closing: list[Any] = [*self._opened, *self.sources]
        if self._judging is not None:
            closing.insert(0, self._judging)
        if self._traffic is not None:
            closing.append(self._traffic)
        for item in closing:
            with suppress(RoboDataError, OSError):
                item.close()


def _asked(answer: Answer, failure: BaseException | None, cancel: CancelToken) -> Asked:
    if answer.status is AnswerStatus.CANCELLED:
        return Asked(answer, Code.CANCELED, "The run was cancelled.")
    if answer.status is AnswerStatus.FAILED:
        if failure is None:
            return Asked(answer, Code.UNKNOWN, answer.text)
        return Asked(answer, code_of(failure), sentence_of(failure))
    if answer.status is not AnswerStatus.ANSWERED and cancel.remaining == 0:
        return Asked(answer, Code.TIMEOUT, "The time for this question ran out.")
    return Asked(answer)
