"""Statements out of edges: truthy or all ranks, with qualifiers and references where given.

Reads direct triples (``wdt:`` or any predicate of another source) and full statement nodes, and
joins both views of the same statement. Which edges there are is ``_graph``'s business; nothing here
knows about files or names. Pages are built once and kept, up to a bound.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, Generic, TypeVar

from robodata_core.cache import BoundedCache
from robodata_core.iris import id_from_iri, iri_of, is_anonymous, is_property_id
from robodata_core.model import (
    Direction,
    EntityValue,
    NoValue,
    Rank,
    RelationCount,
    SomeValue,
    Statement,
    StatementPage,
    UrlValue,
    Value,
)
from robodata_core.sources.predicates import (
    SUBCLASS,
    TYPE,
    Role,
    is_encoding,
    predicate_of,
    says_nothing,
)
from robodata_core.sources.snapshot._graph import Edge, Graph
from robodata_core.sources.snapshot._groups import Group, Groups
from robodata_core.sources.snapshot._nodes import FullStatement, NodeReader

N = TypeVar("N")

_KEPT_STATEMENTS: Final = 20_000
#: Bare statements that are kept; the bound counts properties of things as well.
_KEPT_BARE: Final = 8_000
_HUB: Final = 20_000
"""From this many edges on, full statement nodes are only looked up for what is shown."""
_EMPTY: Final = StatementPage((), 0)


class StatementReader(Generic[N]):
    """Reads statements from a graph; safe to use from several threads.

    Args:
        graph: Where the edges are.
        source: Name of the source, for the statements.
        kind_of: Tells what must be known of a property to read its values (``term_to_value``).
    """

    def __init__(self, graph: Graph[N], source: str, kind_of: Callable[[str], str]) -> None:
        self._graph = graph
        self._source = source
        self._kind_of = kind_of
        self._nodes = NodeReader(graph, source, kind_of)
        self._pages: BoundedCache[tuple[object, ...], StatementPage] = BoundedCache(
            _KEPT_STATEMENTS
        )
        self._bare: BoundedCache[tuple[N, str], tuple[tuple[FullStatement[N], bool], ...]] = (
            BoundedCache(_KEPT_BARE)
        )
        self._groups = Groups(graph)

    def exists(self, id_: str) -> bool:
        """Tell whether any edge touches ``id_``."""
        return self._find(id_) is not None

    def page(
        self,
        id_: str,
        direction: Direction,
        property_: str | None,
        limit: int,
        offset: int = 0,
        all_ranks: bool = False,
    ) -> StatementPage:
        """Return some statements around ``id_`` and how many there are."""
        key = (id_, direction, property_, limit, offset, all_ranks)
        page = self._pages.get(key)
        if page is None:
            page = self._read(id_, direction, property_, max(0, limit), max(0, offset), all_ranks)
            if page.statements:  # that there are none is found again as fast
                self._pages.put(key, page, len(page.statements) + 1)
        return page

    def ends(
        self, ids: Iterable[str], direction: Direction, property_: str, limit: int
    ) -> Mapping[str, Sequence[Value]]:
        """Return what the statements of a property lead to from each of ``ids``.

        That is what ``page`` would tell, but where there are only direct triples no statement is
        made.
        """
        if not is_property_id(property_):
            return dict.fromkeys(ids, ())
        fact, kind = predicate_of(property_, Role.FACT), self._kind_of(property_)
        special = self._groups.special_at(direction, property_)
        outgoing = direction is Direction.OUT
        edges_of, value_of, limit = self._graph.edges, self._graph.value, max(0, limit)
        found: dict[str, Sequence[Value]] = {}
        for id_ in ids:
            node = self._find(id_)
            if node is None:
                found[id_] = ()
            elif special(node):
                group = self._groups.of(node, direction, property_)
                bare, _ = self._slice(node, id_, direction, group, 0, limit, False, bare=True)
                found[id_] = _ends_of(bare, direction)
            elif outgoing:
                edges = edges_of(node, direction, fact, 0, limit)
                found[id_] = [value_of(far, kind) for far, _ in edges]
            else:
                edges = edges_of(node, direction, fact, 0, limit)
                found[id_] = [self._subject(far) for far, _ in edges]
        return found

    def relations(
        self, ids: Iterable[str], direction: Direction | None
    ) -> tuple[RelationCount, ...]:
        """Return the relations around ``ids``, most frequent first."""
        wanted = (direction,) if direction is not None else (Direction.OUT, Direction.IN)
        counts: dict[tuple[str, Direction], int] = {}
        for id_ in ids:
            node = self._find(id_)
            if node is None:
                continue
            for way in wanted:
                for group in self._groups.at(node, way):
                    property_, _, count, special = group
                    if special:
                        count = self._slice(node, id_, way, group, 0, 0, False, bare=True)[1]
                    if count:
                        place = (property_, way)
                        counts[place] = counts.get(place, 0) + count
        ordered = sorted(counts.items(), key=lambda item: (-item[1], len(item[0][0]), item[0]))
        return tuple(RelationCount(name, way, count) for (name, way), count in ordered)

    def types(self, id_: str) -> tuple[str, ...]:
        """Return the classes ``id_`` is stated to be an instance of."""
        node = self._find(id_)
        if node is None:
            return ()
        found: dict[str, None] = {}
        for property_ in ("P31", TYPE):
            for far, _ in self._graph.edges(
                node, Direction.OUT, predicate_of(property_, Role.FACT)
            ):
                value = self._graph.value(far)
                if isinstance(value, EntityValue) and not says_nothing(value.id):
                    found[value.id] = None
        return tuple(found)

    # -- pages --------------------------------------------------------------------------------

    def _find(self, id_: str) -> N | None:
        try:
            return self._graph.find(iri_of(id_))
        except ValueError:
            return None

    def _read(
        self,
        id_: str,
        direction: Direction,
        property_: str | None,
        limit: int,
        offset: int,
        all_ranks: bool,
    ) -> StatementPage:
        node = self._find(id_)
        if node is None or (property_ is not None and not is_property_id(property_)):
            return _EMPTY
        if property_ is None:
            groups = self._groups.at(node, direction)
            total = sum(group[2] for group in groups)
            if offset == 0 and total <= limit and not any(group[3] for group in groups):
                return self._whole(node, id_, direction, groups, total)
        else:
            groups = (self._groups.of(node, direction, property_),)
        statements: list[Statement] = []
        total = 0
        for group in groups:
            start = max(0, offset - total)
            stop = max(0, offset + limit - total)
            found, count = self._slice(node, id_, direction, group, start, stop, all_ranks)
            statements += found
            total += count
        return StatementPage(tuple(statements), total)

    def _whole(
        self, node: N, id_: str, direction: Direction, groups: Sequence[Group], total: int
    ) -> StatementPage:
        """Make all statements around a node of direct triples at once."""
        properties = {group[1]: group[0] for group in groups}
        statements: list[Statement] = []
        for predicate, edges in self._graph.around(node, direction):
            property_ = properties.get(predicate)
            if property_ is not None:
                statements += self._plain(id_, direction, property_, edges)
        return StatementPage(tuple(statements), total)

    def _slice(
        self,
        node: N,
        id_: str,
        direction: Direction,
        group: Group,
        start: int,
        stop: int,
        all_ranks: bool,
        *,
        bare: bool = False,
    ) -> tuple[list[Statement], int]:
        """Return the statements ``start`` to ``stop`` of a group, and how many it has."""
        property_, fact, count, special = group
        if special and count <= _HUB:
            entries = self._entries(node, id_, direction, group, all_ranks, bare=bare)
            return [
                entry
                if isinstance(entry, Statement)
                else self._plain(id_, direction, property_, (entry,))[0]
                for entry in entries[start:stop]
            ], len(entries)
        if start >= min(stop, count):
            return [], count
        edges = self._graph.edges(node, direction, fact, start, stop)
        if special and direction is Direction.IN:
            return self._around_hub(node, id_, property_, edges, bare=bare), count
        return self._plain(id_, direction, property_, edges), count

    def _plain(
        self, id_: str, direction: Direction, property_: str, edges: Iterable[Edge[N]]
    ) -> list[Statement]:
        """Make statements of direct triples."""
        value_of, source, kind = self._graph.value, self._source, self._kind_of(property_)
        rank: Rank = Rank.NORMAL
        if direction is Direction.OUT:
            return [
                Statement(id_, property_, value_of(far, kind), "", rank, (), (), source, origin)
                for far, origin in edges
            ]
        value: Value = EntityValue(id_)
        if kind == "url" and ":" in id_:
            value = UrlValue(id_)
        return [
            Statement(self._id(far), property_, value, "", rank, (), (), source, origin)
            for far, origin in edges
        ]

    def _id(self, node: N) -> str:
        return self._subject(node).id

    def _subject(self, node: N) -> EntityValue:
        value = self._graph.value(node)
        if isinstance(value, EntityValue):
            return value
        return EntityValue(id_from_iri(self._graph.iri(node)) or "_:")

    # -- groups with more than direct triples -------------------------------------------------

    def _entries(
        self,
        node: N,
        id_: str,
        direction: Direction,
        group: Group,
        all_ranks: bool,
        *,
        bare: bool,
    ) -> list[Statement | Edge[N]]:
        """Return the statements of a group; direct triples stay edges until they are shown."""
        edges = self._graph.edges(node, direction, group[1])
        if direction is Direction.OUT:
            return self._outgoing(node, id_, group[0], edges, all_ranks, bare=bare)
        return self._incoming(node, group[0], edges, all_ranks, bare=bare)

    def _outgoing(
        self,
        node: N,
        id_: str,
        property_: str,
        edges: Sequence[Edge[N]],
        all_ranks: bool,
        *,
        bare: bool,
    ) -> list[Statement | Edge[N]]:
        if property_ == TYPE:
            edges = [edge for edge in edges if not is_encoding(self._graph.iri(edge[0]))]
        elif property_ == SUBCLASS:
            # What has a name comes before OWL's anonymous expressions.
            edges = sorted(edges, key=lambda edge: is_anonymous(self._graph.iri(edge[0])))
        full: dict[object, list[tuple[FullStatement[N], bool]]] = {}
        for found, truthy in self._ranked(node, id_, property_, bare=bare):
            full.setdefault(self._key(found.node), []).append((found, truthy))
        entries: list[Statement | Edge[N]] = []
        for edge in edges:
            known = full.pop(self._key(edge[0]), ())
            shown = [found.statement for found, truthy in known if truthy or all_ranks]
            entries += shown or [edge]
        for known in full.values():
            entries += [found.statement for found, truthy in known if truthy or all_ranks]
        if property_ in self._groups.without(node) and not any(
            isinstance(entry, Statement) and isinstance(entry.value, NoValue) for entry in entries
        ):
            entries.append(Statement(id_, property_, NoValue(), source=self._source))
        return entries

    def _incoming(
        self,
        node: N,
        property_: str,
        edges: Sequence[Edge[N]],
        all_ranks: bool,
        *,
        bare: bool,
    ) -> list[Statement | Edge[N]]:
        subjects: dict[N, list[Statement]] = {}
        owner = predicate_of(property_, Role.NODE)
        value = predicate_of(property_, Role.VALUE)
        for statement_node, _ in self._graph.edges(node, Direction.IN, value):
            for subject, _ in self._graph.edges(statement_node, Direction.IN, owner):
                if subject not in subjects:
                    about = self._about(subject, property_, node, all_ranks, bare=bare)
                    subjects[subject] = about
        entries: list[Statement | Edge[N]] = []
        for edge in edges:
            entries += subjects.pop(edge[0], ()) or [edge]
        for statements in subjects.values():
            entries += statements
        return entries

    def _around_hub(
        self, node: N, id_: str, property_: str, edges: Sequence[Edge[N]], *, bare: bool
    ) -> list[Statement]:
        """Make statements of a hub's direct triples, with what their nodes say where shown."""
        statements = []
        for edge in edges:
            full = self._about(edge[0], property_, node, False, bare=bare)
            statements += full[:1] or self._plain(id_, Direction.IN, property_, (edge,))
        return statements

    def _about(
        self, subject: N, property_: str, value: N, all_ranks: bool, *, bare: bool
    ) -> list[Statement]:
        """Return the full statements of ``subject`` that have this value."""
        return [
            found.statement
            for found, truthy in self._ranked(subject, self._id(subject), property_, bare=bare)
            if found.node == value and (truthy or all_ranks)
        ]

    def _ranked(
        self, node: N, id_: str, property_: str, *, bare: bool
    ) -> Sequence[tuple[FullStatement[N], bool]]:
        """Return the full statements of a node and property, and whether each is truthy.

        Bare ones are kept for a while: the subjects of one page are read for each of its values.
        """
        key = (node, property_)
        known = self._bare.get(key) if bare else None
        if known is None:
            known = self._read_ranked(node, id_, property_, bare=bare)
            if bare:
                self._bare.put(key, known, len(known) + 1)
        return known

    def _read_ranked(
        self, node: N, id_: str, property_: str, *, bare: bool
    ) -> tuple[tuple[FullStatement[N], bool], ...]:
        owner = predicate_of(property_, Role.NODE)
        edges = self._graph.edges(node, Direction.OUT, owner) if self._graph.uses(owner) else ()
        read = (self._nodes.read(far, id_, property_, origin, bare=bare) for far, origin in edges)
        found = [full for full in read if full is not None]
        ranks = {full.statement.rank for full in found}
        best = Rank.PREFERRED if Rank.PREFERRED in ranks else Rank.NORMAL
        return tuple((full, full.statement.rank is best) for full in found)

    def _key(self, node: N | None) -> object:
        """Return what direct triples and full statements have in common; unknown is unknown."""
        if node is not None and isinstance(self._graph.value(node), SomeValue):
            return SomeValue
        return node


def _ends_of(statements: Sequence[Statement], direction: Direction) -> list[Value]:
    if direction is Direction.OUT:
        return [statement.value for statement in statements]
    return [EntityValue(statement.subject) for statement in statements]
