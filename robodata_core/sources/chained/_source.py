"""Several sources as one: the first answers, the next ones add what it lacks.

What "lacks" means: an entity, property or name the sources before do not know; a page of
statements that is empty with them; a query without a result. Sources on this machine are all asked
for names and relations, and those that come first for facts, too: it costs next to nothing, and
nobody hears of it. Where each of them has one value and they differ, the first one's stands. Facts
keep the name of the source they came from. With ``merge`` every source is asked for every fact, and
all is kept. What each said is remembered so that differences can be shown; see ``_conflicts``.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from robodata_core.cancellation import CancelToken
from robodata_core.errors import ConfigurationError, NotFoundError, SourceError
from robodata_core.model import (
    EXACT_MATCHES,
    Direction,
    Entity,
    EntityKind,
    MatchKind,
    Property,
    QuantityValue,
    RelationCount,
    SearchHit,
    SparqlResult,
    Statement,
    StatementPage,
)
from robodata_core.sources.base import Edge, KnowledgeSource, QueryLimits, SourceBase
from robodata_core.sources.capabilities import (
    Capabilities,
    all_properties,
    capabilities,
    lookup_names,
    rest,
    search_written,
    wide_form,
)
from robodata_core.sources.chained._conflicts import Heard

_log = logging.getLogger("robodata.chained")
_MOST_SAID = 50
_T = TypeVar("_T")
_N = TypeVar("_N", Entity, Property)


class ChainedSource(SourceBase):
    """A ``KnowledgeSource`` over several, in order of preference. Thread-safe.

    A source that fails is passed over (and logged) where another one answers; where none does,
    its failure is what is said.

    Args:
        sources: At least one; closed together with this one.
        merge: Ask every source for statements, not only those after an empty page.

    Attributes:
        name: The names of all, joined by ``+``.
    """

    def __init__(self, sources: Sequence[KnowledgeSource], *, merge: bool = False) -> None:
        if not sources:
            raise ConfigurationError("A chain needs at least one source.")
        self._sources = tuple(sources)
        self._merge = merge
        # How many of the first sources are asked for every fact.
        here = len(list(itertools.takewhile(_is_here, self._sources)))
        self._together = len(self._sources) if merge else max(1, here)
        self._heard = Heard()
        self.name = "+".join(source.name for source in sources)

    @property
    def sources(self) -> tuple[KnowledgeSource, ...]:
        """The sources, in order of preference."""
        return self._sources

    def heard_about(self, subject: str, property_: str) -> tuple[Statement, ...]:
        """Return what the sources asked so far say about a property of an entity.

        Those on this machine are all asked: it costs next to nothing, and nobody hears of it.
        """
        here = [item for item in self._sources if _is_here(item)]
        for source in here if len(here) > 1 else ():
            with contextlib.suppress(SourceError):
                self._heard.listen(source.statements(subject, property=property_, limit=_MOST_SAID))
        return self._heard.about(subject, property_)

    def capabilities(self) -> Capabilities:
        """Return what the chain can: about many relations at once only where a source can.

        With ``merge`` every source is asked for every fact, one relation at a time.
        """
        wide = not self._merge and any(map(wide_form, self._sources))
        return Capabilities(
            all_properties=self.all_properties,
            lookup_names=self.lookup_names,
            search_written=self.search_written,
            wide=self if wide else None,
            heard_about=self.heard_about,
            rest=self._rest,
            rests=sum(capabilities(source).rests for source in self._sources),
        )

    def _rest(self) -> None:
        for source in self._sources:
            rest(source)

    def _ask(
        self, ask: Callable[[KnowledgeSource], _T], failures: list[SourceError], first: int = 0
    ) -> Iterator[_T]:
        """Yield what each source says; one that fails is passed over, and its failure noted.

        Not to know something is no failure.
        """
        for source in self._sources[first:]:
            try:
                found = ask(source)
            except NotFoundError:
                continue
            except SourceError as error:
                _log.warning("%s is passed over: %s", source.name, error)
                failures.append(error)
                continue
            yield found

    # -- names ----------------------------------------------------------------------------------

    def is_asked_for_names(self, source: KnowledgeSource) -> bool:
        """Tell whether a source is asked for names also where one before it has them."""
        return _is_here(source)

    def search(
        self,
        text: str,
        *,
        kind: EntityKind = EntityKind.ITEM,
        limit: int = 10,
        language: str = "en",
    ) -> tuple[SearchHit, ...]:
        """Search until a source has an exact match; similar names of all follow, best first."""
        return self._searched(
            lambda source: source.search(text, kind=kind, limit=limit, language=language), limit
        )

    def search_written(
        self, text: str, *, limit: int = 10, language: str = "en"
    ) -> tuple[SearchHit, ...]:
        """Search items as ``search`` does, but for none whose names are only similar."""
        return self._searched(
            lambda source: search_written(source, text, limit=limit, language=language), limit
        )

    def _searched(
        self, ask: Callable[[KnowledgeSource], Sequence[SearchHit]], limit: int
    ) -> tuple[SearchHit, ...]:
        hits: dict[str, SearchHit] = {}
        failures: list[SourceError] = []

        def _search(source: KnowledgeSource) -> Sequence[SearchHit]:
            exact = any(hit.match in EXACT_MATCHES for hit in hits.values())
            if exact and not self.is_asked_for_names(source):
                return ()
            return ask(source)

        for found in self._ask(_search, failures):
            for hit in found:
                hits.setdefault(hit.id, hit)
        _complain(failures, unless=hits)
        order = list(MatchKind)
        ranked = sorted(hits.values(), key=lambda hit: order.index(hit.match))
        return tuple(ranked[:limit])

    def lookup_names(
        self, names: Iterable[str], *, kind: EntityKind = EntityKind.ITEM
    ) -> Mapping[str, tuple[SearchHit, ...]]:
        """Find exact names; the next source is asked for those the ones before do not have."""
        wanted = tuple(dict.fromkeys(names))
        hits: dict[str, dict[str, SearchHit]] = {}
        failures: list[SourceError] = []

        def _look(source: KnowledgeSource) -> Mapping[str, tuple[SearchHit, ...]]:
            every = self.is_asked_for_names(source)
            keys = wanted if every else [name for name in wanted if name not in hits]
            return lookup_names(source, keys, kind=kind) if keys else {}

        for found in self._ask(_look, failures):
            for name, more in found.items():
                known = hits.setdefault(name, {})
                known.update({hit.id: hit for hit in more if hit.id not in known})
        _complain(failures, unless=hits)
        return {name: tuple(hits[name].values()) for name in wanted if name in hits}

    # -- entities -------------------------------------------------------------------------------

    def entities(self, ids: Iterable[str]) -> Mapping[str, Entity]:
        """Return the entities any source knows; a name is added where the first has none."""
        found = self._fill(tuple(dict.fromkeys(ids)), lambda s, keys: s.entities(keys))
        for id_, named in self._named_later(found, lambda s, keys: s.entities(keys)).items():
            found[id_] = dataclasses.replace(named, types=found[id_].types or named.types)
        return found

    def _named_later(
        self,
        found: Mapping[str, _N],
        ask: Callable[[KnowledgeSource, Sequence[str]], Mapping[str, _N]],
    ) -> dict[str, _N]:
        named: dict[str, _N] = {}
        nameless = [id_ for id_, item in found.items() if not item.label]
        for more in self._ask(lambda s: ask(s, nameless) if nameless else {}, [], first=1):
            named.update({id_: item for id_, item in more.items() if item.label})
            nameless[:] = [id_ for id_ in nameless if id_ not in named]
        return named

    def properties(self, ids: Iterable[str]) -> Mapping[str, Property]:
        """Return the properties any source knows; a name is added where the first has none."""
        found = self._fill(tuple(dict.fromkeys(ids)), lambda s, keys: s.properties(keys))
        for id_, named in self._named_later(found, lambda s, keys: s.properties(keys)).items():
            found[id_] = dataclasses.replace(named, uses=max(named.uses, found[id_].uses))
        return found

    def all_properties(self) -> tuple[Property, ...]:
        """Return the properties of all sources, the first source's first, by all their names."""
        found: dict[str, Property] = {}
        for listed in self._ask(all_properties, []):
            for item in listed:
                known = found.get(item.id, item)
                names = dict.fromkeys((*known.aliases, item.label, *item.aliases))
                label = known.label or item.label
                found[item.id] = dataclasses.replace(
                    known,
                    label=label,
                    description=known.description or item.description,
                    aliases=tuple(name for name in names if name and name != label),
                    datatype=known.datatype or item.datatype,
                    uses=max(known.uses, item.uses),
                )
        return tuple(found.values())

    def _fill(
        self, keys: Sequence[str], ask: Callable[[KnowledgeSource, Sequence[str]], Mapping[str, _T]]
    ) -> dict[str, _T]:
        found: dict[str, _T] = {}
        failures: list[SourceError] = []
        missing = list(keys)
        for more in self._ask(lambda s: ask(s, missing) if missing else {}, failures):
            found.update(more)
            missing[:] = [key for key in keys if key not in found]
        _complain(failures, unless=found)
        return {key: found[key] for key in keys if key in found}

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
        """Return statements of the sources asked together, else of the first that has any."""
        pages: list[StatementPage] = []
        failures: list[SourceError] = []
        # Pages of several can only be cut after they were put together.
        most, skip = (limit + offset, 0) if self._together > 1 else (limit, offset)

        def _ask(source: KnowledgeSource) -> StatementPage:
            if not self._wanted(source, pages):
                return StatementPage((), 0)
            return source.statements(
                id_,
                direction=direction,
                property=property,
                limit=most,
                offset=skip,
                all_ranks=all_ranks,
            )

        for page in self._ask(_ask, failures):
            if direction is Direction.OUT and not offset:
                self._heard.listen(page)
            pages.append(page)
        _complain(failures, unless=any(page.total for page in pages))
        one = direction is Direction.OUT and property is not None
        return self._put_together(pages, limit, offset - skip, one=one)

    def statements_many(
        self,
        ids: Iterable[str],
        *,
        direction: Direction = Direction.OUT,
        property: str | None = None,
        limit: int = 100,
    ) -> Mapping[str, StatementPage]:
        """Do ``statements`` for many ids; each source is asked once, for what it is needed for."""
        wanted = tuple(dict.fromkeys(ids))
        pages: dict[str, list[StatementPage]] = {id_: [] for id_ in wanted}
        failures: list[SourceError] = []

        def _ask(source: KnowledgeSource) -> Mapping[str, StatementPage]:
            keys = [id_ for id_ in wanted if self._wanted(source, pages[id_])]
            if not keys:
                return {}
            return source.statements_many(keys, direction=direction, property=property, limit=limit)

        for found in self._ask(_ask, failures):
            for id_, page in found.items():
                if direction is Direction.OUT:
                    self._heard.listen(page)
                pages[id_].append(page)
        _complain(failures, unless=any(page.total for made in pages.values() for page in made))
        one = direction is Direction.OUT and property is not None
        return {id_: self._put_together(made, limit, one=one) for id_, made in pages.items()}

    def _wanted(self, source: KnowledgeSource, pages: Iterable[StatementPage]) -> bool:
        """Tell whether a source is asked for what those before it gave some pages of."""
        together = source in self._sources[: self._together]
        return together or not any(page.total for page in pages)

    def _put_together(
        self, pages: Iterable[StatementPage], limit: int, offset: int = 0, *, one: bool
    ) -> StatementPage:
        """Put pages of several sources together; the same fact is listed once."""
        full = [page for page in pages if page.total]
        if one and not self._merge and all(page.total == 1 for page in full):
            full = full[:1]
        if len(full) < 2:
            only = full[0] if full else StatementPage((), 0)
            cut = only.statements[offset : offset + limit]
            return only if len(cut) == len(only.statements) else StatementPage(cut, only.total)
        facts: dict[object, Statement] = {}
        for page in full:
            for statement in page.statements:
                facts.setdefault(statement.triple, statement)
        hidden = sum(page.total - len(page.statements) for page in full)
        kept = tuple(facts.values())[offset : offset + limit]
        return StatementPage(kept, len(facts) + hidden)

    def relations(
        self, ids: Iterable[str], *, direction: Direction | None = None
    ) -> tuple[RelationCount, ...]:
        """Return the relations around ``ids``: of the first source with any, or the most of all."""
        wanted = tuple(ids)
        counts: dict[tuple[str, Direction], int] = {}
        failures: list[SourceError] = []

        def _count(source: KnowledgeSource) -> Sequence[RelationCount]:
            if counts and not self._merge and not _is_here(source):
                return ()
            return source.relations(wanted, direction=direction)

        for found in self._ask(_count, failures):
            _add_most(counts, found)
        _complain(failures, unless=counts)
        return RelationCount.ranked(counts)

    def sparql(
        self, query: str, *, limits: QueryLimits = QueryLimits(), cancel: CancelToken | None = None
    ) -> SparqlResult:
        """Run a query at the first source where it has a result (a count above 0, true, rows)."""
        first: SparqlResult | None = None
        failures: list[SourceError] = []
        for result in self._ask(lambda s: s.sparql(query, limits=limits, cancel=cancel), failures):
            if not _is_empty(result):
                return result
            first = first or result
        # "Nothing" of one source is no answer while another one was not heard.
        _complain(failures, unless=False)
        assert first is not None
        return first

    # -- many relations at once -----------------------------------------------------------------

    def statements_along(
        self, ids: Iterable[str], edges: Iterable[Edge], *, limit: int = 100
    ) -> Mapping[Edge, Mapping[str, StatementPage]]:
        """Do ``statements_many`` for many edges at once; see ``WideSource``."""
        wanted = tuple(dict.fromkeys(ids))
        pages: dict[Edge, dict[str, list[StatementPage]]] = {
            edge: {id_: [] for id_ in wanted} for edge in edges
        }
        for source in self._sources:
            asked = {
                edge: keys
                for edge, made in pages.items()
                if (keys := tuple(id_ for id_ in made if self._wanted(source, made[id_])))
            }
            if not asked:
                break
            try:
                heard = _along(source, asked, limit)
            except SourceError as error:
                # A source that fails is passed over when it is asked for one edge at a time.
                _log.info("%s is not asked for much at once: %s", source.name, error)
                for edge, keys in asked.items():
                    for id_ in keys:
                        del pages[edge][id_]
                break
            for edge, keys in asked.items():
                mine = heard.get(edge, {})
                for id_ in keys:
                    if id_ not in mine:
                        del pages[edge][id_]
                        continue
                    if edge[1] is Direction.OUT:
                        self._heard.listen(mine[id_])
                    pages[edge][id_].append(mine[id_])
        return {
            edge: {
                id_: self._put_together(some, limit, one=edge[1] is Direction.OUT)
                for id_, some in made.items()
            }
            for edge, made in pages.items()
        }

    def relations_each(self, ids: Iterable[str]) -> Mapping[str, tuple[RelationCount, ...]]:
        """Return the relations around each of ``ids``; see ``WideSource``."""
        counts: dict[str, dict[tuple[str, Direction], int]] = {id_: {} for id_ in ids}
        for at, source in enumerate(self._sources):
            asked = [id_ for id_, made in counts.items() if at < self._together or not made]
            if not asked:
                break
            wide = wide_form(source)
            try:
                heard = (
                    wide.relations_each(asked)
                    if wide is not None
                    else {id_: source.relations([id_]) for id_ in asked}
                )
            except SourceError as error:
                _log.info("%s is not asked for much at once: %s", source.name, error)
                heard = {}
            for id_ in asked:
                if id_ not in heard:
                    del counts[id_]
                    continue
                _add_most(counts[id_], heard[id_])
        return {id_: RelationCount.ranked(made) for id_, made in counts.items()}

    def statements_above(self, ids: Iterable[str], property: str) -> Mapping[str, StatementPage]:
        """Return nothing: one step may be known here and the next one there."""
        return {}

    def close(self) -> None:
        """Close every source."""
        for source in self._sources:
            source.close()


def _complain(failures: Sequence[SourceError], *, unless: object) -> None:
    """Raise the first failure, unless something was found."""
    if failures and not unless:
        raise failures[0]


def _add_most(counts: dict[tuple[str, Direction], int], found: Iterable[RelationCount]) -> None:
    for item in found:
        key = (item.property, item.direction)
        counts[key] = max(counts.get(key, 0), item.count)


def _is_empty(result: SparqlResult) -> bool:
    if result.boolean is not None:
        return not result.boolean
    if result.triples:
        return False
    return all(
        value is None or (isinstance(value, QuantityValue) and value.amount == 0)
        for row in result.rows
        for value in row
    )


def _along(
    source: KnowledgeSource, asked: Mapping[Edge, tuple[str, ...]], limit: int
) -> dict[Edge, Mapping[str, StatementPage]]:
    """Ask one source: at once where that is for it, else edge by edge, as it is close at hand."""
    wide = wide_form(source)
    if wide is None:
        return {
            (name, way): source.statements_many(ids, direction=way, property=name, limit=limit)
            for (name, way), ids in asked.items()
        }
    together = dict.fromkeys(id_ for ids in asked.values() for id_ in ids)
    heard = wide.statements_along(together, asked, limit=limit)
    return {
        edge: {id_: page for id_, page in heard.get(edge, {}).items() if id_ in ids}
        for edge, ids in ((edge, frozenset(ids)) for edge, ids in asked.items())
    }


def _is_here(source: KnowledgeSource) -> bool:
    return getattr(source, "manifest", None) is not None
