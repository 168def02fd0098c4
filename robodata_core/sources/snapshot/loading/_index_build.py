"""Writes the name index of a snapshot: SQLite tables sorted by popularity.

Takes ``Record``s in any order, in memory of a fixed size (what waits, waits in a second database
file). Not a general store: written once, then only read (``_index``).
"""

from __future__ import annotations

import json
import sqlite3
import sys
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, Final

from robodata_core.model import EntityKind
from robodata_core.sources.snapshot._index import (
    MAX_GRAM_WORD,
    MAX_PREFIX,
    MIN_GRAM_WORD,
    TABLES,
    VERSION,
    create_final,
    create_staging,
    grams,
    index_names,
)
from robodata_core.sources.snapshot.loading._collect import Record
from robodata_core.text import normalise_name

_BATCH: Final = 10_000
_MAX_PREFIXES: Final = 200_000
_PER_PREFIX: Final = 24
_MAX_POSTINGS: Final = 2_000_000

Describe = Callable[[str, Callable[[Iterable[str]], Mapping[str, str]]], str]
"""Makes a description for an id, given a way to get labels; may return an empty string."""


def build_index(
    path: Path,
    records: Iterable[Record],
    *,
    meta: Mapping[str, str],
    blobs: Mapping[str, bytes],
    describe: Describe | None = None,
) -> dict[str, int]:
    """Write the index database.

    Args:
        path: Where; must not exist.
        records: What to put in, each id once.
        meta: Texts kept with it.
        blobs: Data kept with it.
        describe: Describes items that have no description.

    Returns:
        Numbers of entities, properties and names.
    """
    staging = path.with_name(path.name + ".staging")
    database = sqlite3.connect(path, isolation_level=None)
    try:
        database.execute("PRAGMA page_size = 4096")
        for name in ("main", "staging"):
            if name == "staging":
                database.execute("ATTACH ? AS staging", (str(staging),))
            database.execute(f"PRAGMA {name}.journal_mode = OFF")
            database.execute(f"PRAGMA {name}.synchronous = OFF")
        database.execute("PRAGMA cache_size = -64000")
        database.execute("BEGIN")
        counts = _fill(database, records, describe)
        _keep(database, meta, blobs)
        database.execute("COMMIT")
    finally:
        database.close()
        staging.unlink(missing_ok=True)
    return counts


def _fill(
    database: sqlite3.Connection, records: Iterable[Record], describe: Describe | None
) -> dict[str, int]:
    for kind in TABLES:
        database.execute(create_staging(kind))
        for statement in create_final(kind):
            database.execute(statement)
    _stage(database, records)
    for kind in TABLES:
        _order(database, kind)
    if describe is not None:
        _describe(database, describe)
    names = 0
    for kind in TABLES:
        names += _names(database, kind)
        _vocabulary(database, kind)
        for statement in index_names(kind):
            database.execute(statement)
    items, properties = (
        database.execute(f"SELECT count(*) FROM {kind.value}").fetchone()[0] for kind in TABLES
    )
    return {"entities": items, "properties": properties, "names": names}


def _stage(database: sqlite3.Connection, records: Iterable[Record]) -> None:
    waiting: dict[EntityKind, list[tuple[Any, ...]]] = {kind: [] for kind in TABLES}
    for record in records:
        kind = EntityKind.PROPERTY if record.is_property else EntityKind.ITEM
        names = record.names
        aliases = json.dumps(names.aliases, ensure_ascii=False) if names.aliases else ""
        row = (record.id, names.label, names.description, aliases)
        waiting[kind].append((*row, record.popularity, record.datatype))
        if len(waiting[kind]) >= _BATCH:
            _insert_staged(database, kind, waiting[kind])
    for kind in TABLES:
        _insert_staged(database, kind, waiting[kind])


def _insert_staged(
    database: sqlite3.Connection, kind: EntityKind, rows: list[tuple[Any, ...]]
) -> None:
    database.executemany(f"INSERT INTO staging.{kind.value} VALUES (?, ?, ?, ?, ?, ?)", rows)
    rows.clear()


def _order(database: sqlite3.Connection, kind: EntityKind) -> None:
    name = kind.value
    database.execute(
        f"INSERT INTO {name}(id, label, description, aliases, popularity, datatype) "
        f"SELECT * FROM staging.{name} ORDER BY popularity DESC, length(id), id"
    )
    database.execute(f"DROP TABLE staging.{name}")
    database.execute(f"CREATE UNIQUE INDEX {name}_id ON {name}(id)")


def _describe(database: sqlite3.Connection, describe: Describe) -> None:
    labels: dict[str, str] = {}
    for kind in reversed(TABLES):
        labels.update(database.execute(f"SELECT id, label FROM {kind.value}"))

    def _labels_of(ids: Iterable[str]) -> Mapping[str, str]:
        return {id_: labels[id_] for id_ in ids if id_ in labels}

    rows = database.execute("SELECT id, n FROM item WHERE description = ''").fetchall()
    described = ((describe(id_, _labels_of), n) for id_, n in rows)
    database.executemany("UPDATE item SET description = ? WHERE n = ?", described)


# -- names and words --------------------------------------------------------------------------


def _names(database: sqlite3.Connection, kind: EntityKind) -> int:
    """Write names, words and short prefixes, from the most popular owner on."""
    name = kind.value
    rows = database.cursor().execute(f"SELECT n, label, aliases FROM {name} ORDER BY n")
    prefixes: dict[str, array[int]] = {}
    numbered = enumerate(_spelled(rows), start=1)
    last = 0
    while batch := [(n, *row) for n, row in islice(numbered, _BATCH)]:
        database.executemany(f"INSERT INTO {name}_name VALUES (?, ?, ?, ?)", batch)
        words = ((row[0], row[1]) for row in batch)
        database.executemany(f"INSERT INTO {name}_words(rowid, norm) VALUES (?, ?)", words)
        for n, norm, _, _ in batch:
            _note_prefixes(prefixes, n, norm)
        last = batch[-1][0]
    packed = ((prefix, pack(numbers)) for prefix, numbers in sorted(prefixes.items()))
    database.executemany(f"INSERT INTO {name}_prefix VALUES (?, ?)", packed)
    database.execute(f"INSERT INTO {name}_words({name}_words) VALUES ('optimize')")
    return last


def _spelled(rows: Iterable[tuple[int, str, str]]) -> Iterator[tuple[str, int, int]]:
    """Yield each different spelling of an owner's names: form, owner, place (0 is the label)."""
    for owner, label, aliases in rows:
        if not aliases:
            norm = normalise_name(label)
            if norm:
                yield norm, owner, 0
            continue
        seen = set()
        for place, text in enumerate((label, *json.loads(aliases))):
            norm = normalise_name(text)
            if norm and norm not in seen:
                seen.add(norm)
                yield norm, owner, place


def _note_prefixes(prefixes: dict[str, array[int]], n: int, norm: str) -> None:
    for length in range(1, MAX_PREFIX + 1):
        prefix = norm[:length]
        names = prefixes.get(prefix)
        if names is None:
            if len(prefixes) >= _MAX_PREFIXES:
                continue
            names = prefixes[prefix] = array("I")
        if len(names) < _PER_PREFIX and (not names or names[-1] != n):
            names.append(n)


def _vocabulary(database: sqlite3.Connection, kind: EntityKind) -> None:
    """Write every word once, and which three-letter pieces lead to it."""
    name = kind.value
    rows = database.cursor().execute(f"SELECT term, doc FROM temp.{name}_vocabulary")
    numbered = enumerate(rows, start=1)
    postings: dict[str, array[int]] = {}
    waiting = 0
    while batch := [(n, word, count) for n, (word, count) in islice(numbered, _BATCH)]:
        database.executemany(f"INSERT INTO {name}_word VALUES (?, ?, ?)", batch)
        for n, word, _ in batch:
            if not MIN_GRAM_WORD <= len(word) <= MAX_GRAM_WORD or word.isdigit():
                continue
            for gram in grams(word):
                postings.setdefault(gram, array("I")).append(n)
                waiting += 1
        if waiting > _MAX_POSTINGS:
            _write_postings(database, name, postings)
            waiting = 0
    _write_postings(database, name, postings)


def _write_postings(
    database: sqlite3.Connection, name: str, postings: dict[str, array[int]]
) -> None:
    packed = ((gram, pack(words)) for gram, words in sorted(postings.items()))
    database.executemany(f"INSERT INTO {name}_gram VALUES (?, ?)", packed)
    postings.clear()


def pack(numbers: array[int]) -> bytes:
    """Return 32-bit numbers as little-endian bytes."""
    if sys.byteorder == "big":
        numbers = array("I", numbers)
        numbers.byteswap()
    return numbers.tobytes()


def _keep(
    database: sqlite3.Connection, meta: Mapping[str, str], blobs: Mapping[str, bytes]
) -> None:
    database.execute("CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID")
    database.execute("CREATE TABLE blob(key TEXT PRIMARY KEY, data BLOB NOT NULL)")
    database.execute("INSERT INTO meta VALUES ('version', ?)", (VERSION,))
    database.executemany("INSERT INTO meta VALUES (?, ?)", sorted(meta.items()))
    database.executemany("INSERT INTO blob VALUES (?, ?)", sorted(blobs.items()))
