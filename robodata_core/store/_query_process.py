"""Child processes that answer queries and can be ended: starting, feeding, ending them.

``QueryProcesses`` belongs to whoever owns the data (the local graph, a snapshot); it keeps one
loaded process ready between queries. What runs inside is in ``_query_worker``; which queries come
here at all is decided in ``queries``. POSIX only: pipes are watched with ``select``.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from robodata_core.cancellation import CancelToken
from robodata_core.errors import StoreError
from robodata_core.store import _query_worker

__all__ = ["ProcessEndedError", "QueryProcess", "QueryProcesses", "TimeOverError"]

_POLL: Final = 0.05
_LOAD_SECONDS: Final = 300.0
_MAX_PROCESSES: Final = 2


class TimeOverError(Exception):
    """The process did not reply in time."""


class ProcessEndedError(Exception):
    """The process ended without a reply."""


class QueryProcess:
    """One child process; not thread-safe, used by one query at a time."""

    def __init__(self) -> None:
        if not sys.executable:
            raise OSError("this Python does not know its own program")
        self.version: object = None
        # -I -S: nothing of the environment is run or imported before the search path is set.
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", _query_worker.__file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._pending = b""
        self.send({"path": sys.path})

    @property
    def pid(self) -> int:
        """Process id, for tests and logs."""
        return self._process.pid

    def send(self, request: Mapping[str, Any], data: bytes = b"") -> None:
        """Write one request.

        Raises:
            ProcessEndedError: If nobody reads it.
        """
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(request).encode("utf-8") + b"\n" + data)
            self._process.stdin.flush()
        except (OSError, ValueError) as error:
            raise ProcessEndedError from error

    def replies(self, seconds: float, cancel: CancelToken | None) -> Iterator[dict[str, Any]]:
        """Yield replies as they come.

        Raises:
            TimeOverError: If ``seconds`` pass, all replies together.
            ProcessEndedError: If the process ends instead.
        """
        end = time.monotonic() + seconds
        while True:
            while b"\n" not in self._pending:
                self._pending += self._read(end, cancel)
            line, _, self._pending = self._pending.partition(b"\n")
            yield json.loads(line)

    def _read(self, end: float, cancel: CancelToken | None) -> bytes:
        assert self._process.stdout is not None
        while True:
            if cancel is not None:
                cancel.check()
            left = end - time.monotonic()
            if left <= 0:
                raise TimeOverError
            ready, _, _ = select.select([self._process.stdout], [], [], min(left, _POLL))
            if ready:
                chunk = os.read(self._process.stdout.fileno(), 1 << 20)
                if not chunk:
                    raise ProcessEndedError
                return chunk

    def end(self) -> None:
        """Kill the process and wait until it is gone."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()


class QueryProcesses:
    """How a child process gets the same data, and the processes that have it. Thread-safe.

    Use one of the three constructors, and ``close`` (or a ``with`` block) at the end.
    """

    def __init__(
        self,
        request: Mapping[str, Any],
        data: Callable[[], bytes] = bytes,
        version: Callable[[], object] = lambda: 0,
    ) -> None:
        self._request = dict(request)
        self._data = data
        self._version = version
        self._idle: list[QueryProcess] = []
        self._busy: set[QueryProcess] = set()
        self._lock = threading.Lock()
        self._slots = threading.BoundedSemaphore(_MAX_PROCESSES)
        self._closed = False

    @classmethod
    def for_folder(cls, path: str | Path) -> QueryProcesses:
        """Open an on-disk Oxigraph folder read-only in the child; nobody may write to it."""
        return cls({"kind": "folder", "path": os.fspath(path)})

    @classmethod
    def for_file(cls, path: str | Path, format_: str = "nq") -> QueryProcesses:
        """Load an RDF file (``.gz`` or plain); ``format_`` is the usual extension, ``nq``."""
        return cls({"kind": "file", "path": os.fspath(path), "format": format_})

    @classmethod
    def for_dump(
        cls, dump: Callable[[], bytes], version: Callable[[], object] = lambda: 0
    ) -> QueryProcesses:
        """Send N-Quads; taken anew whenever ``version()`` is another than at the last time."""
        return cls({"kind": "bytes", "format": "nq"}, dump, version)

    @classmethod
    def empty(cls) -> QueryProcesses:
        """Without any data: enough to parse."""
        return cls({"kind": "nothing"})

    @contextlib.contextmanager
    def process(self, cancel: CancelToken | None = None) -> Iterator[QueryProcess]:
        """Lend a loaded process; one that fails or is left in the middle is ended.

        Raises:
            StoreError: If it cannot be started or cannot load the data.
        """
        while not self._slots.acquire(timeout=_POLL):
            if cancel is not None:
                cancel.check()
        process: QueryProcess | None = None
        try:
            process = self._take(cancel)
            yield process
        except BaseException:
            if process is not None:
                self._drop(process)
            raise
        else:
            self._give_back(process)
        finally:
            self._slots.release()

    def close(self) -> None:
        """End all processes."""
        with self._lock:
            self._closed = True
            processes = [*self._idle, *self._busy]
            self._idle.clear()
        for process in processes:
            process.end()

    def __enter__(self) -> QueryProcesses:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def __del__(self) -> None:
        # A child ends by itself when its pipes close; this only avoids zombies until then.
        for process in getattr(self, "_idle", ()):
            process.end()

    def _take(self, cancel: CancelToken | None) -> QueryProcess:
        with self._lock:
            process = self._idle.pop() if self._idle else None
        version = self._version()
        if process is not None:
            if process.version == version and self._is_alive(process, cancel):
                return self._lend(process)
            process.end()
        return self._lend(self._start(version, cancel))

    def _is_alive(self, process: QueryProcess, cancel: CancelToken | None) -> bool:
        """Tell whether it still listens: a process ends by itself after a while without work."""
        try:
            process.send({"ping": True})
            next(process.replies(_LOAD_SECONDS, cancel))
        except (ProcessEndedError, TimeOverError):
            return False
        except BaseException:
            process.end()
            raise
        return True

    def _start(self, version: object, cancel: CancelToken | None) -> QueryProcess:
        try:
            process = QueryProcess()
        except OSError as error:
            raise StoreError("The process that runs queries cannot be started.") from error
        try:
            data = self._data()
            process.send({"load": {**self._request, "size": len(data)}}, data)
            reply = next(process.replies(_LOAD_SECONDS, cancel))
        except (TimeOverError, ProcessEndedError) as error:
            process.end()
            raise StoreError("The process that runs queries could not load the graph.") from error
        except BaseException:
            process.end()
            raise
        if "error" in reply:
            process.end()
            raise StoreError("The graph could not be loaded for the query: " + reply["text"])
        process.version = version
        return process

    def _lend(self, process: QueryProcess) -> QueryProcess:
        with self._lock:
            self._busy.add(process)
        return process

    def _drop(self, process: QueryProcess) -> None:
        process.end()
        with self._lock:
            self._busy.discard(process)

    def _give_back(self, process: QueryProcess) -> None:
        with self._lock:
            self._busy.discard(process)
            if not self._closed and not self._idle:
                self._idle.append(process)
                return
        process.end()
