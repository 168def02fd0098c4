"""Whether the files of a snapshot are what was written, told when it is opened.

A small snapshot is compared with its check sums each time. Of a larger one (``kg load`` may write
many gigabytes) each file is compared when it is opened first, when anything has written to it, and
once a day; that this was done is remembered in the user's cache.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from robodata_core.errors import ConfigurationError, SnapshotError
from robodata_core.sources.snapshot._manifest import CHECKSUMS, MANIFEST_FILE, cache_folder, damaged
from robodata_core.text import parse_json
from robodata_core.whole_files import file_hash, read_text, write_whole

_SMALL: Final = 64_000_000
"""Snapshots up to this size are always compared (about half a second a gigabyte)."""
_DAY: Final = 86_400.0
_COMPARED: Final = "compared.json"
_SAVED_EVERY: Final = 1.0
"""Seconds of comparing after which is saved what was done: whoever gives up goes on from there."""


class _File(NamedTuple):
    """A file as it was written."""

    sha256: str
    size: int
    name: str


def write_checksums(folder: Path) -> None:
    """Write check sum and size of all files but the manifest, to know later if they changed."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    lines = [
        f"{file_hash(path)}  {path.stat().st_size}  {path.relative_to(folder).as_posix()}\n"
        for path in files
        if path.name not in (MANIFEST_FILE, CHECKSUMS, "LOCK") and not path.name.startswith("LOG")
    ]
    (folder / CHECKSUMS).write_text("".join(lines), encoding="utf-8")


def compare(folder: Path) -> None:
    """Return if the files of a snapshot are what was written.

    Raises:
        SnapshotError: If one is missing, cut off or changed.
    """
    written = _written(folder)
    keys = {_key(folder, file): file for file in written}
    if sum(file.size for file in written) <= _SMALL:
        for file in written:
            _compare(folder, file)
        return
    known, saved = _remembered(), time.monotonic()
    done: dict[str, float] = {}
    try:
        for key, file in keys.items():
            if key not in known:
                _compare(folder, file)
                done[key] = time.time()
                if time.monotonic() - saved > _SAVED_EVERY:
                    _remember(done)
                    saved = time.monotonic()
    finally:
        _remember(done)


def compare_file(path: Path, written: str, sum_of: Callable[[Path], str]) -> bool:
    """Return whether one file is what was written, however large, as ``compare`` does of many.

    Args:
        path: The file.
        written: The check sum it had then.
        sum_of: Returns a file's check sum.

    Raises:
        OSError: If it cannot be read.
    """
    is_ = path.stat()
    key = _state(is_, written)
    if is_.st_size > _SMALL and key in _remembered():
        return True
    if sum_of(path) != written:
        return False
    if is_.st_size > _SMALL:
        _remember({key: time.time()})
    return True


def changed_files(folder: Path) -> list[str]:
    """Compare all files with the check sums and return what is not as it was written."""
    try:
        written = _written(folder)
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


def _key(folder: Path, file: _File) -> str:
    """Return what names a file and changes with whatever is written to it."""
    try:
        is_ = (folder / file.name).stat()
    except OSError as error:
        raise damaged(folder, f"{file.name} is missing") from error
    if is_.st_size != file.size:
        raise damaged(folder, f"{file.name} is cut off or was changed")
    return _state(is_, file.sha256)


def _state(is_: os.stat_result, written: str) -> str:
    # The time of the last change of any kind (ctime) cannot be set, as the other can.
    return f"{is_.st_dev} {is_.st_ino} {is_.st_mtime_ns} {is_.st_ctime_ns} {written}"


def _compare(folder: Path, file: _File) -> None:
    try:
        found = file_hash(folder / file.name)
    except OSError as error:
        raise damaged(folder, f"{file.name} cannot be read ({error.strerror})") from error
    if found != file.sha256:
        raise damaged(folder, f"{file.name} is cut off or was changed")


def _remembered() -> dict[str, float]:
    """Return which files were compared within a day, and when."""
    try:
        known = parse_json(read_text(cache_folder() / _COMPARED))
    except (ConfigurationError, ValueError):
        return {}
    now = time.time()
    return {
        key: when
        for key, when in (known.items() if isinstance(known, dict) else ())
        if isinstance(when, float) and 0 <= now - when < _DAY
    }


def _remember(done: Mapping[str, float]) -> None:
    if done:
        with contextlib.suppress(OSError):  # then they are compared again the next time
            path = cache_folder() / _COMPARED
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, json.dumps({**_remembered(), **done}), mode=0o600)


def _written(folder: Path) -> list[_File]:
    """Return what every file was when it was written; nothing if not known."""
    if not (folder / CHECKSUMS).exists():
        return []
    try:
        rows = [line.split("  ", 2) for line in read_text(folder / CHECKSUMS).splitlines()]
        # Versions before the first release wrote parts of files, too.
        return [_File(sha256, int(size), name) for sha256, size, name in rows if "#" not in name]
    except (ConfigurationError, ValueError) as error:
        raise damaged(folder, f"{CHECKSUMS} cannot be read") from error
