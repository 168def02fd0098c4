"""The files of a snapshot: where they are, whether they are whole, and the graph in them.

What a manifest says is read in ``_manifest``, the index in ``_index``; how files are written, in
``_write`` and ``_loader``.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import zlib
from importlib import resources
from pathlib import Path

import pyoxigraph as ox

from robodata_core.errors import SnapshotError
from robodata_core.sources._manifest import (
    CHECKSUMS,
    GRAPH_FILE,
    GRAPH_FOLDER,
    MANIFEST_FILE,
    Manifest,
    damaged,
    file_hash,
)
from robodata_core.text import clean_text

__all__ = [
    "changed_files",
    "check_sizes",
    "embedded_snapshots",
    "find_snapshot",
    "open_store",
    "read_graph",
]


def embedded_snapshots() -> tuple[str, ...]:
    """Return the names of the snapshots that come with the package."""
    home = resources.files("robodata_core") / "data"
    if not home.is_dir():
        return ()
    return tuple(
        sorted(entry.name for entry in home.iterdir() if (entry / MANIFEST_FILE).is_file())
    )


def find_snapshot(name_or_path: str | Path) -> Path:
    """Return the folder of a snapshot, given as the name of an embedded one or as a path.

    Raises:
        SnapshotError: If there is no embedded one of that name, and no such folder.
    """
    name = str(name_or_path)
    if name in embedded_snapshots():
        return Path(str(resources.files("robodata_core") / "data" / name))
    folder = Path(name).expanduser()
    if not name or (folder.name == name and not os.path.exists(folder)):
        known = ", ".join(embedded_snapshots())
        raise SnapshotError(
            f"There is no snapshot called {clean_text(name, limit=100)!r}.",
            hint=f"Embedded: {known}. Others are given as a path." if known else "Give a path.",
        )
    return folder


def check_sizes(folder: Path, manifest: Manifest) -> None:
    """Compare the sizes of all files with what was written: what is cut off is found at once.

    Raises:
        SnapshotError: If a file is missing or has another size.
    """
    for name, size, _ in _written(folder):
        try:
            found = (folder / name).stat().st_size
        except OSError as error:
            raise damaged(folder, f"{name} is missing") from error
        if found != size:
            raise damaged(folder, f"{name} is cut off or was changed")
    if manifest.form == "nquads":
        _check_length(folder / GRAPH_FILE, manifest)


def _check_length(path: Path, manifest: Manifest) -> None:
    """Compare the length that stands at the end of the compressed graph with the manifest."""
    try:
        with path.open("rb") as file:
            file.seek(-4, os.SEEK_END)
            length = int.from_bytes(file.read(4), "little")
    except OSError as error:
        raise damaged(path.parent, f"{path.name} cannot be read ({error.strerror})") from error
    if length != manifest.bytes & 0xFFFFFFFF:
        raise damaged(path.parent, f"{path.name} is cut off or was changed")


def read_graph(folder: Path, manifest: Manifest) -> bytes:
    """Return the N-Quads of a small snapshot, checked against the manifest.

    Raises:
        SnapshotError: If they cannot be read or are not what they were.
    """
    try:
        data = gzip.decompress((folder / GRAPH_FILE).read_bytes())
    except (OSError, EOFError, zlib.error) as error:
        raise damaged(folder, f"{GRAPH_FILE} cannot be read ({error})") from error
    if hashlib.sha256(data).hexdigest() != manifest.sha256:
        raise damaged(folder, f"{GRAPH_FILE} is not the file the manifest describes")
    return data


def open_store(folder: Path, manifest: Manifest) -> ox.Store:
    """Open the graph of a snapshot: from its file into memory, or read-only from its folder.

    Raises:
        SnapshotError: If it is damaged.
    """
    if manifest.form == "nquads":
        store = ox.Store()
        store.bulk_load(read_graph(folder, manifest), ox.RdfFormat.N_QUADS)
        return store
    try:
        return ox.Store.read_only(str(folder / GRAPH_FOLDER))
    except (OSError, RuntimeError) as error:
        raise damaged(folder, f"its graph cannot be opened ({error})") from error


def changed_files(folder: Path) -> list[str]:
    """Compare all files with the check sums and return what is not as it was written."""
    written = _written(folder)
    if not written:
        return [f"{CHECKSUMS} is missing or cannot be read"]
    found = []
    for name, _, expected in written:
        path = folder / name
        if not path.is_file():
            found.append(f"{name} is missing")
        elif file_hash(path) != expected:
            found.append(f"{name} was changed or damaged")
    return found


def _written(folder: Path) -> list[tuple[str, int, str]]:
    """Return name, size and check sum of every file as it was written; nothing if not known."""
    try:
        lines = (folder / CHECKSUMS).read_text(encoding="utf-8").splitlines()
        rows = [line.split("  ", 2) for line in lines]
        return [(name, int(size), sha256) for sha256, size, name in rows]
    except (OSError, ValueError):
        return []
