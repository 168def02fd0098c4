"""Files as a whole: read if they are not too large, written whole or not at all.

How large is one setting (``read_bytes``); whoever reads a file piece by piece takes the limit of a
piece from it, too (``form_limit``).

Not at all means: also when the disk is full or the machine goes down.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import os
import secrets
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final

from robodata_core.errors import ConfigurationError

__all__ = [
    "file_hash",
    "file_limit",
    "form_limit",
    "read_text",
    "read_whole",
    "sync_folder",
    "write_whole",
    "writing",
]

_BLOCK: Final = 1 << 20
_HINT: Final = "The setting read_bytes says how much of a file is read."
#: What files are read as a whole at most, in bytes: one number of the process, as ``file_limit``.
_USUAL: Final = 100_000_000
_limit = [_USUAL]


def file_limit(new: int | None = None) -> int:
    """Return how many bytes of a file are read as a whole at most, and set it where ``new`` says.

    It holds for the whole process, as ``csv.field_size_limit``; settings are loaded with it
    (``read_bytes``).

    Args:
        new: The limit from now on, unpacked; None leaves it.

    Returns:
        The limit until now.
    """
    old = _limit[0]
    if new is not None:
        _limit[0] = new
    return old


def form_limit(usual: int) -> int:
    """Return how many bytes a form of file, or a line of it, may have.

    All forms grow and shrink with the one setting ``read_bytes``.

    Args:
        usual: What it may have where that setting is as it usually is.
    """
    return usual * _limit[0] // _USUAL


def read_whole(
    path: str | Path, *, most: int | None = None, what: str = "", hint: str = ""
) -> bytes:
    """Read a file, and unpack one whose name ends in ``.gz``, in little more memory than it takes.

    Args:
        path: The file; its size is not believed, so that a device is read no further.
        most: Most bytes of this form of file, unpacked, as for ``form_limit``; None for any form.
        what: What it is, as in "The lexicon", to begin the sentence of an error with.
        hint: What to do about an error.

    Raises:
        ConfigurationError: If it cannot be read or holds more.
    """
    name = f"{what} {path}".strip()
    most = form_limit(_USUAL if most is None else most)
    try:
        with open(path, "rb") as file:
            packed = str(path).endswith(".gz")
            opened: IO[bytes] | gzip.GzipFile = gzip.GzipFile(fileobj=file) if packed else file
            # In pieces: a buffer of all that may come would be too much for a file that is small.
            pieces, left = [], most
            while left >= 0 and (piece := opened.read(min(_BLOCK, left + 1))):
                pieces.append(piece)
                left -= len(piece)
    except (OSError, EOFError, zlib.error) as error:
        why = getattr(error, "strerror", None) or error
        raise ConfigurationError(f"{name} cannot be read: {why}.", hint=hint) from error
    if left < 0:
        raise ConfigurationError(f"{name} is larger than {most:,} bytes.", hint=hint or _HINT)
    return b"".join(pieces)


def read_text(path: str | Path, *, most: int | None = None, what: str = "") -> str:
    """Read a file of UTF-8 text, with or without a byte order mark, like ``read_whole``.

    Raises:
        ConfigurationError: If it cannot be read, holds more or is not UTF-8.
    """
    data = read_whole(path, most=most, what=what)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        name = f"{what} {path}".strip()
        text = f"{name} cannot be read: it is not UTF-8 at byte {error.start}."
        raise ConfigurationError(text) from error


def file_hash(path: str | Path) -> str:
    """Return the SHA-256 of a file's bytes, which are never in memory together.

    Raises:
        OSError: If it cannot be read.
    """
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


@contextlib.contextmanager
def writing(path: str | Path, hint: str = "") -> Iterator[Path]:
    """Give the path to write to, and say as a sentence what goes wrong with it.

    Raises:
        ConfigurationError: If writing fails.
    """
    try:
        yield Path(path)
    except OSError as error:
        reason = error.strerror or error
        raise ConfigurationError(f"{path} cannot be written: {reason}.", hint=hint) from error


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
