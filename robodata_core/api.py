"""The Python front door: open RoboData, ask, watch.

Example::

    from robodata_core import RoboData

    with RoboData.open() as rd:
        answer = rd.ask("What is the capital of Canada?")
        print(answer.status.value, answer.text)
"""

from __future__ import annotations

import contextlib
import queue
import secrets
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from robodata_core._opening import (
    decomposer,
    investigator,
    open_client,
    open_pipeline,
    policy_factory,
    recorded,
)
from robodata_core.cancellation import CancelToken
from robodata_core.config import Settings, load_settings
from robodata_core.errors import DeadlineExceededError, SourceTimeoutError
from robodata_core.killable import run_killable
from robodata_core.question import clean_question

if TYPE_CHECKING:
    from decimal import Decimal

    from robodata_core.beyond import Beyond
    from robodata_core.dialogue import Conversation
    from robodata_core.dialogue.means import Means
    from robodata_core.events import Rewriting, RunEvent
    from robodata_core.model import Answer, Value
    from robodata_core.orchestrator.loop import Earlier
    from robodata_core.orchestrator.machine import State, Table
    from robodata_core.orchestrator.parts import Parts
    from robodata_core.policy.base import Policy
    from robodata_core.policy.llm.asides import Rephrases
    from robodata_core.policy.offline.resources import OfflineResources
    from robodata_core.sources.base import KnowledgeSource
    from robodata_core.sources.http import Traffic
    from robodata_core.store.graph import LocalGraph
    from robodata_core.texts.open import Texts
    from robodata_core.tools.base import Tool
    from robodata_core.tools.registry import Toolbox
    from robodata_core.verification.verdict import Verdict
    from robodata_core.verification.verifying import Verifier

__all__ = ["RoboData", "clean_question"]

_POLL: Final = 0.05


class RoboData:
    """An opened source, a local graph, and the means to ask questions about them.

    Use ``RoboData.open``. ``ask`` and ``stream`` may be called from any thread; runs on one
    object take turns, because they share its local graph.

    Args:
        settings: What shapes the runs.
        source: The remote ontology; closed with this object.
        store: The local graph; closed with this object.
        traffic: What the source's requests go through, where it is a live one.
        policy: Makes a policy of somebody's own for each run, in place of what ``settings`` name.
        tools: Tools of somebody's own, beside those that are there.

    Attributes:
        settings: What it was opened with.
        source: The remote ontology.
        store: The local graph; it grows from question to question.
        failure: What ended the last run as ``failed``, or None.
        time_left: Seconds of the time budget that opening it left, for whoever asks one question
            and ends; None without a budget.
    """

    def __init__(
        self,
        settings: Settings,
        source: KnowledgeSource,
        store: LocalGraph,
        traffic: Traffic | None = None,
        *,
        policy: Callable[[], Policy] | None = None,
        tools: Iterable[Tool[Any]] = (),
    ) -> None:
        self.settings = settings
        self.source = source
        self.store = store
        self._traffic = traffic
        self.failure: BaseException | None = None
        self.time_left = settings.time_budget
        self._turnstile = threading.Lock()
        self._verifier: Verifier | None = None
        self._texts: Texts | None = None
        self._client = open_client(settings, traffic)
        self._resources: OfflineResources | None = None
        if self._client is None or settings.policy == "auto":
            self._offline_resources()  # what is wrong with them is told at once
        self._pipeline = open_pipeline(settings, source, self._client)
        self._make_policy = policy_factory(
            settings, source, self._client, self._resources, self._pipeline
        )
        if policy is not None:
            self._make_policy = lambda: (policy(), None)
        self._parts = _parts_with(tuple(tools))
        self._decompose = decomposer(settings, self._client)
        self._beyond: Beyond[RoboData] | None = None

    @classmethod
    def open(cls, config: str | Path | None = None, **settings: Any) -> RoboData:
        """Open the source and the local graph that the settings name.

        Args:
            config: Settings file; None looks for ``robodata.yaml`` in the working folder.
            settings: Settings by name (see ``robodata_core.config.Settings``).

        Raises:
            ConfigurationError: If a setting is wrong or asks for what is not there.
            SnapshotError: If the snapshot is missing or damaged.
            StoreError: If the store cannot be opened.
            SourceError: If a live source does not answer what the policy needs to begin.
        """
        from robodata_core.beyond import Beyond, split
        from robodata_core.sources.http import open_traffic
        from robodata_core.store.open import open_graph

        merged, further = split(load_settings(config, **settings))
        started = time.monotonic()

        def _opening() -> RoboData:
            with contextlib.ExitStack() as opened:
                traffic = open_traffic(merged)
                if traffic is not None:
                    opened.callback(traffic.close)
                source = open_source(merged, traffic)
                opened.callback(source.close)
                store = open_graph(merged)
                opened.callback(store.close)
                robodata = cls(merged, source, store, traffic)
                if further is not None:
                    robodata._beyond = Beyond(
                        lambda: cls(further, open_source(further, traffic), store, traffic)
                    )
                opened.pop_all()  # from here on it is the object that closes them
            return robodata

        robodata = _in_time(_opening, merged.time_budget)
        if robodata.time_left is not None:
            robodata.time_left = max(0.0, robodata.time_left - (time.monotonic() - started))
        return robodata

    def ask(
        self,
        question: str,
        *,
        on_event: Callable[[RunEvent], None] | None = None,
        cancel: CancelToken | None = None,
        time_budget: float | None = None,
        hint: str = "",
    ) -> Answer:
        """Answer ``question``; blocks until the run ends, however it ends.

        Args:
            question: Natural language, at most ``settings.max_question`` characters.
            on_event: Called with every event of the run, in order, in this thread.
            cancel: Stops the run from another thread; its deadline counts as well.
            time_budget: Seconds this run may take, instead of ``settings.time_budget``;
                not used when ``cancel`` is given.
            hint: What the person who asks adds, to look further on the same local graph.

        Returns:
            The answer; its ``status`` says how the run ended. Failures of sources, tools and
            policies end in a status, not in an exception.

        Raises:
            InvalidRequestError: If the question is empty or too long.
        """
        text = clean_question(question, self.settings.max_question)
        if hint.strip():
            text = clean_question(f"{text} {hint}", self.settings.max_question + len(hint) + 1)
        budget = time_budget if time_budget is not None else self.settings.time_budget
        token = cancel or CancelToken(budget)
        with self._turn(token), token.active():
            return self._answered(text, on_event, token)

    def verify(
        self,
        subject: str,
        predicate: str,
        object_: str | float | Decimal | Value,
        *,
        decide: bool = False,
        without_itself: bool = False,
        on_event: Callable[[RunEvent], None] | None = None,
        cancel: CancelToken | None = None,
        time_budget: float | None = None,
    ) -> Verdict:
        """Judge whether a triple holds; blocks until the run ends, however it ends.

        Deterministic without a model; with ``policy="llm"`` the model investigates.

        Args:
            subject: Id or name.
            predicate: Id or name of a property.
            object_: Id or name, or a literal: text, a date, a number with its unit, a ``Value``.
            decide: Decide also where the graph neither states, contradicts nor implies it.
            without_itself: Keep the triple and its trivial copies out of sight.
            on_event: Called with every event of the run, in order, in this thread.
            cancel: Stops the run from another thread; its deadline counts as well.
            time_budget: Seconds this run may take, instead of ``settings.time_budget``;
                not used when ``cancel`` is given.

        Returns:
            The verdict; its ``status`` says how the run ended.

        Raises:
            InvalidRequestError: If a part names nothing, or more than one thing.
            SourceError: If the source cannot be asked for what the parts name.
            CancelledError: If the run was cancelled before that was known.
            DeadlineExceededError: If its time was over before.
            ConfigurationError: If the calibration that is set cannot be read.
        """
        from robodata_core.verification.verifying import Request, Verifier

        budget = time_budget if time_budget is not None else self.settings.time_budget
        token = cancel or CancelToken(budget)
        with self._turn(token), token.active():
            if self._verifier is None:
                self._texts, agent = investigator(self.settings, self._client, self._traffic)
                self._verifier = Verifier(self.source, self.settings, agent, self._texts)
            request = Request(subject, predicate, object_, decide, without_itself)
            verifier = self._verifier
            named = run_killable(lambda: verifier.understand(request), token, "robodata-naming")
            return verifier.run(
                request,
                named,
                lambda text, policy, table, tools: self._run(
                    text, on_event, token, policy=policy, table=table, tools=tools
                ),
                token,
            )

    @contextlib.contextmanager
    def _turn(self, token: CancelToken) -> Iterator[None]:
        """Wait for the runs before; a run whose time is over meanwhile only says so."""
        mine = False
        while not mine and not token.cancelled and token.remaining != 0:
            mine = self._turnstile.acquire(timeout=_POLL)
        try:
            yield
        finally:
            if mine:
                self._turnstile.release()

    def conversation(self, *, most_turns: int = 50) -> Conversation:
        """Begin a conversation: questions that may point back to earlier ones.

        It shares the local graph with everything else that is asked here; several conversations
        may go on at once, each with a history of its own.

        Args:
            most_turns: Turns it remembers.
        """
        from robodata_core.dialogue import Conversation

        return Conversation(self._means(), most_turns=most_turns)

    def _means(self) -> Means:
        from robodata_core.dialogue.means import Means
        from robodata_core.dialogue.reading import Knowledge

        def _knowledge(cancel: CancelToken) -> Knowledge:
            resources = self._offline_resources()
            return Knowledge(self.source, self.store, resources, self.settings.language, cancel)

        return Means(
            self.settings, self._turn, self._rephraser(), _knowledge, self._answered, self._replied
        )

    def _answered(
        self,
        text: str,
        on_event: Callable[[RunEvent], None] | None,
        token: CancelToken,
        rewriting: Rewriting | None = None,
    ) -> Answer:
        """Answer a question that stands alone; whoever calls holds the turnstile."""
        parts, call = self._decompose(text, token) if self._decompose else ((), None)
        seen = None
        earlier = []
        for part in parts:
            found, seen = self._run_after(seen, part, on_event, token)
            earlier.append(found)
        answer, _ = self._run_after(seen, text, on_event, token, rewriting)
        if self._beyond is not None:
            first = answer
            answer = self._beyond.asked(
                first,
                lambda further, emit: further._run(text, emit, token, rewriting),
                on_event,
            )
            earlier += [first] if answer.run_id != first.run_id else []
        from robodata_core.orchestrator.statistics import with_all_costs

        return with_all_costs(answer, earlier, call)

    def _replied(
        self,
        answer: Answer,
        rewriting: Rewriting,
        on_event: Callable[[RunEvent], None] | None,
    ) -> Answer:
        """Tell of a reply that needs no run; whoever calls holds the turnstile."""
        from robodata_core.clock import SystemClock
        from robodata_core.orchestrator.reply import tell_reply

        run_id = f"run-{secrets.token_hex(8)}"
        self.failure = None
        with recorded(self.settings, run_id, on_event) as emit:
            return tell_reply(
                answer,
                rewriting,
                settings=self.settings,
                source=self.source.name,
                emit=emit,
                clock=SystemClock(),
                run_id=run_id,
            )

    def _offline_resources(self) -> OfflineResources:
        from robodata_core.policy.offline.resources import OfflineResources

        if self._resources is None:
            self._resources = OfflineResources.build(self.source, self.settings)
        return self._resources

    def _rephraser(self) -> Rephrases | None:
        if self._client is None:
            return None
        if self._pipeline is not None:
            return self._pipeline.reader
        from robodata_core.policy.llm.open import rephraser

        return rephraser(self.settings, self._client)

    def _run(
        self,
        text: str,
        on_event: Callable[[RunEvent], None] | None,
        token: CancelToken,
        rewriting: Rewriting | None = None,
        policy: Policy | None = None,
        **walk: Any,
    ) -> Answer:
        return self._run_after(None, text, on_event, token, rewriting, policy, **walk)[0]

    def _run_after(
        self,
        seen: Earlier | None,
        text: str,
        on_event: Callable[[RunEvent], None] | None,
        token: CancelToken,
        rewriting: Rewriting | None = None,
        policy: Policy | None = None,
        table: Table | None = None,
        tools: Callable[[State], Toolbox] | None = None,
    ) -> tuple[Answer, Earlier]:
        """Run a question that may build on others; return what later ones may build on, too."""
        from robodata_core.clock import SystemClock
        from robodata_core.orchestrator.loop import Orchestrator
        from robodata_core.orchestrator.machine import TRANSITIONS

        run_id = f"run-{secrets.token_hex(8)}"
        with recorded(self.settings, run_id, on_event) as emit:
            observer = None
            if policy is None:
                policy, observer = self._make_policy()
            orchestrator = Orchestrator(
                source=self.source,
                store=self.store,
                policy=policy,
                observer=observer,
                parts=self._parts,
                settings=self.settings,
                emit=emit,
                cancel=token,
                clock=SystemClock(),
                new_id=lambda: run_id,
                earlier=seen,
                table=table or TRANSITIONS,
                tools=tools,
            )
            answer = orchestrator.run(text, rewriting)
            self.failure = orchestrator.failure
            return answer, orchestrator.earlier

    def stream(self, question: str, *, cancel: CancelToken | None = None) -> Iterator[RunEvent]:
        """Answer ``question``, yielding the run's events as they happen.

        The run goes on in a daemon thread; leaving the loop early cancels it. The answer is in
        the ``AnswerReady`` event.

        Raises:
            InvalidRequestError: If the question is empty or too long, before the first event.
        """
        clean_question(question, self.settings.max_question)
        return self._stream(question, cancel or CancelToken(self.settings.time_budget))

    def _stream(self, question: str, token: CancelToken) -> Iterator[RunEvent]:
        events: queue.SimpleQueue[RunEvent | BaseException | None] = queue.SimpleQueue()

        def _run() -> None:
            try:
                self.ask(question, on_event=events.put, cancel=token)
            except BaseException as error:  # handed over to the caller's thread
                events.put(error)
            finally:
                events.put(None)

        thread = threading.Thread(target=_run, name="robodata-run", daemon=True)
        thread.start()
        try:
            while (item := events.get()) is not None:
                if isinstance(item, BaseException):
                    raise item
                yield item
        finally:
            token.cancel()
            thread.join()

    def rest(self) -> None:
        """Let go of what is kept in memory and can be read again: for a pause in long use."""
        from robodata_core.sources.capabilities import rest

        rest(self.source)
        if self._resources is not None and self._resources.understanding is not None:
            self._resources.understanding.view.refresh()

    def close(self) -> None:
        """Release the store, the source and the connection to a model."""
        if self._texts is not None:
            self._texts.close()
        if self._client is not None:
            self._client.close()
        if self._beyond is not None:
            self._beyond.close()
        self.store.close()
        self.source.close()
        if self._traffic is not None:
            self._traffic.close()

    def __enter__(self) -> RoboData:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()


def _in_time(opening: Callable[[], RoboData], seconds: float | None) -> RoboData:
    """Open what runs need within the time of a run.

    Raises:
        SourceTimeoutError: If it takes longer.
    """
    token = CancelToken(seconds)
    try:
        with token.active():
            return run_killable(opening, token, "robodata-open")
    except DeadlineExceededError as error:
        raise SourceTimeoutError(
            f"Source and store could not be opened within {seconds:g} seconds.",
            hint="Is the service there? --time-budget gives more time.",
        ) from error


def open_source(settings: Settings, traffic: Traffic | None = None) -> KnowledgeSource:
    """Open the source, or the chain of sources, that ``settings.source`` names.

    Raises:
        ConfigurationError: If there is no such kind of source.
        SnapshotError: If a snapshot is missing or damaged.
    """
    from robodata_core.sources import open as opening

    return opening.open_source(settings, traffic)


def _parts_with(tools: tuple[Tool[Any], ...]) -> Parts | None:
    if not tools:
        return None  # the orchestrator loads its own when the first run begins
    from robodata_core.orchestrator.parts import default_parts

    return default_parts(tools)
