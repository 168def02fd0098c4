"""Carrying out the tool calls of one decision: in parallel where that changes nothing.

Reads run together in daemon threads, calls that write run alone and in order. A call that was
answered before is answered from memory. Cancellation and deadline are looked at while waiting.
An id may be used once a call written before has shown it, in the same decision too: every call
knows what its elders have shown and nothing else, whichever of them comes back first. Which calls
are made and what follows from them is none of this module's business.
"""

from __future__ import annotations

import concurrent.futures
import contextvars
import logging
import queue
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from robodata_core._codec import plain
from robodata_core.errors import CancelledError, DeadlineExceededError, UnknownToolError
from robodata_core.events import GraphChanged, Noticed, ToolCalled, ToolReturned
from robodata_core.orchestrator.budget import MAX_CALLS_PER_ROUND
from robodata_core.orchestrator.memory import call_key
from robodata_core.text import plural
from robodata_core.tools.base import ToolCall, ToolContext, ToolFamily, ToolOutput, ToolResult

if TYPE_CHECKING:
    from robodata_core.cancellation import CancelToken
    from robodata_core.clock import Clock
    from robodata_core.orchestrator._emitter import Emitter
    from robodata_core.orchestrator.memory import Memory
    from robodata_core.store.graph import LocalGraph
    from robodata_core.tools.known_ids import KnownIds
    from robodata_core.tools.registry import Toolbox


@dataclass(frozen=True, slots=True)
class Job:
    """A numbered call with what is known about it.

    Attributes:
        call: The call, with its id.
        key: What makes it the same as another one.
        writes: Whether it changes the local graph.
        local: Whether it reads the local graph.
        texts: Every string among its arguments.
    """

    call: ToolCall
    key: str
    writes: bool
    local: bool
    texts: frozenset[str]

    @property
    def names(self) -> frozenset[str]:
        """The named results (``$x``) it reads or writes."""
        return frozenset(text for text in self.texts if text.startswith("$"))

    def waits_for(self, other: Job) -> bool:
        """Tell whether ``other``, asked for before, must have ended first."""
        if self.writes or self.key == other.key:
            return True  # a call repeated at once is answered like its elder
        # A name may be given without its dollar sign where a result is stored.
        return any(name in other.texts or name[1:] in other.texts for name in self.names)


def groups(jobs: Sequence[Job]) -> Iterator[list[Job]]:
    """Split calls into groups that may run at the same time; their order is kept."""
    group: list[Job] = []
    for job in jobs:
        if group and (group[-1].writes or any(job.waits_for(other) for other in group)):
            yield group
            group = []
        group.append(job)
    if group:
        yield group


def texts(arguments: Any) -> Iterator[str]:
    """Yield every string in a call's arguments, at any depth."""
    if isinstance(arguments, str):
        yield arguments
    elif isinstance(arguments, Mapping):
        for item in arguments.values():
            yield from texts(item)
    elif isinstance(arguments, (list, tuple)):
        for item in arguments:
            yield from texts(item)


T = TypeVar("T")


class DaemonPool(Generic[T]):
    """Runs functions in at most ``size`` daemon threads, started when they are needed."""

    def __init__(self, size: int, name: str) -> None:
        self._size = size
        self._name = name
        self._queue: queue.SimpleQueue[tuple[Callable[[], T], Future[T]] | None]
        self._queue = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._threads = 0
        self._idle = 0

    def submit(self, job: Callable[[], T]) -> Future[T]:
        """Run ``job`` as soon as a thread is free, in the context of the caller."""
        job = partial(contextvars.copy_context().run, job)
        future: Future[T] = Future()
        with self._lock:
            if self._idle > 0:
                self._idle -= 1
            elif self._threads < self._size:
                self._threads += 1
                name = f"{self._name}-{self._threads}"
                threading.Thread(target=self._work, name=name, daemon=True).start()
        self._queue.put((job, future))
        return future

    def close(self) -> None:
        """Let the threads end after the jobs they are at; waits for none of them."""
        for _ in range(self._threads):
            self._queue.put(None)

    def _work(self) -> None:
        while (item := self._queue.get()) is not None:
            job, future = item
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(job())
                except BaseException as error:
                    future.set_exception(error)
            del job, future, item
            with self._lock:
                self._idle += 1


_POLL: Final = 0.05
"""Seconds between two looks at cancellation while calls run."""

_GRACE: Final = 0.5
"""Seconds a cancelled run waits for a call that writes: what it stored should be told."""

_STOPPED: Final = "The run was stopped before this call ended."

_log = logging.getLogger("robodata.orchestrator")


class CallRunner:
    """Carries out calls for one run; used by one thread.

    Args:
        emitter: Told about every call.
        memory: Asked for earlier results, told about new ones.
        store: The local graph.
        cancel: Looked at between any two steps.
        clock: Measures calls that end in an error of their own.
        known: The ids that were shown before; gets those that the calls show.
        context: Makes the context of a call from its id and the ids it may use.
        concurrency: Most reads at the same time.

    Attributes:
        known: The ids that were shown so far.
    """

    def __init__(
        self,
        *,
        emitter: Emitter,
        memory: Memory,
        store: LocalGraph,
        cancel: CancelToken,
        clock: Clock,
        known: KnownIds,
        context: Callable[[str, KnownIds], ToolContext],
        concurrency: int,
    ) -> None:
        self._emitter = emitter
        self._memory = memory
        self._store = store
        self._cancel = cancel
        self._clock = clock
        self.known = known
        self._context = context
        self._pool: DaemonPool[ToolResult] = DaemonPool(concurrency, "robodata-tool")
        self._count = 0
        self._version = 0
        self._turn = 0
        self._views: dict[str, KnownIds] = {}  # what each call of this decision may use

    def close(self) -> None:
        """Let the threads end; waits for none of them."""
        self._pool.close()

    def run(self, calls: Sequence[ToolCall], toolbox: Toolbox, turn: int) -> tuple[ToolResult, ...]:
        """Carry out ``calls`` and return their results in the same order.

        Raises:
            CancelledError: If the run was cancelled meanwhile.
            DeadlineExceededError: If its time is over.
        """
        self._turn = turn
        self._views = {}
        jobs = [self._job(call, toolbox) for call in calls[:MAX_CALLS_PER_ROUND]]
        results: list[ToolResult] = []
        round_results: dict[str, ToolResult] = {}
        for group in groups(jobs):
            self._cancel.check()
            for job, result in zip(group, self._group(group, toolbox, round_results), strict=True):
                results.append(result)
                if job.writes:
                    round_results.clear()
                elif result.ok or not job.names:
                    round_results.setdefault(job.key, result)
        return (*results, *self._refused(calls[MAX_CALLS_PER_ROUND:]))

    def _job(self, call: ToolCall, toolbox: Toolbox) -> Job:
        self._count += 1
        call = replace(call, id=f"k{self._count}")
        try:
            tool = toolbox.get(call.tool)
            writes, local = tool.writes, tool.family is ToolFamily.LOCAL
        except UnknownToolError:
            writes, local = False, False
        return Job(call, call_key(call), writes, local, frozenset(texts(call.arguments)))

    def _refused(self, calls: Sequence[ToolCall]) -> tuple[ToolResult, ...]:
        if not calls:
            return ()
        text = (
            f"Not carried out: at most {MAX_CALLS_PER_ROUND} calls are taken at once. Ask again"
            " for this one if it is still needed."
        )
        verb = "was" if len(calls) == 1 else "were"
        notice = (
            f"{plural(len(calls), 'call')} beyond the first {MAX_CALLS_PER_ROUND} {verb} refused."
        )
        self._emitter.emit(Noticed, "warning", notice)
        return tuple(ToolResult(call, ToolOutput(text), ok=False) for call in calls)

    def _group(
        self, group: Sequence[Job], toolbox: Toolbox, round_results: dict[str, ToolResult]
    ) -> list[ToolResult]:
        """Carry out calls that may run together."""
        results: dict[str, ToolResult] = {}
        held: dict[str, ToolResult] = {}
        pending: dict[Future[ToolResult], Job] = {}
        before = self._size() if group[0].writes else None
        try:
            for job in group:
                self._called(job.call)
                earlier = self._earlier(job, round_results)
                if earlier is not None and not job.writes:
                    repeat = _repeat(job.call, earlier)
                    results[job.call.id] = self._returned(job, repeat, new=False)
                else:
                    pending[self._submit(job, toolbox)] = job
            self._collect(pending, results, held)
            self._judge_again(group, toolbox, pending, results, held)
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                self._cancel.cancel()  # so that calls under way stop as well
            self._abandon(group, pending, results, held)
            raise
        finally:
            if before is not None:
                self._tell_change(group[0].call, before, results)
        self.known.add(_shown(results.values()))
        return [results[job.call.id] for job in group]

    def _earlier(self, job: Job, round_results: dict[str, ToolResult]) -> ToolResult | None:
        """Return what answers a call again, unless it was refused an id that is known by now."""
        earlier = round_results.get(job.key)
        if earlier is not None and not earlier.ok:
            view = self._views.get(earlier.call.id)
            if view is not None and any(id_ in self.known for id_ in view.missed):
                del round_results[job.key]
                return None
        return earlier or self._memory.reuse(job.call, self._version)

    def _judge_again(
        self,
        group: Sequence[Job],
        toolbox: Toolbox,
        pending: dict[Future[ToolResult], Job],
        results: dict[str, ToolResult],
        held: dict[str, ToolResult],
    ) -> None:
        """Carry out refused calls again whose ids a call written before them has shown."""
        shown: set[str] = set()
        for job in group:
            refused = held.pop(job.call.id, None)
            if refused is not None and self._views[job.call.id].missed.isdisjoint(shown):
                results[job.call.id] = self._returned(job, refused)
            elif refused is not None:
                pending[self._submit(job, toolbox, shown)] = job
                self._collect(pending, results, None)
            shown.update(_shown([results[job.call.id]]))

    def _refused_an_id(self, job: Job, result: ToolResult) -> bool:
        view = self._views.get(job.call.id)
        return not result.ok and view is not None and bool(view.missed)

    def _submit(self, job: Job, toolbox: Toolbox, shown: Iterable[str] = ()) -> Future[ToolResult]:
        view = self._views[job.call.id] = self.known.branch()
        view.add(shown)
        return self._pool.submit(self._task(job.call, toolbox, view))

    def _task(self, call: ToolCall, toolbox: Toolbox, known: KnownIds) -> Callable[[], ToolResult]:
        context = self._context(call.id, known)

        def _run() -> ToolResult:
            started = self._clock.monotonic()
            try:
                result = toolbox.execute(call, context)
            except (CancelledError, DeadlineExceededError):
                raise
            except Exception:
                # The toolbox should not let this happen; a run does not end because it did.
                _log.exception("The call %s of %s failed unexpectedly", call.id, call.tool)
                text = f"{call.tool} failed with an internal error; try another way."
                seconds = self._clock.monotonic() - started
                return ToolResult(call, ToolOutput(text), ok=False, seconds=seconds)
            return result if result.call == call else replace(result, call=call)

        return _run

    def _collect(
        self,
        pending: dict[Future[ToolResult], Job],
        results: dict[str, ToolResult],
        held: dict[str, ToolResult] | None,
    ) -> None:
        """Wait for calls; those that were refused an id go to ``held``, if there is one."""
        while pending:
            left = self._cancel.remaining
            done, _ = concurrent.futures.wait(
                pending,
                timeout=_POLL if left is None else min(_POLL, left),
                return_when=concurrent.futures.FIRST_COMPLETED,
            )
            self._take(pending, results, held, done)
            self._cancel.check()

    def _take(
        self,
        pending: dict[Future[ToolResult], Job],
        results: dict[str, ToolResult],
        held: dict[str, ToolResult] | None,
        done: set[Future[ToolResult]],
    ) -> None:
        for future in [future for future in pending if future in done]:
            # The result first: a call that was stopped raises here and stays pending.
            result = future.result()
            job = pending[future]
            if held is not None and self._refused_an_id(job, result):
                held[job.call.id] = result
            else:
                results[job.call.id] = result
                self._returned(job, result)
            del pending[future]

    def _abandon(
        self,
        group: Sequence[Job],
        pending: Mapping[Future[ToolResult], Job],
        results: dict[str, ToolResult],
        held: Mapping[str, ToolResult],
    ) -> None:
        """Keep what has come in, and tell of the rest that nobody waits for it any more."""
        if any(job.writes for job in pending.values()):
            concurrent.futures.wait(pending, timeout=_GRACE)
        finished = dict(held)
        for future, job in pending.items():
            if future.done() and not future.cancelled() and future.exception() is None:
                finished[job.call.id] = future.result()
            else:
                future.cancel()
        turn = self._emitter.state.turn
        # Asked of the fold: an interruption may strike between any two statements here.
        waiting = {call.id for call in turn.calls if call.ok is None} if turn else set()
        for job in group:
            if job.call.id in waiting:
                stopped = ToolResult(job.call, ToolOutput(_STOPPED), ok=False)
                result = finished.get(job.call.id, stopped)
                results[job.call.id] = self._returned(job, result)

    def _called(self, call: ToolCall) -> None:
        arguments = plain(call.arguments)
        if not isinstance(arguments, dict):
            arguments = {"arguments": arguments}
        self._emitter.emit(ToolCalled, self._turn, call.id, str(call.tool), arguments)

    def _returned(self, job: Job, result: ToolResult, *, new: bool = True) -> ToolResult:
        if new:
            version = self._version if job.local else None
            self._memory.note(result, reusable=result.ok and not job.writes, version=version)
        output = result.output
        self._emitter.emit(
            ToolReturned,
            self._turn,
            job.call.id,
            str(job.call.tool),
            result.ok,
            output.text,
            output.total,
            output.shown,
            result.repeated,
            result.seconds,
        )
        return result

    def _size(self) -> tuple[int, int]:
        return (self._store.node_count, self._store.edge_count)

    def _tell_change(
        self, call: ToolCall, before: tuple[int, int], results: Mapping[str, ToolResult]
    ) -> None:
        """Tell what a call that writes did to the local graph, also if it failed half-way."""
        store = self._store
        after = self._size()
        result = results.get(call.id)
        seen = self._emitter.state.graph
        handles = tuple(dict.fromkeys(result.output.handles)) if result else ()
        found = (store.evidence(handle) for handle in handles if handle not in seen)
        added = tuple(item for item in found if item is not None)
        removed: tuple[str, ...] = ()
        if after[0] < before[0] or after[1] < before[1]:
            removed = tuple(handle for handle in seen if store.evidence(handle) is None)
        if after == before and not added and not removed:
            return
        self._version += 1
        self._emitter.emit(GraphChanged, self._turn, call.id, added, removed, *after)


def _shown(results: Iterable[ToolResult]) -> Iterator[str]:
    """Yield the ids that ``results`` have shown; a failed call shows none."""
    for result in results:
        if result.ok:
            yield from result.output.ids


def _repeat(call: ToolCall, earlier: ToolResult) -> ToolResult:
    text = f"(The same call as {earlier.call.id}, answered from memory.)\n{earlier.output.text}"
    output = replace(earlier.output, text=text, handles=())
    return ToolResult(call, output, ok=earlier.ok, repeated=True)
