"""Wikidata (or any Wikibase) as a knowledge source: Action API for entities, SPARQL for the rest.

Entities come in batches of 50 through ``wbgetentities``; their statements keep rank, qualifiers,
references, statement id and revision. The query service answers what the API cannot: incoming
statements, counts, free queries, exact names, and the two things asked of hundreds of entities at
once, their names and one item-valued property. Statements of the query service are direct
triples: truthy, but without qualifiers and references.
"""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from robodata_core.cache import BoundedCache
from robodata_core.cancellation import CancelToken
from robodata_core.errors import NotFoundError, SourceError
from robodata_core.iris import WDT, WIKIBASE, is_id
from robodata_core.model import (
    EXACT_MATCHES,
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
)
from robodata_core.sources.base import Edge, QueryLimits, SourceBase
from robodata_core.sources.capabilities import Capabilities
from robodata_core.sources.http import HttpClient, ResponseCache
from robodata_core.sources.sparql import (
    ExactNames,
    Queryable,
    Remembering,
    SparqlEndpoint,
    Vocabulary,
    WideReader,
    best_text,
    group_names,
    in_order_of_use,
    language_chain,
)
from robodata_core.sources.wikibase._api import BATCH, WIKIDATA, WikibaseApi, WikibaseSite
from robodata_core.sources.wikibase._entities import choose
from robodata_core.text import clean_text, parse_json

_log = logging.getLogger("robodata.wikidata")
#: Entities beyond which names and statements come from the query service.
_MANY: Final = 2 * BATCH
#: Fewer than this come by the Action API, with all that it knows of them.
_SOME: Final = 20
_VOCABULARY: Final = Vocabulary(
    descriptions=("http://schema.org/description",),
    types=(WDT + "P31",),
    popularity=(WIKIBASE + "sitelinks",),
)
_ITEMS: Final = "wikibase-item"
_OTHER_KINDS: Final = {"L": "a lexeme", "M": "a media file", "E": "an entity schema"}
_KEPT_NAMES: Final = 20_000


class WikidataSource(SourceBase):
    """A ``KnowledgeSource`` over a live Wikibase.

    Args:
        client: Sends the requests (limits, User-Agent, recording).
        site: Which Wikibase.
        language: Preferred language of labels; falls back to ``mul``, then English.
        cache: Keeps entity documents between runs; None keeps them in memory only.
        maxlag: Seconds of database lag above which the API is to refuse, and we to wait.
    """

    def __init__(
        self,
        client: HttpClient,
        *,
        site: WikibaseSite = WIKIDATA,
        language: str = "en",
        cache: ResponseCache | None = None,
        maxlag: int = 5,
    ) -> None:
        self.name = site.name
        self._client = client
        self._language = language
        self._cache = cache or ResponseCache(None)
        self._api = WikibaseApi(client, site, language=language, cache=self._cache, maxlag=maxlag)
        self._endpoint = SparqlEndpoint(client, site.sparql)
        self._exact = ExactNames(self._endpoint, language=language)
        self._site = site
        self._names: BoundedCache[str, Entity] = BoundedCache(_KEPT_NAMES)
        self._listed: dict[str, Property] = {}
        self._triples = WideReader(
            Remembering(self._endpoint), self.name, only=WDT, vocabulary=_VOCABULARY
        )

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
        """Find by label, alias or prefix through ``wbsearchentities``.

        The service does not say how well known a hit is. Its own order stands, but among several
        items that are called exactly so the better known come first: their documents, one more
        request, tell.
        """
        words = clean_text(text, limit=250).strip()
        if not words or limit < 1:
            return ()
        found = self._api.search(words, kind=kind, limit=limit, language=language)
        hits = [hit for item in found if (hit := read_hit(item, words)) is not None][:limit]
        exact = [hit.id for hit in hits if hit.match in EXACT_MATCHES]
        known = self._popularity(exact if kind is EntityKind.ITEM and len(exact) > 1 else ())
        hits = [replace(hit, popularity=known.get(hit.id, 0)) for hit in hits]
        # Sorting is stable: what is not exact, or not known, stays in the order of the service.
        return tuple(sorted(hits, key=rank_of))

    def _popularity(self, ids: Sequence[str]) -> dict[str, int]:
        """Return how well known items are; a service that does not answer is no failure here."""
        try:
            found = self._api.documents(ids)
        except SourceError as error:
            _log.info("the order of hits is that of the service: %s", error)
            return {}
        return {id_: item.entity.popularity for id_, item in found.items() if item is not None}

    def lookup_names(
        self, names: Iterable[str], *, kind: EntityKind = EntityKind.ITEM
    ) -> Mapping[str, tuple[SearchHit, ...]]:
        """Find the exact label and alias matches of many names with one query or few.

        Names are compared as they are and with their first letters in other case, nothing more.
        """
        return self._exact.lookup(names, kind)

    # -- entities -------------------------------------------------------------------------------

    def entity(self, id_: str) -> Entity:
        """Return one entity (the target, where ``id_`` redirects).

        Raises:
            NotFoundError: If it does not exist, was deleted, or is no item or property.
        """
        parsed = self._api.documents([id_]).get(id_)
        if parsed is None:
            raise self._absent(id_, "entity")
        return parsed.entity

    def entities(self, ids: Iterable[str]) -> Mapping[str, Entity]:
        """Return the entities that exist, 50 a request; hundreds by one query for their names.

        More than 20 that belong to a list of hundreds read before are named with all of it.
        The popularity of those that come from a query is their number of sitelinks.
        """
        wanted = tuple(dict.fromkeys(ids))
        missing = set(self._api.unknown(wanted))
        named = {id_: kept for id_ in missing if (kept := self._names.get(id_)) is not None}
        unnamed = [id_ for id_ in wanted if id_ in missing and id_ not in named]
        asked = set(named)
        beside = self._triples.company(unnamed) if len(unnamed) > _SOME else ()
        if len(unnamed) > _MANY or beside:
            rest = (id_ for id_ in beside if self._names.get(id_) is None)
            named |= self._named((*unnamed, *rest))
            asked.update(unnamed)
            named = {id_: named[id_] for id_ in wanted if id_ in named}
        found = self._api.documents(id_ for id_ in wanted if id_ not in asked)
        return named | {id_: item.entity for id_, item in found.items() if item is not None}

    def _named(self, ids: Sequence[str]) -> dict[str, Entity]:
        """Return entities by their names in the query service; redirects are not followed."""
        languages = language_chain(self._language)
        said = group_names(self._triples.names(ids, languages=languages))
        found = {
            id_: Entity(
                id_,
                clean_text(best_text(said[id_].get("label", ()), self._language)),
                clean_text(best_text(said[id_].get("description", ()), self._language)),
                tuple(clean_text(text) for text in texts_of(said[id_].get("alias", ()))),
                tuple(v.id for v in said[id_].get("type", ()) if isinstance(v, EntityValue)),
                max(map(_count, said[id_].get("popularity", ())), default=0),
            )
            for id_ in ids
            if id_ in said
        }
        for id_, entity in found.items():
            self._names.put(id_, entity)
        return found

    def properties(self, ids: Iterable[str]) -> Mapping[str, Property]:
        """Return the properties that exist, 50 a request.

        Those that ``all_properties`` has listed come from there.
        """
        wanted = tuple(dict.fromkeys(ids))
        unknown = self._api.unknown(wanted)
        listed = {id_: self._listed[id_] for id_ in unknown if id_ in self._listed}
        found = self._api.documents(id_ for id_ in wanted if id_ not in listed)
        return listed | {
            id_: parsed.property
            for id_, parsed in found.items()
            if parsed is not None and parsed.property is not None
        }

    def all_properties(self) -> tuple[Property, ...]:
        """Return every property that is not an external identifier; kept like entities."""
        key = (self._site.sparql, self._language, "all-properties-with-descriptions")
        try:
            found = tuple(
                Property(id_, label, description, tuple(aliases), datatype)
                for id_, label, description, aliases, datatype in parse_json(
                    self._cache.get(*key) or b""
                )
            )
        except (ValueError, TypeError):  # not kept, or damaged
            found = list_properties(self._endpoint, self.name, self._language)
            rows = [(p.id, p.label, p.description, p.aliases, p.datatype) for p in found]
            if found:
                self._cache.put(json.dumps(rows).encode(), *key)
        self._listed = {item.id: item for item in found}
        return found

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
        """Return statements about or pointing to an entity; see ``KnowledgeSource``.

        Those pointing to it are always truthy.
        """
        if direction is Direction.IN:
            return self._triples.page(id_, direction, property, limit, offset)
        parsed = self._api.documents([id_]).get(id_)
        chosen = choose(parsed, property, all_ranks)
        return StatementPage(tuple(chosen[offset : offset + limit]), len(chosen))

    def statements_many(
        self,
        ids: Iterable[str],
        *,
        direction: Direction = Direction.OUT,
        property: str | None = None,
        limit: int = 100,
    ) -> Mapping[str, StatementPage]:
        """Do ``statements`` for many ids in few requests.

        An item-valued property of more than 100 entities that are not kept is read from the
        query service: without qualifiers and references. So is that of more than 20 that belong to
        a list of hundreds read before.
        """
        wanted = tuple(dict.fromkeys(ids))
        if direction is Direction.IN:
            return self._triples.pages(wanted, direction, property, limit)
        unknown = self._api.unknown(wanted)
        pages: dict[str, StatementPage] = {}
        some = bool(len(unknown) > _SOME and self._triples.company(unknown))
        enough = some or len(unknown) > _MANY
        read = frozenset(self._triples.has_read(unknown, property) if enough else ())
        unread = [id_ for id_ in unknown if id_ not in read]
        if read and len(unread) <= _MANY:
            pages = self._triples.pages(read, direction, property, limit)
            unknown = unread
            some = bool(len(unknown) > _SOME and self._triples.company(unknown))
        if property and (some or len(unknown) > _MANY) and self._leads_to_items(property):
            pages |= self._triples.pages(unknown, direction, property, limit)
        documents = self._api.documents(id_ for id_ in wanted if id_ not in pages)
        for id_ in wanted:
            if id_ not in pages:
                chosen = choose(documents.get(id_), property, False)
                pages[id_] = StatementPage(tuple(chosen[:limit]), len(chosen))
        return {id_: pages[id_] for id_ in wanted}

    def _leads_to_items(self, property_: str) -> bool:
        known = self.properties([property_]).get(property_)
        return known is not None and known.datatype == _ITEMS

    def relations(
        self, ids: Iterable[str], *, direction: Direction | None = None
    ) -> tuple[RelationCount, ...]:
        """Return the relations around ``ids``, most frequent first."""
        wanted = tuple(id_ for id_ in dict.fromkeys(ids) if is_id(id_))
        counts: list[RelationCount] = []
        ways = {Direction.IN} if direction in (None, Direction.IN) and wanted else set()
        if direction in (None, Direction.OUT):
            if len(self._api.unknown(wanted)) > _MANY:
                ways.add(Direction.OUT)
            else:
                tally: Counter[str] = Counter()
                for parsed in self._api.documents(wanted).values():
                    tally.update(item.property for item in choose(parsed, None, False))
                counts += [RelationCount(name, Direction.OUT, n) for name, n in tally.items()]
        counts += self._triples.relations(wanted, *(way for way in Direction if way in ways))
        return in_order_of_use(counts)

    # -- many relations at once -------------------------------------------------------------------

    def statements_along(
        self, ids: Iterable[str], edges: Iterable[Edge], *, limit: int = 100
    ) -> Mapping[Edge, Mapping[str, StatementPage]]:
        """Do ``statements_many`` for many edges at once; see ``WideSource``.

        What the documents of up to 100 entities tell comes from there, the rest by one query.
        """
        wanted, asked = tuple(dict.fromkeys(ids)), tuple(dict.fromkeys(edges))
        outward = [edge for edge in asked if edge[1] is Direction.OUT]
        unknown = self._api.unknown(wanted) if outward else []
        company = len(unknown) > _SOME and self._triples.company(unknown)
        if not company and len(unknown) <= _MANY:
            unknown = []
        hidden = frozenset(unknown)
        documents = self._api.documents(i for i in wanted if i not in hidden) if outward else {}
        read: dict[Edge, Sequence[str]] = {e: wanted for e in asked if e[1] is Direction.IN}
        if unknown:
            kinds = self.properties(name for name, _ in outward)
            items = (e for e in outward if e[0] in kinds and kinds[e[0]].datatype == _ITEMS)
            read.update(dict.fromkeys(items, unknown))
        found = self._triples.many(read, limit)
        for edge in outward:
            pages = found.setdefault(edge, {})
            for id_, parsed in documents.items():
                chosen = choose(parsed, edge[0], False)
                pages[id_] = StatementPage(tuple(chosen[:limit]), len(chosen))
        return found

    def relations_each(self, ids: Iterable[str]) -> Mapping[str, tuple[RelationCount, ...]]:
        """Return the relations around each of ``ids``; see ``WideSource``."""
        wanted = [id_ for id_ in dict.fromkeys(ids) if is_id(id_)][:_MANY]
        documents = self._api.documents(wanted)
        found = {}
        for id_, counts in self._triples.relations_each(wanted, (Direction.IN,)).items():
            tally = Counter(s.property for s in choose(documents.get(id_), None, False))
            counts += [RelationCount(name, Direction.OUT, n) for name, n in tally.items()]
            found[id_] = in_order_of_use(counts)
        return found

    def statements_above(self, ids: Iterable[str], property: str) -> Mapping[str, StatementPage]:
        """Return a property's statements step by step upwards; see ``WideSource``."""
        return self._triples.above(ids, property)

    def sparql(
        self, query: str, *, limits: QueryLimits = QueryLimits(), cancel: CancelToken | None = None
    ) -> SparqlResult:
        """Run a read-only query at the query service; see ``KnowledgeSource``."""
        return self._endpoint.query(query, limits=limits, cancel=cancel)

    def close(self) -> None:
        """Close connections and the cache."""
        self._client.close()
        self._cache.close()

    def _absent(self, id_: str, what: str) -> NotFoundError:
        shown = clean_text(id_, limit=40)
        kind = _OTHER_KINDS.get(id_[:1]) if id_[1:2].isdigit() else None
        if kind is not None:
            return NotFoundError(
                f"{shown} is {kind}.", hint=f"Only items and properties of {self.name} are read."
            )
        return NotFoundError(f"{self.name} has no {what} {shown}.")


def _count(value: object) -> int:
    return int(value.amount) if isinstance(value, QuantityValue) else 0


_MATCHES: Final = {"label": MatchKind.LABEL, "alias": MatchKind.ALIAS, "entityId": MatchKind.ID}
_SCORES: Final = {MatchKind.ID: 1.0, MatchKind.LABEL: 1.0, MatchKind.ALIAS: 0.95}


def read_hit(item: Mapping[str, Any], words: str) -> SearchHit | None:
    """Return a hit for the words that were searched; None if it is none."""
    id_ = item.get("id")
    if not isinstance(id_, str) or not is_id(id_):
        return None
    label = clean_text(str(item.get("label") or ""))
    match = item.get("match")
    match = match if isinstance(match, Mapping) else {}
    matched = clean_text(str(match.get("text") or label))
    kind = _MATCHES.get(str(match.get("type")), MatchKind.LABEL)
    exact = matched.casefold() == words.casefold() or kind is MatchKind.ID
    if not exact:
        kind = MatchKind.PREFIX
    return SearchHit(
        id_,
        label,
        clean_text(str(item.get("description") or "")),
        kind,
        matched,
        _SCORES.get(kind, 0.8 * len(words) / max(len(matched), len(words), 1)),
    )


def rank_of(hit: SearchHit) -> tuple[bool, bool, int]:
    """Return what hits are sorted by: ids, exact names by how well known they are, the rest."""
    exact = hit.match in EXACT_MATCHES
    return hit.match is not MatchKind.ID, not exact, -hit.popularity if exact else 0


_MOST_PROPERTIES: Final = 20_000


def list_properties(endpoint: Queryable, source: str, language: str) -> tuple[Property, ...]:
    """Return every property that is not an external identifier."""
    tags = ", ".join(f'"{tag}"' for tag in language_chain(language))
    query = (
        "SELECT ?p ?t ?k ?v WHERE { ?p a wikibase:Property ; wikibase:propertyType ?t . "
        f"FILTER(?t != wikibase:ExternalId) {{ ?p rdfs:label ?v BIND(0 AS ?k) }} UNION "
        "{ ?p skos:altLabel ?v BIND(1 AS ?k) } UNION "
        "{ ?p schema:description ?v BIND(2 AS ?k) } "
        f"FILTER(LANG(?v) IN ({tags})) }}"
    )
    limits = QueryLimits(rows=10 * _MOST_PROPERTIES, seconds=60.0, bytes=40_000_000)
    result = endpoint.query(query, limits=limits)
    if result.truncated:
        _log.warning("%s has more properties than are taken", source)
    kinds: dict[str, str] = {}
    names: dict[str, tuple[list[Any], list[Any], list[Any]]] = {}
    for item, kind, which, text in result.rows:
        place = int(which.amount) if isinstance(which, QuantityValue) else 0
        if isinstance(item, EntityValue) and isinstance(kind, EntityValue) and 0 <= place < 3:
            kinds[item.id] = _datatype(kind.id)
            names.setdefault(item.id, ([], [], []))[place].append(text)
    return tuple(
        Property(
            id_,
            clean_text(best_text(labels, language)),
            clean_text(best_text(descriptions, language)),
            tuple(clean_text(text) for text in texts_of(aliases)),
            kinds[id_],
        )
        for id_, (labels, aliases, descriptions) in sorted(names.items())
    )


def texts_of(values: Iterable[object]) -> tuple[str, ...]:
    """Return the texts among values, each once."""
    texts = (v.text for v in values if isinstance(v, (MonolingualTextValue, StringValue)))
    return tuple(dict.fromkeys(texts))


def _datatype(iri: str) -> str:
    name = iri[len(WIKIBASE) :] if iri.startswith(WIKIBASE) else iri
    return "".join(f"-{c.lower()}" if c.isupper() else c for c in name).lstrip("-")
