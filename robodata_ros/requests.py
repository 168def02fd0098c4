"""The node's services and its action: messages in, work in threads, messages out.

Nothing here blocks the executor. A callback starts a job and awaits a future that the job's
thread sets; meanwhile the executor goes on. Nothing here raises into the executor either.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, Final

from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.callback_groups import ReentrantCallbackGroup

from robodata_core.api import clean_question
from robodata_core.errors import InvalidRequestError
from robodata_core.events import (
    ClaimValidated,
    GraphChanged,
    RunEvent,
    StateEntered,
    ToolCalled,
    ToolReturned,
)
from robodata_core.model import SupportSet
from robodata_core.narrate import narrate
from robodata_core.run_state import RunState, apply
from robodata_msgs import msg as m
from robodata_msgs.action import AnswerQuestion
from robodata_msgs.srv import AskQuestion, VerifyTriples
from robodata_ros import convert, qos
from robodata_ros.codes import Code
from robodata_ros.runtime import Asked
from robodata_ros.serving import Refused, Serving
from robodata_ros.verification import CheckedTriple
from robodata_ros.workers import Job, Workers

__all__ = ["Requests"]

_TOLD: Final = (StateEntered, ToolCalled, ToolReturned, GraphChanged, ClaimValidated)
_LONGEST_TERM: Final = 10_000
_LONGEST_ID: Final = 200
_JUDGED: Final = "how sure the verifier is"


class _Goal:
    """An accepted goal while its run lasts: what its feedback is made of."""

    def __init__(self, handle: Any) -> None:
        self.handle = handle
        self.job: Job | None = None
        self.run = RunState()
        self.message = ""
        self.tool = ""
        self._telling = threading.Lock()

    def take(self, event: RunEvent) -> None:
        """Fold an event of the run, and tell the client if it matters to it."""
        self.run = apply(self.run, event)
        if isinstance(event, (ToolCalled, ToolReturned)):
            self.tool = event.tool
        if isinstance(event, _TOLD):
            self.message = narrate(event) or self.message
            self.tell()

    def tell(self) -> None:
        """Send feedback; a sign of life does not overtake what the run's thread tells."""
        with self._telling, suppress(Exception):  # the goal may end at any moment
            self.handle.publish_feedback(self._feedback())

    def _feedback(self) -> Any:
        run, job = self.run, self.job
        return AnswerQuestion.Feedback(
            state=convert.clean(run.state),
            message=convert.clean(self.message),
            turn=convert.count(run.turn.number if run.turn else 0),
            max_turns=convert.count(run.max_turns),
            elapsed=convert.duration_to_msg(job.elapsed if job else 0.0),
            tool=convert.clean(self.tool),
            nodes=convert.count(run.nodes),
            edges=convert.count(run.edges),
            claims=[convert.claim_to_msg(claim) for claim in run.claims],
        )


class Requests:
    """Services ``~/ask`` and ``~/verify`` and the action ``~/answer``.

    They exist as long as the node does and say NOT_ACTIVE while it is not active, which tells a
    caller more than a server that is not there.

    Args:
        serving: Gates and counts requests.
        on_event: Called with every event of every run, in the run's thread.
    """

    def __init__(self, serving: Serving, on_event: Callable[[RunEvent], None]) -> None:
        self._serving = serving
        self._node = node = serving.node
        self._on_event = on_event
        self._goals: dict[bytes, _Goal] = {}
        self._lock = threading.Lock()
        group = ReentrantCallbackGroup()
        self._services = [
            node.create_service(kind, name, take, callback_group=group, qos_profile=qos.SERVICES)
            for kind, name, take in (
                (AskQuestion, "~/ask", self._ask),
                (VerifyTriples, "~/verify", self._verify),
            )
        ]
        self._action = ActionServer(
            node,
            AnswerQuestion,
            "~/answer",
            self._answer,
            callback_group=group,
            goal_callback=lambda _: GoalResponse.ACCEPT,
            cancel_callback=self._cancel,
            goal_service_qos_profile=qos.SERVICES,
            result_service_qos_profile=qos.SERVICES,
            cancel_service_qos_profile=qos.SERVICES,
            feedback_pub_qos_profile=qos.FEEDBACK,
            result_timeout=60,
        )

    def destroy(self) -> None:
        """Take the servers down."""
        self._action.destroy()
        for service in self._services:
            self._node.destroy_service(service)

    def tell_all(self) -> None:
        """Send every client of a goal a sign of life."""
        with self._lock:
            goals = tuple(self._goals.values())
        for goal in goals:
            goal.tell()

    # -- callbacks ------------------------------------------------------------------------------

    async def _ask(self, request: Any, response: Any) -> Any:
        with self._serving.opened():
            return await self._asked(request, response)

    async def _asked(self, request: Any, response: Any) -> Any:
        asked, answer = await self._run(request, self._on_event, None)
        response.success = asked.code is Code.NONE
        response.error_code, response.error_msg = int(asked.code), convert.clean(asked.problem)
        if answer is not None and response.success:
            response.answer = answer
        return response

    async def _answer(self, handle: Any) -> Any:
        with self._serving.opened():
            return await self._answered(handle)

    async def _answered(self, handle: Any) -> Any:
        goal = _Goal(handle)
        key = bytes(handle.goal_id.uuid)
        with self._lock:
            self._goals[key] = goal

        def on_event(event: RunEvent) -> None:
            self._on_event(event)
            goal.take(event)

        try:
            asked, answer = await self._run(handle.request, on_event, goal)
        finally:
            with self._lock:
                self._goals.pop(key, None)
        result = AnswerQuestion.Result()
        result.error_code, result.error_msg = int(asked.code), convert.clean(asked.problem)
        if answer is not None:
            result.answer = answer
        _end(handle, asked.code)
        return result

    def _cancel(self, handle: Any) -> Any:
        with self._lock:
            goal = self._goals.get(bytes(handle.goal_id.uuid))
        runtime = self._serving.runtime
        if goal is not None and goal.job is not None and runtime is not None:
            runtime.runs.cancel(goal.job)
        return CancelResponse.ACCEPT

    async def _verify(self, request: Any, response: Any) -> Any:
        with self._serving.opened():
            return await self._verified(request, response)

    async def _verified(self, request: Any, response: Any) -> Any:
        try:
            runtime = self._serving.active()
            most = self._node.get_parameter("max_triples").value
            if not 0 < len(request.triples) <= most:
                raise Refused(Code.INVALID_REQUEST, f"Send 1 to {most} triples in one request.")
            triples = [_triple(item, index) for index, item in enumerate(request.triples, 1)]
            id_ = self._serving.new_id("verify")
            checked = await self._serving.work(
                runtime.checks, lambda token: runtime.verify(triples, token, id_), request
            )
            self._serving.counts["verified"] += len(checked)
            response.claims = [_verdict(item) for item in checked]
            response.success = True
        except BaseException as error:
            self._serving.fail(response, error)
        return response

    # -- work -----------------------------------------------------------------------------------

    async def _run(
        self, request: Any, on_event: Callable[[RunEvent], None], goal: _Goal | None
    ) -> tuple[Asked, Any]:
        """Answer the question of a request; every way this can end is an ``Asked``.

        Returns:
            It, and the message of its answer, or None where it has none.
        """
        try:
            runtime = self._serving.active()
            _refuse_what_is_not_there(request, runtime.settings.language)
            question = clean_question(request.question, runtime.settings.max_question)
            conversation = request.conversation_id
            asked: Asked = await self._serving.work(
                runtime.runs,
                lambda token: runtime.ask(question, token, on_event, conversation),
                request,
                lambda job: _start(goal, job, runtime.runs),
            )
            answer = None if asked.answer is None else convert.answer_to_msg(asked.answer)
        except BaseException as error:
            return Asked(None, *self._serving.judge(error)), None
        self._count(asked)
        return asked, answer

    def _count(self, asked: Asked) -> None:
        if asked.code is not Code.NONE:
            self._serving.counts["failed"] += 1
            self._serving.last_error = f"{asked.code.name}: {asked.problem}"
        elif asked.answer is not None and asked.answer.results:
            self._serving.counts["answered"] += 1
        else:
            self._serving.counts["abstained"] += 1


def _start(goal: _Goal | None, job: Job, workers: Workers) -> None:
    """Let a goal's feedback know its job; a goal cancelled meanwhile is not carried out."""
    if goal is not None:
        goal.job = job
        if goal.handle.is_cancel_requested:
            workers.cancel(job)


def _refuse_what_is_not_there(request: Any, language: str) -> None:
    """Refuse what would have to be ignored: who asks for it would take the answer for another."""
    if request.language and request.language.lower() != language.lower():
        raise Refused(Code.INVALID_REQUEST, f"This node answers in {language!r} only.")
    if len(request.conversation_id) > _LONGEST_ID:
        raise Refused(
            Code.INVALID_REQUEST, f"A conversation_id has at most {_LONGEST_ID} characters."
        )


def _triple(message: Any, index: int) -> Any:
    terms = (message.subject, message.predicate, message.object)
    longest = max(len(text) for term in terms for text in _texts(term))
    if longest > _LONGEST_TERM:
        raise InvalidRequestError(
            f"Triple {index}: a field of {longest} characters; at most {_LONGEST_TERM} are taken."
        )
    try:
        return convert.triple_from_msg(message)
    except InvalidRequestError as error:
        raise InvalidRequestError(f"Triple {index}: {error.message}") from error


def _texts(term: Any) -> tuple[str, ...]:
    numbers = (term.lower, term.upper)
    names = (term.datatype, term.language, term.unit, term.reference_system)
    return (term.value, term.label, term.unit_label, *numbers, *names)


def _verdict(checked: CheckedTriple) -> Any:
    verdict = m.Claim.SUPPORTED if checked.found else m.Claim.NOT_FOUND
    if checked.refuted:
        verdict = m.Claim.REFUTED
    claim = convert.claim_to_msg(checked.claim, verdict)
    claim.triple = convert.triple_to_msg(checked.triple)
    claim.support = _support_sets(checked.support)
    claim.refutation = _support_sets(checked.refutation)
    if checked.confidence is not None:
        claim.confidence, claim.confidence_reason = checked.confidence, _JUDGED
    return claim


def _support_sets(sets: Iterable[SupportSet]) -> list[Any]:
    return [
        m.SupportSet(evidence=[convert.evidence_to_msg(item) for item in one.evidence])
        for one in sets
    ]


def _end(handle: Any, code: Code) -> None:
    """Bring a goal to its end state; what is not possible any more becomes ABORTED."""
    try:
        if code is Code.NONE:
            handle.succeed()
        elif code is Code.CANCELED and handle.is_cancel_requested:
            handle.canceled()
        else:
            handle.abort()
    except Exception:
        with suppress(Exception):
            handle.abort()
