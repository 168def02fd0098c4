"""Node sets with back pointers: how each node was reached, without spelling the paths out.

A set knows for each of its nodes one way it came in. Walking these pointers back to the start
gives the statements that derive the node; sets are shared between programs and never change
once they are filled.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from robodata_core.model import EntityValue, Statement, Value
from robodata_core.programs.keys import Key, key_of

__all__ = [
    "Collector",
    "Derived",
    "Followed",
    "Kept",
    "NodeSet",
    "Shared",
    "common",
    "entities",
    "entity_ids",
    "united",
]


class Collector:
    """Gathers statements in order, each once, and each node's derivation once."""

    def __init__(self) -> None:
        self._statements: dict[tuple[str, str, Key, str], Statement] = {}
        self._seen: set[tuple[int, Key]] = set()

    def add(self, statements: Iterable[Statement]) -> None:
        """Take statements in."""
        for one in statements:
            identity = (one.subject, one.property, key_of(one.value), one.id)
            self._statements.setdefault(identity, one)

    def enter(self, nodes: NodeSet, key: Key) -> bool:
        """Tell whether ``key`` of ``nodes`` is still to be gone through, and note that it was."""
        place = (id(nodes), key)
        if place in self._seen:
            return False
        self._seen.add(place)
        return True

    @property
    def statements(self) -> tuple[Statement, ...]:
        """What was gathered."""
        return tuple(self._statements.values())


@dataclass(slots=True, eq=False)
class NodeSet:
    """A set of nodes in order of discovery; by itself, one that is simply given.

    Attributes:
        nodes: Values by their identity.
        truncated: Whether a cap cut this set or one it was made from.
    """

    nodes: dict[Key, Value] = field(default_factory=dict)
    truncated: bool = False

    def collect(self, key: Key, into: Collector) -> None:
        """Gather the statements of one derivation of ``key``, from the start on."""


@dataclass(slots=True, eq=False)
class Followed(NodeSet):
    """Nodes reached over one statement from a node of ``parent``.

    Attributes:
        parent: The set it was reached from.
        came: From which node and over which statement each node was first reached.
    """

    parent: NodeSet = field(default_factory=NodeSet)
    came: dict[Key, tuple[Key, Statement]] = field(default_factory=dict)

    def collect(self, key: Key, into: Collector) -> None:
        """Gather the way to the parent's node, then the statement."""
        if into.enter(self, key):
            before, statement = self.came[key]
            self.parent.collect(before, into)
            into.add((statement,))


@dataclass(slots=True, eq=False)
class Kept(NodeSet):
    """Nodes that passed a filter, or that a filter without a source set found.

    Attributes:
        parent: The filtered set, None where the filter started one.
        why: The statements that let each node pass.
    """

    parent: NodeSet | None = None
    why: dict[Key, tuple[Statement, ...]] = field(default_factory=dict)

    def collect(self, key: Key, into: Collector) -> None:
        """Gather the node's derivation in the filtered set, then what let it pass."""
        if into.enter(self, key):
            if self.parent is not None:
                self.parent.collect(key, into)
            into.add(self.why[key])


@dataclass(slots=True, eq=False)
class Shared(NodeSet):
    """Nodes whose derivation is that of the same node in other sets.

    Attributes:
        parents: Sets that may hold the node.
        every: Whether all that hold it count (intersection), or the first that does.
    """

    parents: tuple[NodeSet, ...] = ()
    every: bool = False

    def collect(self, key: Key, into: Collector) -> None:
        """Gather the derivations in the sets it came from."""
        if not into.enter(self, key):
            return
        for parent in self.parents:
            if key in parent.nodes:
                parent.collect(key, into)
                if not self.every:
                    return


@dataclass(slots=True, eq=False)
class Derived(NodeSet):
    """Nodes that were reckoned from nodes of other sets.

    Attributes:
        came: The nodes of other sets that each was reckoned from.
        why: The statements that each was reckoned from.
    """

    came: dict[Key, tuple[tuple[NodeSet, Key], ...]] = field(default_factory=dict)
    why: dict[Key, tuple[Statement, ...]] = field(default_factory=dict)

    def add(
        self, value: Value, came: tuple[tuple[NodeSet, Key], ...], why: tuple[Statement, ...]
    ) -> None:
        """Take in a value with what it was reckoned from, unless it is there."""
        key = key_of(value)
        if key not in self.nodes:
            self.nodes[key], self.came[key], self.why[key] = value, came, why

    def collect(self, key: Key, into: Collector) -> None:
        """Gather the derivations of what it was reckoned from, then the statements."""
        if into.enter(self, key):
            for nodes, other in self.came.get(key, ()):
                nodes.collect(other, into)
            into.add(self.why.get(key, ()))


def entity_ids(nodes: NodeSet) -> list[str]:
    """Return the ids of the nodes that can have statements."""
    return [value.id for value in nodes.nodes.values() if type(value) is EntityValue]


def common(sets: tuple[NodeSet, ...]) -> NodeSet:
    """Return the nodes that are in all of some sets, in the order of the first."""
    first, *others = sets
    nodes = {
        key: value
        for key, value in first.nodes.items()
        if all(key in other.nodes for other in others)
    }
    return Shared(nodes, any(one.truncated for one in sets), sets, every=True)


def united(sets: tuple[NodeSet, ...], *, every: bool = False) -> NodeSet:
    """Return the nodes of all of some sets, in the order of the first.

    Args:
        sets: The sets.
        every: Whether the derivations in all sets that hold a node count, or that in the first.
    """
    nodes: dict[Key, Value] = {}
    for one in sets:
        for key, value in one.nodes.items():
            nodes.setdefault(key, value)
    return Shared(nodes, any(one.truncated for one in sets), sets, every)


def entities(nodes: NodeSet) -> NodeSet:
    """Return the entities of a set as a set that is given."""
    return NodeSet({id_: EntityValue(id_) for id_ in entity_ids(nodes)}, nodes.truncated)
