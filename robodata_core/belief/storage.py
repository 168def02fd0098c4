"""A map on disk: one SQLite file, so that identities survive a restart, also after a kill.

Every change is a row; a transaction is whole or not there at all (SQLite's write-ahead log), so
what a killed process leaves is the map as it was saved last, at most a second old.
"""

from __future__ import annotations

import json
import logging
import sqlite3
import threading
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from robodata_core.belief.model import MapObject, Region, from_plain
from robodata_core.errors import StoreError
from robodata_core.text import parse_json

__all__ = ["MapFile"]

_log = logging.getLogger("robodata.map")
_VERSION: Final = 1


class MapFile:
    """The file of one map. Thread-safe.

    Args:
        path: The file; made if it is not there.

    Raises:
        StoreError: If it cannot be opened, or is something else.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(path, check_same_thread=False, timeout=2.0)
            self._db.execute("PRAGMA journal_mode=WAL")
            version = int(self._db.execute("PRAGMA user_version").fetchone()[0])
            if version not in (0, _VERSION):
                raise StoreError(f"The map {path} is of another version ({version}).")
            with self._db:
                self._db.execute(
                    "CREATE TABLE IF NOT EXISTS thing (id TEXT PRIMARY KEY, kind TEXT, data TEXT)"
                )
                self._db.execute(f"PRAGMA user_version={_VERSION}")
        except (sqlite3.Error, OSError) as error:
            raise StoreError(f"The map {path} cannot be opened: {error}.") from error

    def load(self) -> tuple[tuple[MapObject, ...], tuple[Region, ...]]:
        """Return what is kept; a row that cannot be read is left out and logged.

        Raises:
            StoreError: If the file cannot be read.
        """
        objects: list[MapObject] = []
        regions: list[Region] = []
        try:
            with self._lock:
                rows = self._db.execute("SELECT id, kind, data FROM thing ORDER BY id").fetchall()
        except sqlite3.Error as error:
            raise StoreError(f"The map {self.path} cannot be read: {error}.") from error
        for id_, kind, data in rows:
            try:
                plain: Any = parse_json(data)
                if kind == "region":
                    regions.append(from_plain(Region, plain))
                else:
                    objects.append(from_plain(MapObject, plain))
            except Exception as error:  # a damaged row must not keep the others away
                _log.warning("%s in the map %s cannot be read: %r", id_, self.path, error)
        return tuple(objects), tuple(regions)

    def save(self, changes: Iterable[tuple[str, MapObject | Region | None]]) -> None:
        """Write changes, all or none: by id, None where a thing is forgotten.

        Raises:
            StoreError: If that is impossible.
        """
        rows = []
        forgotten = []
        for id_, thing in changes:
            if thing is None:
                forgotten.append((id_,))
            else:
                kind = "region" if isinstance(thing, Region) else "object"
                rows.append((id_, kind, json.dumps(asdict(thing), ensure_ascii=False)))
        try:
            with self._lock, self._db:
                self._db.executemany("INSERT OR REPLACE INTO thing VALUES (?, ?, ?)", rows)
                self._db.executemany("DELETE FROM thing WHERE id = ?", forgotten)
        except sqlite3.Error as error:
            raise StoreError(f"The map {self.path} cannot be written: {error}.") from error

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._db.close()
