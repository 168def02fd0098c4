"""Workers that answer queries and can be ended: starting, feeding, ending them.

``QueryProcesses`` belongs to whoever owns the data (the local graph, a snapshot); it keeps one
loaded process ready between queries. What runs inside is in ``_query_worker``; which queries come
here at all is decided in ``queries``.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from robodata_core.cancellation import CancelToken
from robodata_core.errors import StoreError
from robodata_core.worker import TimeOverError, Worker, WorkerEndedError

_POLL: Final = 0.05
_LOAD_SECONDS: Final = 300.0
_MAX_PROCESSES: Final = 2


class QueryProcess(Worker):
    """One worker that answers queries; used by one query at a time.

    Attributes:
        version: Of the data that it has.
    """

    def __init__(self) -> None:
        super().__init__("robodata_core.store._query_worker:serve")
        self.version: object = None

    def answers(self, seconds: float, cancel: CancelToken | None) -> Iterator[dict[str, Any]]:
        """Yield replies as they come; see ``Worker.replies``."""
        return (reply for reply, _ in self.replies(seconds, cancel))


class QueryProcesses:
    """How a child process gets the same data, and the processes that have it. Thread-safe.

    Use one of the constructors, and ``close`` (or a ``with`` block) at the end.
    """

    def __init__(
        self,
        request: Mapping[str, Any],
        data: Callable[[], bytes] = bytes,
        version: Callable[[], object] = lambda: 0,
        missed: Callable[[], Sequence[bytes] | None] | None = None,
    ) -> None:
        self._request = dict(request)
        self._data = data
        self._version = version
        self._missed = missed
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
        """Load an RDF file, ``.gz``, ``.xz`` or plain; ``format_`` is its extension, ``nq``."""
        return cls({"kind": "file", "path": os.fspath(path), "format": format_})

    @classmethod
    def for_dump(
        cls, dump: Callable[[], bytes], version: Callable[[], object] = lambda: 0
    ) -> QueryProcesses:
        """Send N-Quads; taken anew whenever ``version()`` is another than at the last time."""
        return cls({"kind": "bytes", "format": "nq"}, dump, version)

    @classmethod
    def for_changing(
        cls, dump: Callable[[], bytes], missed: Callable[[], Sequence[bytes] | None]
    ) -> QueryProcesses:
        """Send N-Quads once, and from then on what changed; for one query at a time.

        Args:
            dump: Gives everything there is.
            missed: Gives, in turns, the N-Quads that were removed and those that were added then,
                since ``dump`` or itself was called last; None: everything is to be sent anew.
        """
        return cls({"kind": "bytes", "format": "nq"}, dump, missed=missed)

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
            if process.version == version and self._is_up_to_date(process, cancel):
                return self._lend(process)
            process.end()
        return self._lend(self._start(version, cancel))

    def _is_up_to_date(self, process: QueryProcess, cancel: CancelToken | None) -> bool:
        """Tell it what it missed, and whether it still listens: it ends after a while of idling."""
        request: dict[str, Any] = {"ping": True}
        data = b""
        if self._missed is not None:
            missed = self._missed()
            if missed is None:
                return False
            data = b"".join(missed)
            request = {"change": [len(part) for part in missed]}
        try:
            process.send(request, data)
            if "error" in next(process.answers(_LOAD_SECONDS, cancel)):
                return False
        except (WorkerEndedError, TimeOverError):
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
            reply = next(process.answers(_LOAD_SECONDS, cancel))
        except (TimeOverError, WorkerEndedError) as error:
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
