"""The tables of a name index, shared by its writer and its reader.

Items and properties have the same tables under two prefixes. Rows are numbered from the most to
the least popular, so "the first rows" are the ones to show, and full-text search can stop early.
"""

from __future__ import annotations

from typing import Final

from robodata_core.model import EntityKind

__all__ = [
    "MAX_PREFIX",
    "TABLES",
    "VERSION",
    "create_final",
    "create_staging",
    "grams",
    "index_names",
    "prefix_of",
]

VERSION: Final = "1"
MAX_PREFIX: Final = 3
"""Names by prefixes up to this length are kept ready; longer ones are found by range."""
TABLES: Final = (EntityKind.ITEM, EntityKind.PROPERTY)
MIN_GRAM_WORD: Final = 5
MAX_GRAM_WORD: Final = 30


def prefix_of(kind: EntityKind) -> str:
    """Return the prefix of a kind's tables."""
    return kind.value


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
