"""Several relations of many entities read through SPARQL in one request.

``WideReader`` gives what a search for the right relation needs: what many edges lead to, which
relations each entity has, and the classes above a class. It promises nothing: what would be too
much to ask for at once is left out of the answer, and has to be asked for by itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from robodata_core.errors import QueryLimitError, SourceTimeoutError
from robodata_core.iris import is_id, predicate_iri
from robodata_core.model import (
    Direction,
    EntityValue,
    QuantityValue,
    RelationCount,
    StatementPage,
    StringValue,
    Value,
)
from robodata_core.sources.base import Edge
from robodata_core.sources.sparql._triples import (
    BATCH,
    TripleReader,
    as_terms,
    batches,
    in_order,
    is_asked,
    is_fact,
)

#: Edges in one query.
_EDGES: Final = 100
#: Entities times edges in one query, which bounds its length.
_TERMS: Final = 12_000
#: Statements of one edge that are read at once: so many and some more for each entity.
_LEAST: Final = 500
_FOR_EACH: Final = 20
_MOST: Final = 4_000
#: Entities whose relations are counted in one query.
_COUNTED: Final = 50


class WideReader(TripleReader):
    """A ``TripleReader`` that asks for many relations together."""

    # -- what edges lead to ---------------------------------------------------------------------

    def many(
        self, wanted: Mapping[Edge, Sequence[str]], limit: int
    ) -> dict[Edge, dict[str, StatementPage]]:
        """Return the first page of each edge from entities, as far as it was had together.

        Args:
            wanted: Which entities to follow each edge from.
            limit: Most statements of a page.
        """
        found: dict[Edge, dict[str, StatementPage]] = {edge: {} for edge in wanted}
        company = self.company([id_ for ids in wanted.values() for id_ in ids])
        asked: dict[Edge, tuple[str, ...]] = {}
        for edge, ids in wanted.items():
            unread = self._known_of(edge, ids, limit, found[edge])
            if unread:
                more = (i for i in company if self._lists.get(i, edge[1], edge[0]) is None)
                asked[edge] = tuple(dict.fromkeys((*unread, *more)))
        for some in _queries(asked):
            try:
                self._read(some)
            except (QueryLimitError, SourceTimeoutError):
                continue
        for edge in asked:
            self._known_of(edge, wanted[edge], limit, found[edge])
        return found

    def company(self, ids: Sequence[str]) -> tuple[str, ...]:
        """Return what came in lists of some hundred of which several of ``ids`` are part."""
        return self._lists.company(ids, BATCH)

    def _known_of(
        self, edge: Edge, ids: Sequence[str], limit: int, found: dict[str, StatementPage]
    ) -> list[str]:
        unread = []
        name, way = edge
        for id_ in ids:
            if id_ in found:
                continue
            known = self._lists.get(id_, way, name) if is_asked(id_, name) else ()
            if known is None and self._is_absent(id_, edge):
                known = ()
            if known is None:
                unread.append(id_)
            else:
                found[id_] = StatementPage(known[:limit], len(known))
        return unread

    def _read(self, asked: Mapping[Edge, Sequence[str]]) -> None:
        """Read the whole lists of some edges together; what is too much is not kept."""
        most = {edge: min(_MOST, _LEAST + _FOR_EACH * len(ids)) for edge, ids in asked.items()}
        if not self._read_up_to(asked, most):
            # More than the endpoint gives at once: let none of them take the room of others.
            share = self._page // len(asked) - 1
            self._read_up_to(asked, {edge: min(share, number) for edge, number in most.items()})

    def _read_up_to(self, asked: Mapping[Edge, Sequence[str]], most: Mapping[Edge, int]) -> bool:
        """Read the lists of those edges that have no more statements than ``most`` says."""
        edges = list(asked)
        parts = (
            f"{{ {{ SELECT ?x ?y WHERE {{ VALUES ?x {{ {as_terms(asked[edge])} }} "
            f"{self._pattern(edge[1], edge[0])} }} LIMIT {most[edge] + 1} }} "
            f'BIND("{number}" AS ?k) }}'
            for number, edge in enumerate(edges)
        )
        query = f"SELECT ?k ?x ?y WHERE {{ {' UNION '.join(parts)} }} LIMIT {self._page + 1}"
        rows = self._rows(query, self._page + 1)
        if len(rows) > self._page:
            return False
        found: dict[str, list[tuple[Value | None, ...]]] = {}
        for k, x, y in rows:
            if isinstance(k, StringValue):
                found.setdefault(k.text, []).append((x, None, y))
        for number, (name, way) in enumerate(edges):
            mine = found.get(str(number), [])
            if len(mine) > most[name, way]:
                continue
            lists = self._statements(mine, way, name)
            for id_ in asked[name, way]:
                self._lists.put(id_, way, name, tuple(sorted(lists.get(id_, []), key=in_order)))
        return True

    # -- relations ------------------------------------------------------------------------------

    def relations(self, ids: Iterable[str], *directions: Direction) -> list[RelationCount]:
        """Return the relations around entities with their counts, all ways with one query."""
        wanted = [id_ for id_ in dict.fromkeys(ids) if is_id(id_)]
        if len(wanted) == 1:
            self._count(wanted, directions)
        known = [(way, [self._lists.counts(id_, way) for id_ in wanted]) for way in directions]
        missing = tuple(way for way, counts in known if any(one is None for one in counts))
        found = self._sums(wanted, missing) if missing else []
        for way, counts in known:
            if way not in missing:
                total = sum((Counter(one) for one in counts if one), Counter[str]())
                found += [RelationCount(name, way, number) for name, number in total.items()]
        return found

    def _sums(self, ids: Sequence[str], directions: Sequence[Direction]) -> list[RelationCount]:
        """Count the relations around entities, all of these together."""
        sums: Counter[tuple[Direction, str]] = Counter()
        ways = {way.value: way for way in directions}
        for batch in batches(ids, BATCH):
            union = " UNION ".join(
                f"{{ {{ SELECT ?p (COUNT(*) AS ?n) WHERE {{ VALUES ?x {{ {as_terms(batch)} }} "
                f'{self._pattern(way, None)} }} GROUP BY ?p }} BIND("{way.value}" AS ?k) }}'
                for way in directions
            )
            for k, p, n in self._rows(f"SELECT ?k ?p ?n WHERE {{ {union} }}", self._page):
                if not (isinstance(k, StringValue) and isinstance(n, QuantityValue)):
                    continue
                if isinstance(p, EntityValue) and k.text in ways:
                    sums[ways[k.text], p.id] += int(n.amount)
        return [RelationCount(name, way, number) for (way, name), number in sums.items()]

    def relations_each(
        self, ids: Iterable[str], directions: Sequence[Direction]
    ) -> dict[str, list[RelationCount]]:
        """Return the relations of each entity; those it is too much to count for are left out."""
        wanted = [id_ for id_ in dict.fromkeys(ids) if is_id(id_)]
        for batch in batches(wanted, _COUNTED):
            try:
                self._count(batch, directions)
            except (QueryLimitError, SourceTimeoutError):
                continue
        found: dict[str, list[RelationCount]] = {}
        for id_ in wanted:
            known = [(way, self._lists.counts(id_, way)) for way in directions]
            if all(counts is not None for _, counts in known):
                found[id_] = [
                    RelationCount(name, way, number)
                    for way, counts in known
                    for name, number in (counts or {}).items()
                ]
        return found

    def _count(self, ids: Sequence[str], directions: Sequence[Direction]) -> None:
        """Count the relations of entities that are not counted yet, all ways with one query."""
        parts = []
        asked: dict[Direction, list[str]] = {}
        for way in directions:
            asked[way] = [id_ for id_ in ids if self._lists.counts(id_, way) is None]
            if asked[way]:
                parts.append(
                    f"{{ SELECT ?x ?p (COUNT(*) AS ?n) WHERE {{ VALUES ?x {{ "
                    f"{as_terms(asked[way])} }} {self._pattern(way, None)} }} GROUP BY ?x ?p }} "
                    f'BIND("{way.value}" AS ?k)'
                )
        if not parts:
            return
        union = " UNION ".join(f"{{ {part} }}" for part in parts)
        most = self._page
        rows = self._rows(f"SELECT ?k ?x ?p ?n WHERE {{ {union} }} LIMIT {most + 1}", most + 1)
        if len(rows) > most:
            return
        counts: dict[tuple[str, str], dict[str, int]] = {}
        for k, x, p, n in rows:
            if not (isinstance(k, StringValue) and isinstance(n, QuantityValue)):
                continue
            if isinstance(x, EntityValue) and isinstance(p, EntityValue):
                counts.setdefault((x.id, k.text), {})[p.id] = int(n.amount)
        for way, some in asked.items():
            for id_ in some:
                self._lists.put_counts(id_, way, counts.get((id_, way.value), {}))

    def _totals(
        self, ids: Sequence[str], direction: Direction, property_: str | None
    ) -> dict[str, int]:
        """Return how many statements there are; what was counted before is not counted again."""
        counts = self._lists.counts(ids[0], direction) if len(ids) == 1 else None
        if counts is not None and property_ is not None and property_ in counts:
            return {ids[0]: counts[property_]}
        return super()._totals(ids, direction, property_)

    def _is_absent(self, id_: str, edge: Edge) -> bool:
        """Tell whether an entity's relations were counted and this was not among them."""
        name, way = edge
        counts = self._lists.counts(id_, way)
        if counts is None or name in counts:
            return False
        return is_fact(predicate_iri(name), self._only, self._vocabulary)

    # -- classes --------------------------------------------------------------------------------

    def above(self, ids: Iterable[str], property_: str) -> dict[str, StatementPage]:
        """Return where a relation leads to, from entities and from all that it leads to."""
        wanted = [id_ for id_ in dict.fromkeys(ids) if is_asked(id_, property_)]
        found: dict[str, StatementPage] = {}
        for batch in batches(wanted, BATCH):
            relation, most = f"<{predicate_iri(property_)}>", self._page
            query = (
                f"SELECT DISTINCT ?x ?p ?y WHERE {{ VALUES ?k {{ {as_terms(batch)} }} "
                f"?k {relation}* ?x . ?x {relation} ?y . FILTER(isIRI(?x)) }} LIMIT {most + 1}"
            )
            try:
                rows = self._rows(query, most + 1)
            except (QueryLimitError, SourceTimeoutError):
                continue
            if len(rows) > most:
                continue
            lists = self._statements(rows, Direction.OUT, property_)
            tops = (y.id for _, _, y in rows if isinstance(y, EntityValue))
            for id_ in dict.fromkeys((*batch, *lists, *tops)):
                mine = tuple(sorted(lists.get(id_, []), key=in_order))
                self._lists.put(id_, Direction.OUT, property_, mine)
                found[id_] = StatementPage(mine, len(mine))
        return found


def in_order_of_use(counts: Iterable[RelationCount]) -> tuple[RelationCount, ...]:
    """Return relations, the most frequent first."""
    return tuple(sorted(counts, key=lambda item: (-item.count, item.property)))


def _queries(asked: Mapping[Edge, Sequence[str]]) -> Iterator[dict[Edge, Sequence[str]]]:
    """Share edges out among queries of bearable length."""
    some: dict[Edge, Sequence[str]] = {}
    terms = 0
    for edge, ids in asked.items():
        for part in batches(ids, BATCH):
            if some and (len(some) >= _EDGES or terms + len(part) > _TERMS or edge in some):
                yield some
                some, terms = {}, 0
            some[edge] = part
            terms += len(part)
    if some:
        yield some
