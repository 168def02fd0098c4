"""Grows a snapshot from a live source: a polite crawl that can be stopped and gone on with.

From its topics a crawl goes *down* (what is an instance or a subclass of a topic) and *out* (what
statements lead to), ``depth`` steps of either. What was read stands in one SQLite file beside the
output, so that an interruption, a fault of the service or a full disk loses a batch at most; the
snapshot is written from it at the end. Names of what is only mentioned are read, too.
"""

from __future__ import annotations

import json
import logging
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

import pyoxigraph as ox

from robodata_core.cancellation import CancelToken
from robodata_core.errors import ConfigurationError, NotFoundError, SourceError, SourceRefusedError
from robodata_core.iris import is_id
from robodata_core.model import Direction, Entity, EntityValue, Property, Snak, Statement, ids_in
from robodata_core.sources.base import KnowledgeSource
from robodata_core.sources.quads import name_quads, property_quads, statement_quads
from robodata_core.sources.snapshot import Manifest
from robodata_core.sources.snapshot.loading import check_free, load_files
from robodata_core.text import clean_text, parse_json

__all__ = ["Estimate", "Growth", "Plan", "Step"]

T = TypeVar("T")
R = TypeVar("R")

_log = logging.getLogger("robodata.sources.growing")

BATCH: Final = 50
_TRIES: Final = 3
_MOST_MEMBERS: Final = 2_000
_MOST_STATEMENTS: Final = 500
_DOWN: Final = ("P31", "P279")
_SECONDS_PER_REQUEST: Final = 0.5
_GUESSED_STATEMENTS: Final = 20
_TABLES: Final = """
CREATE TABLE IF NOT EXISTS about(key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS page(
    id TEXT PRIMARY KEY, depth INTEGER NOT NULL, down INTEGER NOT NULL,
    read REAL, statements INTEGER NOT NULL DEFAULT 0, quads TEXT NOT NULL DEFAULT '',
    mentions TEXT NOT NULL DEFAULT '');
CREATE TABLE IF NOT EXISTS name(id TEXT PRIMARY KEY, read REAL NOT NULL, quads TEXT NOT NULL);
"""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a crawl is to read.

    Attributes:
        topics: Names or ids.
        depth: Steps from the topics.
        limit: Most statements, and most entities; the last one read may go over it.
        languages: Languages of labels and aliases, the preferred one first.
        update_after: Read again what is older than these seconds; None reads nothing again.
    """

    topics: tuple[str, ...]
    depth: int = 1
    limit: int = 50_000
    languages: tuple[str, ...] = ("en",)
    update_after: float | None = None


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a crawl is expected to take.

    Attributes:
        topics: Topics as they were understood: id and label.
        entities: About how many entities are read.
        requests: About how many requests are sent.
        seconds: About how long that takes.
    """

    topics: tuple[tuple[str, str], ...]
    entities: int
    requests: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Step:
    """How far a crawl is.

    Attributes:
        entities: Entities read.
        waiting: Entities known of and not read yet.
        statements: Statements read.
        full: Whether the limit was reached.
    """

    entities: int
    waiting: int
    statements: int
    full: bool = False


class Growth:
    """One crawl into one snapshot. Not thread-safe; a context manager.

    Args:
        sources: The source by language of its labels, as many as the plan has languages.
        output: Folder of the snapshot; the crawl's file stands beside it (``OUTPUT.growing``).
        plan: What to read.
        now: Clock in seconds since 1970.
        pause: Seconds between two batches.
        sleep: Waits.

    Raises:
        ConfigurationError: If the crawl's file cannot be used, or is another crawl's.
        LoadError: If what is at ``output`` is no snapshot.
    """

    def __init__(
        self,
        sources: Mapping[str, KnowledgeSource],
        output: Path,
        plan: Plan,
        *,
        now: Callable[[], float] = time.time,
        pause: float = 0.2,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._sources = sources
        self._main = sources[plan.languages[0]]
        self._output = output
        self._plan = plan
        self._now = now
        self._pause = pause
        self._sleep = sleep
        self._properties: dict[str, Property] = {}
        self._path = output.with_name(output.name + ".growing")
        check_free(output, force=True)
        with suppress(OSError):  # what is missing is told when the file is opened
            output.parent.mkdir(parents=True, exist_ok=True)
        with self._kept():
            self._db = sqlite3.connect(self._path)
            self._db.executescript(_TABLES)
            self._check_source()

    def __enter__(self) -> Growth:
        return self

    def __exit__(self, *_: object) -> None:
        self._db.close()

    @contextmanager
    def _kept(self) -> Iterator[None]:
        """Tell in a sentence where the crawl's file cannot be read or written."""
        try:
            yield
        except sqlite3.Error as error:
            raise ConfigurationError(
                f"{self._path} cannot be used: {clean_text(str(error), limit=200)}.",
                hint="Choose another OUTPUT, make room, or remove that file.",
            ) from error

    def _check_source(self) -> None:
        row = self._db.execute("SELECT value FROM about WHERE key = 'source'").fetchone()
        if row is not None and row[0] != self._main.name:
            self._db.close()
            raise ConfigurationError(
                f"{self._path} holds what was read from {row[0]}, not from {self._main.name}.",
                hint="Choose another OUTPUT, or remove that file.",
            )
        self._db.execute("INSERT OR REPLACE INTO about VALUES ('source', ?)", (self._main.name,))
        self._db.commit()

    # -- before -----------------------------------------------------------------------------------

    def estimate(self) -> Estimate:
        """Find the topics and tell about how much there is to read; a few requests.

        Raises:
            ConfigurationError: If there is no such topic.
            SourceError: If the source does not answer.
        """
        topics = tuple(self._patiently(self._topic, text) for text in self._plan.topics)
        branches = [self._patiently(self._branches, id_) for id_, _ in topics]
        first = sum(branches) / max(1, len(topics))
        level, entities = float(len(topics)), float(len(topics))
        for _ in range(self._plan.depth):
            level *= max(1.0, first)
            entities += level
        entities = min(entities, self._plan.limit / _GUESSED_STATEMENTS + len(topics))
        count = round(entities)
        batches = -(-count // BATCH)
        requests = batches * (len(self._plan.languages) + 2) + 2 * min(count, 200)
        seconds = requests * (_SECONDS_PER_REQUEST + self._pause / 3)
        return Estimate(topics, count, requests, seconds)

    def _topic(self, text: str) -> tuple[str, str]:
        if is_id(text):
            entity = self._main.entities([text]).get(text)
            if entity is not None:
                return entity.id, entity.label
        else:
            hits = self._main.search(text, limit=1)
            if hits:
                return hits[0].id, hits[0].label
        raise ConfigurationError(
            f"{self._main.name} knows no topic {text!r}.",
            hint="Give a name as it is spelled there, or an id.",
        )

    def _branches(self, id_: str) -> int:
        """Return how many entities are one step away."""
        page = self._main.statements(id_, limit=_MOST_STATEMENTS)
        out = {s.value.id for s in page.statements if isinstance(s.value, EntityValue)}
        down = (
            self._main.statements(id_, direction=Direction.IN, property=prop, limit=1).total
            for prop in _DOWN
        )
        return len(out) + min(_MOST_MEMBERS, sum(down))

    # -- the crawl --------------------------------------------------------------------------------

    def run(
        self,
        topics: Iterable[str],
        *,
        told: Callable[[Step], None] | None = None,
        cancel: CancelToken | None = None,
    ) -> Step:
        """Read until nothing is waiting or the limit is reached; what was read before is kept.

        Args:
            topics: Ids to begin with.
            told: Told after every batch how far it is.
            cancel: Ends the crawl between two batches.

        Raises:
            SourceError: If the source fails for good; run again to go on.
            CancelledError: If it was cancelled; run again to go on.
            ConfigurationError: If the crawl's file cannot be read or written.
        """
        with self._kept():
            return self._crawl(topics, told, cancel)

    def _crawl(
        self, topics: Iterable[str], told: Callable[[Step], None] | None, cancel: CancelToken | None
    ) -> Step:
        self._meet(topics, 0, down=True)
        if self._plan.update_after is not None:
            old = self._now() - self._plan.update_after
            self._db.execute("UPDATE page SET read = NULL WHERE read < ?", (old,))
            self._db.execute("DELETE FROM name WHERE read < ?", (old,))
        self._db.commit()
        while True:
            if cancel is not None:
                cancel.check()
            step = self._step()
            if told is not None:
                told(step)
            batch = self._db.execute(
                "SELECT id, depth, down FROM page WHERE read IS NULL AND depth <= ? "
                "ORDER BY depth, rowid LIMIT ?",
                (self._plan.depth, BATCH),
            ).fetchall()
            if step.full or not batch:
                break
            self._patiently(self._read, batch)
            self._sleep(self._pause)
        self._patiently(self._read_names, cancel)
        return self._step()

    def _patiently(self, read: Callable[[T], R], what: T) -> R:
        """Do something again that failed; what the HTTP client waits for itself comes on top."""
        for attempt in range(_TRIES):
            try:
                return read(what)
            except (NotFoundError, SourceRefusedError):
                raise
            except SourceError as error:
                self._db.rollback()
                if attempt == _TRIES - 1:
                    raise
                _log.warning("tried again: %s", error)
                self._sleep(self._pause * 10 * 2**attempt)
        raise AssertionError("the last try returns or raises")

    def _step(self) -> Step:
        read, statements = self._db.execute(
            "SELECT count(*), coalesce(sum(statements), 0) FROM page WHERE read IS NOT NULL"
        ).fetchone()
        (waiting,) = self._db.execute(
            "SELECT count(*) FROM page WHERE read IS NULL AND depth <= ?", (self._plan.depth,)
        ).fetchone()
        return Step(read, waiting, statements, max(read, statements) >= self._plan.limit)

    def _meet(self, ids: Iterable[str], depth: int, *, down: bool) -> None:
        # What is met again nearer to a topic, or going down, is gone on from as such.
        self._db.executemany(
            "INSERT INTO page(id, depth, down) VALUES (?, ?, ?) ON CONFLICT(id) DO UPDATE SET "
            "read = CASE WHEN excluded.depth < depth OR excluded.down > down "
            "THEN NULL ELSE read END, "
            "depth = min(depth, excluded.depth), down = max(down, excluded.down)",
            [(id_, depth, int(down)) for id_ in ids],
        )

    def _read(self, batch: Sequence[tuple[str, int, int]]) -> None:
        ids = [id_ for id_, _, _ in batch]
        named = {language: self._entities(language, ids) for language in self._plan.languages}
        pages = self._main.statements_many(ids, limit=_MOST_STATEMENTS)
        for id_, depth, down in batch:
            if self._step().full:
                break  # the rest of the batch goes on waiting
            statements = pages[id_].statements if id_ in pages else ()
            quads = [*_names(id_, named), *self._facts(statements)]
            mentions = _mentioned(statements)
            self._db.execute(
                "UPDATE page SET read = ?, statements = ?, quads = ?, mentions = ? WHERE id = ?",
                (self._now(), len(statements), _text(quads), json.dumps(mentions), id_),
            )
            if depth < self._plan.depth:
                out = (s.value.id for s in statements if isinstance(s.value, EntityValue))
                self._meet(out, depth + 1, down=False)
                if down:
                    self._meet(self._members(id_), depth + 1, down=True)
        self._db.commit()

    def _entities(self, language: str, ids: Sequence[str]) -> Mapping[str, Entity]:
        return self._sources[language].entities(ids)

    def _members(self, id_: str) -> list[str]:
        found: dict[str, None] = {}
        for prop in _DOWN:
            page = self._main.statements(
                id_, direction=Direction.IN, property=prop, limit=_MOST_MEMBERS
            )
            found.update((statement.subject, None) for statement in page.statements)
        return list(found)

    def _read_names(self, cancel: CancelToken | None) -> None:
        """Read names of what is mentioned and has no page of its own, and of properties."""
        known = {row[0] for row in self._db.execute("SELECT id FROM page WHERE read IS NOT NULL")}
        known |= {row[0] for row in self._db.execute("SELECT id FROM name")}
        mentioned: dict[str, None] = {}
        for (text,) in self._db.execute("SELECT mentions FROM page WHERE mentions != ''"):
            mentioned.update((id_, None) for id_ in parse_json(text) if id_ not in known)
        wanted = list(mentioned)
        for start in range(0, len(wanted), BATCH):
            if cancel is not None:
                cancel.check()
            ids = wanted[start : start + BATCH]
            properties = [id_ for id_ in ids if id_.startswith("P") and id_[1:].isdigit()]
            items = [id_ for id_ in ids if id_ not in properties]
            named = {language: self._entities(language, items) for language in self._plan.languages}
            quads = {id_: list(_names(id_, named)) for id_ in items}
            described = self._main.properties(properties)
            quads |= {id_: list(_property(described.get(id_))) for id_ in properties}
            self._db.executemany(
                "INSERT OR REPLACE INTO name VALUES (?, ?, ?)",
                [(id_, self._now(), _text(found)) for id_, found in quads.items()],
            )
            self._db.commit()
            self._sleep(self._pause)

    def _facts(self, statements: Iterable[Statement]) -> Iterator[ox.Quad]:
        year = time.gmtime(self._now()).tm_year
        graph = ox.NamedNode(f"urn:robodata:dataset:{_plain(self._main.name)}-{year}")
        for statement in statements:
            yield from statement_quads(statement, graph)

    # -- the snapshot -----------------------------------------------------------------------------

    def write(self, *, licences: Sequence[str] = ()) -> Manifest:
        """Write the snapshot from all that was read, in place of an older one.

        Raises:
            LoadError: If it cannot be written.
            NotFoundError: If nothing was read.
        """
        with tempfile.TemporaryDirectory(prefix=".growing-", dir=self._output.parent) as folder:
            path = Path(folder) / f"{_plain(self._main.name)}.nq"
            with self._kept(), path.open("w", encoding="utf-8") as file:
                for table in ("page", "name"):
                    rows = self._db.execute(f"SELECT quads FROM {table} ORDER BY id")
                    file.writelines(row[0] for row in rows)
            if not path.stat().st_size:
                raise NotFoundError("Nothing was read, so there is nothing to write.")
            day = time.strftime("%Y-%m-%d", time.gmtime(self._now()))
            topics = ", ".join(self._plan.topics)
            return load_files(
                [path],
                self._output,
                title=f"Grown from {self._main.name} on {day}: {topics}"[:200],
                language=self._plan.languages[0],
                licences=licences,
                force=True,
            )


def _names(id_: str, named: Mapping[str, Mapping[str, Entity]]) -> Iterator[ox.Quad]:
    for language, entities in named.items():
        if entity := entities.get(id_):
            yield from name_quads(id_, entity.label, entity.aliases, entity.description, language)


def _property(found: Property | None) -> Iterator[ox.Quad]:
    if found is not None:
        # Whatever a service says: it becomes part of an IRI.
        kind = "".join(part.capitalize() for part in found.datatype.split("-"))
        yield from property_quads(found.id, kind if kind.isascii() and kind.isalnum() else "")
        yield from name_quads(found.id, found.label, found.aliases, found.description)


def _mentioned(statements: Iterable[Statement]) -> list[str]:
    """Return all ids statements speak of: properties, values, units."""
    found: dict[str, None] = {}
    for statement in statements:
        parts: tuple[Statement | Snak, ...] = (statement, *statement.circumstances)
        for said in parts:
            found.update(dict.fromkeys((said.property, *ids_in((said.value,)))))
    return list(found)


def _text(quads: Iterable[ox.Quad]) -> str:
    return "".join(f"{quad} .\n" for quad in quads)


def _plain(name: str) -> str:
    kept = "".join(c if c.isalnum() or c in "-._" else "-" for c in name)
    return kept.strip("-") or "source"
