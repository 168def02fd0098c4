"""What the screen keeps from session to session besides settings: a few words in a small file.

Nothing depends on it: a file that is not there, cannot be read or written, or holds something
else is as good as an empty one.
"""

from __future__ import annotations

import json
import logging
from pathlib import Path

from robodata_core.text import parse_json
from robodata_core.whole_files import form_limit, write_whole

__all__ = ["Kept"]

_MOST_BYTES = 10_000
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
                data = parse_json(file.read(form_limit(_MOST_BYTES)))
        except (OSError, ValueError):
            return {}
        if not isinstance(data, dict):
            return {}
        return {name: data[name] for name, words in self._known.items() if data.get(name) in words}
