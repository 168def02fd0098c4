"""Direct triples read through SPARQL, in as few requests as may be.

``TripleReader`` gives pages of statements for many entities at once, relations with counts, and
names. It serves the SPARQL source for everything and the Wikidata source for what the Action API
cannot give: incoming statements, and a property of hundreds of entities. What a direct triple
does not say (rank, qualifiers, references) is not here.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from robodata_core.errors import QueryLimitError, SourceTimeoutError
from robodata_core.iris import RDF, RDFS, SCHEMA, SKOS, WD, WDT, iri_of, is_id, predicate_iri
from robodata_core.model import (
    Direction,
    EntityValue,
    MonolingualTextValue,
    QuantityValue,
    Statement,
    StatementPage,
    StringValue,
    Value,
)
from robodata_core.sources.base import QueryLimits
from robodata_core.sources.sparql._endpoint import Queryable
from robodata_core.sources.sparql._known_lists import KnownLists

#: Entities in one query: VALUES of this many IRIs stays well under usual request limits.
BATCH: Final = 500
#: Entities in one query with a page of its own for each.
_UNION: Final = 40
_SECONDS: Final = 60.0
_BYTES: Final = 40_000_000
#: Statements of one entity that are read at once, however few are asked for.
_WHOLE: Final = 500
#: Above this a page of one entity is taken as it comes: sorting it would take too long.
_SORTED: Final = 50_000


@dataclass(frozen=True, slots=True)
class NameRow:
    """One thing a graph says of an entity: ``kind`` is the field of ``Vocabulary``."""

    id: str
    kind: str
    value: Value


class TripleReader:
    """Reads the direct triples of one graph.

    Args:
        endpoint: Takes the queries.
        source: Name of the source, for the statements.
        only: Predicates must begin with this; empty takes all but names and encoding.
        vocabulary: Names and types.
        page: Most rows of one answer the endpoint is trusted to give whole.
        now: Clock in seconds, for how long what was read is good.
    """

    def __init__(
        self,
        endpoint: Queryable,
        source: str,
        *,
        only: str = "",
        vocabulary: Vocabulary | None = None,
        page: int = 10_000,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._endpoint = endpoint
        self._source = source
        self._vocabulary = vocabulary or Vocabulary()
        self._page = page
        self._only = only
        self._any = any_predicate(only, self._vocabulary)
        self._lists = KnownLists(now)

    # -- statements -----------------------------------------------------------------------------

    def page(
        self, id_: str, direction: Direction, property_: str | None, limit: int, offset: int
    ) -> StatementPage:
        """Return one page of one entity's statements."""
        if not is_asked(id_, property_):
            return StatementPage((), 0)
        known = self._lists.get(id_, direction, property_)
        if known is not None:
            return StatementPage(known[offset : offset + limit], len(known))
        # A list of some hundreds is read whole: the next question is for more of it.
        most = limit if offset else max(limit, _WHOLE)
        try:
            one = self._one(id_, direction, property_, most + 1, offset, ordered=True)
            rows = self._rows(one, most + 1)
        except QueryLimitError:
            # Millions of rows cannot be sorted in the time there is; their own order must do.
            one = self._one(id_, direction, property_, most + 1, offset, ordered=False)
            rows = self._rows(one, most + 1)
        found = self._statements(rows, direction, property_)
        mine = found.get(id_, [])
        if len(mine) <= most and (mine or not offset):
            if not offset:
                self._lists.put(id_, direction, property_, tuple(mine))
            return StatementPage(tuple(mine[:limit]), offset + len(mine))
        total = self._totals([id_], direction, property_).get(id_, 0)
        return StatementPage(tuple(mine[:limit]), max(total, offset + len(mine)))

    def pages(
        self, ids: Iterable[str], direction: Direction, property_: str | None, limit: int
    ) -> dict[str, StatementPage]:
        """Return the first page of each entity."""
        wanted = tuple(dict.fromkeys(ids))
        pages = {id_: StatementPage((), 0) for id_ in wanted}
        good = [id_ for id_ in wanted if is_asked(id_, property_)]
        if len(good) == 1:
            return pages | {good[0]: self.page(good[0], direction, property_, limit, 0)}
        unread = []
        for id_ in good:
            known = self._lists.get(id_, direction, property_)
            if known is None:
                unread.append(id_)
            else:
                pages[id_] = StatementPage(known[:limit], len(known))
        beside = self._lists.beside(unread, direction, property_)
        if beside and len(unread) + len(beside) <= BATCH:
            lists = self._whole((*unread, *beside), direction, property_)
            if lists is not None:
                return pages | {i: StatementPage(lists[i][:limit], len(lists[i])) for i in unread}
            self._lists.too_much(beside, direction, property_)
        for batch in batches(unread, BATCH):
            pages.update(self._batch(batch, direction, property_, limit))
        return pages

    def has_read(self, ids: Iterable[str], property_: str | None) -> list[str]:
        """Return those of ``ids`` whose values of a property are known."""
        lists = self._lists
        return [i for i in ids if lists.get(i, Direction.OUT, property_) is not None]

    def _whole(
        self, ids: Sequence[str], direction: Direction, property_: str | None
    ) -> dict[str, tuple[Statement, ...]] | None:
        """Read everything of all entities at once; None where that is too much."""
        most = self._page
        pattern = self._pattern(direction, property_)
        query = (
            f"SELECT ?x ?p ?y WHERE {{ VALUES ?x {{ {as_terms(ids)} }} {pattern} }} "
            f"LIMIT {most + 1}"
        )
        try:
            rows = self._rows(query, most + 1)
        except (QueryLimitError, SourceTimeoutError):
            if len(ids) == 1:
                raise
            rows = None
        if rows is None or len(rows) > most:
            return None
        found = self._statements(rows, direction, property_)
        lists = {id_: tuple(sorted(found.get(id_, []), key=in_order)) for id_ in ids}
        for id_, mine in lists.items():
            self._lists.put(id_, direction, property_, mine)
        return lists

    def _batch(
        self, ids: Sequence[str], direction: Direction, property_: str | None, limit: int
    ) -> dict[str, StatementPage]:
        """Read everything of all entities at once; where that is too much, a page of each."""
        lists = self._whole(ids, direction, property_)
        if lists is None:
            return self._one_by_one(ids, direction, property_, limit)
        return {id_: StatementPage(mine[:limit], len(mine)) for id_, mine in lists.items()}

    def _one_by_one(
        self, ids: Sequence[str], direction: Direction, property_: str | None, limit: int
    ) -> dict[str, StatementPage]:
        totals = self._totals(ids, direction, property_)
        pages: dict[str, StatementPage] = {}
        for batch in batches(ids, max(1, min(_UNION, self._page // (limit + 1)))):
            parts = (
                self._one(
                    id_, direction, property_, limit + 1, 0, totals.get(id_, _SORTED) < _SORTED
                )
                for id_ in batch
            )
            union = " UNION ".join(f"{{ {part} }}" for part in parts)
            rows = self._rows(f"SELECT ?x ?p ?y WHERE {{ {union} }}", len(batch) * (limit + 1))
            found = self._statements(rows, direction, property_)
            for id_ in batch:
                mine = found.get(id_, [])
                total = max(totals.get(id_, 0), len(mine))
                pages[id_] = StatementPage(tuple(mine[:limit]), total)
        return pages

    def _one(
        self,
        id_: str,
        direction: Direction,
        property_: str | None,
        limit: int,
        offset: int,
        ordered: bool,
    ) -> str:
        order = "ORDER BY ?p ?y " if ordered else ""
        return (
            f"SELECT ?x ?p ?y WHERE {{ VALUES ?x {{ {as_terms([id_])} }} "
            f"{self._pattern(direction, property_)} }} {order}LIMIT {limit} OFFSET {offset}"
        )

    def _totals(
        self, ids: Sequence[str], direction: Direction, property_: str | None
    ) -> dict[str, int]:
        """Return how many statements there are; nothing where counting takes too long."""
        query = (
            f"SELECT ?x (COUNT(*) AS ?n) WHERE {{ VALUES ?x {{ {as_terms(ids)} }} "
            f"{self._pattern(direction, property_)} }} GROUP BY ?x"
        )
        try:
            rows = self._rows(query, len(ids))
        except (QueryLimitError, SourceTimeoutError):
            return {}
        return {
            row[0].id: int(row[1].amount)
            for row in rows
            if isinstance(row[0], EntityValue) and isinstance(row[1], QuantityValue)
        }

    def _pattern(self, direction: Direction, property_: str | None) -> str:
        predicate = f"<{predicate_iri(property_)}>" if property_ else "?p"
        ends = f"?x {predicate} ?y" if direction is Direction.OUT else f"?y {predicate} ?x"
        subject = "?x" if direction is Direction.OUT else "?y"
        checks = f" FILTER(isIRI({subject}))"
        return f"{ends} .{checks}" + ("" if property_ else f" {self._any}")

    def _statements(
        self, rows: Iterable[Sequence[Value | None]], direction: Direction, property_: str | None
    ) -> dict[str, list[Statement]]:
        found: dict[str, list[Statement]] = {}
        for x, p, y in rows:
            if not isinstance(x, EntityValue) or y is None:
                continue
            name = property_ or (p.id if isinstance(p, EntityValue) else "")
            if direction is Direction.OUT:
                made = Statement(x.id, name, y, source=self._source)
            elif isinstance(y, EntityValue):
                made = Statement(y.id, name, x, source=self._source)
            else:
                continue
            if name:
                found.setdefault(x.id, []).append(made)
        # The same triple may stand in several graphs of the endpoint.
        return {id_: list(dict.fromkeys(mine)) for id_, mine in found.items()}

    # -- names ----------------------------------------------------------------------------------

    def names(self, ids: Iterable[str], *, languages: Sequence[str] = ()) -> Iterator[NameRow]:
        """Yield labels, descriptions, aliases and types; ``there`` for what is mentioned at all.

        Args:
            ids: Entities or properties.
            languages: Names in other languages are left out; empty takes all.
        """
        for batch in batches([id_ for id_ in dict.fromkeys(ids) if is_id(id_)], BATCH):
            query = self._name_query(batch, languages)
            for row in self._rows(query, self._page * 4):
                x, kind, value = row[0], row[1], row[2]
                if isinstance(x, EntityValue) and isinstance(kind, StringValue):
                    yield NameRow(x.id, kind.text, value if value is not None else x)

    def _name_query(self, ids: Sequence[str], languages: Sequence[str]) -> str:
        spoken = ", ".join(f'"{tag}"' for tag in ("", *languages))
        said = f" FILTER(LANG(?v) IN ({spoken}))" if languages else ""
        values = f"VALUES ?x {{ {as_terms(ids)} }}"
        vocabulary = self._vocabulary
        parts = [
            f'{{ {values} ?x <{predicate}> ?v{said} BIND("{kind}" AS ?k) }}'
            for kind, predicates, said in (
                ("label", vocabulary.labels, said),
                ("description", vocabulary.descriptions, said),
                ("alias", vocabulary.aliases, said),
                ("type", vocabulary.types, ""),
                ("popularity", vocabulary.popularity, ""),
            )
            for predicate in predicates
        ]
        parts.append(f'{{ {values} FILTER(EXISTS {{ ?x ?p ?o }}) BIND("there" AS ?k) }}')
        parts.append(f'{{ {values} FILTER(EXISTS {{ ?s ?p ?x }}) BIND("there" AS ?k) }}')
        return f"SELECT DISTINCT ?x ?k ?v WHERE {{ {' UNION '.join(parts)} }}"

    # -- queries --------------------------------------------------------------------------------

    def _rows(self, query: str, most: int) -> Sequence[Sequence[Value | None]]:
        """Return all rows of a query up to ``most``, which its own LIMIT must respect."""
        limits = QueryLimits(rows=max(1, most), seconds=_SECONDS, bytes=_BYTES)
        return self._endpoint.query(query, limits=limits).rows


def language_chain(language: str) -> tuple[str, ...]:
    """Return a language with its fallbacks: its base, any language, English."""
    return tuple(dict.fromkeys((language, language.split("-")[0], "mul", "en")))


def best_text(values: Iterable[Value], language: str) -> str:
    """Return the text in the best language: preferred, its base, ``mul``, English, none, any."""
    by_language: dict[str, str] = {}
    for value in values:
        if isinstance(value, MonolingualTextValue):
            by_language.setdefault(value.language.lower(), value.text)
        elif isinstance(value, StringValue):
            by_language.setdefault("", value.text)
    for tag in (*(tag.lower() for tag in language_chain(language)), ""):
        if tag in by_language:
            return by_language[tag]
    return min(by_language.values(), default="")


def group_names(rows: Iterable[NameRow]) -> Mapping[str, Mapping[str, list[Value]]]:
    """Return what is said of each entity, by kind."""
    found: dict[str, dict[str, list[Value]]] = {}
    for row in rows:
        found.setdefault(row.id, {}).setdefault(row.kind, []).append(row.value)
    return found


def is_asked(id_: str, property_: str | None) -> bool:
    """Tell whether both can stand in a query: an entity's id, and a property's or None for any."""
    return is_id(id_) and (property_ is None or (is_id(property_) and not is_item(property_)))


def is_item(id_: str) -> bool:
    """Tell whether an id is one of Wikidata's for items, which no property has."""
    return id_[:1] == "Q" and ":" not in id_


def as_terms(ids: Sequence[str]) -> str:
    """Return ids as the terms of a VALUES clause: ``wd:`` names, other IRIs in full."""
    return " ".join(f"wd:{id_}" if iri_of(id_) == WD + id_ else f"<{id_}>" for id_ in ids)


def batches(ids: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    """Yield ``ids`` in their order, at most ``size`` at a time; nothing where there are none."""
    for start in range(0, len(ids), size):
        yield ids[start : start + size]


def in_order(statement: Statement) -> tuple[str, str, str]:
    """Return what statements are sorted by: property, subject, then the value as written."""
    return (statement.property, statement.subject, repr(statement.value))


_PROP: Final = "http://www.wikidata.org/prop/"
#: Nodes and links of Wikidata's encoding, which are no facts of their own.
_ENCODING: Final = (_PROP, "http://wikiba.se/ontology#", "http://www.w3.org/ns/prov#")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Which predicates hold the names and types of a graph.

    Attributes:
        labels: Predicates of labels, best first.
        descriptions: Predicates of descriptions.
        aliases: Predicates of further names.
        types: Predicates of types.
        popularity: Predicates of counts that tell how well known something is.
    """

    labels: tuple[str, ...] = (RDFS + "label",)
    descriptions: tuple[str, ...] = (SCHEMA + "description", RDFS + "comment")
    aliases: tuple[str, ...] = (SKOS + "altLabel",)
    types: tuple[str, ...] = (RDF + "type", WDT + "P31")
    popularity: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Everything that is a name or description: no facts about the thing itself."""
        return (*self.labels, *self.descriptions, *self.aliases)


def is_fact(iri: str, only: str, vocabulary: Vocabulary) -> bool:
    """Tell whether a predicate passes the filter of ``any_predicate``."""
    if only:
        return iri.startswith(only)
    encodes = iri.startswith(_ENCODING) and not iri.startswith(f"{_PROP}direct/")
    return iri not in vocabulary.names and not encodes


def any_predicate(only: str, vocabulary: Vocabulary) -> str:
    """Return the filter that keeps facts: predicates that begin with ``only``, if it is given."""
    if only:
        return f'FILTER(STRSTARTS(STR(?p), "{only}"))'
    names = ", ".join(f"<{name}>" for name in vocabulary.names)
    spaces = " && ".join(f'!STRSTARTS(STR(?p), "{space}")' for space in _ENCODING)
    direct = f'STRSTARTS(STR(?p), "{_PROP}direct/")'
    return f"FILTER(?p NOT IN ({names}) && ({direct} || ({spaces})))"
