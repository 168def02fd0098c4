"""Opening an on-disk store, and turning what can go wrong with disks into sentences."""

from __future__ import annotations

import contextlib
import os
import re
import traceback
from collections.abc import Iterator
from pathlib import Path

import pyoxigraph as ox

from robodata_core.errors import StoreBusyError, StoreError, StoreFullError

# What RocksDB writes into every folder it owns.
_MARK = "CURRENT"
# What stands there before, where making a store was cut off.
_BEGUN = re.compile(r"(?:LOCK|IDENTITY|LOG(?:\.old\..*)?|MANIFEST-\d+|\d+\.(?:log|dbtmp))\Z")


def open_store(path: str | os.PathLike[str]) -> ox.Store:
    """Open or create the store in the folder ``path``.

    Raises:
        StoreBusyError: If somebody has it open.
        StoreError: If the folder cannot be used.
    """
    folder = Path(path).expanduser()
    try:
        if folder.exists() and not folder.is_dir():
            raise StoreError(
                f"The store cannot be opened: {folder} is a file, not a folder.",
                hint="Name a new or empty folder.",
            )
        if folder.is_dir() and not (folder / _MARK).exists():
            if any(folder.glob("*.sst")):
                raise _damaged(folder)
            if not all(_BEGUN.match(path.name) for path in folder.iterdir()):
                raise StoreError(
                    f"The store cannot be opened: {folder} holds other files.",
                    hint="Name a new or empty folder.",
                )
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _sentence(error, folder) from error
    with sentences(folder):
        return ox.Store(os.fspath(folder))


@contextlib.contextmanager
def sentences(folder: Path | None) -> Iterator[None]:
    """Turn what Oxigraph raises inside into ``StoreError``.

    Raises:
        StoreBusyError: If somebody else has the store open.
        StoreFullError: If there is no space left.
        StoreError: For anything else that goes wrong with the files.
    """
    try:
        with letting_go():
            yield
    except (OSError, SyntaxError) as error:
        raise _sentence(error, folder) from error
    except RuntimeError as error:  # what RocksDB finds broken
        if str(error).startswith(("Corruption", "IO error")):
            raise _sentence(error, folder) from error
        raise
    except BaseException as error:
        # Damage that nobody foresaw arrives as a panic of the Rust side.
        if type(error).__name__ == "PanicException":
            raise _damaged(folder) from error
        raise


@contextlib.contextmanager
def letting_go() -> Iterator[None]:
    """Keep exceptions that come out of here from holding on to the store.

    Oxigraph gives a folder free when nothing refers to its store any more, and a traceback refers
    to everything its functions worked with.
    """
    try:
        yield
    except BaseException as error:
        chain: BaseException | None = error
        while chain is not None:
            traceback.clear_frames(chain.__traceback__)
            chain = chain.__context__
        raise


def _sentence(error: Exception, folder: Path | None) -> StoreError:
    text = str(error).lower()
    where = f" in {folder}" if folder else ""
    if "while lock file" in text or "lock hold by current process" in text:
        return StoreBusyError(
            f"The store{where} is open elsewhere: only one process may use it at a time.",
            hint="Close the other one, or name another folder.",
        )
    if any(sign in text for sign in ("no space left", "quota exceeded", "space limit", "enospc")):
        return StoreFullError(
            f"There is no space left for the store{where}; what was stored before is kept.",
            hint="Free some space and try again.",
        )
    if "permission denied" in text or "read-only file system" in text:
        return StoreError(
            f"The store{where} cannot be written: permission denied.",
            hint="Name a folder you may write to.",
        )
    if any(sign in text for sign in ("corruption", "invalid", "no such file")):
        return _damaged(folder)
    return StoreError(f"The store{where} cannot be used: {error}")


def _damaged(folder: Path | None) -> StoreError:
    where = f" in {folder}" if folder else ""
    return StoreError(
        f"The store{where} is damaged and cannot be read.",
        hint="Restore it from a copy, or name another folder.",
    )
