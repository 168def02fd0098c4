"""A graph in an Oxigraph store, read pattern by pattern.

For snapshots too large for ``_compact``. Small neighbourhoods are fetched whole and kept; hubs are
counted by the store itself and fetched only as far as they are shown. Terms are pyoxigraph's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby, islice
from pathlib import Path
from typing import Any, Final, TypeAlias

import pyoxigraph as ox

from robodata_core.cache import BoundedCache
from robodata_core.iris import WD
from robodata_core.model import Direction, Value
from robodata_core.sources.predicates import Role, origin_of, role_of
from robodata_core.sources.snapshot._graph import Edge, Run
from robodata_core.sources.snapshot._manifest import damaged
from robodata_core.store.terms import Term, term_to_value

_KEPT_EDGES: Final = 400_000
_FOUND: Final = 50_000
_HUB: Final = 1_000
"""A node with more edges than this in one direction is never fetched whole."""

_Around: TypeAlias = dict[str, list[Edge[Term]]]


class StoreGraph:
    """Edges of an Oxigraph store.

    Args:
        store: The store; only read.
        folder: The snapshot it belongs to, for messages.
        named_graphs: Whether a triple may stand in more than one graph.
    """

    def __init__(self, store: ox.Store, folder: Path, *, named_graphs: bool) -> None:
        self._store = store
        self._folder = folder
        self._named_graphs = named_graphs
        self._around: BoundedCache[tuple[Term, Direction], _Around] = BoundedCache(_KEPT_EDGES)
        self._hubs: BoundedCache[tuple[Term, Direction], tuple[Run, ...]] = BoundedCache(50_000)
        self._counts: BoundedCache[tuple[Term, Direction, str], int] = BoundedCache(50_000)
        self._slices: BoundedCache[tuple[object, ...], list[Edge[Term]]] = BoundedCache(_KEPT_EDGES)
        self._found: BoundedCache[str, Term] = BoundedCache(_FOUND)
        self._used: dict[str, int] = {}

    def find(self, iri: str) -> Term | None:
        """Return the node of an IRI, or None if no edge touches it."""
        node: Term | None = self._found.get(iri)
        if node is not None:
            return node
        try:
            node = ox.NamedNode(iri)
        except ValueError:
            return None
        for direction in Direction:
            if next(self._match(node, direction, None), None):
                self._found.put(iri, node)
                return node
        return None

    def runs(self, node: Term, direction: Direction) -> Sequence[Run]:
        """Return the predicates at a node with their counts."""
        around = self._fetch(node, direction)
        if around is not None:
            return [(predicate, len(edges)) for predicate, edges in around.items()]
        runs = self._hubs.get((node, direction))
        if not runs:
            runs = self._count_all(node, direction)
            self._hubs.put((node, direction), runs, len(runs) + 1)
        return runs

    def around(
        self, node: Term, direction: Direction, most: int = 1 << 62
    ) -> Iterable[tuple[str, Sequence[Edge[Term]]]]:
        """Return the edges at a node by predicate, at most ``most`` of each."""
        around = self._fetch(node, direction)
        if around is not None:
            return [(name, edges[:most]) for name, edges in around.items()]
        names = (predicate for predicate, _ in self.runs(node, direction))
        return [(name, self.edges(node, direction, name, 0, most)) for name in names]

    def count(self, node: Term, direction: Direction, predicate: str) -> int:
        """Return how many edges of one predicate there are."""
        around = self._fetch(node, direction)
        if around is not None:
            return len(around.get(predicate, ()))
        key = (node, direction, predicate)
        count = self._counts.get(key)
        if count is None:
            count = self._count(node, direction, predicate)
            self._counts.put(key, count)
        return count

    def edges(
        self, node: Term, direction: Direction, predicate: str, start: int = 0, stop: int = 1 << 62
    ) -> Sequence[Edge[Term]]:
        """Return some of the edges of one predicate, in the store's order."""
        around = self._fetch(node, direction)
        if around is not None:
            return around.get(predicate, [])[start:stop]
        key = (node, direction, predicate, start, stop)
        edges = self._slices.get(key)
        if edges is None:
            matches = self._match(node, direction, ox.NamedNode(predicate))
            once = _once((far, origin) for _, far, origin in matches)
            edges = list(islice(once, start, stop))
            self._slices.put(key, edges, len(edges) + 1)
        return edges

    def iri(self, node: Term) -> str:
        """Return the IRI of a node, or an empty string."""
        return node.value if isinstance(node, ox.NamedNode) else ""

    def value(self, node: Term, kind: str = "") -> Value:
        """Return what the node stands for."""
        if kind == "url" and isinstance(node, ox.NamedNode) and node.value.startswith(WD):
            kind = ""
        return term_to_value(node, kind=kind)

    def term(self, node: Term) -> object:
        """Return the node: it is a pyoxigraph term."""
        return node

    def uses(self, predicate: str) -> int:
        """Return whether any edge has this predicate, as 0 or 1."""
        used = self._used.get(predicate)
        if used is None:
            quads = self._store.quads_for_pattern(None, ox.NamedNode(predicate), None, None)
            used = self._used[predicate] = int(next(iter(quads), None) is not None)
        return used

    def _fetch(self, node: Term, direction: Direction) -> _Around | None:
        """Return all edges at a node by predicate, or None if it is a hub."""
        if self._hubs.get((node, direction)) is not None:
            return None
        around = self._around.get((node, direction))
        if around is not None:
            return around
        found: dict[str, dict[Term, str]] = {}
        number = 0
        for number, (predicate, far, origin) in enumerate(self._match(node, direction, None), 1):
            if number > _HUB and not isinstance(node, ox.BlankNode):
                self._hubs.put((node, direction), ())
                return None
            if role_of(predicate)[0] is not Role.NAME:
                ends = found.setdefault(predicate, {})
                ends[far] = _joined(ends[far], origin) if far in ends else origin
        names = sorted(found, key=lambda iri: (len(iri), iri))
        ordered = {name: list(found[name].items()) for name in names}
        self._around.put((node, direction), ordered, number + 1)
        return ordered

    def _match(
        self, node: Term, direction: Direction, predicate: ox.NamedNode | None
    ) -> Iterator[tuple[str, Any, str]]:
        with self._readable():
            if direction is Direction.IN:
                for quad in self._store.quads_for_pattern(None, predicate, node, None):
                    yield quad.predicate.value, quad.subject, _origin(quad.graph_name)
            elif not isinstance(node, ox.Literal):
                for quad in self._store.quads_for_pattern(node, predicate, None, None):
                    yield quad.predicate.value, quad.object, _origin(quad.graph_name)

    @contextmanager
    def _readable(self) -> Iterator[None]:
        try:
            yield
        except (OSError, RuntimeError) as error:
            raise damaged(self._folder, f"its graph cannot be read ({error})") from error

    # Counting inside the store is ten times faster than fetching what is counted.

    def _count_all(self, node: Term, direction: Direction) -> tuple[Run, ...]:
        pattern = f"{node} ?p ?far" if direction is Direction.OUT else f"?far ?p {node}"
        rows = self._query(f"SELECT ?p {self._how_many()} WHERE {{ {pattern} }} GROUP BY ?p")
        runs = [
            (row["p"].value, int(row["n"].value))
            for row in rows
            if role_of(row["p"].value)[0] is not Role.NAME
        ]
        return tuple(sorted(runs, key=lambda run: (len(run[0]), run[0])))

    def _count(self, node: Term, direction: Direction, predicate: str) -> int:
        name = ox.NamedNode(predicate)
        pattern = f"{node} {name} ?far" if direction is Direction.OUT else f"?far {name} {node}"
        (row,) = self._query(f"SELECT {self._how_many()} WHERE {{ {pattern} }}")
        return int(row["n"].value)

    def _how_many(self) -> str:
        return "(COUNT(DISTINCT ?far) AS ?n)" if self._named_graphs else "(COUNT(*) AS ?n)"

    def _query(self, query: str) -> list[Any]:
        with self._readable():
            rows: Any = self._store.query(query, use_default_graph_as_union=True)
            return list(rows)


def _origin(graph: object) -> str:
    return origin_of(graph.value) if isinstance(graph, ox.NamedNode) else ""


def _once(edges: Iterable[Edge[Term]]) -> Iterator[Edge[Term]]:
    """Join what the store gives one after the other because it stands in several graphs."""
    for far, same in groupby(edges, key=lambda edge: edge[0]):
        origin = ""
        for _, other in same:
            origin = _joined(origin, other)
        yield far, origin


def _joined(one: str, other: str) -> str:
    return "+".join(sorted({name for name in (*one.split("+"), other) if name}))
