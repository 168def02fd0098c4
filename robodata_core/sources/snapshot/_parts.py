"""The parts of an open snapshot that are loaded when first needed, once for all threads."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pyoxigraph as ox

from robodata_core.sources.snapshot._cached import LEAST_TRIPLES, prepared
from robodata_core.sources.snapshot._compact import PARTS, CompactGraph
from robodata_core.sources.snapshot._disk import StoreGraph
from robodata_core.sources.snapshot._graph import Graph
from robodata_core.sources.snapshot._index import Index
from robodata_core.sources.snapshot._manifest import (
    GRAPH_FILE,
    GRAPH_FOLDER,
    Manifest,
    damaged,
    open_store,
)

if TYPE_CHECKING:
    from robodata_core.store.queries import QueryProcesses

T = TypeVar("T")
_log = logging.getLogger("robodata.sources.snapshot")


class Parts:
    """Store, graph and query processes of one snapshot."""

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
            return QueryProcesses.for_file(self._folder / GRAPH_FILE, "nq")
        return QueryProcesses.for_folder(folder)
