"""Building a folder so that it is either there in full or not at all.

Work goes into a hidden folder beside the target, which takes the target's name at the end. What
stood there before is only replaced at that moment, and only if that was asked for. A process that
is killed leaves its folder behind; the next one that builds the same target removes it. Folders in
use are told apart by a lock that the system takes back from whoever dies.
"""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

try:
    import fcntl
except ImportError:  # not on Windows: there, folders of killed processes stay
    fcntl = None  # type: ignore[assignment]

from robodata_core.errors import LoadError, RoboDataError
from robodata_core.sources.snapshot._manifest import MANIFEST_FILE
from robodata_core.whole_files import sync_folder

_log = logging.getLogger("robodata.sources.load")
_OLD: Final = ".old"
_FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_FULL_WORDS: Final = ("no space left", "disk is full", "file too large", "quota exceeded")


@contextmanager
def building(output: Path, *, force: bool = False) -> Iterator[Path]:
    """Give a folder to build in; on leaving without an error it becomes ``output``.

    Args:
        output: Where the folder shall be.
        force: Replace a snapshot (or an empty folder) that is there already.

    Raises:
        LoadError: If ``output`` is taken, cannot be written, or the disk is full.
    """
    output = Path(os.path.abspath(output))
    _remove_left_overs(output)
    check_free(output, force)
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        temporary, lock = _locked_folder(output)
    except OSError as error:
        raise _unwritable(output, error) from error
    try:
        yield temporary
        sync_folder(temporary)  # a crash of the machine must not leave its name without its files
        check_free(output, force)
        _move_into_place(temporary, output)
    except RoboDataError:
        raise
    except Exception as error:
        if no_space(error):
            raise LoadError(
                f"There is no space left on the disk that holds {output}.",
                hint="Nothing was changed; make room or choose another folder with --output.",
            ) from error
        if isinstance(error, (OSError, sqlite3.Error)):
            raise _unwritable(output, error) from error
        raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
        os.close(lock)


def no_space(error: BaseException) -> bool:
    """Tell whether an error means that the disk or quota is full, whoever raised it."""
    if isinstance(error, OSError) and error.errno in _FULL:
        return True
    return any(words in str(error).lower() for words in _FULL_WORDS)


def _locked_folder(output: Path) -> tuple[Path, int]:
    """Make a folder to work in; return it with the descriptor that holds its lock."""
    while True:
        path = Path(tempfile.mkdtemp(prefix=_prefix(output), dir=output.parent))
        path.chmod(0o777 & ~_umask())
        lock = _lock(path)
        # Somebody who tidies up may have been faster.
        if lock is not None and path.exists():
            return path, lock
        if lock is not None:
            os.close(lock)


def _prefix(output: Path) -> str:
    return f".{output.name}.loading-"


def _lock(folder: Path) -> int | None:
    """Lock a folder; None if it is gone or another process has it."""
    if fcntl is None:
        return os.open(os.devnull, os.O_RDONLY)
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    except OSError:  # a file system without locks: nobody tidies up there, either
        pass
    return descriptor


def _remove_left_overs(output: Path) -> None:
    """Remove folders of processes that were killed while they built ``output``."""
    if fcntl is None:
        return
    start = _prefix(output)
    try:
        names = [name for name in os.listdir(output.parent) if name.startswith(start)]
    except OSError:
        return
    for path in sorted(output.parent / name for name in names):
        if path.is_symlink() or not path.is_dir():
            continue
        if not path.name.endswith(_OLD):
            _remove_if_dead(path)
        elif output.exists():
            shutil.rmtree(path, ignore_errors=True)
        elif not path.with_name(path.name.removesuffix(_OLD)).exists():
            # Killed between the two renames: what stood there goes back to its place.
            with contextlib.suppress(OSError):
                path.rename(output)


def _remove_if_dead(path: Path) -> None:
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(path, ignore_errors=True)
    except OSError:
        pass  # its owner lives, or nobody can tell
    finally:
        os.close(descriptor)


def check_free(output: Path, force: bool) -> None:
    """Check that a snapshot can be put at ``output``.

    Raises:
        LoadError: If something is there, with ``force`` if it is no snapshot.
    """
    if not output.exists() and not output.is_symlink():
        return
    if not force:
        raise LoadError(
            f"{output} exists already, and is left as it is.",
            hint="Choose another name, or replace it with --force.",
        )
    if not output.is_dir() or not ((output / MANIFEST_FILE).is_file() or _is_empty(output)):
        raise LoadError(
            f"{output} is not a snapshot, so it is not replaced.", hint="Choose another name."
        )


def _is_empty(folder: Path) -> bool:
    with os.scandir(folder) as entries:
        return next(entries, None) is None


def _move_into_place(temporary: Path, output: Path) -> None:
    if not output.exists():
        temporary.rename(output)
        return
    target = output.resolve() if output.is_symlink() else output
    old = temporary.with_name(temporary.name + _OLD)
    target.rename(old)
    try:
        temporary.rename(target)
    except OSError:
        old.rename(target)
        raise
    shutil.rmtree(old, ignore_errors=True)
    if old.exists():
        _log.warning("the replaced snapshot could not be removed: %s", old)


def _unwritable(output: Path, error: OSError | sqlite3.Error) -> LoadError:
    reason = getattr(error, "strerror", None) or error
    return LoadError(
        f"The snapshot cannot be written to {output} ({reason}).",
        hint="Choose another folder with --output.",
    )


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
