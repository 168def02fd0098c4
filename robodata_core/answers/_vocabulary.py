"""The names of a local graph's nodes and relations, folded once for one validation.

What a sentence may say of them is ``validation``'s.
"""

from __future__ import annotations

from collections.abc import Mapping

from robodata_core.answers._words import fold, tokens
from robodata_core.model import Entity, EntityValue, Property, Value
from robodata_core.store.graph import LocalGraph
from robodata_core.values import format_value

__all__ = ["Vocabulary"]


class Vocabulary:
    """Names of the local graph's nodes, by folded label and alias, for one validation."""

    def __init__(self, graph: LocalGraph) -> None:
        self._graph = graph
        self._names: dict[str, set[str]] | None = None
        self._relations: frozenset[str] | None = None
        self._of_node: dict[str, frozenset[str]] = {}
        self._of_property: dict[str, frozenset[str]] = {}
        self._of_end: dict[tuple[str, str], frozenset[str]] = {}
        self._words: dict[str, frozenset[str]] = {}

    def names_of(self, id_: str) -> frozenset[str]:
        """Return the folded label and aliases of a node."""
        if id_ not in self._of_node:
            self._of_node[id_] = _folded(self._graph.entity(id_))
        return self._of_node[id_]

    def names_with(self, id_: str, label: str) -> frozenset[str]:
        """Return the folded names of a node, the given label among them."""
        return self.names_of(id_) | {name for name in (fold(label), fold(id_)) if name}

    def names_of_end(self, value: Value, label: str) -> frozenset[str]:
        """Return the folded names of an end of a triple."""
        if not isinstance(value, EntityValue):
            return frozenset(name for name in (fold(label), fold(format_value(value))) if name)
        known = self._of_end.get((value.id, label))
        if known is None:
            known = self._of_end[value.id, label] = self.names_with(value.id, label)
        return known

    def words_of(self, name: str) -> frozenset[str]:
        """Return the words of a folded name."""
        known = self._words.get(name)
        if known is None:
            known = self._words[name] = frozenset(tokens(name))
        return known

    def all_names(self) -> Mapping[str, set[str]]:
        """Return ids by folded name for every node of the graph."""
        if self._names is None:
            self._names = {}
            for id_ in self._graph.nodes():
                for name in self.names_of(id_):
                    self._names.setdefault(name, set()).add(id_)
        return self._names

    def relation_names(self) -> frozenset[str]:
        """Return the folded labels of all relations in the graph."""
        if self._relations is None:
            ids = {stored.triple.predicate for stored in self._graph.triples()}
            labels = (self._graph.property(id_) for id_ in ids)
            self._relations = frozenset(fold(item.label) for item in labels if item and item.label)
        return self._relations

    def property_names(self, id_: str) -> frozenset[str]:
        """Return the folded label and aliases of a property."""
        if id_ not in self._of_property:
            self._of_property[id_] = _folded(self._graph.property(id_))
        return self._of_property[id_]


def _folded(item: Entity | Property | None) -> frozenset[str]:
    """Return the folded names of a node or property; none of what is not known."""
    if item is None:
        return frozenset()
    return frozenset(name for one in (item.label, *item.aliases) if (name := fold(one)))
