"""One killable worker: a child process that does a job which may never end, or eat the memory.

Parsers and query engines in native code cannot be interrupted. A job runs in a process of its own,
within limits of memory and time that the system keeps, and is ended when nobody waits for it any
more. Parent and child speak lines of JSON, each followed by as many bytes as it says::

    worker = Worker("robodata_core.store._query_worker:serve", memory=1_000_000_000)
    worker.send({"query": ...})
    for reply, data in worker.replies(10.0, cancel): ...
    worker.end()

A job is a function of two binary streams in a module of this project; ``_child`` calls it.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from robodata_core.cancellation import CancelToken
from robodata_core.worker import _child

__all__ = ["TimeOverError", "Worker", "WorkerEndedError"]

_POLL: Final = 0.05
_PIECE: Final = 1 << 20
_MOST_LINE: Final = 400_000_000


class TimeOverError(Exception):
    """The worker did not reply in time."""


class WorkerEndedError(Exception):
    """The worker ended without a reply: by its limits, or because it fell over."""


class Worker:
    """One child process; not thread-safe, used for one thing at a time. POSIX only.

    Args:
        job: ``module:function`` of what it is to do.
        memory: Most bytes of address space; None leaves that to the job.
        seconds: After so long the child ends itself; None leaves that to the job.

    Raises:
        OSError: If it cannot be started.
    """

    def __init__(
        self, job: str, *, memory: int | None = None, seconds: float | None = None
    ) -> None:
        if not sys.executable:
            raise OSError("this Python does not know its own program")
        # -I -S: nothing of the environment is run or imported before the search path is set.
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", _child.__file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._pending = bytearray()
        self._ended = False
        # An editable installation is found by a hook, not on the path; last, it shadows nothing.
        path = [*sys.path, str(Path(__file__).resolve().parents[2])]
        self.send({"path": path, "job": job, "memory": memory, "seconds": seconds})

    @property
    def pid(self) -> int:
        """Process id, for tests and logs."""
        return self._process.pid

    def send(self, request: Mapping[str, Any], data: bytes = b"") -> None:
        """Write one request, and what belongs to it.

        Raises:
            WorkerEndedError: If nobody reads it.
        """
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(request).encode("utf-8") + b"\n" + data)
            self._process.stdin.flush()
        except (OSError, ValueError) as error:
            raise WorkerEndedError from error

    def feed(self, data: bytes) -> bool:
        """Write bytes of a stream; tell whether somebody still reads it."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(data)
        except (OSError, ValueError):
            return False
        return True

    def fed(self) -> None:
        """End the stream that the worker reads."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError, ValueError):
            self._process.stdin.close()

    def replies(
        self, seconds: float, cancel: CancelToken | None = None, *, each: bool = False
    ) -> Iterator[tuple[dict[str, Any], bytes]]:
        """Yield replies as they come, each with the bytes that belong to it.

        Args:
            seconds: Most time to wait.
            cancel: Ends the waiting.
            each: Whether the time is for each reply, not for all of them together.

        Raises:
            TimeOverError: If there is no reply in time.
            WorkerEndedError: If the process ends instead.
        """
        end = time.monotonic() + seconds
        while True:
            while b"\n" not in self._pending:
                self._read(end, cancel)
            line, _, rest = self._pending.partition(b"\n")
            self._pending = rest
            reply = json.loads(bytes(line))
            size = int(reply.get("size", 0))
            while len(self._pending) < size:
                self._read(end, cancel)
            data = bytes(self._pending[:size])
            del self._pending[:size]
            yield reply, data
            if each:
                end = time.monotonic() + seconds

    def _read(self, end: float, cancel: CancelToken | None) -> None:
        assert self._process.stdout is not None
        while True:
            if cancel is not None:
                cancel.check()
            left = end - time.monotonic()
            if left <= 0:
                raise TimeOverError
            ready, _, _ = select.select([self._process.stdout], [], [], min(left, _POLL))
            if ready:
                chunk = os.read(self._process.stdout.fileno(), _PIECE)
                self._ended = not chunk
                if not chunk or len(self._pending) > _MOST_LINE:
                    raise WorkerEndedError
                self._pending += chunk
                return

    def fileno(self) -> int:
        """Descriptor that can be read when there is (the beginning of) a reply, for ``select``."""
        assert self._process.stdout is not None
        return self._process.stdout.fileno()

    def end(self) -> int:
        """Kill the process and wait until it is gone; return how it ended, a signal negative."""
        if self._ended:  # it is about to end by itself
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(1.0)
        self._process.kill()
        code = self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError, ValueError):
                    pipe.close()
        return code

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.end()
