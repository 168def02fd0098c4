"""The parts of an open snapshot that are loaded when first needed, once for all threads.

A large snapshot's graph is copied into an on-disk store in the user's cache for SPARQL, once.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, TypeVar

import pyoxigraph as ox

from robodata_core.errors import LoadError, SnapshotError
from robodata_core.sources.snapshot._compact import PARTS, CompactGraph
from robodata_core.sources.snapshot._disk import StoreGraph
from robodata_core.sources.snapshot._graph import Graph
from robodata_core.sources.snapshot._index import Index
from robodata_core.sources.snapshot._manifest import (
    CHECKSUMS,
    GRAPH_FOLDER,
    MANIFEST_FILE,
    Manifest,
    cache_folder,
    damaged,
    graph_blocks,
    graph_path,
    open_store,
)
from robodata_core.sources.snapshot._whole import compare, write_checksums
from robodata_core.text import parse_json

if TYPE_CHECKING:
    from robodata_core.store.queries import QueryProcesses

try:
    import fcntl
except ImportError:  # not on Windows: there, two processes may build the same at once
    fcntl = None  # type: ignore[assignment]

LEAST_TRIPLES: Final = 100_000
"""Smaller graphs are loaded into memory, which is as fast."""

_VERSION: Final = 2
_KEPT_SECONDS: Final = 30 * 86_400.0

_told = logging.getLogger("robodata.preparing")


def prepared(folder: Path, manifest: Manifest) -> Path | None:
    """Return the folder of an on-disk store with the snapshot's graph, built if need be.

    Args:
        folder: The snapshot's folder.
        manifest: Its manifest.

    Returns:
        The store's folder; None where there can be none (no room, no right to write).

    Raises:
        SnapshotError: If the snapshot itself is damaged.
    """
    target = cache_folder() / f"{manifest.name}-{manifest.sha256[:16]}"
    if _is_whole(target, manifest):
        return target / GRAPH_FOLDER
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with _alone(target):
            # Whoever held the lock before may have built it.
            if not _is_whole(target, manifest):
                _build(folder, manifest, target)
    except (OSError, RuntimeError, LoadError) as error:
        _log.warning("the graph of %s is kept in memory: %s", manifest.name, error)
        return None
    return target / GRAPH_FOLDER


def _build(folder: Path, manifest: Manifest, target: Path) -> None:
    from robodata_core.sources.snapshot.loading import building, fill_store

    started = time.monotonic()
    _told.info("Preparing %s for queries, once; this takes some seconds.", manifest.name)
    if target.exists():
        _log.info("what was cached of %s is not whole and is built anew", manifest.name)
        shutil.rmtree(target)
    with building(target) as made:
        fill_store(made / GRAPH_FOLDER, graph_blocks(folder, manifest))
        write_checksums(made)
        about = {"version": _VERSION, "sha256": manifest.sha256}
        (made / MANIFEST_FILE).write_text(json.dumps(about), encoding="utf-8")
    _remove_outdated(target)
    _told.info("Prepared %s in %.1f s.", manifest.name, time.monotonic() - started)


def _is_whole(target: Path, manifest: Manifest) -> bool:
    """Tell whether a store is there in full and of this very graph."""
    try:
        about = parse_json((target / MANIFEST_FILE).read_text(encoding="utf-8"))
        same = about["version"] == _VERSION and about["sha256"] == manifest.sha256
        if not same or not (target / CHECKSUMS).is_file():
            return False
        compare(target)
        return True
    except (OSError, ValueError, KeyError, TypeError, SnapshotError):
        return False


@contextmanager
def _alone(target: Path) -> Iterator[None]:
    """Keep other processes from building the same store meanwhile."""
    name = hashlib.sha256(os.fsencode(target)).hexdigest()[:12]
    with (target.parent / f".{name}.lock").open("a") as file:
        _lock(file)
        yield


def _lock(file: IO[str]) -> None:
    if fcntl is not None:
        # A file system without locks: at worst both build, and the later one takes the place.
        with contextlib.suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_EX)


def _remove_outdated(target: Path) -> None:
    """Remove stores of snapshots that nobody has built or asked for a month."""
    now = time.time()
    for path in target.parent.iterdir():
        if path == target or not path.is_dir() or path.name.startswith("."):
            continue
        with contextlib.suppress(OSError):
            if now - path.stat().st_mtime > _KEPT_SECONDS:
                shutil.rmtree(path)


T = TypeVar("T")
_log = logging.getLogger("robodata.sources.snapshot")


class Parts:
    """Store, graph and query processes of one snapshot.

    Args:
        folder: The snapshot's folder.
        manifest: Its manifest.
        index: Its index, where small snapshots keep their arrays.
    """

    def __init__(self, folder: Path, manifest: Manifest, index: Index) -> None:
        self._folder = folder
        self._manifest = manifest
        self._index = index
        self._lock = threading.RLock()
        self._made: dict[str, Any] = {}

    def once(self, key: str, make: Callable[[], T]) -> T:
        """Return what is kept under ``key``; make it first, if need be."""
        made = self._made.get(key)
        if made is None:
            with self._lock:
                made = self._made.get(key)
                if made is None:
                    made = self._made[key] = make()
        value: T = made
        return value

    @property
    def store(self) -> ox.Store:
        """The whole graph.

        Raises:
            SnapshotError: If it is damaged.
        """
        return self.once("store", self._open_store)

    @property
    def graph(self) -> Graph[Any]:
        """The graph as statements are read from it.

        Raises:
            SnapshotError: If it is damaged.
        """
        return self.once("graph", self._open_graph)

    @property
    def processes(self) -> QueryProcesses:
        """What gives child processes the same graph."""
        return self.once("processes", self._open_processes)

    def rest(self) -> None:
        """Let go of what is read again when it is needed; calls that use it keep theirs."""
        with self._lock:
            for key in ("reader", "store"):
                self._made.pop(key, None)
            graph = self._made.get("graph")
            if isinstance(graph, CompactGraph):
                graph.rest()
            else:
                self._made.pop("graph", None)  # it holds the store

    def close(self) -> None:
        """Let go of everything, and end processes."""
        with self._lock:
            processes = self._made.pop("processes", None)
            if processes is not None:
                processes.close()
            self._made.clear()

    @property
    def on_disk(self) -> Path | None:
        """The folder of an on-disk store with the graph; None where it is loaded into memory."""
        if self._manifest.form != "nquads":
            return self._folder / GRAPH_FOLDER
        if self._manifest.counts.get("triples", 0) < LEAST_TRIPLES:
            return None
        return self.once("on_disk", lambda: (prepared(self._folder, self._manifest),))[0]

    def _open_store(self) -> ox.Store:
        folder = self.on_disk
        if self._manifest.form != "nquads" or folder is None:
            return open_store(self._folder, self._manifest)
        try:
            return ox.Store.read_only(str(folder))
        except (OSError, RuntimeError) as error:
            _log.warning("%s cannot be opened and is not used: %s", folder, error)
            return open_store(self._folder, self._manifest)

    def _open_graph(self) -> Graph[Any]:
        if self._manifest.form != "nquads":
            named_graphs = self._manifest.named_graphs
            return StoreGraph(self.store, self._folder, named_graphs=named_graphs)
        try:
            return CompactGraph({key: self._index.blob(key) for key in PARTS})
        except (KeyError, ValueError) as error:
            raise damaged(self._folder, "its arrays do not fit together") from error

    def _open_processes(self) -> QueryProcesses:
        from robodata_core.store.queries import QueryProcesses

        folder = self.on_disk
        if folder is None:
            return QueryProcesses.for_file(graph_path(self._folder), "nq")
        return QueryProcesses.for_folder(folder)
