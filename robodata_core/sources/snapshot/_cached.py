"""A large snapshot's graph as an on-disk store in the user's cache, for SPARQL.

Snapshots come as one compressed file, which is small to install; loaded into memory for a query it
takes seconds and hundreds of megabytes. So it is loaded into an on-disk store once. The cache is
only ever a copy: what is missing, cut off, of another graph or unreadable is built anew, by one
process at a time, and where nothing can be written the graph is loaded into memory instead.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

from robodata_core.errors import LoadError, SnapshotError
from robodata_core.sources.snapshot._manifest import (
    CHECKSUMS,
    GRAPH_FOLDER,
    MANIFEST_FILE,
    Manifest,
    cache_folder,
    graph_blocks,
)
from robodata_core.sources.snapshot._whole import compare, write_checksums
from robodata_core.text import parse_json

try:
    import fcntl
except ImportError:  # not on Windows: there, two processes may build the same at once
    fcntl = None  # type: ignore[assignment]

LEAST_TRIPLES: Final = 100_000
"""Smaller graphs are loaded into memory, which is as fast."""

_VERSION: Final = 2
_KEPT_SECONDS: Final = 30 * 86_400.0
_log = logging.getLogger("robodata.sources.snapshot")
_told = logging.getLogger("robodata.preparing")


def prepared(folder: Path, manifest: Manifest) -> Path | None:
    """Return the folder of an on-disk store with the snapshot's graph, built if need be.

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
