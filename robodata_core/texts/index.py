"""Local texts in one file: sentences in an SQLite full-text index (FTS5), read-only once made.

Text, Markdown and JSON Lines of extracts (``title``, ``text`` or ``extract``, ``url``) are taken.
In the file's header stands a check sum of all of it: flipped bits are told when it is opened.
"""

from __future__ import annotations

import os
import re
import sqlite3
import threading
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from robodata_core.errors import ConfigurationError, LoadError
from robodata_core.sources.snapshot import compare_file
from robodata_core.text import clean_text, normalise_name, parse_json
from robodata_core.texts.corpus import Sentence, split
from robodata_core.whole_files import form_limit, read_text

if TYPE_CHECKING:
    from robodata_core.cancellation import CancelToken

__all__ = ["Loaded", "TextIndex", "load_texts"]

_FORMAT: Final = "robodata-texts-1"
_ENDINGS: Final = (".txt", ".md", ".markdown", ".jsonl")
_MOST_LINE: Final = 20_000_000
_TITLE: Final = 200
#: Where SQLite keeps a number for its users (``application_id``): here the check sum.
_SUM: Final = slice(68, 72)
_SQLITE: Final = b"SQLite format 3\0"
_BLOCK: Final = 1 << 20
_MOST_NAMES: Final = 12
_SCHEMA: Final = """
CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE documents (id INTEGER PRIMARY KEY, title TEXT NOT NULL, norm TEXT NOT NULL,
    address TEXT NOT NULL, loaded TEXT NOT NULL);
CREATE TABLE sentences (id INTEGER PRIMARY KEY, document INTEGER NOT NULL,
    position INTEGER NOT NULL, text TEXT NOT NULL, is_field INTEGER NOT NULL);
CREATE VIRTUAL TABLE words USING fts5(text, content='sentences', content_rowid='id',
    tokenize="unicode61 remove_diacritics 2");
CREATE INDEX by_title ON documents (norm);
CREATE INDEX by_document ON sentences (document, position);
"""
#: What a Markdown document begins with is its title.
_HEADING: Final = re.compile(r"\s*#\s+(\S[^\n]*)")
_FOUND: Final = "SELECT d.title, d.address, s.position, s.text, s.is_field, d.loaded"
_ABOUT: Final = f"""{_FOUND} FROM documents d JOIN sentences s ON s.document = d.id
    WHERE d.norm IN ({{}}) ORDER BY d.id, s.position LIMIT ?"""
_MATCH: Final = f"""{_FOUND} FROM words w JOIN sentences s ON s.id = w.rowid
    JOIN documents d ON d.id = s.document WHERE words MATCH ? ORDER BY rank LIMIT ?"""
_ON_PAGE: Final = f"""{_FOUND} FROM words w JOIN sentences s ON s.id = w.rowid
    JOIN documents d ON d.id = s.document WHERE words MATCH ? AND d.norm IN ({{}})
    ORDER BY rank LIMIT ?"""


@dataclass(frozen=True, slots=True)
class Loaded:
    """What came into an index: documents and sentences."""

    documents: int
    sentences: int


def load_texts(
    paths: Sequence[Path], output: Path, now: datetime, told: Callable[[str], None] | None = None
) -> Loaded:
    """Make an index of files and folders; it appears whole or not at all.

    Args:
        paths: Files (``.txt``, ``.md``, ``.jsonl``), or folders that are gone through.
        output: Where the index goes; an index that is there is replaced, nothing else.
        now: Time of loading.
        told: Told every file's name.

    Raises:
        LoadError: If a file cannot be read, or nothing is in any.
        ConfigurationError: If the index cannot be written.
    """
    partial = output.with_name(f".{output.name}.partial")
    try:
        if output.exists() and (not output.is_file() or not _sum(output)):
            raise ConfigurationError(
                f"{output} is no index of texts, so it is not replaced.",
                hint="Choose another --output.",
            )
        partial.unlink(missing_ok=True)
        os.close(os.open(partial, os.O_CREAT | os.O_WRONLY, 0o600))
        with closing(sqlite3.connect(partial)) as base:
            base.executescript(_SCHEMA)
            loaded = _fill(base, _files(paths), now, told)
            base.execute("INSERT INTO about VALUES ('format', ?)", (_FORMAT,))
            base.commit()
        if not loaded.sentences:
            raise LoadError("There is no text in what was given.")
        _sign(partial)
        os.replace(partial, output)
    except (OSError, sqlite3.Error) as error:
        raise ConfigurationError(f"The index {output} cannot be written: {error}.") from error
    finally:
        partial.unlink(missing_ok=True)
    return loaded


def _sign(path: Path) -> None:
    """Write the check sum into an index, and all of it to the disk."""
    with path.open("r+b") as file:
        file.seek(_SUM.start)
        file.write(bytes.fromhex(_sum(path)))
        file.flush()
        os.fsync(file.fileno())


def _sum(path: Path) -> str:
    """Return the check sum (CRC-32) of a file but for the bytes where it stands itself.

    There is none of a file that is not SQLite's; a device is read no further than it is long.
    """
    with path.open("rb") as file:
        head = file.read(_SUM.stop)
        if not head.startswith(_SQLITE):
            return ""
        total = zlib.crc32(head[: _SUM.start])
        left = os.fstat(file.fileno()).st_size - len(head)
        while left > 0 and (block := file.read(min(_BLOCK, left))):
            total = zlib.crc32(block, total)
            left -= len(block)
    return f"{total:08x}"


def _written(path: Path) -> str:
    with path.open("rb") as file:
        return file.read(_SUM.stop)[_SUM].hex()


def _fill(
    base: sqlite3.Connection,
    files: Iterator[Path],
    now: datetime,
    told: Callable[[str], None] | None,
) -> Loaded:
    documents = sentences = 0
    for path in files:
        if told is not None:
            told(path.name)
        for title, text, address in _documents(path):
            documents += 1
            shown = clean_text(title, limit=_TITLE)
            row = (documents, shown, normalise_name(shown), address, now.isoformat())
            base.execute("INSERT INTO documents VALUES (?, ?, ?, ?, ?)", row)
            rows = [
                (sentences + place, documents, place, said, is_field)
                for place, (said, is_field) in enumerate(split(text), 1)
            ]
            sentences += len(rows)
            base.executemany("INSERT INTO sentences VALUES (?, ?, ?, ?, ?)", rows)
    base.execute("INSERT INTO words(words) VALUES ('rebuild')")
    return Loaded(documents, sentences)


def _files(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            inside = (one for one in path.rglob("*") if one.suffix.lower() in _ENDINGS)
            yield from sorted(one for one in inside if one.is_file())
        elif path.is_file():
            if path.suffix.lower() not in _ENDINGS:
                raise LoadError(f"{path} is of no kind that is read: {', '.join(_ENDINGS)}.")
            yield path
        else:
            raise LoadError(f"There is no file {path}.")


def _documents(path: Path) -> Iterator[tuple[str, str, str]]:
    """Yield title, text and address of the documents of a file."""
    try:
        if path.suffix.lower() == ".jsonl":
            with path.open(encoding="utf-8-sig") as lines:
                number, most = 0, form_limit(_MOST_LINE)
                while line := lines.readline(most):
                    number += 1
                    if line.strip():
                        yield _extract(line, f"{path}, line {number}")
            return
        said = read_text(path)
        heading = _HEADING.match(said) if path.suffix.lower() == ".md" else None
        yield heading[1] if heading else path.stem.replace("_", " "), said, path.name
    except ConfigurationError as error:
        raise LoadError(str(error)) from error
    except OSError as error:
        raise LoadError(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise LoadError(f"{path} is not UTF-8: byte {error.start}.") from error


def _extract(line: str, where: str) -> tuple[str, str, str]:
    try:
        found = parse_json(line)
    except ValueError:
        found = None
    said = found.get("text") or found.get("extract") if isinstance(found, dict) else None
    title = found.get("title") if isinstance(found, dict) else None
    if not isinstance(said, str) or not isinstance(title, str):
        raise LoadError(f"{where} is no JSON object with title and text.")
    address = found.get("url")
    return title, said, clean_text(address, limit=500) if isinstance(address, str) else ""


class TextIndex:
    """A corpus in a file; see ``TextCorpus``.

    Args:
        path: The index.

    Raises:
        ConfigurationError: If it is none, or damaged.
    """

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path).expanduser()
        self.name = f"texts:{self._path.name}"
        self._lock = threading.Lock()
        try:
            if not compare_file(self._path, _written(self._path), _sum):
                raise self._broken()
            address = f"{self._path.resolve().as_uri()}?mode=ro"
            self._base = sqlite3.connect(address, uri=True, check_same_thread=False)
            row = self._base.execute("SELECT value FROM about WHERE key = 'format'").fetchone()
        except (OSError, sqlite3.Error) as error:
            raise self._broken() from error
        if row is None or row[0] != _FORMAT:
            raise self._broken()

    def about(
        self, names: Sequence[str], limit: int, cancel: CancelToken | None = None
    ) -> tuple[Sentence, ...]:
        """Return the first sentences of a page so called, else sentences with the name."""
        titles = _norms(names)
        found = self._ask(_ABOUT.format(_marks(titles)), (*titles, limit))
        return found or self._ask(_MATCH, (_phrases(names), limit))

    def together(
        self,
        names: Sequence[str],
        others: Sequence[str],
        limit: int,
        cancel: CancelToken | None = None,
    ) -> tuple[Sentence, ...]:
        """Return sentences with both names, then those with one on a page about the other."""
        one, other = _phrases(names), _phrases(others)
        if not one or not other:
            return ()
        found = dict.fromkeys(self._ask(_MATCH, (f"({one}) AND ({other})", limit)))
        for words, titles in ((other, _norms(names)), (one, _norms(others))):
            query = _ON_PAGE.format(_marks(titles))
            found.update(dict.fromkeys(self._ask(query, (words, *titles, limit))))
        return tuple(found)[:limit]

    def close(self) -> None:
        """Close the file; a search that is under way is broken off, however long it would take."""
        self._base.interrupt()
        with self._lock:
            self._base.close()

    def _ask(self, query: str, values: Sequence[str | int]) -> tuple[Sentence, ...]:
        if "" in values:
            return ()
        try:
            with self._lock:
                rows = self._base.execute(query, tuple(values)).fetchall()
            return tuple(map(self._sentence, rows))
        except (sqlite3.Error, ValueError) as error:
            raise self._broken() from error

    def _sentence(self, row: tuple[str, str, int, str, int, str]) -> Sentence:
        title, address, position, said, is_field, loaded = row
        read = datetime.fromisoformat(loaded)
        return Sentence(said, self.name, title, address, position, read, bool(is_field))

    def _broken(self) -> ConfigurationError:
        return ConfigurationError(
            f"{self._path} is no index of texts, or damaged.",
            hint="`robodata text load FILE... --output PATH` makes one.",
        )


def _norms(names: Sequence[str]) -> list[str]:
    return [normalise_name(name) for name in names[:_MOST_NAMES]] or [""]


def _marks(items: Sequence[str]) -> str:
    return ", ".join("?" * len(items))


def _phrases(names: Sequence[str]) -> str:
    """Return names as an FTS5 query: any of them, each as a phrase."""
    clean = (" ".join(name.replace('"', " ").replace("\0", " ").split()) for name in names)
    kept = [name for name in clean if any(map(str.isalnum, name))][:_MOST_NAMES]
    return " OR ".join(f'"{name}"' for name in kept)
