"""Building a folder so that it is either there in full or not at all.

Work goes into a hidden folder beside the target, which takes the target's name at the end. What
stood there before is only replaced at that moment, and only if that was asked for.
"""

from __future__ import annotations

import errno
import logging
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from robodata_core.errors import LoadError, RoboDataError
from robodata_core.sources._manifest import MANIFEST_FILE

__all__ = ["building", "no_space"]

_log = logging.getLogger("robodata.sources.load")
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
    _check_free(output, force)
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=f".{output.name}.loading-", dir=output.parent))
        temporary.chmod(0o777 & ~_umask())
    except OSError as error:
        raise _unwritable(output, error) from error
    try:
        yield temporary
        _check_free(output, force)
        _move_into_place(temporary, output)
    except RoboDataError:
        raise
    except Exception as error:
        if no_space(error):
            raise LoadError(
                f"There is no space left on the disk that holds {output}.",
                hint="Nothing was changed; make room or choose another folder with --output.",
            ) from error
        if isinstance(error, OSError):
            raise _unwritable(output, error) from error
        raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def no_space(error: BaseException) -> bool:
    """Tell whether an error means that the disk or quota is full, whoever raised it."""
    if isinstance(error, OSError) and error.errno in _FULL:
        return True
    return any(words in str(error).lower() for words in _FULL_WORDS)


def _check_free(output: Path, force: bool) -> None:
    if not output.exists() and not output.is_symlink():
        return
    if not force:
        raise LoadError(
            f"{output} exists already, and is left as it is.",
            hint="Choose another --output, or replace it with --force.",
        )
    if not output.is_dir() or not ((output / MANIFEST_FILE).is_file() or _is_empty(output)):
        raise LoadError(
            f"{output} is not a snapshot, so it is not replaced.", hint="Choose another --output."
        )


def _is_empty(folder: Path) -> bool:
    with os.scandir(folder) as entries:
        return next(entries, None) is None


def _move_into_place(temporary: Path, output: Path) -> None:
    if not output.exists():
        temporary.rename(output)
        return
    target = output.resolve() if output.is_symlink() else output
    old = temporary.with_name(temporary.name + ".old")
    target.rename(old)
    try:
        temporary.rename(target)
    except OSError:
        old.rename(target)
        raise
    shutil.rmtree(old, ignore_errors=True)
    if old.exists():
        _log.warning("the replaced snapshot could not be removed: %s", old)


def _unwritable(output: Path, error: OSError) -> LoadError:
    return LoadError(
        f"The snapshot cannot be written to {output} ({error.strerror or error}).",
        hint="Choose another folder with --output.",
    )


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
