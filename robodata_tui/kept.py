"""What the terminal UI keeps by itself: journals, as many as may stay, and a few words.

Only journals that it named (``run-`` and sixteen hexadecimal digits) in the folder that it chose
are ever removed: a folder named by ``--journal`` and files that somebody put there are somebody
else's. Nothing depends on the words: a file that is not there, cannot be read or written, or holds
something else is as good as an empty one.
"""

from __future__ import annotations

import json
import logging
import re
import stat
from pathlib import Path
from typing import Final

from robodata_core.text import parse_json
from robodata_core.whole_files import form_limit, write_whole

__all__ = [
    "Kept",
    "default_folder",
    "kept_file",
    "prune",
]

_OWN: Final = re.compile(r"run-[0-9a-f]{16}\.jsonl")
_MOST_BYTES: Final = 500_000_000


def default_folder() -> Path:
    """Return the folder of the user's own journals."""
    return _own_place() / "journals"


def kept_file() -> Path:
    """Return the file with what the screen keeps from session to session."""
    return _own_place() / "screen.json"


def _own_place() -> Path:
    import platformdirs

    return Path(platformdirs.user_state_dir("robodata", appauthor=False))


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


_MOST_WORDS = 10_000
_log = logging.getLogger("robodata.tui")


class Kept:
    """A few named words.

    Args:
        path: The file, or None to keep nothing.
        known: For every name the words that it may have; anything else in the file is ignored.
    """

    def __init__(self, path: Path | None, known: dict[str, tuple[str, ...]]) -> None:
        self._path = path
        self._known = known
        self._words = self._read()

    def get(self, name: str, default: str) -> str:
        """Return a word by its name."""
        return self._words.get(name, default)

    def put(self, name: str, word: str) -> None:
        """Keep a word."""
        if self._words.get(name) == word or word not in self._known.get(name, ()):
            return
        self._words[name] = word
        if self._path is None:
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(self._path, json.dumps(self._words))
        except OSError as error:
            _log.info("%s cannot be written: %s", self._path, error)

    def _read(self) -> dict[str, str]:
        if self._path is None:
            return {}
        try:
            with self._path.open("rb") as file:
                data = parse_json(file.read(form_limit(_MOST_WORDS)))
        except (OSError, ValueError):
            return {}
        if not isinstance(data, dict):
            return {}
        return {name: data[name] for name, words in self._known.items() if data.get(name) in words}
