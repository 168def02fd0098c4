"""Files that are there whole or not at all, also when the disk is full or the machine goes down."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path

__all__ = ["sync_folder", "write_whole"]


def write_whole(path: Path, data: str | bytes, *, mode: int = 0o666) -> None:
    """Write a file beside the place where it shall be, and put it there when it is on the disk.

    Until then what was there before stays.

    Args:
        path: The file; its folder must be there.
        data: All of it; text is written as UTF-8.
        mode: Who may read and write it where it is new (less what the process masks); a file that
            is replaced keeps its own.

    Raises:
        OSError: If it cannot be written; then nothing has changed.
    """
    content = data.encode("utf-8") if isinstance(data, str) else data
    path = path.resolve()  # a link stays one
    if path.exists() and not path.is_file():  # a device or a pipe is written to, not replaced
        path.write_bytes(content)
        return
    partial = path.with_name(f".{path.name[:100]}.{secrets.token_hex(4)}")
    try:
        with open(partial, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(FileNotFoundError):
            os.chmod(partial, path.stat().st_mode)
        os.replace(partial, path)
    except BaseException:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)
        raise


def sync_folder(folder: Path) -> None:
    """Return when everything in a folder, however deep, is on the disk.

    Raises:
        OSError: If something is not.
    """
    for path in (*sorted(folder.rglob("*")), folder):
        if path.is_file() or (path.is_dir() and os.name == "posix"):
            handle = os.open(path, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)
