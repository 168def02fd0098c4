"""What every service and action of the node has in common: gates, threads, errors, counts.

A callback starts a job and awaits a future that the job's thread sets; meanwhile the executor goes
on. Whatever happens becomes an error code and a sentence, and nothing is raised into the executor.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

from rclpy.task import Future

from robodata_core.cancellation import CancelToken
from robodata_core.errors import InvalidRequestError
from robodata_ros import convert
from robodata_ros.codes import Code, code_of, sentence_of
from robodata_ros.runtime import Runtime
from robodata_ros.workers import Job, Workers

__all__ = ["Refused", "Serving", "budget_of"]

_MOST_BUDGET: Final = 86_400.0


class Refused(Exception):
    """A request that is not carried out."""

    def __init__(self, code: Code, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code


class Serving:
    """The gate of the node's requests, and how they end.

    Args:
        node: The node.

    Attributes:
        counts: How many requests ended how.
        last_error: The last one that failed, in words.
    """

    def __init__(self, node: Any) -> None:
        self.node = node
        self.runtime: Runtime | None = None
        self._open = 0
        self._number = 0
        self._lock = threading.Lock()
        names = ("answered", "abstained", "refused", "failed", "verified", "map requests")
        self.counts = dict.fromkeys(names, 0)
        self.last_error = ""

    @property
    def busy(self) -> bool:
        """Whether any request has not got its end yet."""
        return self._open > 0

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Count a request while it is open; callbacks all run in the executor's thread."""
        self._open += 1
        try:
            yield
        finally:
            self._open -= 1

    def active(self) -> Runtime:
        """Return what is open.

        Raises:
            Refused: If the node is not active.
        """
        if self.runtime is None:
            raise Refused(Code.NOT_ACTIVE, "The node is not active; configure and activate it.")
        return self.runtime

    def new_id(self, kind: str) -> str:
        """Return the id of a request that is no run, for provenance."""
        with self._lock:
            self._number += 1
            return f"{kind}-{self._number}"

    async def work(
        self,
        workers: Workers,
        work: Callable[[CancelToken], Any],
        request: Any,
        on_started: Callable[[Job], None] = lambda _: None,
    ) -> Any:
        """Do blocking work in a thread, await its outcome, and return or raise it.

        Raises:
            Refused: If as many requests as allowed are under way and waiting.
        """
        budget = budget_of(request, self.node.get_parameter("time_budget").value)
        executor = self.node.executor
        future: Future[Any] = Future(executor=executor)

        def on_done(outcome: Any) -> None:
            future.set_result(outcome)
            with suppress(Exception):  # the executor may be gone by now
                executor.wake()

        job = workers.start(work, budget, on_done)
        if job is None:
            raise Refused(Code.BUSY, "As many requests as allowed are under way; try again later.")
        on_started(job)
        outcome = await future
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    def judge(self, error: BaseException) -> tuple[Code, str]:
        """Return the code and the sentence that an error becomes, and count it."""
        if isinstance(error, Refused):
            self.counts["refused"] += 1
            return error.code, str(error)
        code, sentence = code_of(error), sentence_of(error)
        if code is Code.UNKNOWN:
            self.node.get_logger().error(f"A request failed: {error!r}")
        self.counts["refused" if code is Code.INVALID_REQUEST else "failed"] += 1
        self.last_error = f"{code.name}: {sentence}"
        return code, sentence

    def fail(self, response: Any, error: BaseException) -> Any:
        """Put an error into a response, and return that."""
        code, problem = self.judge(error)
        response.success = False
        response.error_code, response.error_msg = int(code), convert.clean(problem)
        return response


def budget_of(request: Any, default: float) -> float:
    """Return the seconds that a request may take.

    Raises:
        InvalidRequestError: If its budget is negative.
    """
    if not hasattr(request, "time_budget"):
        return default
    seconds = convert.duration_to_seconds(request.time_budget)
    if seconds < 0:
        raise InvalidRequestError("The time budget is negative.")
    return min(seconds, _MOST_BUDGET) or default
