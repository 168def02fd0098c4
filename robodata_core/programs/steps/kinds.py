"""Keeping what is of a class, or of a class within it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from robodata_core.model import Direction, EntityValue, Statement
from robodata_core.programs import english
from robodata_core.programs._relations import TYPE, subclass_properties
from robodata_core.programs.fields import Classes, OptionalSet, TypeRelations
from robodata_core.programs.nodes import Kept, NodeSet, entity_ids
from robodata_core.programs.phrases import ANYTHING, Phrase, Reader
from robodata_core.programs.query import QueryWriter
from robodata_core.programs.step import Step
from robodata_core.programs.world import World

__all__ = ["Chains", "FilterByType", "ways_down"]

Chains: TypeAlias = dict[str, tuple[Statement, ...]]
"""For every class the statements that lead from it up to a wanted one; none for that one."""


def ways_down(
    wanted: Sequence[str], below: Callable[[str], Sequence[tuple[str, Statement]]]
) -> Chains:
    """Return for every class from which a wanted one can be reached the shortest way to it."""
    chains: Chains = {class_: () for class_ in wanted}
    level = list(chains)
    while level:
        found: list[str] = []
        for class_ in level:
            for child, one in below(class_):
                if child not in chains:
                    chains[child] = (one, *chains[class_])
                    found.append(child)
        level = found
    return chains


_PLAIN = ("P31",)
_BELOW = ("P279",)
#: What classes are of classes above them.
_KIND_OF = "kind of "


@dataclass(frozen=True, slots=True)
class FilterByType(Step):
    """``get_entity_by_type``: keep what is an instance (or subclass) of a class.

    With ``source`` empty it starts a set: all instances of the class. ``via`` are the relations
    that express the type, e.g. instance of (P31) and occupation (P106); it leads to one of the
    classes, or to a subclass of one over any number of steps of subclass of. A class is not an
    instance of itself, nor of its superclass; ``via`` with P279 keeps subclasses.
    """

    out: str
    source: OptionalSet
    type_ids: Classes
    via: TypeRelations = _PLAIN

    @property
    def _above(self) -> tuple[str, ...]:
        return subclass_properties(self.type_ids, self.via)

    @property
    def along(self) -> tuple[str, ...]:
        """The first relation that expresses the type."""
        return self.via[:1]

    def run(self, sets: tuple[NodeSet, ...], world: World) -> NodeSet:
        """Keep the instances among a set, or look for all."""
        return self._of_type(sets[0], world) if sets else self._instances(world)

    def _of_type(self, parent: NodeSet, world: World) -> NodeSet:
        result = Kept(truncated=parent.truncated, parent=parent)
        ids = entity_ids(parent)
        typed = [
            (id_, one.value.id, one)
            for id_, one in world.statements(ids, self.via, result)
            if type(one.value) is EntityValue
        ]
        wanted = set(self.type_ids)
        direct = {id_ for id_, class_, _ in typed if class_ in wanted}
        open_ = list(dict.fromkeys(class_ for id_, class_, _ in typed if id_ not in direct))
        below: dict[str, list[tuple[str, Statement]]] = {}
        for class_, one in world.classes_from(open_, Direction.OUT, self._above, result, wanted):
            assert isinstance(one.value, EntityValue)
            below.setdefault(one.value.id, []).append((class_, one))
        chains = ways_down(self.type_ids, lambda class_: below.get(class_, ()))
        why: dict[str, tuple[Statement, ...]] = {}
        for id_, class_, one in typed:
            chain = chains.get(class_)
            if chain is not None and (id_ not in why or len(chain) + 1 < len(why[id_])):
                why[id_] = (one, *chain)
        for id_ in ids:
            if id_ in why:
                result.nodes[id_], result.why[id_] = parent.nodes[id_], why[id_]
        return result

    def _instances(self, world: World) -> NodeSet:
        result = Kept()
        chains: Chains = {class_: () for class_ in self.type_ids}
        for class_, one in world.classes_from(list(chains), Direction.IN, self._above, result):
            if one.subject not in chains:
                chains[one.subject] = (one, *chains[class_])
        for class_, one in world.statements(list(chains), self.via, result, Direction.IN):
            if one.subject in result.nodes:
                continue
            if len(result.nodes) >= world.max_nodes:
                result.truncated = True
                break
            result.nodes[one.subject] = EntityValue(one.subject)
            result.why[one.subject] = (one, *chains[class_])
        return result

    def pattern(self, query: QueryWriter, node: str) -> list[str]:
        """Write the way to the class over any number of subclasses."""
        text = query.text
        lines = query.source(self.source, node, self.via)
        above = f"{text.path(self._above)}*"
        classes = list(dict.fromkeys(text.entity(id_) for id_ in self.type_ids))
        wanted = classes[0] if len(classes) == 1 else text.variable("c")
        if len(classes) > 1:
            lines.append(text.values(wanted, classes))
        if TYPE in self.via:
            class_ = text.variable("c")
            lines += [*query.edges(node, self.via, class_), f"{class_} {above} {wanted} ."]
        else:
            lines.append(f"{node} {text.path(self.via)}/{above} {wanted} .")
        return lines + query.started(self.source, node, self.via)

    def phrase(self, reader: Reader) -> Phrase:
        """Write "any city", or "that is a city" of a set."""
        source = reader.of(self.source)
        names = [reader.words.named(id_) for id_ in dict.fromkeys(self.type_ids)]
        quoted = len(names) > 1 or names[0].startswith(_KIND_OF)
        names = [f"“{name}”" for name in names] if quoted else names
        classes = english.listed(names, "or")
        if self.via == _BELOW:
            return self._narrowed(source, f"{_KIND_OF}{classes}", "")
        any_kind = {*_PLAIN, *_BELOW} <= {*self.via}
        others = [id_ for id_ in self.via if not any_kind or id_ not in (*_PLAIN, *_BELOW)]
        ways = dict.fromkeys("kind" if id_ in _PLAIN else reader.relation((id_,)) for id_ in others)
        told = english.listed([*ways, *(["any kind"] if any_kind else [])], "or")
        by = "" if self.via == _PLAIN else f" by {told}" if others else " of any kind"
        return self._narrowed(source, classes, by)

    @staticmethod
    def _narrowed(source: Phrase, classes: str, by: str) -> Phrase:
        if source.kind == ANYTHING.kind:
            return Phrase(
                f"any {classes}{by}",
                restrictions=source.restrictions,
                kind=f"{english.one(classes)}{by}",
            )
        return source.narrowed(f"that is {english.one(classes)}{by}")
