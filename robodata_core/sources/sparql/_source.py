"""Any SPARQL 1.1 endpoint as a knowledge source.

Facts are its direct triples; which predicates hold names and types is configurable
(``Vocabulary``). There are no ranks, qualifiers or references, because plain RDF has none.
Search goes by exact name first, then by part of a name, then by part of an IRI: an endpoint has
no name index that could be relied on, so on a large one only exact names are fast.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from robodata_core.cancellation import CancelToken
from robodata_core.errors import QueryLimitError, SourceTimeoutError
from robodata_core.iris import OWL, RDF, WDT, WIKIBASE, id_from_iri, iri_of, is_id
from robodata_core.model import (
    Direction,
    Entity,
    EntityKind,
    EntityValue,
    MatchKind,
    MonolingualTextValue,
    Property,
    QuantityValue,
    RelationCount,
    SearchHit,
    SparqlResult,
    StatementPage,
    StringValue,
    Value,
)
from robodata_core.sources.base import Edge, QueryLimits, SourceBase
from robodata_core.sources.capabilities import Capabilities
from robodata_core.sources.http import HttpClient
from robodata_core.sources.names import derived_label
from robodata_core.sources.sparql._endpoint import Queryable, Remembering
from robodata_core.sources.sparql._exact_names import ExactNames, quoted
from robodata_core.sources.sparql._triples import Vocabulary, best_text, group_names, is_item
from robodata_core.sources.sparql._wide import WideReader, in_order_of_use
from robodata_core.text import clean_text, normalise_name

_log = logging.getLogger("robodata.sparql")
_PROPERTY_TYPES: Final = (
    RDF + "Property",
    OWL + "ObjectProperty",
    OWL + "DatatypeProperty",
    WIKIBASE + "Property",
)
_SEARCH_SECONDS: Final = 15.0
_MOST_PROPERTIES: Final = 5_000


class SparqlSource(SourceBase):
    """A ``KnowledgeSource`` over one endpoint.

    Args:
        page: Most rows of one answer the endpoint is trusted to give whole.
    """

    def __init__(
        self,
        client: HttpClient,
        endpoint: Queryable,
        *,
        name: str,
        vocabulary: Vocabulary | None = None,
        language: str = "en",
        page: int = 10_000,
    ) -> None:
        self.name = name
        self._client = client
        self._endpoint = endpoint
        self._vocabulary = vocabulary or Vocabulary()
        self._language = language
        self._kept = Remembering(endpoint)
        self._exact = ExactNames(
            self._kept, language=language, vocabulary=self._vocabulary, wikibase=False
        )
        self._triples = WideReader(self._kept, name, vocabulary=self._vocabulary, page=page)

    # -- names ----------------------------------------------------------------------------------

    def capabilities(self) -> Capabilities:
        """Return what this source can besides the documented methods."""
        return Capabilities(
            all_properties=self.all_properties, lookup_names=self.lookup_names, wide=self
        )

    def search(
        self,
        text: str,
        *,
        kind: EntityKind = EntityKind.ITEM,
        limit: int = 10,
        language: str = "en",
    ) -> tuple[SearchHit, ...]:
        """Find by IRI, exact name, part of a name, part of an IRI; the best first."""
        words = " ".join(clean_text(text, limit=250).split())
        if not words or limit < 1:
            return ()
        hits = {hit.id: hit for hit in self._by_id(words, kind)}
        for hit in self.lookup_names([words], kind=kind).get(words, ()):
            hits.setdefault(hit.id, hit)
        for look in (self._by_part, self._by_iri):
            if len(hits) >= limit or (hits and look == self._by_iri):
                break
            try:
                found = look(words, kind, limit)
            except (QueryLimitError, SourceTimeoutError) as error:
                _log.info("%s: no search by part of a name: %s", self.name, error)
                break
            for hit in found:
                hits.setdefault(hit.id, hit)
        return tuple(hits.values())[:limit]

    def lookup_names(
        self, names: Iterable[str], *, kind: EntityKind = EntityKind.ITEM
    ) -> Mapping[str, tuple[SearchHit, ...]]:
        """Find the exact label and alias matches of many names with one query or few."""
        return self._exact.lookup(names, kind)

    def _by_id(self, words: str, kind: EntityKind) -> tuple[SearchHit, ...]:
        id_ = id_from_iri(words.strip("<>"))
        if not is_id(id_) or (":" in id_ and "//" not in id_ and not id_.startswith("urn:")):
            return ()
        if not _fits(id_, kind):
            return ()
        found = self.entities([id_]).get(id_)
        if found is None:
            return ()
        return (SearchHit(id_, found.label, found.description, MatchKind.ID, id_),)

    def _by_part(self, words: str, kind: EntityKind, limit: int) -> list[SearchHit]:
        predicates = " ".join(
            f"<{name}>" for name in (*self._vocabulary.labels, *self._vocabulary.aliases)
        )
        needle = quoted(words.lower())
        query = (
            f"SELECT DISTINCT ?x ?n WHERE {{ VALUES ?p {{ {predicates} }} ?x ?p ?n . "
            f"FILTER(isIRI(?x) && CONTAINS(LCASE(STR(?n)), {needle})) {_kind_filter(kind)} }} "
            f"ORDER BY STRLEN(STR(?n)) ?x LIMIT {4 * limit}"
        )
        names: dict[str, str] = {}
        for x, name in self._search_rows(query, 4 * limit):
            text = _text(name)
            if isinstance(x, EntityValue) and text:
                names.setdefault(x.id, text)
        ids = [id_ for id_ in names if _fits(id_, kind)]
        # "table" is a word of "kitchen table", but not of "notable work".
        wanted = set(normalise_name(words).split())
        ids.sort(key=lambda id_: not wanted <= set(normalise_name(names[id_]).split()))
        return self._described(ids[:limit], names, words)

    def _by_iri(self, words: str, kind: EntityKind, limit: int) -> list[SearchHit]:
        needle = quoted("".join(c for c in words.lower() if c.isalnum()))
        query = (
            "SELECT DISTINCT ?x WHERE { ?x ?p ?o . FILTER(isIRI(?x) && "
            f'CONTAINS(REPLACE(LCASE(STR(?x)), "[^a-z0-9]", ""), {needle})) '
            f"{_kind_filter(kind)} }} ORDER BY STRLEN(STR(?x)) ?x LIMIT {limit}"
        )
        rows = self._search_rows(query, limit)
        found = [row[0].id for row in rows if isinstance(row[0], EntityValue)]
        ids = [id_ for id_ in found if _fits(id_, kind)]
        return self._described(ids, {id_: derived_label(id_) for id_ in ids}, words)

    def _described(
        self, ids: Sequence[str], names: Mapping[str, str], words: str
    ) -> list[SearchHit]:
        entities = self.entities(ids)
        key = normalise_name(words)
        hits = []
        for id_ in ids:
            matched, entity = clean_text(names[id_]), entities.get(id_)
            label = entity.label if entity else matched
            same, begins = normalise_name(matched) == key, normalise_name(matched).startswith(key)
            match = MatchKind.LABEL if same else MatchKind.PREFIX if begins else MatchKind.WORDS
            score = 0.95 if same else 0.8 * len(words) / max(len(matched), len(words), 1)
            description = entity.description if entity else ""
            hits.append(SearchHit(id_, label, description, match, matched, score))
        return hits

    def _search_rows(self, query: str, most: int) -> Sequence[Sequence[Value | None]]:
        limits = QueryLimits(rows=most, seconds=_SEARCH_SECONDS)
        return self._kept.query(query, limits=limits).rows

    # -- entities -------------------------------------------------------------------------------

    def entities(self, ids: Iterable[str]) -> Mapping[str, Entity]:
        """Return the entities that are mentioned, hundreds a query."""
        return {
            id_: Entity(
                id_,
                _name(said, id_, self._language),
                clean_text(best_text(said.get("description", ()), self._language), limit=500),
                tuple(
                    dict.fromkeys(map(clean_text, filter(None, map(_text, said.get("alias", ())))))
                ),
                tuple(
                    dict.fromkeys(v.id for v in said.get("type", ()) if isinstance(v, EntityValue))
                ),
            )
            for id_, said in self._said(ids).items()
        }

    def _said(self, ids: Iterable[str]) -> Mapping[str, Mapping[str, list[Value]]]:
        return group_names(self._triples.names(ids))

    def properties(self, ids: Iterable[str]) -> Mapping[str, Property]:
        """Return the properties that are described or used."""
        wanted = [id_ for id_ in dict.fromkeys(ids) if is_id(id_) and not is_item(id_)]
        said = dict(self._said(wanted))
        for id_ in self._used([id_ for id_ in wanted if id_ not in said]):
            said[id_] = {}
        return {
            id_: Property(
                id_,
                _name(said[id_], id_, self._language),
                clean_text(best_text(said[id_].get("description", ()), self._language), limit=500),
                tuple(
                    dict.fromkeys(
                        map(clean_text, filter(None, map(_text, said[id_].get("alias", ()))))
                    )
                ),
            )
            for id_ in wanted
            if id_ in said
        }

    def _used(self, ids: Sequence[str]) -> list[str]:
        if not ids:
            return []
        values = " ".join(f"<{_predicate(id_)}>" for id_ in ids[:500])
        query = f"SELECT ?p WHERE {{ VALUES ?p {{ {values} }} FILTER(EXISTS {{ ?s ?p ?o }}) }}"
        rows = self._search_rows(query, len(ids))
        return [row[0].id for row in rows if isinstance(row[0], EntityValue)]

    def all_properties(self) -> tuple[Property, ...]:
        """Return the properties in use, the most used first; on a large endpoint the declared."""
        counts: dict[str, int] = {}
        try:
            query = (
                "SELECT ?p (COUNT(*) AS ?n) WHERE { ?s ?p ?o } GROUP BY ?p "
                f"ORDER BY DESC(?n) ?p LIMIT {_MOST_PROPERTIES}"
            )
            rows = self._search_rows(query, _MOST_PROPERTIES)
        except (QueryLimitError, SourceTimeoutError):
            types = " ".join(f"<{name}>" for name in _PROPERTY_TYPES)
            query = f"SELECT DISTINCT ?p WHERE {{ VALUES ?t {{ {types} }} ?p a ?t }}"
            rows = self._search_rows(f"{query} LIMIT {_MOST_PROPERTIES}", _MOST_PROPERTIES)
        for row in rows:
            if isinstance(row[0], EntityValue):
                number = row[1] if len(row) > 1 else None
                uses = int(number.amount) if isinstance(number, QuantityValue) else 0
                counts[row[0].id] = uses
        names = self._vocabulary.names
        known = self.properties(id_ for id_ in counts if id_ not in names)
        return tuple(
            Property(p.id, p.label, p.description, p.aliases, p.datatype, counts[p.id])
            for p in known.values()
        )

    # -- statements -----------------------------------------------------------------------------

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
        """Return statements about or pointing to an entity; there are no ranks."""
        return self._triples.page(id_, direction, property, limit, offset)

    def statements_many(
        self,
        ids: Iterable[str],
        *,
        direction: Direction = Direction.OUT,
        property: str | None = None,
        limit: int = 100,
    ) -> Mapping[str, StatementPage]:
        """Do ``statements`` for many ids, hundreds a query."""
        return self._triples.pages(ids, direction, property, limit)

    def relations(
        self, ids: Iterable[str], *, direction: Direction | None = None
    ) -> tuple[RelationCount, ...]:
        """Return the relations around ``ids``, most frequent first."""
        ways = (direction,) if direction else tuple(Direction)
        return in_order_of_use(self._triples.relations(ids, *ways))

    def statements_along(
        self, ids: Iterable[str], edges: Iterable[Edge], *, limit: int = 100
    ) -> Mapping[Edge, Mapping[str, StatementPage]]:
        """Do ``statements_many`` for many edges at once; see ``WideSource``."""
        wanted = tuple(dict.fromkeys(ids))
        return self._triples.many(dict.fromkeys(edges, wanted), limit)

    def relations_each(self, ids: Iterable[str]) -> Mapping[str, tuple[RelationCount, ...]]:
        """Return the relations around each of ``ids``; see ``WideSource``."""
        return {
            id_: in_order_of_use(found)
            for id_, found in self._triples.relations_each(ids, tuple(Direction)).items()
        }

    def statements_above(self, ids: Iterable[str], property: str) -> Mapping[str, StatementPage]:
        """Return a property's statements step by step upwards; see ``WideSource``."""
        return self._triples.above(ids, property)

    def sparql(
        self, query: str, *, limits: QueryLimits = QueryLimits(), cancel: CancelToken | None = None
    ) -> SparqlResult:
        """Run a read-only query; see ``KnowledgeSource``."""
        return self._endpoint.query(query, limits=limits, cancel=cancel)

    def close(self) -> None:
        """Close connections."""
        self._client.close()


def _kind_filter(kind: EntityKind) -> str:
    types = " ".join(f"<{name}>" for name in _PROPERTY_TYPES)
    inner = f"{{ VALUES ?kind {{ {types} }} ?x a ?kind }}"
    if kind is EntityKind.ITEM:
        return f"FILTER NOT EXISTS {inner}"
    return f"FILTER(EXISTS {inner} || EXISTS {{ ?s ?x ?o2 }})"


def _fits(id_: str, kind: EntityKind) -> bool:
    """Tell whether a short id is of that kind; an IRI may be of either."""
    return ":" in id_ or (id_[0] == "P") == (kind is EntityKind.PROPERTY)


def _name(said: Mapping[str, Iterable[Value]], id_: str, language: str) -> str:
    return clean_text(best_text(said.get("label", ()), language)) or derived_label(id_)


def _text(value: Value | None) -> str:
    return value.text if isinstance(value, (MonolingualTextValue, StringValue)) else ""


def _predicate(id_: str) -> str:
    return WDT + id_ if ":" not in id_ else iri_of(id_)
