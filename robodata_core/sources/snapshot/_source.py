"""The source that needs no network: a snapshot in a folder, the embedded sample among them.

``open_snapshot`` takes a name or a path and gives a ``SnapshotSource``. A small snapshot answers
from its arrays and its name index; its graph itself is only loaded for SPARQL and for export. A
large one is an Oxigraph store, opened read-only. How the files are made is ``_loader``'s business.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pyoxigraph as ox

from robodata_core.cache import BoundedCache
from robodata_core.cancellation import CancelToken
from robodata_core.errors import SnapshotError
from robodata_core.iris import id_from_iri, is_id
from robodata_core.model import (
    Direction,
    Entity,
    EntityKind,
    MatchKind,
    Property,
    RelationCount,
    SearchHit,
    SparqlResult,
    StatementPage,
    Value,
)
from robodata_core.sources.base import QueryLimits, SourceBase
from robodata_core.sources.capabilities import Capabilities
from robodata_core.sources.names import derived_label
from robodata_core.sources.predicates import Role, predicate_of
from robodata_core.sources.snapshot._compact import CompactGraph
from robodata_core.sources.snapshot._describe import describe
from robodata_core.sources.snapshot._index import Index, Row
from robodata_core.sources.snapshot._manifest import (
    Manifest,
    damaged,
    find_snapshot,
    read_graph,
    read_manifest,
)
from robodata_core.sources.snapshot._parts import Parts
from robodata_core.sources.snapshot._search import NameSearch
from robodata_core.sources.snapshot._statements import StatementReader
from robodata_core.sources.snapshot._whole import changed_files, compare
from robodata_core.text import clean_text

_KEPT_ENTITIES: Final = 10_000
#: Values in the answers to SPARQL that are kept: readings of one question ask alike, and so do
#: questions.
_KEPT_VALUES: Final = 20_000
#: What may give something else the next time.
_CHANGING: Final = re.compile(r"now|rand|uuid|bnode", re.IGNORECASE)
_LINKS: Final = {
    "url": "url",
    "commonsMedia": "url",
    "geo-shape": "url",
    "tabular-data": "url",
    "external-id": "external-id",
}
"""What ``term_to_value`` must be told, by the datatype of a property."""


def open_snapshot(name_or_path: str | Path) -> SnapshotSource:
    """Open a snapshot by the name of an embedded one, or by its folder.

    Raises:
        SnapshotError: If there is none, or it is damaged or of another version.
    """
    return SnapshotSource(find_snapshot(name_or_path))


class SnapshotSource(SourceBase):
    """A snapshot as a knowledge source. Thread-safe; a context manager.

    Args:
        folder: The snapshot's folder.

    Attributes:
        name: ``snapshot:`` and the name in the manifest.
        folder: The snapshot's folder.
        manifest: What the snapshot says of itself.

    Raises:
        SnapshotError: If it is missing, damaged or of another version.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest: Manifest = read_manifest(folder)
        self.name = f"snapshot:{self.manifest.name}"
        self._compact = self.manifest.form == "nquads"
        compare(folder)
        self._index = Index(folder)
        if self._index.meta.get("sha256") != self.manifest.sha256:
            self._index.close()
            raise damaged(folder, "its index belongs to another graph")
        self._search = NameSearch(self._index)
        self._entities: BoundedCache[str, Entity] = BoundedCache(_KEPT_ENTITIES)
        self._answers: BoundedCache[tuple[str, QueryLimits], SparqlResult] = BoundedCache(
            _KEPT_VALUES
        )
        self._hits: BoundedCache[tuple[str, EntityKind, int, bool], tuple[SearchHit, ...]] = (
            BoundedCache(_KEPT_VALUES)
        )
        self._rests = 0
        self._parts = Parts(folder, self.manifest, self._index)

    def close(self) -> None:
        """Release files and processes; further calls are undefined."""
        self._parts.close()
        self._index.close()

    def warm(self) -> None:
        """Load what the first question would load (but not what only SPARQL needs)."""
        self._reader().exists("Q1")

    def capabilities(self) -> Capabilities:
        """Return what a snapshot can besides the documented methods."""
        return Capabilities(
            all_properties=self.all_properties,
            lookup_names=self.lookup_names,
            search_written=self.search_written,
            near=self if self._compact else None,
            quads=self.quads,
            rest=self._rest,
            rests=self._rests,
            on_this_machine=True,
        )

    def _rest(self) -> None:
        self._rests += 1
        self._entities.clear()
        self._answers.clear()
        self._hits.clear()
        self._parts.rest()
        self._index.rest()

    # -- names --------------------------------------------------------------------------------

    def search(
        self,
        text: str,
        *,
        kind: EntityKind = EntityKind.ITEM,
        limit: int = 10,
        language: str = "en",
    ) -> tuple[SearchHit, ...]:
        """Find entities or properties by name or id, best match first, then by popularity.

        A snapshot has names for one language (see its manifest), so ``language`` changes nothing.
        """
        return self._found(text, kind, limit, similar=True)

    def search_written(
        self, text: str, *, limit: int = 10, language: str = "en"
    ) -> tuple[SearchHit, ...]:
        """Find entities as ``search`` does, but none whose names are only similar."""
        return self._found(text, EntityKind.ITEM, limit, similar=False)

    def _found(
        self, text: str, kind: EntityKind, limit: int, *, similar: bool
    ) -> tuple[SearchHit, ...]:
        # Readings of one question look the same words up again and again.
        key = (text, kind, limit, similar)
        found = self._hits.get(key)
        if found is None:
            hits = self._by_id(text, kind) if limit > 0 else ()
            if not hits or ":" not in hits[0].id:
                seen = {hit.id for hit in hits}
                more = self._search.search(kind, text, limit, similar=similar)
                hits += tuple(hit for hit in more if hit.id not in seen)
            found = tuple(map(self._described, hits[:limit]))
            self._hits.put(key, found, 1 + len(found))
        return found

    def lookup_names(
        self, names: Iterable[str], *, kind: EntityKind = EntityKind.ITEM
    ) -> Mapping[str, tuple[SearchHit, ...]]:
        """Find the exact label and alias matches of many names in one go.

        Names are compared by ``normalise_name``. Names without a match are left out.
        """
        return self._search.lookup(kind, names)

    def _by_id(self, text: str, kind: EntityKind) -> tuple[SearchHit, ...]:
        id_ = _as_id(text)
        if id_ is None:
            return ()
        row = self._index.rows(kind, (id_,)).get(id_)
        if row is not None:
            found = (row.label, row.description, row.popularity)
        elif kind is EntityKind.ITEM and id_[:1] != "P" and self._reader().exists(id_):
            found = (derived_label(id_), "", 0)
        else:
            return ()
        label, description, popularity = found
        return (
            SearchHit(
                id_, label, description, MatchKind.ID, matched=id_, score=1.0, popularity=popularity
            ),
        )

    def _described(self, hit: SearchHit) -> SearchHit:
        if hit.description or self._compact:
            return hit
        return dataclasses.replace(hit, description=self._describe(hit.id))

    def _describe(self, id_: str) -> str:
        return describe(self._parts.graph, id_, self._labels)

    def _labels(self, ids: Iterable[str]) -> Mapping[str, str]:
        wanted = tuple(ids)
        rows = self._index.rows(EntityKind.PROPERTY, wanted)
        rows |= self._index.rows(EntityKind.ITEM, wanted)
        return {id_: row.label for id_, row in rows.items()}

    # -- entities -----------------------------------------------------------------------------

    def entities(self, ids: Iterable[str]) -> Mapping[str, Entity]:
        """Return the entities of ``ids`` that exist, by id."""
        found: dict[str, Entity] = {}
        missing: list[str] = []
        for id_ in dict.fromkeys(ids):
            entity = self._entities.get(id_)
            if entity is None:
                missing.append(id_)
            else:
                found[id_] = entity
        if missing:
            rows = self._index.rows(EntityKind.ITEM, missing)
            if len(rows) < len(missing):
                properties = (id_ for id_ in missing if id_ not in rows)
                rows |= self._index.rows(EntityKind.PROPERTY, properties)
            for id_ in missing:
                entity = self._entity(id_, rows.get(id_))
                if entity is not None:
                    self._entities.put(id_, entity)
                    found[id_] = entity
        return found

    def _entity(self, id_: str, row: Row | None) -> Entity | None:
        if row is None and not self._reader().exists(id_):
            return None
        types = self._reader().types(id_)
        if row is None:
            return Entity(id_, derived_label(id_), self._describe(id_), types=types)
        description = row.description
        if not description and not self._compact:
            description = self._describe(id_)
        return Entity(id_, row.label, description, row.aliases, types, row.popularity)

    def properties(self, ids: Iterable[str]) -> Mapping[str, Property]:
        """Return the properties of ``ids`` that exist, by id."""
        known = self._all_properties()
        return {id_: known[id_] for id_ in dict.fromkeys(ids) if id_ in known}

    def all_properties(self) -> tuple[Property, ...]:
        """Return every property with the number of its uses, the most used first."""
        return tuple(self._all_properties().values())

    def _all_properties(self) -> Mapping[str, Property]:
        return self._parts.once("properties", self._read_properties)

    def _read_properties(self) -> Mapping[str, Property]:
        return {
            row.id: Property(
                row.id, row.label, row.description, row.aliases, row.datatype, row.popularity
            )
            for row in self._index.all_rows(EntityKind.PROPERTY)
        }

    # -- statements ---------------------------------------------------------------------------

    def statements(
        self,
        id_: str,
        *,
        direction: Direction = Direction.OUT,
        property: str | None = None,
        limit: int = 100,
        offset: int = 0,
        all_ranks: bool = False,
    ) -> StatementPage:
        """Return statements about (OUT) or pointing to (IN) an entity, in a stable order."""
        return self._reader().page(id_, direction, property, limit, offset, all_ranks)

    def statements_many(
        self,
        ids: Iterable[str],
        *,
        direction: Direction = Direction.OUT,
        property: str | None = None,
        limit: int = 100,
    ) -> Mapping[str, StatementPage]:
        """Do ``statements`` for many ids at once, ``limit`` for each; every id has an entry."""
        page = self._reader().page
        return {id_: page(id_, direction, property, limit) for id_ in ids}

    def ends_many(
        self, ids: Iterable[str], *, direction: Direction, property: str, limit: int
    ) -> Mapping[str, Sequence[Value]]:
        """Return what the statements of ``statements_many`` lead to, in their order."""
        return self._reader().ends(ids, direction, property, limit)

    def ends_around(
        self, id_: str, *, direction: Direction, limit: int
    ) -> Mapping[str, Sequence[Value]]:
        """Return what the statements of ``statements`` lead to, by property."""
        return self._reader().ends_around(id_, direction, limit)

    def pairs(self, property: str, *, most: int) -> Sequence[tuple[Value, Value]] | None:
        """Return subjects and values of all direct triples of a property.

        None where only SPARQL tells them, or there are more than ``most``.
        """
        graph = self._parts.graph
        if not isinstance(graph, CompactGraph):
            return None
        return graph.pairs(predicate_of(property, Role.FACT), most)

    def relations(
        self, ids: Iterable[str], *, direction: Direction | None = None
    ) -> tuple[RelationCount, ...]:
        """Return the relations that are really there around ``ids``, most frequent first."""
        return self._reader().relations(dict.fromkeys(ids), direction)

    def _reader(self) -> StatementReader[Any]:
        return self._parts.once(
            "reader", lambda: StatementReader(self._parts.graph, self.name, self._kind_of)
        )

    def _kind_of(self, property_: str) -> str:
        known = self._all_properties().get(property_)
        return _LINKS.get(known.datatype, "") if known is not None else ""

    # -- the graph itself ---------------------------------------------------------------------

    def sparql(
        self, query: str, *, limits: QueryLimits = QueryLimits(), cancel: CancelToken | None = None
    ) -> SparqlResult:
        """Run a read-only SPARQL 1.1 query over all facts and names.

        Raises:
            QuerySyntaxError: If it does not parse.
            QueryRefusedError: For updates, SERVICE and LOAD.
            QueryLimitError: If it runs over its time.
        """
        from robodata_core.store.queries import run_bounded

        steady = _CHANGING.search(query) is None
        found = self._answers.get((query, limits)) if steady else None
        if found is None:
            parts = self._parts
            found = run_bounded(
                parts.store, query, limits=limits, cancel=cancel, processes=parts.processes
            )
            size = len(found.rows) * len(found.variables) + 3 * len(found.triples)
            if steady:
                self._answers.put((query, limits), found, 1 + size)
        return found

    def quads(self) -> Iterator[ox.Quad]:
        """Yield everything in the snapshot, as it was loaded (for export)."""
        return iter(self._parts.store)

    def problems(self) -> list[str]:
        """Check every file against the check sums of the snapshot and return what is wrong."""
        found = changed_files(self.folder)
        index = self._index.check()
        if index:
            found.append(f"the index is damaged: {index}")
        if self._compact and not found:
            try:
                read_graph(self.folder, self.manifest)
            except SnapshotError as error:
                found.append(error.message)
        return found


def _as_id(text: str) -> str | None:
    """Return the id that a search text spells, in any usual way; None if it spells none."""
    stripped = clean_text(text, limit=2_000).strip().strip("<>")
    if stripped.lower().startswith(("wd:", "wdt:")):
        stripped = stripped.partition(":")[2]
    if stripped[1:].isdigit():
        stripped = stripped.upper()
    id_ = id_from_iri(stripped)
    usual = ":" not in id_ or id_.startswith(("http://", "https://", "urn:"))
    return id_ if usual and is_id(id_) else None
