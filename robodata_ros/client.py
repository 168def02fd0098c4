"""Calls of a robodata node from inside another node, typed, without deadlocks.

Every call returns a ``rclpy`` future at once. In an ``async`` callback, await it; the client's
entities are in a reentrant callback group of their own, so the executor goes on meanwhile, even a
single-threaded one. In a thread that does not spin an executor, hand it to ``RoboDataClient.wait``.

What is sent before the node has been discovered waits for it. A goal whose node goes away ends
too: the node sends feedback at least once a second, and after ``SILENCE`` seconds without any the
goal's future completes with an error.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.task import Future

from robodata_core.errors import InvalidRequestError
from robodata_core.model import Triple
from robodata_msgs import msg as m
from robodata_msgs.action import AnswerQuestion
from robodata_msgs.srv import (
    AskQuestion,
    FindObjects,
    GetMap,
    QueryPattern,
    UpdateMap,
    VerifyTriples,
    WhatIsMissing,
    WhereShouldItGo,
)
from robodata_ros import convert, qos
from robodata_ros.codes import Code
from robodata_ros.goals import NOBODY, ConcurrentActionClient, Goal, complete
from robodata_ros.replies import (
    KnownFact,
    Progress,
    Reply,
    Verdicts,
    known_facts,
    reply_of,
    verdicts_of,
)

__all__ = [
    "SILENCE",
    "KnownFact",
    "Progress",
    "Reply",
    "RoboDataClient",
    "Verdicts",
]

SILENCE: Final = 5.0
"""Seconds without feedback after which a goal's node counts as gone."""

_SERVICES: Final[dict[str, tuple[str, Any]]] = {
    f"{service.__name__}_Request": (name, service)
    for name, service in (
        ("find_objects", FindObjects),
        ("where_should_it_go", WhereShouldItGo),
        ("what_is_missing", WhatIsMissing),
        ("query_pattern", QueryPattern),
        ("update_map", UpdateMap),
        ("get_map", GetMap),
    )
}


class RoboDataClient:
    """A robodata node as seen from another node.

    Args:
        node: The node that calls; its executor must spin.
        robodata: Name of the node to call, relative names are resolved in ``node``'s name space.
        facts: Whether to listen for facts about objects.
    """

    def __init__(self, node: Any, robodata: str = "robodata", *, facts: bool = False) -> None:
        self._node = node
        self._robodata = robodata
        self._map_clients: dict[str, Any] = {}
        self._group = group = ReentrantCallbackGroup()
        self._ask, self._verify = (
            node.create_client(
                kind, f"{robodata}/{name}", qos_profile=qos.SERVICES, callback_group=group
            )
            for kind, name in ((AskQuestion, "ask"), (VerifyTriples, "verify"))
        )
        self._answer = ConcurrentActionClient(
            node,
            AnswerQuestion,
            f"{robodata}/answer",
            callback_group=group,
            feedback_sub_qos_profile=qos.FEEDBACK,
        )
        self._pending: dict[Future[Any], _Waiting] = {}
        self._goals: set[Goal] = set()
        self._unsent: list[tuple[Callable[[], bool], Callable[[], None]]] = []
        self._facts: dict[str, KnownFact] = {}
        self._session, self._sequence = 0, 0
        self._lock = threading.Lock()
        self._subscriptions: list[Any] = []
        if facts:
            self._subscriptions = [
                node.create_subscription(
                    m.FactArray, f"{robodata}/facts", self._on_snapshot, qos.FACTS
                ),
                node.create_subscription(
                    m.FactArray, f"{robodata}/fact_updates", self._on_updates, qos.FACT_UPDATES
                ),
            ]
        self._timer = node.create_timer(
            0.5, self._look, callback_group=group, clock=Clock(clock_type=ClockType.STEADY_TIME)
        )

    # -- calls ----------------------------------------------------------------------------------

    def ask(
        self,
        question: str,
        *,
        conversation_id: str = "",
        time_budget: float = 0.0,
        timeout: float = 60.0,
    ) -> Future[Any]:
        """Ask a question with the service; completes with a ``Reply``.

        Args:
            question: One question.
            conversation_id: Questions of one id may point back; empty: it stands alone.
            time_budget: Seconds the node may take; 0 leaves that to the node.
            timeout: Seconds after which the node counts as gone.

        Raises:
            InvalidRequestError: If the time budget is negative or no number.
        """
        request = AskQuestion.Request(
            question=convert.clean(question),
            conversation_id=conversation_id,
            time_budget=_budget(time_budget),
        )
        return self._call(self._ask, request, timeout, reply_of, Reply(Code.UNKNOWN, NOBODY))

    def verify(
        self, triples: Sequence[Triple], *, time_budget: float = 0.0, timeout: float = 60.0
    ) -> Future[Any]:
        """Check triples; completes with ``Verdicts``, one claim for each triple, in order.

        Raises:
            InvalidRequestError: If the time budget is negative or no number.
        """
        request = VerifyTriples.Request(
            triples=[convert.triple_to_msg(triple) for triple in triples],
            time_budget=_budget(time_budget),
        )
        lost = Verdicts(Code.UNKNOWN, NOBODY)
        return self._call(self._verify, request, timeout, verdicts_of, lost)

    def answer(
        self,
        question: str,
        on_progress: Callable[[Progress], None] | None = None,
        *,
        conversation_id: str = "",
        time_budget: float = 0.0,
    ) -> Goal:
        """Ask a question with the action, which reports and can be cancelled.

        Args:
            question: One question.
            on_progress: Called in the executor with every report, in order. The last reports of
                a short run may come after its result: they travel on a topic of their own.
            conversation_id: Questions of one id may point back; empty: it stands alone.
            time_budget: Seconds the node may take; 0 leaves that to the node.

        Raises:
            InvalidRequestError: If the time budget is negative or no number.
        """
        request = AnswerQuestion.Goal(
            question=convert.clean(question),
            conversation_id=conversation_id,
            time_budget=_budget(time_budget),
        )
        goal = Goal(self._node, on_progress)
        with self._lock:
            self._goals.add(goal)
        goal.future.add_done_callback(lambda _: self._goals.discard(goal))
        self._when(self._answer.server_is_ready, lambda: goal.send(self._answer, request))
        return goal

    def call(self, request: Any, *, timeout: float = 60.0) -> Future[Any]:
        """Call one of the map's services; completes with its response, whatever happens.

        Args:
            request: ``FindObjects.Request(...)`` or that of another service of the map.
            timeout: Seconds after which the node counts as gone: ``success`` is false then.

        Raises:
            InvalidRequestError: If there is no such service.
        """
        kind = _SERVICES.get(type(request).__name__)
        if kind is None:
            raise InvalidRequestError(f"{type(request).__name__} is no request to the map.")
        name, service = kind
        client = self._map_clients.get(name)
        if client is None:
            client = self._map_clients[name] = self._node.create_client(
                service,
                f"{self._robodata}/{name}",
                qos_profile=qos.SERVICES,
                callback_group=self._group,
            )
        lost = service.Response(success=False, error_code=int(Code.UNKNOWN), error_msg=NOBODY)
        return self._call(client, request, timeout, lambda response: response, lost)

    def facts_about(self, object_id: str) -> tuple[KnownFact, ...]:
        """Return what is known about an object right now; needs ``facts=True``."""
        with self._lock:
            return tuple(fact for fact in self._facts.values() if fact.object_id == object_id)

    @property
    def objects(self) -> tuple[str, ...]:
        """Ids of the objects that something was said about."""
        with self._lock:
            return tuple(dict.fromkeys(fact.object_id for fact in self._facts.values()))

    @staticmethod
    def wait(future: Future[Any], timeout: float) -> Any:
        """Wait in a thread that does not spin the executor, which would never end.

        Raises:
            TimeoutError: If nothing comes in time.
        """
        done = threading.Event()
        future.add_done_callback(lambda _: done.set())
        if not done.wait(timeout):
            raise TimeoutError(
                f"Nothing came within {timeout:g} s. In a callback await the future instead: "
                "whoever waits there keeps the executor from bringing the result."
            )
        return future.result()

    def ready(self) -> bool:
        """Tell whether the node's services and action are there."""
        return bool(
            self._ask.service_is_ready()
            and self._verify.service_is_ready()
            and self._answer.server_is_ready()
        )

    def destroy(self) -> None:
        """Take the client's entities down; open calls complete with an error.

        Call it in a callback, or when nobody spins the node's executor any more: rclpy fails if
        something is destroyed at the moment when it begins to wait for it.
        """
        self._unsent.clear()
        self._expire(float("inf"))
        self._node.destroy_timer(self._timer)
        for subscription in self._subscriptions:
            self._node.destroy_subscription(subscription)
        self._answer.destroy()
        for client in self._map_clients.values():
            self._node.destroy_client(client)
        self._node.destroy_client(self._ask)
        self._node.destroy_client(self._verify)

    # -- inside ---------------------------------------------------------------------------------

    def _call(
        self,
        client: Any,
        request: Any,
        timeout: float,
        read: Callable[[Any], Any],
        lost: Any,
    ) -> Future[Any]:
        future: Future[Any] = Future(executor=self._node.executor)
        waiting = _Waiting(time.monotonic() + timeout, lost)
        with self._lock:
            self._pending[future] = waiting

        def on_done(response: Future[Any]) -> None:
            with self._lock:
                waited = self._pending.pop(future, None)
            if waited is not None:
                complete(self._node, future, read(response.result()))

        def send() -> None:
            if future in self._pending:
                sent = client.call_async(request)
                waiting.forget = lambda: client.remove_pending_request(sent)
                sent.add_done_callback(on_done)

        self._when(client.service_is_ready, send)
        return future

    def _when(self, is_ready: Callable[[], bool], send: Callable[[], None]) -> None:
        """Send now, or when there is somebody to hear it: a request to nobody is lost."""
        if is_ready():
            send()
        else:
            with self._lock:
                self._unsent.append((is_ready, send))

    def _look(self) -> None:
        """Send what waited for its server, and end what nobody will answer any more."""
        with self._lock:
            unsent, self._unsent = self._unsent, []
        for is_ready, send in unsent:
            self._when(is_ready, send)
        self._expire(time.monotonic())

    def _expire(self, now: float) -> None:
        with self._lock:
            late = [item for item, waiting in self._pending.items() if waiting.until <= now]
            lost = [(item, self._pending.pop(item)) for item in late]
            silent = [goal for goal in self._goals if goal.heard + SILENCE <= now]
        for future, waiting in lost:
            waiting.forget()
            complete(self._node, future, waiting.lost)
        for goal in silent:
            goal.lose()

    def _on_snapshot(self, array: Any) -> None:
        with self._lock:
            if array.session == self._session and array.sequence < self._sequence:
                return
            self._session, self._sequence = array.session, array.sequence
            self._facts = {fact.id: fact for fact in known_facts(array.facts)}

    def _on_updates(self, array: Any) -> None:
        with self._lock:
            self._session = self._session or array.session
            # A node that was started or activated anew counts anew, and tells everything first.
            if array.session != self._session or array.sequence <= self._sequence:
                return
            self._sequence = array.sequence
            for fact in array.facts:
                if fact.operation == m.Fact.DELETE:
                    self._facts.pop(fact.id, None)
                else:
                    self._facts.update((known.id, known) for known in known_facts([fact]))


@dataclass(slots=True)
class _Waiting:
    """A service call: until when it may take, what stands for its result then, what ends it."""

    until: float
    lost: Any
    forget: Callable[[], None] = lambda: None


def _budget(seconds: float) -> Any:
    if not seconds >= 0:
        raise InvalidRequestError(
            f"A time budget of {seconds} seconds is none.", hint="0 leaves it to the node."
        )
    return convert.duration_to_msg(seconds)
