"""The journals that the terminal UI keeps by itself, and how many of them.

Only files that it named (``run-`` and sixteen hexadecimal digits) in the folder that it chose are
ever removed: a folder named by ``--journal`` and files that somebody put there are somebody else's.
"""

from __future__ import annotations

import logging
import re
import stat
from pathlib import Path
from typing import Final

__all__ = ["default_folder", "kept_file", "prune"]

_OWN: Final = re.compile(r"run-[0-9a-f]{16}\.jsonl")
_MOST_BYTES: Final = 500_000_000
_log = logging.getLogger("robodata.tui")


def default_folder() -> Path:
    """Return the folder of the user's own journals."""
    import platformdirs

    return Path(platformdirs.user_state_dir("robodata", appauthor=False)) / "journals"


def kept_file() -> Path:
    """Return the file with what the screen keeps from session to session."""
    import platformdirs

    return Path(platformdirs.user_state_dir("robodata", appauthor=False)) / "screen.json"


def prune(folder: Path, most: int, most_bytes: int = _MOST_BYTES) -> list[Path]:
    """Remove the oldest journals, so that ``most`` are left and they take ``most_bytes``.

    Args:
        folder: Where they are.
        most: How many may stay; 0 keeps all, whatever they take.
        most_bytes: What they may take; the newest one stays in any case.

    Returns:
        What was removed.
    """
    if most == 0 or not folder.is_dir():
        return []
    found = []
    for path in folder.iterdir():
        try:
            status = path.lstat()
        except OSError:
            continue
        if _OWN.fullmatch(path.name) and stat.S_ISREG(status.st_mode):
            found.append((status.st_mtime, status.st_size, path))
    found.sort(reverse=True)
    removed, total = [], 0
    for place, (_, size, path) in enumerate(found):
        total += size
        if place == 0 or (place < most and total <= most_bytes):
            continue
        try:
            path.unlink()
        except OSError as error:
            _log.info("The old journal %s cannot be removed: %s", path, error)
        else:
            removed.append(path)
    return removed
