"""Vectors that were made before: in memory, and on disk for the next process, within bounds.

A file that cannot be used is no error: it is logged, and vectors are made anew.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import math
import os
import sqlite3
import threading
from array import array
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final
from weakref import finalize

from robodata_core.cache import BoundedCache
from robodata_core.cancellation import CancelToken
from robodata_core.policy.offline.vectors import Embedder

__all__ = ["CachedEmbedder"]

_log = logging.getLogger("robodata.cache")
_BATCH: Final = 64
_ASKED: Final = 500
_NUMBERS_IN_MEMORY: Final = 10_000_000
_BYTES_ON_DISK: Final = 200_000_000
_SCHEMA: Final = "CREATE TABLE IF NOT EXISTS vectors (key TEXT PRIMARY KEY, body BLOB NOT NULL)"


class CachedEmbedder:
    """Keeps what another embedder makes, in memory and on disk; thread-safe.

    What is missing is made in small batches that are kept one by one, so that a run which is
    ended in between has not worked in vain. It closes itself when nobody holds it any more.

    Args:
        inner: Makes what is not kept.
        path: SQLite file; None keeps everything in memory.

    Attributes:
        name: That of the other embedder.
        close: Closes the file and the other embedder.
    """

    def __init__(self, inner: Embedder, path: Path | None) -> None:
        self.name = inner.name
        self._inner = inner
        self._disk = _Disk(path)
        self._known: BoundedCache[str, array[float]] = BoundedCache(_NUMBERS_IN_MEMORY)
        self.close = finalize(self, _close, self._disk, inner)

    def embed(self, texts: Sequence[str], cancel: CancelToken | None = None) -> list[array[float]]:
        """Return one vector for every text; see ``embeddings.Embedder``."""
        found: dict[str, array[float]] = {}
        unknown: list[str] = []
        for text in dict.fromkeys(texts):
            vector = self._known.get(text)
            if vector is None:
                unknown.append(text)
            else:
                found[text] = vector
        kept = self._disk.get({_key(self.name, text): text for text in unknown})
        self._remember(kept)
        found |= kept
        missing = [text for text in unknown if text not in kept]
        for batch in _batches(missing, _BATCH):
            if cancel is not None:
                cancel.check()
            made = dict(zip(batch, self._inner.embed(batch, cancel), strict=True))
            self._disk.put({_key(self.name, text): vector for text, vector in made.items()})
            self._remember(made)
            found |= made
        return [found[text] for text in texts]

    def _remember(self, vectors: Mapping[str, array[float]]) -> None:
        for text, vector in vectors.items():
            self._known.put(text, vector, len(vector))


class _Disk:
    """Vectors by key in a file; the oldest give way to new ones."""

    def __init__(self, path: Path | None) -> None:
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        if path is None:
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))  # its owner's, as the answers
            self._connection = sqlite3.connect(path, timeout=2.0, check_same_thread=False)
            self._connection.execute(_SCHEMA)
        except (OSError, sqlite3.Error) as error:
            _log.warning("no embeddings are kept at %s: %s", path, error)
            self._connection = None

    def get(self, keys: Mapping[str, str]) -> dict[str, array[float]]:
        """Return the vectors that are kept, by what their keys stand for."""
        if self._connection is None:
            return {}
        found: dict[str, array[float]] = {}
        try:
            for batch in _batches(list(keys), _ASKED):
                marks = ",".join("?" * len(batch))
                query = f"SELECT key, body FROM vectors WHERE key IN ({marks})"  # noqa: S608
                with self._lock:
                    if self._connection is None:  # closed meanwhile
                        return found
                    rows = self._connection.execute(query, batch).fetchall()
                for key, body in rows:
                    vector = _unpacked(body)
                    if vector is not None:
                        found[keys[key]] = vector
        except sqlite3.Error as error:
            _log.warning("kept embeddings cannot be read: %s", error)
        return found

    def put(self, vectors: Mapping[str, array[float]]) -> None:
        """Keep vectors, all of one model."""
        if self._connection is None or not vectors:
            return
        rows = [(key, vector.tobytes()) for key, vector in vectors.items()]
        most = _BYTES_ON_DISK // max(len(body) for _, body in rows)
        try:
            with self._lock, self._connection or contextlib.nullcontext() as connection:
                if connection is None:  # closed meanwhile
                    return
                connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)
                connection.execute(
                    "DELETE FROM vectors WHERE rowid <= (SELECT max(rowid) FROM vectors) - ?",
                    (most,),
                )
        except sqlite3.Error as error:
            _log.warning("embeddings cannot be kept: %s", error)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None


def _close(disk: _Disk, inner: Embedder) -> None:
    disk.close()
    inner.close()


def _key(name: str, text: str) -> str:
    return hashlib.sha256(f"{name}\x1f{text}".encode("utf-8", "replace")).hexdigest()


def _unpacked(body: object) -> array[float] | None:
    """Return a kept vector, or None where it is none of length one."""
    if not isinstance(body, bytes) or not body or len(body) % 4:
        return None
    vector = array("f", body)
    length = math.fsum(number * number for number in vector)
    return vector if math.isclose(length, 1.0, abs_tol=1e-3) else None


def _batches(items: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    return (items[start : start + size] for start in range(0, len(items), size))
