"""Statements out of edges: truthy or all ranks, with qualifiers and references where given.

Reads direct triples (``wdt:`` or any predicate of another source) and full statement nodes, and
joins both views of the same statement. Which edges there are is ``_graph``'s business; nothing here
knows about files or names. Pages are built once and kept, up to a bound.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, Generic, TypeAlias, TypeVar

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
from robodata_core.sources.snapshot._graph import Edge, Graph, Group, Groups, NodeReader, Outline

N = TypeVar("N")

_KEPT_STATEMENTS: Final = 20_000
#: Outlines of statements that are kept; the bound counts properties of things as well.
_KEPT_OUTLINES: Final = 8_000
_HUB: Final = 20_000
"""From this many edges on, full statement nodes are only looked up for what is shown."""
_EMPTY: Final = StatementPage((), 0)

Entry: TypeAlias = "Outline[N] | Edge[N] | None"
"""What a statement is made of where it is shown: its outline, a direct triple, or nothing, where a
class of the thing says that there is no value."""


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
        self._outlines: BoundedCache[tuple[N, str], Sequence[tuple[Outline[N], bool]]] = (
            BoundedCache(_KEPT_OUTLINES)
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
        limit = max(0, limit)
        found: dict[str, Sequence[Value]] = {}
        for id_ in ids:
            node = self._find(id_)
            entries: Sequence[Entry[N]] = ()
            if node is not None and special(node):
                group = self._groups.of(node, direction, property_)
                entries, _ = self._slice(node, direction, group, 0, limit)
            elif node is not None:
                entries = self._graph.edges(node, direction, fact, 0, limit)
            found[id_] = self._ends(direction, property_, kind, entries)
        return found

    def ends_around(
        self, id_: str, direction: Direction, limit: int
    ) -> Mapping[str, Sequence[Value]]:
        """Return what the statements of ``page`` lead to, by property."""
        node = self._find(id_)
        found: dict[str, Sequence[Value]] = {}
        if node is None:
            return found
        plain = dict(self._graph.around(node, direction, max(0, limit)))
        for group in self._groups.at(node, direction):
            property_, fact, count, special = group
            entries: Sequence[Entry[N]] = plain.get(fact, ())[: max(0, limit)]
            if special:
                entries, count = self._slice(node, direction, group, 0, max(0, limit))
            found[property_] = self._ends(direction, property_, self._kind_of(property_), entries)
            limit -= count
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
                        count = self._slice(node, way, group, 0, 0)[1]
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
            found, count = self._slice(node, direction, group, start, stop, all_ranks)
            if group[3]:
                statements += [self._statement(id_, direction, group[0], one) for one in found]
            else:
                statements += self._plain(id_, direction, group[0], found)  # type: ignore[arg-type]
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
        direction: Direction,
        group: Group,
        start: int,
        stop: int,
        all_ranks: bool = False,
    ) -> tuple[Sequence[Entry[N]], int]:
        property_, fact, count, special = group
        if special and count <= _HUB:
            entries = self._entries(node, direction, group, all_ranks)
            return entries[start:stop], len(entries)
        if start >= min(stop, count):
            return (), count
        edges = self._graph.edges(node, direction, fact, start, stop)
        if special and direction is Direction.IN:
            return self._around_hub(node, property_, edges), count
        return edges, count

    def _statement(
        self, id_: str, direction: Direction, property_: str, entry: Entry[N]
    ) -> Statement:
        if entry is None:
            return Statement(id_, property_, NoValue(), source=self._source)
        if not isinstance(entry, Outline):
            return self._plain(id_, direction, property_, (entry,))[0]
        subject = id_ if direction is Direction.OUT else self._id(entry.owner)
        return self._nodes.statement(entry, subject, property_)

    def _ends(
        self, direction: Direction, property_: str, kind: str, entries: Sequence[Entry[N]]
    ) -> list[Value]:
        if direction is Direction.IN:
            return [
                self._subject(entry.owner if isinstance(entry, Outline) else entry[0])
                for entry in entries
                if entry is not None
            ]
        value_of = self._graph.value
        return [
            value_of(entry[0], kind)
            if isinstance(entry, tuple)
            else self._nodes.value(entry, property_)
            if entry is not None
            else NoValue()
            for entry in entries
        ]

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
        self, node: N, direction: Direction, group: Group, all_ranks: bool
    ) -> Sequence[Entry[N]]:
        edges = self._graph.edges(node, direction, group[1])
        if direction is Direction.OUT:
            return self._outgoing(node, group[0], edges, all_ranks)
        return self._incoming(node, group[0], edges, all_ranks)

    def _outgoing(
        self, node: N, property_: str, edges: Sequence[Edge[N]], all_ranks: bool
    ) -> Sequence[Entry[N]]:
        if property_ == TYPE:
            edges = [edge for edge in edges if not is_encoding(self._graph.iri(edge[0]))]
        elif property_ == SUBCLASS:
            # What has a name comes before OWL's anonymous expressions.
            edges = sorted(edges, key=lambda edge: is_anonymous(self._graph.iri(edge[0])))
        full: dict[object, list[tuple[Outline[N], bool]]] = {}
        for found, truthy in self._ranked(node, property_):
            full.setdefault(self._key(found.far), []).append((found, truthy))
        entries: list[Entry[N]] = []
        for edge in edges:
            known = full.pop(self._key(edge[0]), ())
            shown = [found for found, truthy in known if truthy or all_ranks]
            entries += shown or [edge]
        for known in full.values():
            entries += [found for found, truthy in known if truthy or all_ranks]
        if property_ in self._groups.without(node) and not any(
            isinstance(entry, Outline) and entry.far is None for entry in entries
        ):
            entries.append(None)
        return entries

    def _incoming(
        self, node: N, property_: str, edges: Sequence[Edge[N]], all_ranks: bool
    ) -> Sequence[Entry[N]]:
        subjects: dict[N, Sequence[Outline[N]]] = {}
        owner = predicate_of(property_, Role.NODE)
        value = predicate_of(property_, Role.VALUE)
        for statement_node, _ in self._graph.edges(node, Direction.IN, value):
            for subject, _ in self._graph.edges(statement_node, Direction.IN, owner):
                if subject not in subjects:
                    subjects[subject] = self._about(subject, property_, node, all_ranks)
        entries: list[Entry[N]] = []
        for edge in edges:
            entries += subjects.pop(edge[0], ()) or [edge]
        for found in subjects.values():
            entries += found
        return entries

    def _around_hub(self, node: N, property_: str, edges: Sequence[Edge[N]]) -> Sequence[Entry[N]]:
        """Put in the place of a hub's direct triples what statement nodes say of them."""
        entries: list[Entry[N]] = []
        for edge in edges:
            entries += self._about(edge[0], property_, node, False)[:1] or [edge]
        return entries

    def _about(self, subject: N, property_: str, value: N, all_ranks: bool) -> Sequence[Outline[N]]:
        return [
            found
            for found, truthy in self._ranked(subject, property_)
            if found.far == value and (truthy or all_ranks)
        ]

    def _ranked(self, node: N, property_: str) -> Sequence[tuple[Outline[N], bool]]:
        """Return the full statements of a node and property, and whether each is truthy.

        They are kept for a while: the subjects of one page are read for each of its values.
        """
        key = (node, property_)
        known = self._outlines.get(key)
        if known is None:
            known = self._read_ranked(node, property_)
            self._outlines.put(key, known, len(known) + 1)
        return known

    def _read_ranked(self, node: N, property_: str) -> Sequence[tuple[Outline[N], bool]]:
        owner = predicate_of(property_, Role.NODE)
        edges = self._graph.edges(node, Direction.OUT, owner) if self._graph.uses(owner) else ()
        read = (self._nodes.outline(node, far, property_, origin) for far, origin in edges)
        found = [outline for outline in read if outline is not None]
        ranks = {outline.rank for outline in found}
        best = Rank.PREFERRED if Rank.PREFERRED in ranks else Rank.NORMAL
        return tuple((outline, outline.rank is best) for outline in found)

    def _key(self, node: N | None) -> object:
        """Return what direct triples and full statements have in common; unknown is unknown."""
        if node is not None and isinstance(self._graph.value(node), SomeValue):
            return SomeValue
        return node
