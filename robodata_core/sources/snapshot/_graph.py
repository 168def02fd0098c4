"""The graph as statements are read from it: nodes, and edges around them.

Two things offer it: ``_compact`` (arrays, for small snapshots) and ``_disk`` (an Oxigraph store).
What a node is, only they know; ``_statements`` passes it around, compares it and hashes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Generic, Protocol, TypeVar

from robodata_core.model import Direction, Value

Node = TypeVar("Node")


Run = tuple[str, int]
"""A predicate at a node, in one direction, and how many edges of it there are."""

Edge = tuple[Node, str]
"""The node at the far end, and the data set the edge comes from (or an empty string)."""


class Graph(Protocol, Generic[Node]):
    """Edges around nodes. Names (labels and the like) may be left out of it."""

    def find(self, iri: str) -> Node | None:
        """Return the node of an IRI, or None if no edge touches it."""
        ...

    def runs(self, node: Node, direction: Direction) -> Sequence[Run]:
        """Return the predicates at a node with exact counts, in a stable order."""
        ...

    def around(
        self, node: Node, direction: Direction, most: int = 1 << 62
    ) -> Iterable[tuple[str, Sequence[Edge[Node]]]]: ...

    def count(self, node: Node, direction: Direction, predicate: str) -> int: ...

    def edges(
        self, node: Node, direction: Direction, predicate: str, start: int = 0, stop: int = 1 << 62
    ) -> Sequence[Edge[Node]]:
        """Return some of the edges of one predicate, in a stable order."""
        ...

    def iri(self, node: Node) -> str:
        """Return the IRI of a node, or an empty string for literals and blank nodes."""
        ...

    def value(self, node: Node, kind: str = "") -> Value:
        """Return what the node stands for as a value; ``kind`` as for ``term_to_value``."""
        ...

    def term(self, node: Node) -> object: ...

    def uses(self, predicate: str) -> int:
        """Return 0 if no edge of this predicate exists, else a positive number."""
        ...
