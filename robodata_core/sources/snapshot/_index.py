"""The name index, opened for reading: rows by id, exact names in batches, search in stages.

The file is opened read-only and immutable, so it may lie in a read-only installation and be read
by many threads and processes. How a search goes from exact to fuzzy is ``_search``'s business.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
import sys
import threading
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from robodata_core.errors import SnapshotError
from robodata_core.model import EntityKind
from robodata_core.sources.snapshot._manifest import INDEX_FILE, damaged

_CHUNK: Final = 512
_STATEMENTS: Final = 32
"""Parsed statements a connection keeps; one that asks for hundreds of keys takes 0.1 MB."""


@dataclass(frozen=True, slots=True)
class Row:
    """One entity or property of the index."""

    n: int
    id: str
    label: str
    description: str
    aliases: tuple[str, ...]
    popularity: int
    datatype: str

    def spelling(self, place: int) -> str:
        """Return the label (0) or an alias (1 and up)."""
        return self.label if place == 0 else self.aliases[place - 1]


@dataclass(frozen=True, slots=True)
class Name:
    """One name: its compared form, whose it is, and which of the owner's names it is."""

    norm: str
    owner: int
    place: int


class Index:
    """A name index. Safe to use from several threads: each has its own connection.

    Args:
        folder: The snapshot's folder.

    Raises:
        SnapshotError: If the index is damaged.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._uri = f"file:{quote(str(folder / INDEX_FILE))}?mode=ro&immutable=1"
        self._lock = threading.Lock()
        # Connections nobody uses right now. Not one for each thread: threads come and go with
        # every run, and a connection would stay behind for each.
        self._idle: list[sqlite3.Connection] = []
        self._closed = False
        self.meta: dict[str, str] = dict(self.query("SELECT key, value FROM meta"))
        if self.meta.get("version") != VERSION:
            raise damaged(folder, f"{INDEX_FILE} has another version than the rest")

    def rest(self) -> None:
        """Close the connections that nobody uses, and so let go of the pages that were read."""
        with self._lock:
            while self._idle:
                with contextlib.suppress(sqlite3.Error):
                    self._idle.pop().close()

    def close(self) -> None:
        """Close all connections."""
        with self._lock:
            self._closed = True
        self.rest()

    def query(self, sql: str, parameters: Sequence[Any] = ()) -> list[Any]:
        """Run one statement and return all rows.

        Raises:
            SnapshotError: If the file cannot be read.
        """
        try:
            with self._connection() as connection:
                return connection.execute(sql, parameters).fetchall()
        except UnicodeEncodeError:
            return []  # half a character, which stands in no file
        except sqlite3.DatabaseError as error:
            raise self._damaged(error) from error

    def query_in(self, sql: str, keys: Iterable[Any]) -> Iterator[Any]:
        """Run a statement that asks for some of many keys, and yield all rows.

        Args:
            sql: The statement, with ``IN {}`` for the keys.
            keys: The keys; they are asked for in chunks, and rows are in order in each.

        Raises:
            SnapshotError: If the file cannot be read.
        """
        unique = list(dict.fromkeys(keys))
        for start in range(0, len(unique), _CHUNK):
            some = unique[start : start + _CHUNK]
            # Said twice, a key is found once: few lengths make few statements to be kept parsed.
            some += some[-1:] * ((1 << (len(some) - 1).bit_length()) - len(some))
            yield from self.query(sql.format(f"({','.join('?' * len(some))})"), some)

    def rows(self, kind: EntityKind, ids: Iterable[str]) -> dict[str, Row]:
        """Return the rows of ``ids`` that are in the index."""
        return {row.id: row for row in self._rows(kind, "id", ids)}

    def rows_at(self, kind: EntityKind, numbers: Iterable[int]) -> dict[int, Row]:
        """Return rows by number."""
        return {row.n: row for row in self._rows(kind, "n", numbers)}

    def all_rows(self, kind: EntityKind) -> list[Row]:
        """Return everything of one kind, the most popular first."""
        return [_row(row) for row in self.query(f"SELECT * FROM {kind.value} ORDER BY n")]

    def exact(self, kind: EntityKind, norms: Iterable[str], most: int) -> dict[str, list[Name]]:
        """Return the names with these compared forms, the most popular owners first.

        Args:
            kind: Items or properties.
            norms: Compared forms.
            most: Most names returned for each.
        """
        found: dict[str, list[Name]] = {}
        table = f"{kind.value}_name"
        sql = f"SELECT norm, owner, place FROM {table} WHERE norm IN {{}} ORDER BY norm, n"
        for row in self.query_in(sql, norms):
            names = found.setdefault(row[0], [])
            if len(names) < most:
                names.append(Name(*row))
        return found

    def names_at(self, kind: EntityKind, numbers: Sequence[int]) -> list[Name]:
        """Return names by number, the most popular owners first."""
        sql = f"SELECT norm, owner, place, n FROM {kind.value}_name WHERE n IN {{}}"
        rows = sorted(self.query_in(sql, numbers), key=itemgetter(3))
        return [Name(*row[:3]) for row in rows]

    def blob(self, key: str) -> bytes:
        """Return data kept with the index.

        Raises:
            KeyError: If there is none under ``key``.
            SnapshotError: If the file cannot be read.
        """
        sql = "SELECT data FROM blob WHERE key = ?"
        try:
            # Read once and copied: in the mapping of another connection it would stay for good.
            with contextlib.closing(sqlite3.connect(self._uri, uri=True)) as connection:
                rows = connection.execute(sql, (key,)).fetchall()
        except sqlite3.DatabaseError as error:
            raise self._damaged(error) from error
        if not rows:
            raise KeyError(key)
        return bytes(rows[0][0])

    def check(self) -> str:
        """Return what SQLite finds wrong with the file, or an empty string."""
        (answer,) = self.query("PRAGMA quick_check(1)")[0]
        return "" if answer == "ok" else str(answer)

    def _rows(self, kind: EntityKind, column: str, keys: Iterable[Any]) -> Iterator[Row]:
        sql = f"SELECT * FROM {kind.value} WHERE {column} IN {{}}"
        return map(_row, self.query_in(sql, keys))

    @contextlib.contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection; there are as many as were ever in use at the same time."""
        with self._lock:
            connection = self._idle.pop() if self._idle else None
        if connection is None:
            connection = sqlite3.connect(
                self._uri, uri=True, check_same_thread=False, cached_statements=_STATEMENTS
            )
            connection.execute("PRAGMA query_only = ON")
            connection.execute("PRAGMA mmap_size = 1073741824")
        try:
            yield connection
        finally:
            with self._lock:
                if self._closed:
                    connection.close()
                else:
                    self._idle.append(connection)

    def _damaged(self, error: sqlite3.DatabaseError) -> SnapshotError:
        if not (self._folder / INDEX_FILE).exists():
            return damaged(self._folder, f"{INDEX_FILE} is missing")
        return damaged(self._folder, f"{INDEX_FILE} cannot be read ({error})")


def unpack(data: bytes) -> array[int]:
    """Return the 32-bit numbers in ``data``."""
    numbers = array("I")
    numbers.frombytes(data)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def _row(row: Sequence[Any]) -> Row:
    n, id_, label, description, aliases, popularity, datatype = row
    names = tuple(json.loads(aliases)) if aliases else ()
    return Row(n, id_, label, description, names, popularity, datatype)


VERSION: Final = "1"
MAX_PREFIX: Final = 3
"""Names by prefixes up to this length are kept ready; longer ones are found by range."""
TABLES: Final = (EntityKind.ITEM, EntityKind.PROPERTY)
MIN_GRAM_WORD: Final = 5
MAX_GRAM_WORD: Final = 30


def create_staging(kind: EntityKind) -> str:
    """Return the table that records wait in, in any order."""
    return (
        f"CREATE TABLE staging.{kind.value}(id TEXT, label TEXT, description TEXT, "
        "aliases TEXT, popularity INTEGER, datatype TEXT)"
    )


def create_final(kind: EntityKind) -> tuple[str, ...]:
    """Return the tables that are read; indexes on them are made when they are full."""
    name = kind.value
    return (
        f"CREATE TABLE {name}(n INTEGER PRIMARY KEY, id TEXT NOT NULL, label TEXT NOT NULL, "
        "description TEXT NOT NULL, aliases TEXT NOT NULL, popularity INTEGER NOT NULL, "
        "datatype TEXT NOT NULL)",
        f"CREATE TABLE {name}_name(n INTEGER PRIMARY KEY, norm TEXT NOT NULL, "
        "owner INTEGER NOT NULL, place INTEGER NOT NULL)",
        # Marks are part of words (vowel signs); case and accents are gone before it gets here.
        f"CREATE VIRTUAL TABLE {name}_words USING fts5(norm, content='', detail='none', "
        "columnsize=0, tokenize=\"unicode61 remove_diacritics 0 categories 'L* N* Co M*'\")",
        f"CREATE VIRTUAL TABLE temp.{name}_vocabulary USING fts5vocab('main', '{name}_words', "
        "'row')",
        f"CREATE TABLE {name}_word(n INTEGER PRIMARY KEY, word TEXT NOT NULL, "
        "count INTEGER NOT NULL)",
        f"CREATE TABLE {name}_gram(gram TEXT NOT NULL, words BLOB NOT NULL)",
        f"CREATE TABLE {name}_prefix(prefix TEXT PRIMARY KEY, names BLOB NOT NULL) WITHOUT ROWID",
    )


def index_names(kind: EntityKind) -> tuple[str, ...]:
    """Return what makes look-ups fast once the tables are full."""
    name = kind.value
    return (
        f"CREATE INDEX {name}_name_norm ON {name}_name(norm)",
        f"CREATE UNIQUE INDEX {name}_word_word ON {name}_word(word)",
        f"CREATE INDEX {name}_gram_gram ON {name}_gram(gram)",
    )


def grams(word: str) -> set[str]:
    """Return the three-letter pieces of a word, its ends marked."""
    marked = f"^{word}$"
    return {marked[start : start + 3] for start in range(len(marked) - 2)}
