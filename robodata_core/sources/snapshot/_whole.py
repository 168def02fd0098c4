"""Whether the files of a snapshot are what was written: at once, in the background, or all of them.

Small files are compared by their content whenever a snapshot is opened. Of large ones (``kg load``
may write many gigabytes) some blocks are compared at once, others each time, and the rest while
the snapshot is used already; what is found then ends the next call.
"""

from __future__ import annotations

import hashlib
import os
import random
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from robodata_core.errors import ConfigurationError, SnapshotError
from robodata_core.sources.snapshot._manifest import (
    CHECKSUMS,
    GRAPH_FILE,
    MANIFEST_FILE,
    Manifest,
    damaged,
)
from robodata_core.whole_files import file_hash, read_text

_LARGE: Final = 64_000_000
"""Files up to this size are compared as a whole when they are opened (about 1 ms/MB)."""
_BLOCK: Final = 16_000_000
_AT_ONCE: Final = 4
"""Blocks of large files that are compared when a snapshot is opened."""
_PAUSE: Final = 0.05
"""Seconds between two blocks in the background, which leaves half of a disk to questions."""


class _Block(NamedTuple):
    """A part of a file as it was written; a whole file begins at 0 and has no ``#`` behind it."""

    sha256: str
    size: int
    name: str
    start: int | None = None


def write_checksums(folder: Path) -> None:
    """Write check sum and size of all files but the manifest, to know later if they changed."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    lines = []
    for path in files:
        if path.name in (MANIFEST_FILE, CHECKSUMS, "LOCK", "LOG"):
            continue
        size, name = path.stat().st_size, path.relative_to(folder).as_posix()
        lines.append(f"{file_hash(path)}  {size}  {name}\n")
        for start in range(0, size, _BLOCK) if size > _LARGE else ():
            length = min(_BLOCK, size - start)
            lines.append(f"{_hash_of(path, start, length)}  {length}  {name}#{start}\n")
    (folder / CHECKSUMS).write_text("".join(lines), encoding="utf-8")


class Wholeness:
    """Compares the files of an open snapshot with what was written.

    Args:
        folder: The snapshot's folder.
        manifest: Its manifest.

    Raises:
        SnapshotError: If a file is missing, has another size, or is not what it was as far as it
            is compared at once.
    """

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self._folder = folder
        self._failure: SnapshotError | None = None
        self._closed = threading.Event()
        written = _written(folder)
        for item in written:
            if item.start is None:
                self._compare_file(item)
        if manifest.form == "nquads":
            self._compare_length(manifest)
        blocks = [item for item in written if item.start is not None]
        random.shuffle(blocks)  # others each time
        for block in blocks[:_AT_ONCE]:
            self._compare(block)
        self._rest = threading.Thread(target=self._go_on, args=(blocks[_AT_ONCE:],), daemon=True)
        if blocks[_AT_ONCE:]:
            self._rest.start()

    def check(self) -> None:
        """Return if nothing was found in the background.

        Raises:
            SnapshotError: If a block is not what it was.
        """
        if self._failure is not None:
            raise self._failure

    def close(self) -> None:
        """Compare no further."""
        self._closed.set()

    def _go_on(self, blocks: Sequence[_Block]) -> None:
        for block in blocks:
            if self._closed.wait(_PAUSE):
                return
            try:
                self._compare(block)
            except SnapshotError as error:
                self._failure = error
                return

    def _compare_file(self, file: _Block) -> None:
        try:
            size = (self._folder / file.name).stat().st_size
        except OSError as error:
            raise damaged(self._folder, f"{file.name} is missing") from error
        if size != file.size:
            raise damaged(self._folder, f"{file.name} is cut off or was changed")
        if size <= _LARGE:
            self._compare(file)

    def _compare(self, block: _Block) -> None:
        try:
            found = _hash_of(self._folder / block.name, block.start or 0, block.size)
        except OSError as error:
            why = f"{block.name} cannot be read ({error.strerror})"
            raise damaged(self._folder, why) from error
        if found != block.sha256:
            raise damaged(self._folder, f"{block.name} is cut off or was changed")

    def _compare_length(self, manifest: Manifest) -> None:
        """Compare the length that stands at the end of the compressed graph with the manifest."""
        try:
            with (self._folder / GRAPH_FILE).open("rb") as file:
                file.seek(-4, os.SEEK_END)
                length = int.from_bytes(file.read(4), "little")
        except OSError as error:
            why = f"{GRAPH_FILE} cannot be read ({error.strerror})"
            raise damaged(self._folder, why) from error
        if length != manifest.bytes & 0xFFFFFFFF:
            raise damaged(self._folder, f"{GRAPH_FILE} is cut off or was changed")


def changed_files(folder: Path) -> list[str]:
    """Compare all files with the check sums and return what is not as it was written."""
    try:
        written = [item for item in _written(folder) if item.start is None]
    except SnapshotError:
        written = []
    if not written:
        return [f"{CHECKSUMS} is missing or cannot be read"]
    found = []
    for item in written:
        path = folder / item.name
        if not path.is_file():
            found.append(f"{item.name} is missing")
        elif file_hash(path) != item.sha256:
            found.append(f"{item.name} was changed or damaged")
    return found


def _written(folder: Path) -> list[_Block]:
    """Return what every file and block was when it was written; nothing if not known.

    Raises:
        SnapshotError: If that cannot be read.
    """
    if not (folder / CHECKSUMS).exists():
        return []
    try:
        return list(_rows(read_text(folder / CHECKSUMS)))
    except (ConfigurationError, ValueError) as error:
        raise damaged(folder, f"{CHECKSUMS} cannot be read") from error


def _rows(text: str) -> Iterator[_Block]:
    for line in text.splitlines():
        sha256, size, name = line.split("  ", 2)
        name, _, start = name.partition("#")
        yield _Block(sha256, int(size), name, int(start) if start else None)


def _hash_of(path: Path, start: int, size: int) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        file.seek(start)
        while size > 0 and (data := file.read(min(1 << 20, size))):
            digest.update(data)
            size -= len(data)
    return digest.hexdigest()
