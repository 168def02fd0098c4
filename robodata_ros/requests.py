"""The node's services and its action: messages in, work in threads, messages out.

Nothing here blocks the executor. A callback starts a job and awaits a future that the job's
thread sets; meanwhile the executor goes on. Nothing here raises into the executor either.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.task import Future

from robodata_core.api import clean_question
from robodata_core.cancellation import CancelToken
from robodata_core.errors import InvalidRequestError
from robodata_core.events import (
    ClaimValidated,
    GraphChanged,
    RunEvent,
    StateEntered,
    ToolCalled,
    ToolReturned,
)
from robodata_core.narrate import narrate
from robodata_core.run_state import RunState, apply
from robodata_msgs import msg as m
from robodata_msgs.action import AnswerQuestion
from robodata_msgs.srv import AskQuestion, VerifyTriples
from robodata_ros import convert, qos
from robodata_ros.codes import Code, code_of, sentence_of
from robodata_ros.runtime import Asked, Runtime
from robodata_ros.verification import CheckedTriple
from robodata_ros.workers import Job, Workers

__all__ = ["Requests"]

_TOLD: Final = (StateEntered, ToolCalled, ToolReturned, GraphChanged, ClaimValidated)
_MOST_BUDGET: Final = 86_400.0
_LONGEST_TERM: Final = 10_000
_LONGEST_ID: Final = 200


class _Refused(Exception):
    """A request that is not carried out."""

    def __init__(self, code: Code, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code


class _Goal:
    """An accepted goal while its run lasts: what its feedback is made of."""

    def __init__(self, handle: Any) -> None:
        self.handle = handle
        self.job: Job | None = None
        self.run = RunState()
        self.message = ""
        self.tool = ""

    def take(self, event: RunEvent) -> None:
        """Fold an event of the run, and tell the client if it matters to it."""
        self.run = apply(self.run, event)
        if isinstance(event, (ToolCalled, ToolReturned)):
            self.tool = event.tool
        if isinstance(event, _TOLD):
            self.message = narrate(event) or self.message
            self.tell()

    def tell(self) -> None:
        """Send feedback."""
        run, job = self.run, self.job
        feedback = AnswerQuestion.Feedback(
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
        with suppress(Exception):  # the goal may end, or the context shut down, at any moment
            self.handle.publish_feedback(feedback)


class Requests:
    """Services ``~/ask`` and ``~/verify`` and the action ``~/answer``.

    They exist as long as the node does and say NOT_ACTIVE while it is not active, which tells a
    caller more than a server that is not there.

    Args:
        node: The node.
        on_event: Called with every event of every run, in the run's thread.
    """

    def __init__(self, node: Any, on_event: Callable[[RunEvent], None]) -> None:
        self._node = node
        self._on_event = on_event
        self._runtime: Runtime | None = None
        self._goals: dict[bytes, _Goal] = {}
        self._lock = threading.Lock()
        self._open = 0
        self.counts = {"answered": 0, "abstained": 0, "refused": 0, "failed": 0, "verified": 0}
        self.last_error = ""
        group = ReentrantCallbackGroup()
        self._services = [
            node.create_service(AskQuestion, "~/ask", self._ask, callback_group=group),
            node.create_service(VerifyTriples, "~/verify", self._verify, callback_group=group),
        ]
        self._action = ActionServer(
            node,
            AnswerQuestion,
            "~/answer",
            self._answer,
            callback_group=group,
            goal_callback=lambda _: GoalResponse.ACCEPT,
            cancel_callback=self._cancel,
            feedback_pub_qos_profile=qos.FEEDBACK,
            result_timeout=60,
        )

    def activate(self, runtime: Runtime) -> None:
        """Take requests from now on."""
        self._runtime = runtime

    def deactivate(self) -> None:
        """Refuse requests from now on, and cancel what is under way."""
        runtime, self._runtime = self._runtime, None
        if runtime is not None:
            runtime.runs.cancel_all()
            runtime.checks.cancel_all()

    @property
    def busy(self) -> bool:
        """Whether any request has not got its end yet."""
        return self._open > 0

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

    @contextmanager
    def _opened(self) -> Iterator[None]:
        """Count a request while it is open; callbacks all run in the executor's thread."""
        self._open += 1
        try:
            yield
        finally:
            self._open -= 1

    async def _ask(self, request: Any, response: Any) -> Any:
        with self._opened():
            return await self._asked(request, response)

    async def _asked(self, request: Any, response: Any) -> Any:
        asked = await self._run(request, self._on_event, None)
        response.success = asked.code is Code.NONE
        response.error_code, response.error_msg = int(asked.code), convert.clean(asked.problem)
        if asked.answer is not None and response.success:
            response.answer = convert.answer_to_msg(asked.answer)
        return response

    async def _answer(self, handle: Any) -> Any:
        with self._opened():
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
            asked = await self._run(handle.request, on_event, goal)
        finally:
            with self._lock:
                self._goals.pop(key, None)
        result = AnswerQuestion.Result()
        result.error_code, result.error_msg = int(asked.code), convert.clean(asked.problem)
        if asked.answer is not None:
            result.answer = convert.answer_to_msg(asked.answer)
        _end(handle, asked.code)
        return result

    def _cancel(self, handle: Any) -> Any:
        with self._lock:
            goal = self._goals.get(bytes(handle.goal_id.uuid))
        runtime = self._runtime
        if goal is not None and goal.job is not None and runtime is not None:
            runtime.runs.cancel(goal.job)
        return CancelResponse.ACCEPT

    async def _verify(self, request: Any, response: Any) -> Any:
        with self._opened():
            return await self._verified(request, response)

    async def _verified(self, request: Any, response: Any) -> Any:
        try:
            runtime = self._active()
            most = self._node.get_parameter("max_triples").value
            if not 0 < len(request.triples) <= most:
                raise _Refused(Code.INVALID_REQUEST, f"Send 1 to {most} triples in one request.")
            triples = [_triple(item, index) for index, item in enumerate(request.triples, 1)]
            checked = await self._work(
                runtime.checks, lambda token: runtime.verify(triples, token), request, None
            )
            self.counts["verified"] += len(checked)
            response.claims = [_verdict(item) for item in checked]
            response.success = True
        except BaseException as error:
            code, problem = self._judge(error)
            response.error_code, response.error_msg = int(code), convert.clean(problem)
        return response

    # -- work -----------------------------------------------------------------------------------

    async def _run(
        self, request: Any, on_event: Callable[[RunEvent], None], goal: _Goal | None
    ) -> Asked:
        """Answer the question of a request; every way this can end is an ``Asked``."""
        try:
            runtime = self._active()
            _refuse_what_is_not_there(request, runtime.settings.language)
            question = clean_question(request.question, runtime.settings.max_question)
            conversation = request.conversation_id
            asked: Asked = await self._work(
                runtime.runs,
                lambda token: runtime.ask(question, token, on_event, conversation),
                request,
                goal,
            )
        except BaseException as error:
            return Asked(None, *self._judge(error))
        self._count(asked)
        return asked

    def _count(self, asked: Asked) -> None:
        if asked.code is not Code.NONE:
            self.counts["failed"] += 1
            self.last_error = f"{asked.code.name}: {asked.problem}"
        elif asked.answer is not None and asked.answer.results:
            self.counts["answered"] += 1
        else:
            self.counts["abstained"] += 1

    def _active(self) -> Runtime:
        if self._runtime is None:
            raise _Refused(Code.NOT_ACTIVE, "The node is not active; configure and activate it.")
        return self._runtime

    async def _work(
        self,
        workers: Workers,
        work: Callable[[CancelToken], Any],
        request: Any,
        goal: _Goal | None,
    ) -> Any:
        """Do blocking work in a thread, and await its outcome."""
        budget = _budget(request, self._node.get_parameter("time_budget").value)
        executor = self._node.executor
        future: Future[Any] = Future(executor=executor)

        def on_done(outcome: Any) -> None:
            future.set_result(outcome)
            with suppress(Exception):  # the executor may be gone by now
                executor.wake()

        job = workers.start(work, budget, on_done)
        if job is None:
            raise _Refused(Code.BUSY, "As many requests as allowed are under way; try again later.")
        if goal is not None:
            goal.job = job
            if goal.handle.is_cancel_requested:
                workers.cancel(job)
        outcome = await future
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    def _judge(self, error: BaseException) -> tuple[Code, str]:
        if isinstance(error, _Refused):
            self.counts["refused"] += 1
            return error.code, str(error)
        code, sentence = code_of(error), sentence_of(error)
        if code is Code.UNKNOWN:
            self._node.get_logger().error(f"A request failed: {error!r}")
        self.counts["refused" if code is Code.INVALID_REQUEST else "failed"] += 1
        self.last_error = f"{code.name}: {sentence}"
        return code, sentence


def _budget(request: Any, default: float) -> float:
    seconds = convert.duration_to_seconds(request.time_budget)
    if seconds < 0:
        raise InvalidRequestError("The time budget is negative.")
    return min(seconds, _MOST_BUDGET) or default


def _refuse_what_is_not_there(request: Any, language: str) -> None:
    """Refuse what would have to be ignored: who asks for it would take the answer for another."""
    if request.language and request.language.lower() != language.lower():
        raise _Refused(Code.INVALID_REQUEST, f"This node answers in {language!r} only.")
    if len(request.conversation_id) > _LONGEST_ID:
        raise _Refused(
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
    claim = convert.claim_to_msg(checked.claim, verdict)
    claim.triple = convert.triple_to_msg(checked.triple)
    claim.support = [
        m.SupportSet(evidence=[convert.evidence_to_msg(item) for item in support.evidence])
        for support in checked.support
    ]
    return claim


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
