"""Answers of remote services kept on disk, with an expiry; one SQLite file for all processes."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import sqlite3
import threading
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Final

_log = logging.getLogger("robodata.cache")
_MOST_BYTES: Final = 500_000_000
#: Seconds that a file is waited for which another process writes.
_BUSY: Final = 0.5
#: Seconds to wait with closing for a thread that is at it; then it is closed when that one ends.
_PATIENCE: Final = 0.2
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS entries (
  key TEXT PRIMARY KEY, expires REAL NOT NULL, size INTEGER NOT NULL, body BLOB NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS entries_expires ON entries (expires);
"""


def default_cache_path() -> Path:
    """Return where the cache is kept for this user."""
    import platformdirs

    return Path(platformdirs.user_cache_dir("robodata", appauthor=False)) / "responses.sqlite"


class ResponseCache:
    """Bytes by key. A cache that cannot be used is no error: it is logged and left out.

    Args:
        path: SQLite file; None keeps everything in memory.
        seconds: How long an entry is good.
        now: Clock, seconds since the epoch.
    """

    def __init__(
        self,
        path: Path | None,
        *,
        seconds: float = 7 * 86_400.0,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._seconds = seconds
        self._now = now
        self._lock = threading.Lock()
        self._connection = _open(path)

    def get(self, *key: str) -> bytes | None:
        """Return what was stored under ``key`` and is still good."""
        try:
            with self._lock:
                if self._connection is None:
                    return None
                row = self._connection.execute(
                    "SELECT body FROM entries WHERE key = ? AND expires > ?",
                    (_digest(key), self._now()),
                ).fetchone()
            return zlib.decompress(row[0]) if row else None
        except (sqlite3.Error, zlib.error) as error:
            _log.warning("cache cannot be read: %s", error)
            return None

    def put(self, body: bytes, *key: str) -> None:
        """Store ``body`` under ``key``."""
        if self._connection is None:
            return
        packed = zlib.compress(body, 6)
        try:
            with self._lock:
                if self._connection is not None:
                    self._write(self._connection, _digest(key), packed)
        except sqlite3.Error as error:
            _log.warning("cache cannot be written: %s", error)

    def _write(self, connection: sqlite3.Connection, key: str, packed: bytes) -> None:
        now = self._now()
        with connection:
            connection.execute("DELETE FROM entries WHERE expires <= ?", (now,))
            (total,) = connection.execute("SELECT coalesce(sum(size), 0) FROM entries").fetchone()
            if total + len(packed) > _MOST_BYTES:
                connection.execute("DELETE FROM entries")
            connection.execute(
                "INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?)",
                (key, now + self._seconds, len(packed), packed),
            )

    def close(self) -> None:
        """Close the file; what is asked for or kept afterwards is not there.

        A thread that nobody waits for any more may still be at it. SQLite must not be closed under
        it: the process would hang, with the interpreter's lock held, or fall over.
        """
        connection, self._connection = self._connection, None
        if connection is not None and self._lock.acquire(timeout=_PATIENCE):
            try:
                connection.close()
            finally:
                self._lock.release()


def _digest(key: tuple[str, ...]) -> str:
    return hashlib.sha256("\x1f".join(key).encode("utf-8", "replace")).hexdigest()


def _open(path: Path | None, *, again: bool = True) -> sqlite3.Connection | None:
    try:
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            # What was asked is nobody's business but its owner's.
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        connection = sqlite3.connect(path or ":memory:", timeout=_BUSY, check_same_thread=False)
        connection.executescript(_SCHEMA)
        return connection
    except (OSError, sqlite3.Error) as error:
        if path is not None and again and type(error) is sqlite3.DatabaseError:
            _log.warning("the cache at %s is damaged and begun anew", path)
            with contextlib.suppress(OSError):
                path.unlink()
                return _open(path, again=False)
        _log.warning("no cache at %s: %s", path, error)
        return None
